"""Resamples of data sets, drawn once for all effect sizes that ask for them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from evallang.registry import lazy
from evallang.results.statistics import Effect

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from evallang.stats.intervals.resampled_counts import Limits
else:
    np = lazy("numpy")

ROUNDS = 2_000  # resamples; effects are read to two digits
FEWEST = 5


class Draws:
    """How often each of n data sets comes in each of B resamples.

    Parameters
    ----------
    weights : (B, n), with one sum for all resamples
    """

    def __init__(self, weights: NDArray[np.float64]) -> None:
        self.weights = weights
        self._spreads: dict[bytes, tuple[NDArray[np.float64], NDArray[np.float64]]] = {}

    @cached_property
    def turned(self) -> NDArray[np.float64]:
        """One row for each data set (n, B): a step over all resamples is one pass."""
        return np.ascontiguousarray(self.weights.T)

    @cached_property
    def rows(self) -> NDArray[np.intp]:
        """The data sets that were drawn, in their order (B, number drawn)."""
        rounds, n = self.weights.shape
        times = self.weights.astype(np.intp).ravel()
        return np.repeat(np.arange(rounds * n) % max(n, 1), times).reshape(rounds, -1)

    def spread_of(
        self, column: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the median of the drawn scores of a model, and their median distance to it (B,).

        A model is in many pairs; its scores are sorted once.
        """
        key = column.tobytes()
        if key not in self._spreads:
            scores = column[self.rows]
            medians = _medians(scores)
            self._spreads[key] = medians, _medians(np.abs(scores - medians[:, None]))
        return self._spreads[key]


def _medians(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the median along the last axis; sorting short rows beats np.median tenfold."""
    ordered, n = np.sort(values, axis=-1), values.shape[-1]
    middle: NDArray[np.float64] = (ordered[..., (n - 1) // 2] + ordered[..., n // 2]) / 2
    return middle


Statistic = Callable[[Draws], "NDArray[np.float64]"]


@lru_cache(maxsize=2)
def drawn(n: int, seed: int) -> Draws:
    """Draw n data sets with replacement `ROUNDS` times; the last draws are kept."""
    from evallang.stats.intervals.drawn_weights import drawn_weights

    times = drawn_weights(np.random.default_rng(seed), n, ROUNDS)
    return Draws(times.astype(np.float64))


class _Resampled:
    """A statistic of n data sets on the resamples that one seed draws."""

    unit = "data sets"
    n_groups = None

    def __init__(self, n: int, statistic: Statistic, limits: Limits, seed: int) -> None:
        self._n = n
        self._statistic = statistic
        self._seed = seed
        self.limits = limits

    def estimate(self) -> float:
        """Return the statistic of all data sets."""
        return float(self._statistic(Draws(np.ones((1, self._n))))[0])

    def replicates(self, rng: np.random.Generator, rounds: int) -> NDArray[np.float64]:
        """Return the statistic on the `ROUNDS` resamples of the seed that `rng` began with."""
        return self._statistic(drawn(self._n, self._seed))

    def jackknife(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Leave out one data set at a time."""
        from evallang.stats.intervals.resampling import WeightSample

        return WeightSample(self._n, lambda w: self._statistic(Draws(w))).jackknife()


def resampled_effect(
    name: str, n: int, statistic: Statistic, limits: Limits, level: float, seed: int
) -> Effect:
    """Return the statistic of all data sets, and its interval over resamples of them."""
    from evallang.stats.intervals.bootstrap_bounds import bounds_of_resamples

    sample = _Resampled(n, statistic, limits, seed)
    value = sample.estimate() if n else float("nan")
    if not np.isfinite(value):
        return Effect(name, None)
    if n < FEWEST:
        return Effect(name, value)
    low, high = bounds_of_resamples(sample, level, seed, "bca", ROUNDS)
    if low is None or high is None or low == high:
        return Effect(name, value)
    return Effect(name, value, min(low, value), max(high, value))
