"""Distinct scores of a model and how often each class has them: what an area depends on.

Counts add up over parts of the data, so that no row has to be kept. Scores may be rounded down to
multiples of a power of two, which bounds how many are distinct; rounding the parts and then
their sum is the same as rounding the whole.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from evallang.stats.ascending import ascending

MOST_SHORT = 1 << 31  # examples of which the counts fit into 32 bits
MOST_EXACT = 1 << 62  # doubled pairs that fit into 64 bits
FINEST = 1074  # binary digits behind the point of the least float64
AT_ONCE = 1 << 16  # distinct scores worked on at once: they stay in the cache


class ScoreCounts(Struct, frozen=True, eq=False):
    """The distinct scores of one model.

    Attributes
    ----------
    scores : (D,) finite and distinct, ascending
    negatives, positives : (D,) how many examples of each class have the score
    digits : binary digits behind the point that the scores were rounded down to; None where they
        are as given
    """

    scores: NDArray[np.float64]
    negatives: NDArray[np.signedinteger]
    positives: NDArray[np.signedinteger]
    digits: int | None = None

    @property
    def members(self) -> tuple[int, int]:
        """The numbers of negatives and of positives."""
        return int(self.negatives.sum(dtype=np.int64)), int(self.positives.sum(dtype=np.int64))

    @property
    def bytes(self) -> int:
        """The memory that the arrays take."""
        return self.scores.nbytes + self.negatives.nbytes + self.positives.nbytes

    @property
    def area_error(self) -> float:
        """The largest error of the area under the ROC curve that rounding can have made.

        Pairs with equal scores count half, and rounding can only have made further ones equal.
        """
        negatives, positives = self.members
        if self.digits is None or not negatives or not positives:
            return 0.0
        tied = self.negatives.astype(np.float64) @ self.positives.astype(np.float64)
        return float(tied / 2 / negatives / positives)


def count_scores(
    scores: NDArray[np.float64], positive: NDArray[np.bool_], most: int | None = None
) -> ScoreCounts:
    """Count the scores (n,) of each class; round them where more than `most` are distinct.

    Raises `ValueError` where a score is not finite.
    """
    if not np.isfinite(scores).all():
        raise ValueError("a score is missing or infinite")
    values_up, up = _distinct(scores[positive])
    values_down, down = _distinct(scores[~positive])
    pieces = [(values_down, down, np.zeros_like(down)), (values_up, np.zeros_like(up), up)]
    return coarsened(_joined(pieces, len(scores)), most)


def merged(parts: Sequence[ScoreCounts], most: int | None = None) -> ScoreCounts:
    """Add up the counts of parts; round the scores where more than `most` are distinct."""
    known = [part.digits for part in parts if part.digits is not None]
    digits = min(known) if known else None
    total = sum(sum(part.members) for part in parts)
    even = [part if part.digits == digits else rounded(part, digits) for part in parts]
    pieces = [(part.scores, part.negatives, part.positives) for part in even]
    whole = _joined(pieces, total)
    return coarsened(ScoreCounts(whole.scores, whole.negatives, whole.positives, digits), most)


def _distinct(values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the distinct values, ascending, and how often each occurs."""
    ordered = np.sort(values + 0.0)  # -0.0 is 0.0
    first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)])
    return ordered[first], np.diff(np.append(first, len(ordered)))


def _joined(
    pieces: Sequence[tuple[NDArray[np.float64], NDArray[np.integer], NDArray[np.integer]]],
    total: int,
) -> ScoreCounts:
    """Join ascending scores with their counts; equal ones are added up."""
    short = np.int32 if total < MOST_SHORT else np.int64
    scores = np.concatenate([piece[0] for piece in pieces])
    order, begins, _ = ascending(scores)
    first = np.flatnonzero(begins)
    distinct = scores[order[first]]
    del scores
    sides = []
    for side in (1, 2):
        counts = np.concatenate([piece[side].astype(short, copy=False) for piece in pieces])[order]
        sides.append(np.add.reduceat(counts, first) if len(first) < len(counts) else counts)
    return ScoreCounts(distinct, sides[0], sides[1])


# --- rounding ----------------------------------------------------------------------------------


def coarsened(counts: ScoreCounts, most: int | None) -> ScoreCounts:
    """Round the scores down to as many binary digits as leave at most `most` of them distinct."""
    if most is None or len(counts.scores) <= most:
        return counts
    return rounded(counts, _digits(counts.scores, most, counts.digits))


