"""Resamples of data sets, drawn once for all effect sizes that ask for them.

All effect sizes of a pair are computed together, on an array with one column for each resample.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from evallang.results.statistics import Effect
from evallang.stats.intervals.interval import Limits

ROUNDS = 2_000  # resamples; effects are read to two digits
FEWEST = 5
WHOLE_IN_FLOAT32 = 1 << 24  # up to which whole numbers are exact


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
        self._spreads: dict[bytes, tuple[NDArray[np.float64], NDArray[np.float64]]] = {}
        self._sums: tuple[bytes, NDArray[np.floating]] | None = None

    @cached_property
    def sizes(self) -> NDArray[np.float64]:
        """Number of data sets drawn (R,)."""
        sizes: NDArray[np.float64] = self.weights.sum(axis=1)
        return sizes

    @cached_property
    def turned(self) -> NDArray[np.floating]:
        """One row for each data set (n, R): a step over all resamples is one pass.

        In single precision where the sums of their products are exact in it.
        """
        n = self.weights.shape[1]
        single = 2 * n * n * (n + 1) < WHOLE_IN_FLOAT32
        return np.ascontiguousarray(self.weights.T, np.float32 if single else np.float64)

    def running_sums(self, order: NDArray[np.intp]) -> NDArray[np.floating]:
        """Count the draws of the first k data sets in an order, k from 0 on (len(order) + 1, R)."""
        turned = self.turned
        sums = np.empty((len(order) + 1, turned.shape[1]), turned.dtype)
        sums[0] = 0
        for k, data_set in enumerate(order.tolist()):  # np.cumsum takes ten times as long
            np.add(sums[k], turned[data_set], out=sums[k + 1])
        return sums

    def sums_by(self, column: NDArray[np.float64]) -> NDArray[np.floating]:
        """Return the running sums in the order of the scores of a model.

        The last ones are kept: the pairs of a model follow each other.
        """
        key = column.tobytes()
        if self._sums is None or self._sums[0] != key:
            self._sums = key, self.running_sums(np.argsort(column, kind="stable"))
        return self._sums[1]

    @cached_property
    def _drawn(self) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """The data sets that were drawn, in their order: rows that draw m of them, and (rows, m).

        Grouped by m: blocks of omitted data sets differ in size.
        """
        n = self.weights.shape[1]
        found = []
        for size in np.unique(self.sizes):
            rows = np.flatnonzero(self.sizes == size)
            times = self.weights[rows].astype(np.intp).ravel()
            drawn = np.repeat(np.arange(len(rows) * n) % n, times)
            found.append((rows, drawn.reshape(len(rows), -1)))
        return found

    def spread_of(
        self, column: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the median of the drawn scores of a model, and their median distance to it (R,).

        A model is in many pairs; its scores are sorted once.
        """
        key = column.tobytes()
        if key not in self._spreads:
            medians, distances = np.empty((2, len(self.weights)))
            for rows, drawn in self._drawn:
                ordered = np.sort(column.take(drawn), axis=1)
                medians[rows], distances[rows] = _spread(np.ascontiguousarray(ordered.T))
            self._spreads[key] = medians, distances
        return self._spreads[key]


def _spread(ordered: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the median of ascending values (m, R), and their median distance to it.

    The k + 1 values nearest to the median are neighbours, so that the k-th smallest distance is
    the least of the larger distances at the two ends of k + 1 neighbours: no second sort.
    """
    m = len(ordered)
    low, high = (m - 1) // 2, m // 2
    median = (ordered[low] + ordered[high]) / 2
    below, above = median - ordered[: m - low], ordered[low:] - median
    distance = np.maximum(below, above).min(axis=0)
    if high > low:
        further = np.maximum(below[: m - high], above[high - low :]).min(axis=0)
        distance = (distance + further) / 2
    return median, distance


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
    from evallang.stats.draws import drawn_weights
    from evallang.stats.intervals.resampling import blocks_left_out

    block = blocks_left_out(n)
    left_out = block != np.arange(block[-1] + 1)[:, None]
    times = drawn_weights(np.random.default_rng(seed), n, ROUNDS)
    weights = np.concatenate([np.ones((1, n)), left_out, times])
    return Draws(weights.astype(np.float64), len(left_out))


def resampled_effects(
    statistics: Sequence[DataSetStatistic], n: int, level: float, seed: int
) -> tuple[Effect, ...]:
    """Return statistics of n data sets, and their BCa intervals over resamples of them."""
    from evallang.stats.intervals.bootstrap_bounds import bca_bounds

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
