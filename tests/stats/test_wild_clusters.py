"""The wild cluster bootstrap against a plain loop, and its promise with few groups."""

import itertools
import math

import numpy as np
import pytest

from evallang.stats.intervals.few_groups import wild_clusters

WEIGHTS = [sign * math.sqrt(square) for square in (0.5, 1.0, 1.5) for sign in (-1, 1)]


def t_about(values, groups, theta):
    """Return t of a mean with the standard error that `t` has for groups, by its definition."""
    n, mean = len(values), values.mean()
    total = 0.0
    for group in np.unique(groups):
        inside = groups == group
        total += (values[inside] - mean).sum() ** 2 / (1 - inside.sum() / n)
    return (mean - theta) / (math.sqrt(total) / n)


def p_by_rows(values, groups, theta, all_weights):
    observed = abs(t_about(values, groups, theta))
    reached = 0
    for weights in all_weights:
        drawn = theta + np.array(weights)[groups] * (values - theta)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = abs(t_about(drawn, groups, theta))
        reached += not t < observed * (1 - 1e-9)
    return reached / len(all_weights)


def test_the_bounds_are_where_p_of_a_plain_loop_crosses_alpha():
    rng = np.random.default_rng(5)
    groups = np.repeat(np.arange(6), [2, 3, 4, 2, 6, 3])
    values = rng.standard_normal(20) + rng.standard_normal(6)[groups]
    found = wild_clusters(values, groups, 0.9, 1)
    # every fourth of the 46,656 combinations in an order that treats all groups alike
    chosen = list(itertools.product(WEIGHTS, repeat=6))
    chosen = [chosen[i] for i in np.random.default_rng(1).permutation(len(chosen))[:4000]]
    for bound, outward in ((found.low, -1), (found.high, 1)):
        width = found.high - found.low
        inside = p_by_rows(values, groups, bound - outward * 0.03 * width, chosen)
        outside = p_by_rows(values, groups, bound + outward * 0.03 * width, chosen)
        assert outside < 0.1 + 0.015 < inside + 0.03  # standard error of the loop: .005
        assert inside > outside


def test_reflected_values_have_the_reflected_interval_and_shifts_move_it():
    values = np.array([1.0, 2.0, 3.0, 5.0, 6.0, 9.0])
    found, back = wild_clusters(values, None, 0.95, 1), wild_clusters(-values, None, 0.95, 1)
    assert back.low == pytest.approx(-found.high, rel=1e-7)
    moved = wild_clusters(10 + 2 * values, None, 0.95, 1)
    assert moved.low == pytest.approx(10 + 2 * found.low, rel=1e-7)


def test_too_few_groups_and_groups_without_spread_have_none():
    few = wild_clusters(np.arange(10.0), np.arange(10) // 2, 0.95, 1)
    assert few.low is None
    assert "fewer than 6" in few.notes[0]
    assert wild_clusters(np.ones(12), np.arange(12) // 2, 0.95, 1).low is None
