"""Where each score stands among those of the other class: what areas under ROC curves are of."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from evallang.stats.ascending import ascending_parts
from evallang.stats.running_sums import count_up_to
from evallang.stats.score_counts import PlacementSums
from evallang.stats.scratch import Scratch
from evallang.stats.threads import run_in_threads

ONE_IN_A_FOLD = "undefined: a fold has one example of a class, which shows no spread"
MOST_IN_HALF = 1 << 30  # examples whose doubled numbers fit into 32 bits
ROWS_AT_ONCE = 1 << 15  # examples whose products are added up at once
ROWS_OF_A_THREAD = 1 << 20  # examples whose sums one thread adds up
MANY_MODELS = 8  # from which on a symmetric product is as fast as any


def doubled_type(n: int) -> type[np.signedinteger]:
    """Return the type of twice the number of examples that one of n outranks."""
    return np.int32 if n < MOST_IN_HALF else np.int64


def twice_outranked(
    positive: NDArray[np.bool_],
    values: NDArray[np.float64],
    out: NDArray[np.signedinteger] | None = None,
) -> NDArray[np.signedinteger]:
    """Return how many scores of the other class each score (n,) outranks, doubled; fill `out`.

    A positive outranks the negatives with a lower score, a negative the positives with a
    higher one; ties count half, so that the double is a whole number. Scores tie where they are
    equal bit by bit. Raises `ValueError` where a score is NaN.
    """
    found = np.empty(len(values), dtype=doubled_type(len(values))) if out is None else out
    total, before, passed = int(np.count_nonzero(positive)), 0, 0
    scratch = Scratch()
    for places, begins, up in ascending_parts(values, positive):
        # Positives up to each place and with it
        ups = count_up_to(up, before, scratch.array("ups", up.shape, found.dtype))
        found[places] = _outranked(up, ups, begins, passed, total, scratch)
        passed += len(places)
        before = int(ups[-1]) if len(ups) else before
    if len(values) and np.isnan(values[places[-1]]):  # where any is NaN, the last one is
        raise ValueError("a score is missing")
    return found


def _outranked(
    up: NDArray[np.bool_],
    ups: NDArray[np.signedinteger],
    begins: NDArray[np.bool_],
    passed: int,
    total: int,
    scratch: Scratch,
) -> NDArray[np.signedinteger]:
    """Return what each of a part's ascending scores outranks, `passed` scores being lower."""
    n, whole = len(up), ups.dtype
    if begins.all():
        # Of a positive its rank less `ups`, of a negative `total` less `ups`: a product is ten
        # times as fast as a choice, which no processor can foresee
        outranked = scratch.array("outranked", (n,), whole)
        np.add(scratch.steps(n, whole), whole.type(passed + 1 - total), out=outranked)
        outranked *= up
        outranked += whole.type(total)
        outranked -= ups
        outranked *= 2
        return outranked
    # Of each run of equal scores: the positives before it, and those with it
    first = np.flatnonzero(begins)
    last = np.append(first[1:], n) - 1
    both = ups[last]
    both[1:] += ups[last[:-1]]
    both[0] += ups[0] - up[0]
    below, sizes = (2 * passed + first + last + 1).astype(whole) - both, last - first + 1
    outranked = np.repeat(2 * total - both - below, sizes)
    outranked *= ~up
    outranked += np.repeat(below, sizes)
    return outranked


