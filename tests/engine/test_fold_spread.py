"""Folds that differ by more than sampling: found where they do, silent where they do not."""

import numpy as np
import pytest
from studies import study, write_rows

from evallang.api import run

STUDY = """\
evallang 1
study "Spread"
  seed 1
data visits from "visits.csv"
  target y
  features x, z
{clauses}
model line = StandardScaler | Ridge
model mean = DummyRegressor
protocol {protocol}
measure {measure}
"""


def visits(folder, late=0.0, n=120, seed=0):
    rng = np.random.default_rng(seed)
    x, z = rng.normal(size=(2, n))
    noise = rng.normal(size=n) * np.where(np.arange(n) >= 0.8 * n, 1 + late, 1)
    rows = [(i, f"g{i // 2}", f"{x[i]:.3f}", f"{z[i]:.3f}", f"{2 * x[i] + noise[i]:.3f}")
            for i in range(n)]  # fmt: skip
    write_rows(folder, "visits.csv", "day,who,x,z,y", rows)


def told(folder, protocol="time_series folds=4", measure="mae", clauses=""):
    text = STUDY.format(protocol=protocol, measure=measure, clauses=clauses)
    return [d["code"] for d in run(study(text, folder)).record.diagnostics]


def test_errors_that_grow_are_reported_and_even_ones_are_not(tmp_path):
    visits(tmp_path, late=8)
    assert "W513" in told(tmp_path)
    visits(tmp_path)
    assert "W513" not in told(tmp_path)


@pytest.mark.parametrize(
    ("protocol", "measure", "clauses"),
    [
        ("repeated cv folds=3 times=2", "mae", ""),  # examples come several times
        ("holdout test=1/3", "mae", ""),  # one fold
        ("leave_one_out", "mae", ""),  # one example in a fold
        ("cv folds=4", "mae", "group by who"),  # the groups are the units
    ],
)
def test_designs_without_folds_to_compare_are_silent(protocol, measure, clauses, tmp_path):
    visits(tmp_path, late=8)
    group = "\ngroup by who" if clauses else ""
    assert "W513" not in told(tmp_path, protocol, measure, group)


def test_a_study_without_a_mean_is_looked_at_by_the_default_measure(tmp_path):
    visits(tmp_path, late=8)
    assert "W513" in told(tmp_path, measure="r2")
    visits(tmp_path)
    assert "W513" not in told(tmp_path, measure="r2")


def test_the_values_are_those_of_the_folds_also_of_a_root(tmp_path):
    visits(tmp_path, late=8)
    text = STUDY.format(protocol="time_series folds=4", measure="rmse", clauses="")
    record = run(study(text, tmp_path)).record
    (found,) = [d["message"] for d in record.diagnostics if d["code"] == "W513"]
    values = [fold.value for fold in record.estimates[0].folds]
    assert f"`rmse` is {min(values):.3f} in fold {np.argmin(values) + 1}" in found
    assert f"{max(values):.3f} in fold {np.argmax(values) + 1}" in found


SITES = """\
evallang 1
study "Sites"
  seed 1
data visits from "sites.csv"
  target y
  features x
model line = LogisticRegression
protocol split by site
measure {measure}
"""


@pytest.mark.parametrize("measure", ["roc_auc", "f1"])
def test_sites_where_the_rule_is_turned_round_are_reported_by_their_accuracy(tmp_path, measure):
    rng = np.random.default_rng(2)
    x, site = rng.normal(size=300), np.arange(300) % 5
    for turned in (True, False):
        y = (x + 0.5 * rng.normal(size=300) > 0) ^ (turned & (site == 4))
        rows = [(f"{a:.3f}", s, int(b)) for a, s, b in zip(x, site, y, strict=True)]
        write_rows(tmp_path, "sites.csv", "x,site,y", rows)
        record = run(study(SITES.format(measure=measure), tmp_path)).record
        found = [d["message"] for d in record.diagnostics if d["code"] == "W513"]
        assert len(found) == turned
        assert all("`accuracy` is" in message and "in fold 5" in message for message in found)
