"""The .632+ estimate against its definition, and where mlxtend leaves it (peers.md 2.1)."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, strategies as st
from many_cases import for_each

from evallang.stats.learning_bootstrap import (
    bootstrap_error,
    influences,
    leave_one_out_error,
    no_information_rate,
    standard_error,
)

ERRORS = st.floats(0, 1)


def test_no_overfitting_weighs_as_632():
    found = bootstrap_error(0.2, 0.2, 0.5, ".632+")
    assert (found.R, found.weight) == (0.0, 0.632)
    assert found.value == pytest.approx(0.2, abs=1e-15)


def test_total_overfitting_is_the_error_out_of_the_bag():
    # 1-NN on noise: err 0, Err(1) = gamma = 1/2, so R = 1, weight 1 (Efron & Tibshirani 1997)
    found = bootstrap_error(0.0, 0.5, 0.5, ".632+")
    assert found.R == 1.0
    assert found.weight == pytest.approx(1.0, abs=1e-15)
    assert found.value == pytest.approx(0.5, abs=1e-15)


@given(ERRORS, ERRORS, ERRORS)
def test_the_estimate_never_leaves_the_unit_interval_as_mlxtends_does(err, oob, gamma):
    found = bootstrap_error(err, oob, gamma, ".632+")
    assert 0 <= found.R <= 1
    assert 0.632 <= found.weight <= 1 + 1e-12
    assert min(err, oob, gamma) - 1e-12 <= found.value <= max(err, oob, gamma) + 1e-12


@given(ERRORS, ERRORS)
def test_gamma_equal_to_the_apparent_error_divides_by_nothing(err, oob):
    assert bootstrap_error(err, oob, err, ".632+").R == 0.0


def test_err1_weighs_examples_alike_not_rounds():
    nan = np.nan
    losses = [[1.0, nan, nan], [0.0, 1.0, nan], [nan, nan, 0.0]]
    # by hand: E = (1/2, 1, 0), mean 1/2; the mean of the rounds' means is (1 + 1/2 + 0) / 3,
    # which happens to be 1/2 too; with one more round it is not
    assert leave_one_out_error(losses) == (0.5, 0)
    more = [*losses, [1.0, nan, nan]]
    assert leave_one_out_error(more)[0] == pytest.approx((2 / 3 + 1 + 0) / 3, abs=1e-15)


def test_examples_that_no_round_left_out_are_counted():
    assert leave_one_out_error([[np.nan, 1.0], [np.nan, 0.0]]) == (0.5, 1)


def test_gamma_is_the_mean_loss_over_all_pairs():
    rng = np.random.default_rng(3)
    truth, predicted = rng.integers(3, size=60), rng.integers(3, size=60)
    pairs = np.mean(truth[:, None] != predicted[None, :])  # eq. 38
    assert no_information_rate(truth, predicted, 3) == pytest.approx(pairs, abs=1e-15)


def test_a_label_that_is_no_class_is_always_wrong():
    assert no_information_rate([0, 1], [-1, -1], 2) == 1.0


def simulate(rng, n=40, rounds=200):
    """Errors of a nearest-mean rule on two normal classes, resampled."""
    y = np.arange(n) % 2
    x = rng.normal(y * 1.0)
    losses, times = np.full((rounds, n), np.nan), np.zeros((rounds, n))
    for b in range(rounds):
        drawn = rng.integers(n, size=n)
        if len(set(y[drawn])) < 2:
            drawn = np.arange(n) % (n - 1)
        times[b] = np.bincount(drawn, minlength=n)
        means = [x[drawn][y[drawn] == c].mean() for c in (0, 1)]
        out = times[b] == 0
        predicted = np.abs(x[out] - means[1]) < np.abs(x[out] - means[0])
        losses[b, out] = predicted != y[out]
    return losses, times


def test_a_single_round_has_no_standard_error():
    assert standard_error([[1.0, np.nan]], [[0, 2]]) is None


def every_resample(codes, number):
    """All equally likely draws of `number` units, with losses that depend on the draw."""
    rng = np.random.default_rng(4)
    tables, draws = {}, []
    for units in product(range(number), repeat=number):
        times = np.bincount(units, minlength=number)
        loss = tables.setdefault(tuple(times), rng.random(len(codes)))
        draws.append((times, np.where(times[codes] == 0, loss, np.nan)))
    return np.array([t for t, _ in draws]), np.array([loss for _, loss in draws])


def err1_under(shares, times, losses, codes, weights):
    """Err(1) where unit u has probability `shares[u]`, exactly."""
    likely = np.prod(shares**times, axis=1)
    out = ~np.isnan(losses)
    errors = (likely @ np.where(out, losses, 0)) / (likely @ out)
    share = shares[codes] * weights
    return float(share @ errors / share.sum())


@pytest.mark.parametrize("grouped", [False, True])
def test_an_influence_is_the_derivative_of_err1_in_the_weight_of_a_unit(grouped):
    # every resample of 4 units is in the table, so that Err(1) and its numerical derivative
    # towards all weight on one unit are exact: an implementation with no formula in common
    codes = np.array([2, 0, 1, 3, 1, 3, 3]) if grouped else np.arange(4)
    weights = np.array([1.0, 2, 1, 3, 0.5, 1, 2]) if grouped else np.ones(4)
    times, losses = every_resample(codes, 4)
    even, step = np.full(4, 0.25), 1e-5
    numerical = []
    for unit in range(4):
        way = np.eye(4)[unit] - even
        ahead, behind = (
            err1_under(even + s * way, times, losses, codes, weights) for s in (step, -step)
        )
        numerical.append((ahead - behind) / (2 * step) / 4)
    many = 400  # copies, so that B - 1 is nearly B
    found = influences(
        np.tile(losses, (many, 1)), np.tile(times[:, codes], (many, 1)), weights, codes
    )
    assert found == pytest.approx(numerical, abs=1e-5)
    assert sum(numerical) == pytest.approx(0, abs=1e-6)


def test_a_group_counts_once_however_often_its_rows_are_copied():
    # 40 examples, each written three times and drawn together, are 40 units and no more
    losses, times = simulate(np.random.default_rng(5))
    copied = np.repeat(losses, 3, axis=1), np.repeat(times, 3, axis=1)
    alone = standard_error(losses, times)
    assert standard_error(*copied, groups=np.repeat(np.arange(40), 3)) == pytest.approx(
        alone, rel=1e-12
    )
    assert standard_error(losses, times, weights=np.full(40, 3.0)) == pytest.approx(
        alone, rel=1e-12
    )


NAN = float("nan")


@for_each(
    "call",
    [
        lambda: leave_one_out_error([1.0, NAN]),
        lambda: leave_one_out_error([[1.0, -np.inf]]),
        lambda: leave_one_out_error([[1.0, 0.0]], weights=[1.0]),
        lambda: leave_one_out_error([[1.0, 0.0]], weights=[1.0, -1.0]),
        lambda: standard_error([[1.0, NAN]], [[1.0]]),
        lambda: standard_error([[1.0, NAN]], [[0.0, NAN]]),
        lambda: standard_error([[np.inf, NAN]], [[0.0, 1.0]]),
        lambda: no_information_rate([0, 1], [0], 2),
        lambda: no_information_rate([0.0, 1.0], [0, 1], 2),
        lambda: no_information_rate([0, -1], [0, 1], 2),
        lambda: no_information_rate([], [], 2),
        lambda: no_information_rate([0, 1], [0, 1], 2, weights=[1.0, NAN]),
        lambda: no_information_rate([0, 1], [0, 1], 2, weights=[0.0, 0.0]),
    ],
)
def test_what_is_no_table_of_rounds_is_refused(call):
    with pytest.raises(ValueError, match=r"are given|are finite|needs the number"):
        call()


def test_examples_without_weight_have_no_error():
    assert leave_one_out_error([[1.0, NAN]], weights=[0.0, 1.0]) == (None, 1)
    assert leave_one_out_error([[NAN, NAN]]) == (None, 2)
