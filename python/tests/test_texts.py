"""Texts of pages, scores of texts, and what is wrong told as exceptions."""

import pickle
import subprocess
import sys
import threading
from decimal import Decimal
from fractions import Fraction

import pytest

import carat

PAGE = "<nav><a href=/>Home</a></nav><p>The cat sleeps all day, and the dog does not.</p>"
TEXT = "The cat sleeps all day, and the dog does not."


def test_bytes_and_characters_give_one_text():
    assert carat.extract(PAGE) == carat.extract(PAGE.encode()) == TEXT
    chinese = "<meta charset=gbk><p>一只猫整天都在睡觉，而那只狗并没有睡觉。</p>"
    assert carat.extract(chinese.encode("gbk"), "all-text") == carat.extract(chinese, "all-text")
    assert carat.extract(b"<p>\xe9", "all-text", encoding="latin1") == "é"


@pytest.mark.parametrize("value", [0.8, Decimal("0.80"), Fraction(4, 5), "0.8", "0.800"])
def test_a_parameter_is_exact_however_it_is_given(value):
    assert carat.extract(PAGE, "nta", coherence=value) == carat.extract(PAGE, "nta:coherence=0.8")


def test_small_decimals_have_no_exponent():
    assert carat.extract(PAGE, "nta", coherence=1e-7) == carat.extract(PAGE, "nta:coherence=0.0000001")


@pytest.mark.parametrize(
    ("call", "kind", "code", "told"),
    [
        (lambda: carat.extract(PAGE, "ntaa"), carat.RequestError, "E-REQUEST", "did you mean `nta`?"),
        (lambda: carat.extract(PAGE, "nta", coherance=1), carat.RequestError, "E-REQUEST", "did you mean `coherence`?"),
        (lambda: carat.extract(PAGE, "nta", coherence=2), carat.RequestError, "E-REQUEST", "a decimal from 0 to 1"),
        (lambda: carat.extract(PAGE, "nta", coherence=[0.1, 0.2]), carat.RequestError, "E-REQUEST", "lists"),
        (lambda: carat.extract(PAGE, encoding="utf-99"), carat.RequestError, "E-REQUEST", "no label"),
        (lambda: carat.score("a", "b", measure="lcss"), carat.RequestError, "E-REQUEST", "lcs"),
        (lambda: carat.score("a", "b", measure="nodes"), carat.RequestError, "E-REQUEST", "two texts"),
        (lambda: carat.score_batch(["a"], []), carat.RequestError, "E-REQUEST", "each extraction needs one gold"),
        (lambda: carat.extract_batch([PAGE], threads=0), carat.RequestError, "E-REQUEST", "threads=0"),
        (lambda: carat.extract("x" * (33 << 20)), carat.DataError, "E-DATA", "more than 33554432 bytes"),
        (lambda: carat.load("/nowhere"), carat.RequestError, "E-REQUEST", "is no folder of a run"),
        (lambda: carat.run("no-such-set", ["nta"]), carat.RequestError, "E-REQUEST", "no dataset of this name"),
        (lambda: carat.run("portals", ["nta:coherence=9"]), carat.RequestError, "E-REQUEST", "a decimal from 0 to 1"),
        (lambda: carat.gate("/nowhere.yaml", "/nowhere.json"), carat.RequestError, "E-REQUEST", "/nowhere.yaml"),
    ],
)
def test_what_is_wrong_is_told_by_class_code_and_sentence(call, kind, code, told):
    with pytest.raises(kind) as raised:
        call()
    error = raised.value
    assert (error.code, isinstance(error, (ValueError, OSError))) == (code, True)
    assert error.exit_code == {carat.RequestError: 2, carat.DataError: 3}[kind]
    assert told in str(error) or told == "lists"
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), again.code, again.exit_code) == (kind, str(error), code, error.exit_code)


@pytest.mark.parametrize("given", [None, 5, ["<p>"], object(), bytearray(b"<p>")])
def test_what_is_no_page_is_a_type_error(given):
    with pytest.raises(TypeError, match="a page is str or bytes"):
        carat.extract(given)
    with pytest.raises(TypeError):
        carat.score(given, "gold")


def test_lone_surrogates_and_nuls_are_characters():
    assert carat.extract("<p>a\ud800b\ud83d\ude00", "all-text") == "a\ufffdb😀"
    assert carat.score("\ud800", "\ufffd").f1 == 1.0
    assert carat.score("a\0b", "a\0b").f1 == 1.0
    assert carat.extract("", "all-text") == ""


def test_a_batch_is_its_pages_one_by_one():
    pages = [PAGE, b"<p>bytes, and then some more of them.", ""] * 20
    alone = [carat.extract(page) for page in pages]
    assert carat.extract_batch(pages) == alone == carat.extract_batch(iter(pages), threads=3)


def test_a_page_beyond_a_limit_fails_alone():
    pages = [PAGE, "x" * (33 << 20), PAGE]
    assert carat.extract_batch(pages, errors="none") == [TEXT, None, TEXT]
    with pytest.raises(carat.DataError, match="page 1: the page has more than"):
        carat.extract_batch(pages)


def test_scores_are_whole_numbers_behind_decimals():
    score = carat.score("abcx", "abcd")
    assert (score.matched, score.extracted, score.gold) == (3, 4, 4)
    assert score.units == (750_000_000_000,) * 3
    assert (score.precision, score.recall, score.f1) == (0.75, 0.75, 0.75)
    assert pickle.loads(pickle.dumps(score)) == score
    assert score != carat.score("abc", "abcd") and len({score, carat.score("abcx", "abcd")}) == 1


def test_a_batch_of_scores_is_each_of_them():
    texts = [("The cat", "The cat sleeps"), ("", ""), ("x", ""), ("中文分词", "中文文词")] * 10
    for conditions in ({}, {"tokens": "word"}, {"measure": "rouge:2", "tokens": "jieba"}, {"case": "fold"}):
        batch = carat.score_batch(*zip(*texts), **conditions)
        alone = [carat.score(*pair, **conditions) for pair in texts]
        assert batch["f1"] == [score.f1 for score in alone]
        assert batch["matched"] == [score.matched for score in alone]


def test_threads_of_python_extract_at_once():
    found = []
    threads = [threading.Thread(target=lambda: found.append(carat.extract_batch([PAGE] * 50))) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join(60) for thread in threads]
    assert found == [[TEXT] * 50] * 8


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="no fork here")
def test_a_forked_child_extracts_before_and_after_its_parent_did():
    script = f"""
import os, carat
def child():
    pid = os.fork()
    if pid == 0:
        same = carat.extract_batch([{PAGE!r}] * 9) == [{TEXT!r}] * 9 and carat.extract({PAGE!r}) == {TEXT!r}
        os._exit(0 if same else 1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
before = child()
carat.extract_batch([{PAGE!r}] * 9)
print(before, child())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["0", "0"], done.stderr


def test_every_algorithm_is_listed_with_its_parameters():
    listed = {algorithm.name: algorithm for algorithm in carat.algorithms()}
    assert {"nta", "cevc", "all-text", "istm"} <= listed.keys()
    assert {parameter.name for parameter in listed["nta"].parameters} >= {"coherence", "density"}
    assert all(parameter.help for parameter in listed["nta"].parameters)


def test_nothing_else_is_imported():
    script = "import sys; import carat; print(sorted({'numpy', 'pandas', 'pyarrow', 'polars', 'tqdm'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout.strip() == "[]"
