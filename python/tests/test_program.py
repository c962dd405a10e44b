"""The program in the wheel."""

import os
import signal
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import pytest

import carat

SCRIPT = Path(sysconfig.get_path("scripts")) / "carat"


def run(*arguments, **options):
    return subprocess.run([sys.executable, "-m", "carat", *arguments], capture_output=True, text=True, timeout=120, **options)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--version"], 0),
        (["--help"], 0),
        (["list", "algorithms"], 0),
        (["list", "algorithms", "ntaa"], 2),
        (["nothing"], 2),
        (["run", "--dataset", "/nowhere"], 2),
        (["report", "/nowhere"], 2),
    ],
)
def test_it_ends_as_the_program_does(arguments, code):
    done = run(*arguments)
    assert done.returncode == code, done.stderr
    if SCRIPT.is_file():
        script = subprocess.run([SCRIPT, *arguments], capture_output=True, text=True)
        assert (script.stdout, script.stderr, script.returncode) == (done.stdout, done.stderr, code)
    native = os.environ.get("CARAT_PROGRAM")
    if native:
        native = subprocess.run([native, *arguments], capture_output=True, text=True)
        assert (native.stdout, native.stderr, native.returncode) == (done.stdout, done.stderr, code)


def test_a_page_goes_through_standard_input():
    done = run("extract", "-", "--algorithm", "all-text", input="<p>one")
    assert (done.stdout, done.returncode) == ("one\n", 0)


def test_a_closed_pipe_is_no_error():
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "carat", "list", "algorithms"]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, timeout=60)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_it_between_two_pages_and_it_goes_on(number, tmp_path):
    worker = tmp_path / "worker.py"
    worker.write_text(
        "import json, sys, time\n"
        'print(json.dumps({"carat": 1, "name": "slow", "version": "1"}), flush=True)\n'
        "for line in sys.stdin:\n"
        "    time.sleep(0.1)\n"
        '    print(json.dumps({"id": json.loads(line)["id"], "text": "x"}), flush=True)\n'
    )
    arguments = ["run", "--dataset", "portals", "--external", f"{sys.executable} {worker}", "--out", str(tmp_path / "run")]
    child = subprocess.Popen([sys.executable, "-m", "carat", *arguments], stderr=subprocess.PIPE, text=True)
    time.sleep(2)
    child.send_signal(number)
    told = child.communicate(timeout=60)[1]
    assert child.returncode == 130 and "the same command goes on from there" in told
    assert run(*arguments).returncode == 0


def test_runs_of_another_build_are_made_again(tmp_path):
    arguments = ["run", "--dataset", "portals", "--algorithm", "all-text", "--out", str(tmp_path / "run")]
    assert run(*arguments).returncode == 0
    assert "holds this run already" in run(*arguments).stderr
    info = carat.load(tmp_path / "run").info
    import hashlib

    digest = hashlib.sha256(Path(carat._carat.__file__).read_bytes()).hexdigest()
    assert info["executable"] == digest, "the module is what makes the figures, and not the interpreter"
