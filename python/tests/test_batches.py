"""Runs whose pages come in batches: equal to the runs of the program over the same pages."""

import json
import pickle
import random
import subprocess
import sys
from collections import Counter

import pytest

import carat
import carat._carat as inner
import own_extractors

pa = pytest.importorskip("pyarrow", reason="pip install pyarrow")
numpy = pytest.importorskip("numpy", reason="pip install numpy")

ROWS = ["nta:coherence=0.8|0.9", "cevc", "all-text", "nta:density=exact"]
SITE_ROWS = ["istm:scope=site", "dse", "nta", "unrepeated-text"]
FILES = ("summary.json", "scores.csv", "pages.csv")


def pages_of(number, seed=1):
    """Pages of sites with menus, in the order of their ids."""
    drawn = random.Random(seed)
    words = "The cat sleeps all day and, on some nights, the dog of the house does not sleep at all. 猫整天都在睡觉，狗不睡。".split()
    pages = []
    for at in range(number):
        site = f"site{at % 5}.example"
        text = [" ".join(drawn.choices(words, k=drawn.randint(5, 40))) + "." for _ in range(drawn.randint(1, 6))]
        menu = "".join(f"<li><a href=/{n}>Section {n} of {site}</a>" for n in range(8))
        body = "".join(f"<p>{line}</p>" for line in text)
        html = f"<title>{at}</title><ul>{menu}</ul><div>{body}</div><footer>All rights of {site} reserved</footer>"
        page = {"id": f"page-{at:04}", "html": html, "gold": "\n".join(text), "url": f"https://{site}/{at}"}
        page |= {"site": site, "language": "en" if at % 3 else "zh", "kind": "article" if at % 2 else "forum"}
        pages.append(page)
    return pages


@pytest.fixture(scope="module")
def many():
    return pages_of(60)


def of_program(pages, folder, rows, *options):
    """The run of the program over pages in a file."""
    file = folder / "pages.jsonl"
    file.write_text("".join(json.dumps(page) + "\n" for page in pages))
    columns = "".join(f",columns.{name}={name}" for name in ("gold", "site", "kind"))
    command = ["run", "--dataset", f"table:{file}{columns}", "--out", str(folder / "program")]
    command += [option for row in rows for option in ("--algorithm", row)]
    done = subprocess.run([sys.executable, "-m", "carat", *command, *options], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return carat.load(folder / "program")


def assert_equal(one, other, files=FILES):
    assert one.result_digest == other.result_digest
    assert one.info["line_sum"] == other.info["line_sum"]
    for name in files:
        assert (one.path / name).read_bytes() == (other.path / name).read_bytes(), name


@pytest.fixture(scope="module")
def whole(many, tmp_path_factory):
    return of_program(many, tmp_path_factory.mktemp("whole"), ROWS)


def table(pages):
    return pa.Table.from_pylist(pages)


@pytest.mark.parametrize("size", [1, 7, 60])
def test_batches_of_any_size_and_order_are_one_run(many, whole, size, tmp_path):
    plan = carat.plan(ROWS, name="table")
    batches = [table(many[at : at + size]) for at in range(0, len(many), size)]
    counts = list(carat.score_batches(batches, plan))
    assert [len(part) for part in counts] == [len(batch) for batch in batches]
    random.Random(size).shuffle(counts)
    merged = carat.merge(counts, tmp_path / "merged")
    assert_equal(merged, whole, (*FILES, "sweeps.csv"))
    assert (tmp_path / "merged/index.html").is_file() and "60 pages" not in merged.notes


def test_threads_do_not_show(many):
    plan = carat.plan(ROWS)
    one, other = (next(carat.score_batches(table(many), plan, threads)).to_pylist() for threads in (1, 4))
    assert one == other


def test_rows_that_need_the_pages_of_a_site(many, tmp_path):
    program = of_program(many, tmp_path, SITE_ROWS, "--bounds", "none")
    plan = carat.plan(SITE_ROWS, bounds=[], name="table")
    with pytest.raises(carat.RequestError, match="learns from all pages of a site, .*: use score_groups"):
        next(carat.score_batches(table(many), plan))
    sites = sorted({page["site"] for page in many}, reverse=True)
    # In another order than that of their ids, too.
    groups = [table([page for page in reversed(many) if page["site"] == site]) for site in sites]
    assert_equal(carat.merge(carat.score_groups(groups, plan)), program)


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("istm", "learns from all pages of a dataset, and a batch has only some of them: give it scope=site"),
        ("fiasco-lite", "learns from gold of whole datasets: run it with carat.run"),
        ("ntaa", "did you mean `nta`"),
    ],
)
def test_rows_that_depend_on_other_pages_are_refused(row, told):
    with pytest.raises(carat.RequestError, match=told):
        carat.plan([row], bounds=[])


