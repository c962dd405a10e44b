"""Runs: equal to those of the program, and what is read of them."""

import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import pytest

import carat

ROWS = ["nta:coherence=0.8|0.9", "cevc", "all-text", "istm"]


def program(*arguments, **options):
    return subprocess.run([sys.executable, "-m", "carat", *arguments], capture_output=True, text=True, **options)


@pytest.fixture(scope="module")
def run():
    return carat.run("portals", ["nta", "all-text", {"nta": {"coherence": "exact"}}], bounds=[])


def test_it_equals_the_run_of_the_program(tmp_path):
    own = carat.run("portals", ROWS, out=tmp_path / "own", name="portals")
    options = [option for row in ROWS for option in ("--algorithm", row)]
    done = program("run", "--dataset", "portals", *options, "--out", str(tmp_path / "program"))
    assert done.returncode == 0, done.stderr
    other = carat.load(tmp_path / "program")
    assert own.result_digest == other.result_digest
    for name in ("summary.json", "scores.csv", "pages.csv", "run.yaml"):
        assert (tmp_path / "own" / name).read_bytes() == (tmp_path / "program" / name).read_bytes(), name
    assert (tmp_path / "own/index.html").is_file()


def test_without_rows_it_is_the_default_run():
    assert carat.run("portals").result_digest.startswith("sha256:aec3a692")


def test_rows_are_specs_mappings_and_both_at_once():
    specs = carat.run("portals", ["nta:coherence=0.8|0.9", "cevc:lists=zh+en"], bounds=[])
    mappings = carat.run("portals", [{"nta": {"coherence": [0.8, 0.9]}}, {"cevc": {"lists": ["zh", "en"]}}], bounds=[])
    assert specs.result_digest == mappings.result_digest
    assert specs.rows["row"] == ["nta:coherence=0.8", "nta:coherence=0.9", "cevc:lists=zh+en"]


def test_what_is_read_of_it(run):
    assert len(run.scores) == 2 * 154 and len(run.pages) == 154 and len(run.failures) == 0
    row = run.rows.where(row="nta").to_pylist()[0]
    scores = [score["f1"] for score in run.scores if score["algorithm"] == "nta"]
    assert row["pages"] == 154 and abs(sum(scores) / 154 - row["f1"]) < 1e-6
    page = run.page(run.scores["page"][0])
    first = run.scores.to_pylist()[0]
    score = page.row("nta").score
    assert (score.matched, score.extracted, score.gold) == tuple(first[n] for n in ("matched", "extracted", "gold"))
    assert round(score.f1, 6) == first["f1"]
    assert carat.score(page.text("nta"), page.gold) == score
    assert page.diff("nta") and page.explain("nta")
    assert "nta" in str(run) and "<table>" in run._repr_html_()
    with pytest.raises(carat.RequestError, match="it has nta, all-text"):
        page.row("ntaa")


def test_curves_and_figures(run):
    curve = run.curve("nta", "coherence")
    assert (curve["from"][0], curve["to"][-1]) == ("0", "1") and len(curve) > 10
    figure = run.figure("nta-coherence")
    assert figure.svg.startswith("<svg") and len(figure.table) > 10
    with pytest.raises(carat.RequestError, match="figures are named"):
        run.figure("nothing")
    with pytest.raises(carat.RequestError, match="carat.sweep makes one"):
        run.curve("nta", "density")


def test_a_table_of_pages_is_a_dataset(pages, tmp_path):
    expected = carat.run(pages, ["all-text"], bounds=[])
    assert expected.rows["pages"] == [6] and expected.rows["f1"] == [1.0]
    for library, table in (("polars", "DataFrame"), ("pandas", "DataFrame")):
        frame = getattr(pytest.importorskip(library), table)(pages)
        assert carat.run(frame, ["all-text"], bounds=[]).result_digest == expected.result_digest
    kept = carat.run(pages, ["all-text"], bounds=[], out=tmp_path / "out")
    assert kept.result_digest == expected.result_digest and (tmp_path / "out-pages/pages.jsonl").is_file()


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        ({"html": b"bytes"}, "`html` is bytes, not str"),
        ({"id": "page-0"}, "given twice"),
        ({"html": None}, "has no `html`"),
    ],
)
def test_a_table_that_is_wrong_is_refused(pages, broken, told):
    pages[1] |= broken
    with pytest.raises(carat.DataError, match=told):
        carat.run(pages, ["all-text"])


