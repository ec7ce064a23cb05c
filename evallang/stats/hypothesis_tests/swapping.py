"""Differences of a metric of two models when their outputs are swapped within examples.

Each class gives what `permutation` needs of one kind of metric (`Swapper`). Where the
difference is a sum over examples that change sign when swapped (mean losses, areas under
the ROC curve by ranks), distinct parts can be enumerated; see `swapped_outputs` for counts
and for any other metric.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Literal, Protocol

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from evallang.activity import report_share
from evallang.stats.column_sums import BITS, ROWS_AT_ONCE, Column, Columns, one_order
from evallang.stats.fold_scores import NOISE, aligned
from evallang.stats.threads import run_in_threads
from evallang.stats.validation import labels, magnitudes, numbers, positives

BLOCK = 1 << 20  # units of all rounds of a block


class Swapper(Protocol):
    """The difference of a metric of two models, first minus second, under swapping."""

    @property
    def unit(self) -> str:
        """What is swapped as a whole, as a plural: examples, groups or blocks."""

    def estimate(self) -> float:
        """Return the difference as observed."""

    def replicates(self, rng: np.random.Generator, rounds: int) -> NDArray[np.float64]:
        """Return the difference after `rounds` random swaps; NaN where undefined."""

    def arrangements(self, most: int) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Return every difference with its probability, or None where there are above `most`."""

    def in_blocks(self, size: int) -> Swapper:
        """Return the same difference with `size` consecutive examples swapped as a whole."""

    @property
    def series(self) -> NDArray[np.float64] | None:
        """What each block adds to the difference, in the order of time; None without blocks."""

    @property
    def shift(self) -> Swapper | None:
        """The same swaps where every example differs by 1; None where no such shift exists."""

    def kinds(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the parts of each kind of unit and of its shift (k, 2), and their counts (k,)."""


class SignSwapper:
    """A difference that is a sum of parts, each of which changes sign when swapped.

    Parameters
    ----------
    parts : what each example adds to the difference (n,)
    groups : codes (n,) of groups that are swapped as a whole, or None
    transform : from sums of parts (...) to differences (...), odd and increasing; None: the sum
    shifts : what each example would add to a difference of 1 (n,); None where the difference is
        not a mean over the examples
    in_time : True where the groups are blocks of a series, numbered in its order
    """

    def __init__(
        self,
        parts: ArrayLike,
        groups: ArrayLike | None = None,
        transform: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None,
        unit: str | None = None,
        shifts: ArrayLike | None = None,
        *,
        in_time: bool = False,
    ) -> None:
        self._given = parts
        self._groups = groups
        self._transform = transform
        self._shifts = shifts
        self._in_time = in_time
        self.unit = unit or ("examples" if groups is None else "groups")
        self._drawn_with: SharedSigns | None = None

    def estimate(self) -> float:
        """Return the difference as observed; NaN without examples, or where a part is undefined."""
        if len(self._parts) == 0 or not np.isfinite(self._parts).all():
            return math.nan
        return float(self._of(self._units.sum(keepdims=True))[0])

    def replicates(self, rng: np.random.Generator, rounds: int) -> NDArray[np.float64]:
        """Return differences under random signs; those of the same units share them."""
        if self._drawn_with is not None:
            return self._drawn_with.replicates(self, rng, rounds)
        return _replicates_of([self], rng, rounds)[0]

    @property
    def units(self) -> int:
        """How many examples, groups or blocks may be swapped."""
        return len(self._by_unit.values)

    def under(self, kept: NDArray[np.uint8]) -> NDArray[np.float64]:
        """Return differences (B,) where units keep their outputs or not, 1 and 0 (B, units)."""
        parts = self._by_unit.values
        # einsum and not BLAS: the same bits for any number of threads
        return self._of(2 * np.einsum("bu,u->b", kept, parts, dtype=np.float64) - parts.sum())

    def arrangements(self, most: int) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Enumerate how many of the parts of each size keep their sign."""
        sizes, counts = self._distinct
        if len(counts) > most.bit_length():  # each size has two states or more
            return None
        states = math.prod(int(count) + 1 for count in counts)
        if states > most:
            return None
        values, chances = np.zeros(1), np.ones(1)
        for size, count in zip(sizes.tolist(), counts.tolist(), strict=True):
            kept = np.arange(count + 1)
            values = np.add.outer(values, size * (2 * kept - count)).ravel()
            chances = np.multiply.outer(chances, fair_coin(count)).ravel()
        return self._of(values), chances

    def in_blocks(self, size: int) -> Swapper:
        """Return the same difference with `size` consecutive examples swapped as a whole."""
        blocks = blocks_of(len(self._parts), size, self._groups)
        return SignSwapper(
            self._parts, blocks, self._transform, "blocks", self._shifts, in_time=True
        )

    @property
    def series(self) -> NDArray[np.float64] | None:
        """What each block adds to the difference, in the order of time; None without blocks."""
        return self._by_unit.values if self._in_time else None

    @cached_property
    def shift(self) -> SignSwapper | None:
        """The same swaps where every example differs by 1; None where no such shift exists."""
        return None if self._shifts is None else SignSwapper(self._shifts, self._groups)

    def kinds(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the parts of each kind of unit and of its shift (k, 2), and their counts (k,)."""
        assert self.shift is not None, "a difference that has a shift"
        parts = np.column_stack([self._by_unit.values, self.shift._by_unit.values])
        sizes = np.abs(parts).max(axis=0, initial=0.0)
        alike = np.rint(parts / np.where(sizes > 0, sizes * NOISE, 1.0))
        _, first, counts = np.unique(alike, axis=0, return_index=True, return_counts=True)
        return parts[first], counts

    @cached_property
    def _parts(self) -> NDArray[np.float64]:
        """What each example adds to the difference."""
        return magnitudes(self._given, "parts of a difference")

    @cached_property
    def _units(self) -> NDArray[np.float64]:
        """The parts of the units that are swapped, without those that are 0."""
        values = self._by_unit.values
        return np.asarray(values[values != 0.0])

    @cached_property
    def _by_unit(self) -> Column:
        """The parts of all units, 0 where they are the noise of rounding."""
        parts = self._parts
        noise = NOISE * float(np.abs(parts).max(initial=0.0))
        if self._groups is not None:
            codes = labels(self._groups, len(parts), "group")
            parts = np.bincount(codes, weights=parts).astype(np.float64)
        return Column(np.where(np.abs(parts) > noise, parts, 0.0))

    @cached_property
    def _distinct(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Sizes of the parts, equal decimals together, and how often each occurs."""
        ordered = np.sort(np.abs(self._units))
        if len(ordered) == 0:
            return ordered, np.zeros(0, dtype=np.int64)
        first = np.concatenate([[True], np.diff(ordered) > NOISE * ordered[-1]])
        starts = np.flatnonzero(first)
        return ordered[first], np.diff(np.append(starts, len(ordered)))

    def _of(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        return sums if self._transform is None else self._transform(sums)


def share_signs(swappers: Iterable[Swapper]) -> None:
    """Join differences of the same units that are sums of parts, to be computed in one pass.

    Each has the values that it has by itself; others are left as they are.
    """
    alike: dict[int, list[SignSwapper]] = {}
    for swapper in swappers:
        if isinstance(swapper, SignSwapper) and math.isfinite(swapper.estimate()):
            alike.setdefault(len(swapper._by_unit.values), []).append(swapper)
    for found in alike.values():
        SharedSigns(found)


class SharedSigns:
    """Differences of as many units that are computed with the same signs, all in one pass."""

    def __init__(self, swappers: Sequence[SignSwapper]) -> None:
        self._swappers = tuple(swappers)
        self._values: dict[tuple[str, int], list[NDArray[np.float64]]] = {}
        for swapper in swappers:
            swapper._drawn_with = self

    def replicates(
        self, swapper: SignSwapper, rng: np.random.Generator, rounds: int
    ) -> NDArray[np.float64]:
        """Return one of the differences under the signs that a generator draws from its state."""
        key = str(rng.bit_generator.state), rounds
        if key not in self._values:
            self._values[key] = _replicates_of(self._swappers, rng, rounds)
        return self._values[key][self._swappers.index(swapper)]


def _replicates_of(
    swappers: Sequence[SignSwapper], rng: np.random.Generator, rounds: int
) -> list[NDArray[np.float64]]:
    """Compute differences of as many units under the same random signs, each (rounds,)."""
    parts = [swapper._by_unit for swapper in swappers]
    signs = RandomSigns(rng, len(parts[0].values), rounds)
    columns = Columns(parts, signs.units)
    kept = np.empty((len(swappers), rounds))

    def work(start: int) -> None:
        sums = columns.sums(signs.batch(start), bits=True)
        for row, part in zip(kept, parts, strict=True):
            row[start : start + signs.batches.step] = sums[part.key]

    with one_order():
        for start in run_in_threads(work, signs.batches):
            report_share(min(start + signs.batches.step, rounds), rounds)
    # What keeps its sign, less what changes it
    return [
        swapper._of(2 * row - part.values.sum())
        for swapper, row, part in zip(swappers, kept, parts, strict=True)
    ]


class RandomSigns:
    """Which of some units keep their sign, again and again, by one random bit each.

    Every block has a generator of its own, so that it is the same whether others are drawn
    before it, after it or at the same time.

    Attributes
    ----------
    starts : the first round of each block
    batches : the first round of each batch, which is a block or, of many units, a few
    """

    def __init__(self, rng: np.random.Generator, units: int, rounds: int) -> None:
        self._key: list[int] = rng.integers(0, 1 << 62, 2).tolist()
        self.units, self._rounds = units, rounds
        size = max(1, BLOCK // max(units, 1))
        together = min(ROWS_AT_ONCE, BITS * BLOCK // max(units, 1)) // size
        self.starts = range(0, rounds, size)
        self.batches = range(0, rounds, size * max(1, together))

    def block(self, start: int) -> NDArray[np.uint8]:
        """Draw the block that begins with a round: 1 for each unit that keeps its sign (B, n)."""
        return np.unpackbits(self._bits(start), 1, self.units)

    def batch(self, start: int) -> NDArray[np.uint8]:
        """Draw the batch that begins with a round, a bit for each unit: eight units a byte."""
        end = min(start + self.batches.step, self._rounds)
        return np.concatenate([self._bits(s) for s in range(start, end, self.starts.step)])

    def _bits(self, start: int) -> NDArray[np.uint8]:
        rng = np.random.SFC64([*self._key, start])
        rounds = min(self.starts.step, self._rounds - start)
        width = -(-self.units // BITS)
        drawn = np.asarray(rng.random_raw(-(-rounds * width // 8))).view(np.uint8)
        return drawn[: rounds * width].reshape(rounds, width)


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
        self._losses = first, second
        if transform == "sqrt":
            super().__init__((), groups, self._roots, in_time=in_time)
        else:
            if shares is None:
                n = len(np.asarray(first))
                shares = np.full(n, 1 / max(n, 1))
            super().__init__((), groups, shifts=shares, in_time=in_time)

    @cached_property
    def _parts(self) -> NDArray[np.float64]:
        """The differences of the losses over their number, NaN where one is not finite."""
        x, y = self._checked
        if len(x) == 0 or not (np.isfinite(x).all() and np.isfinite(y).all()):
            return np.full(len(x), np.nan)
        d = x - y
        d[np.abs(d) <= NOISE * max(np.abs(x).max(), np.abs(y).max())] = 0.0
        return d / len(d)

    @cached_property
    def _checked(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        x, y = aligned(*self._losses)
        if x.ndim != 1:
            raise ValueError("losses are given as one row for each model")
        return x, y

    def _roots(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return differences of roots; swapping leaves the sum of both means as it is."""
        x, y = self._checked
        total = float((x + y).mean())
        above, below = np.maximum(total + sums, 0.0) / 2, np.maximum(total - sums, 0.0) / 2
        return np.asarray(np.sqrt(above) - np.sqrt(below))


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
        positive = positives(truth)
        x, y = aligned(first, second, numbers)
        if x.shape != positive.shape or x.ndim != 1:
            raise ValueError("every example needs one score of both models")
        if np.isnan(x).any() or np.isnan(y).any():
            raise ValueError("a score is missing")
        up, down = int(positive.sum()), int((~positive).sum())
        if min(up, down) == 0:  # no area
            super().__init__(np.full(len(x), np.nan), groups)
            return
        ranks = ranked(x), ranked(y)
        above = [r[positive] for r in ranks]
        below = [r[~positive] for r in ranks]
        # Wins of each positive of one model over all negatives of another, and the reverse
        wins = {(a, b): _wins(above[a], below[b]) for a in (0, 1) for b in (0, 1)}
        losses = {(a, b): _losses(below[b], above[a]) for a in (0, 1) for b in (0, 1)}
        parts = np.empty(len(x))
        parts[positive] = wins[0, 0] - wins[1, 1] + wins[0, 1] - wins[1, 0]
        parts[~positive] = losses[0, 0] - losses[1, 1] - losses[0, 1] + losses[1, 0]
        super().__init__(parts / (2.0 * up * down), groups)


def fair_coin(count: int) -> NDArray[np.float64]:
    """Return the chances of 0, 1, ..., `count` heads."""
    heads = np.arange(count + 1.0)
    logs = scipy.special.gammaln(count + 1) - scipy.special.gammaln(heads + 1)
    return np.asarray(np.exp(logs - scipy.special.gammaln(count - heads + 1) - count * math.log(2)))


def blocks_of(n: int, size: int, groups: ArrayLike | None) -> NDArray[np.intp]:
    """Number the blocks of `size` consecutive examples; the last one may be shorter.

    Raises `ValueError` where `size` is below 1 or groups are swapped already.
    """
    if size < 1:
        raise ValueError("a block has one example or more")
    if groups is not None:
        raise ValueError("examples are swapped in groups or in blocks, not in both")
    return np.arange(n) // size


def ranked(values: NDArray[np.generic]) -> NDArray[np.float64]:
    """Return mid-ranks within each column."""
    if values.ndim > 1:
        return np.stack([ranked(column) for column in values.T], axis=1)
    _, where, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2)[where])


def _wins(x: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """Count for each x the others below it, ties by half."""
    ordered = np.sort(others)
    return (np.searchsorted(ordered, x, "left") + np.searchsorted(ordered, x, "right")) / 2.0


def _losses(x: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """Count for each x the others above it, ties by half."""
    return len(others) - _wins(x, others)
