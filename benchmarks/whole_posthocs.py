"""Scores of ten models on thirty data sets: Friedman, all pairs, effects and the report.

The peer reads the same file with pandas, takes the Friedman test from scipy and the pairs from
scikit-posthocs, and gives no effect size, no interval, no diagram and no report. Once with two
tests of the pairs, and once with Nemenyi's alone.

    python -m benchmarks.whole_posthocs
"""

from pathlib import Path

from benchmarks._rows import Bound, Kind, peers  # isort: skip
from benchmarks._whole import SEED, whole_command  # isort: skip  # before numpy starts its threads

import numpy as np
import polars as pl

DATA_SETS, MODELS = 30, 10
GOAL = 3.0  # seconds
HELD = 0.8  # times the peer, which gives neither effects nor a report

SCORES = """\
evallang 1
scores given from "scores.csv"
  metric "accuracy"
  dataset "data"
  models m0, m1, m2, m3, m4, m5, m6, m7, m8, m9
"""
WILCOXON = "compare all across data with friedman then wilcoxon holm\n"
NEMENYI = "compare all across data with friedman then nemenyi\nreport html\n"
READ = """
import pandas
from scipy.stats import friedmanchisquare
from scikit_posthocs import posthoc_nemenyi_friedman, posthoc_wilcoxon
table = pandas.read_csv("scores.csv").drop(columns="data")
friedmanchisquare(*(table[model] for model in table.columns))
"""
PEERS_WILCOXON = """
posthoc_wilcoxon([table[model].tolist() for model in table.columns], p_adjust="holm")
"""
PEERS_NEMENYI = "posthoc_nemenyi_friedman(table)\n"


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
    table = f"{DATA_SETS} data sets x {MODELS} models"
    peers("pandas", "scipy", "scikit_posthocs")
    whole_command(
        f"{table}: Friedman, 2 x 45 pairs, report",
        SCORES + WILCOXON + NEMENYI,
        write,
        "scikit-posthocs",
        READ + PEERS_WILCOXON + PEERS_NEMENYI,
        goal=GOAL,
        held=HELD,
    )
    whole_command(
        f"{table}: Friedman, Nemenyi, report",
        SCORES + NEMENYI,
        write,
        "scikit-posthocs",
        READ + PEERS_NEMENYI,
        goal=Bound(Kind.RATIO, 1.0),
        held=HELD,
    )
