"""A fit that kills its process, never ends or needs too much memory costs itself only."""

import errno
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from studies import TWO_MODELS, study

import evallang as ev
from evallang.api import RunFailed, StudyError
from evallang.engine.backends import local
from evallang.run_folders import run_folder

MODULE = """\
import ctypes, os, re, signal, subprocess
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

class Fatal(ClassifierMixin, BaseEstimator):
    def __init__(self, way="well"):
        self.way = way

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        if 0 not in X[:, 0]:  # in one fold of an outer loop
            WAYS[self.way]()
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])

def once():
    mark = os.path.join(os.path.dirname(__file__), "died")
    if not os.path.exists(mark):
        open(mark, "w").close()
        os._exit(7)

def starts_programs(ends):
    with open(os.path.join(os.path.dirname(__file__), "programs"), "a") as file:
        for apart in (False, True):
            started = subprocess.Popen(["sleep", "600"], start_new_session=apart)
            print(started.pid, file=file)
    if ends:
        os._exit(3)

def forever():
    while True:
        pass

def stubborn():
    while True:
        try:
            forever()
        except BaseException:
            pass

WAYS = {
    "well": lambda: None,
    "exits": lambda: os._exit(3),
    "segfaults": lambda: ctypes.string_at(0),
    "is killed": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "dies once": once,
    "loops": forever,
    "loops in C": lambda: re.match("(a+)+$", "a" * 40 + "b"),
    "catches all": stubborn,
    "starts programs": lambda: starts_programs(False),
    "starts programs and exits": lambda: starts_programs(True),
    "hoards": lambda: [np.ones(10**7) for _ in range(100)],
}
"""
DATA = "x,y\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(40))
STUDY = """\
use fatal
study "Workers"
  seed 1
data d from "d.csv"
  target y
model good = GaussianNB
model bad = fatal.Fatal(way={way})
protocol cv folds=4
measure accuracy
report html
"""


def ran(folder: Path, way: str, text: str = STUDY, **options):
    (folder / "fatal.py").write_text(MODULE)
    (folder / "d.csv").write_text(DATA)
    options = {"jobs": 2, **options}
    return ev.run(study(text.format(way=f'"{way}"'), folder), trust=True, **options).record


def failures(folder: Path, way: str, text: str = STUDY, **options):
    with pytest.raises(RunFailed) as failed:
        ran(folder, way, text, **options)
    return failed.value.results.record


@pytest.mark.parametrize(
    ("way", "reason"),
    [
        ("exits", "the process that fitted it ended with exit code 3"),
        ("segfaults", "the process that fitted it was killed by signal 11 (segmentation fault)"),
        ("is killed", "the process that fitted it was killed by signal 9 (killed), which the "
                      "system also sends when memory runs out"),
    ],
)  # fmt: skip
def test_a_fit_that_always_kills_its_process_fails_and_the_others_go_on(tmp_path, way, reason):
    record = failures(tmp_path, way)
    assert [(f.model, f.error, f.message) for f in record.failures] == [
        ("bad", "ProcessDied", reason)
    ]
    assert others(record) == others(ran(tmp_path, "well"))


def others(record):
    """Return the folds of all fits except the one that dies."""
    good = {e.metric: e.folds for e in record.estimates if e.model == "good"}
    return good, record.provenance.fits.planned


def test_a_fit_whose_process_died_once_is_made_again(tmp_path):
    assert ran(tmp_path, "dies once").failures == ()
    assert (tmp_path / "died").exists()


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_fit_ends_at_its_time_limit(tmp_path, jobs):
    for way in ("loops", "loops in C"):
        record = failures(tmp_path, way, jobs=jobs, fit_timeout=1)
        assert [(f.model, f.error, f.message) for f in record.failures] == [
            ("bad", "TimeLimit", "the fit took longer than the 1 s that --fit-timeout allows")
        ]


def test_a_fit_that_does_not_end_itself_is_killed_and_its_candidate_alone_fails(tmp_path):
    text = STUDY.replace("way={way}", 'way in ["well", {way}]').replace(
        "measure", "tune cv=2\nmeasure"
    )
    record = ran(tmp_path, "catches all", text, fit_timeout=1)
    failed = [f for f in record.failures if f.model == "bad"]
    assert {f.stage for f in failed} == {"inner"}
    assert {f.params["way"] for f in failed} == {"catches all"}
    assert {f.message for f in failed} == {
        "the fit took longer than the 1 s that --fit-timeout allows"
    }
    # each training part is split in two, of which one has row 0 and the other has not
    assert {s.params["way"] for s in record.selections} == {"well"}


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system limits other memory")
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_fit_ends_at_the_memory_limit(tmp_path, jobs):
    record = failures(tmp_path, "hoards", jobs=jobs, memory=500 * 10**6)
    assert [(f.model, f.error, f.message) for f in record.failures] == [
        (
            "bad",
            "MemoryError",
            "the fit needed more than the 500 MB that --memory allows a process",
        )
    ]


