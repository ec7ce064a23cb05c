"""What processes and Dask cost a study of short fits: two workers, fits that sleep for 50 ms.

The fits of a short and of a long study differ by a known time; what the runs differ by beyond it
is what sending, collecting and storing cost. A fit that sleeps takes as long on a busy machine, but
what is beside it does not: the least of some rounds counts, each run taken alone.

    python -m benchmarks.short_fits
"""

import tempfile
import time
from pathlib import Path

import evallang as ev
from benchmarks._rows import Kind, Row, report

WORKERS, SLEEP = 2, 0.05
SHORT, LONG = 20, 120  # repeats of 4 folds
MOST = 10.0  # percent
ROUNDS = 3

OWN = f"""\
import time
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

class Own(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        time.sleep({SLEEP})
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])
"""
STUDY = """\
evallang 1
use own
study
  seed 1
data d from "d.csv"
  target y
model own = own.Own
protocol repeated cv folds=4 times={times}
measure accuracy
"""


def seconds(folder: Path, times: int, address: str | None) -> float:
    """Run a study with so many repeats on the cluster, or on as many processes without one."""
    (folder / "s.eval").write_text(STUDY.format(times=times))
    start = time.perf_counter()
    ev.run(folder / "s.eval", trust=True, store="off", dask=address, jobs=WORKERS)
    return time.perf_counter() - start


def least(folder: Path, times: int, address: str | None) -> float:
    """Return the least seconds of some runs."""
    return min(seconds(folder, times, address) for _ in range(ROUNDS))


def main() -> None:
    """Start a cluster of processes, and report the share of time that is not fits."""
    from distributed import LocalCluster

    with (
        tempfile.TemporaryDirectory() as name,
        LocalCluster(
            n_workers=WORKERS, threads_per_worker=1, dashboard_address=None, silence_logs=50
        ) as cluster,
    ):
        folder = Path(name)
        (folder / "own.py").write_text(OWN)
        rows = "".join(f"{i % 7},{'ab'[i % 2]}\n" for i in range(60))
        (folder / "d.csv").write_text(f"x,y\n{rows}")
        address = cluster.scheduler_address
        seconds(folder, 1, address)  # the workers import what they need
        there, here = (
            least(folder, LONG, place) - least(folder, SHORT, place) for place in (address, None)
        )
    fits = (LONG - SHORT) * 4 * SLEEP / WORKERS
    work = f"{(LONG - SHORT) * 4} fits of 50 ms on {WORKERS} workers"
    for place, spent in (("processes", here), ("Dask", there)):
        share = max(100 * (spent - fits) / spent, 0.0)
        report(Row(f"{work} ({place}): time beside fits", share, "%", kind=Kind.MOST, limit=MOST))


if __name__ == "__main__":
    main()
