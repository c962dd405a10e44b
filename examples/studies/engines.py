"""Pages per second of processor time through the program, `carat.run`, batches and engines, over the same pages.

    python examples/studies/engines.py FOLDER [WAY..]

FOLDER gets `pages.parquet/` and `pages.jsonl`: the pages of `portals` again and again under new ids, PAGES of them (default
20 000). A WAY is program, run, batches, ray, spark or datatrove. The start of an engine is told apart, and all ways must have
one `result_digest`. Processor time is that of this process and all below it, so that other work on the machine counts less.
"""

import json
import logging
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import carat
import pyarrow
import pyarrow.parquet

ROWS = ["nta:coherence=0.6..1.0/0.1", "cevc", "all-text"]
PAGES = int(os.environ.get("PAGES", "20000"))
PART = 1000


def made(folder: Path) -> None:
    """Writes the pages."""
    htmls: list[tuple[str, str]] = []

    @carat.extractor(wants="page")
    def seen(page: carat.PageGiven) -> str:
        htmls.append((page.html, page.url))
        return ""

    run = carat.run("portals", [seen], bounds=[])
    golds = {page: run.page(page).gold for page in run.pages["page"]}
    pairs = list(zip(htmls, golds.values()))
    (folder / "pages.parquet").mkdir(parents=True)
    with open(folder / "pages.jsonl", "w") as lines:
        for first in range(0, PAGES, PART):
            pages = [
                {"id": f"p{at:07}", "html": html, "url": url or None, "gold": gold}
                for at in range(first, min(first + PART, PAGES))
                for (html, url), gold in [pairs[at % len(pairs)]]
            ]
            pyarrow.parquet.write_table(pyarrow.Table.from_pylist(pages), folder / f"pages.parquet/{first:07}.parquet")
            lines.writelines(json.dumps(page) + "\n" for page in pages)


def plan() -> carat.Plan:
    return carat.plan(ROWS, name="table", bounds=[])


def parts(folder: Path) -> Iterator[pyarrow.RecordBatch]:
    for file in sorted((folder / "pages.parquet").iterdir()):
        yield from pyarrow.parquet.ParquetFile(file).iter_batches(256)


def program(folder: Path) -> str:
    command = [sys.executable, "-m", "carat", "run", "--dataset", f"table:{folder}/pages.jsonl,columns.gold=gold", "--bounds", "none"]
    command += [option for row in ROWS for option in ("--algorithm", row)]
    subprocess.run([*command, "--no-texts", "--fresh", "--out", folder / "program"], check=True, capture_output=True)
    return carat.load(folder / "program").result_digest


def run(folder: Path) -> str:
    file = f"table:{folder}/pages.jsonl,columns.gold=gold"
    made = carat.run(file, ROWS, bounds=[], texts=False, fresh=True, name="table", out=folder / "run", progress=False)
    return made.result_digest


def batches(folder: Path) -> str:
    return carat.merge(carat.score_batches(parts(folder), plan(), threads=1)).result_digest


def on_ray(folder: Path) -> str:
    import carat.ray
    import ray

    pages = ray.data.read_parquet(str(folder / "pages.parquet"))
    made = carat.ray.run(pages, plan(), out=folder / "ray", counts=folder / f"ray-{time.time()}")
    return made.result_digest


def on_spark(folder: Path) -> str:
    import carat.spark
    from pyspark.sql import SparkSession

    pages = SparkSession.builder.getOrCreate().read.parquet(str(folder / "pages.parquet"))
    return carat.spark.run(pages, plan(), out=folder / "spark").result_digest


def on_datatrove(folder: Path) -> str:
    from carat.datatrove import Counts
    from datatrove.data import Document

    step = Counts(folder / "datatrove", plan())
    rows = (row for batch in parts(folder) for row in batch.to_pylist())
    documents = (Document(row["html"], row["id"], metadata={"gold": row["gold"], "url": row["url"]}) for row in rows)
    for _ in step.run(documents):
        pass
    return carat.merge(folder / "datatrove").result_digest


def start_ray() -> None:
    import ray
    import ray.data

    ray.init(include_dashboard=False, logging_level=logging.ERROR, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False


def start_spark() -> None:
    from pyspark.sql import SparkSession

    cores = os.cpu_count()
    SparkSession.builder.master(f"local[{cores}]").config("spark.ui.enabled", "false").getOrCreate()


def processor_time() -> float:
    """Seconds that this process and all below it have had."""
    processes = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        processes[int(stat.parent.name)] = (int(fields[1]), sum(map(int, fields[11:15])))

    def is_own(process: int) -> bool:
        while process in processes and process != os.getpid():
            process = processes[process][0]
        return process == os.getpid()

    return sum(ticks for process, (_, ticks) in processes.items() if is_own(process)) / os.sysconf("SC_CLK_TCK")


WAYS: dict[str, tuple[Callable[[], None] | None, Callable[[Path], str]]] = {
    "program": (None, program),
    "run": (None, run),
    "batches": (None, batches),
    "ray": (start_ray, on_ray),
    "spark": (start_spark, on_spark),
    "datatrove": (None, on_datatrove),
}


def main(folder: Path, ways: list[str]) -> None:
    if not folder.is_dir():
        made(folder)
    digests = set()
    for way in ways or WAYS:
        start, work = WAYS[way]
        begun = time.perf_counter()
        if start is not None:
            start()
        started, had = time.perf_counter(), processor_time()
        digest = work(folder)
        seconds, processor = time.perf_counter() - started, processor_time() - had
        digests.add(digest)
        times = f"{seconds:7.1f} s, {processor:7.1f} s of processors, start {started - begun:5.1f} s"
        print(f"{way:10} {times}, {PAGES / processor:6.0f} pages per second of a processor, {digest[:15]}", flush=True)
    assert len(digests) == 1, digests


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
