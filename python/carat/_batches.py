"""Runs whose pages come in batches: what engines of one's own carry out, and how it becomes a run."""

from __future__ import annotations

import json
import logging
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from . import _carat
from ._errors import DataError, RequestError
from ._rows import Extractor, Rows, asking, declared
from ._run import Run
from ._table import Table

_LOG = logging.getLogger("carat")


class Plan:
    """The rows and conditions of a run whose pages come in batches: what :func:`carat.plan` makes.

    It pickles as its configuration, and is built again where it is unpickled. There carat has to be the same:
    :class:`RequestError` with the code ``E-VERSION`` says that it is not.

    >>> import carat, pickle
    >>> plan = carat.plan(["nta:coherence=0.8|0.9", "all-text"], bounds=[])
    >>> plan.rows
    ['nta:coherence=0.8', 'nta:coherence=0.9', 'all-text']
    >>> pickle.loads(pickle.dumps(plan)) == plan
    True
    """

    def __init__(self, configuration: Mapping[str, object], functions: Sequence[Extractor], texts: bool) -> None:
        self._functions = list(functions)
        #: True if the extracted texts are kept.
        self.texts = texts
        #: The configuration, as ``run.yaml`` has it in JSON, which is YAML too.
        self.yaml = json.dumps(configuration, ensure_ascii=False)
        asks = [asked for function in self._functions for asked in [_declared(function)]]
        told = {"configuration": self.yaml, "texts": texts, "functions": asks}
        given = [(asking(function), *asked) for function, asked in zip(self._functions, asks)]
        self._plan = _carat.Plan(self.yaml, given, texts, json.dumps(told, ensure_ascii=False))

    @property
    def rows(self) -> list[str]:
        """The rows, as on the command line: ``row`` in tables is a place in this list."""
        return [label.replace(" ", ":", 1) for label in self._plan.labels]

    @property
    def dataset(self) -> str:
        """The name of the dataset that the pages are of."""
        return self._plan.dataset

    @property
    def digest(self) -> str:
        """SHA-256 of configuration and program: equal digests, equal results."""
        return self._plan.digest

    @property
    def metadata(self) -> dict[str, str]:
        """The metadata of tables of counts: carat's version, the rows, and the plan itself."""
        return dict(self._plan.metadata)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plan) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"<carat.Plan {self.digest[:8]}: {', '.join(self.rows)}>"

    def __reduce__(self):  # type: ignore[no-untyped-def]
        made_by = (_carat.__version__, _carat.build_digest())
        return _again, (self.yaml, self._functions, self.texts, made_by)

    def _pages(self, stream: object, threads: int | None) -> _carat.Pages:
        return _carat.Pages(stream, self._plan, threads)


def _declared(function: Extractor) -> tuple[str, str, int]:
    return json.dumps(declared(function.parameters)), function.wants, function.workers


#: The plans of this process, by all that they are made of.
_KNOWN: dict[str, Plan] = {}


def _again(yaml: str, functions: list[Extractor], texts: bool, made_by: tuple[str, str]) -> Plan:
    """The plan of another process, built once in this one."""
    own = (_carat.__version__, _carat.build_digest())
    if own != made_by:
        same = "another build of" if own[0] == made_by[0] else f"carat {made_by[0]}, and here is"
        raise RequestError(
            f"the plan was made by {same} carat {own[0]}: install the same wheel on every machine", "E-VERSION", 2
        )
    if functions:
        return Plan(json.loads(yaml), functions, texts)
    key = f"{texts} {yaml}"
    if key not in _KNOWN:
        _KNOWN[key] = Plan(json.loads(yaml), [], texts)
    return _KNOWN[key]


def plan(
    algorithms: Iterable[object] | str,
    *,
    dataset: str = "pages",
    bounds: Iterable[str] | None = None,
    tokens: str = "char",
    case: str = "keep",
    measure: str = "lcs",
    name: str | None = None,
    texts: bool = False,
) -> Plan:
    """The plan of a run whose pages come in batches, from an engine or from anywhere.

    ``algorithms`` and the conditions are those of :func:`carat.run`. ``dataset`` is the name that the pages have in results.
    ``texts`` keeps the extracted texts, so that the merged run shows them; they make tables of counts several times as large.
    Rows that depend on other pages are refused: with :class:`RequestError`, or where they only need the pages of a site,
    by everything but :func:`carat.score_groups`.

    >>> import carat
    >>> carat.plan("istm", bounds=[])
    Traceback (most recent call last):
    carat.RequestError: `istm` learns from all pages of a dataset, ...: give it scope=site, or run it with carat.run
    """
    if isinstance(algorithms, (str, Mapping)) or callable(algorithms):
        algorithms = [algorithms]
    rows = Rows(algorithms, 0, None)
    configuration: dict[str, object] = {
        "name": dataset if name is None else name,
        "datasets": [dataset],
        "algorithms": rows.items,
        "tokens": tokens,
        "case": case,
        "measure": measure,
    }
    if bounds is not None:
        configuration["bounds"] = list(bounds)
    return Plan(configuration, rows.functions, texts)


