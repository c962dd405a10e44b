"""carat measures how well extractors find the content of web pages.

>>> import carat
>>> page = "<nav><a href=/>Home</a></nav><p>The cat sleeps all day, and the dog does not.</p>"
>>> text = carat.extract(page, "nta")
>>> text
'The cat sleeps all day, and the dog does not.'
>>> carat.score(text, "The cat sleeps all day.").recall
1.0
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, overload

from . import _carat
from ._carat import Score, __version__
from ._batches import Plan, bootstrap, extract_batches, merge, plan, score_batches, score_groups, sums
from ._errors import CaratError, DataError, Defect, FileError, GateFailed, RequestError
from ._rows import Extractor, PageGiven, extractor, spec
from ._run import Comparison, Page, RowOnPage, Run, Shard, Verdict, compare, gate, load, run, sweep
from ._table import Figure, Table

_carat.set_module_file(str(_carat.__file__))


def extract(
    html: str | bytes,
    algorithm: str = "nta",
    *,
    encoding: str | None = None,
    language: str | None = None,
    url: str | None = None,
    **parameters: object,
) -> str:
    """The content of a page: the text that an algorithm finds in it.

    ``html`` as bytes is decoded as browsers do, ``encoding`` being the label that the server sent; a str is taken as it is,
    and a surrogate without its other half becomes U+FFFD. ``language`` is a BCP 47 tag of the content. Parameters are str,
    int, bool, ``Decimal``, ``Fraction``, or float, which counts as it is written: 0.1 is 1/10.

    >>> import carat
    >>> carat.extract(b"<p>\\xd6\\xd0\\xce\\xc4", "all-text", encoding="gbk")
    '中文'
    >>> carat.extract("<p>One sentence, and another.</p>", "nta", coherence=0.8)
    'One sentence, and another.'
    """
    return _carat.extract(html, spec(algorithm, parameters), encoding, language, url)


def extract_batch(
    pages: Iterable[str | bytes],
    algorithm: str = "nta",
    *,
    threads: int | None = None,
    errors: Literal["raise", "none"] = "raise",
    language: str | None = None,
    **parameters: object,
) -> list[str | None]:
    """The content of each page of a list, on several threads.

    ``errors="none"`` gives None for a page that cannot be read, in place of raising :class:`DataError` for the first.

    >>> import carat
    >>> carat.extract_batch(["<p>one", "<p>two"], "all-text")
    ['one', 'two']
    """
    if errors not in ("raise", "none"):
        raise RequestError(f"errors is `raise` or `none`, not `{errors}`")
    found = _carat.extract_batch(list(pages), spec(algorithm, parameters), threads, language)
    if errors == "raise":
        for number, (_, reason) in enumerate(found):
            if reason is not None:
                raise DataError(f"page {number}: {reason}", "E-DATA", 3)
    return [text for text, _ in found]


def score(
    extraction: str, gold: str, *, tokens: str = "char", case: str = "keep", measure: str = "lcs"
) -> Score:
    """Precision, recall and F1 of an extraction, by the longest common subsequence of its characters with the gold's.

    ``measure``, ``tokens`` and ``case`` are those of ``carat run``: ``carat list measures`` describes them.

    >>> import carat
    >>> score = carat.score("The cat sleeps.", "The cat sleeps all day.")
    >>> score.precision, score.recall, score.f1
    (1.0, 0.684210526316, 0.8125)
    >>> score.matched, score.extracted, score.gold
    (13, 13, 19)
    >>> carat.score("a b c x", "a b c d", measure="rouge:5", tokens="jieba").f1
    0.666666666667
    """
    return _carat.score(extraction, gold, measure, tokens, case)


def score_batch(
    extractions: Iterable[str],
    golds: Iterable[str],
    *,
    tokens: str = "char",
    case: str = "keep",
    measure: str = "lcs",
    threads: int | None = None,
) -> Table:
    """The scores of extractions, one row each, on several threads.

    >>> import carat
    >>> carat.score_batch(["a", "b"], ["a", "c"])["f1"]
    [1.0, 0.0]
    """
    return Table(_carat.score_batch(list(extractions), list(golds), (measure, tokens, case), threads))


@dataclass(frozen=True)
class Parameter:
    """A parameter of an algorithm."""

    name: str
    #: Its default, as it is written in runs.
    default: Any
    #: What it may be: its type, with bounds or words.
    values: Any
    help: str


@dataclass(frozen=True)
class Algorithm:
    """An algorithm, as ``carat list algorithms`` lists it."""

    name: str
    title: str
    source: str
    #: The languages that it is for, in words.
    languages: str
    parameters: tuple[Parameter, ...]


def algorithms() -> list[Algorithm]:
    """Every algorithm and other row, with its parameters.

    >>> import carat
    >>> nta = next(algorithm for algorithm in carat.algorithms() if algorithm.name == "nta")
    >>> nta.title
    '...'
    >>> [parameter.default for parameter in nta.parameters if parameter.name == "coherence"]
    ['0.9']
    """
    listed = json.loads(_carat.command(["list", "algorithms", "--format", "json"])[0])
    found = []
    for one in listed:
        said = json.loads(_carat.command(["list", "algorithms", one["name"], "--format", "json"])[0])
        parameters = tuple(
            Parameter(given["name"], given["default"], given["values"], given["help"]) for given in said["parameters"]
        )
        languages = said["declaration"].get("languages", "")
        found.append(Algorithm(one["name"], one["title"], one["source"], languages, parameters))
    return found


__all__ = [
    "Algorithm", "CaratError", "Comparison", "DataError", "Defect", "Extractor", "Figure", "FileError", "GateFailed",
    "Page", "PageGiven", "Parameter", "Plan", "RequestError", "RowOnPage", "Run", "Score", "Shard", "Table", "Verdict",
    "__version__", "algorithms", "bootstrap", "compare", "extract", "extract_batch", "extract_batches", "extractor", "gate", "load",
    "merge", "plan", "run", "score", "score_batch", "score_batches", "score_groups", "sums", "sweep",
]  # fmt: skip
