"""Tests on losses, ranks of differences and one model, against scipy, R and statsmodels."""

import itertools
import math

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats
from stats.reference_values import columns, figures
from statsmodels.tsa.api import diebold_mariano_test

from evallang.stats import fold_scores
from evallang.stats.hypothesis_tests.losses import diebold_mariano, t, wilcoxon
from evallang.stats.hypothesis_tests.one_sample import binomial, single_t
from evallang.stats.intervals.series import newey_west

R = figures("from_r")
SERIES, PAIRS = columns("series"), columns("pairs")
FIRST, SECOND = SERIES["first"], SERIES["second"]
RANDOM = np.random.default_rng(23)


# --- t -----------------------------------------------------------------------------------


def test_the_paired_t_test_is_rs():
    found = t(FIRST, SECOND, None, 0.9)
    assert found.statistic.value == pytest.approx(R["t_t"], rel=1e-10)
    assert found.p == pytest.approx(R["t_p"], rel=1e-10)
    assert found.estimate.low == pytest.approx(R["t_low"], rel=1e-10)
    assert found.estimate.high == pytest.approx(R["t_high"], rel=1e-10)


def test_noise_is_cut_from_many_losses_as_from_few(monkeypatch):
    first = np.random.default_rng(2).normal(size=50) * 10.0 ** np.arange(-25, 25)
    second = first * (1 + np.where(np.arange(50) % 3 == 0, 1e-14, 1e-3))
    expected = np.where(np.arange(50) % 3 == 0, 0.0, first - second)
    monkeypatch.setattr(fold_scores, "AT_ONCE", 7)
    found, constant = fold_scores.differences(first, second)
    assert found.tolist() == expected.tolist()
    assert not constant


def test_groups_give_the_cluster_robust_error_of_statsmodels():
    groups = np.arange(60) // 5
    fit = sm.OLS(FIRST - SECOND, np.ones(60)).fit()
    robust = fit.get_robustcov_results("cluster", groups=groups, use_correction=False)
    expected = robust.bse[0] * math.sqrt(12 / 11)  # G/(G - 1), without (n - 1)/(n - k)
    found = t(FIRST, SECOND, groups)
    assert found.extra["standard_error"] == pytest.approx(expected, rel=1e-10)
    assert found.df == (11.0,)
    assert found.p == pytest.approx(2 * stats.t.sf(abs(fit.params[0]) / expected, 11), rel=1e-10)
    assert found.clusters.n == 12
    assert found.clusters.design_effect == pytest.approx((expected / fit.bse[0]) ** 2, rel=1e-10)


def test_differences_that_cancel_within_every_group_leave_no_variance():
    found = t([0.1, 0.3, 0.1, 0.3], [0.2, 0.2, 0.2, 0.2], [0, 0, 1, 1])
    assert found.p == 1.0
    assert found.notes


def test_losses_belong_together():
    with pytest.raises(ValueError, match="every fold"):
        t([1.0, 2.0], [1.0])
    with pytest.raises(ValueError, match="needs its group"):
        t([1.0, 2.0], [1.0, 3.0], [0])
    assert t([1.0, math.inf], [0.0, 1.0]).notes == ("undefined: a loss is missing or not finite",)
    assert t([1.0, 3.0], [0.0, 1.0], [0, 0]).notes == ("undefined: it takes two groups",)


# --- diebold_mariano ---------------------------------------------------------------------


@pytest.mark.parametrize("horizon", [1, 3])
def test_the_diebold_mariano_test_is_that_of_rs_forecast(horizon):
    # forecast 8.20, dm.test: rectangular weights up to lag h - 1, HLN, t(n - 1)
    found = diebold_mariano(FIRST, SECOND, horizon=horizon)
    assert found.statistic.value == pytest.approx(R[f"dm_t_{horizon}"], rel=1e-10)
    assert found.p == pytest.approx(R[f"dm_p_{horizon}"], rel=1e-10)


@pytest.mark.parametrize("lag", [0, 3, 9])
def test_the_variance_of_newey_west_is_that_of_statsmodels(lag):
    hac = {"maxlags": lag, "use_correction": False}
    fit = sm.OLS(FIRST - SECOND, np.ones(60)).fit(cov_type="HAC", cov_kwds=hac)
    error = fit.bse[0] / math.sqrt(1 - (lag + 1) / 60)  # for the mean, which was estimated
    df = 60 / (1 + 2 * sum((1 - k / (lag + 1)) ** 2 for k in range(1, lag + 1)))  # Lazarus 2018
    half = stats.t.ppf(0.95, df) * error
    found = newey_west(FIRST - SECOND, 0.9, lag=lag)
    assert found.low == pytest.approx(fit.params[0] - half, rel=1e-10)
    assert found.high == pytest.approx(fit.params[0] + half, rel=1e-10)
    tested = diebold_mariano(FIRST, SECOND, variance="newey_west", lag=lag)
    assert tested.p == pytest.approx(2 * stats.t.sf(abs(fit.params[0]) / error, df), rel=1e-10)


