"""A run that is killed at any moment loses the fits that were running, and nothing else."""

import json
import os
import shutil
import subprocess
import sys

import pytest

MODULE = """\
import os, time
from sklearn.naive_bayes import GaussianNB


class Counted(GaussianNB):
    def fit(self, X, y):
        time.sleep(0.004)  # most of the time of a run is its fits, on a fast machine too
        log = os.open(os.environ["FITS"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(log, b".")
        os.close(log)
        return super().fit(X, y)
"""
STUDY = """\
evallang 1
use killed_own
study "Killed"
  seed 3
data iris from sklearn iris
model a = killed_own.Counted
model b = StandardScaler | killed_own.Counted(var_smoothing in [0.1, 0.5])
protocol nested cv outer=4 inner=2 times=3
measure accuracy
report csv
"""
TASKS = 2 * 4 * 3
FITS = 4 * 3 * (1 + 5)
KILLS = int(os.environ.get("EVALLANG_KILLS", "2"))  # `make bench` kills twenty times
MOST_LOST = 5  # fits of a task that was running when its process was killed

# One process imports what a run imports, and forks every run: a start costs no second then.
# A round begins with an empty store, and every run of it is killed at a moment drawn within the
# time, or the number of fits, of an undisturbed run. The run that ends before its moment ends the
# round. So moments follow the speed of the machine; should it have become faster since the
# undisturbed run, the first moment of the next round is a number of fits, which is always reached.
KILLER = """\
import json, os, random, shutil, signal, sys, time
from pathlib import Path
import sklearn.naive_bayes, sklearn.preprocessing, sklearn.pipeline
import evallang.api.running, evallang.cli.run, evallang.engine.run
import evallang.reporting.report
from evallang.cli.main import main

former, rounds, kills, fits = Path(sys.argv[1]), Path(sys.argv[2]), *map(int, sys.argv[3:])
chance = random.Random(11)
nowhere = os.open(os.devnull, os.O_RDWR)


def started(place):
    pid = os.fork()
    if pid == 0:
        os.dup2(nowhere, 1), os.dup2(nowhere, 2)
        os.environ["FITS"] = str(place / "fits")
        os.chdir(place / "study")
        sys.argv = ["evallang", "run", "study.eval", "-o", "out", "-j", "1", "--trust", "--quiet",
                    "--store", str(place / "store")]
        main()
    return pid


def fresh(name):
    place = rounds / name
    shutil.copytree(former, place / "study")
    (place / "fits").touch()
    return place


def ended(place, moment):
    # Return whether a run ended with success before `moment`; else it was killed then
    log, before = place / "fits", (place / "fits").stat().st_size
    pid, begun = started(place), time.monotonic()
    while True:
        pid_of_end, status = os.waitpid(pid, os.WNOHANG)
        if pid_of_end:
            assert os.waitstatus_to_exitcode(status) == 0, status
            return True
        if moment(time.monotonic() - begun, log.stat().st_size - before):
            os.kill(pid, signal.SIGKILL)
            _, status = os.waitpid(pid, 0)
            return os.waitstatus_to_exitcode(status) == 0  # it may end just before the signal
        time.sleep(0.0005)


def drawn(number):
    share = chance.random()
    if number % 2:
        return lambda seconds, done: done >= 1 + int(share * (fits - 1))
    return lambda seconds, done: seconds >= share * usual


place, begun = fresh("undisturbed"), time.monotonic()
assert ended(place, lambda seconds, done: False)
usual, killed, number = time.monotonic() - begun, [], 0
while sum(killed) < kills:
    assert number < 3 * kills, killed
    place = fresh(str(number))
    killed.append(0)
    while not ended(place, drawn(number + sum(killed))):
        killed[-1] += 1
        with open(place / "study" / "out" / "results.json") as file:
            assert json.load(file)["study"]["title"] in ("Former", "Killed")
        assert (place / "study" / "out" / "predictions.parquet").stat().st_size
    number += 1
print(json.dumps(killed))
"""


def run(folder, *options, store="off", **environment):
    (folder / "killed_own.py").write_text(MODULE)
    (folder / "study.eval").write_text(STUDY)
    subprocess.run(
        [sys.executable, "-m", "evallang", "run", "study.eval", "-o", "out", "--trust", "--quiet",
         "--store", str(store), *options],
        cwd=folder, check=True, capture_output=True, env={**os.environ, **environment},
    )  # fmt: skip


def results(folder):
    found = json.loads((folder / "out" / "results.json").read_text())
    return found, found.pop("provenance")["fits"], (folder / "out/predictions.parquet").read_bytes()


@pytest.mark.slow
def test_a_run_killed_at_random_moments_repeats_the_running_fits_alone(tmp_path):
    usual, former, rounds = tmp_path / "usual", tmp_path / "former", tmp_path / "rounds"
    usual.mkdir()
    run(usual, "-j", "1", FITS=os.devnull)
    shutil.copytree(usual, former)
    record = former / "out" / "results.json"
    record.write_text(record.read_text().replace('"Killed"', '"Former"'))
    done = subprocess.run(
        [sys.executable, "-c", KILLER, str(former), str(rounds), str(KILLS), str(FITS)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    killed = json.loads(done.stdout)
    assert sum(killed) >= KILLS
    expected, _, expected_predictions = results(usual)
    for number, kills in enumerate(killed):
        place = rounds / str(number)
        assert FITS <= (place / "fits").stat().st_size <= FITS + kills * MOST_LOST
        record, fits, predictions = results(place / "study")
        assert record == expected
        assert predictions == expected_predictions
        assert fits["run"] + fits["cached"] == FITS
        left = {path.name for path in (place / "study").iterdir()} - {"__pycache__"}
        assert left == {"killed_own.py", "study.eval", "out", "study.looks.jsonl"}
        store = place / "store"
        assert not list((store / "unfinished").iterdir())
        assert len([p for p in store.glob("??/*") if len(p.name) == 64]) == TASKS
