"""Lines that gate a run: each is decided on the interval that the report prints."""

import math

import pytest
from scipy.optimize import brentq, minimize_scalar
from studies import codes, study

from evallang.api import run

HEAD = """evallang 1
counts published
  models old, new
  table [[90, 2], [8, 20]]
measure accuracy
compare new, old with mcnemar
"""  # new is right on 8 examples on which old is wrong, old on 2


def decided(*lines):
    return run(study(HEAD + "\n".join(lines) + "\n"))


def test_not_worse_is_decided_on_the_bound_of_the_interval_that_the_comparison_prints():
    results = decided(
        "require new not worse than old by 2%", "require old not worse than new by 2%"
    )
    printed = results.comparisons[0].pairwise[0].estimate
    better, worse = results.requirements
    assert better.value == pytest.approx(6 / 120)
    assert better.interval == pytest.approx((printed.low, printed.high))
    assert worse.interval == pytest.approx((-printed.high, -printed.low))
    assert (better.met, worse.met) == (True, False)


def score_of_difference(delta, b=8, c=2, n=120):
    """Give Tango's score for a difference, its nuisance maximised by a general minimiser."""

    def loss(p):
        return -(
            b * math.log(p + delta) + c * math.log(p) + (n - b - c) * math.log(1 - 2 * p - delta)
        )

    p = minimize_scalar(loss, bounds=(1e-12, (1 - delta) / 2 - 1e-12), options={"xatol": 1e-12}).x
    return (b - c - n * delta) / math.sqrt(n * (2 * p + delta * (1 - delta)))


@pytest.mark.parametrize(("margin", "met"), [("11%", False), ("12%", True)])
def test_equivalence_needs_the_whole_interval_inside_the_margin(margin, met):
    (line,) = decided(f"require new equivalent to old within {margin}").requirements
    bound = brentq(lambda delta: score_of_difference(delta) + 1.959964, 0.06, 0.3)
    assert line.interval[1] == pytest.approx(bound, abs=1e-5)
    assert line.met is met


def test_at_90_percent_the_interval_is_narrower():
    wide, narrow = decided(
        "require new better than old", "require new better than old at 90%"
    ).requirements
    assert narrow.level == 0.9
    assert wide.interval[0] < narrow.interval[0] < narrow.interval[1] < wide.interval[1]


def test_with_a_test_the_sign_counts_as_well_as_p():
    # two-sided mid-p of 2 against 8: 2 P(X <= 1) + P(X = 2), X ~ B(10, 1/2) = (22 + 45) / 1024
    p = 67 / 1024
    better, worse = decided(
        "require new better than old with mcnemar(method=midp)",
        "require old better than new with mcnemar(method=midp)",
    ).requirements
    assert better.test.p == pytest.approx(p)
    assert (better.met, worse.met) == (False, False)


def test_a_level_is_held_only_if_the_lower_bound_of_its_interval_holds_it():
    # Wilson for 98 of 120: by statsmodels 0.14, proportion_confint
    holds, fails = decided(
        "require accuracy of new >= .73", "require accuracy of new >= .74"
    ).requirements
    assert holds.interval == pytest.approx((0.7379909, 0.8756970), abs=1e-6)
    assert (holds.met, fails.met) == (True, False)


def test_a_line_about_several_protocols_must_name_one():
    text = """evallang 1
study "S"
  seed 1
data iris from sklearn iris
model a = GaussianNB
model b = DummyClassifier
protocol first = cv folds=5
protocol second = cv folds=4
require a better than b
"""
    assert codes(text) == ["E108"]
    assert codes(text.replace("than b\n", "than b on first\n")) == []
