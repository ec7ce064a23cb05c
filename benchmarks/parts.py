"""Predictions in parts, counted part by part: time grows with the rows, memory with one part.

Three models on 1e8 rows in parts of 4e6 rows, as Parquet: accuracy, F1, McNemar and the report.
There is no peer: pandas would need the whole table in memory.

    python -m benchmarks.parts [ROWS]
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks._processes import measured, ours
from benchmarks._rows import Kind, Row, report
from benchmarks._whole_commands import SEED

ROWS, PART = 100_000_000, 4_000_000

STUDY = """\
evallang 1
predictions given from "preds/{part}.parquet"
  id "id"
  truth "truth"
  positive 1
  models m0, m1, m2
measure accuracy, f1
compare all with mcnemar holm
report html
"""


def write(folder: Path, rows: int, part: int = PART) -> None:
    """Write parts of truth and three models that err on about a tenth of the rows."""
    (folder / "preds").mkdir()
    rng = np.random.default_rng(SEED)
    for number, start in enumerate(range(0, rows, part)):
        n = min(part, rows - start)
        truth = rng.integers(0, 2, n, dtype=np.int8)
        columns = {"id": np.arange(start, start + n), "truth": truth}
        for i in range(3):
            wrong = rng.random(n, dtype=np.float32) < 0.1 + 0.002 * i
            columns[f"m{i}"] = truth ^ wrong.astype(np.int8)
        pl.DataFrame(columns).write_parquet(folder / f"preds/{number}.parquet")


if __name__ == "__main__":
    rows = int(float(sys.argv[1])) if len(sys.argv) > 1 else ROWS
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, rows)
        (folder / "study.eval").write_text(STUDY, encoding="utf-8")
        run = ours("run", "study.eval", "--quiet", "--no-look", "-j", "1", "--out", "results")
        found = measured(run, folder)
    work = f"{rows:,} rows x 3 models in parts of {PART:,}: accuracy, F1, McNemar, report"
    report(Row(work, found.seconds, kind=Kind.MOST, limit=120.0 * rows / ROWS))
    report(Row(f"{work}: memory", found.memory / 1e6, "MB", kind=Kind.MOST, limit=4_000))
