"""carat on Ray Data: ``pip install "ray[data]"``.

>>> import carat.ray, ray  # doctest: +SKIP
>>> pages = ray.data.read_parquet("s3://crawl/pages")  # doctest: +SKIP
>>> run = carat.ray.run(pages, ["nta", "cevc"], out="runs/crawl")  # doctest: +SKIP
"""

from __future__ import annotations

import functools
import logging
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._batches import Plan, merge
from ._engine import BATCH, checked_carry, planned, scored
from ._errors import DataError
from ._run import Run

if TYPE_CHECKING:
    import pyarrow
    import ray.data

_LOG = logging.getLogger("carat")

#: Bytes of the pages of one site, above which ``score_groups`` gives up.
MAX_GROUP_BYTES = 2 << 30


class _Scorer:
    """An actor that scores batches: what functions load is loaded once."""

    def __init__(self, plan: Plan, carry: Sequence[str]) -> None:
        self._plan, self._carry = plan, carry

    def __call__(self, batch: pyarrow.Table) -> pyarrow.Table:
        return scored(batch, self._plan, self._carry)


def _score(batch: pyarrow.Table, plan: Plan, carry: Sequence[str]) -> pyarrow.Table:
    return scored(batch, plan, carry)


def _score_group(
    pages: pyarrow.Table, plan: Plan, carry: Sequence[str], key: str, max_group_bytes: int
) -> pyarrow.Table:
    if pages.nbytes > max_group_bytes:
        site = pages.column(key)[0].as_py()
        raise DataError(
            f"the pages of {site} have {pages.nbytes} bytes, more than max_group_bytes={max_group_bytes}: "
            "leave the site out, or allow more", "E-SIZE", 3,
        )  # fmt: skip
    if key != "site":
        pages = pages.append_column("site", pages.column(key).cast("string"))
    return scored(pages, plan, carry, sites=True)


def score(
    ds: ray.data.Dataset,
    algorithms: Any,
    *,
    batch_size: int = BATCH,
    concurrency: int | None = None,
    actors: tuple[int, int] | int | None = None,
    carry: Sequence[str] = (),
    **conditions: Any,
) -> ray.data.Dataset:
    """The counts of a dataset of pages: one row per page, as :func:`carat.score_batches` makes them.

    ``ds`` has the columns ``id``, ``html`` and ``gold``. ``algorithms`` and the conditions are those of :func:`carat.plan`, or
    ``algorithms`` is a plan. Batches are scored in tasks, ``concurrency`` at a time, each on one processor. For functions
    that load models, ``actors=(1, n)`` starts up to n processes that stay. ``carry`` names columns that are kept.
    """
    import ray
    import ray.data

    plan, carry = planned(algorithms, conditions), checked_carry(carry)
    if actors is None:
        tasks = ray.data.TaskPoolStrategy(size=concurrency)
        return ds.map_batches(
            functools.partial(_score, plan=plan, carry=carry), batch_size=batch_size, batch_format="pyarrow",
            zero_copy_batch=True, compute=tasks, num_cpus=1,
        )  # fmt: skip
    least, most = actors if isinstance(actors, tuple) else (actors, actors)
    cluster: Any = ray
    processors = cluster.cluster_resources().get("CPU", 0)
    if most >= processors:
        _LOG.warning(
            "warning: actors=%s on %g processors leave none that reads pages, and then nothing moves: start fewer",
            actors, processors,
        )  # fmt: skip
    pool = ray.data.ActorPoolStrategy(min_size=least, max_size=most)
    return ds.map_batches(
        _Scorer, batch_size=batch_size, batch_format="pyarrow", zero_copy_batch=True, compute=pool, num_cpus=1,
        fn_constructor_kwargs={"plan": plan, "carry": carry},
    )  # fmt: skip


def score_groups(
    ds: ray.data.Dataset,
    algorithms: Any,
    *,
    key: str = "site",
    max_group_bytes: int = MAX_GROUP_BYTES,
    carry: Sequence[str] = (),
    **conditions: Any,
) -> ray.data.Dataset:
    """The same for rows that learn from the pages of a site: pages of one ``key`` are scored together.

    Ray moves every page to the others of its site. A site of more than ``max_group_bytes`` ends it.
    """
    plan, carry = planned(algorithms, conditions), checked_carry(carry)
    of_group = functools.partial(_score_group, plan=plan, carry=carry, key=key, max_group_bytes=max_group_bytes)
    return ds.groupby(key).map_groups(of_group, batch_format="pyarrow", num_cpus=1)


def run(
    ds: ray.data.Dataset,
    algorithms: Any,
    *,
    out: str | os.PathLike[str],
    counts: str | os.PathLike[str] | None = None,
    groups: bool = False,
    batch_size: int = BATCH,
    concurrency: int | None = None,
    actors: tuple[int, int] | int | None = None,
    **conditions: Any,
) -> Run:
    """Scores a dataset of pages, writes the counts as Parquet, and puts them together in the run folder ``out``.

    ``counts`` is the folder of the Parquet files, by default ``out`` with ``-counts`` behind it. A run that failed is
    continued by the same call if Ray's ``DataContext.checkpoint_config`` names a checkpoint with the column ``id``. Without
    one all pages are scored again, and what is in ``counts`` counts once. ``groups`` scores the pages of a site together.
    """
    plan = planned(algorithms, conditions)
    if groups:
        made = score_groups(ds, plan)
    else:
        made = score(ds, plan, batch_size=batch_size, concurrency=concurrency, actors=actors)
    folder = Path(f"{os.fspath(out)}-counts" if counts is None else os.fspath(counts))
    made.write_parquet(str(folder.absolute()))
    return merge(folder, out, plan=plan)


__all__ = ["MAX_GROUP_BYTES", "run", "score", "score_groups"]
