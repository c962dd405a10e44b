"""Functions as rows."""

import threading
from decimal import Decimal
from pathlib import Path

import pytest

import carat
import carat._carat as inner
import own_extractors


def paragraphs(html):
    return own_extractors.paragraphs(html)


def test_a_function_is_a_row(pages):
    run = carat.run(pages, ["all-text", paragraphs], bounds=[])
    assert run.rows["row"] == ["all-text", "python/paragraphs"]
    assert run.rows["f1"] == [1.0, 1.0]
    assert run.page("page-3").text("python/paragraphs") == pages[3]["gold"]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (lambda: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda: 5, "TypeError: the extractor returned int, not str or None"),
        (lambda: b"x", "TypeError: the extractor returned bytes, not str or None"),
        (lambda: [][1], "IndexError: list index out of range"),
        (lambda: (_ for _ in ()).throw(ValueError("a\nb\x1b[31m")), "ValueError: a b [31m"),
    ],
)
def test_what_fails_costs_its_page_alone(pages, answer, reason):
    def sometimes(html):
        return answer() if "number 2" in html else paragraphs(html)

    run = carat.run(pages, [sometimes], bounds=[])
    assert run.rows["failed"] == [1]
    assert [(failure["page"], failure["reason"]) for failure in run.failures] == [("page-2", reason)]
    assert run.rows["f1"] == pytest.approx([5 / 6])


def test_none_surrogates_and_nuls(pages):
    def odd(html):
        return None if "number 1" in html else "a\ud800\0" if "number 2" in html else html

    run = carat.run(pages, [odd], bounds=[])
    assert run.page("page-1").text("python/odd") == "" and run.page("page-2").text("python/odd") == "a\ufffd\ufffd"
    assert any("2 NULs or lone surrogates" in note for note in run.notes)


