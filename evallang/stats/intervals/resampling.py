"""Statistics of weighted examples: how often each example comes in a resample is its weight.

The weights depend on the seed, the number of rounds and of examples alone.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.activity import report_share
from evallang.stats.column_sums import Column, Columns, one_order, ones
from evallang.stats.intervals.drawn_weights import BLOCK, TOGETHER, Resamples
from evallang.stats.intervals.interval import Resampler
from evallang.stats.intervals.resampled_counts import BATCH, Limits, PatternSample
from evallang.stats.threads import run_in_threads
from evallang.stats.validation import labels, magnitudes

LEFT_OUT_AT_ONCE = 1 << 18  # units whose leave-one-out values are computed together
MOST_LEFT_OUT = 1000  # leave-one-out values computed one by one before blocks are excluded


class Block:
    """Some resamples, as how often each unit came, in the forms that statistics take them in.

    Parameters
    ----------
    times : (B, units)
    codes : unit of each example (n,), None where each is one
    sums : of columns, by their key
    """

    def __init__(
        self,
        times: NDArray[np.uint8],
        codes: NDArray[np.intp] | None,
        sums: Mapping[bytes, NDArray[np.float64]] | None = None,
    ) -> None:
        self.times = times
        self._codes = codes
        self.sums = sums or {}

    @cached_property
    def counts(self) -> NDArray[np.uint8]:
        """How often each example came (B, n)."""
        return self.times if self._codes is None else self.times.take(self._codes, axis=1)

    def of(self, row: int) -> NDArray[np.float64]:
        """Return how often each example came in one resample (n,), as numbers."""
        times: NDArray[np.uint8] = self.times[row]
        return (times if self._codes is None else times[self._codes]).astype(np.float64)

    @cached_property
    def side_by_side(self) -> NDArray[np.uint8]:
        """The counts (B, n), those of one example side by side in memory."""
        turned = np.ascontiguousarray(self.times.T)
        return (turned if self._codes is None else turned.take(self._codes, axis=0)).T

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """How often each example came (B, n), as numbers."""
        return self.counts.astype(np.float64)


class WeightSample:
    """Any statistic of weighted examples.

    Parameters
    ----------
    n : number of examples
    function : from weights (B, n) as float64 to values (B,), NaN where undefined
    groups : codes (n,) of groups that are drawn as a whole, or None
    limits : range of the statistic
    compiled : `function` spends its time in compiled code, takes weights that are whole numbers
        as bytes too, and may be called by two threads at the same time
    left_out : gives the statistic without each example in turn (n,), or None where that has no
        closed form
    example_by_example : `function` goes through the examples one after the other, each under
        many weightings at once
    """

    def __init__(
        self,
        n: int,
        function: Callable[[NDArray[Any]], NDArray[np.float64]],
        groups: ArrayLike | None = None,
        limits: Limits = (None, None),
        *,
        compiled: bool = False,
        left_out: Callable[[], NDArray[np.float64] | None] | None = None,
        example_by_example: bool = False,
    ) -> None:
        self._n = n
        self._example_by_example = example_by_example
        self._left_out = left_out
        self.compiled = compiled
        self._function = function
        self._groups = groups
        self.limits = limits
        self.unit = "examples" if groups is None else "groups"
        self._drawn_with: SharedResamples | None = None

    def estimate(self) -> float:
        """Return the statistic on the sample as it is."""
        return float(self._values(np.ones((1, self._units), dtype=np.uint8))[0])

    def under(self, counts: NDArray[np.uint8]) -> NDArray[np.float64]:
        """Return the statistic where each example counts so many times (B, n)."""
        return self._on(Block(counts, None))

    def replicates(self, rng: np.random.Generator, rounds: int) -> NDArray[np.float64]:
        """Draw examples, or whole groups, with replacement; weights are how often each came."""
        if self._drawn_with is not None:
            return self._drawn_with.replicates(self, rng, rounds)
        return _replicates_of([self], rng, rounds)[0]

    def jackknife(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Leave out one example, or group, at a time, in closed form where there is one.

        Else above `MOST_LEFT_OUT` of them, as many blocks of about equal size are excluded: the
        acceleration of BCa is a ratio of moments and changes little.
        """
        values = None if self._left_out is None or self._groups is not None else self._left_out()
        if values is not None:
            return values, np.ones(len(values))
        block = blocks_left_out(self._units)
        blocks = int(block.max(initial=-1)) + 1
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
        return labels(self._groups, self._n, "group")

    @property
    def n_groups(self) -> int | None:
        """How many groups are drawn, None where examples are."""
        return None if self._codes is None else self._units

    @property
    def n_examples(self) -> int:
        """How many examples it is made from."""
        return self._n

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns whose sums the statistic is a function of."""
        return ()

    @property
    def by_example(self) -> bool:
        """Whether resamples are drawn unit by unit, whatever the statistic."""
        return True

    @property
    def _units(self) -> int:
        """What is drawn: examples, or groups."""
        return self._n if self._codes is None else int(self._codes.max(initial=-1)) + 1

    def _values(self, times: NDArray[np.uint8]) -> NDArray[np.float64]:
        """Return the statistic where each unit came `times` (B, units) times."""
        return self._on(Block(times, self._codes))

    def _on(self, block: Block) -> NDArray[np.float64]:
        """Return the statistic on each resample of a block (B,)."""
        if self._example_by_example and self.compiled:
            return self._function(block.side_by_side)
        return self._function(block.counts if self.compiled else block.weights)


def blocks_left_out(units: int) -> NDArray[np.intp]:
    """Return the block of each unit (units,), of about equal sizes, that is omitted as a whole.

    Up to `MOST_LEFT_OUT` units each is a block of its own.
    """
    return np.arange(units) * min(units, MOST_LEFT_OUT) // max(units, 1)


def share_resamples(samples: Iterable[Resampler]) -> None:
    """Join statistics that draw the same examples one by one, to be computed in one pass.

    Each has the values that it has by itself; others are left as they are.
    """
    _join(s for s in samples if isinstance(s, WeightSample) and s.by_example)


def share_pairs(pairs: Iterable[Resampler]) -> None:
    """Join statistics whose differences are drawn by example, though each alone is not.

    Each difference has the values that it has by itself; others are left as they are.
    """
    sides = [
        side for p in pairs if isinstance(p, DifferenceSample) for side in (p._first, p._second)
    ]
    found = [s for s in sides if isinstance(s, WeightSample) and not s.by_example]
    _join({id(sample): sample for sample in found}.values())


def _join(samples: Iterable[WeightSample]) -> None:
    alike: list[list[WeightSample]] = []
    for sample in samples:
        if sample._drawn_with is not None:
            continue
        # One that is not compiled would keep the others from being computed in threads
        known = next(
            (
                found
                for found in alike
                if found[0].compiled == sample.compiled and _drawn_alike(found[0], sample)
            ),
            None,
        )
        if known is None:
            alike.append([sample])
        else:
            known.append(sample)
    for found in alike:
        if len(found) > 1:
            SharedResamples(found)


class SharedResamples:
    """Statistics of the same examples that are computed on the same resamples, all in one pass.

    The resamples depend on the generator alone, so that each statistic has the values that it
    has by itself. Raises `ValueError` where the statistics are not of the same examples.
    """

    def __init__(self, samples: Sequence[WeightSample]) -> None:
        if not all(_drawn_alike(samples[0], other) for other in samples[1:]):
            raise ValueError("the statistics are not of the same examples")
        self._samples = tuple(samples)
        self._values: dict[tuple[str, int], list[NDArray[np.float64]]] = {}
        for sample in samples:
            sample._drawn_with = self

    def replicates(
        self, sample: WeightSample, rng: np.random.Generator, rounds: int
    ) -> NDArray[np.float64]:
        """Return one of the statistics on the resamples that a generator draws from its state."""
        key = str(rng.bit_generator.state), rounds
        if key not in self._values:
            self._values[key] = _replicates_of(self._samples, rng, rounds)
        return self._values[key][self._samples.index(sample)]


def _replicates_of(
    samples: Sequence[WeightSample], rng: np.random.Generator, rounds: int
) -> list[NDArray[np.float64]]:
    """Compute statistics of the same examples on the same resamples, each (rounds,)."""
    values = np.empty((len(samples), rounds))
    resamples = Resamples(rng, samples[0]._units, rounds)
    units = samples[0]._units
    columns = Columns((c for sample in samples for c in sample.columns), units, drawn=units)

    compiled = all(sample.compiled for sample in samples)
    n, codes = samples[0]._n, samples[0]._codes
    rows = list(zip(values, samples, strict=True))
    of_sums = [(row, sample) for row, sample in rows if sample.columns]
    others = [(row, sample) for row, sample in rows if not sample.columns]
    # Those that go through the examples have rows of all weightings of a block
    each = [(row, sample) for row, sample in others if sample._example_by_example]
    of_examples = [(row, sample) for row, sample in others if not sample._example_by_example]
    sizes = [max(1, counts // max(n, 1)) for counts in (BLOCK, TOGETHER * BLOCK)]
    starts, draw = resamples.batches, resamples.batch
    if n > units and not of_sums and not each:  # a batch of groups may be minutes of examples
        starts, draw = resamples.starts, resamples.block

    def work(start: int) -> None:
        times = draw(start)
        whole = Block(times, codes, columns.sums(times))
        for row, sample in of_sums:
            row[start : start + len(times)] = sample._on(whole)
        for size, some in zip(sizes, (of_examples, each), strict=True):
            for first in range(0, len(times) if some else 0, size):
                block = Block(times[first : first + size], codes)
                for row, sample in some:
                    row[start + first : start + first + len(block.times)] = sample._on(block)

    with one_order():
        for start in run_in_threads(work, starts, at_once=compiled):
            report_share(min(start + starts.step, rounds), rounds)
    return list(values)


def mean_sample(samples: Sequence[WeightSample]) -> WeightSample:
    """Return the mean of several statistics of the same examples as one statistic.

    Raises `ValueError` where they are not of as many examples and of the same groups.
    """
    first, *others = samples
    if not others:
        return first
    if not all(_drawn_alike(first, other) for other in others):
        raise ValueError("the statistics are not of the same examples")
    moments = [sample for sample in samples if isinstance(sample, MomentSample)]
    if len(moments) == len(samples):
        return MomentSample.mean_of(moments)

    def mean(weights: NDArray[Any]) -> NDArray[np.float64]:
        values: NDArray[np.float64] = np.mean([s._function(weights) for s in samples], axis=0)
        return values

    compiled = all(sample.compiled for sample in samples)
    return WeightSample(first._n, mean, first._groups, first.limits, compiled=compiled)


class MomentSample(WeightSample):
    """A function of the sums of some numbers of each example, and of how many there are.

    Parameters
    ----------
    columns : numbers of each example, (n,) each
    function : from sums (columns, B) and numbers of examples (B,) to values (B,), NaN where
        undefined, and where sums have lost too many digits for it (B,)
    exact : the statistic under one row of weights (n,), for where digits are lost
    groups : codes (n,) of groups that are drawn as a whole, or None
    limits : range of the statistic
    """

    def __init__(
        self,
        columns: Sequence[NDArray[np.float64]],
        function: Callable[
            [Sequence[NDArray[np.float64]], NDArray[np.float64]],
            tuple[NDArray[np.float64], NDArray[np.bool_]],
        ],
        exact: Callable[[NDArray[np.float64]], float],
        groups: ArrayLike | None = None,
        limits: Limits = (None, None),
    ) -> None:
        self._of_examples = columns
        self._of_sums, self._exact = function, exact
        super().__init__(len(columns[0]), self._weighted, groups, limits, compiled=True)

    @staticmethod
    def mean_of(samples: Sequence[MomentSample]) -> MomentSample:
        """Return the mean of several statistics of the same examples, on one set of sums."""
        ends = np.cumsum([len(sample._of_examples) for sample in samples]).tolist()

        def of_sums(
            sums: Sequence[NDArray[np.float64]], drawn: NDArray[np.float64]
        ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
            found = [
                sample._of_sums(sums[end - len(sample._of_examples) : end], drawn)
                for sample, end in zip(samples, ends, strict=True)
            ]
            values: NDArray[np.float64] = np.mean([value for value, _ in found], axis=0)
            return values, np.any([lost for _, lost in found], axis=0)

        def exact(weights: NDArray[np.float64]) -> float:
            return float(np.mean([sample._exact(weights) for sample in samples]))

        columns = [column for sample in samples for column in sample._of_examples]
        first = samples[0]
        return MomentSample(columns, of_sums, exact, first._groups, first.limits)

    def jackknife(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Leave out one example, or group, at a time, in closed form."""
        sums = [column.values.sum() for column in self.columns]
        values, lost = np.empty(self._units), np.empty(self._units, dtype=np.bool_)
        for start in range(0, self._units, LEFT_OUT_AT_ONCE):  # of many, each array is large
            some = slice(start, start + LEFT_OUT_AT_ONCE)
            *rest, sizes = [
                total - c.values[some] for total, c in zip(sums, self.columns, strict=True)
            ]
            values[some], lost[some] = self._of_sums(rest, sizes)
        for unit in np.flatnonzero(lost):
            times = (np.arange(self._units) != unit).astype(np.float64)
            values[unit] = self._exact(times if self._codes is None else times[self._codes])
        return values, np.broadcast_to(1.0, self._units)

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The sums of the numbers of the examples of each unit, and how many there are."""
        if self._codes is None:
            return (*map(Column, self._of_examples), ones(self._n))
        columns = (*self._of_examples, np.ones(self._n))
        return tuple(Column(np.bincount(self._codes, values)) for values in columns)

    def _on(self, block: Block) -> NDArray[np.float64]:
        *sums, drawn = (block.sums[column.key] for column in self.columns)
        values, lost = self._of_sums(sums, drawn)
        for row in np.flatnonzero(lost):
            values[row] = self._exact(block.of(int(row)))
        return values

    def _values(self, times: NDArray[np.uint8]) -> NDArray[np.float64]:
        return self._weighted(Block(times, self._codes).counts)

    def _weighted(self, weights: NDArray[Any]) -> NDArray[np.float64]:
        # einsum and not BLAS: the same bits for any number of threads
        sums = [np.einsum("ij,j->i", weights, c, dtype=np.float64) for c in self._of_examples]
        values, lost = self._of_sums(sums, weights.sum(axis=1, dtype=np.float64))
        for row in np.flatnonzero(lost):
            values[row] = self._exact(weights[row].astype(np.float64))
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
        self._transform = transform
        super().__init__((values,), self._mean, self._of_one, groups, limits)

    def _mean(
        self, sums: Sequence[NDArray[np.float64]], drawn: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        means = ratio(sums[0], drawn)
        shaped = np.sqrt(means) if self._transform == "sqrt" else means
        return shaped, np.zeros(len(means), dtype=np.bool_)  # a mean loses no digits

    def _of_one(self, weights: NDArray[np.float64]) -> float:
        return float(self._weighted(weights[None])[0])


class DifferenceSample:
    """The difference of two statistics of the same examples, first minus second.

    Each resample holds the same examples for both. Raises `ValueError` where they are not of
    one kind: row by row with as many examples and the same groups, or counts of the same
    patterns.
    """

    def __init__(self, first: Resampler, second: Resampler, limits: Limits = (None, None)) -> None:
        if not _drawn_alike(first, second):
            raise ValueError("the two statistics are not of the same examples")
        self._first = first
        self._second = second
        self.limits = limits
        self.unit = first.unit
        self.n_groups = first.n_groups
        self.n_examples: int | None = getattr(first, "n_examples", None)

    def estimate(self) -> float:
        """Return the difference on the sample as it is."""
        return self._first.estimate() - self._second.estimate()

    def replicates(self, rng: np.random.Generator, rounds: int) -> NDArray[np.float64]:
        """Return the difference on `rounds` resamples, the same for both."""
        first, second, same = self._first, self._second, copy.deepcopy(rng)
        if not isinstance(first, WeightSample) or not isinstance(second, WeightSample):
            return first.replicates(same, rounds) - second.replicates(rng, rounds)
        shared = first._drawn_with
        if shared is None or shared is not second._drawn_with:
            mine, theirs = _replicates_of([first, second], rng, rounds)
            return mine - theirs
        return shared.replicates(first, same, rounds) - shared.replicates(second, rng, rounds)

    def jackknife(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Leave out one example at a time, for both."""
        (first, times), (second, _) = self._first.jackknife(), self._second.jackknife()
        return first - second, times


def _drawn_alike(first: Resampler, second: Resampler) -> bool:
    """Return whether one state of the generator draws the same examples for both."""
    if isinstance(first, PatternSample) and isinstance(second, PatternSample):
        return np.array_equal(first._counts, second._counts)
    if isinstance(first, WeightSample) and isinstance(second, WeightSample):
        if first._codes is None or second._codes is None:
            return first._codes is second._codes and first._n == second._n
        return np.array_equal(first._codes, second._codes)
    return False


def ratio(numerator: NDArray[np.float64], denominator: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide; NaN where the denominator is 0."""
    values = np.full(numerator.shape, np.nan)
    np.divide(numerator, denominator, out=values, where=denominator != 0)
    return values
