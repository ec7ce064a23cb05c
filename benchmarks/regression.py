"""Values of four models on 100,000 rows: three metrics, two tests of all pairs, and the report.

The peer draws rows with replacement and takes the metrics from scikit-learn, without a test; it
does a few of the 10,000 resamples and is scaled.

    python -m benchmarks.regression
"""

from pathlib import Path

import numpy as np
import polars as pl

from benchmarks._rows import Kind, Row, peers, report
from benchmarks._whole_commands import (
    MODELS,
    ROUNDS,
    SEED,
    metrics_on_resamples,
    whole_command,
)

ROWS = 100_000

STUDY = """\
evallang 1
predictions given from "values.csv"
  id "id"
  truth "truth"
  models m0, m1, m2, m3
measure mse, mae, r2
compare all by mse with t holm
compare all by mae with permutation holm
report html
"""
PEER = metrics_on_resamples("values.csv", ("mean_squared_error", "mean_absolute_error", "r2_score"))


def write(folder: Path) -> None:
    """Write truth and four models' values."""
    rng = np.random.default_rng(SEED)
    truth = 3 * rng.standard_normal(ROWS)
    columns = {"id": np.arange(ROWS), "truth": np.round(truth, 5)}
    for i in range(MODELS):
        columns[f"m{i}"] = np.round(truth + (1 + 0.01 * i) * rng.standard_normal(ROWS), 5)
    pl.DataFrame(columns).write_csv(folder / "values.csv")


if __name__ == "__main__":
    work = f"{ROWS:,} rows x {MODELS} models: MSE, MAE, R², t, permutation, report"
    peers("pandas", "sklearn")
    peer = "scikit-learn on resamples"
    found = whole_command(work, STUDY, write, peer, PEER, ratio=7, rounds=ROUNDS)
    report(Row(f"{work}: time", found.seconds, kind=Kind.MOST, limit=30.0))
