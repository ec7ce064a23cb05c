"""Comparisons over data sets: the right answer, and which package gets it wrong (peers.md)."""

import itertools

import numpy as np
import pytest
from many_cases import for_each
from scipy import stats

from evallang.stats import rank_scores
from evallang.stats.corrections import correction as family, pairwise_corrections
from evallang.stats.effect_sizes.effect_size import rank_models
from evallang.stats.hypothesis_tests import bayesian, datasets


@for_each(
    ("models", "q"),
    [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (6, 2.850), (7, 2.949), (8, 3.031),
     (9, 3.102), (10, 3.164)],
)  # fmt: skip
def test_nemenyis_critical_values_are_those_of_as_many_models(models, q):
    # aeon 1.6 reads its table one place too far: 2.728 for four models. Demšar 2006, table 5a
    found = rank_scores.critical_difference(models, 6) / (models * (models + 1) / 36) ** 0.5
    assert found == pytest.approx(q, abs=1e-3)


def test_ranks_088_apart_differ_among_four_models_on_thirty_data_sets():
    # aeon 1.6: joined, with a critical difference of .909 (2.728) in place of .856 (2.569)
    ranks = np.array([[2, 3, 1, 4], [2, 3, 4, 1]] * 14 + [[3, 2, 1, 4], [3, 2, 4, 1]], dtype=float)
    found = datasets.nemenyi(ranks, "lower", (0, 1))
    assert found.estimate.value == pytest.approx(-26 / 30, rel=1e-12)
    assert found.extra["critical_difference"] == pytest.approx(0.856, abs=5e-4)
    assert found.p < 0.05
    assert found.estimate.high < 0
    assert 26 / 30 < 2.728 * (4 * 5 / (6 * 30)) ** 0.5


def test_critical_differences_of_sixty_models_and_any_level_exist():
    # aeon 1.6: tables for .01, .05 and .1 with 57 entries, IndexError beyond
    values = [rank_scores.critical_difference(60, 100, level) for level in (0.5, 0.93, 0.999)]
    assert values == sorted(values)


def test_five_equal_models_are_rarely_told_apart_beside_a_bad_one():
    # aeon 1.6 "wilcoxon" with "holm": family-wise error .133; 500 studies, standard error .01
    rng, errors = np.random.default_rng(1), 0
    for _ in range(500):
        scores = rng.normal(0, 1, (20, 6)) - np.array([0, 0, 0, 0, 0, 5.0])
        ranks = rank_scores.row_ranks(scores).mean(axis=0)[:5]
        reach = ranks.max() - ranks.min()
        errors += reach >= rank_scores.critical_difference(6, 20)
    assert errors / 500 <= 0.05 + 3 * 0.01


def test_holm_stops_at_the_first_that_is_not_rejected():
    # Multi_Comparison_Matrix, and aeon's copy: (True, False, True)
    adjusted = family.holm([0.001, 0.030, 0.040])
    assert [p <= 0.05 for p in adjusted] == [True, False, False]


def test_ten_pairs_of_five_models_are_ten_hypotheses():
    # aeon 1.6 "holm" compares each p of all pairs with alpha/(k - 1) = .0125
    p = [0.008, *[0.5] * 9]
    assert family.holm(p)[0] == pytest.approx(0.08, rel=1e-12)
    # The most that can be equal at once are all ten
    assert pairwise_corrections.shaffer(p)[0] == pytest.approx(0.08, rel=1e-12)
    assert pairwise_corrections.bergmann_hommel(p)[0] == pytest.approx(0.08, rel=1e-12)


def test_adjusted_p_values_end_at_1():
    # critdd: adjusted p-values above 1
    for correction in (pairwise_corrections.shaffer, pairwise_corrections.bergmann_hommel):
        assert max(correction([0.4, 0.5, 0.6])) == 1.0
    scores = np.random.default_rng(2).random((6, 8))
    for pair in itertools.combinations(range(8), 2):
        assert datasets.bonferroni_dunn(scores, "higher", pair).p <= 1.0


def test_two_models_are_tested_in_both_directions():
    # autorank: one-sided in the direction of the data, so that 5 % are 8 to 10 %
    first, second = np.arange(9) + 1.0, np.zeros(9)
    assert datasets.sign(first, second).p == datasets.sign(second, first).p == 2 / 2**9