def test_pages_without_gold_are_compared(many, tmp_path):
    some = [{**page, "gold": page["gold"] if at % 3 else None} for at, page in enumerate(many)]
    program = of_program(some, tmp_path, ROWS[:3])
    counts = carat.score_batches([table(some[:31]), table(some[31:])], carat.plan(ROWS[:3], name="table"))
    assert_equal(carat.merge(counts), program, (*FILES, "agreement.csv"))


def test_no_page_has_gold(many, tmp_path):
    none = [{name: value for name, value in page.items() if name != "gold"} for page in many[:9]]
    counts = list(carat.score_batches(table(none), carat.plan("all-text", bounds=[])))
    assert counts[0]["rows"][0][0]["matched"] is None and counts[0]["rows"][0][0]["extracted"] > 0
    assert carat.merge(counts).summary["agreement"][0]["pages"] == 9
    empty = table(none).append_column("gold", pa.nulls(9, pa.string()))
    with pytest.raises(carat.DataError, match="give all batches the column gold, or none"):
        carat.merge(carat.score_batches(empty, carat.plan("all-text", bounds=[])))


def test_bytes_are_decoded_as_in_a_run(tmp_path):
    pages = [{"id": f"p{n}", "html": f"<p>第{n}页的正文".encode("gbk"), "encoding": "gbk", "gold": f"第{n}页的正文"} for n in range(4)]
    for page in pages:
        (tmp_path / f"{page['id']}.html").write_bytes(b"<meta charset=gbk>" + page["html"])
        (tmp_path / f"{page['id']}.txt").write_text(page["gold"])
    counts = next(carat.score_batches(table(pages), carat.plan("all-text", bounds=[])))
    assert all(rows[0]["matched"] == rows[0]["gold"] == 6 for rows in counts["rows"])
    assert carat.merge(counts).rows["f1"] == [1.0]


@pytest.mark.parametrize("layout", ["large", "view", "chunked", "sliced", "polars", "pandas", "reader"])
def test_layouts_are_read_alike(many, layout):
    plan = carat.plan(ROWS[:2], bounds=[])
    plain = table(many[:10])
    expected = [row for part in carat.score_batches(plain, plan) for row in part]
    text = {"large": pa.large_string(), "view": pa.string_view()}.get(layout)
    given = plain
    if text is not None:
        given = plain.cast(pa.schema([(name, text) for name in plain.column_names]))
    elif layout == "chunked":
        given = pa.concat_tables([table(many[:1]), table(many[1:7]), table(many[7:10])])
    elif layout == "sliced":
        given = table(many).slice(0, 10).combine_chunks()
        given = pa.Table.from_batches([table([many[59], *many[:10], many[58]]).combine_chunks().to_batches()[0].slice(1, 10)])
    elif layout == "polars":
        given = pytest.importorskip("polars").DataFrame(many[:10])
    elif layout == "pandas":
        given = pytest.importorskip("pandas").DataFrame(many[:10])
    elif layout == "reader":
        given = pa.RecordBatchReader.from_batches(plain.schema, iter(plain.to_batches(3)))
    found = list(carat.score_batches(given, plan))
    assert [row for part in found for row in part] == expected
    if layout in ("chunked", "reader"):
        assert len(found) > 1, "one table per batch"


def test_one_batch_is_in_memory_at_a_time(many):
    given = []

    def batches():
        for at in range(0, 60, 20):
            given.append(at)
            yield table(many[at : at + 20])

    counts = carat.score_batches(batches(), carat.plan("all-text", bounds=[]))
    assert given == []
    next(counts)
    assert given == [0]
    assert len(list(counts)) == 2


