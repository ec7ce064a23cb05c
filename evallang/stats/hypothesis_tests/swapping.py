"""Differences of a metric of two models when their outputs are swapped within examples.

Each `Swapper` gives what `permutation` needs of one kind of metric: how the difference follows
from which units keep their outputs. Random swaps are coins, drawn as resamples are; where distinct
swaps are few, all are gone through.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from typing import Any, Literal

import numpy as np
import scipy
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray

from evallang.stats.basics import Alternative, labels, magnitudes, numbers, positives
from evallang.stats.draws import BLOCK, Block, Coins, Source, Statistic, draw_together
from evallang.stats.fold_scores import NOISE, aligned
from evallang.stats.intervals.resampling import ExampleSample, OfCells, OfTables, spread_out
from evallang.stats.rank_scores import mid_ranks
from evallang.stats.score_counts import outranked

MOST_FLIPS = 1 << 20  # sign patterns that are all gone through
MOST_SUMS = 300_000_000  # numbers formed for whole-number sums; about a second
SAME = 1e-9  # relative; the same sum reached by another order
FUNCTION_CALLS = 1 << 12  # arrangements enumerated where each costs a call of the metric

Every = tuple["NDArray[np.float64]", "NDArray[np.float64]"]
"""All differences, with the probability of each."""


def every_sum(
    parts: NDArray[np.float64], counts: NDArray[np.int64], most: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return all sums (states, c) of signed parts, and the chance of each (states,).

    `parts` (k, c) are those of each kind, which occurs so many times (k,). None where there are
    above `most`.
    """
    if not _few(counts, most):
        return None
    sums, chances = np.zeros((1, parts.shape[1])), np.ones(1)
    for part, count in zip(parts, counts.tolist(), strict=True):
        steps = 2 * np.arange(count + 1.0) - count
        sums = (sums[:, None] + steps[:, None] * part).reshape(-1, parts.shape[1])
        chances = np.multiply.outer(chances, fair_coin(count)).ravel()
    return sums, chances


