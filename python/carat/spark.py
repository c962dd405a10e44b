"""carat on Spark: ``pip install pyspark pyarrow``, and a Java 17.

>>> import carat.spark  # doctest: +SKIP
>>> pages = spark.read.parquet("hdfs:///crawl/pages")  # doctest: +SKIP
>>> run = carat.spark.run(pages, ["nta", "cevc"], out="runs/crawl")  # doctest: +SKIP
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._batches import Plan, merge
from ._engine import BATCH, checked_carry, planned, scored
from ._run import Run

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame

#: The columns of counts as Spark names their types.
COUNTS = (
    "id string, dataset string, site string, language string, kind string, `group` string, split string, page binary, "
    "gold binary, error string, rows array<struct<row:int,status:string,matched:bigint,extracted:bigint,gold:bigint,"
    "text:binary,reason:string>>, unit binary"
)

#: The setting of Spark that says how many pages stand in a batch. Its default of 10 000 would be gigabytes.
RECORDS = "spark.sql.execution.arrow.maxRecordsPerBatch"


def _scored(batches: Iterable[pyarrow.RecordBatch], plan: Plan, carry: Sequence[str]) -> Iterator[pyarrow.RecordBatch]:
    import pyarrow

    for batch in batches:
        counts = scored(pyarrow.Table.from_batches([batch]), plan, carry)
        yield from counts.replace_schema_metadata(None).to_batches()


def score(
    df: DataFrame, algorithms: Any, *, batch_size: int = BATCH, carry: Sequence[str] = (), **conditions: Any
) -> DataFrame:
    """The counts of a data frame of pages: one row per page, as :func:`carat.score_batches` makes them.

    ``df`` has the columns ``id``, ``html`` (string or binary) and ``gold``. ``algorithms`` and the conditions are those of
    :func:`carat.plan`, or ``algorithms`` is a plan. ``carry`` names columns that are kept. Spark hands over ``batch_size``
    pages at a time: the setting ``spark.sql.execution.arrow.maxRecordsPerBatch`` of the session is set to it.
    """
    plan, carry = planned(algorithms, conditions), checked_carry(carry)
    df.sparkSession.conf.set(RECORDS, str(batch_size))

    def counts(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        # Workers are forked from one process, so carat is first used here.
        return _scored(batches, plan, carry)

    return df.mapInArrow(counts, _with_carried(df, carry))


def score_groups(
    df: DataFrame, algorithms: Any, *, key: str = "site", carry: Sequence[str] = (), **conditions: Any
) -> DataFrame:
    """The same for rows that learn from the pages of a site: pages of one ``key`` are scored together.

    Spark moves every page to the others of its site, and holds the pages of a site in memory.
    """
    plan, carry = planned(algorithms, conditions), checked_carry(carry)

    def counts(pages: pyarrow.Table) -> pyarrow.Table:
        if key != "site":
            pages = pages.append_column("site", pages.column(key).cast("string"))
        return scored(pages, plan, carry, sites=True).replace_schema_metadata(None)

    return df.groupBy(key).applyInArrow(counts, _with_carried(df, carry))


def _with_carried(df: DataFrame, carry: Sequence[str]) -> str:
    kinds = dict(df.dtypes)
    return ", ".join([COUNTS, *(f"`{name}` {kinds.get(name, 'string')}" for name in carry)])


def run(
    df: DataFrame,
    algorithms: Any,
    *,
    out: str | os.PathLike[str],
    counts: str | os.PathLike[str] | None = None,
    groups: bool = False,
    batch_size: int = BATCH,
    **conditions: Any,
) -> Run:
    """Scores a data frame of pages, writes the counts as Parquet, and puts them together in the run folder ``out``.

    ``counts`` is the folder of the Parquet files, which this program and Spark both reach; by default ``out`` with
    ``-counts`` behind it. Earlier files in it are replaced. ``groups`` scores the pages of a site together.
    """
    plan = planned(algorithms, conditions)
    made = score_groups(df, plan) if groups else score(df, plan, batch_size=batch_size)
    folder = Path(f"{os.fspath(out)}-counts" if counts is None else os.fspath(counts)).absolute()
    made.write.mode("overwrite").parquet(folder.as_uri())
    return merge(folder, out, plan=plan)


__all__ = ["run", "score", "score_groups"]
