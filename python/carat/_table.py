"""Tables and figures of runs."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._carat import Columns

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

#: Rows that a notebook shows.
_SHOWN = 60


class Table:
    """A table: columns of text, whole numbers, decimals or flags, of which each value may be None.

    pandas, polars, pyarrow, DuckDB and others read it without a copy through Arrow's capsules, and it needs none of them.

    >>> import carat
    >>> table = carat.score_batch(["The cat sleeps.", "A dog"], ["The cat sleeps.", "The dog"])
    >>> len(table), table.column_names[:3]
    (2, ['matched', 'extracted', 'gold'])
    >>> table["f1"][0], table.to_pylist()[1]["matched"]
    (1.0, 3)
    """

    def __init__(self, columns: Columns) -> None:
        self._columns = columns

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, Any]], kinds: Mapping[str, str]) -> Table:
        """A table of mappings. ``kinds`` names its columns, each ``str``, ``int``, ``float`` or ``bool``."""
        return cls(Columns([(name, kind, [row.get(name) for row in rows]) for name, kind in kinds.items()]))

    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""
        return self._columns.names

    def __len__(self) -> int:
        return len(self._columns)

    def __getitem__(self, column: str) -> list[Any]:
        return self._columns.column(column)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.to_pylist())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._columns.stream()

    def to_pylist(self) -> list[dict[str, Any]]:
        """The rows as mappings."""
        names = self.column_names
        return [dict(zip(names, values)) for values in zip(*(self[name] for name in names))]

    def where(self, **values: Any) -> Table:
        """The rows whose columns have these values.

        >>> import carat
        >>> table = carat.score_batch(["a", "b"], ["a", "c"])
        >>> len(table.where(matched=1))
        1
        """
        kept = [row for row in self.to_pylist() if all(row[name] == value for name, value in values.items())]
        kinds = {name: self._kind(name) for name in self.column_names}
        return Table.of(kept, kinds)

    def _kind(self, name: str) -> str:
        known = next((value for value in self[name] if value is not None), "")
        return "bool" if isinstance(known, bool) else type(known).__name__

    def to_pandas(self) -> pandas.DataFrame:
        """As a data frame of pandas."""
        import pandas

        return pandas.DataFrame({name: self[name] for name in self.column_names})

    def to_polars(self) -> polars.DataFrame:
        """As a data frame of polars, whose buffers are those of this table."""
        import polars

        return polars.DataFrame(self)

    def to_pyarrow(self) -> pyarrow.Table:
        """As a table of pyarrow, whose buffers are those of this table."""
        import pyarrow

        return pyarrow.table(self)

    def __repr__(self) -> str:
        return f"<carat.Table: {len(self)} rows of {', '.join(self.column_names)}>"

    def _repr_html_(self) -> str:
        return as_html(self.column_names, [list(row.values()) for row in self.to_pylist()])

    @property
    def metadata(self) -> dict[str, str]:
        """Names and texts about the whole table, such as the plan behind a table of counts."""
        return dict(self._columns.metadata)

    def __reduce__(self):  # type: ignore[no-untyped-def]
        if self.metadata:
            raise TypeError("a table of an engine is pickled as table.to_pyarrow()")
        columns = [(name, self._kind(name), self[name]) for name in self.column_names]
        return _again, (columns,)


def _again(columns: list[tuple[str, str, list[Any]]]) -> Table:
    return Table(Columns(columns))


def as_html(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """A table for a notebook, at most so many rows of it."""

    def cell(value: Any) -> str:
        if value is None:
            return "<td></td>"
        if isinstance(value, float):
            return f'<td style="text-align:right">{value:.4f}</td>'
        side = "right" if isinstance(value, int) else "left"
        return f'<td style="text-align:{side}">{html.escape(str(value))}</td>'

    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    body = "".join(f"<tr>{''.join(map(cell, row))}</tr>" for row in rows[:_SHOWN])
    more = f"<p>and {len(rows) - _SHOWN} more rows</p>" if len(rows) > _SHOWN else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


class Figure:
    """A figure of a run: a picture, and the table that it was drawn from."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def name(self) -> str:
        """Its name, which is that of its file in ``figures/``."""
        return self._path.stem

    @property
    def svg(self) -> str:
        """The picture as SVG."""
        return self._path.read_text(encoding="utf-8")

    @property
    def table(self) -> Table:
        """The table that it was drawn from, every value as text."""
        return Table(Columns.from_csv(self._path.with_suffix(".csv").read_bytes(), []))

    def save(self, path: str | Path) -> None:
        """Writes the picture to a file, whose suffix says how: ``.svg``, ``.png``, ``.pdf`` or ``.csv``."""
        path = Path(path)
        path.write_bytes(self._path.with_suffix(path.suffix).read_bytes())

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<carat.Figure {self.name}>"
