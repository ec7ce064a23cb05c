"""Equivalence and non-inferiority against one-sided tests, and the decisions on intervals."""

import math

import numpy as np
import pytest
from scipy import optimize, stats
from statsmodels.stats.weightstats import ttost_paired

from evallang.results.statistics import Interval
from evallang.stats.decisions import (
    decide_equivalent,
    decide_level,
    decide_noninferior,
    decide_superior,
    distance_shown,
    power_of_equal_models,
)
from evallang.stats.hypothesis_tests.equivalence import (
    noninferiority,
    over_folds,
    paired_proportions,
    tost,
)
from evallang.stats.hypothesis_tests.losses import t as t_test
from evallang.stats.intervals.differences import tango

RANDOM = np.random.default_rng(29)
FIRST, SECOND = RANDOM.normal([[0.81], [0.80]], 0.02, (2, 10))
SIZES = np.full(10, 90), np.full(10, 10)
TABLES = [((59, 6), (16, 80)), ((800, 30), (28, 142)), ((40, 0), (3, 7)), ((9, 5), (5, 1))]


def score_z(table, delta):
    """Tango's statistic: the likelihood under b/n - c/n = delta maximised numerically."""
    (a, b), (c, d) = table
    n = a + b + c + d

    def minus_log(q):  # q is the chance of c
        p = q + delta
        return -sum(
            count * math.log(max(chance, 1e-300))
            for count, chance in ((b, p), (c, q), (a + d, 1 - p - q))
            if count
        )

    low, high = max(0.0, -delta), (1 - delta) / 2
    q = optimize.minimize_scalar(
        minus_log, bounds=(low, high), method="bounded", options={"xatol": 1e-13}
    ).x
    return (b - c - n * delta) / math.sqrt(n * (2 * q + delta - delta**2))


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("margin", [0.05, 0.2])
def test_for_paired_proportions_p_is_that_of_tangos_score_test(table, margin):
    found = tost(paired_proportions(table), margin=margin)
    upper, lower = stats.norm.cdf(score_z(table, margin)), stats.norm.sf(score_z(table, -margin))
    assert found.extra["p_upper"] == pytest.approx(upper, rel=1e-5)
    assert found.extra["p_lower"] == pytest.approx(lower, rel=1e-5)
    assert found.p == max(found.extra["p_upper"], found.extra["p_lower"])
    better = noninferiority(paired_proportions(table), margin=margin, better="higher")
    assert better.p == pytest.approx(lower, rel=1e-5)
    assert better.variant == "tango"


def test_over_folds_p_is_that_of_the_corrected_t():
    d = FIRST - SECOND
    error = d.std(ddof=1) * math.sqrt(1 / 10 + 1 / 9)
    for margin in (0.001, 0.01, 0.03):
        found = tost(over_folds(FIRST, SECOND, *SIZES), margin=margin)
        upper = stats.t.cdf((d.mean() - margin) / error, 9)
        lower = stats.t.sf((d.mean() + margin) / error, 9)
        assert found.p == pytest.approx(max(upper, lower), rel=1e-8)
        worse = noninferiority(over_folds(FIRST, SECOND, *SIZES), "lower", margin=margin)
        assert worse.p == pytest.approx(upper, rel=1e-8)


def test_any_interval_will_do_as_statsmodels_tost_on_paired_means_shows():
    first, second = RANDOM.normal([[0.0], [0.1]], 1, (2, 50))
    expected, _, _ = ttost_paired(first, second, -0.5, 0.5)
    found = tost(lambda level: t_test(first, second, None, level).estimate, margin=0.5)
    assert found.p == pytest.approx(expected, rel=1e-9)


def test_p_and_the_interval_of_level_1_minus_2_alpha_agree():
    for table in TABLES:
        for margin in (0.03, 0.08, 0.1, 0.2, 0.3):
            found = tost(paired_proportions(table), 0.95, margin=margin)
            assert found.estimate.level == pytest.approx(0.9)
            inside = decide_equivalent(found.estimate, margin).met
            assert inside == (found.p <= 0.05)
            better = noninferiority(paired_proportions(table), margin=margin, better="higher")
            assert decide_noninferior(better.estimate, margin).met == (better.p <= 0.05)


def test_what_has_no_interval_has_no_p():
    found = tost(paired_proportions(((0, 0), (0, 0))), margin=0.1)
    assert found.p is None
    assert "no interval" in found.notes[0]


def test_folds_that_do_not_vary_are_certain_on_either_side():
    scores = np.array([0.5, 0.6, 0.7])
    sizes = [20] * 3, [10] * 3
    assert tost(over_folds(scores + 0.01, scores, *sizes), margin=0.02).p <= 1e-12
    assert tost(over_folds(scores + 0.01, scores, *sizes), margin=0.005).p == pytest.approx(1.0)


