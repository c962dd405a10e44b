"""For tests of your own extractor: an assertion that it is not worse than it was."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ._rows import as_extractor
from ._run import Run, run


def _fallen(before: dict[str, int], now: dict[str, int]) -> list[tuple[str, int, int]]:
    falls = [(page, before[page], now.get(page, 0)) for page in before if now.get(page, 0) < before[page]]
    return sorted(falls, key=lambda fall: fall[2] - fall[1])


def assert_no_worse(
    extractor: Callable[..., str | None], dataset: Any, baseline: str | os.PathLike[str], **conditions: Any
) -> Run:
    """Fails if the extractor's F1 fell by 1e-6 or more on any page since the baseline was accepted, and names the pages that fell.

    The baseline is a file of JSON, which is written where the environment has ``CARAT_ACCEPT=1``: commit it with the change
    that moved it. A page that the baseline does not know is no fall.

    >>> import carat.testing, os, tempfile
    >>> baseline = tempfile.mkdtemp() + "/baseline.json"
    >>> os.environ["CARAT_ACCEPT"] = "1"
    >>> run = carat.testing.assert_no_worse(str.strip, "portals", baseline)
    >>> del os.environ["CARAT_ACCEPT"]
    >>> run = carat.testing.assert_no_worse(str.strip, "portals", baseline)
    >>> def broken(html):
    ...     return ""
    >>> carat.testing.assert_no_worse(broken, "portals", baseline)
    Traceback (most recent call last):
    AssertionError: python/broken is worse than ... on 154 of 154 pages: ...
    """
    row = as_extractor(extractor)
    made: Run = run(dataset, [row], bounds=[], **conditions)
    scores = {f"{line['dataset']} {line['page']}": round((line["f1"] or 0) * 10**6) for line in made.scores}
    path = Path(baseline)
    if os.environ.get("CARAT_ACCEPT") == "1":
        path.write_text(json.dumps(scores, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        return made
    if not path.exists():
        raise AssertionError(f"{path} is not there: the environment CARAT_ACCEPT=1 makes it")
    before = json.loads(path.read_text(encoding="utf-8"))
    fallen = _fallen(before, scores)
    shown = ", ".join(f"{page} ({was / 1e6:.6f} to {now / 1e6:.6f})" for page, was, now in fallen[:10])
    more = f" and {len(fallen) - 10} more" if len(fallen) > 10 else ""
    pages = f"{len(fallen)} of {len(before)} pages"
    if fallen:
        raise AssertionError(f"python/{row.name} is worse than {path} on {pages}: {shown}{more}")
    return made
