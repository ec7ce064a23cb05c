"""Intervals over folds against scipy and the formulas of their papers."""

import math

import numpy as np
import pytest
from scipy import stats

from evallang.stats.hypothesis_tests import folds as tests
from evallang.stats.intervals.cross_validation import corrected_t, cv_clt, t

RANDOM = np.random.default_rng(2)
VALUES = 0.8 + 0.05 * RANDOM.normal(size=10)
LOSSES, FOLDS = RANDOM.exponential(size=50), np.arange(50) % 5


def test_the_t_interval_is_scipys():
    low, high = stats.ttest_1samp(VALUES, 0).confidence_interval(0.9)
    found = t(VALUES, 0.9)
    assert found.low == pytest.approx(low, rel=1e-12)
    assert found.high == pytest.approx(high, rel=1e-12)


def test_the_corrected_interval_of_a_difference_is_that_of_the_corrected_test():
    other = 0.7 + 0.05 * RANDOM.normal(size=10)
    sizes = [91] * 9 + [90], [10] * 9 + [11]
    expected = tests.corrected_t(VALUES, other, *sizes, 0.99).estimate
    found = corrected_t(VALUES - other, *sizes, 0.99)
    assert found.low == pytest.approx(expected.low, rel=1e-12)
    assert found.high == pytest.approx(expected.high, rel=1e-12)


def test_unknown_sizes_are_asked_for():
    with pytest.raises(ValueError, match="test_train_ratio"):
        corrected_t(VALUES, None, None, 0.95)


def test_equal_values_have_no_width_and_a_note():
    found = t([0.3, 0.1 + 0.2, 0.3], 0.95)
    assert found.low == found.high
    assert found.notes


def test_cv_clt_over_all_pairs_is_the_normal_interval_with_divisor_n():
    # Bayle et al. 2020
    found = cv_clt(LOSSES, FOLDS, 0.95)
    low, high = stats.norm.interval(0.95, LOSSES.mean(), LOSSES.std() / math.sqrt(50))
    assert found.low == pytest.approx(low, rel=1e-12)
    assert found.high == pytest.approx(high, rel=1e-12)


def test_cv_clt_within_folds_averages_their_variances():
    variance = np.mean([LOSSES[k == FOLDS].var(ddof=1) for k in range(5)])
    low, high = stats.norm.interval(0.95, LOSSES.mean(), math.sqrt(variance / 50))
    found = cv_clt(LOSSES, FOLDS, 0.95, variance="within_fold")
    assert found.low == pytest.approx(low, rel=1e-12)
    assert found.high == pytest.approx(high, rel=1e-12)


def test_cv_clt_within_folds_is_undefined_under_leave_one_out():
    found = cv_clt(LOSSES, np.arange(50), 0.95, variance="within_fold")
    assert found.low is None
    assert "one example" in found.notes[0]


def test_every_loss_has_a_fold():
    with pytest.raises(ValueError, match="its fold"):
        cv_clt(LOSSES, FOLDS[:9], 0.95)