@pytest.mark.parametrize("margin", [0.0, -0.1, math.inf, math.nan])
def test_a_margin_is_above_0(margin):
    with pytest.raises(ValueError, match="above 0"):
        tost(paired_proportions(TABLES[0]), margin=margin)
    with pytest.raises(ValueError, match="above 0"):
        noninferiority(paired_proportions(TABLES[0]), margin=margin, better="higher")
    with pytest.raises(ValueError, match="above 0"):
        decide_noninferior(interval(0, 1), margin)


# --- decisions ---------------------------------------------------------------------------


def interval(low, high):
    return Interval("wilson", 0.95, low, high)


def test_a_level_is_reached_when_the_bound_on_the_unfavourable_side_is_there():
    assert decide_level(interval(0.90, 0.95), 0.90).met
    below = decide_level(interval(0.89, 0.95), 0.90)
    assert (below.met, below.reason) == (False, "the lower bound 0.89 is below 0.9")
    assert decide_level(interval(0.05, 0.1), 0.1, "<=").met
    assert not decide_level(interval(0.05, 0.11), 0.1, "<=").met


def test_superior_means_the_whole_interval_beyond_0_or_the_margin():
    assert decide_superior(interval(0.001, 0.2)).met
    assert not decide_superior(interval(0.0, 0.2)).met
    assert not decide_superior(interval(0.01, 0.2), margin=0.02).met
    assert decide_superior(interval(-0.2, -0.03), "lower", 0.02).met
    assert not decide_superior(interval(-0.2, -0.03), "higher").met


def test_noninferior_means_no_bound_beyond_the_margin_on_the_bad_side():
    assert decide_noninferior(interval(-0.019, 0.2), 0.02).met
    assert not decide_noninferior(interval(-0.02, 0.2), 0.02).met
    assert decide_noninferior(interval(-0.2, 0.019), 0.02, "lower").met
    assert not decide_noninferior(interval(-0.019, 0.2), 0.02, "lower").met


def test_equivalent_means_all_of_the_interval_inside():
    assert decide_equivalent(interval(-0.01, 0.019), 0.02).met
    assert not decide_equivalent(interval(-0.01, 0.02), 0.02).met
    assert "beyond" in decide_equivalent(interval(-0.03, 0.0), 0.02).reason


@pytest.mark.parametrize(
    "decide",
    [
        lambda i: decide_level(i, 0.5),
        decide_superior,
        lambda i: decide_noninferior(i, 0.1),
        lambda i: decide_equivalent(i, 0.1),
    ],
)
def test_what_cannot_be_decided_is_not_met(decide):
    found = decide(interval(None, None))
    assert (found.met, found.reason) == (False, "the interval is undefined")


@pytest.mark.parametrize("both", [False, True])
def test_the_power_of_a_margin_is_how_often_equal_models_are_within_it(both):
    """Against drawn samples of 400 differences of right and wrong answers, decided by t."""
    drawn = np.random.default_rng(6)
    differences = drawn.choice([-1.0, 0.0, 1.0], p=[0.08, 0.84, 0.08], size=(20_000, 400))
    means = differences.mean(axis=1)
    halves = stats.t.ppf(0.975, 399) * differences.std(axis=1, ddof=1) / 20
    for margin in (0.06, 0.07, 0.08) if both else (0.02, 0.04, 0.06):
        within = means - halves > -margin
        within &= ~np.asarray(both) | (means + halves < margin)
        power = power_of_equal_models(float(np.median(halves)), 0.95, margin, both=both)
        assert power == pytest.approx(within.mean(), abs=0.02)
        assert distance_shown(float(np.median(halves)), 0.95, power, both=both) == pytest.approx(
            margin, abs=1e-9
        )


def test_the_power_of_a_margin_near_the_half_width_is_right_on_average_over_tables():
    """Against all tables of 100 examples, 10 % discordant, by Tango's interval."""
    found = []
    for m in range(31):
        for b in range(m + 1):
            chance = stats.binom.pmf(m, 100, 0.1) * stats.binom.pmf(b, m, 0.5)
            if chance > 1e-7:
                bounds = tango(((100 - m, b), (m - b, 0)), 0.95)
                found.append((chance, bounds.low, bounds.high))
    chances, low, high = np.array(found).T
    assert chances.sum() == pytest.approx(1, abs=1e-4)
    for margin in (0.067, 0.07, 0.077, 0.091):
        exact = chances @ ((low > -margin) & (high < margin))
        each = [power_of_equal_models(h, 0.95, margin, both=True) for h in (high - low) / 2]
        assert chances @ np.array(each) == pytest.approx(exact, abs=0.03)


def test_a_true_lead_is_shown_with_the_power_that_is_stated():
    drawn = np.random.default_rng(7)
    half = stats.norm.ppf(0.975) * 0.02
    lead = 0.01 + distance_shown(half, 0.95, 0.8)
    shown = drawn.normal(lead, 0.02, 100_000) - half > 0.01
    assert shown.mean() == pytest.approx(0.8, abs=0.005)
