"""The reference in the book, the stubs and the help."""

import importlib.util
import inspect
from pathlib import Path

import pytest

import carat

ROOT = next((folder for folder in Path(__file__).resolve().parents if (folder / "python/reference.py").is_file()), None)


@pytest.mark.skipif(ROOT is None, reason="the repository is not here")
def test_the_book_has_the_docstrings():
    spec = importlib.util.spec_from_file_location("reference", ROOT / "python/reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    written = (ROOT / "docs/reference/python.md").read_text(encoding="utf-8")
    assert written == module.reference(), "python python/reference.py > docs/reference/python.md"


def test_everything_has_help():
    for name in carat.__all__:
        member = getattr(carat, name)
        if callable(member):
            assert inspect.getdoc(member), name