def distinct_sums(
    parts: NDArray[np.float64], counts: NDArray[np.int64], most: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return what `every_sum` does, but equal sums once where parts are multiples of one number.

    Differences of right and wrong answers are: of a million sums, tens of thousands differ.
    """
    if not _few(counts, most):
        return None
    unit = np.where(parts == 0.0, np.inf, np.abs(parts)).min(axis=0, initial=np.inf)
    unit[np.isinf(unit)] = 1.0
    times = np.rint(parts / unit)
    shape = (counts @ np.abs(times)).astype(np.int64) + 1
    if (np.abs(parts - times * unit) > NOISE * unit).any() or math.prod(shape.tolist()) > most:
        return every_sum(parts, counts, most)
    least, places = counts @ np.minimum(times, 0.0), np.cumprod([1, *shape[:-1]])
    at = np.array([-least @ places], dtype=np.intp)
    chances: NDArray[Any] = np.ones(1)
    for step, count in zip((times @ places).tolist(), counts.tolist(), strict=True):
        reached = (at[:, None] + int(step) * np.arange(count + 1)).ravel()
        chances = np.bincount(reached, np.multiply.outer(chances, fair_coin(count)).ravel())
        at = np.flatnonzero(chances)
        chances = chances[at]
    kept = np.stack(np.unravel_index(at, shape, order="F"), axis=1) + least
    return unit * (2 * kept - counts @ times), chances


def _few(counts: NDArray[np.int64], most: int) -> bool:
    """Return whether kinds that occur so many times have at most so many states together."""
    if len(counts) > most.bit_length():  # each kind has two states or more
        return False
    return math.prod(int(count) + 1 for count in counts) <= most


@lru_cache(maxsize=4)  # the ranks of many pairs are 1, 2, 3 ...
def flip_chances(steps: tuple[int, ...]) -> NDArray[np.float64]:
    """Return the probabilities of the sums 0, 1, ... of the steps that a fair coin picks."""
    chances = np.zeros(sum(steps) + 1)
    chances[0], reach = 1.0, 0
    for step in steps:
        reach += step
        chances[: reach + 1] /= 2
        moved = chances[: reach + 1 - step].copy()
        chances[step : reach + 1] += moved
    return chances


def fair_coin(count: int) -> NDArray[np.float64]:
    """Return the chances of 0, 1, ..., `count` heads."""
    heads = np.arange(count + 1.0)
    logs = scipy.special.gammaln(count + 1) - scipy.special.gammaln(heads + 1)
    return np.asarray(np.exp(logs - scipy.special.gammaln(count - heads + 1) - count * math.log(2)))


class Swapper(Statistic):
    """The difference of a metric of two models, first minus second, under swapping.

    Attributes
    ----------
    unit : what is swapped as a whole, as a plural: examples, groups or blocks
    series : what each block adds to the difference, in the order of time; None without blocks
    shift : the same swaps where every example differs by 1; None where no such shift exists
    moving : which units change the difference when they are swapped (units,)
    """

    unit = "examples"
    series: NDArray[np.float64] | None = None
    shift: Swapper | None = None

    @property
    def moving(self) -> NDArray[np.bool_]:
        """Which units change the difference when they are swapped."""
        return np.ones(len(self.source.sizes), dtype=np.bool_)

    def estimate(self) -> float:
        """Return the difference as observed: all units keep their outputs."""
        return float(self.on(Block(self.source.sizes[:, None]))[0])

    def arrangements(self, most: int) -> Every | None:
        """Return every difference with its probability, or None where there are above `most`."""
        sizes, moving = self.source.sizes, np.flatnonzero(self.moving)
        found = every_sum(np.eye(len(moving)), sizes[moving], most)
        if found is None:
            return None
        values, size = np.empty(len(found[1])), max(1, BLOCK // max(len(sizes), 1))
        for start in range(0, len(values), size):
            signs = found[0][start : start + size].T
            kept = np.repeat(sizes[:, None], signs.shape[1], axis=1)
            kept[moving] = (signs + kept[moving]) / 2
            values[start : start + size] = self.on(Block(kept))
        return values, found[1]

    def in_blocks(self, size: int) -> Swapper:
        """Return the same difference with `size` consecutive examples swapped as a whole.

        Raises `ValueError` where nothing is known of their order.
        """
        raise ValueError("blocks need the order of the examples, which counts do not keep")

    def shifted(self, most: int) -> Every | None:
        """Return every difference and that of the shift (states, 2), as `arrangements` does.

        Raises `ValueError` where the metric is not known to be a mean over the examples.
        """
        raise ValueError("the difference has no shift")


class SignSwapper(Swapper):
    """A difference that is a sum of parts, each of which changes sign when swapped.

    Parameters
    ----------
    parts : what each example adds to the difference (n,)
    groups : codes (n,) of groups that are swapped as a whole, or None
    transform : from sums of parts (...) to differences (...), odd and increasing; None: the sum
    shifts : what each example would add to a difference of 1 (n,); None where the difference is
        not a mean over the examples
    times : how many examples there are of each (n,), None for one
    in_time : True where the groups are blocks of a series, numbered in its order
    sides : what each example adds to the mean of each of the two models (n,), whose difference
        the parts are; pairs of the same models then sum the numbers of each once
    """

    def __init__(
        self,
        parts: ArrayLike,
        groups: ArrayLike | None = None,
        transform: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None,
        unit: str | None = None,
        shifts: ArrayLike | None = None,
        *,
        times: ArrayLike | None = None,
        in_time: bool = False,
        sides: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None,
    ) -> None:
        self._sides = sides
        self._parts = magnitudes(parts, "parts of a difference")
        self._groups, self._transform, self._shifts = groups, transform, shifts
        self._times, self._in_time = times, in_time
        self.unit = unit or ("examples" if groups is None else "groups")

    @cached_property
    def source(self) -> Source:
        """A coin for each unit."""
        return Coins(np.ones(len(self._units)) if self._times is None else self._times)

    def estimate(self) -> float:
        """Return the difference as observed; NaN without examples, or where a part is undefined."""
        if not self.source.sizes.sum() or not np.isfinite(self._parts).all():
            return math.nan
        return float(self._of(np.asarray([self._total]))[0])

    def on(self, block: Block) -> NDArray[np.float64]:
        """Return differences (B,): what keeps its sign, less what changes it."""
        first, *second = (block.sum_of(column) for column in self.columns)
        kept = first - second[0] if second else first
        return self._of(2 * kept - self._total)

    @cached_property
    def columns(self) -> tuple[NDArray[np.float64], ...]:  # type: ignore[override]  # made once
        """The numbers of both models where their difference is exact, else the parts of units."""
        if self._sides is not None:
            first, second = map(self._by_unit, self._sides)
            if not (first - second)[self._units == 0.0].any():
                return first, second
        return (self._units,)

    def arrangements(self, most: int) -> Every | None:
        """Enumerate how many of the parts of each size keep their sign."""
        some = self._units != 0.0
        size, times = np.abs(self._units[some]), self.source.sizes[some]
        order = np.argsort(size)
        ordered = size[order]
        first = np.diff(ordered, prepend=-1.0) > NOISE * ordered[-1:].sum()
        starts = np.flatnonzero(first)  # equal decimals together
        counts = np.add.reduceat(times[order], starts) if len(starts) else times
        found = every_sum(ordered[first][:, None], counts, most)
        return None if found is None else (self._of(found[0][:, 0]), found[1])

    def in_blocks(self, size: int) -> Swapper:
        """Return the same difference with `size` consecutive examples swapped as a whole."""
        blocks = blocks_of(len(self._parts), size, self._groups)
        return SignSwapper(
            self._parts, blocks, self._transform, "blocks", self._shifts, in_time=True
        )

    @property
    def series(self) -> NDArray[np.float64] | None:  # type: ignore[override]  # known of blocks
        """What each block adds to the difference, in the order of time; None without blocks."""
        return self._units if self._in_time else None

    @cached_property
    def shift(self) -> SignSwapper | None:  # type: ignore[override]  # known of means
        """The same swaps where every example differs by 1; None where no such shift exists."""
        if self._shifts is None:
            return None
        return SignSwapper(self._shifts, self._groups, times=self._times)

    def shifted(self, most: int) -> Every | None:
        """Enumerate how many units of each part and shift keep their sign."""
        assert self.shift is not None, "a difference that has a shift"
        sizes = self.source.sizes
        still = int(sizes[self._units == 0.0].sum())
        if (still + 1) * (int(sizes.sum()) - still + 1) > most:  # of two kinds, or of more
            return None
        parts = self._units, self.shift._units
        noise = (NOISE * float(np.abs(one).max(initial=0.0)) for one in parts)
        alike = (np.rint(one / (least or 1.0)) for one, least in zip(parts, noise, strict=True))
        own, moved = (np.unique(one).searchsorted(one) for one in alike)
        both = own * len(own) + moved
        which = np.unique(both).searchsorted(both)  # quicker than the places that it returns
        counts = np.bincount(which, sizes).astype(np.int64)
        last = np.empty(len(counts), dtype=np.intp)
        last[which] = np.arange(len(which))
        return distinct_sums(np.column_stack([one[last] for one in parts]), counts, most)

    @cached_property
    def _units(self) -> NDArray[np.float64]:
        """The parts of all units, 0 where they are the noise of rounding."""
        noise = NOISE * float(np.abs(self._parts).max(initial=0.0))
        parts = self._by_unit(self._parts)
        return np.where(np.abs(parts) > noise, parts, 0.0)

    @cached_property
    def _total(self) -> float:
        """The sum of the parts of all units."""
        return float(self._units @ self.source.sizes)

    def _by_unit(self, parts: NDArray[np.float64]) -> NDArray[np.float64]:
        if self._groups is None:
            return parts
        codes = labels(self._groups, len(parts), "group")
        return np.bincount(codes, parts).astype(np.float64)

    def _of(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        return sums if self._transform is None else self._transform(sums)


class LossSwapper(SignSwapper):
    """The difference of two mean losses, or of their square roots.

    Parameters
    ----------
    first, second : losses (n,)
    transform : `sqrt` for the difference of the roots of the means
    groups : codes (n,) of groups that are swapped as a whole, or None
    shares : the share of each example in the mean (n,), by which the losses are multiplied
        already; None where all count alike
    """

    def __init__(
        self,
        first: ArrayLike,
        second: ArrayLike,
        transform: Literal["sqrt"] | None = None,
        groups: ArrayLike | None = None,
        shares: ArrayLike | None = None,
        *,
        in_time: bool = False,
    ) -> None:
        x, y = aligned(first, second)
        if x.ndim != 1:
            raise ValueError("losses are given as one row for each model")
        n = max(len(x), 1)
        known = np.isfinite(x).all() and np.isfinite(y).all()
        parts = (x - y) / n if known else np.full(len(x), np.nan)
        size = max(float(np.abs(x).max(initial=0.0)), float(np.abs(y).max(initial=0.0)))
        parts[np.abs(parts) <= NOISE * size / n] = 0.0
        sides = (x / n, y / n) if known else None
        if transform is None:
            shifts = np.full(len(x), 1 / n) if shares is None else shares
            super().__init__(parts, groups, shifts=shifts, in_time=in_time, sides=sides)
            return
        total = float((x + y).sum()) / n

        def roots(sums: NDArray[np.float64]) -> NDArray[np.float64]:
            # Swapping leaves the sum of both means as it is
            above, below = (np.maximum(total + side, 0.0) / 2 for side in (sums, -sums))
            return np.asarray(np.sqrt(above) - np.sqrt(below))

        super().__init__(parts, groups, roots, in_time=in_time)


class ScoreSwapper(SignSwapper):
    """The difference of two areas under the ROC curve, by ranks.

    Each model's scores are replaced by their mid-ranks before they are swapped (Bandos,
    Rockette & Gur 2005). For a positive i and a negative j with signs e (+1: as observed)
    the difference is u (e_i + e_j)/2 + v (e_i - e_j)/2, with u from their comparisons
    within and v across models: a sum over examples, by placements in O(n log n).

    Parameters
    ----------
    truth : 1 for positives (n,)
    first, second : scores (n,), higher for positives
    groups : codes (n,) of groups that are swapped as a whole, or None
    """

    def __init__(
        self,
        truth: ArrayLike,
        first: ArrayLike,
        second: ArrayLike,
        groups: ArrayLike | None = None,
    ) -> None:
        up = positives(truth)
        x, y = aligned(first, second, numbers)
        if x.shape != up.shape or x.ndim != 1:
            raise ValueError("every example needs one score of both models")
        if np.isnan(x).any() or np.isnan(y).any():
            raise ValueError("a score is missing")
        pairs = float(np.count_nonzero(up)) * np.count_nonzero(~up)
        ranks = mid_ranks(x), mid_ranks(y)
        # What each score of one model outranks among the scores of another
        won = {
            (a, b): outranked(up, np.where(up, ranks[a], ranks[b])) for a in (0, 1) for b in (0, 1)
        }
        # Across models a negative of the second meets positives of the first where these come first
        across = np.where(up, won[0, 1] - won[1, 0], won[1, 0] - won[0, 1])
        parts = won[0, 0] - won[1, 1] + across
        super().__init__(parts / (2.0 * pairs) if pairs else np.full(len(x), np.nan), groups)


def answer_swapper(table: ArrayLike, sign: float = 1.0) -> SignSwapper:
    """Return the difference of two shares of right answers, which rests on three counts alone.

    `table` is how many examples both, one or none of two models have right, as for `mcnemar`;
    `sign` is 1 for shares of right answers, -1 for shares of wrong ones.
    """
    (both, first), (second, none) = np.asarray(table).tolist()
    times = np.array([first, second, both + none], dtype=np.int64)
    n = max(int(times.sum()), 1)
    parts = np.array([sign, -sign, 0.0]) / n
    return SignSwapper(parts, shifts=np.full(3, 1 / n), times=times)


class TableSwapper(Swapper):
    """The difference of a metric of counts, which depends on truth and two labels alone.

    Of patterns only how many of their examples are swapped matters, so that time does not depend
    on the number of examples; with `units` each of them is swapped by itself.

    Parameters
    ----------
    truth, first, second : codes of the true class and of both labels (m,)
    times : how many examples each stands for (m,)
    of_cells : makes the metric of the cells of one table that occur
    units : of each example (m,) as 0, 1, ..., to be swapped as a whole; None for patterns
    """

    def __init__(
        self,
        truth: NDArray[np.int64],
        first: NDArray[np.int64],
        second: NDArray[np.int64],
        times: NDArray[np.int64],
        of_cells: OfCells,
        units: NDArray[np.intp] | None = None,
    ) -> None:
        base = 1 + max(int(first.max(initial=0)), int(second.max(initial=0)))
        cells, places = np.unique(
            np.concatenate([truth * base + first, truth * base + second]), return_inverse=True
        )
        ours, theirs = places.reshape(2, -1)
        differ = np.flatnonzero(first != second)
        same = np.flatnonzero(first == second)
        self._same = np.bincount(ours[same], times[same], len(cells))
        if units is None:
            # Both orders of two labels are one pattern
            low, high = np.minimum(ours, theirs)[differ], np.maximum(ours, theirs)[differ]
            _, at, unit = np.unique(low * len(cells) + high, return_index=True, return_inverse=True)
            self._source = Coins(np.bincount(unit.reshape(-1), times[differ], len(at)))
            seen = times[differ] * (ours[differ] == low)
            observed = np.bincount(unit.reshape(-1), seen, len(at)).astype(np.float64)
            sides, unit = (low[at], high[at]), np.arange(len(at))
        else:
            self._source = Coins(np.ones(int(units.max(initial=-1)) + 1))
            observed = np.ones(len(self._source.sizes))
            sides, unit = (ours[differ], theirs[differ]), units[differ]
        shape, ones = (len(cells), len(observed)), np.ones(len(unit))
        self._observed: NDArray[np.float64] = observed
        self._kept, self._swapped = (
            scipy.sparse.csr_array((ones, (side, unit)), shape=shape) for side in sides
        )
        self._of_cells = of_cells(*np.divmod(cells, base))
        self.unit = "examples"

    @property
    def source(self) -> Source:
        """A coin for each example or unit."""
        return self._source

    def estimate(self) -> float:
        """Return the difference as observed."""
        return float(self.on(Block(self._observed[:, None]))[0])

    def on(self, block: Block) -> NDArray[np.float64]:
        """Return differences (B,): what a unit adds to one table it does not add to the other."""
        kept, turned = block.numbers, self._source.sizes[:, None] - block.numbers
        tables = (
            self._same[:, None] + self._kept @ own + self._swapped @ other
            for own, other in ((kept, turned), (turned, kept))
        )
        first, second = (self._of_cells(table.T) for table in tables)
        return np.asarray(first - second)


class CountSwapper(TableSwapper):
    """The difference of a metric of the confusion matrices of two models.

    Parameters
    ----------
    joint : counts (k, k, k), true class by the first and by the second model's prediction
    function : from matrices (..., k, k) to values (...), NaN where undefined
    """

    def __init__(self, joint: ArrayLike, function: OfTables) -> None:
        counts = np.asarray(joint)
        if counts.ndim != 3 or len(set(counts.shape)) != 1 or (counts < 0).any():
            raise ValueError("joint counts are truth by first by second prediction (k, k, k)")
        truth, first, second = np.nonzero(counts)
        times = counts[truth, first, second].astype(np.int64)
        k = len(counts)

        def of_cells(truth: NDArray[np.int64], label: NDArray[np.int64]) -> OfTables:
            return spread_out(truth * k + label, (k, k), function)

        super().__init__(truth, first, second, times, of_cells)


class OutputSwapper(Swapper):
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
        weighted: Callable[[NDArray[np.generic]], ExampleSample | None] | None = None,
        unit: str | None = None,
    ) -> None:
        x, y = np.asarray(first), np.asarray(second)
        if x.shape != y.shape or x.ndim == 0 or len(x) == 0:
            raise ValueError("both models need an output on every example")
        self._first: NDArray[Any] = ranked(x) if by_ranks else x
        self._second: NDArray[Any] = ranked(y) if by_ranks else y
        self._function, self._weighted, self._groups = function, weighted, groups
        self.unit = unit or ("examples" if groups is None else "groups")

    @cached_property
    def source(self) -> Source:
        """A coin for each unit."""
        return Coins(np.ones(int(self._units.max()) + 1))

    @cached_property
    def moving(self) -> NDArray[np.bool_]:
        """The units on which the outputs differ."""
        differ = (self._first != self._second).reshape(len(self._first), -1).any(axis=1)
        return np.bincount(self._units, differ) > 0

    def estimate(self) -> float:
        """Return the difference as observed."""
        return float(self._function(self._first)) - float(self._function(self._second))

    def on(self, block: Block) -> NDArray[np.float64]:
        """Return differences (B,) where units keep their outputs or not."""
        n, width = len(self._units), block.times.shape[1]
        values, size = np.empty(width), max(1, BLOCK // (2 * n))
        for start in range(0, width, size):
            own = block.times[:, start : start + size].take(self._units, axis=0)
            if self._sample is None:
                found: Any = [self._exchanged(kept == 0) for kept in own.T]
            else:
                both = np.concatenate([own, 1 - own])
                found = self._sample.on(Block(both)) - self._sample.on(Block(1 - both))
            values[start : start + size] = found
        return values

    def arrangements(self, most: int) -> Every | None:
        """Enumerate all swaps of the units on which the models differ, where these are few."""
        return super().arrangements(min(most, FUNCTION_CALLS))

    def in_blocks(self, size: int) -> Swapper:
        """Return the same difference with `size` consecutive examples swapped as a whole."""
        blocks = blocks_of(len(self._first), size, self._groups)
        given = self._first, self._second, self._function, blocks
        return OutputSwapper(*given, weighted=self._weighted, unit="blocks")

    @cached_property
    def _units(self) -> NDArray[np.intp]:
        """The unit of each example, as 0, 1, ..."""
        n = len(self._first)
        return np.arange(n) if self._groups is None else labels(self._groups, n, "group")

    @cached_property
    def _sample(self) -> ExampleSample | None:
        """The metric of the outputs of both models, each of which counts or not."""
        if self._weighted is None:
            return None
        return self._weighted(np.concatenate([self._first, self._second]))

    def _exchanged(self, chosen: NDArray[np.bool_]) -> float:
        """Return the difference after the chosen examples are swapped (n,)."""
        if self._first.ndim > 1:
            chosen = chosen.reshape(-1, *(1,) * (self._first.ndim - 1))
        first = np.where(chosen, self._second, self._first)
        second = np.where(chosen, self._first, self._second)
        return float(self._function(first)) - float(self._function(second))


def joint_swaps(
    swappers: Sequence[SignSwapper | OutputSwapper | TableSwapper],
    rng: np.random.Generator,
    rounds: int,
) -> NDArray[np.float64]:
    """Return the differences of some pairs after the same random swaps (rounds, pairs).

    Of each pair by itself they have the distribution of its own swaps. Raises `ValueError` where
    the pairs are not of the same examples or groups.
    """
    if not all(one.source.alike(swappers[0].source) for one in swappers):
        raise ValueError("the pairs are not of the same examples")
    draw_together(swappers)
    return np.stack([one.replicates(copy.deepcopy(rng), rounds) for one in swappers]).T


class Flipped(Struct, frozen=True):
    """p of a sign-flip test of whole groups; `variant` is exact or Monte Carlo.

    `mc_se` is the Monte Carlo error of p, None where it is exact; `smallest` the least p
    that as many groups could have given.
    """

    p: float
    variant: str
    mc_se: float | None
    smallest: float


def flip_groups(
    totals: ArrayLike,
    seed: int = 0,
    rounds: int = 10_000,
    alternative: Alternative = "two_sided",
) -> Flipped:
    """Test that totals of groups lie about 0 alike: the sign of each may be flipped.

    p = P(|Σ ±t_g| >= |Σ t_g|) over all signs, or with `alternative=greater` that of
    Σ ±t_g >= Σ t_g: for whole numbers from the distribution of their sum, for others by going
    through up to 2^20 patterns, equal totals being counted together, beyond by `rounds` random
    ones, (1 + exceeding)/(1 + rounds). Totals of 0 say nothing. Raises `ValueError` where a total
    is not finite.
    """
    given = magnitudes(totals, "totals of groups")
    if not np.isfinite(given).all():
        raise ValueError("totals of groups are finite numbers")
    sums = np.abs(given[given != 0])
    both = alternative == "two_sided"
    observed = abs(float(given.sum())) if both else float(given.sum())
    observed = -observed if alternative == "less" else observed
    smallest = min(2.0 ** (both - len(sums)), 1.0)
    if len(sums) == 0 or (both and observed <= SAME * float(sums.max())):
        return Flipped(1.0, "exact", None, smallest)
    swapper, whole = SignSwapper(sums), bool((sums == np.rint(sums)).all())
    few = 2 ** min(len(sums), 64) < min(float(sums.sum()), MOST_FLIPS)  # patterns, than sums
    if whole and not few and float(sums.sum()) * len(sums) <= MOST_SUMS:
        # Σ ± t = 2 (positive part) - Σ t
        chances = flip_chances(tuple(sums.astype(np.int64).tolist()))
        every: Every | None = (2 * np.arange(len(chances)) - sums.sum(), chances)
    else:
        every = swapper.arrangements(MOST_FLIPS)
    values = every[0] if every else swapper.replicates(np.random.default_rng(seed), rounds)
    exceeding = (np.abs(values) if both else values) >= observed - SAME * float(sums.max())
    if every:
        return Flipped(min(float(every[1][exceeding].sum()), 1.0), "exact", None, smallest)
    p = (1 + int(exceeding.sum())) / (1 + rounds)
    return Flipped(p, "Monte Carlo", math.sqrt(p * (1 - p) / rounds), smallest)


def blocks_of(n: int, size: int, groups: ArrayLike | None) -> NDArray[np.intp]:
    """Number the blocks of `size` consecutive examples; the last one may be shorter.

    Raises `ValueError` where groups are swapped already.
    """
    if groups is not None:
        raise ValueError("examples are swapped in groups or in blocks, not in both")
    return np.arange(n) // size


def ranked(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return mid-ranks within each column; raises `ValueError` where a number is missing."""
    if values.ndim > 1:
        return np.stack([ranked(column) for column in values.T], axis=1)
    if np.isnan(values).any():
        raise ValueError("a score is missing")
    return mid_ranks(values)
