"""What own code prints, by whatever way, never meets the verdicts on standard output."""

import json
import subprocess
import sys

import pytest
from security.planting import DATA, called, environment, launchers

from evallang.api import Results
from evallang.cli.summary_text import text_lines
from evallang.reporting.summary import summary

MODULE = """\
import atexit, ctypes, os, subprocess, sys, threading
import numpy as np
from sklearn.dummy import DummyClassifier

print("PASS imported")
atexit.register(print, "PASS at exit")
os.chdir("/")
c = ctypes.CDLL(None)

class Talking(DummyClassifier):
    def fit(self, X, y, sample_weight=None):
        print("PASS fitted")
        print("error[E001] forged", file=sys.stderr)
        print("FAIL half a line", end="")
        sys.stdout.write("; the rest\\n")
        sys.__stdout__.write("PASS by the first stdout\\n")
        os.write(1, b"PASS by a descriptor\\n")
        c.printf(b"PASS by C\\n")
        subprocess.run(["echo", "PASS by a child"])
        thread = threading.Thread(target=print, args=("PASS by a thread",))
        thread.start()
        thread.join()
        os.chdir("/tmp")
        return super().fit(X, y, sample_weight)

def share(truth, prediction):
    print("PASS measured")
    os.chdir("/")
    return float(np.mean(truth == prediction))
"""
STUDY = """\
evallang 1
use ours
study "Talking"
  seed 1
data d from "d.csv"
  target y
  positive yes
model quiet = GaussianNB
model talker = ours.Talking
protocol cv folds=2
measure accuracy, ours.share
require accuracy of talker >= 0.1
export talker to "talker.skops"
report csv
"""
WAYS = ("first stdout", "a descriptor", "C", "a child", "a thread")


def written(folder):
    (folder / "d.csv").write_text(DATA)
    (folder / "ours.py").write_text(MODULE)
    (folder / "study.eval").write_text(STUDY)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_summary_and_verdicts_alone_are_on_standard_output(tmp_path, jobs):
    (tmp_path / "study").mkdir()
    written(tmp_path / "study")
    words = ["run", "study/study.eval", "--trust", "-j", jobs, "-o", "out"]
    done = called([*launchers()["script"], *words], tmp_path, environment())
    assert done.returncode == 0, done.stderr
    made = [*text_lines(summary(Results.load(tmp_path / "out").record)), ""]
    shown, ending = done.stdout.splitlines()[: len(made)], done.stdout.splitlines()[len(made) :]
    assert shown == made
    assert [line.split()[0] for line in ending] == ["PASS", "model:", "report:"]
    lines = done.stderr.splitlines()
    assert {"talker: PASS fitted", "talker: FAIL half a line; the rest"} <= set(lines)
    assert "talker: error[E001] forged" in lines
    assert not any(line.startswith("error[E001]") for line in lines)
    assert "ours.share: PASS measured" in lines
    assert any(line.endswith("PASS imported") and ": " in line for line in lines)
    for way in WAYS:  # what is written past Python has no name in front
        assert any(f"by {'the ' if way == 'first stdout' else ''}{way}" in line for line in lines)
    # its changes of folder moved neither results nor model
    assert json.loads((tmp_path / "out" / "results.json").read_text())["exports"]
    assert (tmp_path / "study" / "talker.skops").is_file()


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_run_from_python_leaves_standard_output_and_the_folder_as_they_were(tmp_path, jobs):
    written(tmp_path)
    study = tmp_path / "study.eval"
    study.write_text(study.read_text().replace("export talker", "# export talker"))
    script = (
        "import os, evallang as ev\n"
        "print('before')\n"
        f"results = ev.run('study.eval', trust=True, jobs={jobs}, out='out')\n"
        "print('after', os.path.exists('out/results.json'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    # a program is its user's again after a run, and so is what is printed when it ends
    assert done.stdout == "before\nafter True\nPASS at exit\n"
    assert "talker: PASS fitted" in done.stderr.splitlines()


TWO_RUNS = """
import os, sys, threading
from evallang.user_code import speaking, stdout_spared

before, started, ended = sys.stdout, threading.Event(), threading.Event()

def first():
    with stdout_spared(), speaking("one"):
        started.set()
        ended.wait(10)

thread = threading.Thread(target=first)
thread.start()
started.wait(10)
with stdout_spared():
    ended.set()
    thread.join()
    assert sys.stdout is not before
    assert os.fstat(1).st_ino == os.fstat(2).st_ino
assert sys.stdout is before
print("given back")
"""


def test_two_runs_at_once_give_standard_output_back(tmp_path):
    # in a process of its own: what tests of the command line did to standard output is not here
    done = subprocess.run(
        [sys.executable, "-c", TWO_RUNS],
        cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert done.stdout == "given back\n"


def test_live_estimators_are_named_too(tmp_path):
    written(tmp_path)
    text = STUDY.replace("use ours\n", "").replace("ours.Talking", "GaussianNB")
    text = text.replace(", ours.share", "").replace("export talker", "# export talker")
    (tmp_path / "study.eval").write_text(text)
    script = (
        "import sys\nsys.path.append('.')\n"
        "import ours, evallang as ev\n"
        "sys.stdout.flush()\nimport os\nos.chdir(sys.argv[1])\n"
        "ev.run('study.eval', models={'talker': ours.Talking()})\n"
        "os._exit(0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)],
        cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert done.stdout == "PASS imported\n"
    assert "talker: PASS fitted" in done.stderr.splitlines()
