"""Power against brute force, simulation, R and statsmodels."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats
from stats.powers import (
    mcnemar_detectable,
    mcnemar_power,
    mcnemar_size,
    rank_detectable,
    rank_power,
    rank_size,
    t_detectable,
    t_power,
    t_size,
)
from stats.reference_values import figures
from statsmodels.stats.power import TTestPower

from evallang.stats.hypothesis_tests import datasets, losses
from evallang.stats.hypothesis_tests.contingency import mcnemar
from evallang.stats.hypothesis_tests.folds import corrected_t
from evallang.stats.power import corrected_alpha

R = figures("from_r")


@pytest.mark.parametrize("variant", ["midp", "exact", "chi2", "corrected"])
def test_exact_power_adds_up_all_tables_that_are_rejected(variant):
    n, discordant, gap, alpha = 23, 0.5, 0.3, 0.04
    p, q = (discordant + gap) / 2, (discordant - gap) / 2
    expected = 0.0
    for b, c in itertools.product(range(n + 1), repeat=2):
        if b + c <= n and mcnemar([[0, b], [c, n - b - c]], method=variant).p <= alpha:
            expected += stats.multinomial.pmf([b, c, n - b - c], n, [p, q, 1 - p - q])
    found = mcnemar_power(gap, discordant, n, alpha, variant=variant)
    assert found.power == pytest.approx(expected, rel=1e-9)


def test_the_exact_size_is_enough_from_there_on_and_not_just_before():
    found = mcnemar_size(0.1, 0.3)
    assert mcnemar_power(0.1, 0.3, found.n - 1).power < 0.8
    assert all(mcnemar_power(0.1, 0.3, n).power >= 0.8 for n in range(found.n, found.n + 12))


def test_the_detectable_difference_has_the_target_power_at_the_corrected_level():
    alpha = corrected_alpha(0.05, 10, "holm")
    assert alpha == 0.005
    found = mcnemar_detectable(0.08, 500, alpha)
    assert found.power == pytest.approx(0.8, abs=1e-6)
    assert mcnemar_power(found.difference * 0.99, 0.08, 500, alpha).power < 0.8
    assert found.difference > mcnemar_detectable(0.08, 500).difference


def test_a_sample_that_is_too_small_detects_nothing():
    found = mcnemar_detectable(0.1, 20)
    assert (found.difference, found.power) == (None, None)
    assert "no difference is found" in found.notes[0]


def test_levels_of_a_family():
    assert corrected_alpha(0.05, 5, "sidak") == pytest.approx(1 - 0.95**0.2, rel=1e-12)
    assert corrected_alpha(0.05, 5, "uncorrected") == 0.05
    with pytest.raises(ValueError, match="one comparison or more"):
        corrected_alpha(0.05, 0)


@pytest.mark.parametrize(
    "power",
    [
        lambda d: mcnemar_power(d, 0.1, 100),
        lambda d: mcnemar_size(d, 0.1),
        lambda d: t_power(d, 1.0, 10),
        lambda d: t_size(d, 1.0),
        lambda d: rank_power("sign", d, 1.0, 10),
    ],
)
def test_power_at_the_observed_difference_is_refused_by_name(power):
    with pytest.raises(ValueError, match="Hoenig & Heisey 2001"):
        power("observed")
    with pytest.raises(ValueError, match="finite"):
        power(math.nan)


def test_assumptions_that_contradict_each_other_are_refused():
    with pytest.raises(ValueError, match="at most the share"):
        mcnemar_power(0.2, 0.1, 100)
    with pytest.raises(ValueError, match="above 0"):
        t_power(0.1, 0.0, 10)
    with pytest.raises(ValueError, match="more than 16,777,216 would be needed"):
        mcnemar_size(1e-6, 0.1)
    with pytest.raises(ValueError, match="three models"):
        rank_power("friedman", 0.1, 1.0, 10)
    with pytest.raises(ValueError, match="between 0 and 1"):
        mcnemar_detectable(0.1, 100, target=1.0)


def test_the_power_of_the_t_test_is_rs_and_statsmodels():
    assert t_power(0.4, 0.7, 15, 0.02).power == pytest.approx(R["t_power"], rel=1e-8)
    assert t_size(0.4, 0.7, 0.02, 0.9).n == math.ceil(R["t_size"])
    expected = TTestPower().power(0.3, 25, 0.05)
    assert t_power(-0.3, 1.0, 25).power == pytest.approx(expected, rel=1e-8)


def test_the_detectable_mean_has_the_target_power():
    found = t_detectable(0.7, 15, 0.02, 0.9)
    assert found.power == pytest.approx(0.9, abs=1e-6)
    assert t_power(found.difference, 0.7, 15, 0.02).power == pytest.approx(0.9, abs=1e-6)


def test_the_power_of_the_corrected_t_is_what_correlated_folds_give():
    # Differences of ten folds with correlation rho = r/(1 + r), r = 1/9, as the test assumes
    ratio, sd, gap = 1 / 9, 0.03, 0.025
    rho = ratio / (1 + ratio)
    random = np.random.default_rng(8)
    # The variance within folds is (1 - rho) of the whole: s² estimates that
    whole = sd / math.sqrt(1 - rho)
    hits = 0
    for _ in range(4000):
        shared = math.sqrt(rho) * random.normal()
        d = gap + whole * (shared + math.sqrt(1 - rho) * random.normal(size=10))
        hits += corrected_t(d, np.zeros(10), test_train_ratio=ratio).p <= 0.05
    found = t_power(gap, sd, 10, test_train_ratio=ratio)
    assert found.test == "corrected_t"
    assert found.power == pytest.approx(hits / 4000, abs=0.032)


@pytest.mark.parametrize("shape", [(12, 3), (30, 3), (5, 4), (20, 6), (1, 4)])
def test_what_friedmans_simulation_counts_is_p_of_the_test(shape):
    drawn = np.random.default_rng(2).normal(0, 1, (25, *shape))
    drawn[0] = np.arange(shape[1])  # all data sets agree
    found = datasets.p_of_draws(drawn, "two_sided")
    for table, p in zip(drawn, found, strict=True):
        expected = datasets.friedman(table, "higher").p
        assert p == (1.0 if expected is None else pytest.approx(expected, rel=1e-10))


@pytest.mark.parametrize("side", ["two_sided", "greater"])
def test_what_the_simulation_of_signed_ranks_counts_is_p_of_scipys_test(side):
    drawn = np.random.default_rng(2).normal(0.3, 1, (200, 14))
    expected = stats.wilcoxon(
        drawn, alternative=side.replace("_", "-"), axis=1, method="exact"
    ).pvalue
    assert losses.p_of_draws(drawn, side) == pytest.approx(expected, rel=1e-10)


def test_the_power_of_the_sign_test_is_binomial():
    wins = stats.norm.cdf(0.6)
    least = next(k for k in range(10, 19) if 2 * stats.binom.sf(k - 1, 18, 0.5) <= 0.05)
    exact = stats.binom.sf(least - 1, 18, wins) + stats.binom.cdf(18 - least, 18, wins)
    found = rank_power("sign", 0.6, 1.0, 18, seed=1)
    assert found.power == pytest.approx(exact, rel=1e-10)
    assert found.mc_se is None


def test_too_few_data_sets_reject_nothing():
    # Five signs: p is at least 2/32
    for test in ("wilcoxon", "sign"):
        found = rank_detectable(test, 1.0, 5, rounds=200)
        assert found.difference is None
        assert "too few" in found.notes[0]
    assert rank_power("wilcoxon", 50.0, 1.0, 6, rounds=200).power == 1.0


def test_the_detectable_difference_of_ranks_has_the_target_power_on_its_draws():
    found = rank_detectable("wilcoxon", 0.02, 20, rounds=2000, seed=4)
    again = rank_power("wilcoxon", found.difference, 0.02, 20, rounds=2000, seed=4)
    assert again.power == found.power
    assert found.power == pytest.approx(0.8, abs=0.002)
    with pytest.raises(ValueError, match="between 0 and 1"):
        rank_detectable("wilcoxon", 1.0, 20, target=0.0)


def test_no_number_of_splits_is_enough_for_a_difference_below_their_overlap():
    with pytest.raises(ValueError, match="would be needed"):
        t_size(0.01, 0.03, test_train_ratio=1 / 9)
    found = t_size(0.05, 0.03, test_train_ratio=1 / 9)
    before = t_power(0.05, 0.03, found.n - 1, test_train_ratio=1 / 9)
    assert found.power >= 0.8 > before.power


def test_the_number_of_data_sets_is_the_first_with_the_power_aimed_at():
    found = rank_size("sign", 1.0, 1.0)
    assert found.power >= 0.8 > rank_power("sign", 1.0, 1.0, found.n - 1).power
    # power of the sign test by the binomial: a win has probability Phi(1)
    win = stats.norm.cdf(1.0)
    critical = next(
        k for k in range(found.n + 1) if 2 * stats.binom.sf(k - 1, found.n, 0.5) <= 0.05
    )
    exact = stats.binom.sf(critical - 1, found.n, win)
    # and of as many losses, whose probability is 1 - Phi(1)
    exact += stats.binom.cdf(found.n - critical, found.n, win)
    assert found.power == pytest.approx(exact, rel=1e-10)
    with pytest.raises(ValueError, match="would be needed"):
        rank_size("friedman", 0.01, 1.0, models=3, rounds=20)


@pytest.mark.parametrize("variant", ["midp", "exact", "chi2", "corrected", "textbook"])
def test_one_sided_power_adds_up_the_tables_that_the_one_sided_test_rejects(variant):
    n, discordant, gap, alpha = 31, 0.6, 0.25, 0.05
    p, q = (discordant + gap) / 2, (discordant - gap) / 2
    expected = 0.0
    for b, c in itertools.product(range(n + 1), repeat=2):
        if b + c > n:
            continue
        found = mcnemar([[0, b], [c, n - b - c]], method=variant, alternative="greater")
        if found.p <= alpha:
            expected += stats.multinomial.pmf([b, c, n - b - c], n, [p, q, 1 - p - q])
    found = mcnemar_power(gap, discordant, n, alpha, variant=variant, one_sided=True)
    assert found.power == pytest.approx(expected, rel=1e-9)
    assert found.power > mcnemar_power(gap, discordant, n, alpha, variant=variant).power


def test_one_sided_power_of_the_t_test_is_statsmodels():
    expected = TTestPower().power(0.3, 25, 0.05, alternative="larger")
    assert t_power(0.3, 1.0, 25, one_sided=True).power == pytest.approx(expected, rel=1e-8)
    nobs = TTestPower().solve_power(0.3, power=0.9, alpha=0.02, alternative="larger")
    assert t_size(0.3, 1.0, 0.02, 0.9, one_sided=True).n == math.ceil(nobs)


def test_one_sided_power_of_signs_is_binomial_and_of_ranks_that_of_the_test():
    wins = stats.norm.cdf(0.6)
    least = next(k for k in range(19) if stats.binom.sf(k - 1, 18, 0.5) <= 0.05)
    found = rank_power("sign", 0.6, 1.0, 18, seed=1, one_sided=True)
    assert found.power == pytest.approx(stats.binom.sf(least - 1, 18, wins), rel=1e-10)
    drawn = np.random.default_rng(3).normal(0.5, 1, (2000, 15))
    p = stats.wilcoxon(drawn, alternative="greater", axis=1, method="exact").pvalue
    found = rank_power("wilcoxon", 0.5, 1.0, 15, seed=1, one_sided=True)
    assert found.power == pytest.approx((p <= 0.05).mean(), abs=0.05)


@pytest.mark.parametrize(("n", "gap", "side"), [(150, 0.25, "two-sided"), (300, 0.12, "greater")])
def test_the_power_of_many_signed_ranks_is_that_of_scipys_test(n, gap, side):
    drawn = np.random.default_rng(4).normal(gap, 1, (3000, n))
    p = stats.wilcoxon(drawn, alternative=side, axis=1, method="approx").pvalue
    found = rank_power("wilcoxon", gap, 1.0, n, one_sided=side == "greater")
    # 3,000 samples have an error of 0.9 points
    assert found.power == pytest.approx((p <= 0.05).mean(), abs=0.036)
    assert found.mc_se is None


def test_a_hundred_thousand_differences_take_no_time_and_no_memory():
    found = rank_detectable("wilcoxon", 1.0, 100_000)
    # The test of ranks is 3/pi as efficient as t for normal differences
    expected = t_detectable(1.0, round(100_000 * 3 / math.pi)).difference
    assert found.difference == pytest.approx(expected, rel=0.01)
    assert rank_size("wilcoxon", 0.02, 1.0).n == pytest.approx(
        t_size(0.02, 1.0).n * math.pi / 3, rel=0.01
    )


def test_a_relation_is_solved_for_the_one_that_is_left_out():
    for difference, n, target in [(0.1, None, None), (None, None, 0.8), (0.1, 100, 0.8)]:
        with pytest.raises(ValueError, match="the third is found"):
            mcnemar_power(difference, 0.3, n, 0.05, target)


def test_a_one_sided_level_is_below_one_half():
    for power in (
        lambda: mcnemar_power(0.1, 0.3, 50, 0.6, one_sided=True),
        lambda: t_power(0.1, 1.0, 50, 0.6, one_sided=True),
        lambda: rank_power("sign", 0.1, 1.0, 50, 0.6, one_sided=True),
    ):
        with pytest.raises(ValueError, match=r"below 0\.5"):
            power()
