"""Measures within the levels of a column: the same formula on the rows of a level."""

import numpy as np
import polars as pl
import pytest
from statsmodels.stats.proportion import proportion_confint
from studies import study

from evallang.api import run

TEXT = """evallang 1
study "Sites"
  seed 1
predictions p from "p.csv"
  truth y
  models a
  id row
measure accuracy, recall(average=macro) within site
require accuracy of a >= .6 within site
"""


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sites")
    rng = np.random.default_rng(3)
    n = 240
    site = rng.choice(["north", "south", "west"], n, p=[0.5, 0.45, 0.05])
    y = rng.integers(0, 2, n)
    right = rng.random(n) < np.where(site == "north", 0.9, 0.6)
    frame = pl.DataFrame(
        {
            "row": np.arange(n),
            "site": site,
            "y": [f"c{v}" for v in y],
            "a": [f"c{v}" for v in np.where(right, y, 1 - y)],
        }
    )
    frame.write_csv(folder / "p.csv")
    return frame, run(study(TEXT, folder))


def of(results, metric, level):
    (found,) = [
        e
        for e in results.estimates
        if e.metric.startswith(metric) and e.subgroup is not None and e.subgroup.level == level
    ]
    return found


@pytest.mark.parametrize("level", ["north", "south"])
def test_a_level_has_the_accuracy_and_wilson_interval_of_its_rows(outcomes, level):
    frame, results = outcomes
    rows = frame.filter(pl.col("site") == level)
    right = int((rows["y"] == rows["a"]).sum())
    found = of(results, "accuracy", level)
    assert found.value == right / rows.height
    assert (found.interval.low, found.interval.high) == pytest.approx(
        proportion_confint(right, rows.height, method="wilson")
    )
    recalls = [(rows.filter(pl.col("y") == c)["a"] == c).mean() for c in ("c0", "c1")]
    assert of(results, "recall", level).value == pytest.approx(np.mean(recalls))


def test_a_requirement_within_a_column_is_decided_for_each_level(outcomes):
    _, results = outcomes
    decided = {r.subgroup.level: r for r in results.requirements}
    assert set(decided) == {"north", "south", "west"}
    for level in ("north", "south"):
        assert decided[level].met == (of(results, "accuracy", level).interval.low >= 0.6)
    assert (decided["north"].met, decided["south"].met) == (True, False)


def test_a_level_of_a_few_rows_has_a_value_and_no_interval_and_meets_no_requirement(outcomes):
    frame, results = outcomes
    west = frame.filter(pl.col("site") == "west")
    found = of(results, "accuracy", "west")
    assert west.height < 30
    assert found.value == (west["y"] == west["a"]).mean()
    assert found.interval is None
    (line,) = [r for r in results.requirements if r.subgroup.level == "west"]
    assert not line.met
    assert line.reason
