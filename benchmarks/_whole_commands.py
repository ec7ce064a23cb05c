"""A whole command beside a peer's whole program: from the shell to the report, each run cold.

A peer that cannot finish is a program that prints the seconds of a few resamples; it is scaled
and marked so.
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks._processes import Measured, in_turn, measured, ours
from benchmarks._rows import Kind, Row, report

SEED = 20181113
MODELS, ROUNDS = 4, 10_000
"""Models of a file, and resamples of an interval, where the peer does a few resamples alone."""
OFF = {"EVALLANG_STORE": "off"}


def beside(
    folder: Path, name: str, study: str, script: str, rounds: int, *options: str
) -> tuple[Measured, Measured]:
    """Measure a study and the script of its peer, in turn, each from nothing to its end."""
    (folder / f"{name}.eval").write_text(study, encoding="utf-8")
    (folder / f"{name}.py").write_text(script, encoding="utf-8")
    commands = {
        "ours": ours("run", f"{name}.eval", "--quiet", "--out", name, *options),
        "peer": [sys.executable, f"{name}.py"],
    }
    found = in_turn(commands, folder, rounds, **OFF)
    return found["ours"], found["peer"]


def whole_command(
    work: str,
    study: str,
    write: Callable[[Path], None],
    peer: str,
    program: str,
    *,
    ratio: float,
    rounds: int | None = None,
) -> Measured:
    """Compare `evallang run` on a study with a peer's program, which takes `ratio` times as long.

    With `rounds` the program prints the seconds of one resample for all models and metrics, and its
    figure is `rounds` times that.
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
    seconds = theirs.seconds if rounds is None else float(theirs.output) * rounds
    note = "" if rounds is None else "peer scaled from a few resamples"
    report(Row(work, mine.seconds, "s", peer, seconds, Kind.RATIO, ratio, note))
    return mine


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