@pytest.mark.parametrize("raised", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_is_no_exception_of_a_page_ends_the_run(pages, raised):
    def ends(html):
        raise raised("now")

    with pytest.raises(raised):
        carat.run(pages, [ends])


def test_what_a_function_wants(pages):
    given = []

    def note(page):
        given.append(page)
        return ""

    for wants in ("str", "bytes", "page"):
        carat.run(pages[:1], [carat.extractor(note, wants=wants)], bounds=[])
    text, content, page = given
    assert text == content.decode() == page.html and (page.url, page.language) == ("", "")


def test_gold_is_never_given(pages):
    def everything(*given, **more):
        assert (len(given), more) == (1, {}) and "gold" not in str(given)
        return given[0]

    assert carat.run(pages, [everything], bounds=[]).rows["failed"] == [0]


def test_parameters_are_swept_and_decimals_are_exact(pages):
    given = set()

    @carat.extractor(parameters={"alpha": Decimal("0.5"), "flag": False, "mode": ["a", "b"], "word": "x"})
    def with_parameters(html, *, alpha, flag, mode, word):
        given.add((alpha, flag, mode, word))
        return html

    run = carat.run(pages, [{with_parameters: {"alpha": "0..1/0.5", "mode": ["a", "b"]}}], bounds=[])
    assert given == {(Decimal(alpha), False, mode, "x") for alpha in ("0", "0.5", "1") for mode in "ab"}
    assert len(run.rows) == 6 and run.rows["row"][0] == "python/with_parameters:alpha=0.0,mode=a"
    with pytest.raises(carat.RequestError, match="did you mean `alpha`"):
        carat.run(pages, [{with_parameters: {"alhpa": 1}}])
    with pytest.raises(carat.RequestError, match="expected true or false"):
        carat.run(pages, [{with_parameters: {"flag": "maybe"}}])


def test_names(pages):
    with pytest.raises(carat.RequestError, match="needs one"):
        carat.run(pages, [lambda html: html])
    named = carat.extractor(lambda html: html, name="all")
    assert carat.run(pages, [named], bounds=[]).rows["row"] == ["python/all"]
    with pytest.raises(carat.RequestError, match="two functions are named `all`"):
        carat.run(pages, [named, carat.extractor(lambda html: "", name="all")])
    with pytest.raises(TypeError, match="a row is a str"):
        carat.run(pages, [5])


def test_answers_of_a_version_are_kept_and_others_are_not(pages, tmp_path):
    calls = []

    def counted(html):
        calls.append(html)
        return html

    for version, asked in (("1", 6), ("1", 0), ("2", 6), (None, 6), (None, 6)):
        calls.clear()
        carat.run(pages, [carat.extractor(counted, version=version)], bounds=[])
        assert len(calls) == asked, version
    for asked in (6, 6):
        calls.clear()
        carat.run(pages, [counted], bounds=[], out=tmp_path / "run")
        assert len(calls) == asked


def test_it_is_called_on_no_thread_that_runs_pages(pages):
    """A function that uses carat while it holds a lock is never entered again on its own thread."""
    lock, threads = threading.Lock(), set()

    @carat.extractor(workers=4)
    def uses_carat(html):
        threads.add(threading.get_ident())
        with lock:
            return carat.extract_batch([html] * 4, "all-text")[0]

    many = [{**pages[0], "id": f"p{number}"} for number in range(400)]
    done = []
    thread = threading.Thread(target=lambda: done.append(carat.run(many, [uses_carat, "all-text"], bounds=[])), daemon=True)
    thread.start()
    thread.join(60)
    assert done and len(set(done[0].rows["f1"])) == 1
    assert 1 <= len(threads) <= 4


def test_a_function_may_run_carat(pages):
    def nested(html):
        return carat.run(pages[:1], ["all-text"], bounds=[]).page("page-0").text("all-text")

    assert carat.run(pages[:2], [nested], bounds=[]).rows["failed"] == [0]


def test_results_do_not_depend_on_workers(pages):
    runs = [carat.run(pages, [carat.extractor(paragraphs, workers=workers)], bounds=[]) for workers in (1, 4)]
    assert runs[0].result_digest == runs[1].result_digest


def test_a_configuration_that_names_a_function_needs_the_function():
    configuration = '{"datasets": ["portals"], "algorithms": [{"python": {"name": "f", "function": "m:f"}}]}'
    with pytest.raises(carat.RequestError, match="is the function m:f of Python, which `carat.run` in Python asks"):
        inner.run((configuration, False), [], (Path("never-made"), False, True, False, None, None), None)
    assert not Path("never-made").exists()


def test_processes_give_the_same_run(pages):
    row = {own_extractors.long_ones: {"least": [1, 20]}}
    alone = carat.run(pages, [row], bounds=[])
    for processes in (1, 2):
        run = carat.run(pages, [row], bounds=[], processes=processes)
        assert run.result_digest == alone.result_digest and run.rows["row"] == alone.rows["row"]


def test_a_crash_and_a_hang_cost_one_page_each(pages):
    pages[2]["html"] += "OVER"
    for function, status in ((own_extractors.sometimes_ends, "failed"), (own_extractors.sometimes_hangs, "timed_out")):
        run = carat.run(pages, [function], bounds=[], processes=1, timeout=3)
        statuses = dict(zip(run.scores["page"], run.scores["status"]))
        assert statuses.pop("page-2") == status and set(statuses.values()) == {"ok"}


def test_a_page_that_needs_too_much_memory_costs_itself(pages):
    pages[2]["html"] += "OVER"
    run = carat.run(pages, [own_extractors.sometimes_hungry], bounds=[], processes=1, memory_limit=1 << 30)
    assert [(failure["page"], failure["reason"]) for failure in run.failures] == [("page-2", "MemoryError")]
    assert run.rows["f1"] == pytest.approx([5 / 6])


def test_limits_are_of_processes(pages):
    for limits in ({"memory_limit": 1 << 30}, {"timeout": 3}):
        with pytest.raises(carat.RequestError, match="give processes=1 or more"):
            carat.run(pages, [own_extractors.paragraphs], **limits)
    with pytest.raises(carat.RequestError, match="needs at least"):
        carat.run(pages, [own_extractors.paragraphs], processes=1, memory_limit=1)


def test_what_no_other_process_can_import_is_refused(pages):
    def local(html):
        return html

    with pytest.raises(carat.RequestError, match="cannot be imported by another process"):
        carat.run(pages, [local], processes=1)
