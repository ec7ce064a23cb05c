"""Statistics of counts, resampled as multinomials: the same work for any number of examples.

A resample of the examples is, in distribution, a multinomial draw over their distinct
patterns, such as the cells of a confusion matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

Limits = tuple[float | None, float | None]
BATCH = 1 << 20  # numbers held at once: 8 MB of float64 stay near the cache


class PatternSample:
    """A statistic of counts of distinct patterns, such as the cells of a confusion matrix.

    Parameters
    ----------
    counts : how often each pattern occurs, (P,)
    statistic : from counts (..., P) as float64 to values (...), NaN where undefined
    limits : range of the statistic
    """

    unit = "examples"
    n_groups = None

    def __init__(
        self,
        counts: ArrayLike,
        statistic: Callable[[NDArray[np.float64]], NDArray[np.float64]],
        limits: Limits = (None, None),
    ) -> None:
        self._given = counts
        self._statistic = statistic
        self.limits = limits

    @cached_property
    def _counts(self) -> NDArray[np.int64]:
        return np.asarray(self._given, dtype=np.int64).ravel()

    @property
    def n_examples(self) -> int:
        """How many examples were counted."""
        return int(self._counts.sum())

    def estimate(self) -> float:
        """Return the statistic on the sample as it is."""
        return float(self._statistic(self._counts.astype(np.float64)))

    def replicates(self, rng: np.random.Generator, rounds: int) -> NDArray[np.float64]:
        """Draw the occurring patterns as a multinomial: the resample in distribution."""
        n, patterns = int(self._counts.sum()), len(self._counts)
        occurring = np.flatnonzero(self._counts)
        values = np.empty(rounds)
        batch = max(1, BATCH // max(patterns, 1))
        for start in range(0, rounds, batch):
            size = min(batch, rounds - start)
            shares = self._counts[occurring] / max(n, 1)
            # One row for each pattern: each step of the statistic is one pass over all rounds
            drawn = np.zeros((patterns, size))
            drawn[occurring] = rng.multinomial(n, shares, size=size).T
            values[start : start + size] = self._statistic(drawn.T)
        return values

    def jackknife(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Leave out one example of each occurring pattern."""
        occurring = np.flatnonzero(self._counts)
        values = np.empty(len(occurring))
        batch = max(1, BATCH // max(len(self._counts), 1))
        for start in range(0, len(occurring), batch):
            cells = occurring[start : start + batch]
            without = np.tile(self._counts.astype(np.float64), (len(cells), 1))
            without[np.arange(len(cells)), cells] -= 1
            values[start : start + len(cells)] = self._statistic(without)
        return values, self._counts[occurring].astype(np.float64)


class CountSample(PatternSample):
    """A metric of the confusion matrix of one model.

    Parameters
    ----------
    matrix : counts (k, k), true class by predicted class
    function : from matrices (..., k, k) to values (...)
    limits : range of the metric
    """

    def __init__(
        self,
        matrix: ArrayLike,
        function: Callable[[NDArray[np.float64]], NDArray[np.float64]],
        limits: Limits = (None, None),
    ) -> None:
        def statistic(counts: NDArray[np.float64]) -> NDArray[np.float64]:
            return function(counts.reshape(*counts.shape[:-1], *np.shape(matrix)))

        super().__init__(matrix, statistic, limits)


class PairedCountSample(PatternSample):
    """The difference of a metric of two models, first minus second, on the same examples.

    Parameters
    ----------
    joint : counts (k, k, k), true class by the first and by the second model's prediction
    function : from matrices (..., k, k) to values (...)
    limits : range of the difference
    """

    def __init__(
        self,
        joint: ArrayLike,
        function: Callable[[NDArray[np.float64]], NDArray[np.float64]],
        limits: Limits = (None, None),
    ) -> None:
        def statistic(counts: NDArray[np.float64]) -> NDArray[np.float64]:
            tables = counts.reshape(*counts.shape[:-1], *np.shape(joint))
            difference: NDArray[np.float64] = function(tables.sum(-1)) - function(tables.sum(-2))
            return difference

        super().__init__(joint, statistic, limits)
