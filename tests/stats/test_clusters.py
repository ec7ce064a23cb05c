"""Tests of examples in groups against enumeration, statsmodels, and their level."""

import itertools
import tracemalloc

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, strategies as st
from many_cases import for_each
from scipy import stats

from evallang.stats.clusters import clustered_difference
from evallang.stats.correctness import count_correct
from evallang.stats.hypothesis_tests.contingency import cochran, mcnemar
from evallang.stats.hypothesis_tests.swapping import flip_groups


def grouped(rng, groups, size, models=2, shared=0.5):
    """Right and wrong of equal models, where a group shares which one it favours."""
    favours = rng.normal(0, shared, (groups, 1, models))
    right = favours + rng.normal(0, 1, (groups, size, models)) < 0.8
    return right.reshape(-1, models), np.repeat(np.arange(groups), size)


def compared(matrix, groups, **options):
    return mcnemar(count_correct(matrix).pair(0, 1), 0.95, matrix, groups, **options)


def all_flips(totals):
    """P(|Σ ±t| >= |Σ t|) by listing every pattern of signs."""
    observed = abs(sum(totals)) * (1 - 1e-9)
    sums = [
        abs(sum(sign * t for sign, t in zip(signs, totals, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(totals))
    ]
    return np.mean([s >= observed for s in sums])


@given(totals=st.lists(st.integers(-6, 6), min_size=1, max_size=9))
def test_whole_totals_are_flipped_in_all_ways(totals):
    found = flip_groups(totals)
    assert found.variant == "exact"
    assert found.p == pytest.approx(all_flips(totals), rel=1e-12)


@given(totals=st.lists(st.floats(-5, 5, allow_subnormal=False), min_size=1, max_size=9))
def test_totals_of_any_metric_are_flipped_in_all_ways(totals):
    totals = [round(t, 3) for t in totals]
    assert flip_groups(totals).p == pytest.approx(all_flips(totals), rel=1e-12)


@for_each("side", ["two_sided", "greater", "less"])
def test_equal_totals_are_counted_together(side):
    # 30 groups with 0.1 and 10 with -0.1: as many signs as patterns are too many to go through
    found = flip_groups([0.1] * 30 + [-0.1] * 10, alternative=side)
    expected = stats.binomtest(30, 40, alternative=side.replace("_", "-")).pvalue
    assert found.variant == "exact"
    assert found.p == pytest.approx(expected, rel=1e-9)


def test_a_few_large_totals_need_no_table_of_all_sums():
    totals = [31_000_000, -9_000_000, 8_000_000, 1_000_001, -500_000, 400_000, 200_000]
    tracemalloc.start()
    assert flip_groups(totals).p == pytest.approx(all_flips(totals), rel=1e-12)
    assert tracemalloc.get_traced_memory()[1] < 1e6
    tracemalloc.stop()


def test_totals_without_a_difference_have_p_1():
    for totals in ([], [0, 0], [3, -3], [0.1, 0.2, -0.3]):
        assert flip_groups(totals).p == 1.0
    with pytest.raises(ValueError, match="finite"):
        flip_groups([1.0, np.nan])


@pytest.mark.parametrize("method", ["midp", "exact", "chi2"])
def test_single_rows_as_groups_give_the_ungrouped_test(method):
    matrix = np.random.default_rng(3).random((200, 2)) < (0.8, 0.7)
    found = compared(matrix, np.arange(200), method=method)
    ungrouped = "exact" if method == "exact" else "chi2"
    plain = mcnemar(count_correct(matrix).pair(0, 1), method=ungrouped)
    assert found.p == pytest.approx(plain.p, rel=1e-10)
    assert found.clusters.n == 200
    assert found.clusters.design_effect == pytest.approx(1.0, rel=1e-12)


def test_the_statistic_is_the_squared_sum_over_the_sum_of_squares():
    # Groups with b - c = 2, 1, -1, 3: 25/15
    rows = [[1, 0]] * 2 + [[1, 0], [1, 1]] + [[0, 1]] + [[1, 0]] * 3
    groups = ["a"] * 2 + ["b"] * 2 + ["c"] + ["d"] * 3
    found = compared(np.array(rows), groups, method="chi2")
    assert found.statistic.value == pytest.approx(25 / 15, rel=1e-12)
    assert found.p == pytest.approx(stats.chi2.sf(25 / 15, 1), rel=1e-12)
    assert found.clusters.n == 4
    # 7 discordant rows, squares of group sums 15
    assert found.clusters.design_effect == pytest.approx(15 / 7, rel=1e-12)


def test_fewer_than_30_groups_are_flipped_and_more_are_not():
    rng = np.random.default_rng(4)
    for count, variant in ((29, "group sign-flip, exact"), (60, "clustered chi2")):
        matrix, groups = grouped(rng, count, 20)
        assert compared(matrix, groups).variant == variant


def test_groups_that_say_nothing_do_not_count_as_groups():
    # 5 groups differ, 95 do not
    rows = np.array([[1, 0]] * 5 + [[1, 1]] * 95)
    found = compared(rows, np.arange(100))
    assert found.variant == "group sign-flip, exact"
    assert found.p == pytest.approx(2 / 2**5, rel=1e-12)
    assert found.extra["telling_groups"] == 5


def test_one_group_and_no_group_prove_nothing():
    matrix = np.array([[1, 0]] * 10)
    found = compared(matrix, np.zeros(10))
    assert found.p == 1.0
    assert found.estimate.low is None
    same = np.ones((10, 2))
    assert compared(same, np.arange(10) // 2).p == 1.0
    assert compared(same, np.arange(10) // 2).notes


def test_with_groups_rows_are_needed_and_one_group_each():
    with pytest.raises(ValueError, match="every example"):
        mcnemar([[1, 2], [3, 4]], groups=[1, 2])
    with pytest.raises(ValueError, match="its group"):
        mcnemar([[0, 1], [0, 0]], 0.95, [[1, 0]], [1, 2])
    with pytest.raises(ValueError, match="every example"):
        cochran(count_correct(np.ones((3, 3))), [1, 2, 3])


def test_effect_sizes_of_grouped_rows_have_no_interval():
    matrix, groups = grouped(np.random.default_rng(5), 40, 10)
    for effect in compared(matrix, groups).effects:
        assert effect.value is not None
        assert effect.low is None and effect.high is None


def test_the_difference_has_the_cluster_robust_interval_of_statsmodels():
    rng = np.random.default_rng(6)
    matrix, groups = grouped(rng, 25, 12)
    found, clusters = clustered_difference(matrix[:, 0], matrix[:, 1], groups, 0.9)
    d = matrix[:, 0].astype(float) - matrix[:, 1]
    # statsmodels' factor is G/(G - 1) (n - 1)/(n - 1) for one coefficient
    fit = sm.OLS(d, np.ones(len(d))).fit(
        cov_type="cluster", cov_kwds={"groups": groups}, use_t=True
    )
    low, high = fit.conf_int(0.1)[0]
    assert found.value == pytest.approx(d.mean(), rel=1e-12)
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-9)
    simple = d.var(ddof=1) / len(d)
    assert clusters.design_effect == pytest.approx(fit.bse[0] ** 2 / simple, rel=1e-9)


def test_differences_without_variance_have_no_design_effect():
    found, clusters = clustered_difference([0.3] * 6, [0.1] * 6, [0, 0, 1, 1, 2, 2])
    assert clusters.design_effect is None
    assert found.low == pytest.approx(0.2, rel=1e-9)
    assert clustered_difference([], [], [])[0].value is None
    with pytest.raises(ValueError, match="every row"):
        clustered_difference([1.0], [1.0, 2.0], [0])


@pytest.mark.parametrize("seed", range(4))
def test_cochran_with_two_models_is_the_clustered_mcnemar(seed):
    matrix, groups = grouped(np.random.default_rng(seed), 12, 6)
    for method in ("chi2", "exact"):
        one = cochran(matrix, groups, method=method)
        other = compared(matrix, groups, method=method)
        assert one.p == pytest.approx(other.p, rel=1e-10)
        assert one.statistic.value == pytest.approx(other.extra["chi2"], rel=1e-10)
        assert one.clusters.design_effect == pytest.approx(other.clusters.design_effect, rel=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_the_models_are_permuted_once_for_each_group(seed):
    matrix, groups = grouped(np.random.default_rng(seed), 4, 5, models=3)
    totals = np.array([matrix[groups == g].sum(axis=0) for g in range(4)])
    observed = (totals.sum(axis=0) ** 2).sum()
    hits = [
        (np.sum(rows, axis=0) ** 2).sum() >= observed
        for rows in itertools.product(*(itertools.permutations(row) for row in totals))
    ]
    found = cochran(matrix, groups)
    assert found.variant == "group permutation, exact"
    assert found.p == pytest.approx(np.mean(hits), rel=1e-12)


def test_many_ways_to_permute_are_drawn():
    matrix, groups = grouped(np.random.default_rng(9), 25, 30, models=5)
    found = cochran(matrix, groups, 3)
    assert found.variant == "group permutation, Monte Carlo"
    assert found.extra["mc_se"] < 0.006
    # Chi-squared, the limit
    assert found.p == pytest.approx(cochran(matrix, groups, method="chi2").p, abs=0.05)
    assert cochran(matrix, groups, 3) == found
