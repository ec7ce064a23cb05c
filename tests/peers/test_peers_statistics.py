"""The same input, the right answer, and which package gets it wrong (design/peers.md)."""

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from evallang.stats.corrections import correction as family
from evallang.stats.hypothesis_tests import contingency, folds
from evallang.stats.intervals import proportions, ranking
from evallang.stats.score_counts import place_scores


@pytest.mark.parametrize("method", ["midp", "exact", "corrected", "chi2", "textbook"])
def test_identical_classifiers_do_not_differ(method):
    # mlxtend 0.25 mcnemar (its default) and statsmodels 0.15 mcnemar(exact=False): inf, p = 0
    for table in ([[10, 0], [0, 10]], [[100, 0], [0, 0]]):
        assert contingency.mcnemar(table, method=method).p == 1.0


def test_equally_many_discordant_pairs_are_no_evidence_against_equality():
    # mlxtend 0.25 mcnemar: chi2 = 0.1, p = 0.752 for b = c = 5
    found = contingency.mcnemar([[10, 5], [5, 10]], method="corrected")
    assert (found.statistic.value, found.p) == (0.0, 1.0)


def test_the_exact_p_of_11_and_1_is_that_of_the_binomial_distribution():
    # mlxtend's documentation still prints .005859375; 2 * 13/4096 is right
    found = contingency.mcnemar([[9959, 11], [1, 29]], method="exact")
    assert found.p == pytest.approx(2 * 13 / 4096, rel=1e-12)


def test_the_exact_p_is_at_most_1():
    # Raschka 2018, 4.4 as printed sums from b on: 2 * P(X >= 5) = 1.246 for b = c = 5
    assert contingency.mcnemar([[10, 5], [5, 10]], method="exact").p == 1.0


def test_the_p_of_two_accuracies_is_two_sided_and_symmetric():
    # mlxtend 0.25 proportion_difference(.9, .8, 100): .977, and swapped .023
    one = contingency.proportions_z([[75, 15], [5, 5]])
    other = contingency.proportions_z([[75, 5], [15, 5]])
    z = 0.1 / math.sqrt(2 * 0.85 * 0.15 / 100)
    assert one.p == other.p == pytest.approx(2 * scipy_stats.norm.sf(z), rel=1e-10)


def test_looneys_f_has_m_minus_1_times_n_minus_1_degrees_of_freedom():
    # mlxtend 0.25 ftest: (M - 1) n, which makes p too small
    patterns = [(1, 1, 1, 80), (1, 1, 0, 2), (1, 0, 0, 2), (0, 1, 1, 9), (0, 1, 0, 1)]
    patterns += [(0, 0, 1, 3), (0, 0, 0, 3)]
    correct = np.repeat([row[:3] for row in patterns], [row[3] for row in patterns], axis=0)
    found = contingency.looney_f(correct)
    # By hand: SSA 128/300, SSAB 3272/300
    f = (128 / 2) / (3272 / 198)
    assert found.p == pytest.approx(scipy_stats.f.sf(f, 2, 198), rel=1e-10)
    assert found.p > scipy_stats.f.sf(f, 2, 200)


def test_cochrans_q_of_equal_models_has_p_1():
    # mlxtend 0.25 cochrans_q and statsmodels 0.15 cochrans_q: NaN
    for correct in (np.ones((20, 4)), np.zeros((20, 4))):
        found = contingency.cochran(correct)
        assert found.p == 1.0
        assert found.statistic.value is None


def test_cochrans_q_of_twenty_models_is_no_matter_of_two_to_the_twenty():
    # mlxtend 0.25 cochrans_q enumerates 2^M patterns: 10 s for M = 20; M = 64 cannot end
    correct = np.random.default_rng(1).random((500, 64)) < 0.9
    assert 0 < contingency.cochran(correct).p < 1


