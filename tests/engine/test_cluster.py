"""Fits on a Dask cluster: the same bytes, and what the loss of workers or scheduler costs."""

import os
import signal
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import cloudpickle
import dask
import pytest
from distributed import KilledWorker, LocalCluster, Security
from msgspec.structs import replace

import evallang as ev
from evallang.api import RunFailed, WorkersLost
from evallang.cli.run import run_study
from evallang.cli.terminal import Failed
from evallang.data import part_counts
from evallang.engine.backends import cluster as backend
from evallang.engine.backends.cluster import Cluster, ClusterPool, Tls
from evallang.engine.backends.workers import Workers
from evallang.planning import keys
from evallang.results import codec

DATA = "x,y\n" + "".join(f"{i % 7 + (i % 2) * 2},{'ab'[i % 2]}\n" for i in range(40))
OWN = """\
import os, signal, time
from pathlib import Path
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
import beside

class Own(ClassifierMixin, BaseEstimator):
    def __init__(self, way=""):
        self.way = way

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        if self.way == "dies" and beside.is_marked(X):
            os.kill(os.getpid(), signal.SIGKILL)
        if self.way.startswith("/"):
            time.sleep(0.1)
            with open(self.way, "a") as file:
                file.write("x")
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])
"""
STUDY = """\
use own
study "Cluster"
  seed 1
data d from "d.csv"
  target y
model tree = DecisionTreeClassifier(max_depth in 1..3)
model own = own.Own(way="{way}")
protocol nested cv outer={folds} inner=2
measure accuracy
report html
"""


@pytest.fixture(scope="module")
def cluster():
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",
            silence_logs=50,
        ) as started,
    ):
        yield started


def written(folder: Path, way: str = "", folds: int = 4) -> Path:
    (folder / "own.py").write_text(OWN)
    (folder / "beside.py").write_text("def is_marked(X):\n    return 0 not in X[:9, 0]\n")
    (folder / "d.csv").write_text(DATA)
    (folder / "s.eval").write_text(STUDY.format(way=way, folds=folds))
    return folder / "s.eval"


def content(results) -> str:
    return codec.dumps(replace(results.record, provenance=None))


def test_the_bytes_are_those_of_a_local_run(cluster, tmp_path):
    place = written(tmp_path)
    local = ev.run(place, trust=True, store="off")
    there = ev.run(place, trust=True, store=tmp_path / "store", dask=cluster.scheduler_address)
    assert content(there) == content(local)
    again = ev.run(place, trust=True, store=tmp_path / "store")
    assert again.record.provenance.fits.cached == again.record.provenance.fits.planned


def test_a_search_is_shared_by_the_workers_of_a_cluster(cluster, tmp_path, caplog):
    place = written(tmp_path)
    text = (
        place.read_text().replace("nested cv outer=4 inner=2", "holdout").replace("use own\n", "")
    )
    lines = [line for line in text.splitlines() if "own" not in line]
    place.write_text("\n".join([*lines, "tune cv=3\n"]))
    caplog.set_level("DEBUG", logger="evallang")
    ev.run(place, store="off", dask=cluster.scheduler_address)
    assert "scores 9" in caplog.text  # three candidates in three inner folds, for two workers


def test_processes_of_this_machine_are_a_cluster_too(tmp_path):
    place = written(tmp_path, folds=2)
    local = ev.run(place, trust=True, store="off")
    assert content(ev.run(place, trust=True, store="off", dask="local:1")) == content(local)


def test_predictions_in_parts_are_counted_by_the_workers(cluster, tmp_path, monkeypatch):
    (tmp_path / "preds").mkdir()
    for part in range(5):
        rows = [f"{i},{i % 2},{i // 3 % 2},{i // 5 % 2}" for i in range(part * 40, part * 40 + 40)]
        (tmp_path / f"preds/{part}.csv").write_text("\n".join(["id,truth,a,b", *rows]))
    place = tmp_path / "s.eval"
    place.write_text(
        'evallang 1\npredictions p from "preds/{part}.csv"\n  id id\n  truth truth\n'
        "  models a, b\nmeasure accuracy, f1\ncompare a vs b with mcnemar\n"
    )
    local = ev.run(place)
    here = []
    monkeypatch.setattr(part_counts, "_read_part", lambda task: here.append(task))
    there = ev.run(place, dask=cluster.scheduler_address)
    assert content(there) == content(local)
    assert here == []


def test_unlike_workers_are_named_before_any_fit_and_their_fits_are_not_kept(
    cluster, tmp_path, monkeypatch
):
    unlike = {**keys.environment(), "numpy": "0.1"}
    monkeypatch.setattr(keys, "environment", lambda: unlike)
    happened = []
    results = ev.run(
        written(tmp_path),
        trust=True,
        store=tmp_path / "store",
        dask=cluster.scheduler_address,
        warn=happened.append,
        progress=lambda done, _: happened.append(done),
    )
    warnings = [text for text in happened if isinstance(text, str)]
    assert len(warnings) == len(cluster.workers)
    assert all("numpy" in text and "instead of 0.1" in text for text in warnings)
    before = happened[: happened.index(warnings[-1])]
    assert [fits for fits in before if fits not in warnings] == [0]
    assert results.record.provenance.fits.run
    (recorded,) = (d for d in results.record.diagnostics if d["code"] == "W514")
    assert "instead of 0.1" in recorded["message"]
    again = ev.run(written(tmp_path), trust=True, store=tmp_path / "store")
    assert again.record.provenance.fits.cached == 0