def _streams(batches: object) -> Iterator[object]:
    """The tables of an iterable of them; one table is itself."""
    if hasattr(batches, "__arrow_c_stream__"):
        yield batches
        return
    if not isinstance(batches, Iterable):
        raise TypeError(f"batches are tables with Arrow's capsules, or an iterable of them, not {type(batches).__name__}")
    for table in batches:
        if not hasattr(table, "__arrow_c_stream__"):
            raise TypeError(f"a batch is a table with Arrow's capsules, not {type(table).__name__}")
        yield table


def extract_batches(batches: object, plan: Plan, threads: int | None = 1) -> Iterator[Table]:
    """The texts that every row of a plan extracts from pages, batch by batch.

    ``batches`` is an iterable of tables with the columns ``id`` and ``html``, or one table: of pyarrow, polars, pandas or
    whatever else has Arrow's capsules. One batch is in memory at a time. Each gives a table of ``id``, ``row`` (a place in
    ``plan.rows``), ``text`` and ``error``, of which one is None.

    >>> import carat, pyarrow
    >>> pages = pyarrow.table({"id": ["a", "b"], "html": ["<p>one", "<p>two"]})
    >>> [table["text"] for table in carat.extract_batches([pages], carat.plan("all-text", bounds=[]))]
    [['one', 'two']]
    """
    for table in _streams(batches):
        pages = plan._pages(table.__arrow_c_stream__(), threads)  # type: ignore[attr-defined]
        while (texts := pages.extract()) is not None:
            yield Table(texts)


def score_batches(batches: object, plan: Plan, threads: int | None = 1) -> Iterator[Table]:
    """The *counts* of pages, batch by batch, in order.

    ``batches`` is an iterable of tables with the columns ``id``, ``html`` (text or bytes) and ``gold``, or one table: of
    pyarrow, polars, pandas or whatever else has Arrow's capsules. ``url``, ``site``, ``language``, ``kind``, ``encoding``,
    ``group`` and ``split`` are read where they are there. One batch is in memory at a time. A page that cannot be run is a row
    with an ``error``; a column that is missing or of another type raises :class:`DataError`. An empty table gives one.

    Each batch gives a table of one row per page: what is known of the page, its digests, ``rows`` with the counts of each row
    of the plan, and ``unit``, from which :func:`carat.merge` makes the run.

    >>> import carat, pyarrow
    >>> pages = pyarrow.table({"id": ["a"], "html": ["<p>The cat sleeps."], "gold": ["The cat sleeps."]})
    >>> counts = next(carat.score_batches([pages], carat.plan("all-text", bounds=[])))
    >>> counts["rows"][0][0]["status"], counts["rows"][0][0]["matched"]
    ('ok', 13)
    """
    return _scored(batches, plan, threads, False)


def score_groups(batches: object, plan: Plan, threads: int | None = 1) -> Iterator[Table]:
    """As :func:`score_batches`, of batches that have all pages of every site that they have any of.

    Rows that learn from the pages of a site need this.

    >>> import carat, pyarrow
    >>> pages = [{"id": f"p{n}", "site": "s", "html": f"<p>Menu<p>Text {n}", "gold": f"Text {n}"} for n in range(3)]
    >>> plan = carat.plan("istm:scope=site", bounds=[])
    >>> len(next(carat.score_groups([pyarrow.Table.from_pylist(pages)], plan)))
    3
    """
    return _scored(batches, plan, threads, True)


def _scored(batches: object, plan: Plan, threads: int | None, sites: bool) -> Iterator[Table]:
    for table in _streams(batches):
        pages = plan._pages(table.__arrow_c_stream__(), threads)  # type: ignore[attr-defined]
        while (scored := pages.score(sites)) is not None:
            counts, notes = scored
            for note in notes:
                _LOG.warning("%s", note)
            yield Table(counts)