def coarse_scores(scores: NDArray[np.float64], most: int) -> NDArray[np.float64]:
    """Round scores (n,) down, to multiples of a power of two, where over `most` are distinct.

    Scores that are not all finite stay as they are.
    """
    if len(scores) <= most or not np.isfinite(scores).all():
        return scores
    values, _ = _distinct(scores)
    return scores if len(values) <= most else round_down(scores, _digits(values, most, None))


def round_down(scores: NDArray[np.float64], digits: int | None) -> NDArray[np.float64]:
    """Round scores down to so many binary digits behind the point."""
    if digits is None:
        return scores
    with np.errstate(over="ignore"):
        whole = np.ldexp(scores, digits)
    np.floor(whole, out=whole)
    coarse = np.ldexp(whole, -digits) + 0.0
    return np.where(np.isfinite(whole), coarse, scores)  # what is too large has no such digits


def rounded(counts: ScoreCounts, digits: int | None) -> ScoreCounts:
    """Round the scores down to so many binary digits, and add up the counts."""
    scores = round_down(counts.scores, digits)
    first = np.flatnonzero(np.append(True, scores[1:] != scores[:-1])[: len(scores)])
    negatives, positives = (
        np.add.reduceat(side, first) if len(first) else side
        for side in (counts.negatives, counts.positives)
    )
    return ScoreCounts(scores[first], negatives, positives, digits)


def _digits(values: NDArray[np.float64], most: int, known: int | None) -> int:
    """Return the largest number of digits that leaves at most `most` ascending values distinct.

    `known` are the digits that they have already.
    """
    if most < 2:
        raise ValueError("scores are rounded to two distinct values or more")
    largest = math.frexp(max(abs(float(values[0])), abs(float(values[-1]))))[1]
    low, high = -largest - 1, FINEST if known is None else known  # the lowest leaves -1 and 0
    while low < high:
        middle = (low + high + 1) // 2
        scores = round_down(values, middle)
        if np.count_nonzero(scores[1:] != scores[:-1]) < most:
            low = middle
        else:
            high = middle - 1
    return low


# --- placements --------------------------------------------------------------------------------


class PlacementMoments(Struct, frozen=True):
    """The area under a ROC curve, and how far placements vary within each class.

    Attributes
    ----------
    area : NaN where a class is missing
    negatives, positives : members of each class
    of_negatives, of_positives : variance of the placements (divisor members - 1), NaN for one
    """

    area: float
    negatives: int
    positives: int
    of_negatives: float
    of_positives: float

    @property
    def shape(self) -> tuple[int]:
        """The number of examples, as of their scores."""
        return (self.negatives + self.positives,)

    @property
    def smaller(self) -> int:
        """The number of examples of the rarer class."""
        return min(self.negatives, self.positives)


class Ranks(Struct, frozen=True, eq=False):
    """What an example with each distinct score of a model outranks, doubled (D,).

    Attributes
    ----------
    counts : the scores
    below : negatives with a lower score, those with the same one by half: of a positive
    above : positives with a higher score, those with the same one by half: of a negative
    """

    counts: ScoreCounts
    below: NDArray[np.int64]
    above: NDArray[np.int64]

    @property
    def area(self) -> float:
        """The area under the ROC curve, NaN where a class is missing."""
        negatives, positives = self.counts.members
        if not negatives or not positives:
            return math.nan
        most = 2 * negatives * positives
        exact: type = np.int64 if most < MOST_EXACT else object  # as Python's, without end
        pairs = 0
        for start in range(0, len(self.below), AT_ONCE):
            rows = slice(start, start + AT_ONCE)
            found = self.below[rows].astype(exact, copy=False) * self.counts.positives[rows]
            pairs += int(found.sum())
        return pairs / most

    def moments(self) -> PlacementMoments:
        """Return the area and the variances of the placements."""
        negatives, positives = self.counts.members
        area = self.area
        of_negatives = _variance(self.above, self.counts.negatives, positives, area)
        of_positives = _variance(self.below, self.counts.positives, negatives, area)
        return PlacementMoments(area, negatives, positives, of_negatives, of_positives)


def rank(counts: ScoreCounts) -> Ranks:
    """Return what each distinct score outranks in the other class."""
    negatives, positives = (
        side.astype(np.int64, copy=False) for side in (counts.negatives, counts.positives)
    )
    below = np.cumsum(negatives)
    below *= 2
    below -= negatives
    above = np.cumsum(positives)
    total = int(above[-1]) if len(above) else 0
    above *= -2
    above += positives
    above += 2 * total
    return Ranks(counts, below, above)