def test_a_variance_that_is_not_positive_gets_bartletts_weights():
    # Alternating differences have c0 + 2 c1 < 0
    d = np.array([1.0, -1.0] * 10) + 0.1
    found = diebold_mariano(d, np.zeros(20), horizon=2)
    expected = diebold_mariano_test(
        np.zeros(20), d, np.zeros(20), lags=1, harvey_adj=True, horizon=2,
        criterion=lambda y, forecast: forecast,
    )  # fmt: skip
    assert found.statistic.value == pytest.approx(expected.statistic, rel=1e-9)
    assert "Bartlett" in found.notes[0]


def test_a_horizon_is_shorter_than_the_series():
    assert diebold_mariano([1.0, 2.0], [2.0, 1.0], horizon=2).p is None


# --- wilcoxon ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("zeros", "method", "name"),
    [
        ("drop", "exact", "wilcoxon_wilcoxon_exact"),
        ("drop", "exact", "wilcoxon_drop_exactranktests"),
        ("drop", "normal", "wilcoxon_wilcoxon_normal"),
        ("pratt", "exact", "wilcoxon_pratt_exact"),
        ("pratt", "normal", "wilcoxon_pratt_normal"),
    ],
)
def test_ties_and_zeros_get_the_p_of_coin_and_exactranktests(zeros, method, name):
    found = wilcoxon(PAIRS["first"], PAIRS["second"], zeros=zeros, method=method)
    assert found.p == pytest.approx(R[name], rel=1e-9)
    assert found.extra["n_zero"] == 3


def test_without_ties_it_is_rs_wilcox_test_with_its_interval():
    found = wilcoxon(FIRST[:12], SECOND[:12])
    assert found.extra["w_plus"] == R["wilcoxon_v"]
    assert found.p == pytest.approx(R["wilcoxon_p"], rel=1e-10)
    assert found.estimate.name == "pseudo-median difference"
    assert found.estimate.value == pytest.approx(R["wilcoxon_median"], rel=1e-10)
    assert found.estimate.low == pytest.approx(R["wilcoxon_low"], rel=1e-10)
    assert found.estimate.high == pytest.approx(R["wilcoxon_high"], rel=1e-10)


def test_split_zeros_add_their_ranks_to_both_sides():
    # Demšar 2006, 3.1.3; by hand: zeros get ranks 1, 2 and d ranks 3, 4, 5 with signs -++
    found = wilcoxon([1.0, 1.0, 0.0, 3.0, 5.0], [1.0, 1.0, 1.0, 1.0, 2.0], zeros="split")
    assert found.extra["w_plus"] == 9 + 1.5
    assert found.extra["w_minus"] == 3 + 1.5
    # sums of ±3 ±4 ±5 as large as 6: 12, 6, and their negatives, of 8
    signs = np.array(list(itertools.product([-1, 1], repeat=3))) @ [3, 4, 5]
    assert found.p == np.mean(np.abs(signs) >= 6)


def test_equal_decimals_tie():
    # .9 - .8 and .8 - .7 differ in their last bits
    found = wilcoxon([0.9, 0.8, 0.7], [0.8, 0.7, 0.8])
    assert found.extra["w_plus"] == 4.0
    assert found.p == 1.0


def test_large_samples_get_the_normal_distribution_of_scipy():
    first, second = RANDOM.normal([[0.1], [0.0]], 1, (2, 800))
    expected = stats.wilcoxon(first, second, method="asymptotic")
    found = wilcoxon(first, second)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-10)
    assert found.variant == "normal, zeros=drop"


def test_the_exact_p_of_a_few_hundred_is_scipys():
    first, second = RANDOM.normal([[0.1], [0.0]], 1, (2, 300))
    expected = stats.wilcoxon(first, second, method="exact")
    assert wilcoxon(first, second).p == pytest.approx(expected.pvalue, rel=1e-10)


def test_a_missing_value_leaves_its_pair_out_or_is_the_worst():
    first, second = np.array([1.0, 2.0, np.nan, 4.0]), np.array([0.5, 1.0, 3.0, np.nan])
    out = wilcoxon(first, second)
    assert out.p == wilcoxon([1.0, 2.0], [0.5, 1.0]).p
    assert "2 of 4 pairs" in out.notes[0]
    # d = .5, 1, then below and above all others: ranks 1, 2 and twice 3.5
    worst = wilcoxon(first, second, "higher", missing="worst")
    with pytest.raises(ValueError, match="`better` states"):
        wilcoxon(first, second, missing="worst")
    assert (worst.extra["w_plus"], worst.extra["w_minus"]) == (6.5, 3.5)
    lower = wilcoxon(first, second, "lower", missing="worst")
    assert (lower.extra["w_plus"], lower.extra["w_minus"]) == (6.5, 3.5)