def test_the_interval_of_a_median_covers_its_level_and_not_far_more():
    # autorank: n/2 ± z sqrt(n/2) in place of z sqrt(n)/2; coverage .9875 to .996 for 95 %
    for n, most in ((20, 0.965), (50, 0.968), (200, 0.963)):
        estimate = datasets.sign(np.arange(n) + 1.0, np.zeros(n)).estimate
        rank = int(estimate.low)
        coverage = 1 - 2 * stats.binom.cdf(rank - 1, n, 0.5)
        assert estimate.high == n + 1 - rank
        assert 0.95 <= coverage <= most


def test_f_decides_and_not_chi_squared():
    # autorank and scipy: chi-squared only, which is conservative (Iman & Davenport 1980)
    found = datasets.friedman(datasets.DEMSAR_RANKS, "lower")
    assert found.statistic.name == "F"
    assert found.p < found.extra["p_chi2"]


def test_a_data_set_with_a_missing_score_is_left_out_aloud_or_counted():
    # autorank refuses NaN; scikit-posthocs drops incomplete blocks without a word
    scores = np.array(datasets.DEMSAR_AUC)
    scores[0, 0] = np.nan
    left_out = datasets.friedman(scores)
    worst = datasets.friedman(scores, "higher", missing="worst")
    assert left_out.notes == ("1 of 14 data sets lack a score and are excluded",)
    assert worst.extra["n"] == 14


def test_effect_sizes_come_with_intervals_and_the_paired_one_first():
    # autorank: pooled standard deviations of unpaired columns, without intervals;
    # scikit-posthocs: p-values alone
    scores = np.array(datasets.DEMSAR_AUC)
    found = datasets.sign(scores[:, 1], scores[:, 0])
    assert found.effects[0].name == "rank-biserial correlation"
    assert all(effect.low < effect.value < effect.high for effect in found.effects)
    assert found.estimate.value is not None


def test_ranks_turn_with_the_direction_of_the_metric():
    # mlr3benchmark #29: the critical-difference plot ranks errors as if high ones were good
    errors = [[0.1, 0.2, 0.3]] * 5
    assert rank_scores.average_ranks(errors, "lower") == (1.0, 2.0, 3.0)
    assert rank_models(errors, "abc", "lower").win_tie_loss[0] == (
        "a",
        "b",
        5,
        0,
        0,
    )


def test_equal_decimals_tie_over_data_sets():
    # scipy friedmanchisquare and R quade.test: .1 + .2 ranks above .3
    found = datasets.friedman([[0.1 + 0.2, 0.3, 0.1], [0.5, 0.5, 0.4], [0.7, 0.7, 0.2]])
    assert found.p == pytest.approx(1 / 3**2, rel=1e-12)
    exact = datasets.quade([[0.95, 0.90, 0.90], [0.15, 0.10, 0.10], [0.2, 0.4, 0.3]])
    same = datasets.quade([[95, 90, 90], [15, 10, 10], [20, 40, 30]])
    assert exact.p == pytest.approx(same.p, rel=1e-10)


def test_complete_agreement_of_few_data_sets_is_not_p_0():
    # scmamp and others: F infinite, p = 0; three data sets agree on four models by chance 1/576
    assert datasets.friedman([[1, 2, 3, 4]] * 3).p == pytest.approx(1 / 24**2, rel=1e-12)


def test_ties_lower_the_variance_of_aligned_ranks():
    # García et al. 2010 and scmamp: the variance without ties, 252/58 here
    found = datasets.friedman_aligned(datasets.THREE_SETS)
    assert found.statistic.value == pytest.approx(252 / 56, rel=1e-12)


def test_the_bayesian_signed_rank_test_of_two_thousand_data_sets_is_no_matter_of_pairs():
    # baycomp: an outer product of N x N weights for each of 50,000 samples; 2e11 here
    rng = np.random.default_rng(3)
    first = rng.random(2000)
    found = bayesian.bayes_signed_rank(first, first + 0.002, samples=5000, better="higher")
    assert found.extra["p_rope"] == 1.0


def test_bayesian_tests_over_data_sets_take_their_seed():
    # baycomp, single data set: np.random.standard_t whatever the seed; rliable: the global state
    np.random.seed(1)
    rng = np.random.default_rng(4)
    x, y = rng.random(12), rng.random(12)
    one = bayesian.bayes_signed_rank(x, y, seed=5, better="higher")
    np.random.seed(2)
    assert bayesian.bayes_signed_rank(x, y, seed=5, better="higher") == one
