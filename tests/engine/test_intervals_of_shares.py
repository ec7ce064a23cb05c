"""Intervals of shares with weights, groups, several classes and labels that are no class."""

import numpy as np
import polars as pl
import pytest
from statsmodels.stats.proportion import proportion_confint
from studies import study

from evallang.api import run
from evallang.stats.intervals.few_groups import weighted_wilson

TEXT = """\
evallang 1
study "Shares"
  seed 3
predictions given from "given.csv"
  truth truth
  models a
  {clause}
measure {measures}
"""
RNG = np.random.default_rng(8)
N = 90
TRUTH = RNG.integers(0, 2, N)
FOUND = np.where(RNG.random(N) < 0.75, TRUTH, 1 - TRUTH)


def estimates(folder, clause, measures, truth=TRUTH, found=FOUND, **more):
    names = np.array(["no", "yes", "maybe", "other"])
    pl.DataFrame({"truth": names[truth], "a": names[found], **more}).write_csv(folder / "given.csv")
    made = run(study(TEXT.format(clause=clause, measures=measures), folder)).record.estimates
    return {estimate.metric: estimate for estimate in made}


@pytest.mark.parametrize(("clause", "more"), [
    ("group who", {"who": np.arange(N) // 5}),
    ("weight much", {"much": 1 + np.arange(N) % 3}),
    ("positive yes", {}),
])  # fmt: skip
def test_the_interval_of_errors_is_that_of_right_answers_turned_round(tmp_path, clause, more):
    found = estimates(tmp_path, f"positive yes\n  {clause}" if more else clause,
                      "accuracy, error_rate", **more)  # fmt: skip
    right, wrong = found["accuracy"], found["error_rate"]
    assert wrong.value == pytest.approx(1 - right.value, abs=1e-12)
    assert wrong.interval.low == pytest.approx(1 - right.interval.high, abs=1e-12)
    assert wrong.interval.high == pytest.approx(1 - right.interval.low, abs=1e-12)
    assert wrong.interval.low < wrong.value < wrong.interval.high


def test_weights_of_the_negatives_alone_count_for_specificity(tmp_path):
    much = 1.0 + np.arange(N) % 3
    found = estimates(tmp_path, "positive yes\n  weight much", "specificity, npv", much=much)
    for metric, side in (("specificity", TRUTH), ("npv", FOUND)):
        rows = side == 0
        known = weighted_wilson((TRUTH == FOUND)[rows], much[rows], 0.95)
        interval = found[metric].interval
        assert (interval.low, interval.high) == pytest.approx((known.low, known.high), abs=1e-12)


def test_specificity_without_weights_is_wilsons(tmp_path):
    found = estimates(tmp_path, "positive yes", "specificity")["specificity"].interval
    negatives = TRUTH == 0
    known = proportion_confint(
        int((FOUND[negatives] == 0).sum()), int(negatives.sum()), 0.05, "wilson"
    )
    assert (found.low, found.high) == pytest.approx(known, abs=1e-9)


@pytest.mark.parametrize("method", ["takahashi", "delta"])
def test_a_label_that_is_no_class_is_in_no_cell(tmp_path, method):
    found = FOUND.copy()
    found[5] = 3
    made = estimates(tmp_path, "positive yes", f"f1\n  interval {method}", found=found)["f1"]
    assert made.interval is None
    assert any("a prediction is none of the classes" in note for note in made.notes)
