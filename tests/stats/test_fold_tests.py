"""Tests over folds against scipy, mlxtend and the formulas of their papers."""

import math

import numpy as np
import pytest
from many_cases import for_each
from mlxtend.evaluate import combined_ftest_5x2cv, paired_ttest_5x2cv
from scipy import stats
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

from evallang.stats.hypothesis_tests.folds import (
    corrected_t,
    five_by_two_f,
    five_by_two_t,
    kfold_t,
    resampled_t,
)

RANDOM = np.random.default_rng(5)
FIRST, SECOND = 0.8 + 0.05 * RANDOM.normal(size=(2, 10))


@pytest.mark.parametrize("function", [kfold_t, resampled_t])
def test_the_plain_t_tests_are_scipys_paired_t_test(function):
    expected = stats.ttest_rel(FIRST, SECOND)
    found = function(FIRST, SECOND, 0.9)
    assert found.statistic.value == pytest.approx(expected.statistic, rel=1e-10)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-10)
    assert found.df == (expected.df,)
    low, high = expected.confidence_interval(0.9)
    assert found.estimate.low == pytest.approx(low, rel=1e-10)
    assert found.estimate.high == pytest.approx(high, rel=1e-10)


def test_the_corrected_t_widens_the_variance_by_the_ratio_of_the_sums_of_sizes():
    # Nadeau & Bengio 2003: variance (1/J + n_test/n_train) s²; unequal folds of 103 rows
    n_test = np.array([11, 11, 11] + [10] * 7)
    n_train = 103 - n_test
    d = FIRST - SECOND
    ratio = n_test.sum() / n_train.sum()
    expected = d.mean() / math.sqrt((1 / 10 + ratio) * d.var(ddof=1))
    found = corrected_t(FIRST, SECOND, n_train, n_test, 0.95)
    assert found.statistic.value == pytest.approx(expected, rel=1e-12)
    assert found.p == pytest.approx(2 * stats.t.sf(abs(expected), 9), rel=1e-10)
    assert not found.notes


def test_the_interval_holds_0_just_where_p_is_above_the_level():
    for shift in np.linspace(-0.2, 0.2, 41):
        found = corrected_t(FIRST + shift, SECOND, [90] * 10, [10] * 10)
        assert (found.estimate.low <= 0 <= found.estimate.high) == (found.p >= 0.05)


def test_a_ratio_that_nothing_states_is_asked_for():
    known = corrected_t(FIRST, SECOND, [90] * 10, [10] * 10)
    found = corrected_t(FIRST, SECOND, test_train_ratio=1 / 9)
    assert found.p == pytest.approx(known.p, rel=1e-12)
    with pytest.raises(ValueError, match="test_train_ratio"):
        corrected_t(FIRST, SECOND)


def test_the_authors_ratio_is_taken_before_the_sizes():
    found = corrected_t(FIRST, SECOND, [90] * 10, [10] * 10, test_train_ratio=1 / 2)
    assert found.p == corrected_t(FIRST, SECOND, test_train_ratio=1 / 2).p
    assert not found.notes
    with pytest.raises(ValueError, match="above 0"):
        corrected_t(FIRST, SECOND, test_train_ratio=0.0)


def test_folds_without_a_score_are_left_out_with_their_sizes():
    first = np.append(FIRST, np.nan)
    found = corrected_t(first, np.append(SECOND, 0.5), [90] * 10 + [1], [10] * 10 + [99])
    assert found.p == corrected_t(FIRST, SECOND, [90] * 10, [10] * 10).p
    assert "1 of 11 folds" in found.notes[0]


def halves_t(first, second):
    """Return the corrected test over splits of which half is tested."""
    return corrected_t(first, second, test_train_ratio=1.0)


@pytest.mark.parametrize("function", [kfold_t, resampled_t, halves_t])
def test_equal_scores_differ_with_p_1(function):
    # 0.1 + 0.2 and 0.3 are equal decimals
    found = function([0.3, 0.6, 0.7], [0.1 + 0.2, 0.2 + 0.4, 0.7])
    assert found.p == 1.0
    assert found.statistic.value is None
    assert found.estimate.value == 0.0
    assert found.notes


@pytest.mark.parametrize("function", [kfold_t, resampled_t, halves_t])
def test_a_constant_difference_is_certain_also_where_rounding_blurs_it(function):
    # 0.3 - 0.2, 0.6 - 0.5 and 1.1 - 1.0 differ in their last bits
    found = function([0.3, 0.6, 1.1], [0.2, 0.5, 1.0])
    assert found.p == 0.0
    assert found.statistic.value == math.inf
    assert function([0.2, 0.5, 1.0], [0.3, 0.6, 1.1]).statistic.value == -math.inf
    assert found.notes
    assert all(effect.value is None for effect in found.effects)


