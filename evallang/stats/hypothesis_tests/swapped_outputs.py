"""Swapping the outputs of two models for metrics of counts, and for any other metric."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.activity import report_share
from evallang.stats.class_sums import LabelledPairs, Margins, OccurringCells
from evallang.stats.hypothesis_tests.swapping import (
    RandomSigns,
    Swapper,
    blocks_of,
    fair_coin,
    ranked,
)
from evallang.stats.intervals.occurring_counts import sample_of_pairs
from evallang.stats.intervals.resampling import WeightSample
from evallang.stats.threads import run_in_threads

BATCH = 1 << 20  # numbers held at once
FUNCTION_CALLS = 1 << 12  # arrangements enumerated where each costs a call of the metric


class _PatternSwapper(ABC):
    """The difference of a metric of counts, which depends on the patterns of the examples alone.

    A pattern is a truth with two labels. Only how many of its examples are swapped matters, so
    that time does not depend on the number of examples.
    """

    unit = "examples"
    shift: Swapper | None = None
    series: NDArray[np.float64] | None = None
    _cells: int
    """How many numbers a round takes."""

    def kinds(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Refuse: a metric of counts is not a mean over the examples."""
        raise ValueError("the difference has no shift")

    @property
    @abstractmethod
    def _totals(self) -> NDArray[np.int64]:
        """How often each pattern of different labels occurs."""

    @abstractmethod
    def _difference(self, kept: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return differences where `kept` (B, patterns) examples have i first and j second."""

    def replicates(self, rng: np.random.Generator, rounds: int) -> NDArray[np.float64]:
        """Draw how many examples of each discordant pattern keep their outputs."""
        totals = self._totals
        values = np.empty(rounds)
        batch = max(1, BATCH // max(self._cells, 1))
        for start in range(0, rounds, batch):
            size = min(batch, rounds - start)
            kept = rng.binomial(totals, 0.5, size=(size, len(totals)))
            values[start : start + size] = self._difference(kept.astype(np.float64))
        return values

    def arrangements(self, most: int) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Enumerate how many examples of each discordant pattern keep their outputs."""
        totals = self._totals
        counted = self._counted()
        if math.prod(int(total) + 1 for total in totals[counted]) > most:
            return None
        kept, chances = np.zeros((1, 0)), np.ones(1)
        for total, moves in zip(totals.tolist(), counted.tolist(), strict=True):
            if not moves:
                kept = np.column_stack([kept, np.full(len(kept), float(total))])
                continue
            steps = np.arange(total + 1.0)
            kept = np.column_stack([np.repeat(kept, total + 1, axis=0), np.tile(steps, len(kept))])
            chances = np.multiply.outer(chances, fair_coin(total)).ravel()
        return self._difference(kept), chances

    def _counted(self) -> NDArray[np.bool_]:
        """Return which patterns change the difference when they are swapped."""
        return np.ones(len(self._totals), dtype=np.bool_)

    def in_blocks(self, size: int) -> Swapper:
        """Refuse: counts have no order."""
        raise ValueError("blocks need the order of the examples, which counts do not keep")


class CountSwapper(_PatternSwapper):
    """The difference of a metric of the confusion matrices of two models.

    Parameters
    ----------
    joint : counts (k, k, k), true class by the first and by the second model's prediction
    function : from matrices (..., k, k) to values (...), NaN where undefined
    """

    def __init__(
        self, joint: ArrayLike, function: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    ) -> None:
        counts = np.asarray(joint)
        if counts.ndim != 3 or len(set(counts.shape)) != 1 or (counts < 0).any():
            raise ValueError("joint counts are truth by first by second prediction (k, k, k)")
        self._joint = counts.astype(np.int64)
        self._function = function
        self._cells = counts.shape[0] ** 2

    def estimate(self) -> float:
        """Return the difference as observed."""
        joint = self._joint.astype(np.float64)
        return float(self._function(joint.sum(2)) - self._function(joint.sum(1)))

    @cached_property
    def _patterns(self) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        """Truth and the two labels i < j of each pattern that occurs, and how often it does."""
        both = self._joint + self._joint.transpose(0, 2, 1)
        k = both.shape[0]
        upper = np.triu(np.ones((k, k), dtype=bool), 1)
        where = np.argwhere((both > 0) & upper)
        return where, both[tuple(where.T)]

    @property
    def _totals(self) -> NDArray[np.int64]:
        return self._patterns[1]

    def _difference(self, kept: NDArray[np.float64]) -> NDArray[np.float64]:
        where, totals = self._patterns
        k = self._joint.shape[0]
        same = np.einsum("tii->ti", self._joint).astype(np.float64)
        first = np.zeros((len(kept), k, k)) + same
        second = first.copy()
        for index, ((truth, i, j), total) in enumerate(zip(where.tolist(), totals, strict=True)):
            first[:, truth, i] += kept[:, index]
            first[:, truth, j] += total - kept[:, index]
            second[:, truth, j] += kept[:, index]
            second[:, truth, i] += total - kept[:, index]
        return np.asarray(self._function(first) - self._function(second))


class PairSwapper(_PatternSwapper):
    """The difference of a metric of two models of many classes, by the pairs of labels that occur.

    Parameters
    ----------
    pairs : how often each truth occurs with each two predictions
    function : from sums by class to values, NaN where undefined
    """

    def __init__(
        self, pairs: LabelledPairs, function: Callable[[Margins], NDArray[np.float64]]
    ) -> None:
        self._function = function
        self._pairs = pairs
        low, high = np.minimum(pairs.first, pairs.second), np.maximum(pairs.first, pairs.second)
        same, differ = low == high, low != high
        found = LabelledPairs.counted(
            pairs.truth[differ], low[differ], high[differ], pairs.k, pairs.times[differ]
        )
        self._found = found
        self._same = pairs.times[same].astype(np.float64)
        truth = np.concatenate([found.truth, found.truth, pairs.truth[same]])
        label = np.concatenate([found.first, found.second, low[same]])
        self._sums = OccurringCells(truth, label, pairs.k)
        self._cells = len(truth)

    def estimate(self) -> float:
        """Return the difference as observed."""
        return sample_of_pairs(self._pairs, self._function).estimate()

    @property
    def _totals(self) -> NDArray[np.int64]:
        return self._found.times

    def _difference(self, kept: NDArray[np.float64]) -> NDArray[np.float64]:
        turned = self._totals - kept
        same = np.broadcast_to(self._same, (len(kept), len(self._same)))
        first, second = (
            self._function(self._sums.margins(np.hstack([*labels, same])))
            for labels in ((kept, turned), (turned, kept))
        )
        return np.asarray(first - second)


class AnswerSwapper(_PatternSwapper):
    """The difference of two shares of right answers, which rests on three counts alone.

    Parameters
    ----------
    table : how many examples both, one or none of two models have right, as for `mcnemar`
    sign : 1 for shares of right answers, -1 for shares of wrong ones
    """

    def __init__(self, table: ArrayLike, sign: float = 1.0, *, shifted: bool = False) -> None:
        (both, first), (second, none) = np.asarray(table).tolist()
        self._times = np.array([first, second, both + none], dtype=np.int64)
        self._n = max(int(self._times.sum()), 1)
        self._parts = np.array([1.0] * 3 if shifted else [sign, -sign, 0.0]) / self._n
        self._table, self._shifted = table, shifted
        self._cells = 3

    def estimate(self) -> float:
        """Return the difference as observed."""
        return float(self._times @ self._parts) if self._times.sum() else math.nan

    @property
    def _totals(self) -> NDArray[np.int64]:
        return self._times

    def _counted(self) -> NDArray[np.bool_]:
        return np.asarray(self._parts != 0.0)

    def _difference(self, kept: NDArray[np.float64]) -> NDArray[np.float64]:
        # Whole numbers first, so that equal differences are equal
        return np.asarray((2 * kept - self._totals) @ (self._parts * self._n) / self._n)

    @cached_property
    def shift(self) -> Swapper | None:  # type: ignore[override]  # of counts it is known
        """The same swaps where every example differs by 1."""
        return AnswerSwapper(self._table, shifted=True)

    def kinds(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the parts of the three kinds of examples and of their shift, and their counts."""
        return np.column_stack([self._parts, np.full(3, 1 / self._n)]), self._times


class OutputSwapper:
    """The difference of any metric of the outputs of two models.

    Parameters
    ----------
    first, second : outputs (n,) or (n, k): labels, scores or predictions
    function : from outputs to a value, NaN where undefined
    groups : codes (n,) of groups that are swapped as a whole, or None
    by_ranks : True for ranking metrics: outputs are first replaced by their mid-ranks
    weighted : from the outputs of both models, one after the other (2n,), to the metric of
        weighted examples, where it has a quick form under weights; else None
    """

    def __init__(
        self,
        first: ArrayLike,
        second: ArrayLike,
        function: Callable[[NDArray[np.generic]], float],
        groups: ArrayLike | None = None,
        *,
        by_ranks: bool = False,
        weighted: Callable[[NDArray[np.generic]], WeightSample | None] | None = None,
        unit: str | None = None,
    ) -> None:
        x, y = np.asarray(first), np.asarray(second)
        if x.shape != y.shape or x.ndim == 0 or len(x) == 0:
            raise ValueError("both models need an output on every example")
        if by_ranks:
            x, y = ranked(x), ranked(y)
        self._first, self._second = x, y
        self._function = function
        self._weighted = weighted
        self._groups = groups
        self.unit = unit or ("examples" if groups is None else "groups")

    def estimate(self) -> float:
        """Return the difference as observed."""
        return float(self._function(self._first)) - float(self._function(self._second))

    def replicates(self, rng: np.random.Generator, rounds: int) -> NDArray[np.float64]:
        """Swap the outputs on a random half of the units, again and again."""
        units, count = self._discordant
        signs, values = RandomSigns(rng, count, rounds), np.empty(rounds)
        step = signs.starts.step

        def work(start: int) -> None:
            kept = signs.block(start)
            # Units on which no output differs keep theirs
            every = np.append(kept, np.ones((len(kept), 1), dtype=np.uint8), axis=1)
            values[start : start + step] = self._differences(every, units)

        for start in run_in_threads(work, signs.starts, at_once=self._sample is not None):
            report_share(min(start + step, rounds), rounds)
        return values

    shift: Swapper | None = None
    series: NDArray[np.float64] | None = None

    def kinds(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Refuse: the metric is not known to be a mean over the examples."""
        raise ValueError("the difference has no shift")

    @property
    def units(self) -> int:
        """How many examples, groups or blocks there are, with those on which no output differs."""
        return int(self._units.max()) + 1

    def under(self, kept: NDArray[np.uint8]) -> NDArray[np.float64]:
        """Return differences (B,) where units keep their outputs or not, 1 and 0 (B, units)."""
        return self._differences(kept, self._units)

    def arrangements(self, most: int) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Enumerate all swaps of the units on which the models differ."""
        count = self._discordant[1]
        if count > 30 or 1 << count > min(most, FUNCTION_CALLS):
            return None
        kept = (np.arange(1 << count)[:, None] >> np.arange(count + 1)) & 1
        kept[:, count] = 1
        values = self._differences(kept.astype(np.uint8), self._discordant[0])
        return values, np.full(len(values), 1 / len(values))

    def in_blocks(self, size: int) -> Swapper:
        """Return the same difference with `size` consecutive examples swapped as a whole."""
        blocks = blocks_of(len(self._first), size, self._groups)
        return OutputSwapper(
            self._first,
            self._second,
            self._function,
            blocks,
            weighted=self._weighted,
            unit="blocks",
        )

    @cached_property
    def _units(self) -> NDArray[np.intp]:
        """The unit of each example, as 0, 1, ..."""
        n = len(self._first)
        given = np.arange(n) if self._groups is None else np.asarray(self._groups)
        if given.shape != (n,):
            raise ValueError("every example needs its group")
        return np.unique(given, return_inverse=True)[1].reshape(-1)

    @cached_property
    def _discordant(self) -> tuple[NDArray[np.intp], int]:
        """For each example the number of its unit, those that never differ last, and how many."""
        codes = self._units
        differ = (self._first != self._second).reshape(len(codes), -1).any(axis=1)
        active = np.flatnonzero(np.bincount(codes, weights=differ) > 0)
        numbers = np.full(int(codes.max()) + 1, len(active))
        numbers[active] = np.arange(len(active))
        return numbers[codes], len(active)

    @cached_property
    def _sample(self) -> WeightSample | None:
        """The metric of the outputs of both models, each of which counts or not."""
        if self._weighted is None:
            return None
        return self._weighted(np.concatenate([self._first, self._second]))

    def _differences(self, kept: NDArray[np.uint8], units: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return differences (B,) where units keep their outputs or not, 1 and 0 (B, units).

        `units` is the unit of each example (n,).
        """
        if self._sample is None:
            return np.array([self._exchanged(row[units] == 0) for row in kept], dtype=np.float64)
        values = np.empty(len(kept))
        batch = max(1, BATCH // (2 * len(units)))
        for start in range(0, len(kept), batch):
            own = kept[start : start + batch].take(units, axis=1)
            first = np.concatenate([own, 1 - own], axis=1)
            difference = self._sample.under(first) - self._sample.under(1 - first)
            values[start : start + batch] = difference
        return values

    def _exchanged(self, chosen: NDArray[np.bool_]) -> float:
        """Return the difference after the chosen examples are swapped (n,)."""
        if self._first.ndim > 1:
            chosen = chosen.reshape(-1, *(1,) * (self._first.ndim - 1))
        first = np.where(chosen, self._second, self._first)
        second = np.where(chosen, self._first, self._second)
        return float(self._function(first)) - float(self._function(second))