def _variance(
    outranked: NDArray[np.int64], times: NDArray[np.signedinteger], others: int, area: float
) -> float:
    """Return the variance of shares that occur so many times each."""
    members = int(times.sum(dtype=np.int64))
    if members < 2 or not others:
        return math.nan
    total = 0.0
    for start in range(0, len(outranked), AT_ONCE):
        rows = slice(start, start + AT_ONCE)
        centred = outranked[rows] / (2.0 * others) - area
        total += float((centred * centred) @ times[rows].astype(np.float64))
    return total / (members - 1)


class PlacementSums(Struct, frozen=True, eq=False):
    """The areas of M models on the same examples, and products of their placements.

    Attributes
    ----------
    areas : (M,)
    negatives, positives : members of each class
    of_negatives, of_positives : (M, M) sums over the class of the products of what the placements
        of two models differ from their areas
    """

    areas: NDArray[np.float64]
    negatives: int
    positives: int
    of_negatives: NDArray[np.float64]
    of_positives: NDArray[np.float64]

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of examples and of models, as of the scores."""
        return self.negatives + self.positives, len(self.areas)

    def of(self, models: Sequence[int]) -> PlacementSums:
        """Return those of some models, in their order."""
        both = np.ix_(models, models)
        return PlacementSums(
            self.areas[list(models)],
            self.negatives,
            self.positives,
            self.of_negatives[both],
            self.of_positives[both],
        )

    @property
    def moments(self) -> PlacementMoments:
        """The area and the variances of the placements of the only model."""
        sides = (self.of_negatives, self.negatives), (self.of_positives, self.positives)
        variances = [
            float(total[0, 0]) / (members - 1) if members > 1 else math.nan
            for total, members in sides
        ]
        return PlacementMoments(float(self.areas[0]), self.negatives, self.positives, *variances)

    @property
    def of_classes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """What positives and negatives contribute to DeLong's covariance of the areas, each (M, M).

        None where a class has one example or none.
        """
        if min(self.negatives, self.positives) < 2:
            return None
        return (
            self.of_positives / (self.positives * (self.positives - 1)),
            self.of_negatives / (self.negatives * (self.negatives - 1)),
        )

    @property
    def covariance(self) -> NDArray[np.float64] | None:
        """DeLong's covariance of the areas (M, M), None where a class has one example."""
        both = self.of_classes
        return None if both is None else np.asarray(both[0] + both[1])


def placement_products(
    ranks: Sequence[Ranks],
    areas: Sequence[float],
    scores: Sequence[NDArray[np.float64]],
    positive: NDArray[np.bool_],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sum the products of centred placements over some examples: negatives, positives (M, M).

    `scores` are those of each model (n,), as they were before they were rounded; each must occur
    among the counts. Both classes occur there.
    """
    negatives, positives = ranks[0].counts.members
    places = [_places(one.counts, own) for one, own in zip(ranks, scores, strict=True)]
    of_negatives = _products(
        [one.above for one in ranks], positives, areas, places, np.flatnonzero(~positive)
    )
    of_positives = _products(
        [one.below for one in ranks], negatives, areas, places, np.flatnonzero(positive)
    )
    return of_negatives, of_positives


def _places(counts: ScoreCounts, scores: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return where each score (n,) is among the distinct ones."""
    found = round_down(scores, counts.digits)
    order = ascending(found).places
    places = np.empty(len(order), dtype=np.intp)
    # In order, so that memory is near
    places[order] = np.searchsorted(counts.scores, found[order])
    return places


def _products(
    outranked: Sequence[NDArray[np.int64]],
    others: int,
    areas: Sequence[float],
    places: Sequence[NDArray[np.intp]],
    rows: NDArray[np.intp],
) -> NDArray[np.float64]:
    """Sum the products of the centred shares of some examples over all models."""
    total = np.zeros((len(areas), len(areas)))
    for start in range(0, len(rows), AT_ONCE):
        some = rows[start : start + AT_ONCE]
        centred = np.empty((len(areas), len(some)))
        for m, (own, place) in enumerate(zip(outranked, places, strict=True)):
            centred[m] = own[place[some]] / (2.0 * others) - areas[m]
        total += centred @ centred.T
    return total
