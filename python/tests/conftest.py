import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

PAGES = [
    {"id": f"page-{number}", "html": f"<title>t</title><p>Sentence number {number}.</p><p>And one more.</p>",
     "gold": f"Sentence number {number}.\nAnd one more."}
    for number in range(6)
]  # fmt: skip


@pytest.fixture
def pages():
    return [dict(page) for page in PAGES]


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    """Replies of one test are none of another."""
    monkeypatch.setenv("CARAT_CACHE", str(tmp_path / "cache"))