def test_a_run_goes_with_its_folder_and_is_saved(run, tmp_path):
    made = carat.run("portals", ["all-text"], bounds=[])
    folder = made.path
    with pytest.raises(TypeError, match="temporary"):
        pickle.dumps(made)
    saved = made.save(tmp_path / "saved")
    assert pickle.loads(pickle.dumps(saved)).result_digest == made.result_digest
    with pytest.raises(carat.RequestError, match="there already"):
        made.save(tmp_path / "saved")
    del made
    assert not folder.exists() and saved.report().is_file()


def test_a_run_that_was_changed_is_no_run(tmp_path):
    run = carat.run("portals", ["all-text"], bounds=[], out=tmp_path / "run")
    with open(tmp_path / "run/scores.csv", "a") as file:
        file.write("x")
    with pytest.raises(carat.DataError, match="not as the run left it"):
        run.scores


def test_another_run_in_the_folder_is_refused_and_replaced(tmp_path):
    carat.run("portals", ["all-text"], bounds=[], out=tmp_path / "run")
    with pytest.raises(carat.RequestError, match="another configuration"):
        carat.run("portals", ["nta"], bounds=[], out=tmp_path / "run")
    assert carat.run("portals", ["nta"], bounds=[], out=tmp_path / "run", fresh=True).rows["row"] == ["nta"]


def test_progress_is_told_on_the_thread_that_waits():
    told, threads = [], set()

    def progress(done, pages):
        told.append((done, pages))
        threads.add(threading.get_ident())

    carat.run("portals", ["nta"], bounds=[], progress=progress)
    assert told[-1] == (154, 154) and threads == {threading.get_ident()}

    def broken(done, pages):
        raise LookupError("no")

    with pytest.raises(LookupError, match="no"):
        carat.run("portals", ["nta"], progress=broken)


def test_strict_raises_for_a_failed_page(pages):
    def raises(html):
        raise ValueError("no")

    with pytest.raises(carat.DataError, match="6 pages failed"):
        carat.run(pages, [raises], strict=True)


def test_compare_and_gate(run, tmp_path):
    comparison = carat.compare(run)
    assert comparison.verdicts == {"all-text": "worse"} and "all-text" in str(comparison)
    assert carat.compare(run, "nta", "all-text", baseline="all-text").verdicts["nta"] == "better"
    config, baseline = tmp_path / "c.yaml", tmp_path / "b.json"
    config.write_text("datasets: [portals]\nalgorithms: [nta]\n")
    accepted = carat.gate(config, baseline, accept=True) if "CI" not in os.environ else None
    if accepted is not None:
        assert accepted.ok and carat.gate(config, baseline).ok
        fallen = json.loads(baseline.read_text())
        config.write_text("datasets: [portals]\nalgorithms: [{nta: {coherence: 0.2}}]\n")
        assert fallen and not _passes(config, baseline)


def _passes(config, baseline):
    try:
        return carat.gate(config, baseline).ok
    except carat.RequestError:
        return False


def test_ctrl_c_raises_at_once_and_the_same_call_goes_on(tmp_path):
    script = f"""
import carat, signal, time
seen = []
@carat.extractor(version="1")
def slow(html):
    seen.append(1)
    time.sleep(0.05)
    return html
signal.signal(signal.SIGINT, signal.default_int_handler)
def run():
    return carat.run("portals", [slow], bounds=[], out={str(tmp_path / "run")!r})
print("begin", flush=True)
try:
    run()
except KeyboardInterrupt:
    print("interrupted", len(seen), flush=True)
before = len(seen)
run()
print("done", before, len(seen))
"""
    child = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline().strip() == "begin"
    time.sleep(1)
    child.send_signal(signal.SIGINT)
    word, count = child.stdout.readline().split()
    done = child.stdout.readline().split()
    assert child.wait(60) == 0 and word == "interrupted" and 0 < int(count) < 154
    # What was answered before is not asked for again.
    assert int(done[2]) <= 154 + 2
