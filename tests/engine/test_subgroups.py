"""Measures within the levels of a column: the same formula on the rows of a level."""

import numpy as np
import polars as pl
import pytest
from short_form import facts
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint
from studies import study, write_rows

from evallang.api import run
from evallang.api.preparing import check_data
from evallang.api.study_file import open_study
from evallang.stats.intervals.differences import newcombe_independent

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


def test_a_level_of_a_few_rows_is_listed_and_meets_no_requirement(outcomes):
    frame, results = outcomes
    west = frame.filter(pl.col("site") == "west")
    found = of(results, "accuracy", "west")
    assert west.height < 30
    assert (found.value, found.interval, found.no_interval) == (None, None, "few_examples")
    assert found.extra["n_examples"] == west.height
    (line,) = [r for r in results.requirements if r.subgroup.level == "west"]
    assert not line.met
    assert {str(west.height), "30"} <= set(facts(line.reason).split())


@pytest.mark.parametrize("level", ["north", "south"])
def test_the_difference_to_the_rest_has_newcombes_interval_at_bonferronis_level(outcomes, level):
    frame, results = outcomes
    inside = frame["site"] == level
    right = frame["y"] == frame["a"]
    counts = [int((right & mask).sum()) for mask in (inside, ~inside)]
    sizes = [int(mask.sum()) for mask in (inside, ~inside)]
    found = of(results, "accuracy", level).to_rest
    low, high = confint_proportions_2indep(
        counts[0], sizes[0], counts[1], sizes[1], method="newcomb", alpha=0.05 / 2
    )
    assert found.value == pytest.approx(counts[0] / sizes[0] - counts[1] / sizes[1])
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-9)
    assert found.level == 0.95


def test_a_level_with_few_of_a_class_is_listed_for_metrics_of_that_class(tmp_path):
    rng = np.random.default_rng(4)
    site = np.array(["a"] * 100 + ["b"] * 60 + ["c"] * 60)
    y = np.array([0, 1] * 50 + [0] * 56 + [1] * 4 + [0] * 4 + [1] * 56)
    frame = pl.DataFrame(
        {
            "row": np.arange(220),
            "site": site,
            "y": y,
            "a": np.where(rng.random(220) < 0.8, y, 1 - y),
        }
    )
    frame.write_csv(tmp_path / "p.csv")
    text = TEXT[: TEXT.index("measure")].replace("truth y", "truth y\n  positive 1")
    text += "measure accuracy, recall, specificity, f1 within site\n"
    results = run(study(text, tmp_path)).record
    known = {
        (e.metric, e.subgroup.level)
        for e in results.estimates
        if e.subgroup and e.value is not None
    }
    every = {
        (metric, level) for metric in ("accuracy", "recall", "specificity", "f1") for level in "abc"
    }
    assert every - known == {("recall", "b"), ("specificity", "c"), ("f1", "b"), ("f1", "c")}
    assert of(results, "recall", "c").extra["rest"] == pytest.approx(
        ((frame["a"] == 1) & (frame["y"] == 1) & (frame["site"] != "c")).sum() / 54
    )


def test_numbers_and_small_levels_are_refused_and_the_plan_states_the_size(tmp_path):
    n = 600
    rows = [(i, i, i % 40, f"t{i % 30}", f"u{i % 15}", i % 2, i % 3 % 2) for i in range(n)]
    write_rows(tmp_path, "p.csv", "row,age,code,town,region,y,a", rows)
    refused = {"age": ["E154"], "code": ["E154"], "town": ["E154"], "region": []}
    for column, codes in refused.items():
        text = TEXT[: TEXT.index("measure")] + f"measure accuracy within {column}\n"
        (tmp_path / "s.eval").write_text(text)
        found = check_data(open_study(tmp_path / "s.eval"))
        assert [d.code for d in found if d.code == "E154"] == codes, column
    planned = study(text, tmp_path).plan()
    assert [d.value for d in planned.defaults if d.option == "within"] == [30]


def test_the_differences_of_three_levels_hold_at_once():
    """2,000 studies whose levels are equally accurate: 0 lies in all intervals of 95 %."""
    n, missed = 100, 0
    for right in np.random.default_rng(12).binomial(n, 0.8, (2000, 3)):
        rest = right.sum() - right
        found = [
            newcombe_independent(((one, n), (other, 2 * n)), 1 - 0.05 / 3)
            for one, other in zip(right, rest, strict=True)
        ]
        missed += any(d.low > 0 or d.high < 0 for d in found)
    assert 0.01 < missed / 2000 < 0.05 + 3 * (0.05 * 0.95 / 2000) ** 0.5


def test_rows_predicted_several_times_and_groups_in_both_parts_have_none(tmp_path):
    rng = np.random.default_rng(1)
    rows = [(i // 4, "ab"[i % 2], rng.normal(), "yn"[rng.integers(2)]) for i in range(200)]
    lines = ["g,site,x,y", *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "d.csv").write_text("\n".join(lines))
    text = """evallang 1
study "D"
  seed 1
data d from "d.csv"
  target y
  positive y
  features x
  {}
model a = GaussianNB
protocol {}
measure accuracy within site
"""
    for clause, protocol in (
        ("group g", "cv folds=4"),
        ('unit "rows"', "repeated cv folds=4 times=2"),
    ):
        found = run(study(text.format(clause, protocol), tmp_path)).record.estimates
        differences = [e.to_rest for e in found if e.subgroup]
        assert [(d.low, d.high) for d in differences] == [(None, None)] * 2
