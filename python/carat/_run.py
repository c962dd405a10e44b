"""Runs: how they are asked for, and what they leave."""

from __future__ import annotations

import html
import json
import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, overload

from . import _carat
from ._errors import DataError, RequestError
from ._rows import Rows, asking, declared, external_item, spec, value_text, values_text
from ._table import Figure, Table, as_html

_LOG = logging.getLogger("carat")

_COUNTS = [(name, "int") for name in ("matched", "extracted", "gold", "gaps", "unseen", "markup")]
_FIGURES = [(name, "float") for name in ("precision", "recall", "f1")]
_PAGES = [(name, "int") for name in ("bytes", "replaced", "cap_hits", "nodes", "depth", "text", "link", "gold")]
_SWEEPS = [(name, "bool") for name in ("from_closed", "to_closed", "flat")] + _FIGURES
_ROWS = {
    "dataset": "str", "row": "str", "algorithm": "str", "parameters": "str", "reads_gold": "str", "floor": "bool",
    "pages": "int", "failed": "int", "timed_out": "int", "not_run": "int", "empty": "int",
    "precision": "float", "recall": "float", "f1": "float",
    "micro_f1": "float", "site_macro_f1": "float",
}  # fmt: skip

Progress = Callable[[int, int], object] | Literal[False] | None
#: A name, path or FORMAT:PATH; several of them; or pages.
Dataset = str | os.PathLike[str] | Sequence[Any] | Any


def _label(row: Mapping[str, Any]) -> str:
    def text(value: Any) -> str:
        if isinstance(value, list):
            return "+".join(map(text, value))
        return value if isinstance(value, str) else json.dumps(value)

    shown = {*row["differs"], *row["swept"]}
    return ",".join(f"{name}={text(value)}" for name, value in row["parameters"].items() if name in shown)


def _named(algorithm: str, parameters: str) -> str:
    return f"{algorithm}:{parameters}" if parameters else algorithm


class RowOnPage:
    """The extraction of one row from one page."""

    def __init__(self, page: Page, said: Mapping[str, Any]) -> None:
        self._page = page
        #: The row, as on the command line.
        self.name: str = _named(said["algorithm"], said["parameters"])
        #: ``ok``, ``failed``, ``timed_out`` or ``not_run``.
        self.status: str = said["status"]
        #: The extraction, where it was kept.
        self.text: str | None = said["text"]
        #: Its score, where the page has gold.
        self.score: _carat.Score | None = None
        if said["score"] is not None:
            matched, extracted, gold, units = said["score"]
            self.score = _carat.Score(matched, extracted, gold, tuple(units))

    def __repr__(self) -> str:
        return f"<carat row {self.name}: {self.status}, {self.score}>"


class Page:
    """A page of a run: its gold, and what each row extracted from it."""

    def __init__(self, run: Run, said: Mapping[str, Any]) -> None:
        self._run = run
        self.id: str = said["id"]
        self.dataset: str = said["dataset"]
        #: The gold text, where it is known.
        self.gold: str | None = said["gold"]
        #: What each row extracted.
        self.rows: list[RowOnPage] = [RowOnPage(self, row) for row in said["rows"]]

    def row(self, name: str) -> RowOnPage:
        """The extraction of a row, by the row's name as on the command line."""
        for row in self.rows:
            if row.name == name:
                return row
        known = ", ".join(row.name for row in self.rows)
        raise RequestError(f"the run has no row `{name}`; it has {known}")

    def text(self, row: str) -> str | None:
        """The text that a row extracted."""
        return self.row(row).text

    def diff(self, row: str, other: str | None = None) -> str:
        """Gold against a row's text, word by word: ``[-missing-]`` and ``{+surplus+}``; or one row against another."""
        rows = ["--algorithm", row] if other is None else ["--a", row, "--b", other]
        return self._command("diff", *rows, "--color", "never")

    def explain(self, row: str) -> str:
        """Why an algorithm kept or dropped each node of the page."""
        return self._command("explain", "--algorithm", row)

    def _command(self, name: str, *options: str) -> str:
        arguments = [name, str(self._run.path), self.id, "--dataset", self.dataset, *options]
        return _carat.command(arguments)[0]

    def __repr__(self) -> str:
        return f"<carat page {self.id} of {self.dataset}, {len(self.rows)} rows>"


