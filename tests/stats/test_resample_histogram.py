"""The histogram of resamples that a bootstrap interval keeps."""

import numpy as np
import pytest

from evallang.stats.hypothesis_tests.resampling_tests import bootstrap as bootstrap_test
from evallang.stats.intervals.resampling import (
    MOST_BINS,
    DifferenceSample,
    LossSample,
    bootstrap,
    histogram,
)


@pytest.fixture
def rng():
    return np.random.default_rng(8)


def test_values_without_a_grid_are_counted_as_numpy_counts_them(rng):
    values = rng.normal(3, 2, 5000)
    found = histogram(values)
    counts, edges = np.histogram(values, MOST_BINS)
    assert (found.n, found.low, found.high) == (5000, edges[0], edges[-1])
    assert np.abs(np.array(found.counts) - counts).sum() <= 2  # values on an edge


@pytest.mark.parametrize("n", [7, 30, 95, 400])
def test_shares_are_counted_by_a_whole_number_of_steps(rng, n):
    drawn = rng.binomial(n, 0.7, 4000)
    found = histogram(drawn / n)
    wide = (found.high - found.low) / len(found.counts)
    steps = round(wide * n)
    assert wide * n == pytest.approx(steps) and len(found.counts) <= MOST_BINS
    assert found.low == pytest.approx((drawn.min() - 0.5) / n)
    starts = drawn.min() + steps * np.arange(len(found.counts))
    counted = [int(((drawn >= s) & (drawn < s + steps)).sum()) for s in starts]
    assert list(found.counts) == counted
    assert sum(found.counts) == found.n == 4000


def test_the_last_digit_of_a_value_moves_it_to_no_other_bin(rng):
    values = rng.binomial(90, 0.4, 3000) / 90
    nudged = values * (1 + rng.choice([-1, 0, 1], 3000) * 2e-16)
    one, other = histogram(values), histogram(nudged)
    assert one.counts == other.counts and one.low == pytest.approx(other.low)


def test_equal_values_have_no_histogram():
    assert histogram(np.full(10, 0.25)) is None
    assert bootstrap(LossSample(np.ones(30)), 0.95, 1).resamples is None


def test_an_interval_keeps_its_resamples(rng):
    losses = rng.random(60)
    found = bootstrap(LossSample(losses), 0.95, 5, rounds=2000)
    drawn = LossSample(losses).replicates(np.random.default_rng(5), 2000)
    assert found.resamples == histogram(drawn)
    assert found.resamples.low < found.low < found.high < found.resamples.high


def test_a_bootstrap_test_keeps_those_of_the_difference_and_turns_them(rng):
    first, second = rng.random(40), rng.random(40) + 0.2
    one = bootstrap_test(DifferenceSample(LossSample(first), LossSample(second)), 0.95, 2,
                         rounds=500).estimate.resamples  # fmt: skip
    turned = one.reversed_sign()
    assert sum(one.counts) == one.n == 500
    assert (turned.low, turned.high) == (-one.high, -one.low)
    assert turned.counts == one.counts[::-1] and turned.reversed_sign() == one
