"""Engines: each gives the run that one process gives. Those that are not installed are skipped."""

import logging
import os
import sys
import time
from pathlib import Path

import pytest

import carat
import own_extractors
from test_batches import FILES, ROWS, SITE_ROWS, assert_equal, of_program, pages_of, table

pa = pytest.importorskip("pyarrow", reason="pip install pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

#: For workers, which import tests as this process does.
PATHS = os.pathsep.join([str(Path(__file__).parent), str(Path(carat.__file__).parent.parent)])


@pytest.fixture(scope="module")
def many():
    return pages_of(120)


@pytest.fixture(scope="module")
def whole(many, tmp_path_factory):
    return of_program(many, tmp_path_factory.mktemp("whole"), ROWS)


@pytest.fixture(scope="module")
def folder(many, tmp_path_factory):
    """The pages in Parquet files of ten."""
    folder = tmp_path_factory.mktemp("pages")
    for at in range(0, len(many), 10):
        parquet.write_table(table(many[at : at + 10]), folder / f"{at:04}.parquet", compression="gzip")
    return folder


@pytest.fixture(scope="module")
def ray():
    ray = pytest.importorskip("ray", reason='pip install "ray[data]"')
    pytest.importorskip("ray.data", reason='pip install "ray[data]"')
    environment = {"env_vars": {"PYTHONPATH": PATHS}}
    ray.init(num_cpus=4, include_dashboard=False, runtime_env=environment, logging_level=logging.ERROR, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield ray
    ray.shutdown()


@pytest.mark.parametrize(("size", "actors"), [(1, None), (256, None), (1, 2), (256, 2), (7, (1, 2))])
def test_ray_by_tasks_and_actors(ray, folder, whole, size, actors, tmp_path):
    import carat.ray

    pages = ray.data.read_parquet(str(folder))
    run = carat.ray.run(pages, ROWS, out=tmp_path / "run", name="table", batch_size=size, actors=actors)
    assert_equal(run, whole, (*FILES, "sweeps.csv"))


def test_ray_by_sites(ray, folder, many, tmp_path):
    import carat.ray

    program = of_program(many, tmp_path, SITE_ROWS, "--bounds", "none")
    pages = ray.data.read_parquet(str(folder))
    assert_equal(carat.ray.run(pages, SITE_ROWS, bounds=[], out=tmp_path / "run", name="table", groups=True), program)
    with pytest.raises(Exception, match="max_group_bytes=10"):
        carat.ray.score_groups(pages, SITE_ROWS, bounds=[], max_group_bytes=10).materialize()


def test_ray_carries_columns(ray, many):
    import carat.ray

    pages = ray.data.from_arrow(table([{**page, "shelf": page["id"][-1]} for page in many]))
    rows = carat.ray.score(pages, "all-text", bounds=[], carry=["shelf"]).take_all()
    assert len(rows) == 120 and all(row["shelf"] == row["id"][-1] for row in rows)
    assert {row["rows"][0]["status"] for row in rows} == {"ok"}
    with pytest.raises(carat.RequestError, match="counts have a column `gold`"):
        carat.ray.score(pages, "all-text", carry="gold")
    with pytest.raises(carat.RequestError, match="the plan has its conditions"):
        carat.ray.score(pages, carat.plan("all-text"), tokens="word")


def test_ray_goes_on_after_a_kill(ray, folder, many, whole, tmp_path):
    """A run that ends midway is continued from its checkpoint, and no page is scored twice."""
    import carat.ray
    from ray.data.checkpoint import CheckpointConfig

    context = ray.data.DataContext.get_current()
    before = context.checkpoint_config, context.target_min_block_size, context.target_max_block_size
    marker = tmp_path / "kill"
    marker.touch()

    def kills(batch):
        if marker.exists() and "page-0075" in batch["id"].to_pylist():
            time.sleep(3)
            raise RuntimeError("the machine is gone")
        return batch

    counts = tmp_path / "counts"
    context.checkpoint_config = CheckpointConfig(id_column="id", checkpoint_path=str(tmp_path / "checkpoint"))
    # Ray commits blocks, and takes all of these pages for one.
    context.target_min_block_size, context.target_max_block_size = 1, 16_000
    try:

        def start():
            pages = ray.data.read_parquet(str(folder), override_num_blocks=12)
            pages = pages.map_batches(kills, batch_format="pyarrow", batch_size=None)
            return carat.ray.run(pages, ROWS, out=tmp_path / "run", counts=counts, name="table", batch_size=8)

        with pytest.raises(Exception, match="the machine is gone"):
            start()
        done = [id for file in counts.glob("*.parquet") for id in parquet.read_table(file)["id"].to_pylist()]
        assert 0 < len(done) < 120
        marker.unlink()
        run = start()
    finally:
        context.checkpoint_config, context.target_min_block_size, context.target_max_block_size = before
    assert_equal(run, whole)
    rows = [id for file in counts.glob("*.parquet") for id in parquet.read_table(file)["id"].to_pylist()]
    assert sorted(rows) == [page["id"] for page in many]


@pytest.mark.parametrize("where", ["task", "actor"])
def test_ray_survives_a_killed_process(ray, folder, many, tmp_path, where):
    import carat.ray

    marker = tmp_path / "killed"

    def dies_once(html):
        if "<title>75<" in html and not marker.exists():
            marker.touch()
            os._exit(1)
        return own_extractors.paragraphs(html)

    row = carat.extractor(dies_once, name="dies_once")
    pages, actors = ray.data.read_parquet(str(folder)), 2 if where == "actor" else None
    run = carat.ray.run(pages, row, bounds=[], out=tmp_path / "run", batch_size=8, actors=actors)
    expected = carat.run(many, [carat.extractor(own_extractors.paragraphs, name="dies_once")], bounds=[])
    assert marker.exists() and run.rows["failed"] == [0]
    assert run.result_digest.startswith("sha256:") and run.rows["f1"] == expected.rows["f1"]


def test_ray_functions_that_fail_cost_a_page(ray, many, tmp_path):
    import carat.ray

    broken = [dict(page) for page in many]
    broken[75]["html"] += "OVER"
    pages = ray.data.from_arrow(table(broken))
    run = carat.ray.run(pages, [own_extractors.sometimes_raises], bounds=[], out=tmp_path / "run", actors=2, batch_size=16)
    assert [(failure["page"], failure["reason"]) for failure in run.failures] == [("page-0075", "ValueError: no")]


def test_datatrove_ranks_are_one_run(many, whole, tmp_path):
    data = pytest.importorskip("datatrove.data", reason="pip install datatrove")
    from carat.datatrove import Counts

    keys = ("gold", "url", "site", "language", "kind")
    documents = [
        data.Document(text=page["html"], id=page["id"], metadata={key: page[key] for key in keys}) for page in many
    ]
    step = Counts(tmp_path / "counts", carat.plan(ROWS, name="table"), batch_size=16)
    for rank in range(4):
        passed = list(step.run(iter(documents[rank::4]), rank, 4))
        assert passed == documents[rank::4]
    assert sorted(path.name for path in (tmp_path / "counts").iterdir()) == [f"0000{rank}.parquet" for rank in range(4)]
    assert_equal(carat.merge(tmp_path / "counts"), whole)


@pytest.fixture(scope="module")
def spark():
    if not os.environ.get("CARAT_SPARK"):
        pytest.skip("CARAT_SPARK=1 runs it; it needs `pip install pyspark` and a Java 17")
    sql = pytest.importorskip("pyspark.sql", reason="pip install pyspark")
    os.environ |= {"PYTHONPATH": PATHS, "PYSPARK_PYTHON": sys.executable}
    session = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    # Compression in Java itself: Spark's native one does not load everywhere.
    session = session.config("spark.sql.parquet.compression.codec", "gzip").config("spark.io.compression.codec", "lz4")
    session = session.config("spark.sql.shuffle.partitions", "4").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.mark.parametrize("size", [1, 1000])
def test_spark_in_batches(spark, folder, whole, size, tmp_path):
    import carat.spark

    pages = spark.read.parquet(str(folder))
    run = carat.spark.run(pages, ROWS, out=tmp_path / "run", name="table", batch_size=size)
    assert_equal(run, whole, (*FILES, "sweeps.csv"))


def test_spark_by_sites(spark, folder, many, tmp_path):
    import carat.spark

    program = of_program(many, tmp_path, SITE_ROWS, "--bounds", "none")
    pages = spark.read.parquet(str(folder))
    run = carat.spark.run(pages, SITE_ROWS, bounds=[], out=tmp_path / "run", name="table", groups=True)
    assert_equal(run, program)


def test_spark_carries_columns(spark, folder):
    import carat.spark

    pages = spark.read.parquet(str(folder)).withColumnRenamed("kind", "shelf")
    rows = carat.spark.score(pages, "all-text", bounds=[], carry=["shelf"]).collect()
    assert {row["shelf"] for row in rows} == {"article", "forum"} and rows[0]["rows"][0]["status"] == "ok"