class Run:
    """A finished run. All that is read of it is first known to be as the run left it.

    >>> import carat
    >>> run = carat.run("portals", ["nta"], bounds=[])
    >>> run.rows["row"], run.rows["pages"]
    (['nta'], [154])
    >>> run.result_digest
    'sha256:37fc...'
    """

    def __init__(self, path: str | os.PathLike[str], holder: tempfile.TemporaryDirectory[str] | None = None) -> None:
        #: The folder of the run.
        self.path = Path(path)
        self._holder = holder
        info, summary = _carat.run_info(self.path)
        #: What ``run.json`` says.
        self.info: dict[str, Any] = json.loads(info)
        #: What ``summary.json`` says: conditions, rows with every figure, agreement.
        self.summary: dict[str, Any] = json.loads(summary)

    @property
    def result_digest(self) -> str:
        """SHA-256 over every page's and row's counts and text: equal on any machine, and for the command line."""
        return str(self.info["result_digest"])

    @property
    def notes(self) -> list[str]:
        """Notes on pages and rows, one sentence each."""
        table = self._table("notes.csv", [])
        return list(self.info["notes"]) if table is None else [str(line["note"]) for line in table.to_pylist()]

    @cached_property
    def rows(self) -> Table:
        """Every row with its macro means, one line per dataset, algorithm and setting."""

        def line(row: Mapping[str, Any]) -> dict[str, Any]:
            label = _label(row)
            named = {"row": _named(row["algorithm"], label), "parameters": label, **row["macro"]}
            more = {"micro_f1": row["micro"]["f1"], "site_macro_f1": row["site_macro"]["f1"]}
            return {**{name: row.get(name) for name in _ROWS}, **named, **more}

        return Table.of([line(row) for row in self.summary["rows"]], _ROWS)

    @cached_property
    def scores(self) -> Table:
        """Every page's score under every row: exact counts, and figures to six digits."""
        return self._table("scores.csv", _COUNTS + _FIGURES) or Table.of([], {"dataset": "str"})

    @cached_property
    def pages(self) -> Table:
        """The facts of every page."""
        return self._table("pages.csv", _PAGES) or Table.of([], {"dataset": "str"})

    @cached_property
    def sweeps(self) -> Table | None:
        """Each piece of each exact sweep's mean curve; None where nothing was swept exactly."""
        return self._table("sweeps.csv", _SWEEPS)

    @cached_property
    def failures(self) -> Table:
        """Pages that failed, and rows that failed on a page, each with its reason."""
        kinds = dict.fromkeys(("dataset", "page", "algorithm", "reason"), "str")
        return self._table("failures.csv", []) or Table.of(self.info["failures"], kinds)

    def _table(self, name: str, kinds: list[tuple[str, str]]) -> Table | None:
        columns = _carat.table_of_run(self.path, name, kinds)
        return None if columns is None else Table(columns)

    def curve(self, algorithm: str, parameter: str) -> Table:
        """The pieces of an algorithm's exact mean curve over a parameter."""
        sweeps = self.sweeps
        curve = None if sweeps is None else sweeps.where(algorithm=algorithm, parameter=parameter)
        if not curve:
            raise RequestError(f"the run has no exact sweep of `{parameter}` of {algorithm}; carat.sweep makes one")
        return curve

    def page(self, id: str, dataset: str | None = None) -> Page:
        """A page, by its id or a unique beginning of it."""
        return Page(self, json.loads(_carat.page_of_run(self.path, dataset, id)))

    def report(self) -> Path:
        """Makes tables, figures and the HTML report, and gives the path of ``index.html``."""
        _carat.command(["report", str(self.path), "--format", "html"])
        return self.path / "index.html"

    def figures(self) -> list[Figure]:
        """The figures of the run."""
        folder = self.path / "figures"
        if not folder.is_dir():
            self.report()
        return [Figure(path) for path in sorted(folder.glob("*.svg"))]

    def figure(self, name: str) -> Figure:
        """A figure by its name, or by what stands behind the dataset's name in it, such as ``nta-coherence``."""
        figures = self.figures()
        for figure in figures:
            if figure.name == name:
                return figure
        found = [figure for figure in figures if figure.name.removesuffix("-exact").endswith(f"-{name}")]
        if len(found) == 1:
            return found[0]
        known = ", ".join(figure.name for figure in found or figures)
        raise RequestError(f"{len(found)} figures are named `{name}`; there are {known}")

    def save(self, path: str | os.PathLike[str]) -> Run:
        """Copies the run into a folder that is not there yet, and gives the run in it."""
        if Path(path).exists():
            raise RequestError(f"{path} is there already: choose another folder")
        shutil.copytree(self.path, path, ignore=shutil.ignore_patterns(".lock"))
        return Run(path)

    def __str__(self) -> str:
        return _carat.terminal_of_run(self.path)

    def __repr__(self) -> str:
        return f"<carat.Run {self.summary['name']}: {len(self.rows)} rows, {self.result_digest[:15]}>"

    def _repr_html_(self) -> str:
        names = ["dataset", "row", "pages", "failed", "precision", "recall", "f1"]
        rows = sorted(self.rows.to_pylist(), key=lambda row: (row["dataset"], -row["f1"]))
        marked = [[*(row[name] for name in names), row["reads_gold"] and "reads gold"] for row in rows]
        title = f"<p><b>{html.escape(self.summary['name'])}</b> <code>{html.escape(self.result_digest[:15])}</code></p>"
        return title + as_html([*names, ""], marked)

    def __reduce__(self):  # type: ignore[no-untyped-def]
        if self._holder is not None:
            raise TypeError("the run's folder is temporary and goes with it: run.save(path) gives one that can be pickled")
        return Run, (self.path,)


