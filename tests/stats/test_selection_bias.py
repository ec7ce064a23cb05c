"""BBC-CV: the estimate of a model chosen as the best, corrected for the choice."""

import numpy as np
import pytest

from evallang.stats.intervals.resampling import LossSample, WeightSample
from evallang.stats.skill import bbc_cv


def _accuracy(correct: np.ndarray):
    """Score models by the mean of their columns on the units drawn."""
    return [LossSample(column) for column in correct.T.astype(float)]


def test_the_best_of_many_coins_is_a_coin():
    """Tsamardinos et al. 2018, section 2: the best of many useless models looks good."""
    correct = np.random.default_rng(3).random((100, 50)) < 0.5
    naive = correct.mean(axis=0).max()
    found = bbc_cv(_accuracy(correct), "higher", 0.95, 1)
    assert naive > 0.6
    assert abs(found.value - 0.5) < 0.05  # se of a share of 37 units left out, over 500 rounds
    assert found.low < 0.5 < found.high


def test_a_model_that_is_always_right_is_always_chosen():
    correct = np.column_stack([np.zeros(30), np.ones(30)])
    found = bbc_cv(_accuracy(correct), "higher", 0.95, 1)
    assert (found.value, found.low, found.high, found.rounds) == (1.0, 1.0, 1.0, 500)


def test_lower_is_better_chooses_the_smaller_loss():
    losses = np.column_stack([np.full(30, 2.0), np.full(30, 0.5)])
    found = bbc_cv(_accuracy(losses), "lower", 0.9, 1)
    assert found.value == 0.5


def test_equal_models_tie_to_the_first_written():
    apart = WeightSample(10, lambda w: np.where((w > 1).any(axis=1), 1.0, 2.0))  # 2 outside alone
    found = bbc_cv([LossSample(np.ones(10)), apart], "higher", 0.95, 1, rounds=20)
    assert found.value == 1.0


def test_it_agrees_with_algorithm_5_written_out_as_a_loop():
    """Algorithm 5 of the paper, with its own draws: equal up to Monte Carlo error."""
    correct = np.random.default_rng(8).random((60, 4)) < [0.6, 0.62, 0.58, 0.7]
    chance, total, rounds = np.random.default_rng(99), 0.0, 4000
    for _ in range(rounds):
        inside = chance.integers(0, 60, 60)
        outside = [i for i in range(60) if i not in set(inside.tolist())]
        best = int(np.argmax(correct[inside].mean(axis=0)))
        total += correct[outside][:, best].mean()
    found = bbc_cv(_accuracy(correct), "higher", 0.95, 5, rounds=4000)
    # sd of a round's score is about .1: standard error of the difference of means .0023
    assert found.value == pytest.approx(total / rounds, abs=0.01)


def test_rounds_without_a_score_are_left_out_and_counted():
    first = WeightSample(8, lambda w: np.where(w[:, 0] > 0, np.nan, 1.0))
    found = bbc_cv([first, first], "higher", 0.95, 1, rounds=200)
    assert found is None  # unit 0 is among the drawn or among the others, in every round


def test_one_unit_cannot_be_left_out():
    assert bbc_cv([LossSample([1.0])], "higher", 0.95, 1) is None


def test_a_level_that_is_no_share_is_refused():
    with pytest.raises(ValueError, match="between 0 and 1"):
        bbc_cv([LossSample(np.ones(5))], "higher", 95, 1)
