"""carat in pipelines of datatrove: ``pip install datatrove pyarrow``.

>>> from carat.datatrove import Counts  # doctest: +SKIP
>>> pipeline = [WarcReader("crawl/"), Counts("counts/", carat.plan(["nta", "cevc"]))]  # doctest: +SKIP
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from datatrove.pipeline.base import PipelineStep

from ._batches import Plan
from ._engine import BATCH, in_batches, schema, scored

#: The fields that are read from the metadata of a document.
FIELDS = ("gold", "url", "site", "language", "kind", "encoding", "group", "split")


class Counts(PipelineStep):  # type: ignore[misc]
    """A step behind any reader that scores documents, whose ``text`` is the page and ``metadata["gold"]`` the gold.

    Each rank writes its counts to ``out/RANK.parquet``, whole or not at all, and every document goes on to the next step.
    :func:`carat.merge` puts the folder ``out`` together.
    """

    name = "carat"
    type = "scorer"

    def __init__(self, out: str | os.PathLike[str], plan: Plan, batch_size: int = BATCH) -> None:
        super().__init__()
        self.out = os.fspath(out)
        self.plan = plan
        self.batch_size = batch_size

    def run(self, data: Any, rank: int = 0, world_size: int = 1) -> Iterator[Any]:
        """Scores the documents of a rank, batch by batch, and hands each on."""
        import pyarrow.parquet

        folder = Path(self.out)
        folder.mkdir(parents=True, exist_ok=True)
        path, half = folder / f"{rank:05}.parquet", folder / f".{rank:05}.parquet"
        with pyarrow.parquet.ParquetWriter(half, schema().with_metadata(self.plan.metadata)) as file:
            for documents in in_batches(data or [], self.batch_size):
                with self.track_time():
                    file.write_table(scored(_pages(documents), self.plan))
                self.stat_update("pages", value=len(documents))
                yield from documents
        os.replace(half, path)


def _pages(documents: list[Any]) -> Any:
    import pyarrow

    columns: dict[str, list[str | None]] = {
        "id": [document.id for document in documents],
        "html": [document.text for document in documents],
    }
    for field in FIELDS:
        columns[field] = [_text(document.metadata.get(field)) for document in documents]
    return pyarrow.table({name: pyarrow.array(values, pyarrow.string()) for name, values in columns.items()})


def _text(value: object) -> str | None:
    return None if value is None else str(value)


__all__ = ["Counts"]