class Shard:
    """A part of a run, which :func:`carat.merge` puts together with the others. It has no figures, for those of a part mislead.

    >>> import carat, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> parts = [carat.run("portals", "nta", bounds=[], shard=f"{n}/2", out=f"{folder}/{n}") for n in (1, 2)]
    >>> parts[0].pages + parts[1].pages, carat.merge(part.path for part in parts).rows["pages"]
    (154, [154])
    """

    def __init__(self, path: Path) -> None:
        #: The folder of the shard.
        self.path = path
        said = json.loads((path / "shard.json").read_text(encoding="utf-8"))
        #: Its number, from 1, and the number of shards.
        self.number: int = said["shard"]
        self.of: int = said["of"]
        #: The number of its pages.
        self.pages: int = said["pages"]

    def __repr__(self) -> str:
        return f"<carat.Shard {self.number}/{self.of}: {self.pages} pages, {self.path}>"


def load(path: str | os.PathLike[str]) -> Run:
    """A finished run from its folder, also one that the program made.

    >>> import carat, tempfile
    >>> folder = tempfile.mkdtemp() + "/run"
    >>> first = carat.run("portals", ["all-text"], bounds=[], out=folder)
    >>> carat.load(folder).result_digest == first.result_digest
    True
    """
    return Run(path)


def _progress(progress: Progress) -> Callable[[int, int], object] | None:
    """The function that is told how far the run is; by default a bar of tqdm, if it is installed and someone looks."""
    if progress is False:
        return None
    if progress is not None:
        return progress
    if not (sys.stderr is not None and sys.stderr.isatty() or "ipykernel" in sys.modules):
        return None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    bar: Any = None

    def show(done: int, pages: int) -> None:
        nonlocal bar
        if bar is not None and bar.total != pages:
            # Functions were asked; now the pages are run.
            bar.close()
            bar = None
        if bar is None:
            bar = tqdm(total=pages, unit="page", leave=False)
        bar.update(done - bar.n)
        if done >= pages:
            bar.close()
            bar = None

    return show


def _records(dataset: Any) -> Iterator[Mapping[str, Any]] | None:
    """The rows of a table of pages; None of what is no table."""
    rows: Iterable[Mapping[str, Any]]
    for way in ("to_pylist", "to_dicts"):
        if hasattr(dataset, way):
            rows = getattr(dataset, way)()
            return iter(rows)
    if hasattr(dataset, "to_dict") and hasattr(dataset, "columns"):
        rows = dataset.to_dict("records")
        return iter(rows)
    if hasattr(dataset, "__arrow_c_stream__"):
        import pyarrow

        rows = pyarrow.table(dataset).to_pylist()
        return iter(rows)
    if isinstance(dataset, Sequence) and not isinstance(dataset, (str, bytes)) and dataset:
        if all(isinstance(row, Mapping) for row in dataset):
            return iter(dataset)
    return None


