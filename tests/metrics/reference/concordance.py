"""Harrell's index by lifelines and scikit-survival, which the tests do not need.

Run in this folder, where both are installed: python concordance.py > concordance_python.csv
"""

import csv
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np
from lifelines.utils import concordance_index
from sksurv.metrics import concordance_index_censored

DATA = Path(__file__).parents[3] / "examples" / "data" / "survival.csv"
rows = list(csv.DictReader(DATA.open(encoding="utf-8")))
months, died = (np.array([float(row[name]) for row in rows]) for name in ("months", "died"))
out = csv.writer(sys.stdout, lineterminator="\n")
out.writerow(["column", "value", "package"])
for column in ("cox_risk", "stage_risk"):
    risk = np.array([float(row[column]) for row in rows])
    value = concordance_index(months, -risk, died)
    out.writerow([column, repr(float(value)), f"lifelines {version('lifelines')}"])
    value = concordance_index_censored(died > 0, months, risk)[0]
    out.writerow([column, repr(float(value)), f"scikit-survival {version('scikit-survival')}"])
