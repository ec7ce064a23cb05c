"""Scores of ten models on thirty data sets: Friedman, all pairs, effects and the report.

The peer reads the same file with pandas, takes the Friedman test from scipy and the pairs from
scikit-posthocs, and gives no effect size, no interval, no diagram and no report.

    python -m benchmarks.whole_posthocs
"""

from pathlib import Path

from benchmarks._rows import peers  # isort: skip
from benchmarks._whole import SEED, whole_command  # isort: skip  # before numpy starts its threads

import numpy as np
import polars as pl

DATA_SETS, MODELS = 30, 10
GOAL = 3.0  # seconds
HELD = 0.8  # times the peer, which gives neither effects nor a report

STUDY = """\
evallang 1
scores given from "scores.csv"
  metric "accuracy"
  dataset "data"
  models m0, m1, m2, m3, m4, m5, m6, m7, m8, m9
compare all across data with friedman then wilcoxon holm
compare all across data with friedman then nemenyi
report html
"""
PEER = """
import pandas
from scipy.stats import friedmanchisquare
from scikit_posthocs import posthoc_nemenyi_friedman, posthoc_wilcoxon
table = pandas.read_csv("scores.csv").drop(columns="data")
friedmanchisquare(*(table[model] for model in table.columns))
posthoc_wilcoxon([table[model].tolist() for model in table.columns], p_adjust="holm")
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
    work = f"{DATA_SETS} data sets x {MODELS} models: Friedman, 2 x 45 pairs, report"
    peers("pandas", "scipy", "scikit_posthocs")
    whole_command(work, STUDY, write, "scikit-posthocs", PEER, goal=GOAL, held=HELD)