def _write_pages(records: Iterator[Mapping[str, Any]], folder: Path) -> str:
    """Writes pages as JSON Lines, and gives the name that reads them."""
    folder.mkdir(parents=True, exist_ok=True)
    known = ("id", "html", "gold", "url", "site", "language", "kind", "split")
    given: set[str] = set()
    ids: set[str] = set()
    with open(folder / "pages.jsonl", "w", encoding="utf-8") as file:
        for number, record in enumerate(records):
            page = {name: value for name, value in record.items() if name in known and value is not None}
            for name, value in page.items():
                if not isinstance(value, str):
                    kind = type(value).__name__
                    raise DataError(f"page {number}: `{name}` is {kind}, not str", "E-TYPE", 3)
            if "id" not in page or "html" not in page:
                raise DataError(f"page {number}: has no `{'html' if 'id' in page else 'id'}`", "E-KEY", 3)
            if page["id"] in ids:
                raise DataError(f"page {number}: the id `{page['id']}` is given twice", "E-ID", 3)
            ids.add(page["id"])
            given |= page.keys()
            file.write(json.dumps(page) + "\n")
    columns = "".join(f",columns.{name}={name}" for name in ("gold", "site", "kind", "split") if name in given)
    return f"table:{folder / 'pages.jsonl'}{columns}"


def _datasets(dataset: Dataset, pages: Path) -> list[str]:
    records = _records(dataset)
    if records is not None:
        return [_write_pages(records, pages)]
    if isinstance(dataset, (str, os.PathLike)):
        return [os.fspath(dataset)]
    if isinstance(dataset, Sequence) and dataset:
        return [os.fspath(one) for one in dataset]
    raise TypeError(f"a dataset is a name, a path, several of them, or a table of pages, not {type(dataset).__name__}")


