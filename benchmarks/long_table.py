"""A long CSV table, three models, five folds and the report, beside pandas and scikit-learn.

python -m benchmarks.long_table
"""

import sys
import tempfile
from pathlib import Path

from benchmarks._processes import in_turn
from benchmarks._rows import Kind, Row, peers, report
from benchmarks._whole_commands import beside

ROWS, COLUMNS = 300_000, 20
LONG = """evallang 1
study "A long table"
  seed 1
data long from "long.csv"
  target y
model bayes = GaussianNB
model lda = LinearDiscriminantAnalysis
model logistic = LogisticRegression
protocol cv folds=5
measure accuracy
compare all with cochran then mcnemar holm
"""
LONG_PEER = """
import pandas as pd
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB

table = pd.read_csv("long.csv")
y = table.pop("y")
folds = StratifiedKFold(5, shuffle=True, random_state=1)
for model in (GaussianNB(), LinearDiscriminantAnalysis(), LogisticRegression()):
    print((cross_val_predict(model, table, y, cv=folds, n_jobs=2) == y).mean())
"""
LONG_MAKER = f"""
import numpy as np
import polars as pl
chance = np.random.default_rng(1)
X = chance.normal(size=({ROWS}, {COLUMNS})).round(5)
y = (X[:, 0] + X[:, 1] * X[:, 2] + chance.normal(size={ROWS}) > 0).astype(int)
columns = {{f"x{{i}}": X[:, i] for i in range({COLUMNS})}}
pl.DataFrame(columns | {{"y": y}}).write_csv("long.csv")
"""

if __name__ == "__main__":
    peers("pandas")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        in_turn({"file": [sys.executable, "-c", LONG_MAKER]}, folder, 1)
        mine, peer = beside(folder, "long_table", LONG, LONG_PEER, 2, "-j", "2")
    work = f"a CSV file of {ROWS:,} x {COLUMNS}, three models, five folds, report included"
    report(
        Row(work, mine.seconds, "s", "pandas + cross_val_predict", peer.seconds, Kind.RATIO, 1.0)
    )