def test_a_process_that_cannot_be_had_is_told_where_a_fit_needs_it(tmp_path, monkeypatch):
    def refuse(*words, **options):
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    made = ran(tmp_path, "well", store=tmp_path / "store")
    monkeypatch.setattr(local.subprocess, "Popen", refuse)
    assert ran(tmp_path, "well", store=tmp_path / "store").estimates == made.estimates
    with pytest.raises(StudyError, match="has no column `z`"):
        ran(tmp_path, "well", STUDY.replace("target y", "target z"))
    with pytest.raises(BlockingIOError):
        ran(tmp_path, "well", store="off")


SCRIPT = """\
import sys
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

with open("started", "a") as file:
    file.write("once ")

class Mine(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        assert not {"polars", "matplotlib"} & set(sys.modules)
        import pandas

        assert pandas.DataFrame  # which the server keeps from scikit-learn
        return np.full(len(X), self.classes_[0])

import evallang as ev

text = "study 's'\\n  seed 1\\ndata iris from sklearn iris\\nprotocol cv folds=3\\n"
study = ev.parse(text.replace("'", '"') + "model a = GaussianNB\\nreport html\\n")
record = ev.run(study, jobs=2, models={"mine": Mine()}).record
print(sorted({e.model for e in record.estimates}), len(record.failures))
"""


def test_a_script_without_a_guard_is_not_run_again_and_may_define_a_model(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, "script.py"],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert (done.stdout, done.returncode) == ("['a', 'mine'] 0\n", 0), done.stderr
    assert (tmp_path / "started").read_text() == "once "


LONG = """\
study "Long"
  seed 1
data digits from sklearn digits
model forest = RandomForestClassifier(n_estimators=20000)
model more = ExtraTreesClassifier(n_estimators=20000)
protocol cv folds=5
report html
"""


@contextmanager
def running(folder, jobs="2"):
    """Start a long run and yield it with its processes, once its workers fit."""
    (folder / "long.eval").write_text(LONG)
    (folder / "tmp").mkdir(exist_ok=True)
    with subprocess.Popen(
        [sys.executable, "-m", "evallang", "run", "long.eval", "-j", jobs],
        cwd=folder, env={**os.environ, "TMPDIR": str(folder / "tmp")},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        while len(found := descendants(process.pid)) < 3 and process.poll() is None:
            time.sleep(0.05)
        yield process, found


def descendants(pid):
    """Return the processes that a process has started, and those that they have."""
    parents = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = entry.read_bytes().rpartition(b")")[2].split()
            if fields[0] != b"Z":
                parents[int(entry.parent.name)] = int(fields[1])
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


def alive(pids):
    """Return those of the processes that still run."""
    states = {}
    for pid in pids:
        with suppress(OSError):
            states[pid] = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0]
    return {pid for pid, state in states.items() if state not in (b"Z", b"X")}


linux = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="it reads /proc")


@linux
def test_programs_that_own_code_has_started_end_with_their_worker(tmp_path):
    ran(tmp_path, "starts programs")
    failures(tmp_path, "starts programs and exits")
    started = set(map(int, (tmp_path / "programs").read_text().split()))
    assert len(started) == 2 + 2 * 2  # the fit that ends its process is made twice
    deadline = time.monotonic() + 30
    while alive(started) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(started)


@linux
@pytest.mark.parametrize(
    ("number", "code", "said"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")],
)
def test_a_signal_ends_all_processes_and_leaves_nothing(tmp_path, number, code, said):
    with running(tmp_path) as (process, workers):
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors.splitlines()[-1]) == (code, said)
    assert not alive(workers)
    assert list((tmp_path / "tmp").iterdir()) == []
    assert [path.name for path in sorted(tmp_path.iterdir())] == ["long.eval", "tmp"]


def test_a_signal_ends_a_fit_of_the_main_process_in_c_code(tmp_path):
    module = MODULE.replace("loops in C", "sleeps").replace(
        're.match("(a+)+$", "a" * 40 + "b")',
        "(open(os.path.join(os.path.dirname(__file__), 'sleeps'), 'w'), "
        "ctypes.CDLL(None).sleep(600))",
    )
    (tmp_path / "fatal.py").write_text(module)
    (tmp_path / "d.csv").write_text(DATA)
    (tmp_path / "study.eval").write_text("evallang 1\n" + STUDY.format(way='"sleeps"'))
    with subprocess.Popen(
        [sys.executable, "-m", "evallang", "run", "study.eval", "-j", "1", "--trust"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        while not (tmp_path / "sleeps").exists() and process.poll() is None:
            time.sleep(0.05)
        process.terminate()
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors.splitlines()[-1]) == (143, "terminated")


@linux
def test_no_process_outlives_a_killed_run_whose_folders_the_next_run_removes(tmp_path, monkeypatch):
    with running(tmp_path) as (process, workers):
        process.kill()
        process.communicate(timeout=60)
    deadline = time.monotonic() + 60
    while alive(workers) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not alive(workers)
    (left,) = (tmp_path / "tmp").iterdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    with run_folder() as other:  # of a run at the same time
        ev.run(ev.parse(TWO_MODELS), jobs=1, store="off")  # which needs no folder itself
        assert other.exists() and not left.exists()
    assert list((tmp_path / "tmp").iterdir()) == []
