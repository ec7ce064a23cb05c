"""The sort by digits against numpy's stable argsort, and what scores outrank against counting."""

import warnings

import numpy as np
import pytest
from evallang.stats.ascending import FEW, ascending, count_distinct
from evallang.stats.running_sums import LINE, count_up_to
from many_cases import for_each

from evallang.stats import ascending as module
from evallang.stats.score_counts import twice_outranked

RANDOM = np.random.default_rng(20181113)
LONG = 300_000  # longer than two parts


def shapes(n):
    z = RANDOM.standard_normal(n)
    return {
        "normal": z,
        "tied decimals": z.round(1),
        "all equal": np.zeros(n),
        "two values": np.sign(z),
        "one outlier": np.append(z[1:], 1e300),
        "lognormal": np.exp(5 * z),
        "both signs over all sizes": np.sign(z) * np.exp(100 * z),
        "crowded at 1": 1 - np.exp(-30 - z),
        "ascending": np.sort(z),
        "descending": np.sort(z)[::-1],
        "both zeros": np.where(z > 0, 0.0, -0.0),
        "infinities": np.where(z > 2, np.inf, np.where(z < -2, -np.inf, z)),
        "nothing but infinities": np.where(z > 0, np.inf, -np.inf),
        "the largest numbers": np.sign(z) * np.finfo(float).max,
        "subnormal": np.clip(z, -1, 1) * 1e-310,
        "missing": np.where(z > 2, np.nan, z),
    }


@for_each("n", [0, 1, FEW + 1, LONG])
@for_each("shape", shapes(3))
def test_places_are_those_of_a_stable_argsort(shape, n):
    if n == 0:
        values = np.empty(0)
    else:
        values = shapes(n)[shape]
    before, positive = values.copy(), RANDOM.random(n) < 0.3
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        order, begins, up = ascending(values, positive)
    assert np.array_equal(order, np.argsort(before, kind="stable"))
    ordered = before[order]
    assert np.array_equal(
        np.flatnonzero(begins[1:]) + 1, np.flatnonzero(ordered[1:] != ordered[:-1]) + 1
    )
    assert begins[:1].all()
    assert np.array_equal(up, positive[order])
    assert np.array_equal(values, before, equal_nan=True)


@for_each("n", [0, 1, FEW + 1])
@for_each("shape", shapes(3))
def test_distinct_values_are_those_of_a_set(shape, n):
    values = np.empty(0) if n == 0 else shapes(n)[shape]
    expected = len(set(values[~np.isnan(values)].tolist())) + int(np.isnan(values).any())
    assert count_distinct(values.copy()) == expected


@pytest.mark.parametrize("sort", ["_sort_by_numpy", "_sort_by_polars"])
@pytest.mark.parametrize("shape", ["normal", "tied decimals", "lognormal"])
def test_both_sorts_of_whole_numbers_give_the_same_places(shape, sort, monkeypatch):
    values = shapes(LONG)[shape]
    beside = np.column_stack([values, -values])
    monkeypatch.setattr(module, "_faster_sort", lambda: getattr(module, sort))
    expected = np.argsort(values, kind="stable")
    assert np.array_equal(ascending(values).places, expected)
    assert np.array_equal(ascending(beside[:, 0]).places, expected)


@for_each("levels", [1, 3, 40, None])
@for_each("share", [0.0, 0.1, 1.0])
@for_each("n", [0, 1, 120])
def test_what_a_score_outranks_is_what_counting_gives(n, levels, share):
    scores = RANDOM.random(n) if levels is None else RANDOM.integers(0, levels, n).astype(float)
    positive = RANDOM.random(n) < share
    outranked = twice_outranked(positive, scores)
    for row in range(n):
        other = scores[positive != positive[row]]
        ahead = other < scores[row] if positive[row] else other > scores[row]
        assert outranked[row] == 2 * ahead.sum() + (other == scores[row]).sum()


@pytest.mark.parametrize("decimals", [1, 3, 16])
def test_what_a_score_of_many_outranks_is_what_searching_gives(decimals):
    scores = RANDOM.standard_normal(LONG).round(decimals)
    positive = RANDOM.random(LONG) < 0.3
    low, high = np.sort(scores[~positive]), np.sort(scores[positive])
    outranked = twice_outranked(positive, scores)
    sides = [np.searchsorted(low, scores[positive], side) for side in ("left", "right")]
    assert np.array_equal(outranked[positive], sum(sides))
    sides = [
        len(high) - np.searchsorted(high, scores[~positive], side) for side in ("left", "right")
    ]
    assert np.array_equal(outranked[~positive], sum(sides))


@for_each("share", [0.0, 0.3, 1.0])
@for_each("n", [0, 1, 7, 8, LINE - 1, LINE, LINE + 1, 5 * LINE, 100_001])
@for_each("dtype", [np.int32, np.int64])
def test_counts_up_to_each_mark_are_a_cumulative_sum(dtype, n, share):
    marks = RANDOM.random(n) < share
    found = count_up_to(marks, 7, np.empty(n, dtype))
    assert found.dtype == dtype
    assert np.array_equal(found, 7 + np.cumsum(marks))
