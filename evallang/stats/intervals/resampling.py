"""Statistics on resamples: how often each example, group or pattern comes is its weight.

What is drawn depends on the seed, the number of rounds and what is drawn from alone, so that all
metrics and models of the same examples share their resamples, and differences are paired.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.stats.class_sums import LabelledPairs, Margins, OccurringCells
from evallang.stats.draws import Block, Resamples, Source, Statistic, draw_together
from evallang.stats.intervals.interval import Limits, Resampler
from evallang.stats.score_counts import outranked
from evallang.stats.validation import example_weights, labels, magnitudes, numbers, positives
from evallang.stats.weightings import areas_by_score, ratio, summing, weights_by_score

MOST_LEFT_OUT = 1000  # leave-one-out values computed one by one before blocks are excluded
AT_ONCE = 1 << 20  # numbers of leave-one-out values that are held at once

OfWeights = Callable[["NDArray[Any]"], "NDArray[np.float64]"]
"""From weights (B, n) to values (B,), NaN where undefined."""
OfTables = Callable[["NDArray[np.float64]"], "NDArray[np.float64]"]
"""From counts (..., *shape of a table) to values (...), NaN where undefined."""
OfSums = Callable[
    [Sequence["NDArray[np.float64]"], "NDArray[np.float64]"],
    "tuple[NDArray[np.float64], NDArray[np.bool_]]",
]
"""From sums (columns, B) and numbers of examples (B,) to values (B,), NaN where undefined, and
where the sums have lost too many digits for it (B,)."""


class ExampleSample(Statistic):
    """A statistic of weighted examples.

    Parameters
    ----------
    n : number of examples
    groups : codes (n,) of groups that are drawn as a whole, or None
    limits : range of the statistic
    """

    def __init__(self, n: int, groups: ArrayLike | None, limits: Limits) -> None:
        self.n_examples, self.limits, self._groups = n, limits, groups
        self.unit = "examples" if groups is None else "groups"

    @cached_property
    def source(self) -> Source:
        """The examples, or the groups, of which as many are drawn as there are."""
        if self._groups is None:
            return Resamples(np.ones(self.n_examples))
        codes = labels(self._groups, self.n_examples, "group")
        return Resamples(np.ones(int(codes.max(initial=-1)) + 1), codes)

    @property
    def n_groups(self) -> int | None:
        """How many groups are drawn, None where examples are."""
        return None if self._groups is None else len(self.source.sizes)

    def estimate(self) -> float:
        """Return the statistic on the sample as it is."""
        return float(self._where(np.ones((len(self.source.sizes), 1)))[0])

    def jackknife(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Leave out one example, or group, at a time.

        Above `MOST_LEFT_OUT` of them, as many blocks of about equal size are excluded: the
        acceleration of BCa is a ratio of moments and changes little.
        """
        block = blocks_left_out(len(self.source.sizes))
        every = np.arange(int(block.max(initial=-1)) + 1)
        size = max(1, AT_ONCE // max(self.n_examples, 1))
        parts = [
            self._where(block[:, None] != every[start : start + size])
            for start in range(0, len(every), size)
        ]
        return np.concatenate([np.empty(0), *parts]), np.ones(len(every))

    def _where(self, times: NDArray[Any]) -> NDArray[np.float64]:
        """Return the statistic where each unit came `times` (units, B) times."""
        return self.on(Block(times.astype(np.float64), self.source.codes))


class WeightSample(ExampleSample):
    """Any statistic of weighted examples.

    Parameters
    ----------
    n : number of examples
    function : from weights (B, n) to values (B,), NaN where undefined
    groups : codes (n,) of groups that are drawn as a whole, or None
    limits : range of the statistic
    left_out : gives the statistic without each example in turn (n,), or None where that has no
        closed form
    """

    def __init__(
        self,
        n: int,
        function: OfWeights,
        groups: ArrayLike | None = None,
        limits: Limits = (None, None),
        left_out: Callable[[], NDArray[np.float64] | None] | None = None,
    ) -> None:
        super().__init__(n, groups, limits)
        self._function, self._left_out = function, left_out

    def on(self, block: Block) -> NDArray[np.float64]:
        """Return the statistic on each resample of a block (B,)."""
        return self._function(block.weights)

    def jackknife(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Leave out one example, or group, at a time, in closed form where there is one."""
        values = None if self._left_out is None or self._groups is not None else self._left_out()
        return super().jackknife() if values is None else (values, np.ones(len(values)))


def blocks_left_out(units: int) -> NDArray[np.intp]:
    """Return the block of each unit (units,), of about equal sizes, that is omitted as a whole.

    Up to `MOST_LEFT_OUT` units each is a block of its own.
    """
    return np.arange(units) * min(units, MOST_LEFT_OUT) // max(units, 1)


class MomentSample(ExampleSample):
    """A function of the sums of some numbers of each example, and of how many there are.

    Parameters
    ----------
    columns : numbers of each example, (n,) each
    of_sums : from sums to values
    exact : the statistic under one row of weights (n,), for where digits are lost
    groups : codes (n,) of groups that are drawn as a whole, or None
    limits : range of the statistic
    """

    def __init__(
        self,
        columns: Sequence[NDArray[np.float64]],
        of_sums: OfSums,
        exact: Callable[[NDArray[np.float64]], float],
        groups: ArrayLike | None = None,
        limits: Limits = (None, None),
    ) -> None:
        super().__init__(len(columns[0]), groups, limits)
        self._columns, self._of_sums, self._exact = columns, of_sums, exact

    def on(self, block: Block) -> NDArray[np.float64]:
        """Return the statistic on each resample of a block (B,)."""
        sums = self._sums @ block.numbers
        drawn = np.full(sums.shape[1], float(self.n_examples))
        if self._sizes is not None:
            drawn = self._sizes @ block.numbers
        return self._exactly(sums, drawn, lambda row: block.examples[:, row].astype(np.float64))

    def jackknife(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Leave out one example, or group, at a time, in closed form."""
        rest: NDArray[np.float64] = self._sums.sum(axis=1)[:, None] - self._sums
        units, codes = rest.shape[1], self.source.codes
        sizes = self.n_examples - (np.ones(units) if self._sizes is None else self._sizes)

        def weights(unit: int) -> NDArray[np.float64]:
            kept = np.arange(units) if codes is None else codes
            return np.asarray(kept != unit, dtype=np.float64)

        return self._exactly(rest, sizes, weights), np.ones(units)

    @cached_property
    def _sums(self) -> NDArray[Any]:
        """The numbers of each unit (columns, units)."""
        codes, units = self.source.codes, len(self.source.sizes)
        if codes is None:
            return np.array(self._columns, dtype=np.float64)
        return np.array([np.bincount(codes, column, units) for column in self._columns])

    @cached_property
    def _sizes(self) -> NDArray[np.float64] | None:
        """How many examples each unit has (units,), None for one."""
        codes = self.source.codes
        return None if codes is None else np.bincount(codes).astype(np.float64)

    def _exactly(
        self,
        sums: NDArray[np.float64],
        drawn: NDArray[np.float64],
        weights: Callable[[int], NDArray[np.float64]],
    ) -> NDArray[np.float64]:
        """Return the values of sums; from the `weights` of a row where these have lost digits."""
        values, lost = self._of_sums(list(sums), drawn)
        for row in np.flatnonzero(lost).tolist():
            values[row] = self._exact(weights(row))
        return values


class LossSample(MomentSample):
    """The mean of a loss per example, or its square root.

    Parameters
    ----------
    losses : (n,)
    transform : `sqrt` for the root of the mean
    groups : codes (n,) of groups that are drawn as a whole, or None
    limits : range of the statistic

    Raises `ValueError` where losses are not a row of numbers, or negative under a root.
    """

    def __init__(
        self,
        losses: ArrayLike,
        transform: Literal["sqrt"] | None = None,
        groups: ArrayLike | None = None,
        limits: Limits = (None, None),
    ) -> None:
        values = magnitudes(losses, "losses")
        if values.ndim != 1:
            raise ValueError("losses are given as one row")
        if transform == "sqrt" and (values < 0).any():
            raise ValueError("the root of a mean takes losses of 0 or more")

        def mean(
            sums: Sequence[NDArray[np.float64]], drawn: NDArray[np.float64]
        ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
            means = ratio(sums[0], drawn)
            shaped = np.sqrt(means) if transform == "sqrt" else means
            return shaped, np.zeros(len(means), dtype=np.bool_)  # a mean loses no digits

        super().__init__((values,), mean, lambda _: np.nan, groups, limits)


class ScoreSample(WeightSample):
    """The area under the ROC curve; scores are sorted once for all resamples.

    Parameters
    ----------
    truth : 1 for positives (n,)
    scores : (n,), higher for positives
    groups : codes (n,) of groups that are drawn as a whole, or None
    weights : of the examples (n,), which multiply how often each was drawn, or None
    """

    def __init__(
        self,
        truth: ArrayLike,
        scores: ArrayLike,
        groups: ArrayLike | None = None,
        weights: ArrayLike | None = None,
    ) -> None:
        values, positive = numbers(scores, "scores"), positives(truth)
        if values.shape != positive.shape or values.ndim != 1:
            raise ValueError("every example needs one score")
        own = None if weights is None else example_weights(weights)
        if own is not None and own.shape != values.shape:
            raise ValueError("every example needs one weight")
        sides = weights_by_score(positive, values, own)

        def areas(drawn: NDArray[Any]) -> NDArray[np.float64]:
            return areas_by_score(*sides(drawn))

        def left_out() -> NDArray[np.float64] | None:
            if own is not None:
                return None
            lost = outranked(positive, values)
            ups = int(np.count_nonzero(positive))
            pairs = (ups - positive) * (len(positive) - ups - ~positive)
            return ratio(lost[positive].sum() - lost, pairs.astype(np.float64))

        super().__init__(len(values), areas, groups, (0.0, 1.0), left_out)


class TableSample(ExampleSample):
    """A metric of a table of counts, or of weights, of examples that are drawn one by one.

    Parameters
    ----------
    cells : cell of each example in the table, which is laid out as one row (n,)
    shape : of the table
    metric : from tables to values
    groups : codes (n,) of groups that are drawn as a whole, or None
    weights : of the examples (n,), or None
    limits : range of the metric
    """

    def __init__(
        self,
        cells: NDArray[np.integer],
        shape: tuple[int, ...],
        metric: OfTables,
        groups: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        limits: Limits = (None, None),
    ) -> None:
        self._occurring, places = np.unique(cells, return_inverse=True)
        own = None if weights is None else example_weights(weights)
        self._sums = summing(places.reshape(-1), len(self._occurring), own)
        self._of_tables = spread_out(self._occurring, shape, metric)
        super().__init__(len(cells), groups, limits)
        if self.source.codes is not None:
            units = len(self.source.sizes)
            self._sums = (self._sums @ summing(self.source.codes, units).T).tocsr()

    def on(self, block: Block) -> NDArray[np.float64]:
        """Return the metric on each resample of a block (B,)."""
        return self._of_tables((self._sums @ block.numbers).T)

    def jackknife(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Leave out one example, or group, at a time."""
        total, units = self._sums.sum(axis=1)[:, None], len(self.source.sizes)
        by_unit, size = self._sums.tocsc(), max(1, AT_ONCE // max(len(total), 1))
        parts = [
            self._of_tables((total - by_unit[:, start : start + size].toarray()).T)
            for start in range(0, units, size)
        ]
        return np.concatenate([np.empty(0), *parts]), np.ones(units)


def spread_out(
    occurring: NDArray[np.integer], shape: tuple[int, ...], metric: OfTables
) -> OfTables:
    """Turn a metric of tables into one of the counts of the cells that occur (..., cells)."""
    size = int(np.prod(shape))

    def of_cells(counts: NDArray[np.float64]) -> NDArray[np.float64]:
        given = counts.reshape(int(np.prod(counts.shape[:-1])), len(occurring))
        values, rows = np.empty(len(given)), max(1, AT_ONCE // size)
        for start in range(0, len(given), rows):
            some = given[start : start + rows]
            # One row for each cell: each step of the metric is one pass over all tables
            tables = np.zeros((size, len(some)))
            tables[occurring] = some.T
            shaped = np.moveaxis(tables.reshape(*shape, -1), -1, 0)
            values[start : start + rows] = metric(shaped)
        return values.reshape(counts.shape[:-1])

    return of_cells


def mean_sample(samples: Sequence[ExampleSample]) -> ExampleSample:
    """Return the mean of several statistics of the same examples as one statistic.

    Raises `ValueError` where they are not of as many examples and of the same groups.
    """
    first, *others = samples
    if not others:
        return first
    if not all(first.source.alike(other.source) for other in others):
        raise ValueError("the statistics are not of the same examples")
    return _MeanSample(samples)


class _MeanSample(ExampleSample):
    """The mean of several statistics of the same examples."""

    def __init__(self, samples: Sequence[ExampleSample]) -> None:
        super().__init__(samples[0].n_examples, samples[0]._groups, samples[0].limits)
        self._samples = samples

    def on(self, block: Block) -> NDArray[np.float64]:
        """Return the mean on each resample of a block (B,)."""
        return np.asarray(np.mean([sample.on(block) for sample in self._samples], axis=0))

    def jackknife(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Leave out one example, group or block of them at a time."""
        found = [sample.jackknife() for sample in self._samples]
        return np.mean([values for values, _ in found], axis=0), found[0][1]


class PatternSample(Statistic):
    """A statistic of counts of distinct patterns, such as the cells of a confusion matrix.

    A resample of the examples is, in distribution, a multinomial draw over their patterns: the
    same work for any number of examples.

    Parameters
    ----------
    counts : how often each pattern occurs, (P,)
    statistic : from counts (..., P) as float64 to values (...), NaN where undefined
    limits : range of the statistic
    """

    unit = "examples"
    n_groups = None

    def __init__(
        self, counts: ArrayLike, statistic: OfTables, limits: Limits = (None, None)
    ) -> None:
        self._counts = np.asarray(counts, dtype=np.int64).ravel()
        self._occurring = np.flatnonzero(self._counts)
        self._statistic, self.limits = statistic, limits

    @cached_property
    def source(self) -> Source:
        """The patterns that occur."""
        return Resamples(self._counts[self._occurring])

    @property
    def n_examples(self) -> int:
        """How many examples were counted."""
        return int(self._counts.sum())

    def on(self, block: Block) -> NDArray[np.float64]:
        """Return the statistic on each resample of a block (B,)."""
        # One row for each pattern: each step of the statistic is one pass over all rounds
        drawn = np.zeros((len(self._counts), block.times.shape[1]))
        drawn[self._occurring] = block.times
        return self._statistic(drawn.T)

    def estimate(self) -> float:
        """Return the statistic on the sample as it is."""
        return float(self._statistic(self._counts.astype(np.float64)))

    def jackknife(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Leave out one example of each occurring pattern."""
        times = self._counts[self._occurring].astype(np.float64)
        size = max(1, AT_ONCE // max(len(self._counts), 1))
        parts = []
        for start in range(0, len(times), size):
            omitted = np.eye(*(len(times[start : start + size]), len(times)), start)
            parts.append(self.on(Block((times - omitted).T)))
        return np.concatenate([np.empty(0), *parts]), times


class CountSample(PatternSample):
    """A metric of the confusion matrix of one model.

    Parameters
    ----------
    matrix : counts (k, k), true class by predicted class
    function : from matrices (..., k, k) to values (...)
    limits : range of the metric
    """

    def __init__(
        self, matrix: ArrayLike, function: OfTables, limits: Limits = (None, None)
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

    def __init__(self, joint: ArrayLike, function: OfTables, limits: Limits = (None, None)) -> None:
        def statistic(counts: NDArray[np.float64]) -> NDArray[np.float64]:
            tables = counts.reshape(*counts.shape[:-1], *np.shape(joint))
            return np.asarray(function(tables.sum(-1)) - function(tables.sum(-2)))

        super().__init__(joint, statistic, limits)


OfMargins = Callable[[Margins], "NDArray[np.float64]"]


def sample_of_cells(
    matrix: NDArray[np.int64], function: OfMargins, limits: Limits = (None, None)
) -> PatternSample:
    """Return the sample of a metric of one matrix of many classes, by its margins."""
    truth, predicted = np.nonzero(matrix)
    cells = OccurringCells(truth, predicted, len(matrix))
    return PatternSample(
        matrix[truth, predicted], lambda counts: function(cells.margins(counts)), limits
    )


def sample_of_pairs(
    pairs: LabelledPairs, function: OfMargins, limits: Limits = (None, None)
) -> PatternSample:
    """Return the sample of the difference of a metric of two models of many classes."""
    first = OccurringCells(pairs.truth, pairs.first, pairs.k)
    second = OccurringCells(pairs.truth, pairs.second, pairs.k)

    def difference(counts: NDArray[np.float64]) -> NDArray[np.float64]:
        return function(first.margins(counts)) - function(second.margins(counts))

    return PatternSample(pairs.times, difference, limits)


class DifferenceSample:
    """The difference of two statistics of the same examples, first minus second.

    Each resample holds the same examples for both. Raises `ValueError` where they are not of
    one kind: row by row with as many examples and the same groups, or counts of the same
    patterns.
    """

    def __init__(self, first: Resampler, second: Resampler, limits: Limits = (None, None)) -> None:
        both = isinstance(first, Statistic) and isinstance(second, Statistic)
        if not (both and first.source.alike(second.source)):  # type: ignore[attr-defined]  # both are
            raise ValueError("the two statistics are not of the same examples")
        draw_together((first, second))
        self._first, self._second, self.limits = first, second, limits
        self.unit, self.n_groups = first.unit, first.n_groups
        self.n_examples: int | None = getattr(first, "n_examples", None)

    def estimate(self) -> float:
        """Return the difference on the sample as it is."""
        return self._first.estimate() - self._second.estimate()

    def replicates(self, rng: np.random.Generator, rounds: int) -> NDArray[np.float64]:
        """Return the difference on `rounds` resamples, the same for both."""
        same = copy.deepcopy(rng)
        return self._first.replicates(same, rounds) - self._second.replicates(rng, rounds)

    def jackknife(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Leave out one example at a time, for both."""
        return self._left_out

    @cached_property
    def _left_out(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """What is asked for at each level of a test, made once."""
        (first, times), (second, _) = self._first.jackknife(), self._second.jackknife()
        return first - second, times