class PlacedScores(Struct, frozen=True, eq=False):
    """What the scores of M models on one test set outrank: each is sorted once for all tests.

    Attributes
    ----------
    positive : (n,)
    outranked : `twice_outranked` of each model (n,)
    """

    positive: NDArray[np.bool_]
    outranked: tuple[NDArray[np.signedinteger], ...]

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of examples and of models, as of the scores."""
        return len(self.positive), len(self.outranked)

    @property
    def members(self) -> tuple[int, int]:
        """The numbers of negatives and of positives."""
        up = int(np.count_nonzero(self.positive))
        return len(self.positive) - up, up

    def of(self, models: Sequence[int]) -> PlacedScores:
        """Return those of some models, in their order."""
        return PlacedScores(self.positive, tuple(self.outranked[m] for m in models))

    def areas(self) -> NDArray[np.float64]:
        """Return the areas under the ROC curves (M,), NaN where a class is missing."""
        negatives, positives = self.members
        if not negatives or not positives:
            return np.full(len(self.outranked), np.nan)
        # Each class outranks the other in as many pairs: half of all that are outranked
        sums = np.empty(len(self.outranked), dtype=np.int64)

        def add_up(m: int) -> None:
            sums[m] = self.outranked[m].sum(dtype=np.int64)

        at_once = len(self.positive) > ROWS_AT_ONCE
        for _ in run_in_threads(add_up, range(len(sums)), at_once=at_once):
            pass
        return sums / (4.0 * positives * negatives)

    def centred(self) -> NDArray[np.float64]:
        """Return each row's share of outranked examples minus the area (M, n).

        Both classes occur.
        """
        negatives, positives = self.members
        ends = np.where(self.positive, 2.0 * negatives, 2.0 * positives)
        shares: NDArray[np.float64] = np.stack(self.outranked) / ends
        shares -= self.areas()[:, None]
        return shares

    def sums(self) -> PlacementSums:
        """Sum the products of the centred shares of all models over each class."""
        (n, models), (negatives, positives), areas = self.shape, self.members, self.areas()
        starts = range(0, n, ROWS_OF_A_THREAD)
        # A matrix for each block, so that the sum is the same whichever thread comes first
        totals = np.zeros((len(starts), 2, models, models))
        others = 2.0 * negatives, 2.0 * positives  # that a positive and a negative could outrank

        def work(block: int) -> None:
            rows = slice(starts[block], starts[block] + ROWS_OF_A_THREAD)
            placed = [outranked[rows] for outranked in self.outranked]
            positive, scratch = self.positive[rows], Scratch()
            sides = np.flatnonzero(positive), np.flatnonzero(~positive)
            for total, side, other in zip(totals[block], sides, others, strict=True):
                for start in range(0, len(side), ROWS_AT_ONCE):
                    some = side[start : start + ROWS_AT_ONCE]
                    total += _products(placed, some, areas * other, scratch)
                total /= other**2

        if negatives and positives:
            for _ in run_in_threads(work, range(len(starts))):
                pass
        of_positives, of_negatives = totals.sum(axis=0)
        return PlacementSums(areas, negatives, positives, of_negatives, of_positives)


def _products(
    placed: Sequence[NDArray[np.signedinteger]],
    rows: NDArray[np.intp],
    centres: NDArray[np.float64],
    scratch: Scratch,
) -> NDArray[np.float64]:
    """Sum the products of what some rows outrank beyond the centre of each of M models (M, M)."""
    centred = scratch.array("centred", (len(placed), len(rows)), np.float64)
    found = scratch.array("found", rows.shape, placed[0].dtype)
    for row, outranked in zip(centred, placed, strict=True):
        row[:] = outranked.take(rows, out=found, mode="clip")
    centred -= centres[:, None]
    if len(placed) >= MANY_MODELS:
        return np.asarray(centred @ centred.T)
    # BLAS multiplies a matrix by its own transpose with a routine for symmetric products, which
    # takes two to five times as long where models are few; a copy avoids it
    twin = scratch.array("twin", centred.shape, np.float64)
    np.copyto(twin, centred)
    return np.asarray(centred @ twin.T)


def place_scores(
    positive: NDArray[np.bool_], scores: Sequence[NDArray[np.float64]] | NDArray[np.float64]
) -> PlacedScores:
    """Place the scores (n,) of each model, of M or (M, n), among those of the other class.

    Raises `ValueError` where a score is NaN.
    """
    n = len(positive)
    outranked = np.empty((len(scores), n), dtype=doubled_type(n))

    def place(m: int) -> None:
        twice_outranked(positive, scores[m], outranked[m])

    for _ in run_in_threads(place, range(len(scores)), at_once=n > ROWS_AT_ONCE):
        pass
    return PlacedScores(positive, tuple(outranked))
