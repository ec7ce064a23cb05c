"""Statistics that can be recomputed on resamples of their examples, each in its fastest way.

Counts are drawn as a multinomial over their distinct patterns, so that a resample costs the
same for a thousand examples and for ten million. Losses and scores take weights per example
that depend on the seed, the number of rounds and of examples alone: statistics of several
models drawn with the same seed are statistics of the same resamples, and their differences
are paired (`DifferenceSample`).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from evallang.registry import lazy
from evallang.stats.intervals.drawn_weights import drawn_weights
from evallang.stats.intervals.interval import Resampler
from evallang.stats.reading import magnitudes, numbers, positives

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray
else:
    np = lazy("numpy")

Limits = tuple[float | None, float | None]
BATCH = 1 << 20  # numbers held at once: 8 MB of float64 stay near the cache
ROWS_AT_ONCE = 1 << 16  # examples of all resamples of a batch, as bytes
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
    function : from weights (B, n) as float64 to values (B,), NaN where undefined
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

    def estimate(self) -> float:
        """Give the statistic on the sample as it is."""
        return float(self._values(np.ones((1, self._units), dtype=np.uint8))[0])

    def replicates(self, rng: np.random.Generator, rounds: int) -> NDArray[np.float64]:
        """Draw examples, or whole groups, with replacement; weights are how often each came."""
        batch = max(1, ROWS_AT_ONCE // max(self._n, 1))
        return np.concatenate(
            [self._values(times) for times in drawn_weights(rng, self._units, rounds, batch)]
        )

    def jackknife(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Leave out one example, or group, at a time.

        Above `MOST_LEFT_OUT` of them, as many blocks of about equal size are left out: the
        acceleration of BCa is a ratio of moments and changes little.
        """
        blocks = min(self._units, MOST_LEFT_OUT)
        block = np.arange(self._units) * blocks // max(self._units, 1)
        batch = max(1, BATCH // max(self._n, 1))
        parts = [
            self._values((block != np.arange(i, min(i + batch, blocks))[:, None]).astype(np.uint8))
            for i in range(0, blocks, batch)
        ]
        return np.concatenate(parts), np.ones(blocks)

    @cached_property
    def _codes(self) -> NDArray[np.intp] | None:
        """Groups as 0, 1, ..."""
        if self._groups is None:
            return None
        return np.unique(np.asarray(self._groups), return_inverse=True)[1]

    @property
    def n_groups(self) -> int | None:
        """How many groups are drawn, None where examples are."""
        return None if self._codes is None else self._units

    @property
    def _units(self) -> int:
        """What is drawn: examples, or groups."""
        return self._n if self._codes is None else int(self._codes.max(initial=-1)) + 1

    def _values(self, times: NDArray[np.uint8]) -> NDArray[np.float64]:
        """Give the statistic where each unit came `times` (B, units) times."""
        return self._function(self._of_examples(times).astype(np.float64))

    def _of_examples(self, times: NDArray[np.uint8]) -> NDArray[np.uint8]:
        return times if self._codes is None else times[:, self._codes]


def mean_sample(samples: Sequence[WeightSample]) -> WeightSample:
    """Give the mean of several statistics of the same examples as one statistic.

    Raises `ValueError` where they are not of as many examples and of the same groups.
    """
    first = samples[0]
    if not all(_drawn_alike(first, other) for other in samples[1:]):
        raise ValueError("the statistics are not of the same examples")

    def mean(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        values: NDArray[np.float64] = np.mean([s._function(weights) for s in samples], axis=0)
        return values

    return WeightSample(first._n, mean, first._groups, first.limits)


class LossSample(WeightSample):
    """The mean of a loss per example, or its square root.

    Parameters
    ----------
    losses : (n,)
    transform : `sqrt` for the root of the mean
    groups : codes (n,) of groups that are drawn as a whole, or None
    limits : range of the statistic

    Raises `ValueError` where losses are no row of numbers, or negative under a root.
    """

    def __init__(
        self,
        losses: ArrayLike,
        transform: Literal["sqrt"] | None = None,
        groups: ArrayLike | None = None,
        limits: Limits = (None, None),
    ) -> None:
        self._losses = magnitudes(losses, "losses")
        if self._losses.ndim != 1:
            raise ValueError("losses are given as one row")
        if transform == "sqrt" and (self._losses < 0).any():
            raise ValueError("the root of a mean takes losses of 0 or more")
        self._transform = transform
        super().__init__(len(self._losses), self._mean, groups, limits)

    def jackknife(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Leave out one example, or group, at a time, in closed form."""
        sums, sizes = self._per_unit
        means = _ratio(self._losses.sum() - sums, self._n - sizes)
        return self._shaped(means), np.ones(len(means))

    @cached_property
    def _per_unit(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Sum of losses and number of examples of each unit."""
        if self._codes is None:
            return self._losses, np.ones(self._n)
        sums, sizes = np.bincount(self._codes, weights=self._losses), np.bincount(self._codes)
        return sums.astype(np.float64), sizes.astype(np.float64)

    def _values(self, times: NDArray[np.uint8]) -> NDArray[np.float64]:
        sums, sizes = self._per_unit
        # einsum and not BLAS: the same bits for any number of threads
        total = np.einsum("ij,j->i", times, sums, dtype=np.float64)
        if self._codes is None:
            return self._shaped(_ratio(total, np.full(len(total), float(self._n))))
        return self._shaped(_ratio(total, np.einsum("ij,j->i", times, sizes, dtype=np.float64)))

    def _mean(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._shaped(_ratio(weights @ self._losses, weights.sum(axis=1)))

    def _shaped(self, means: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.sqrt(means) if self._transform == "sqrt" else means


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
        values, positive = numbers(scores, "scores"), positives(truth)
        if values.shape != positive.shape or values.ndim != 1:
            raise ValueError("every example needs one score")
        order = np.argsort(values, kind="stable")
        # Rows of positives and of negatives by ascending score, and for each positive how
        # many negatives are below it, without and with those that tie
        self._positives, self._negatives = order[positive[order]], order[~positive[order]]
        x, y = values[self._positives], values[self._negatives]
        self._below = np.searchsorted(y, x, "left"), np.searchsorted(y, x, "right")
        self._ties = bool((self._below[0] != self._below[1]).any())
        super().__init__(len(values), self._area, groups, (0.0, 1.0))

    def jackknife(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Leave out one example at a time, in closed form; groups one by one."""
        if self._codes is not None:
            return super().jackknife()
        positives, negatives = len(self._positives), len(self._negatives)
        below = (self._below[0] + self._below[1]) / 2
        # A negative loses the positives above it: those with fewer negatives below them
        above = (
            positives
            - (
                np.searchsorted(self._below[1], np.arange(negatives), "right")
                + np.searchsorted(self._below[0], np.arange(negatives), "right")
            )
            / 2
        )
        values, left = np.empty(self._n), np.empty(self._n)
        values[self._positives] = below.sum() - below
        left[self._positives] = (positives - 1.0) * negatives
        values[self._negatives] = below.sum() - above
        left[self._negatives] = positives * (negatives - 1.0)
        return _ratio(values, left), np.ones(self._n)

    def of(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the area under each row of weights (B, n); NaN without one of the classes."""
        return self._area(weights)

    def _values(self, times: NDArray[np.uint8]) -> NDArray[np.float64]:
        return self._area(self._of_examples(times))

    def _area(self, weights: NDArray[Any]) -> NDArray[np.float64]:
        """Weight of the pairs in order, ties by half, over that of all pairs."""
        positives = weights.take(self._positives, axis=1)
        dtype = np.int32 if weights.dtype == np.uint8 and self._n < 1 << 30 else np.float64
        below = np.zeros((len(weights), len(self._negatives) + 1), dtype=dtype)
        np.cumsum(weights.take(self._negatives, axis=1), axis=1, out=below[:, 1:])
        beaten = below.take(self._below[0], axis=1)
        if self._ties:
            beaten += below.take(self._below[1], axis=1)
        ordered = np.einsum("ij,ij->i", positives, beaten, dtype=np.float64)
        pairs = positives.sum(axis=1, dtype=np.float64) * below[:, -1]
        return _ratio(ordered, 2 * pairs if self._ties else pairs)


class DifferenceSample:
    """The difference of two statistics of the same examples, first minus second.

    Both are drawn from the same state of the generator, so that each resample holds the same
    examples for both. Raises `ValueError` where they are not of one kind: row by row with as
    many examples and the same groups, or counts of the same patterns.
    """

    def __init__(self, first: Resampler, second: Resampler, limits: Limits = (None, None)) -> None:
        if not _drawn_alike(first, second):
            raise ValueError("the two statistics are not of the same examples")
        self._first = first
        self._second = second
        self.limits = limits
        self.unit = first.unit
        self.n_groups = first.n_groups

    def estimate(self) -> float:
        """Give the difference on the sample as it is."""
        return self._first.estimate() - self._second.estimate()

    def replicates(self, rng: np.random.Generator, rounds: int) -> NDArray[np.float64]:
        """Give the difference on `rounds` resamples."""
        same = copy.deepcopy(rng)
        return self._first.replicates(same, rounds) - self._second.replicates(rng, rounds)

    def jackknife(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Leave out one example at a time, for both."""
        (first, times), (second, _) = self._first.jackknife(), self._second.jackknife()
        return first - second, times


def _drawn_alike(first: Resampler, second: Resampler) -> bool:
    """Tell whether one state of the generator draws the same examples for both."""
    if isinstance(first, PatternSample) and isinstance(second, PatternSample):
        return np.array_equal(first._counts, second._counts)
    if isinstance(first, WeightSample) and isinstance(second, WeightSample):
        if first._codes is None or second._codes is None:
            return first._codes is second._codes and first._n == second._n
        return np.array_equal(first._codes, second._codes)
    return False


def _ratio(numerator: NDArray[np.float64], denominator: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide; NaN where the denominator is 0."""
    values = np.full(numerator.shape, np.nan)
    np.divide(numerator, denominator, out=values, where=denominator != 0)
    return values