@overload
def run(
    dataset: Dataset,
    algorithms: Iterable[object] | str | Callable[..., str | None] | None = None,
    *,
    bounds: Iterable[str] | None = None,
    stored: Iterable[str] = (),
    external: Iterable[str | Mapping[str, object]] = (),
    where: Mapping[str, str] | None = None,
    split: str | None = None,
    tokens: str = "char",
    case: str = "keep",
    measure: str = "lcs",
    out: str | os.PathLike[str] | None = None,
    name: str | None = None,
    fresh: bool = False,
    texts: bool = True,
    threads: int | None = None,
    processes: int = 0,
    timeout: float | None = None,
    memory_limit: int | None = None,
    strict: bool = False,
    keep_going: bool = False,
    progress: Progress = None,
    shard: None = None,
) -> Run: ...
@overload
def run(
    dataset: Dataset,
    algorithms: Iterable[object] | str | Callable[..., str | None] | None = None,
    *,
    bounds: Iterable[str] | None = None,
    stored: Iterable[str] = (),
    external: Iterable[str | Mapping[str, object]] = (),
    where: Mapping[str, str] | None = None,
    split: str | None = None,
    tokens: str = "char",
    case: str = "keep",
    measure: str = "lcs",
    out: str | os.PathLike[str],
    name: str | None = None,
    fresh: bool = False,
    texts: bool = True,
    threads: int | None = None,
    processes: int = 0,
    timeout: float | None = None,
    memory_limit: int | None = None,
    strict: bool = False,
    keep_going: bool = False,
    progress: Progress = None,
    shard: str,
) -> Shard: ...
def run(
    dataset: Dataset,
    algorithms: Iterable[object] | str | Callable[..., str | None] | None = None,
    *,
    bounds: Iterable[str] | None = None,
    stored: Iterable[str] = (),
    external: Iterable[str | Mapping[str, object]] = (),
    where: Mapping[str, str] | None = None,
    split: str | None = None,
    tokens: str = "char",
    case: str = "keep",
    measure: str = "lcs",
    out: str | os.PathLike[str] | None = None,
    name: str | None = None,
    fresh: bool = False,
    texts: bool = True,
    threads: int | None = None,
    processes: int = 0,
    timeout: float | None = None,
    memory_limit: int | None = None,
    strict: bool = False,
    keep_going: bool = False,
    progress: Progress = None,
    shard: str | None = None,
) -> Run | Shard:
    """Runs rows over a dataset, scores what they extract, and gives the run.

    ``dataset`` is a name, a path, ``FORMAT:PATH``, a list of these, or a table of pages: a list of mappings, or a table of
    pandas, polars or pyarrow, with ``id``, ``html`` and ``gold``. ``algorithms`` are specs as on the command line
    (``"nta:coherence=0.6..1.0/0.1"``), mappings as in a configuration (``{"nta": {"coherence": [0.8, 0.9]}}``), and functions
    that take a page and return its content. Without it the rows are those of ``carat run``. ``bounds`` are by default all
    bounds; ``[]`` stands for none. ``stored`` and ``external`` are as on the command line.

    With ``out`` the run is in that folder, as ``carat run --out`` leaves it, and the same call goes on with a run that was
    cut. Without it the folder is temporary and goes with the :class:`Run`; :meth:`Run.save` keeps it. ``processes`` starts so
    many processes for each function, which must be importable: then each page has ``timeout`` seconds, each process has
    ``memory_limit`` bytes of address space, and a crash costs one page. With ``shard="3/8"`` only the pages of that part are
    run, and ``out`` holds a :class:`Shard` for :func:`carat.merge`. ``progress`` is called with the pages that are done and all of them; False asks for none, and None is a bar of tqdm
    where it is installed and someone looks. ``strict`` raises :class:`DataError` if any page failed.

    >>> import carat
    >>> def paragraphs(html):
    ...     return "\\n".join(part.split("</p>")[0] for part in html.split("<p>")[1:])
    >>> run = carat.run("portals", ["nta", paragraphs], bounds=[])
    >>> for row in run.rows:
    ...     print(row["row"], round(row["f1"], 3))
    nta 0.7...
    python/paragraphs 0...
    """
    items: Iterable[object] | None
    if algorithms is None:
        items = None
    elif isinstance(algorithms, (str, Mapping)) or callable(algorithms):
        items = [algorithms]
    else:
        items = algorithms
    if not isinstance(processes, int) or not 0 <= processes <= 64:
        raise RequestError(f"processes={processes}: from 0 to 64 are started for a function")
    others = [external_item(program) for program in external]
    stored = list(stored)
    if items is None and not others and not stored:
        default_rows, default_bounds = _carat.default_rows()
        items, bounds = default_rows, default_bounds if bounds is None else bounds
    rows = Rows(items or [], processes, timeout, memory_limit)
    if shard is not None and out is None:
        raise RequestError(f"shard {shard} needs a folder of its own: give out=")
    holder = tempfile.TemporaryDirectory(prefix="carat-") if out is None else None
    folder = Path(holder.name) / "run" if holder is not None else Path(os.fspath(out))  # type: ignore[arg-type]
    pages = folder.with_name(folder.name + "-pages")
    configuration: dict[str, object] = {
        "datasets": _datasets(dataset, pages),
        "algorithms": rows.items + others,
        "tokens": tokens,
        "case": case,
        "measure": measure,
    }
    optional: dict[str, object | None] = {
        "name": name,
        "where": {key: value_text(value) for key, value in where.items()} if where else None,
        "split": split,
        "stored": stored or None,
        "keep_going": "true" if keep_going else None,
        "bounds": None if bounds is None else list(bounds),
    }
    configuration |= {key: value for key, value in optional.items() if value is not None}
    functions = [
        (asking(function), json.dumps(declared(function.parameters)), function.wants, function.workers)
        for function in rows.functions
    ]
    told = _carat.run(
        (json.dumps(configuration, ensure_ascii=False), name is not None),
        functions,
        (folder, fresh, texts, holder is None, threads, shard),
        _progress(progress),
    )
    for sentence in told:
        _LOG.log(logging.WARNING if sentence.startswith("warning:") else logging.INFO, "%s", sentence)
    if shard is not None:
        return Shard(folder)
    made = Run(folder, holder)
    if strict and made.info["failures"]:
        told = {(failure["dataset"], failure["page"]) for failure in made.info["failures"]}
        failed = made.info.get("in_all", {}).get("failed_pages", len(told))
        raise DataError(f"{failed} pages failed, and strict was given", "E-DATA", 3)
    return made


def sweep(
    dataset: Dataset, algorithm: str, parameter: str, values: object = "exact", **conditions: Any
) -> Run:
    """Runs an algorithm at every value of a parameter; by default exactly, at and between all break points.

    >>> import carat
    >>> run = carat.sweep("portals", "nta", "coherence", bounds=[])
    >>> best = max(run.curve("nta", "coherence"), key=lambda piece: piece["f1"])
    >>> best["from"], best["to"], round(best["f1"], 4)
    ('0.9', '1', 0.7851)
    """
    text = values_text(values)
    text = "|".join(text) if isinstance(text, list) else text
    row = algorithm + ("," if ":" in algorithm else ":") + f"{parameter}={text}"
    made = run(dataset, [row], **conditions)
    if not isinstance(made, Run):
        raise RequestError("a sweep has a curve of all pages: run its row with shard=, and merge the parts")
    return made


