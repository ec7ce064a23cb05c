"""The number of examples with which an interval is as narrow as is wanted."""

import math

import numpy as np
import pytest
from scipy import stats
from stats.powers import paired_width, size_for_width, t_width
from statsmodels.stats.weightstats import DescrStatsW

from evallang.stats.hypothesis_tests.contingency import mcnemar


def test_a_paired_interval_has_the_width_of_the_expected_table():
    # 400 examples, 12 % discordant, a difference of 4 points: b = 32 and c = 16
    found = mcnemar([[352, 32], [16, 0]]).estimate
    assert paired_width(400, 0.12, 0.04) == pytest.approx(found.high - found.low, abs=1e-12)


@pytest.mark.parametrize(("discordant", "gap", "width"), [(0.1, 0.0, 0.05), (0.3, 0.1, 0.1)])
def test_the_number_for_a_paired_width_is_near_that_of_the_normal_formula(discordant, gap, width):
    # n = (2 z / width)² (psi - d²); Tango's variance is up to z²/(b + c) larger, here 6 %
    plain = (2 * stats.norm.ppf(0.975) / width) ** 2 * (discordant - gap**2)
    n = size_for_width(width, lambda size: paired_width(size, discordant, gap))
    assert plain * 0.98 <= n <= plain * 1.08 + 4
    assert paired_width(n, discordant, gap) <= width


def test_the_width_of_a_mean_is_that_of_statsmodels():
    values = np.random.default_rng(2).standard_normal(37)
    low, high = DescrStatsW(values).tconfint_mean(0.1)
    assert t_width(37, float(values.std(ddof=1)), 0.9) == pytest.approx(high - low, rel=1e-12)


def test_the_number_for_a_mean_is_the_least():
    n = size_for_width(0.5, lambda size: t_width(size, 1.0))
    half = [stats.t.ppf(0.975, k - 1) / math.sqrt(k) for k in (n - 1, n)]
    assert 2 * half[0] > 0.5 >= 2 * half[1]


def test_overlapping_splits_may_never_be_narrow_enough():
    with pytest.raises(ValueError, match="more than"):
        size_for_width(0.1, lambda size: t_width(size, 1.0, ratio=1 / 9))


def test_what_is_no_width_is_refused():
    with pytest.raises(ValueError, match="above 0"):
        size_for_width(0.0, lambda size: 1.0)
    with pytest.raises(ValueError, match="no more than the share"):
        paired_width(100, 0.1, 0.2)