def test_5x2cv_tests_of_identical_models_have_p_1():
    # mlxtend 0.25: paired_ttest_5x2cv (nan, nan), combined_ftest_5x2cv ZeroDivisionError
    scores = np.full((5, 2), 0.9)
    assert folds.five_by_two_t(scores, scores).p == 1.0
    assert folds.five_by_two_f(scores, scores).p == 1.0


def test_the_corrected_t_takes_a_root_and_both_tails():
    # correctipy: sd * (1/n + n2/n1) without the root, and one tail; correctR's kfold_ttest
    # uses (1/n + 1/k)/(1 - 1/k) with n documented as the number of rows
    d = np.array([0.02, 0.05, 0.01, 0.04, 0.03])
    found = folds.corrected_t(d, np.zeros(5), [80] * 5, [20] * 5)
    # mean .03, variance .00025, factor 1/5 + 1/4
    expected = 0.03 / math.sqrt(0.00025 * 0.45)
    assert found.statistic.value == pytest.approx(expected, rel=1e-12)
    assert found.p == pytest.approx(2 * scipy_stats.t.sf(expected, 4), rel=1e-10)


def test_the_sum_of_differences_being_0_is_not_what_makes_p_1():
    # correctR: `if (sum(d) == 0) p = 1`; here the mean is 0 with variance, so t is 0
    found = folds.corrected_t([0.1, -0.1, 0.2, -0.2], [0.0] * 4, test_train_ratio=1 / 3)
    assert found.statistic.value == 0.0
    assert found.p == 1.0
    assert found.estimate.low < 0 < found.estimate.high


def test_adjusted_p_values_stay_with_their_hypotheses():
    # deep-significance bonferroni_correction: [.06, .5, .004, .6]
    assert family.holm([0.3, 0.001, 0.5, 0.02]) == pytest.approx((0.6, 0.004, 0.6, 0.06))
    assert family.bonferroni([0.3, 0.001, 0.5, 0.02]) == pytest.approx((1, 0.004, 1, 0.08))


def test_holm_steps_through_all_thresholds():
    # aeon 1.6 "holm" compares each p with alpha/(k - 1); Holm with alpha/(m - i)
    p = [0.01, 0.02, 0.03, 0.04]
    assert family.holm(p) == pytest.approx((0.04, 0.06, 0.06, 0.06))


def test_a_perfect_area_is_1_and_its_interval_has_a_width():
    # confidenceinterval: float32 gives .99999994 and [.9999999, .9999999]
    truth = np.arange(1000) >= 400
    found = ranking.delong(truth, np.arange(1000), 0.95)
    assert found.high == 1.0
    assert found.low == pytest.approx(0.025 ** (1 / 400), rel=1e-12)


def test_the_area_of_a_million_scores_is_exact():
    # confidenceinterval: float32 mid-ranks err by 6e-8 at n = 1e6
    n = 1_000_000
    truth = np.arange(n) % 2 == 1
    # Each of the m = n/2 positives is above as many negatives as its place: (m + 1)/(2 m)
    (area,) = place_scores(truth, [np.arange(n)]).areas
    assert area == pytest.approx((n / 2 + 1) / n, rel=1e-14)


def test_an_interval_for_an_area_stays_inside_0_and_1():
    # confidenceinterval: Wald on the plain scale, (.904, 1.036) for an area of .97
    truth = np.r_[np.ones(10), np.zeros(10)]
    scores = np.r_[np.arange(10, 20), np.arange(9), 12.5]
    found = ranking.delong(truth, scores, 0.95)
    assert 0 < found.low < 0.97 < found.high < 1


def test_one_positive_does_not_break_the_area():
    # confidenceinterval #14: crash
    found = ranking.delong([1, 0, 0], [0.4, 0.2, 0.6], 0.95)
    assert found.low is None
    assert found.notes


def test_the_interval_of_a_perfect_accuracy_has_a_width():
    # Wald (Raschka 2018, 1.7): [1, 1]
    found = proportions.wilson(50, 50, 0.95)
    assert found.high == 1.0
    assert found.low == pytest.approx(50 / (50 + 1.959963984540054**2), rel=1e-12)
