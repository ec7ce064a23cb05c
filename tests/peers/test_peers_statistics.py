"""The same input, the right answer, and which package gets it wrong (design/peers.md)."""

import numpy as np
import pytest

from evallang.stats.hypothesis_tests import contingency, folds
from evallang.stats.intervals import ranking
from evallang.stats.score_counts import place_scores


def test_cochrans_q_of_twenty_models_is_no_matter_of_two_to_the_twenty():
    # mlxtend 0.25 cochrans_q enumerates 2^M patterns: 10 s for M = 20; M = 64 cannot end
    correct = np.random.default_rng(1).random((500, 64)) < 0.9
    assert 0 < contingency.cochran(correct).p < 1


def test_the_sum_of_differences_being_0_is_not_what_makes_p_1():
    # correctR: `if (sum(d) == 0) p = 1`; here the mean is 0 with variance, so t is 0
    found = folds.corrected_t([0.1, -0.1, 0.2, -0.2], [0.0] * 4, test_train_ratio=1 / 3)
    assert found.statistic.value == 0.0
    assert found.p == 1.0
    assert found.estimate.low < 0 < found.estimate.high


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