def _parts(source: object) -> Iterator[Any]:
    """The tables of a source: itself, or those of a Parquet file or of a folder of such."""
    if hasattr(source, "__arrow_c_stream__"):
        yield source
        return
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(f"a source is a table of counts, a Parquet file or a folder of them, not {type(source).__name__}")
    path = Path(os.fspath(source))
    files = sorted(path.rglob("*.parquet")) if path.is_dir() else [path]
    files = [file for file in files if not any(part[0] in "._" for part in file.relative_to(path).parts)]
    if not files:
        raise DataError(f"{path} has no file that ends in .parquet", "E-COUNT", 3, str(path))
    import pyarrow.parquet

    for name in files:
        with pyarrow.parquet.ParquetFile(name) as file:
            # Some writers keep no metadata but pyarrow's own schema.
            if not {"id", "unit"} <= set(file.schema_arrow.names):
                raise DataError(f"{name} is no table of counts: it has no column `id` or no `unit`", "E-KEY", 3, str(name))
            yield pyarrow.Table.from_batches([], file.schema_arrow)
            for batch in file.iter_batches(1024, columns=["id", "error", "unit"]):
                yield batch


def _plan_of(table: Any) -> Plan | None:
    """The plan that a table of counts tells of itself."""
    told = dict(_carat.metadata_of(table.__arrow_c_stream__())).get("carat.plan")
    if told is None:
        return None
    said = json.loads(told)
    functions = said["functions"]
    known = Plan.__new__(Plan)
    known.yaml, known.texts, known._functions = said["configuration"], said["texts"], []
    known._plan = _carat.Plan(known.yaml, [(_never, *asked) for asked in functions], known.texts, told)
    return known


def _never(*_: object) -> str:
    raise AssertionError("a function is not asked where runs are put together")


def merge(
    sources: object,
    out: str | os.PathLike[str] | None = None,
    *,
    plan: Plan | None = None,
    keep_going: bool = False,
) -> Run:
    """Puts counts together, and gives the run: the same as :func:`carat.run` over all the pages in the order of their ids.

    ``sources`` are tables of counts, Parquet files of them and folders of such files, in any order; or folders of runs and
    shards, as ``carat merge`` takes them. A page may come several times, if it is the same each time. ``result_digest`` and
    ``summary.json`` are those of one run on one machine. ``plan`` is needed where an engine lost the metadata of its tables.
    Rows that are no pages, for want of ``html`` or for a value that no page may have, raise :class:`DataError` unless
    ``keep_going``. The records of all pages are held in memory, without their texts.

    >>> import carat, pyarrow
    >>> pages = pyarrow.table({"id": ["b", "a"], "html": ["<p>one", "<p>two"], "gold": ["one", "two"]})
    >>> plan = carat.plan("all-text", bounds=[])
    >>> counts = [table for row in (0, 1) for table in carat.score_batches(pages.slice(row, 1), plan)]
    >>> run = carat.merge(counts)
    >>> run.rows["f1"], run.scores["page"]
    ([1.0], ['a', 'b'])
    """
    if hasattr(sources, "__arrow_c_stream__") or isinstance(sources, (str, os.PathLike)):
        sources = [sources]
    if not isinstance(sources, Iterable):
        raise TypeError(f"sources are tables of counts, files or folders, not {type(sources).__name__}")
    given = iter(sources)
    first = next(given, None)
    if first is None:
        raise RequestError("there is nothing to put together")
    holder = tempfile.TemporaryDirectory(prefix="carat-") if out is None else None
    folder = Path(holder.name) / "run" if holder is not None else Path(os.fspath(out))  # type: ignore[arg-type]
    if _is_run(first):
        runs = [first, *given]
        if not all(map(_is_run, runs)):
            raise RequestError("folders of runs are put together with each other, and tables of counts with each other")
        _carat.command(["merge", *(os.fspath(run) for run in runs), "--out", str(folder)])
        return Run(folder, holder)
    merging: _carat.Merge | None = None
    for source in _chained(first, given):
        for table in _parts(source):
            if merging is None:
                plan = plan or _plan_of(table)
                if plan is None:
                    raise RequestError("the counts do not tell their plan, as some engines lose it: give plan=")
                merging = _carat.Merge(plan._plan, folder)
            merging.add(table.__arrow_c_stream__())
    if merging is None:
        raise RequestError("there is nothing to put together")
    number, one = merging.refused
    if one is not None:
        told = f"{number} rows are no pages; the first has the id `{one[0]}`: {one[1]}"
        if not keep_going:
            raise DataError(f"{told}; keep_going=True leaves them out", "E-DATA", 3)
        _LOG.warning("%s", told)
    for sentence in merging.finish(holder is None):
        _LOG.log(logging.WARNING if sentence.startswith("warning:") else logging.INFO, "%s", sentence)
    return Run(folder, holder)


def _chained(first: object, others: Iterator[object]) -> Iterator[object]:
    yield first
    yield from others


def _is_run(source: object) -> bool:
    return isinstance(source, (str, os.PathLike)) and Path(os.fspath(source), "run.yaml").is_file()