def test_effects_are_the_difference_in_standard_deviations():
    d = FIRST - SECOND
    dz, g = kfold_t(FIRST, SECOND).effects
    assert dz.value == pytest.approx(d.mean() / d.std(ddof=1), rel=1e-12)
    # Hedges' exact factor by its approximation 1 - 3/(4 df - 1), which is good to 1e-3
    assert g.value == pytest.approx(dz.value * (1 - 3 / 35), rel=1e-3)


def five_by_two_scores(first, second, x, y, seed):
    """Fit and score on the splits that mlxtend draws."""
    random, found = np.random.RandomState(seed), np.empty((2, 5, 2))
    for repeat in range(5):
        split = train_test_split(
            x, y, test_size=0.5, random_state=random.randint(low=0, high=32767)
        )
        for fold, (train, test) in enumerate([(0, 1), (1, 0)]):
            for model, estimator in enumerate([first, second]):
                fitted = estimator.fit(split[train], split[2 + train])
                found[model, repeat, fold] = fitted.score(split[test], split[2 + test])
    return found


def test_the_5x2cv_tests_agree_with_mlxtend_on_the_same_splits():
    x, y = load_iris(return_X_y=True)
    x = x[:, :2]
    models = LogisticRegression(max_iter=1000), GaussianNB()
    first, second = five_by_two_scores(*models, x, y, 1)
    t, p = paired_ttest_5x2cv(*models, x, y, random_seed=1)
    found = five_by_two_t(first, second)
    assert found.statistic.value == pytest.approx(t, rel=1e-10)
    assert found.p == pytest.approx(p, rel=1e-10)
    f, p = combined_ftest_5x2cv(*models, x, y, random_seed=1)
    found = five_by_two_f(first, second)
    assert found.statistic.value == pytest.approx(f, rel=1e-10)
    assert found.p == pytest.approx(p, rel=1e-10)


def test_the_numerator_may_be_the_mean_of_the_first_pair():
    # Zhou 2021, 2.4.2
    d = RANDOM.normal(size=(5, 2))
    variances = d.var(axis=1, ddof=1)
    found = five_by_two_t(d, np.zeros((5, 2)), numerator="mean")
    expected = d[0].mean() / math.sqrt(variances.mean())
    assert found.statistic.value == pytest.approx(expected, rel=1e-12)
    assert found.variant == "mean"


def test_5x2cv_tests_of_identical_models_have_p_1():
    scores = RANDOM.random((5, 2))
    for function in (five_by_two_t, five_by_two_f):
        found = function(scores, scores)
        assert found.p == 1.0
        assert found.notes


def test_5x2cv_tests_of_a_constant_difference_are_certain():
    scores = RANDOM.random((5, 2))
    for function in (five_by_two_t, five_by_two_f):
        found = function(scores + 0.1, scores)
        assert found.p == 0.0
        assert found.statistic.value == math.inf
        assert found.notes


def test_a_5x2cv_test_wants_five_repeats_of_two_folds():
    for function in (five_by_two_t, five_by_two_f):
        with pytest.raises(ValueError, match="five repeats of two folds"):
            function(FIRST, SECOND)
        with pytest.raises(ValueError, match="every fold"):
            function(FIRST, SECOND[:9])


def test_scores_and_sizes_belong_to_folds():
    with pytest.raises(ValueError, match="every fold"):
        corrected_t(FIRST, SECOND[:9])
    with pytest.raises(ValueError, match="every fold or not at all"):
        corrected_t(FIRST, SECOND, [90], [10])


@for_each("seed", range(20))
@for_each("function", [five_by_two_t, five_by_two_f])
def test_the_5x2cv_interval_excludes_zero_just_where_the_test_rejects(function, seed):
    rng = np.random.default_rng(seed)
    d = rng.normal(seed / 12, 1.0, size=(5, 2))
    found = function(d, np.zeros((5, 2)), 0.95)
    low, high = found.estimate.low, found.estimate.high
    holds = low is not None and low <= 0 <= high
    assert holds == (found.p > 0.05)


def test_a_5x2cv_bound_is_where_the_shifted_test_stops_rejecting():
    d = np.random.default_rng(5).normal(0.8, 1.0, size=(5, 2))
    for function in (five_by_two_t, five_by_two_f):
        bound = function(d, np.zeros((5, 2)), 0.95).estimate.low
        assert function(d - bound, np.zeros((5, 2))).p == pytest.approx(0.05, rel=1e-9)
