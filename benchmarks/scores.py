"""Scores of four models on 50,000 rows: four metrics with intervals, and the report.

The peer draws rows with replacement and takes average precision, Brier score and log loss from
scikit-learn; it does a few of the 10,000 resamples and is scaled. Areas under the curve have
DeLong's interval here, and are left out there.

    python -m benchmarks.scores
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

ROWS = 50_000

STUDY = """\
evallang 1
predictions given from "scores.csv"
  id "id"
  truth "truth"
  positive 1
  score m0 = "m0"
  score m1 = "m1"
  score m2 = "m2"
  score m3 = "m3"
measure roc_auc, average_precision, brier, log_loss
report html
"""
PEER = metrics_on_resamples(
    "scores.csv", ("average_precision_score", "brier_score_loss", "log_loss")
)


def write(folder: Path) -> None:
    """Write truth and four models' probabilities."""
    rng = np.random.default_rng(SEED)
    truth = rng.integers(0, 2, ROWS)
    columns = {"id": np.arange(ROWS), "truth": truth}
    for i in range(MODELS):
        margin = (2 * truth - 1) * (1 + 0.05 * i) + 1.2 * rng.standard_normal(ROWS)
        columns[f"m{i}"] = np.round(1 / (1 + np.exp(-margin)), 6)
    pl.DataFrame(columns).write_csv(folder / "scores.csv")


if __name__ == "__main__":
    work = f"{ROWS:,} rows x {MODELS} models: AUC, average precision, Brier, log loss, report"
    peers("pandas", "sklearn")
    peer = "scikit-learn on resamples"
    found = whole_command(work, STUDY, write, peer, PEER, ratio=40, rounds=ROUNDS)
    report(Row(f"{work}: time", found.seconds, kind=Kind.MOST, limit=30.0))
