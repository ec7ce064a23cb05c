"""One-sided tests against R, and against each other."""

import itertools

import numpy as np
import pytest
from many_cases import for_each
from reference_values import columns, figures
from scipy import stats as scipy_stats

from evallang import stats
from evallang.stats.hypothesis_tests.swapping import flip_groups

R = figures("sides")
SERIES, PAIRS, WHOLE = columns("series"), columns("pairs"), columns("whole")
X, Y = np.round(100 * PAIRS["first"]), np.round(100 * PAIRS["second"])
TABLE = ((60, 32), (12, 16))
SIDES = pytest.mark.parametrize("side", ["greater", "less"])
FOLDS = np.random.default_rng(2).normal(0.8, 0.05, (2, 10))


@SIDES
def test_paired_and_single_t_are_rs(side):
    found = stats.t(SERIES["first"], SERIES["second"], alternative=side)
    assert found.p == pytest.approx(R[f"t_{side}"], rel=1e-10)
    single = stats.single_t(SERIES["first"], threshold=1.0, alternative=side)
    assert single.p == pytest.approx(R[f"single_t_{side}"], rel=1e-10)


@SIDES
def test_signed_ranks_are_rs_and_exactranktests(side):
    found = stats.wilcoxon(SERIES["first"][:12], SERIES["second"][:12], alternative=side)
    assert found.p == pytest.approx(R[f"wilcoxon_{side}"], rel=1e-10)
    tied = stats.wilcoxon(X, Y, alternative=side)
    assert tied.p == pytest.approx(R[f"wilcoxon_ties_{side}"], rel=1e-10)


@SIDES
def test_permutation_is_exactranktests(side):
    swapper = stats.LossSwapper(WHOLE["first"], WHOLE["second"])
    found = stats.permutation(swapper, alternative=side)
    assert found.p == pytest.approx(R[f"permutation_{side}"], rel=1e-10)


@SIDES
def test_exact_mcnemar_and_the_sign_test_are_binomial(side):
    found = stats.mcnemar(TABLE, method="exact", alternative=side)
    assert found.p == pytest.approx(R[f"mcnemar_exact_{side}"], rel=1e-10)
    signs = stats.sign(X, Y, alternative=side)
    assert signs.p == pytest.approx(R[f"sign_{side}"], rel=1e-10)


def test_mid_p_counts_half_of_the_observed_table():
    # Fagerland, Lydersen & Laake 2013: the exact p less half of its own probability
    exact = stats.mcnemar(TABLE, method="exact", alternative="greater").p
    found = stats.mcnemar(TABLE, alternative="greater")
    own = scipy_stats.binom.pmf(32, 44, 0.5)
    assert found.p == pytest.approx(exact - own / 2, rel=1e-12)
    assert found.p + stats.mcnemar(TABLE, alternative="less").p == pytest.approx(1, rel=1e-12)
    assert 2 * found.p == pytest.approx(stats.mcnemar(TABLE).p, rel=1e-12)


def test_the_chi_squared_forms_are_the_roots_of_rs():
    for method in ("chi2", "corrected"):
        two = stats.mcnemar(TABLE, method=method).p
        one = stats.mcnemar(TABLE, method=method, alternative="greater").p
        assert two == pytest.approx(R[f"mcnemar_{method}"], rel=1e-10)
        assert 2 * one == pytest.approx(two, rel=1e-10)


@for_each(
    "call",
    [
        lambda side: stats.corrected_t(*FOLDS, [90] * 10, [10] * 10, alternative=side),
        lambda side: stats.kfold_t(*FOLDS, alternative=side),
        lambda side: stats.resampled_t(*FOLDS, alternative=side),
        lambda side: stats.five_by_two_t(
            FOLDS[0].reshape(5, 2), FOLDS[1].reshape(5, 2), alternative=side
        ),
        lambda side: stats.diebold_mariano(*FOLDS, horizon=2, alternative=side),
        lambda side: stats.proportions_z(TABLE, alternative=side),
        lambda side: stats.t(*FOLDS, np.arange(10) // 2, alternative=side),
        lambda side: stats.delong(np.arange(10) % 2, FOLDS.T, alternative=side),
        lambda side: stats.bootstrap(
            stats.DifferenceSample(
                stats.LossSample(np.tile(FOLDS[0], 2)), stats.LossSample(np.tile(FOLDS[1], 2))
            ),
            rounds=500,
            alternative=side,
        ),
    ],
)
def test_continuous_statistics_share_one_between_both_sides(call):
    both, greater, less = (call(side) for side in ("two_sided", "greater", "less"))
    assert greater.p + less.p == pytest.approx(1, rel=1e-9)
    assert 2 * min(greater.p, less.p) == pytest.approx(both.p, rel=1e-9)
    assert (greater.p < less.p) == (both.estimate.value > 0)


@SIDES
def test_a_difference_without_variance_is_certain_on_its_side_alone(side):
    found = stats.corrected_t([0.9] * 4, [0.8] * 4, [90] * 4, [30] * 4, alternative=side)
    assert found.p == (0.0 if side == "greater" else 1.0)


@pytest.mark.parametrize("totals", [(3, 1, -2, 5), (0.5, -1.25, 2.0, 0.75, -0.1), (-4, 2, 0, 1)])
@SIDES
def test_flips_of_whole_groups_count_one_side(totals, side):
    # All signs gone through
    sums = np.array(list(itertools.product([-1, 1], repeat=len(totals)))) @ np.abs(totals)
    observed = sum(totals)
    beyond = sums >= observed - 1e-9 if side == "greater" else sums <= observed + 1e-9
    found = flip_groups(totals, alternative=side)
    assert found.p == pytest.approx(np.mean(beyond), rel=1e-12)


@SIDES
def test_groups_that_swap_models_count_one_side(side):
    rng = np.random.default_rng(3)
    correct, groups = rng.random((60, 2)) < [0.8, 0.6], np.arange(60) // 5
    table = stats.count_correct(correct).pair(0, 1)
    found = stats.mcnemar(table, 0.95, correct, groups, alternative=side)
    totals = np.bincount(groups, weights=correct[:, 0].astype(float) - correct[:, 1])
    assert found.p == flip_groups(totals, alternative=side).p
    assert found.variant == f"group sign-flip, exact, one-sided: {side}"


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [("holm", "holm"), ("hochberg", "hochberg"), ("hommel", "hommel"),
     ("bonferroni", "bonferroni"), ("fdr_bh", "bh"), ("fdr_by", "by")],
)  # fmt: skip
def test_unsorted_p_values_with_a_tie_come_back_as_from_rs_p_adjust(ours, theirs):
    found = getattr(stats, ours)((0.3, 0.001, 0.5, 0.02, 0.04, 0.04))
    expected = [R[f"adjusted_{theirs}_{i}"] for i in range(1, 7)]
    assert found == pytest.approx(expected, rel=1e-10)


def test_without_a_correction_p_stays_as_it_is():
    assert stats.uncorrected((0.3, 0.001, None)) == (0.3, 0.001, None)


def test_intervals_of_a_proportion_are_rs():
    for name, interval in (("clopper", "clopper_pearson"), ("wilson", "wilson")):
        found = getattr(stats.intervals, interval)(56, 60, 0.95)
        assert (found.low, found.high) == pytest.approx(
            (R[f"{name}_low"], R[f"{name}_high"]), rel=1e-10
        )
