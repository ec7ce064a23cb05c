"""The area under the ROC curve on resamples of its examples."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.activity import report_share
from evallang.stats.ascending import ascending
from evallang.stats.intervals.drawn_weights import LARGEST, DrawnCells, block_generators
from evallang.stats.intervals.resampling import WeightSample, ratio
from evallang.stats.running_sums import STEPS, RunningSums
from evallang.stats.scratch import Scratch
from evallang.stats.threads import run_in_threads
from evallang.stats.validation import example_weights, numbers, positives

MANY_EXAMPLES = 2048  # from which runs are drawn
EXAMPLES_AT_ONCE = 1 << 16  # of the resamples worked on at once: they stay in the cache
DRAWN_AT_ONCE = 1 << 26  # examples of the resamples of a batch; what is drawn for one is less
FEWEST, MOST = 4, 1 << 10  # resamples of a batch
FEW_IN_LONG_RUNS = 0.05  # share of the examples
RUNS_AT_ONCE = 1 << 18  # runs of all resamples that are added up at once

_SCRATCH = Scratch()


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
        order, begins, up = ascending(values, positive)
        # Places where another score begins; equal scores are one run
        self._first = np.flatnonzero(begins)
        self._up = up
        # Rows of positives and of negatives by ascending score, and for each positive how
        # many negatives are below it, without and with those that tie
        self._positives, self._negatives = order[up], order[~up]
        self._order = np.concatenate([self._positives, self._negatives])
        downs = np.cumsum(~up)
        if len(self._first) == len(order):
            below = downs[up]
            self._below = below, below
        else:
            ends = np.append(self._first[1:], len(order))
            run = np.repeat(np.arange(len(self._first)), ends - self._first)[up]
            upto = downs[ends - 1]
            self._below = np.append(0, upto[:-1])[run], upto[run]
        self._ties = bool((self._below[0] != self._below[1]).any())
        self._weights: NDArray[np.float64] | None = None
        if weights is not None:
            own = example_weights(weights)
            if own.shape != values.shape:
                raise ValueError("every example needs one weight")
            self._weights = own[self._order]
        super().__init__(len(values), self._area, groups, (0.0, 1.0), compiled=True)

    def replicates(self, rng: np.random.Generator, rounds: int) -> NDArray[np.float64]:
        """Draw with replacement; of many examples only how many come of each run of one class."""
        if self.by_example:
            return super().replicates(rng, rounds)
        values = np.empty(rounds)
        generator, alternation = block_generators(rng), self._alternation
        batch = alternation.batch

        def work(start: int) -> None:
            part = values[start : start + batch]
            part[:] = alternation.areas(generator(start), len(part))

        for start in run_in_threads(work, range(0, rounds, batch)):
            report_share(min(start + batch, rounds), rounds)
        return values

    @property
    def by_example(self) -> bool:
        """Whether resamples are drawn unit by unit: of many with one weight, runs are drawn."""
        alike = self._groups is None and self._weights is None
        return not alike or self._n < MANY_EXAMPLES

    @cached_property
    def _alternation(self) -> _Alternation:
        return _Alternation(self._up, self._first)

    def jackknife(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Leave out one example at a time, in closed form; groups one by one."""
        if self._codes is not None:
            return super().jackknife()
        up, down = len(self._positives), len(self._negatives)
        ups = downs = _Alike()
        if self._weights is not None:
            ups, downs = _Weighted(self._weights[:up]), _Weighted(self._weights[up:])
        positives, negatives = ups.first(up), downs.first(down)
        # Weight of the negatives below each positive, and of the positives above each negative:
        # those with fewer negatives below them
        below = (downs.first(self._below[0]) + downs.first(self._below[1])) / 2
        above = (
            positives
            - (
                ups.first(np.searchsorted(self._below[1], np.arange(down), "right"))
                + ups.first(np.searchsorted(self._below[0], np.arange(down), "right"))
            )
            / 2
        )
        lost = ups.each * below
        ordered = lost.sum()
        values, left = np.empty(self._n), np.empty(self._n)
        values[self._positives] = ordered - lost
        left[self._positives] = (positives - ups.each) * negatives
        values[self._negatives] = ordered - downs.each * above
        left[self._negatives] = positives * (negatives - downs.each)
        return ratio(values, left), np.ones(self._n)

    def of(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the area under each row of weights (B, n); NaN without one of the classes."""
        return self._area(weights)

    def _area(self, weights: NDArray[Any]) -> NDArray[np.float64]:
        """Weight of the pairs in order, ties by half, over that of all pairs."""
        batch = max(1, EXAMPLES_AT_ONCE // max(self._n, 1))
        values = np.empty(len(weights))
        for start in range(0, len(weights), batch):
            part = weights[start : start + batch]
            values[start : start + batch] = self._area_of_some(part)
        return values

    def _area_of_some(self, weights: NDArray[Any]) -> NDArray[np.float64]:
        rounds, up = len(weights), len(self._positives)
        drawn = _SCRATCH.array("drawn", weights.shape, weights.dtype)
        weights.take(self._order, axis=1, out=drawn, mode="clip")
        if self._weights is not None:
            weighted = _SCRATCH.array("weighted", weights.shape, np.float64)
            drawn = np.multiply(drawn, self._weights, out=weighted)
        whole = drawn.dtype == np.uint8 and self._n < 1 << 30
        kind: type = np.int32 if whole else np.float64
        below = _SCRATCH.array("below", (rounds, self._n - up + 1), kind)
        below[:, 0] = 0
        np.cumsum(drawn[:, up:], axis=1, dtype=kind, out=below[:, 1:])
        beaten = _SCRATCH.array("beaten", (rounds, up), kind)
        below.take(self._below[0], axis=1, out=beaten, mode="clip")
        if self._ties:
            tied = _SCRATCH.array("tied", (rounds, up), kind)
            beaten += below.take(self._below[1], axis=1, out=tied, mode="clip")
        factors = _SCRATCH.array("factors", (2, rounds, up), np.float64)
        np.copyto(factors[0], drawn[:, :up])
        np.copyto(factors[1], beaten)
        # einsum and not BLAS: the same bits for any number of threads
        ordered = np.einsum("ij,ij->i", factors[0], factors[1])
        pairs = factors[0].sum(axis=1) * below[:, -1]
        return ratio(ordered, 2 * pairs if self._ties else pairs)


class _Alike:
    """Examples in their order that count 1 each."""

    each: Any = 1.0

    def first(self, counts: Any) -> Any:
        """Return the weight of so many of the first examples."""
        return counts


class _Weighted(_Alike):
    """Examples in their order with weights (n,)."""

    def __init__(self, weights: NDArray[np.float64]) -> None:
        self.each = weights
        self._sums = np.append(0.0, np.cumsum(weights))

    def first(self, counts: Any) -> Any:
        return self._sums[counts]


class _Alternation:
    """Runs of negatives, each with the run of positives above it, by ascending score.

    Examples of one class with no other between them outrank the same examples, so that only
    the number drawn from all of them counts. Negatives and positives with the same score are
    a pair of runs of their own.

    Parameters
    ----------
    up : whether the example at each place is positive (n,), by ascending score
    first : first place of each run of equal scores

    Attributes
    ----------
    batch : resamples that are drawn at once
    """

    def __init__(self, up: NDArray[np.bool_], first: NDArray[np.intp]) -> None:
        self._n = len(up)
        self.batch = min(max(FEWEST, DRAWN_AT_ONCE // self._n), MOST)
        ends = np.append(first, self._n)
        positives = np.diff(np.append(0, np.cumsum(up))[ends])
        negatives = np.diff(ends) - positives
        tied = (positives > 0) & (negatives > 0)
        begins = np.append(True, tied[1:] | tied[:-1] | (negatives[1:] > 0) & (positives[:-1] > 0))
        at = np.flatnonzero(begins)
        sizes = np.stack([np.add.reduceat(negatives, at), np.add.reduceat(positives, at)])
        self._tied = np.flatnonzero(tied[at])
        # A few long runs are cut, since with them all counts take more than a byte
        if sizes[sizes > LARGEST].sum() <= self._n * FEW_IN_LONG_RUNS:
            sizes, self._tied = _split_runs(sizes, tied[at])
        occurring = np.flatnonzero(sizes)
        self._cells = DrawnCells(sizes.ravel()[occurring])
        places = np.full(sizes.size, len(occurring))  # of empty runs: the 0 after the last
        places[occurring[self._cells.order]] = np.arange(len(occurring))
        self._negatives, self._positives = places.reshape(2, -1)
        zero, at_once = len(occurring), max(STEPS, RUNS_AT_ONCE // self.batch)
        self._blocks = [
            tuple(
                RunningSums(side[start : start + at_once], zero) for side in places.reshape(2, -1)
            )
            for start in range(0, len(self._negatives), at_once)
        ]

    def areas(self, rng: np.random.Generator, rounds: int) -> NDArray[np.float64]:
        """Return the area under the curve of resamples; NaN without one of the classes."""
        times = self._cells.draw(rng, rounds)
        ordered, below = np.zeros(rounds), np.zeros(rounds, dtype=self._cells.whole)
        for lower, higher in self._blocks:
            shape = lower.size, rounds
            run = _SCRATCH.array("run", shape, times.dtype)
            sums = _SCRATCH.array("runs below", shape, self._cells.whole)
            factors = _SCRATCH.array("run factors", (2, *shape), np.float64)
            below = lower.sums(lower.weights(times, run), below, sums)
            np.copyto(factors[0], sums)
            np.copyto(factors[1], higher.weights(times, run))
            np.multiply(factors[0], factors[1], out=factors[0])
            ordered += factors[0].reshape(STEPS, -1).sum(axis=0).reshape(-1, rounds).sum(axis=0)
        if len(self._tied):
            level, above = times[self._negatives[self._tied]], times[self._positives[self._tied]]
            ordered -= np.einsum("ij,ij->j", above, level, dtype=np.float64) / 2
        drawn = below.astype(np.float64)
        return ratio(ordered, drawn * (self._n - drawn))


def _split_runs(
    sizes: NDArray[np.intp], tied: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Cut runs (2, C) of negatives and of positives into those of at most `LARGEST` examples.

    A run is cut where no example of the other class is, or where all of them lie above it.
    Return the runs, and the places of those that are tied, which are not cut.
    """
    pieces = np.where(tied, 1, np.maximum(-(-sizes // LARGEST), 1))
    split = pieces.sum(axis=0) - 1
    first = np.append(0, np.cumsum(split))
    made = np.zeros((2, int(first[-1])), dtype=sizes.dtype)
    # The pieces of negatives first, the last of them with the first piece of positives
    for side, begin in ((0, first[:-1]), (1, first[:-1] + pieces[0] - 1)):
        each, total = pieces[side], sizes[side]
        piece = np.arange(each.sum()) - np.repeat(np.cumsum(each) - each, each)
        place = np.repeat(begin, each) + piece
        made[side, place] = np.repeat(total // each, each) + (piece < np.repeat(total % each, each))
    return made, first[:-1][tied]
