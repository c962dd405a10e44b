"""The common parts of the engines: plans of arguments, and tables in types that all of them have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ._batches import Plan, plan, score_batches, score_groups
from ._errors import DataError, RequestError

if TYPE_CHECKING:
    import pyarrow

#: Pages of a batch: at 30 KB each they are 8 MB.
BATCH = 256

#: The columns of counts.
COLUMNS = (
    "id", "dataset", "site", "language", "kind", "group", "split", "page", "gold", "error", "rows", "unit",
)  # fmt: skip


def planned(algorithms: Any, conditions: dict[str, Any]) -> Plan:
    """The plan of rows and conditions; a plan is itself."""
    if not isinstance(algorithms, Plan):
        return plan(algorithms, **conditions)
    if conditions:
        raise RequestError(f"the plan has its conditions already: give {', '.join(conditions)} to carat.plan")
    return algorithms


def schema() -> pyarrow.Schema:
    """The schema of counts, in types that every engine has."""
    import pyarrow as pa

    row = pa.struct(
        [
            ("row", pa.int32()), ("status", pa.string()), ("matched", pa.int64()), ("extracted", pa.int64()),
            ("gold", pa.int64()), ("text", pa.binary()), ("reason", pa.string()),
        ]  # fmt: skip
    )
    kinds = {"page": pa.binary(), "gold": pa.binary(), "unit": pa.binary(), "rows": pa.list_(row)}
    return pa.schema([(name, kinds.get(name, pa.string())) for name in COLUMNS])


def checked_carry(carry: Sequence[str]) -> tuple[str, ...]:
    """Columns that are carried along, none of which is one of counts."""
    if isinstance(carry, str):
        carry = [carry]
    for name in carry:
        if name in COLUMNS:
            raise RequestError(f"carry: counts have a column `{name}` of their own")
    return tuple(carry)


def scored(table: pyarrow.Table, plan: Plan, carry: Sequence[str] = (), sites: bool = False) -> pyarrow.Table:
    """The counts of a table of pages, row by row, with the columns that are carried along."""
    import pyarrow as pa

    for name in carry:
        if name not in table.column_names:
            raise DataError(f"carry: the pages have no column `{name}`", "E-KEY", 3)
    known = [name for name in table.column_names if name not in carry]
    score = score_groups if sites else score_batches
    found = [pa.table(counts) for counts in score(table.select(known), plan)]
    counts = pa.concat_tables(found).cast(schema()) if found else schema().empty_table()
    counts = counts.replace_schema_metadata(plan.metadata)
    for name in carry:
        counts = counts.append_column(table.schema.field(name), table.column(name))
    return counts


def in_batches(rows: Iterable[Any], size: int = BATCH) -> Iterator[list[Any]]:
    """Lists of so many rows."""
    batch: list[Any] = []
    for row in rows:
        batch.append(row)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
