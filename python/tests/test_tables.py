"""Tables, and what other libraries read of them."""

import pickle

import pytest

import carat
from carat._carat import Columns

VALUES = {
    "text": ["a", None, "", "字\0x"],
    "count": [1, None, -5, 2**62],
    "figure": [0.5, None, -0.0, 1e300],
    "flag": [True, None, False, True],
}
KINDS = {"text": "str", "count": "int", "figure": "float", "flag": "bool"}


def table(repeated=1):
    return carat.Table(Columns([(name, KINDS[name], VALUES[name] * repeated) for name in VALUES]))


def rows(repeated=1):
    return [dict(zip(VALUES, row)) for row in zip(*VALUES.values())] * repeated


def test_values_are_given_back():
    assert table().to_pylist() == rows()
    assert (len(table()), table()["count"], table().column_names) == (4, VALUES["count"], list(VALUES))
    assert pickle.loads(pickle.dumps(table())).to_pylist() == rows()
    assert table().where(flag=True).to_pylist() == [rows()[0], rows()[3]]
    with pytest.raises(KeyError):
        table()["nothing"]


def test_columns_of_unequal_lengths_and_other_types_are_refused():
    for columns in ([("a", "int", [1]), ("b", "int", [])], [("a", "int", ["x"])], [("a", "str", [1])], [("a", "date", [1])]):
        with pytest.raises((ValueError, TypeError)):
            Columns(columns)


@pytest.mark.parametrize("repeated", [1, 5000])
def test_pyarrow_reads_the_same_buffers(repeated):
    pyarrow = pytest.importorskip("pyarrow", reason="pip install pyarrow")
    ours = table(repeated)
    theirs = ours.to_pyarrow()
    theirs.validate(full=True)
    assert theirs.to_pylist() == rows(repeated)
    assert [str(field.type) for field in theirs.schema] == ["large_string", "int64", "double", "bool"]
    addresses = [pyarrow.table(ours)["count"].chunk(0).buffers()[1].address for _ in range(2)]
    assert addresses[0] == addresses[1] == theirs["count"].chunk(0).buffers()[1].address
    del ours
    assert theirs.to_pylist() == rows(repeated), "the reader keeps the buffers"
    # One column of it, so that the others are released on their own.
    assert pyarrow.table(table()).column("text").to_pylist() == VALUES["text"]


def test_polars_and_pandas_read_it():
    polars = pytest.importorskip("polars", reason="pip install polars")
    assert polars.DataFrame(table()).to_dicts() == table().to_polars().to_dicts() == rows()
    pandas = pytest.importorskip("pandas", reason="pip install pandas")
    frame = table().to_pandas()
    assert frame["text"].tolist()[0] == "a" and frame["figure"].isna().tolist() == [False, True, False, False]
    assert isinstance(frame, pandas.DataFrame)


def test_no_rows_and_no_columns_are_tables():
    pyarrow = pytest.importorskip("pyarrow", reason="pip install pyarrow")
    assert pyarrow.table(Columns_stream([("a", "str", [])])).num_rows == 0
    assert pyarrow.table(Columns_stream([])).num_columns == 0


def Columns_stream(columns):
    return carat.Table(Columns(columns))


def test_a_capsule_that_nobody_reads_is_released():
    resource = pytest.importorskip("resource", reason="of Unix")
    big = carat.Table(Columns([("text", "str", ["x" * 1000] * 1000)]))

    def use(times):
        for _ in range(times):
            big.__arrow_c_stream__()
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = use(1000)
    assert use(50_000) - before < 20_000, "kilobytes"


def test_a_notebook_shows_a_table_with_foreign_texts_made_inert():
    shown = carat.Table(Columns([("<b>", "str", ["<script>alert(1)</script>"] * 100)]))._repr_html_()
    assert "<script>" not in shown and "&lt;script&gt;" in shown and "and 40 more rows" in shown
