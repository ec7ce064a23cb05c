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
