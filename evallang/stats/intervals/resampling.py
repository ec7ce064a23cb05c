"""Statistics that can be recomputed on resamples of their examples, each in its fastest way.

Counts are drawn as a multinomial over their distinct patterns, so that a resample costs the
same for a thousand examples and for ten million. Losses and scores take weights per example
that depend on the seed, the number of rounds and of examples alone: statistics of several
models drawn with the same seed are statistics of the same resamples, and their differences
are paired (`DifferenceSample`).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from evallang.registry import lazy
from evallang.stats.intervals.interval import Resampler

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray
else:
    np = lazy("numpy")

Limits = tuple[float | None, float | None]
BATCH = 1 << 20  # numbers held at once: 8 MB of float64 stay near the cache
MOST_LEFT_OUT = 1000  # leave-one-out values computed one by one before blocks are left out


class PatternSample:
    """A statistic of counts of distinct patterns, such as the cells of a confusion matrix.

    Parameters
    ----------
    counts : how often each pattern occurs, (P,)
    statistic : from counts (..., P) as float64 to values (...), NaN where undefined
    limits : range of the statistic
    """

    unit = "examples"

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

    def estimate(self) -> float:
        """Give the statistic on the sample as it is."""
        return float(self._statistic(self._counts.astype(np.float64)))

    def replicates(self, rng: np.random.Generator, rounds: int) -> NDArray[np.float64]:
        """Draw the occurring patterns as a multinomial: the resample in distribution."""
        n, patterns = int(self._counts.sum()), len(self._counts)
        occurring = np.flatnonzero(self._counts)
        values = np.empty(rounds)
        batch = max(1, BATCH // max(patterns, 1))
        for start in range(0, rounds, batch):
            size = min(batch, rounds - start)
            drawn = np.zeros((size, patterns))
            shares = self._counts[occurring] / max(n, 1)
            drawn[:, occurring] = rng.multinomial(n, shares, size=size)
            values[start : start + size] = self._statistic(drawn)
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


class WeightSample:
    """Any statistic of weighted examples.

    Parameters
    ----------
    n : number of examples
    function : from weights (B, n) to values (B,), NaN where undefined
    groups : codes (n,) of groups that are drawn as a whole, or None
    limits : range of the statistic
    """

    def __init__(
        self,
        n: int,
        function: Callable[[NDArray[np.float64]], NDArray[np.float64]],
        groups: ArrayLike | None = None,
        limits: Limits = (None, None),
    ) -> None:
        self._n = n
        self._function = function
        self._groups = groups
        self.limits = limits
        self.unit = "examples" if groups is None else "groups"

    @cached_property
    def _codes(self) -> NDArray[np.int64] | None:
        if self._groups is None:
            return None
        return np.unique(np.asarray(self._groups), return_inverse=True)[1].astype(np.int64)

    @property
    def _units(self) -> int:
        return self._n if self._codes is None else int(self._codes.max(initial=-1)) + 1

    def _of_examples(self, of_units: NDArray[np.float64]) -> NDArray[np.float64]:
        return of_units if self._codes is None else of_units[:, self._codes]

    def estimate(self) -> float:
        """Give the statistic on the sample as it is."""
        return float(self._function(np.ones((1, self._n)))[0])

    def replicates(self, rng: np.random.Generator, rounds: int) -> NDArray[np.float64]:
        """Draw examples, or whole groups, with replacement; weights are how often each came."""
        values = np.empty(rounds)
        start = 0
        for weights in drawn_weights(rng, self._units, rounds, max(1, BATCH // max(self._n, 1))):
            values[start : start + len(weights)] = self._function(self._of_examples(weights))
            start += len(weights)
        return values

    def jackknife(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Leave out one example, or group, at a time.

        Above `MOST_LEFT_OUT` of them, as many blocks of about equal size are left out: the
        acceleration of BCa is a ratio of moments and changes little.
        """
        blocks = min(self._units, MOST_LEFT_OUT)
        block = np.arange(self._units) * blocks // max(self._units, 1)
        values = np.empty(blocks)
        batch = max(1, BATCH // max(self._n, 1))
        for start in range(0, blocks, batch):
            left_out = np.arange(start, min(start + batch, blocks))
            weights = (block[None, :] != left_out[:, None]).astype(np.float64)
            values[left_out] = self._function(self._of_examples(weights))
        return values, np.ones(blocks)


class LossSample(WeightSample):
    """The mean of a loss per example, or its square root.

    Parameters
    ----------
    losses : (n,)
    transform : `sqrt` for the root of the mean
    groups : codes (n,) of groups that are drawn as a whole, or None
    limits : range of the statistic
    """

    def __init__(
        self,
        losses: ArrayLike,
        transform: Literal["sqrt"] | None = None,
        groups: ArrayLike | None = None,
        limits: Limits = (None, None),
    ) -> None:
        self._losses = np.asarray(losses, dtype=np.float64)
        self._transform = transform
        super().__init__(len(self._losses), self._mean, groups, limits)

    def _mean(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._shaped(_ratio(weights @ self._losses, weights.sum(axis=1)))

    def _shaped(self, means: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.sqrt(means) if self._transform == "sqrt" else means

    def jackknife(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Leave out one example, or group, at a time, in closed form."""
        codes = np.arange(self._n) if self._codes is None else self._codes
        sums, sizes = np.bincount(codes, weights=self._losses), np.bincount(codes)
        means = _ratio(self._losses.sum() - sums, (self._n - sizes).astype(np.float64))
        return self._shaped(means), np.ones(len(means))


class ScoreSample(WeightSample):
    """The area under the ROC curve; scores are sorted once for all resamples.

    Parameters
    ----------
    truth : 1 for positives (n,)
    scores : (n,), higher for positives
    groups : codes (n,) of groups that are drawn as a whole, or None
    """

    def __init__(
        self, truth: ArrayLike, scores: ArrayLike, groups: ArrayLike | None = None
    ) -> None:
        values = np.asarray(scores, dtype=np.float64)
        self._order = np.argsort(values, kind="stable")
        ascending = values[self._order]
        self._starts = np.flatnonzero(np.r_[True, ascending[1:] != ascending[:-1]])
        self._positive = (np.asarray(truth)[self._order] == 1).astype(np.float64)
        super().__init__(len(values), self._auc, groups, (0.0, 1.0))

    def _auc(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        of_class, total, below = self._sums(weights)
        positives, negatives = of_class.sum(axis=1), (total - of_class).sum(axis=1)
        return _ratio((of_class * below).sum(axis=1), positives * negatives)

    def _sums(
        self, weights: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Weight of positives, of all, and of negatives below with ties by half, per score."""
        total = weights[:, self._order]
        of_class = total * self._positive
        if len(self._starts) < self._n:
            total = np.add.reduceat(total, self._starts, axis=1)
            of_class = np.add.reduceat(of_class, self._starts, axis=1)
        negatives = total - of_class
        return of_class, total, np.cumsum(negatives, axis=1) - negatives / 2

    def jackknife(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Leave out one example at a time, in closed form; groups one by one."""
        if self._codes is not None:
            return super().jackknife()
        of_class, total, below = (rows[0] for rows in self._sums(np.ones((1, self._n))))
        pairs = float((of_class * below).sum())
        above = of_class.sum() - np.cumsum(of_class) + of_class / 2
        positives, negatives = float(of_class.sum()), float((total - of_class).sum())
        lost = np.concatenate([below, above])
        left = np.repeat([(positives - 1) * negatives, positives * (negatives - 1)], len(below))
        times = np.concatenate([of_class, total - of_class])
        return _ratio(pairs - lost, left)[times > 0], times[times > 0]


class DifferenceSample:
    """The difference of two statistics of the same examples, first minus second.

    Both are drawn from the same state of the generator, so that each resample holds the same
    examples for both. They must be of one kind: row by row with as many examples and the
    same groups, or counts of the same patterns.
    """

    def __init__(self, first: Resampler, second: Resampler, limits: Limits = (None, None)) -> None:
        self._first = first
        self._second = second
        self.limits = limits
        self.unit = first.unit

    def estimate(self) -> float:
        """Give the difference on the sample as it is."""
        return self._first.estimate() - self._second.estimate()

    def replicates(self, rng: np.random.Generator, rounds: int) -> NDArray[np.float64]:
        """Give the difference on `rounds` resamples."""
        same = copy.deepcopy(rng)
        return self._first.replicates(same, rounds) - self._second.replicates(rng, rounds)

    def jackknife(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Leave out one example at a time, for both."""
        (first, times), (second, others) = self._first.jackknife(), self._second.jackknife()
        if len(first) != len(second) or not np.array_equal(times, others):
            raise ValueError("the two statistics are not of the same examples")
        return first - second, times


def drawn_weights(
    rng: np.random.Generator, units: int, rounds: int, batch: int
) -> Iterator[NDArray[np.float64]]:
    """Draw `units` of as many with replacement, again and again; how often each came, (B, n)."""
    dtype = np.uint16 if units <= 1 << 16 else np.uint32
    for start in range(0, rounds, batch):
        weights = np.empty((min(batch, rounds - start), units))
        for row in weights:
            row[:] = np.bincount(rng.integers(0, units, units, dtype=dtype), minlength=units)
        yield weights


def _ratio(numerator: NDArray[np.float64], denominator: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide; NaN where the denominator is 0."""
    values = np.full(numerator.shape, np.nan)
    np.divide(numerator, denominator, out=values, where=denominator != 0)
    return values