def sums(counts: object, *, plan: Plan | None = None) -> Table:
    """Counts and scores of a table of counts, added up by row and site.

    ``counts`` is a table or several. Scores are sums of whole numbers of 1e-12. All are decimals of 38 digits, so that the
    sums of parts add up to those of the whole without an error.

    >>> import carat, pyarrow
    >>> pages = pyarrow.table({"id": ["a", "b"], "site": ["s", "s"], "html": ["<p>one", "<p>two"], "gold": ["one", "x"]})
    >>> added = carat.sums(carat.score_batches([pages], carat.plan("all-text", bounds=[])))
    >>> added.to_pylist()[0]["pages"], added["matched"], added["f1_e12"]
    (2, [3], [1000000000000])
    """
    tables = [part for source in _streams(counts) for part in _parts(source)]
    if not tables:
        raise RequestError("there is no table of counts")
    plan = plan or _plan_of(tables[0])
    if plan is None:
        raise RequestError("the counts do not tell their plan, as some engines lose it: give plan=")
    return Table(_carat.sums([table.__arrow_c_stream__() for table in tables], plan._plan))


#: The figures that can be drawn again: how scores become a figure, and the column of sums.
_FIGURES = {
    f"{aggregate}_{part}": (aggregate, f"{part}_e12")
    for aggregate in ("macro", "site_macro")
    for part in ("precision", "recall", "f1")
}


def bootstrap(
    sums: Any, first: int = 0, last: int = 10_000, *, figure: str = "macro_f1", seed: int = 1
) -> Table:
    """The figure of each row in resamples of sites: the resamples from ``first`` to before ``last``.

    ``sums`` is what :func:`carat.sums` gives, or several of them, which are added up: tables, or what gives a list of
    mappings by ``to_pylist()``. Each resample has random numbers of its own, so that machines can share resamples out.
    With the same seed they are those of ``carat compare``: of 10,000 the quantiles 0.025 and 0.975 are its interval.

    ``figure`` is ``macro_f1`` (the mean over pages) or ``site_macro_f1`` (the mean over sites of their means), or the same of
    ``precision`` and ``recall``.

    >>> import carat, pyarrow
    >>> pages = pyarrow.table({"id": ["a", "b"], "site": ["s", "t"], "html": ["<p>one", "<p>two"], "gold": ["one", "x"]})
    >>> added = carat.sums(carat.score_batches([pages], carat.plan("all-text", bounds=[])))
    >>> drawn = carat.bootstrap(added, 0, 4)
    >>> drawn.column_names, drawn["value"]
    (['dataset', 'row', 'draw', 'value'], [0.5, 0.0, 0.0, 0.5])
    """
    if figure not in _FIGURES:
        raise RequestError(f"there is no figure `{figure}` of sums; there are {', '.join(_FIGURES)}")
    if not 0 <= first <= last <= 2**32 - 1:
        raise RequestError(f"resamples from {first} to {last}: give 0 <= first <= last < 2**32")
    aggregate, column = _FIGURES[figure]
    sites = _by_site([sums] if hasattr(sums, "to_pylist") else sums, column)
    by_row = [
        [_scores(aggregate, *added) for _, added in sorted(of_row.items()) if added[1] > 0] for of_row in sites.values()
    ]
    drawn = _carat.bootstrap(by_row, seed, first, last) if by_row else []
    rows = [
        {"dataset": dataset, "row": row, "draw": first + place, "value": value}
        for (dataset, row), values in zip(sites, drawn)
        for place, value in enumerate(values)
    ]
    return Table.of(rows, {"dataset": "str", "row": "int", "draw": "int", "value": "float"})


def _by_site(tables: Iterable[Any], column: str) -> dict[tuple[str, int], dict[str, tuple[int, int]]]:
    """Sum and pages of each site, by dataset and row."""
    rows: dict[tuple[str, int], dict[str, tuple[int, int]]] = {}
    for line in (line for table in tables for line in table.to_pylist()):
        of_row = rows.setdefault((line["dataset"], line["row"]), {})
        total, pages = of_row.get(line["site"], (0, 0))
        of_row[line["site"]] = (total + int(line[column]), pages + int(line["pages"]))
    return dict(sorted(rows.items()))


def _scores(aggregate: str, total: int, pages: int) -> tuple[int, int]:
    """Sum and number of the scores of a site: those of its pages, or their mean, rounded half up."""
    return (total, pages) if aggregate == "macro" else ((2 * total + pages) // (2 * pages), 1)


__all__ = ["Plan", "bootstrap", "extract_batches", "merge", "plan", "score_batches", "score_groups", "sums"]
