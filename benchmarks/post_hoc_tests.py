"""Scores of ten models on thirty data sets: Friedman, all pairs, effects and the report.

The peer reads the same file with pandas, takes the Friedman test from scipy and the pairs from
scikit-posthocs, and gives no effect size, no interval, no diagram and no report.

    python -m benchmarks.post_hoc_tests
"""

from pathlib import Path

import numpy as np
import polars as pl

from benchmarks._rows import peers
from benchmarks._whole_commands import SEED, whole_command

DATA_SETS, MODELS = 30, 10

SCORES = """\
evallang 1
scores given from "scores.csv"
  metric "accuracy"
  dataset "data"
  models m0, m1, m2, m3, m4, m5, m6, m7, m8, m9
"""
NEMENYI = "compare all across data with friedman then nemenyi\nreport html\n"
PEER = """
import pandas
from scipy.stats import friedmanchisquare
from scikit_posthocs import posthoc_nemenyi_friedman
table = pandas.read_csv("scores.csv").drop(columns="data")
friedmanchisquare(*(table[model] for model in table.columns))
posthoc_nemenyi_friedman(table)
"""


def write(folder: Path) -> None:
    """Write scores whose models differ a little."""
    rng = np.random.default_rng(SEED)
    hard = rng.uniform(0.6, 0.95, (DATA_SETS, 1))
    scores = hard + np.linspace(0, 0.02, MODELS) + rng.normal(0, 0.02, (DATA_SETS, MODELS))
    columns = {f"m{i}": scores[:, i].clip(0, 1) for i in range(MODELS)}
    pl.DataFrame({"data": [f"d{i}" for i in range(DATA_SETS)], **columns}).write_csv(
        folder / "scores.csv"
    )


if __name__ == "__main__":
    peers("pandas", "scipy", "scikit_posthocs")
    work = f"{DATA_SETS} data sets x {MODELS} models: Friedman, Nemenyi, report"
    whole_command(work, SCORES + NEMENYI, write, "scikit-posthocs", PEER, ratio=1)
