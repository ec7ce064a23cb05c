"""Resamples of data sets, drawn once for all effect sizes that ask for them.

All effect sizes of a pair are computed together, on an array with one column for each resample.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from evallang.results.statistics import Effect
from evallang.stats.draws import drawn_weights
from evallang.stats.intervals.bootstrap_bounds import bca_bounds
from evallang.stats.intervals.interval import Limits
from evallang.stats.intervals.resampling import blocks_left_out

ROUNDS = 2_000  # resamples; effects are read to two digits
FEWEST = 5


class Draws:
    """How often each of n data sets comes: in all, with some omitted, in resamples.

    Parameters
    ----------
    weights : (R, n), whole numbers: one row of ones, `left_out` rows, and the resamples
    left_out : number of rows in which one data set, or a block of them, is omitted
    """

    def __init__(self, weights: NDArray[np.float64], left_out: int = 0) -> None:
        self.weights = weights
        self.left_out = left_out
        self.sizes: NDArray[np.float64] = weights.sum(axis=1)
        """Number of data sets drawn (R,)."""
        self._spreads: dict[bytes, tuple[NDArray[np.float64], NDArray[np.float64]]] = {}

    def spread_of(
        self, column: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the median of the drawn scores of a model, and their median distance to it (R,).

        A model is in many pairs; its scores are sorted once.
        """
        key = column.tobytes()
        if key not in self._spreads:
            medians, distances = np.empty((2, len(self.weights)))
            for size in np.unique(self.sizes):  # blocks of omitted data sets differ in size
                rows = np.flatnonzero(self.sizes == size)
                times = self.weights[rows].astype(np.intp).ravel()
                drawn = np.repeat(np.tile(column, len(rows)), times).reshape(len(rows), -1)
                medians[rows] = np.median(drawn, axis=1)
                distances[rows] = np.median(np.abs(drawn - medians[rows, None]), axis=1)
            self._spreads[key] = medians, distances
        return self._spreads[key]


class DataSetStatistic(Struct, frozen=True, eq=False):
    """A statistic of data sets.

    Attributes
    ----------
    name : that of its effect size
    values : from draws to values (R,), NaN where undefined
    limits : range of the statistic
    """

    name: str
    values: Callable[[Draws], NDArray[np.float64]]
    limits: Limits


def resamples() -> int:
    """Return the number of resamples that `drawn` draws."""
    return ROUNDS


@lru_cache(maxsize=2)
def drawn(n: int, seed: int) -> Draws:
    """Draw n data sets with replacement `ROUNDS` times; the last draws are kept."""
    block = blocks_left_out(n)
    left_out = block != np.arange(block[-1] + 1)[:, None]
    times = drawn_weights(np.random.default_rng(seed), n, ROUNDS)
    weights = np.concatenate([np.ones((1, n)), left_out, times])
    return Draws(weights.astype(np.float64), len(left_out))


def resampled_effects(
    statistics: Sequence[DataSetStatistic], n: int, level: float, seed: int
) -> tuple[Effect, ...]:
    """Return statistics of n data sets, and their BCa intervals over resamples of them."""
    if n == 0:
        return tuple(Effect(statistic.name, None) for statistic in statistics)
    draws = drawn(n, seed) if n >= FEWEST else Draws(np.ones((1, n)))
    found = np.stack([statistic.values(draws) for statistic in statistics])
    estimates, left_out, values = np.split(found, [1, 1 + draws.left_out], axis=1)
    bounds: list[tuple[float | None, float | None]] = [(None, None)] * len(found)
    if n >= FEWEST:
        limits = [statistic.limits for statistic in statistics]
        bounds = bca_bounds(estimates[:, 0], left_out, values, level, limits)
    effects = []
    for statistic, value, (low, high) in zip(
        statistics, estimates[:, 0].tolist(), bounds, strict=True
    ):
        if not np.isfinite(value):
            effects.append(Effect(statistic.name, None))
        elif low is None or high is None or low == high:
            effects.append(Effect(statistic.name, value))
        else:
            effects.append(Effect(statistic.name, value, min(low, value), max(high, value)))
    return tuple(effects)
