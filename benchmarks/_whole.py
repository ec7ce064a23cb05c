"""A whole command beside a peer's whole program: from the shell to the report, each run cold.

The seconds are those of a clock, since a command may use every core. A peer that cannot finish is
a program that prints the seconds of a few resamples; it is scaled and marked so.
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks._processes import in_turn, measured, ours
from benchmarks._rows import Bound, Kind, Row, report

SEED = 20181113
MODELS, ROUNDS = 4, 10_000
"""Models of a file, and resamples of an interval, where the peer does a few resamples alone."""
OFF = {"EVALLANG_STORE": "off"}


def whole_command(
    work: str,
    study: str,
    write: Callable[[Path], None],
    peer: str,
    program: str,
    *,
    goal: float | Bound,
    held: float,
    rounds: int | None = None,
) -> None:
    """Compare `evallang run` on a study with a peer's program.

    A `goal` without a kind is in seconds, `held` is the least ratio; with `rounds` the program
    prints the seconds of one resample for all models and metrics, and its figure is `rounds` times
    that.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder)
        (folder / "study.eval").write_text(study, encoding="utf-8")
        run = ours("run", "study.eval", "--quiet", "--out", "results")
        mine = in_turn({"ours": run}, folder, 2, **OFF)["ours"]
        if not (folder / "results" / "report.html").exists():
            raise FileNotFoundError("the report is part of the work")
        theirs = measured([sys.executable, "-c", program], folder)
    notes = [f"{mine.processor:.1f} s of the processors"]
    notes += [] if rounds is None else ["peer scaled from a few resamples"]
    report(
        Row(
            work,
            mine.seconds,
            peer=peer,
            theirs=theirs.seconds if rounds is None else float(theirs.output) * rounds,
            limit=Bound(Kind.RATIO, held),
            goal=goal if isinstance(goal, Bound) else Bound(Kind.MOST, goal),
            note="; ".join(notes),
        )
    )
    if rounds is None:
        report_memory(work, mine.memory, peer, theirs.memory)


def metrics_on_resamples(file: str, metrics: tuple[str, ...]) -> str:
    """Return a program that prints the seconds of one resample: all models, all metrics."""
    return f"""
import time
import numpy, pandas
from sklearn.metrics import {", ".join(metrics)}
table = pandas.read_csv("{file}")
truth, rng = table["truth"].to_numpy(), numpy.random.default_rng(1)
outputs = [table[f"m{{i}}"].to_numpy() for i in range({MODELS})]
start = time.perf_counter()
for _ in range(10):
    for metric in ({", ".join(metrics)}):
        rows = rng.integers(0, len(truth), len(truth))
        for output in outputs:
            metric(truth[rows], output[rows])
print((time.perf_counter() - start) / 10)
"""


def report_memory(work: str, mine: int, peer: str, theirs: int, limit: Bound | None = None) -> None:
    """Report the peaks of the memory of two commands, where the system tells them."""
    if mine and theirs:
        row = Row(f"{work}: memory", mine / 1e6, "MB", peer=peer, theirs=theirs / 1e6, limit=limit)
        report(row)