class Comparison:
    """The differences of rows, with intervals over sites and tests corrected for their number."""

    def __init__(self, folders: list[str], options: list[str]) -> None:
        printed, _, _ = _carat.command(["compare", *folders, *options, "--format", "csv"])
        figures = (
            "mean", "mean_against", "difference", "low", "high", "bca_low", "bca_high", "error_by_site", "error_by_page",
            "median_difference", "p_by_page", "p_by_site", "p_corrected", "detectable", "heaviest_difference",
            "difference_without_it",
        )  # fmt: skip
        counts = ("pages", "sites", "wins", "ties", "losses", "tests")
        kinds = [(name, "float") for name in figures] + [(name, "int") for name in counts]
        #: One line per pair of rows.
        self.table = Table(_carat.Columns.from_csv(printed.encode(), kinds))
        self._text = _carat.command(["compare", *folders, *options])[0]

    @property
    def verdicts(self) -> dict[str, str]:
        """``better``, ``worse``, ``same`` or ``not_separable`` for each row."""
        return dict(zip(self.table["row"], self.table["verdict"]))

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<carat.Comparison {self.verdicts}>"

    def _repr_html_(self) -> str:
        names = ["row", "against", "mean", "difference", "low", "high", "p_corrected", "verdict"]
        return as_html(names, [[row[name] for name in names] for row in self.table])


def compare(run: Run | Sequence[Run], *rows: str, baseline: str | None = None) -> Comparison:
    """Compares rows of a run, or of several runs under the same conditions: with ``baseline``, by default with the best.

    >>> import carat
    >>> run = carat.run("portals", ["nta", "all-text"], bounds=[])
    >>> carat.compare(run).verdicts
    {'all-text': 'worse'}
    """
    runs = [run] if isinstance(run, Run) else list(run)
    options = [option for row in rows for option in ("--row", row)]
    options += ["--reference", baseline] if baseline is not None else []
    return Comparison([str(one.path) for one in runs], options)


class Verdict:
    """The verdict of the gate on a run. It is true if the gate passed."""

    def __init__(self, ok: bool, lines: list[str], markdown: str, judged: dict[str, Any]) -> None:
        #: True where nothing fell.
        self.ok = ok
        #: The verdict in lines, as ``carat gate`` prints it.
        self.lines = lines
        #: The verdict as Markdown; empty where a baseline was accepted.
        self.markdown = markdown
        #: All that ``carat gate --format json`` says.
        self.judged = judged

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def __repr__(self) -> str:
        return f"<carat.Verdict {'passed' if self.ok else 'fell'}: {self.lines[0] if self.lines else ''}>"

    def _repr_markdown_(self) -> str:
        return self.markdown


def gate(
    config: str | os.PathLike[str], baseline: str | os.PathLike[str], *, accept: bool = False,
    out: str | os.PathLike[str] | None = None,
) -> Verdict:  # fmt: skip
    """Runs a configuration file and judges it by a baseline, as ``carat gate`` does; ``accept`` makes the run the baseline.

    Raises :class:`RequestError` where it cannot judge. ``verdict.ok`` is False where something fell.
    """
    with tempfile.TemporaryDirectory(prefix="carat-") as folder:
        run_folder = os.fspath(out) if out is not None else os.path.join(folder, "run")
        arguments = ["gate", os.fspath(config), "--baseline", os.fspath(baseline), "--out", run_folder]
        arguments += ["--annotations", "never"]
        if accept:
            printed, _, _ = _carat.command([*arguments, "--accept"])
            return Verdict(True, printed.splitlines(), "", {})
        markdown = os.path.join(folder, "verdict.md")
        judged, _, failed = _carat.command([*arguments, "--format", "json", "--markdown", markdown])
        printed, _, _ = _carat.command(arguments)
        text = Path(markdown).read_text(encoding="utf-8")
    return Verdict(failed is None, printed.splitlines(), text, json.loads(judged))


__all__ = ["Comparison", "Page", "RowOnPage", "Run", "Shard", "Verdict", "compare", "gate", "load", "run", "spec", "sweep"]
