"""Labels of six models on two million rows: accuracy, F1, MCC, McNemar and the report.

The peer reads the same file with pandas, takes the metrics from scikit-learn and McNemar's
tests from statsmodels, and gives no interval and no report.

    python -m benchmarks.labels
"""

from pathlib import Path

import numpy as np
import polars as pl

from benchmarks._rows import Kind, Row, peers, report
from benchmarks._whole_commands import SEED, whole_command

ROWS, MODELS = 2_000_000, 6

STUDY = """\
evallang 1
predictions given from "labels.csv"
  id "id"
  truth "truth"
  positive 1
  models m0, m1, m2, m3, m4, m5
measure accuracy, f1, mcc
compare all with mcnemar holm
report html
"""
PEER = """
from itertools import combinations
import pandas
from sklearn.metrics import accuracy_score, f1_score, matthews_corrcoef
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
table = pandas.read_csv("labels.csv")
models = [f"m{i}" for i in range(6)]
for model in models:
    for metric in (accuracy_score, f1_score, matthews_corrcoef):
        metric(table["truth"], table[model])
right = {model: table[model] == table["truth"] for model in models}
p = [
    mcnemar(pandas.crosstab(right[a], right[b])).pvalue for a, b in combinations(models, 2)
]
multipletests(p, method="holm")
"""


def write(folder: Path) -> None:
    """Write truth and six models that err on about a tenth of the rows."""
    rng = np.random.default_rng(SEED)
    truth = rng.integers(0, 2, ROWS)
    columns = {"id": np.arange(ROWS), "truth": truth}
    for i in range(MODELS):
        columns[f"m{i}"] = truth ^ (rng.random(ROWS) < 0.1 + 0.002 * i)
    pl.DataFrame(columns).write_csv(folder / "labels.csv")


if __name__ == "__main__":
    peers("pandas", "sklearn", "statsmodels")
    work = f"{ROWS:,} rows x {MODELS} models: accuracy, F1, MCC, McNemar, report"
    peer = "pandas, scikit-learn, statsmodels"
    found = whole_command(work, STUDY, write, peer, PEER, ratio=2)
    report(Row(f"{work}: memory", found.memory / 1e6, "MB", kind=Kind.MOST, limit=1_000))
