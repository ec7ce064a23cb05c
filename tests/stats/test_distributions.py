"""Tails and quantiles against scipy.stats and exact arithmetic."""

from fractions import Fraction
from math import comb

import pytest
from many_cases import for_each
from scipy import stats

from evallang.stats import basics

LEVELS = (0.01, 0.5, 0.8, 0.95, 0.99, 0.9999, 1 - 1e-12)


@pytest.mark.parametrize("level", LEVELS)
def test_the_normal_quantile_agrees_with_scipy(level):
    expected = stats.norm.isf((1 - level) / 2)
    assert basics.normal_quantile(level) == pytest.approx(expected, rel=1e-13)


@for_each("level", LEVELS)
@for_each("df", [1, 2, 5, 9, 99, 1e4])
def test_the_t_quantile_agrees_with_scipy(level, df):
    expected = stats.t.isf((1 - level) / 2, df)
    assert basics.t_quantile(level, df) == pytest.approx(expected, rel=1e-9)


@for_each("level", LEVELS)
@for_each("df", [1, 2, 5, 9, 99, 1e4])
def test_the_t_quantile_leaves_the_tail_it_was_asked_for(level, df):
    tail = basics.t_p(basics.t_quantile(level, df), df)
    assert tail == pytest.approx(1 - level, rel=1e-10)


@pytest.mark.parametrize(("k", "n"), [(0, 3), (1, 1), (6, 10), (10, 10), (60, 100), (999, 1000)])
def test_the_tail_of_a_fair_coin_is_the_sum_of_its_terms(k, n):
    exact = sum(Fraction(comb(n, i), 2**n) for i in range(k, n + 1))
    assert basics.binomial_tail(k, n) == pytest.approx(float(exact), rel=1e-12)


def test_no_more_heads_than_throws():
    assert basics.binomial_tail(11, 10) == 0.0


@pytest.mark.parametrize("x", [1e-3, 1.0, 8.3, 700.0])
def test_upper_tails_keep_their_digits(x):
    assert basics.chi2_tail(x, 3) == pytest.approx(stats.chi2.sf(x, 3), rel=1e-12)
    assert basics.f_tail(x, 10, 5) == pytest.approx(stats.f.sf(x, 10, 5), rel=1e-12)
    assert basics.normal_p(-x / 20) == pytest.approx(2 * stats.norm.sf(x / 20), rel=1e-12)
    assert basics.normal_p(x / 20, "greater") == pytest.approx(stats.norm.sf(x / 20), rel=1e-12)
    assert basics.t_p(x / 20, 3, "less") == pytest.approx(stats.t.cdf(x / 20, 3), rel=1e-12)
