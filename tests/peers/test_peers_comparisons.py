"""Comparisons of two models that packages get wrong (design/peers.md): ours, and which one."""

import math

import numpy as np
import pytest
from scipy import stats

from evallang.stats.hypothesis_tests.bayesian import bayes_t
from evallang.stats.hypothesis_tests.losses import wilcoxon
from evallang.stats.hypothesis_tests.ranking_curves import delong
from evallang.stats.hypothesis_tests.resampling_tests import bootstrap, permutation
from evallang.stats.hypothesis_tests.swapping import LossSwapper
from evallang.stats.intervals.resampling import DifferenceSample, LossSample

RANDOM = np.random.default_rng(41)
SCORES = RANDOM.normal(0.8, 0.03, (2, 10))


@pytest.mark.parametrize("rounds", [500])
def test_the_same_seed_gives_the_same_resamples_and_another_seed_others(rounds):
    # rliable: three runs with RandomState(42) give three intervals
    np.random.seed(1)  # rliable draws from this one
    losses = RANDOM.normal(size=(2, 60))
    sample = DifferenceSample(LossSample(losses[0]), LossSample(losses[1]))
    one = bootstrap(sample, 0.95, 42, rounds=rounds)
    np.random.seed(2)
    assert bootstrap(sample, 0.95, 42, rounds=rounds) == one
    assert bootstrap(sample, 0.95, 43, rounds=rounds).estimate != one.estimate
    swapper = LossSwapper(*losses)
    drawn = permutation(swapper, 0.95, 42, rounds=rounds)
    assert permutation(swapper, 0.95, 42, rounds=rounds) == drawn
    assert permutation(swapper, 0.95, 43, rounds=rounds).p != drawn.p


def test_the_correlation_of_folds_follows_from_their_sizes():
    # baycomp #3: 1/folds only; for thirty holdouts of 1/3 that is 1/30 instead of 1/3
    d = RANDOM.normal(0.01, 0.03, (2, 30))
    found = bayes_t(*d, np.full(30, 200), np.full(30, 100), rope=0.0, better="higher")
    assert found.extra["correlation"] == pytest.approx(1 / 3, rel=1e-12)
    assert found.extra["scale"] == pytest.approx(
        (d[0] - d[1]).std(ddof=1) * math.sqrt(1 / 30 + 1 / 2), rel=1e-12
    )


def test_a_region_on_the_wrong_scale_is_not_taken_for_granted():
    # baycomp #7: a rope of .01 on scores in percent, or on errors in thousands
    with pytest.raises(ValueError, match="in the unit of this metric"):
        bayes_t(1000 * SCORES[0], 1000 * SCORES[1], better="higher")


def test_delong_compares_areas_that_differ_in_the_seventh_digit():
    # confidenceinterval, MLstatkit's ancestor: float32 mid-ranks err by 6e-8 at a million rows
    n = 400_000
    truth = np.arange(n) % 2 == 1
    first = np.arange(n, dtype=float)
    second = first.copy()
    second[[0, 1]] = second[[1, 0]]  # one pair out of order
    found = delong(truth, np.column_stack([first, second]))
    assert found.estimate.value == pytest.approx(1 / (n / 2) ** 2, rel=1e-3)


def test_raw_predictions_are_not_what_ranks_are_made_of():
    # Hugging Face evaluate's wilcoxon takes raw predictions: two biased regressors with equal
    # losses "differ" there; losses do not
    truth = RANDOM.normal(size=40)
    high, low = truth + 1, truth - 1
    assert wilcoxon(np.abs(high - truth), np.abs(low - truth)).p == 1.0
    assert stats.wilcoxon(high, low).pvalue < 1e-6
