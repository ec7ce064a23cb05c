"""Effect sizes against scipy, enumeration and simulation."""

import itertools

import numpy as np
import pytest
from scipy import stats as scipy_stats

from evallang import stats


@pytest.mark.parametrize(("b", "c"), [(9, 3), (25, 2), (0, 7), (1, 1)])
def test_cohens_g_has_the_interval_of_the_binomial_share(b, c):
    found = stats.cohen_g(b, c, 0.95)
    share = scipy_stats.binomtest(b, b + c).proportion_ci(0.95)
    assert found.value == b / (b + c) - 0.5
    assert (found.low, found.high) == pytest.approx((share.low - 0.5, share.high - 0.5), rel=1e-9)


def test_cohens_dz_is_the_mean_in_standard_deviations():
    d = np.random.default_rng(1).normal(0.3, 1, 12)
    found = stats.cohen_dz(float(d.mean()), float(d.std(ddof=1)))
    assert found.value == pytest.approx(scipy_stats.ttest_1samp(d, 0).statistic / 12**0.5)
    assert stats.cohen_dz(0.2, 0.0).value is None


def test_hedges_g_is_unbiased_where_cohens_d_is_not():
    # 40,000 samples of 6 with d = .5: the mean of g errs by about .003 (its standard error)
    d = np.random.default_rng(2).normal(0.5, 1, (40_000, 6))
    means, sds = d.mean(axis=1), d.std(axis=1, ddof=1)
    factor = stats.hedges_g(1.0, 1.0, 5).value
    raw = means / sds
    assert raw.mean() * factor == pytest.approx(0.5, abs=4 * raw.std() * factor / 200)
    assert raw.mean() > 0.55
    # Hedges 1981, eq. 6e, by scipy's gamma function
    exact = scipy_stats.chi(5).expect(lambda x: 1 / x) * 5**0.5
    assert factor == pytest.approx(1 / exact, rel=1e-8)


def test_eta_squared_is_1_where_cochrans_q_is_at_its_largest():
    # All tables of three examples and three models: none has a larger Q than n (M - 1)
    rows = list(itertools.product([0, 1], repeat=3))
    largest = 0.0
    for table in itertools.product(rows, repeat=3):
        effects = {e.name: e.value for e in stats.cochran(table, method="chi2").effects}
        largest = max(largest, effects.get("eta^2_Q", 0.0))
    assert largest == 1.0


def test_effects_without_anything_to_measure_are_none():
    assert stats.odds_ratio(0, 0, 0.95).value is None
    assert stats.cohen_g(0, 0, 0.95).value is None
    assert stats.chance_corrected_r((3, 3), (0, 0, 3)).value is None
