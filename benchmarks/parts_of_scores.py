"""Scores in parts, counted part by part: areas and average precision of 1e8 rows.

One and three models with float32 scores in parts of 4e6 rows, as Parquet: with all scores
kept, with `roc_auc(distinct=100_000)`, and average precision with its jackknife interval.
There is no peer: pandas would need the whole table in memory.

    python -m benchmarks.parts_of_scores [ROWS]
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchmarks import _processes
from benchmarks._processes import measured, ours
from benchmarks._rows import Bound, Kind, Row, report
from benchmarks._whole import SEED

ROWS, PART = 100_000_000, 4_000_000
MEMORY = {"rounded": 1_500, "exact": 12_000}  # MB for 1e8 rows; rounded scores, for any number
GOAL = {"rounded": 240.0, "exact": 480.0}  # seconds for 1e8 rows

HEAD = """\
evallang 1
predictions given from "preds/{part}.parquet"
  truth "truth"
  positive 1
"""
THREE = "  models m0, m1, m2\n" + "".join(f"  score m{i} = s{i}\n" for i in range(3))
ONE = "  models m0\n  score m0 = s0\n"
STUDIES = {
    "three models, roc_auc(distinct=100_000), DeLong of all pairs": (
        "rounded",
        f"{HEAD}{THREE}measure roc_auc(distinct=100_000)\ncompare all with delong holm\n",
    ),
    "one model, roc_auc and average_precision, exact": (
        "exact",
        f"{HEAD}{ONE}measure roc_auc\nmeasure average_precision\n  interval jackknife\n",
    ),
}


def write(folder: Path, rows: int) -> None:
    """Write parts of truth and three scores, two of them with a value for nearly each row."""
    (folder / "preds").mkdir()
    rng = np.random.default_rng(SEED)
    for number, start in enumerate(range(0, rows, PART)):
        n = min(PART, rows - start)
        truth = (rng.random(n, dtype=np.float32) < 0.1).astype(np.int8)
        columns: dict[str, NDArray[Any]] = {"truth": truth}
        for i in range(3):
            signal = rng.standard_normal(n, dtype=np.float32) + np.float32(1.2 + 0.05 * i) * truth
            score = 1 / (1 + np.exp(-signal))
            columns[f"s{i}"] = score if i < 2 else np.round(score, 4)
        pl.DataFrame(columns).write_parquet(folder / f"preds/{number}.parquet")


if __name__ == "__main__":
    rows = int(float(sys.argv[1])) if len(sys.argv) > 1 else ROWS
    _processes.LONGEST = 1_200
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, rows)
        for title, (kind, study) in STUDIES.items():
            (folder / "study.eval").write_text(f"{study}report html\n", encoding="utf-8")
            run = ours("run", "study.eval", "--quiet", "--no-look", "-j", "1", "--out", "results")
            found = measured(run, folder)
            work = f"{rows:,} rows in parts of {PART:,}: {title}, report"
            goal = Bound(Kind.MOST, GOAL[kind] * rows / ROWS)
            note = f"{found.processor:.1f} s of the processors"
            report(Row(work, found.seconds, goal=goal, note=note))
            limit = Bound(Kind.MOST, MEMORY[kind])
            report(Row(f"{work}: memory", found.memory / 1e6, "MB", limit=limit))