def test_a_bad_page_is_a_row_with_an_error(many):
    pages = [dict(page) for page in many[:5]]
    pages[1]["html"], pages[3]["kind"] = None, "No Word"
    counts = list(carat.score_batches(table(pages), carat.plan("all-text", bounds=[])))
    assert counts[0]["id"] == [page["id"] for page in pages]
    assert [error and error[:20] for error in counts[0]["error"]] == [None, "the page has no `htm", None, "`kind` is a word of ", None]
    with pytest.raises(carat.DataError, match="2 rows are no pages; the first has the id `page-0001`: the page has no `html`"):
        carat.merge(counts)
    assert carat.merge(counts, keep_going=True).rows["pages"] == [3]


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        (lambda t: t.drop_columns(["html"]), "no column `html`"),
        (lambda t: t.drop_columns(["id"]), "no column `id`"),
        (lambda t: t.set_column(0, "id", pa.array(range(5))), "`id` is whole numbers, and text"),
        (lambda t: t.set_column(1, "html", t["html"].combine_chunks().dictionary_encode()), "`html` is a dictionary"),
        (lambda t: t.set_column(2, "gold", pa.array([[1]] * 5)), "`gold` is nested"),
        (lambda t: t.set_column(0, "id", pa.array(["a", None, "b", "c", "d"])), "row 1 of a batch has no `id`"),
    ],
)
def test_a_bad_column_raises_at_the_first_batch(many, broken, told):
    with pytest.raises(carat.DataError, match=told):
        next(carat.score_batches([broken(table(many[:5]))], carat.plan("all-text", bounds=[])))


def test_what_is_no_batch_is_refused(many):
    plan = carat.plan("all-text", bounds=[])
    for wrong in (5, [5], [many]):
        with pytest.raises(TypeError, match="Arrow's capsules"):
            next(carat.score_batches(wrong, plan))
    with pytest.raises(TypeError, match="a table of named columns"):
        next(carat.score_batches(pa.chunked_array([["a"]]), plan))
    assert list(carat.score_batches([], plan)) == []
    empty = next(carat.score_batches(pa.RecordBatch.from_pylist([], table(many).schema), plan))
    assert len(empty) == 0 and empty.column_names[0] == "id"


def test_a_stream_that_fails_raises(many):
    def broken():
        yield table(many[:3]).to_batches()[0]
        raise LookupError("the disk is gone")

    counts = carat.score_batches(pa.RecordBatchReader.from_batches(table(many).schema, broken()), carat.plan("nta", bounds=[]))
    assert len(next(counts)) == 3
    with pytest.raises(ValueError, match="the disk is gone"):
        next(counts)


def test_texts_of_batches(many):
    plan = carat.plan(["all-text", "nta"], bounds=[])
    texts = next(carat.extract_batches(table(many[:4]), plan))
    for row, algorithm in enumerate(["all-text", "nta"]):
        own = [text for text, at in zip(texts["text"], texts["row"]) if at == row]
        assert own == carat.extract_batch([page["html"] for page in many[:4]], algorithm)
    with pytest.raises(carat.RequestError, match="reads gold"):
        next(carat.extract_batches(table(many), carat.plan("all-text")))


def test_texts_are_kept_if_they_are_wanted(many):
    for texts in (True, False):
        plan = carat.plan("all-text", bounds=[], texts=texts)
        run = carat.merge(carat.score_batches(table(many[:3]), plan))
        text = run.page("page-0001").text("all-text")
        assert text == (carat.extract(many[1]["html"], "all-text") if texts else None)


def test_functions_are_rows(many):
    def first(html):
        if "page 7" in html or "<title>7<" in html:
            raise ValueError("no")
        return own_extractors.paragraphs(html)

    rows = ["all-text", first, {own_extractors.long_ones: {"least": [1, 20]}}]
    expected = carat.run(many, rows, bounds=[], name="table")
    counts = carat.score_batches([table(many[:20]), table(many[20:])], carat.plan(rows, bounds=[], name="table"))
    merged = carat.merge(counts)
    assert merged.result_digest == expected.result_digest
    assert merged.rows.to_pylist() == expected.rows.to_pylist()
    assert [(failure["page"], failure["reason"]) for failure in merged.failures] == [("page-0007", "ValueError: no")]


def test_what_ends_a_run_ends_a_batch(many):
    def ends(html):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        next(carat.score_batches(table(many), carat.plan(ends, bounds=[])))


def test_a_page_that_came_twice_counts_once_if_it_is_the_same(many):
    plan = carat.plan("all-text", bounds=[])
    counts = list(carat.score_batches([table(many[:20]), table(many[10:30])], plan))
    assert carat.merge(counts).rows["pages"] == [30]
    other = {**many[3], "gold": "another"}
    counts += carat.score_batches([table([other])], plan)
    with pytest.raises(carat.DataError, match="page `page-0003` came twice, and its bytes or its gold are not the same"):
        carat.merge(counts)