# --- one model ---------------------------------------------------------------------------


def test_the_binomial_test_is_rs_and_scipys():
    correct = np.arange(40)[:, None] >= 9
    found = binomial(correct, threshold=0.15)
    assert found.p == pytest.approx(R["binomial_p"], rel=1e-10)
    assert found.p == pytest.approx(
        stats.binomtest(9, 40, 0.15, alternative="greater").pvalue, rel=1e-10
    )
    assert found.extra["critical_error_rate"] == R["binomial_critical"] / 40
    bounds = stats.binomtest(9, 40).proportion_ci(0.95)
    assert found.estimate.low == pytest.approx(bounds.low - 0.15, rel=1e-9)
    assert found.estimate.high == pytest.approx(bounds.high - 0.15, rel=1e-9)


def test_the_critical_error_rate_is_the_smallest_that_is_rejected():
    for n in (1, 5, 10, 40):
        rate = binomial(np.ones((n, 1), dtype=bool), threshold=0.3).extra["critical_error_rate"]
        p = [binomial(np.arange(n)[:, None] >= k, threshold=0.3).p for k in range(n + 1)]
        rejected = [k / n for k in range(n + 1) if p[k] <= 0.05]
        assert rate == (min(rejected) if rejected else None)


@pytest.mark.parametrize(
    ("n", "errors", "rate"),
    [(20, 3, 0.3), (20, 12, 0.3), (50, 0, 0.05), (10, 10, 0.5), (87, 13, 0.1)],
)
def test_each_side_of_the_binomial_test_is_scipys_and_two_sided_agrees_with_its_interval(
    n, errors, rate
):
    correct = np.arange(n)[:, None] >= errors
    tails = [
        stats.binomtest(errors, n, rate, alternative=side).pvalue for side in ("greater", "less")
    ]
    for side, tail in zip(("greater", "less"), tails, strict=True):
        assert binomial(correct, threshold=rate, alternative=side).p == pytest.approx(tail)
    both = binomial(correct, threshold=rate, alternative="two_sided")
    assert both.p == pytest.approx(min(1, 2 * min(tails)))
    outside = both.estimate.low > 0 or both.estimate.high < 0
    assert outside == (both.p <= 0.05)


def test_the_critical_rates_of_two_sides_are_the_ends_of_what_is_kept():
    n, rate = 40, 0.3
    p = [
        binomial(np.arange(n)[:, None] >= k, threshold=rate, alternative="two_sided").p
        for k in range(n + 1)
    ]
    kept = [k for k in range(n + 1) if p[k] > 0.05]
    found = binomial(np.ones((n, 1), dtype=bool), threshold=rate, alternative="two_sided").extra
    assert found["critical_error_rate"] == (max(kept) + 1) / n
    assert found["critical_low"] == (min(kept) - 1) / n


def test_a_threshold_is_a_rate_and_the_test_is_about_one_model():
    with pytest.raises(ValueError, match="above 0"):
        binomial([[True]], threshold=1.0)
    with pytest.raises(ValueError, match="one model"):
        binomial([[True, False]], threshold=0.5)
    assert binomial(np.zeros((0, 1), dtype=bool), threshold=0.5).p is None


def test_the_single_t_test_is_scipys():
    scores = RANDOM.random(10)
    expected = stats.ttest_1samp(scores, 0.4)
    found = single_t(scores, 0.9, threshold=0.4)
    assert found.statistic.value == pytest.approx(expected.statistic, rel=1e-10)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-10)
    low, high = expected.confidence_interval(0.9)
    assert (found.estimate.low, found.estimate.high) == pytest.approx((low - 0.4, high - 0.4))


def test_constant_scores_at_and_off_the_value():
    assert single_t([0.1 + 0.2, 0.3], threshold=0.3).p == 1.0
    off = single_t([0.5, 0.5, 0.5], threshold=0.3)
    assert (off.p, off.statistic.value) == (0.0, math.inf)
    assert off.notes
    with pytest.raises(ValueError, match="finite"):
        single_t([0.5, 0.6], threshold=math.nan)


@pytest.mark.parametrize(("correlation", "said"), [(0.9, True), (0.0, False)])
def test_correlated_moments_that_carry_little_are_stated(correlation, said):
    series = np.random.default_rng(3).normal(size=104)
    for moment in range(1, 104):
        series[moment] += correlation * series[moment - 1]
    found = diebold_mariano(series, np.zeros(104), variance="newey_west")
    # (1 - r) / (1 + r) of 104 moments are 5 with r = .9
    assert any("moments, by their correlation" in note for note in found.notes) == said