def test_a_task_that_always_kills_is_a_failed_fit_and_the_rest_finishes(cluster, tmp_path):
    with pytest.raises(RunFailed) as failed:
        ev.run(written(tmp_path, "dies"), trust=True, store="off", dask=cluster.scheduler_address)
    record = failed.value.results.record
    lost = [(f.model, f.error) for f in record.failures]
    local = ev.run(written(tmp_path), trust=True, store="off").record
    assert 0 < len(lost) < 4 and set(lost) == {("own", "ProcessDied")}
    trees = [[e for e in r.estimates if e.model == "tree"] for r in (record, local)]
    assert trees[0] == trees[1]


class _Scripted:
    """A cluster that answers as a list says, and keeps what is sent to it."""

    size, versions = 1, ()

    def __init__(self, answers):
        self.client, self.answers, self.batches = self, iter(answers), []

    def submit(self, function, work, content, names, *, pure):
        self.batches.append([task.name for task in cloudpickle.loads(content)])
        return len(self.batches)

    def ended(self, futures):
        return futures[:1]

    def compare(self, worker, versions):
        pass

    def result(self, future):
        return next(self.answers)


def test_a_suspect_that_times_out_alone_is_never_sent_with_others():
    def answers():
        one = [SimpleNamespace(outcome=lambda: "z")]
        yield SimpleNamespace(seconds=1e-6, worker="w", versions=(), fits=1, answers=one)
        yield KilledWorker("task", None, [])
        for n in range(40):
            pool.add(SimpleNamespace(own_code=False, name=f"y{n}"))
        yield TimeoutError()
        yield ImportError("the end of the test")

    cluster = _Scripted(answers())
    pool = ClusterPool(cluster, None, lambda fits: None)
    pool.add(SimpleNamespace(own_code=False, name="z"))
    outcomes = pool.outcomes()
    assert next(outcomes) == "z"
    pool.add(SimpleNamespace(own_code=False, name="x"))
    with pytest.raises(WorkersLost, match="the end of the test"):
        next(outcomes)
    assert cluster.batches[:3] == [["z"], ["x"], ["x"]]
    assert len(cluster.batches[3]) > 1
    assert "x" not in {name for batch in cluster.batches[3:] if len(batch) > 1 for name in batch}


def test_the_files_of_an_encrypted_connection_reach_dask(tmp_path, monkeypatch):
    monkeypatch.setattr(backend, "WORKERS_WITHIN", 0)
    security = Security.temporary()
    pem = {"ca": security.tls_ca_file, "cert": security.tls_client_cert}
    pem["key"] = security.tls_client_key
    for name, text in pem.items():
        (tmp_path / name).write_text(text)
    with LocalCluster(
        n_workers=0,
        processes=False,
        protocol="tls://",
        security=security,
        dashboard_address="127.0.0.1:0",
    ) as encrypted:
        address = encrypted.scheduler_address
        with pytest.raises(WorkersLost, match="has had no worker"):
            Cluster(address, Tls(*(str(tmp_path / name) for name in pem))).connect(())
        with pytest.raises(WorkersLost, match="encrypted; name the files --dask-tls-ca"):
            Cluster(address).connect(())


@dataclass(frozen=True)
class Noting:
    """A task that takes its time and notes in a file that it was begun."""

    number: int
    file: str
    own_code: bool = False

    def drop_lost(self, at, loss):
        raise AssertionError("no task kills its worker")


def note(task, monitor):
    with open(task.file, "a") as file:  # noqa: PTH123
        file.write("x")
    time.sleep(0.02)
    return task.number, os.getpid()


def connected(cluster) -> Cluster:
    found = Cluster(cluster.scheduler_address)
    found.connect(())
    return found


def test_a_killed_worker_costs_its_running_tasks_only(cluster, tmp_path):
    there, begun = connected(cluster), tmp_path / "begun"
    tasks = [Noting(number, str(begun)) for number in range(60)]
    made = Workers(cluster=there).run(note, tasks, lambda _: None)
    first, pid = next(made)
    os.kill(pid, signal.SIGKILL)
    found = [first, *(number for number, _ in made)]
    there.close()
    assert sorted(found) == list(range(60))
    assert len(begun.read_text()) < 60 + 30  # a batch has at most ten tasks of 20 ms


def test_a_lost_scheduler_ends_the_run_and_the_next_one_resumes(
    cluster, tmp_path, monkeypatch, capfd
):
    """The last test: it closes the cluster."""
    monkeypatch.setenv("EVALLANG_STORE", str(tmp_path / "store"))
    begun = tmp_path / "begun"
    place = written(tmp_path, str(begun), folds=20)

    def close():
        while not begun.exists() or len(begun.read_text()) < 8:
            time.sleep(0.02)
        cluster.close()

    closing = threading.Thread(target=close)
    closing.start()
    with pytest.raises(Failed, match=r"connection to the Dask scheduler .* was lost") as failed:
        run_study(str(place), trust=True, dask=(cluster.scheduler_address, Tls()), quiet=True)
    closing.join()
    assert failed.value.exit_code == 3
    assert "Traceback" not in capfd.readouterr().err
    fits = ev.run(place, trust=True).record.provenance.fits
    assert 0 < fits.cached < fits.planned
