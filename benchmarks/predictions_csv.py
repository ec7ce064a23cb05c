"""How long does a file of predictions take, and how much memory, beside polars and pandas?

Writes 1,000,000 rows twice: `labels` with an id, the truth and ten models' labels, `scores`
with five models' labels and probabilities. Ours reads, checks and hashes them; the peers only
read them. Each reading is a process of its own, with the threads that polars takes by itself;
the best of three counts, peak memory is that of the process above what it had before reading
(from /proc, so on Linux). The design's goal is three times polars.read_csv; the limits that we hold
are five times, and 400 MB at a million rows.

    python -m benchmarks.predictions_csv [--rows 1000000]
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks._rows import Bound, Kind, Row, peers, report

GOAL, HELD = 3.0, 5.0  # times polars.read_csv
MOST_MEMORY = 400  # MB at a million rows
RUNS = 3

OURS = """
from pathlib import Path
from evallang.data.dataset import GivenModel, PredictionsSpec
from evallang.data.predictions import read_predictions
import numpy, polars
polars.DataFrame({"a": [1]}).with_columns(polars.col("a") + 1)
models = tuple(GivenModel(m, m, column=m, score=s) for m, s in MODELS)
spec = PredictionsSpec("p", "p", (FILE,), "predictions p", "truth", models, id="id")
def read():
    made, found = read_predictions(spec, Path(FOLDER))
    assert made and not [d for d in found if d.severity == "error"], found
"""
POLARS = """
import polars
def read():
    return polars.read_csv(f"{FOLDER}/{FILE}")
"""
PANDAS = """
import pandas
def read():
    return pandas.read_csv(f"{FOLDER}/{FILE}")
"""
MEASURE = """
import re, time
def memory(word):
    return int(re.search(word + r":\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1024
before = memory("VmRSS")
start = time.perf_counter()
kept = read()
seconds = time.perf_counter() - start
print(seconds, memory("VmHWM") - before)
"""
# not ru_maxrss, which begins at the peak of the process that started this one


def write(folder: Path, rows: int) -> dict[str, list[tuple[str, str | None]]]:
    """Write both files, and give the models of each with their columns of scores."""
    rng = np.random.default_rng(20181113)
    truth = rng.integers(0, 2, rows)
    columns = {"id": np.arange(rows), "truth": truth}
    names = [f"m{i}" for i in range(10)]
    flips = {name: truth ^ (rng.random(rows) < 0.1) for name in names}
    pl.DataFrame(columns | flips).write_csv(folder / "labels.csv")
    words = np.array(["negative", "positive"])
    frame = {"id": columns["id"], "truth": words[truth]}
    for name in names[:5]:
        probability = np.clip(0.5 + 0.3 * (2 * flips[name] - 1) * rng.random(rows), 0, 1)
        frame[name] = words[(probability >= 0.5).astype(int)]
        frame[f"{name}_p"] = probability.round(4)
    pl.DataFrame(frame).write_csv(folder / "scores.csv")
    return {
        "labels.csv": [(name, None) for name in names],
        "scores.csv": [(name, f"{name}_p") for name in names[:5]],
    }


def measured(folder: Path, file: str, models: object) -> dict[str, tuple[float, float]]:
    """Give the least seconds and megabytes of each reader over runs that alternate."""
    programs = {"evallang": OURS, "polars": POLARS, "pandas": PANDAS}
    head = f"FOLDER, FILE, MODELS = {str(folder)!r}, {file!r}, {models!r}\n"
    runs: dict[str, list[tuple[float, ...]]] = {who: [] for who in programs}
    for _ in range(RUNS):
        for who, program in programs.items():
            command = [sys.executable, "-c", head + program + MEASURE]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            runs[who].append(tuple(map(float, done.stdout.split())))
    return {who: (min(s for s, _ in each), min(m for _, m in each)) for who, each in runs.items()}


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rows", type=int, default=1_000_000)
    rows = options.parse_args().rows
    peers("pandas")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, models in write(folder, rows).items():
            size = (folder / file).stat().st_size / 1e6
            work = f"reading {file}, {rows:,} rows, {size:.0f} MB"
            found = measured(folder, file, models)
            seconds, memory = found["evallang"]
            for who in ("polars", "pandas"):
                bounds = (Bound(Kind.TIMES, HELD), Bound(Kind.TIMES, GOAL))
                limit, goal = bounds if who == "polars" else (None, None)
                report(Row(work, seconds, "s", who, found[who][0], limit, goal))
            most = Bound(Kind.MOST, MOST_MEMORY * max(1, rows / 1e6))
            report(Row(f"{work}: memory", memory, "MB", "polars", found["polars"][1], most))


if __name__ == "__main__":
    main()