def test_counts_of_another_plan_or_damaged_ones_are_refused(many):
    plans = [carat.plan(row, bounds=[]) for row in ("all-text", "nta")]
    counts = [next(carat.score_batches(table(many[:3]), plan)) for plan in plans]
    with pytest.raises(carat.DataError, match="was scored by another plan"):
        carat.merge(counts)
    damaged = counts[0].to_pyarrow()
    units = [unit.as_py() for unit in damaged["unit"]]
    units[1] = units[1][:40] + bytes([units[1][40] ^ 1]) + units[1][41:]
    place = damaged.column_names.index("unit")
    with pytest.raises(carat.DataError, match="a unit is not as it was made"):
        carat.merge(damaged.set_column(place, "unit", pa.array(units)))
    with pytest.raises(carat.RequestError, match="give plan="):
        carat.merge(damaged.replace_schema_metadata(None))
    assert carat.merge(damaged.replace_schema_metadata(None), plan=plans[0]).rows["pages"] == [3]
    for nothing in ([], pa.table({"id": ["a"]})):
        with pytest.raises(carat.CaratError):
            carat.merge(nothing)


def test_parquet_files_are_sources(many, whole, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    plan = carat.plan(ROWS, name="table")
    for number, part in enumerate(carat.score_batches([table(many[:25]), table(many[25:])], plan)):
        (tmp_path / "counts").mkdir(exist_ok=True)
        parquet.write_table(part.to_pyarrow(), tmp_path / f"counts/{number}.parquet", row_group_size=4)
    (tmp_path / "counts/_SUCCESS").touch()
    (tmp_path / "counts/.0.parquet.crc").touch()
    assert_equal(carat.merge(tmp_path / "counts"), whole)
    assert_equal(carat.merge(sorted((tmp_path / "counts").glob("*.parquet"))), whole)
    parquet.write_table(table(many), tmp_path / "pages.parquet")
    with pytest.raises(carat.DataError, match="is no table of counts"):
        carat.merge(tmp_path / "pages.parquet")


def test_plans_pickle_as_their_configuration(many, monkeypatch):
    plan = carat.plan(ROWS, bounds=[])
    again = pickle.loads(pickle.dumps(plan))
    assert again == plan and again.rows == plan.rows and pickle.loads(pickle.dumps(plan)) is again
    assert len(pickle.dumps(plan)) < 1000
    with_function = carat.plan([own_extractors.paragraphs], bounds=[])
    assert pickle.loads(pickle.dumps(with_function)) == with_function
    packed = pickle.dumps(plan)
    monkeypatch.setattr(inner, "__version__", "9.9.9")
    with pytest.raises(carat.RequestError, match="was made by carat 0.1.0, and here is carat 9.9.9") as raised:
        pickle.loads(packed)
    assert raised.value.code == "E-VERSION"


def test_sums_of_parts_are_those_of_the_whole(many):
    plan = carat.plan(["all-text", "nta"], bounds=[])
    parts = list(carat.score_batches([table(many[:13]), table(many[13:])], plan))
    added = carat.sums(parts)
    assert added.to_pyarrow().schema.field("f1_e12").type == pa.decimal128(38, 0)
    assert len(added) == 2 * 5 and sum(added["pages"]) == 120
    total = Counter()
    for part in parts:
        for row in (row for line in carat.sums(part) for row in [line]):
            for name in ("pages", "matched", "extracted", "gold", "precision_e12", "recall_e12", "f1_e12"):
                total[row["row"], row["site"], name] += row[name]
    assert all(total[row["row"], row["site"], name] == row[name] for row in added for name in ("pages", "gold", "f1_e12"))
    run = carat.merge(parts)
    for place, f1 in enumerate(run.rows["f1"]):
        own = [row for row in added if row["row"] == place]
        assert f1 == pytest.approx(sum(row["f1_e12"] for row in own) / 60 / 1e12, abs=1e-12)


def test_resamples_of_sums_are_those_of_compare(many):
    plan = carat.plan(["all-text", "nta"], bounds=[])
    parts = list(carat.score_batches([table(many[:13]), table(many[13:])], plan))
    added = carat.sums(parts)
    drawn = carat.bootstrap(added, 0, 10_000)
    assert len(drawn) == 2 * 10_000 and drawn["draw"][:2] == [0, 1]
    shared = [carat.bootstrap([carat.sums(part) for part in reversed(parts)], *ends) for ends in [(0, 1), (1, 300)]]
    for row in (0, 1):
        whole = drawn.where(row=row)["value"]
        assert [value for part in shared for value in part.where(row=row)["value"]] == whole[:300]
    assert carat.bootstrap(added, 0, 5, seed=2)["value"] != drawn.where(row=0)["value"][:5]
    by_pyarrow = carat.bootstrap([added.to_pyarrow()], 7, 9)
    assert by_pyarrow["value"] == [drawn["value"][at] for at in (7, 8, 10_007, 10_008)]
    run = carat.merge(parts)
    told = json.loads(carat._carat.command(["compare", str(run.path), "--format", "json"])[0])["datasets"][0]["rows"]
    for place, name in enumerate(["all-text", "nta"]):
        interval = next(row for row in told if row["name"] == name)["mean"]["percentile"]
        low, high = numpy.quantile(drawn.where(row=place)["value"], [0.025, 0.975])
        assert (interval["low"], interval["high"]) == pytest.approx((low, high), abs=1e-12)
    with pytest.raises(carat.RequestError, match="there is no figure `f1` of sums; there are macro_precision"):
        carat.bootstrap(added, figure="f1")
    with pytest.raises(carat.RequestError, match="resamples from 3 to 1"):
        carat.bootstrap(added, 3, 1)
    assert len(carat.bootstrap([], 0, 5)) == 0


def test_the_table_of_counts(many):
    counts = next(carat.score_batches(table(many[:3]), carat.plan(["all-text", "nta"], bounds=[])))
    schema = counts.to_pyarrow().schema
    assert schema.names == ["id", "dataset", "site", "language", "kind", "group", "split", "page", "gold", "error", "rows", "unit"]
    assert [field.name for field in schema.field("rows").type.value_type] == [
        "row", "status", "matched", "extracted", "gold", "text", "reason",
    ]  # fmt: skip
    run = carat.run(many[:3], ["all-text", "nta"], bounds=[])
    expected = [(line["matched"], line["extracted"], line["gold"], line["text"]) for line in run.scores]
    found = [(r["matched"], r["extracted"], r["gold"], r["text"].hex()) for rows in counts["rows"] for r in rows]
    assert found == expected
    with pytest.raises(TypeError, match="to_pyarrow"):
        pickle.dumps(counts)
    assert counts.to_pyarrow().schema.metadata[b"carat.version"] == carat.__version__.encode()


def test_memory_stays_flat_over_many_batches(many):
    import resource

    plan, batch = carat.plan("all-text", bounds=[]), table(many)
    for _ in carat.score_batches([batch] * 20, plan):
        pass
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in carat.score_batches((batch for _ in range(300)), plan):
        pass
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 30_000, "kilobytes"


@pytest.mark.parametrize("of", [1, 2, 7])
def test_shards_are_one_run(many, of, tmp_path):
    expected = carat.run(many, ROWS, out=tmp_path / "whole", name="n")
    file = f"table:{tmp_path}/whole-pages/pages.jsonl,columns.gold=gold,columns.site=site,columns.kind=kind"
    parts = [carat.run(file, ROWS, name="n", shard=f"{n}/{of}", out=tmp_path / f"{n}") for n in range(1, of + 1)]
    assert sum(part.pages for part in parts) == 60 and all(part.of == of for part in parts)
    merged = carat.merge(reversed([part.path for part in parts]), tmp_path / "merged")
    assert_equal(merged, expected, (*FILES, "sweeps.csv"))
    again = carat.run(file, ROWS, name="n", shard=f"1/{of}", out=tmp_path / "1")
    assert again.pages == parts[0].pages


def test_shards_that_cannot_be(many, tmp_path):
    with pytest.raises(carat.RequestError, match="needs a folder of its own"):
        carat.run("portals", "nta", shard="1/2")
    with pytest.raises(carat.RequestError, match="expected I/N, such as 3/8"):
        carat.run("portals", "nta", shard="3/2", out=tmp_path / "a")
    with pytest.raises(carat.RequestError, match="give processes=1 or more"):
        carat.run(many, own_extractors.paragraphs, shard="1/2", out=tmp_path / "b")
    with pytest.raises(carat.RequestError, match="with each other"):
        carat.run("portals", "all-text", bounds=[], out=tmp_path / "run")
        carat.merge([tmp_path / "run", table(many)])
