"""A run that is killed at any moment loses the fits that were running, and nothing else."""

import json
import os
import shutil
import subprocess
import sys

import pytest

MODULE = """\
import os
from sklearn.naive_bayes import GaussianNB


class Counted(GaussianNB):
    def fit(self, X, y):
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
protocol nested cv outer=4 inner=2 times=5
measure accuracy
report html
"""
TASKS = 2 * 4 * 5
FITS = 4 * 5 * (1 + 5)
KILLS = int(os.environ.get("EVALLANG_KILLS", "4"))  # `make bench` kills twenty times
MOST_LOST = 5  # fits of a task that was running when its process was killed

# One process imports what a run imports, and forks every run: a start costs no second then.
KILLER = """\
import os, random, signal, sys, time
import sklearn.naive_bayes, sklearn.preprocessing, sklearn.pipeline
import evallang.api.running, evallang.cli.run, evallang.engine.run, evallang.reporting.report
from evallang.cli.main import main

folder, store, kills = sys.argv[1], sys.argv[2], int(sys.argv[3])
chance = random.Random(11)


def started():
    pid = os.fork()
    if pid == 0:
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, 1), os.dup2(nowhere, 2)
        sys.argv = ["evallang", "run", "study.eval", "-o", "out", "-j", "1", "--trust", "--quiet",
                    "--store", store]
        main()
    return pid


def fits():
    return os.path.getsize(os.environ["FITS"]) if os.path.exists(os.environ["FITS"]) else 0


os.chdir(folder)
killed = 0
for number in range(kills):
    before, pid, late = fits(), started(), chance.random() * 1.5
    wanted, begun = chance.randrange(1, 14), time.monotonic()
    by_time = number % 4 == 0
    while os.waitpid(pid, os.WNOHANG) == (0, 0):
        if time.monotonic() - begun > late if by_time else fits() - before >= wanted:
            time.sleep(chance.random() * 0.01)
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            killed += 1
            break
    with open("out/results.json") as file:
        found = __import__("json").load(file)["study"]["title"]
    assert found in ("Former", "Killed") and os.path.getsize("out/report.html")
print(killed)
_, status = os.waitpid(started(), 0)
sys.exit(os.waitstatus_to_exitcode(status))
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
    usual, killed, store = tmp_path / "usual", tmp_path / "killed", tmp_path / "store"
    usual.mkdir()
    log = tmp_path / "fits"
    run(usual, "-j", "1", FITS=os.devnull)
    shutil.copytree(usual, killed)
    former = killed / "out" / "results.json"
    former.write_text(former.read_text().replace('"Killed"', '"Former"'))
    done = subprocess.run(
        [sys.executable, "-c", KILLER, str(killed), str(store), str(KILLS)],
        capture_output=True, text=True, env={**os.environ, "FITS": str(log)}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    kills = int(done.stdout)
    assert kills >= KILLS // 3  # the others ended before their moment
    assert FITS <= log.stat().st_size <= FITS + kills * MOST_LOST
    record, fits, predictions = results(killed)
    expected, _, expected_predictions = results(usual)
    assert record == expected
    assert predictions == expected_predictions
    assert fits["run"] + fits["cached"] == FITS
    left = {path.name for path in killed.iterdir()} - {"__pycache__"}
    assert left == {"killed_own.py", "study.eval", "out", "study.looks.jsonl"}
    assert not list((store / "unfinished").iterdir())
    assert len([p for p in store.glob("??/*") if len(p.name) == 64]) == TASKS
