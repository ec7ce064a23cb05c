"""Values of four models on 100,000 rows: three metrics, two tests of all pairs, and the report.

The peer draws rows with replacement and takes the metrics from scikit-learn, without a test; it
does a few of the 10,000 resamples and is scaled.

    python -m benchmarks.whole_regression
"""

from pathlib import Path

from benchmarks._rows import peers  # isort: skip
from benchmarks._whole import SEED, whole_command  # isort: skip  # before numpy starts its threads

import numpy as np
import polars as pl

ROWS, MODELS, ROUNDS = 100_000, 4, 10_000
GOAL = 6.0  # seconds
HELD = 2.0

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
PEER = """
import time
import numpy, pandas
from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score
table = pandas.read_csv("values.csv")
truth, rng = table["truth"].to_numpy(), numpy.random.default_rng(1)
values = [table[f"m{i}"].to_numpy() for i in range(4)]
start = time.perf_counter()
for _ in range(10):
    for metric in (mean_squared_error, mean_absolute_error, r2_score):
        rows = rng.integers(0, len(truth), len(truth))
        for value in values:
            metric(truth[rows], value[rows])
print((time.perf_counter() - start) / 10)
"""


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
    whole_command(work, STUDY, write, peer, PEER, goal=GOAL, held=HELD, rounds=ROUNDS)
