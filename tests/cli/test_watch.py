"""`evallang watch`: which writes it answers, and how it ends."""

import os
import signal
import subprocess
import sys

import pytest
from studies import TWO_MODELS

from evallang.cli.watch import MOST_UNSETTLED, Watch

OWN_DATA = """\
evallang 1
study
  seed 1
data d from "d.csv"
  target y
include "shared.eval"
protocol cv folds=3
measure accuracy
compare tree, baseline with mcnemar
"""
SHARED = "model tree = DecisionTreeClassifier(max_depth=3)\nmodel baseline = DummyClassifier\n"
ROWS = "a,y\n" + "".join(f"{i * 7 % 30},{'uv'[i * 7 % 30 > 14]}\n" for i in range(60))
QUICK = TWO_MODELS + "report html\n"
WRONG = TWO_MODELS.replace("accuracy", "acuracy")
SETTLED = 2
"""Polls after which a file that is written once has been checked."""


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "study.eval"
    path.write_text(TWO_MODELS)
    return path


def polled(watch, capsys, times=SETTLED):
    """Poll some times; return what was told."""
    for _ in range(times):
        watch.poll()
    return capsys.readouterr().err


def in_place(path, text):
    path.write_text(text)


def renamed_over(path, text):
    other = path.with_suffix(".swp")
    other.write_text(text)
    other.replace(path)


def through_a_link(path, text):
    other = path.with_suffix(".other")
    other.write_text(text)
    path.unlink()
    path.symlink_to(other)


@pytest.mark.parametrize("written", [in_place, renamed_over, through_a_link])
def test_each_way_to_save_is_answered_once(written, study, capsys):
    watch = Watch("study.eval", {}, None)
    assert "study.eval" in polled(watch, capsys, 1)
    for text, told in ((WRONG, "error[E120]"), (TWO_MODELS, "hint"), (WRONG, "error[E120]")):
        written(study, text)
        printed = polled(watch, capsys)
        assert "study.eval changed" in printed and told in printed
        assert "changed" not in polled(watch, capsys, 2 * MOST_UNSETTLED)


@pytest.mark.parametrize("absent", [lambda path: path.unlink(), lambda path: path.write_text("")])
def test_a_file_that_is_missing_or_empty_for_a_moment_is_awaited(absent, study, capsys):
    watch = Watch("study.eval", {}, None)
    assert "with its data" in polled(watch, capsys)
    absent(study)
    assert polled(watch, capsys, MOST_UNSETTLED - 1) == ""
    study.write_text(WRONG)
    assert "error[E120]" in polled(watch, capsys)
    absent(study)
    assert "changed" in polled(watch, capsys, MOST_UNSETTLED + 1)
    assert polled(watch, capsys, 2 * MOST_UNSETTLED) == ""
    study.write_text(TWO_MODELS)
    assert "hint" in polled(watch, capsys)


def test_included_files_and_data_are_watched(study, capsys):
    study.write_text(OWN_DATA)
    shared, data = study.with_name("shared.eval"), study.with_name("d.csv")
    watch = Watch("study.eval", {}, None)
    assert "shared.eval" in polled(watch, capsys, 1)  # which does not exist yet
    shared.write_text(SHARED)
    printed = polled(watch, capsys)
    assert "shared.eval changed" in printed and "there is no file `d.csv`" in printed
    data.write_text(ROWS)
    printed = polled(watch, capsys)
    assert "d.csv changed" in printed and "with its data: " in printed and "error" not in printed
    renamed_over(data, ROWS.replace("a,y", "a,z"))
    assert "`d.csv` has no column `y`" in polled(watch, capsys)
    shared.write_text(SHARED.replace("max_depth", "max_dept"))
    assert "did you mean `max_depth`?" in polled(watch, capsys)


def test_a_file_that_a_pattern_begins_to_match_is_noticed(study, capsys):
    study.write_text(OWN_DATA.replace('"d.csv"', '"parts/*.csv"'))
    study.with_name("shared.eval").write_text(SHARED)
    (study.parent / "parts").mkdir()
    (study.parent / "parts" / "one.csv").write_text(ROWS)
    watch = Watch("study.eval", {}, None)
    polled(watch, capsys)
    (study.parent / "parts" / "two.csv").write_text(ROWS)
    assert "two.csv changed" in polled(watch, capsys)


class Runs:
    """A run that only counts what it is asked for."""

    def __init__(self):
        self.asked = []

    def ask(self, *, wanted):
        self.asked.append(wanted)

    def poll(self):
        pass


def test_a_study_is_run_unless_it_has_errors(study, capsys):
    runs = Runs()
    watch = Watch("study.eval", {}, runs)
    polled(watch, capsys)
    for text in (WRONG, TWO_MODELS.replace("seed 1", "seed 2")):
        study.write_text(text)
        polled(watch, capsys)
    assert runs.asked == [True, False, True]


def read_until(stream, word):
    """Read lines until one contains a word; fail where the stream ends before."""
    lines = []
    while word not in (lines[-1] if lines else ""):
        line = stream.readline()
        assert line, lines
        lines.append(line)
    return lines


def test_a_run_follows_each_save_and_ctrl_c_ends_it(study):
    study.write_text(QUICK + "require accuracy of tree >= 80%\n")
    words = ["watch", "study.eval", "--run", "-j", "1"]
    with subprocess.Popen(
        [sys.executable, "-m", "evallang", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "EVALLANG_STORE": str(study.parent / "store")},
    ) as running:
        assert read_until(running.stdout, "PASS accuracy of tree >= 80%")
        read_until(running.stdout, "report: ")
        study.write_text(QUICK + "require accuracy of tree >= 99.9%\n")
        assert read_until(running.stdout, "FAIL accuracy of tree >= 99.9%")
        running.send_signal(signal.SIGINT)
        told = running.communicate()[1]
    assert running.returncode == 130
    assert "10 of 10 fits from the store" in told
    # what measures the tests may be interrupted as it writes its own file
    assert "Traceback" not in told.partition("Exception ignored in")[0]
    assert told.endswith("interrupted: `study.eval` is not watched any longer\n")


def test_a_run_ends_with_a_command_that_is_killed(study):
    (study.parent / "slow.py").write_text(
        "import time\nfrom sklearn.dummy import DummyClassifier\n"
        "class Slow(DummyClassifier):\n    def fit(self, X, y):\n"
        "        print('it is fitted', flush=True)\n        time.sleep(600)\n"
    )
    study.write_text(
        QUICK.replace("evallang 1", "evallang 1\nuse slow").replace(
            "model bayes = GaussianNB", "model bayes = slow.Slow"
        )
    )
    words = ["watch", "study.eval", "--run", "-j", "1", "--trust"]
    with subprocess.Popen(
        [sys.executable, "-m", "evallang", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "EVALLANG_STORE": "off"},
    ) as running:
        read_until(running.stderr, "it is fitted")
        running.kill()
        rest = running.stderr.read()  # until all processes have ended that may write to it
    assert rest.endswith("terminated\n")
