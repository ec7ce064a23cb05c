"""Scores of a model by distinct value: how often each class has them, and under many weightings.

Counts add up over parts of the data, so that no row has to be kept. Scores may be rounded down to
multiples of a power of two, which bounds how many are distinct; rounding the parts and then
their sum is the same as rounding the whole. Sums of the same examples under many weightings are
one product."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import scipy
from msgspec import Struct
from numpy.typing import NDArray


def undefined(weights: NDArray[Any]) -> NDArray[np.float64]:
    """Return NaN for each row of weights."""
    return np.full(len(weights), np.nan)


def ratio(
    numerator: NDArray[np.float64],
    denominator: NDArray[np.float64],
    undefined: float = math.nan,
) -> NDArray[np.float64]:
    """Divide, with `undefined` where the denominator is 0."""
    values = np.full(np.shape(denominator), undefined)
    np.divide(numerator, denominator, out=values, where=np.asarray(denominator) != 0)
    return values


def summing(
    places: NDArray[np.integer], count: int, weights: NDArray[np.float64] | None = None
) -> Any:
    """Return the sparse matrix (count, n) that adds up examples at the same place.

    `places` (n,) are from 0 to `count` - 1, or -1 for an example that is added nowhere.
    """
    rows = np.flatnonzero(places >= 0)
    values = np.ones(len(rows)) if weights is None else weights[rows]
    return scipy.sparse.csr_array((values, (places[rows], rows)), shape=(count, len(places)))


Sides = tuple["NDArray[np.float64]", "NDArray[np.float64]"]
"""Weights of positives and of negatives, by score."""


def weights_by_score(
    positive: NDArray[np.bool_],
    scores: NDArray[np.float64],
    own: NDArray[np.float64] | None = None,
    at: NDArray[np.float64] | None = None,
) -> Callable[[NDArray[Any]], Sides]:
    """Return what adds up weights (B, n) of both classes at each distinct score, rising (s, B).

    `own` weights of the examples (n,) multiply them; with some scores `at` (s,), rising, each
    example counts at the next one that is not above its own. Scores are sorted once.
    """
    at = np.unique(scores) if at is None else at
    places = at.searchsorted(scores, "right") - 1
    both = [summing(np.where(side, places, -1), len(at), own) for side in (positive, ~positive)]

    def sides(weights: NDArray[Any]) -> Sides:
        drawn = weights.T
        return both[0] @ drawn, both[1] @ drawn

    return sides


def areas_by_score(
    positives: NDArray[np.float64], negatives: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the area under the ROC curve from weights at each score, rising (s, B): (B,)."""
    pairs = positives.sum(axis=0) * negatives.sum(axis=0)
    below = np.cumsum(negatives, axis=0) - negatives / 2
    return ratio(np.einsum("sb,sb->b", positives, below), pairs)


def precisions_by_score(
    positives: NDArray[np.float64], negatives: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the average precision from weights at each score, rising (s, B): (B,)."""
    gained = positives[::-1]
    found, named = np.cumsum(gained, axis=0), np.cumsum(negatives[::-1], axis=0)
    named += found
    # Above the first example that is drawn nothing is gained
    np.divide(found, np.maximum(named, np.finfo(float).tiny, out=named), out=named)
    return ratio(np.einsum("sb,sb->b", gained, named), positives.sum(axis=0))


FINEST = 1074  # binary digits behind the point of the least float64
ONE_IN_A_FOLD = "undefined: a fold has one example of a class, which shows no spread"


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
    return coarsened(_counted(scores, ~positive, positive)[0], most)


def merged(parts: Sequence[ScoreCounts], most: int | None = None) -> ScoreCounts:
    """Add up the counts of parts; round the scores where more than `most` are distinct."""
    known = [part.digits for part in parts if part.digits is not None]
    digits = min(known) if known else None
    even = [part if part.digits == digits else rounded(part, digits) for part in parts]
    whole, _ = _counted(
        np.concatenate([part.scores for part in even]),
        np.concatenate([part.negatives for part in even]),
        np.concatenate([part.positives for part in even]),
        digits,
    )
    return coarsened(whole, most)


def _counted(
    scores: NDArray[np.float64],
    negatives: NDArray[np.generic],
    positives: NDArray[np.generic],
    digits: int | None = None,
) -> tuple[ScoreCounts, NDArray[np.intp]]:
    """Add up the counts at each distinct score, and return the place of each score among them."""
    distinct, places = np.unique(scores + scores.dtype.type(0), return_inverse=True)  # -0.0 is 0.0
    places = places.reshape(-1)
    down, up = (
        np.bincount(places, side, len(distinct)).astype(np.int64) for side in (negatives, positives)
    )
    return ScoreCounts(distinct, down, up, digits), places


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
    values = np.unique(scores)
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


class Ranks(Struct, frozen=True, eq=False):
    """What an example with each distinct score of a model outranks (D,), ties by half.

    Attributes
    ----------
    counts : the scores
    below : negatives with a lower score: what a positive outranks
    above : positives with a higher score: what a negative outranks
    """

    counts: ScoreCounts
    below: NDArray[np.float64]
    above: NDArray[np.float64]

    @property
    def area(self) -> float:
        """The area under the ROC curve, NaN where a class is missing."""
        negatives, positives = self.counts.members
        if not negatives or not positives:
            return math.nan
        return float(self.below @ self.counts.positives) / negatives / positives

    def sums(self) -> PlacementSums:
        """Return the area and the sums of squares of the placements."""
        (negatives, positives), area = self.counts.members, self.area
        sides = (
            (self.above, self.counts.negatives, positives),
            (self.below, self.counts.positives, negatives),
        )
        squares = [
            np.array([[float((found / max(others, 1) - area) ** 2 @ times)]])
            for found, times, others in sides
        ]
        return PlacementSums(np.array([area]), negatives, positives, *squares)


def rank(counts: ScoreCounts) -> Ranks:
    """Return what each distinct score outranks in the other class."""
    below = np.cumsum(counts.negatives) - counts.negatives / 2
    above = counts.positives.sum() - np.cumsum(counts.positives) + counts.positives / 2
    return Ranks(counts, below, above)


def outranked(positive: NDArray[np.bool_], scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how many scores of the other class each score (n,) outranks, ties by half.

    A positive outranks the negatives with a lower score, a negative the positives with a
    higher one. Scores tie where they are equal. Raises `ValueError` where a score is NaN.
    """
    if np.isnan(scores).any():
        raise ValueError("a score is missing")
    counts, places = _counted(scores, ~positive, positive)
    found = rank(counts)
    return np.where(positive, found.below[places], found.above[places])


def curves_of_classes(
    codes: NDArray[np.int64], scores: NDArray[np.float64], *, by_pairs: bool
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.bool_], NDArray[np.float64]]]:
    """Iterate over the curves that are averaged: rows, which are positive, and their scores."""
    k = scores.shape[1]
    if not by_pairs:
        every = np.arange(len(codes))
        for c in range(k):
            yield every, codes == c, scores[:, c]
        return
    for pair in itertools.combinations(range(k), 2):
        rows = np.flatnonzero(np.isin(codes, pair))
        for c in pair:
            yield rows, codes[rows] == c, scores[rows, c]


class PlacementSums(Struct, frozen=True, eq=False):
    """The areas of M models on the same examples, and products of their placements.

    Attributes
    ----------
    areas : (M,), NaN where a class is missing
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

    @property
    def smaller(self) -> int:
        """The number of examples of the rarer class."""
        return min(self.negatives, self.positives)

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
    def of_classes(self) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """What positives and negatives contribute to DeLong's covariance of the areas, each (M, M).

        None where a class has one example or none.
        """
        if self.smaller < 2:
            return None
        return (
            self.of_positives / (self.positives * (self.positives - 1)),
            self.of_negatives / (self.negatives * (self.negatives - 1)),
        )


def centred_placements(
    positive: NDArray[np.bool_], scores: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the areas of M models (M,), and by how much each placement differs from them (n, M).

    The placement of an example is the share of the other class that its score outranks. Both
    classes occur. Raises `ValueError` where a score is NaN.
    """
    ups = int(np.count_nonzero(positive))
    downs = len(positive) - ups
    won = np.column_stack([outranked(positive, one) for one in scores.T])
    areas = won[positive].sum(axis=0) / downs / ups  # halves, which add up exactly
    return areas, won / np.where(positive, float(downs), float(ups))[:, None] - areas


def sum_placements(
    positive: NDArray[np.bool_], areas: NDArray[np.float64], centred: NDArray[np.float64]
) -> PlacementSums:
    """Sum the products of centred placements (n, M) over the members of each class."""
    ups = int(np.count_nonzero(positive))
    products = products_by_class(centred, positive)
    return PlacementSums(areas, len(positive) - ups, ups, *products)


def place_scores(
    positive: NDArray[np.bool_], scores: Sequence[NDArray[np.float64]]
) -> PlacementSums:
    """Sum the placements of the scores (n,) of M models on one test set.

    Raises `ValueError` where a score is NaN.
    """
    columns = np.column_stack(scores)
    if positive.any() and not positive.all():
        return sum_placements(positive, *centred_placements(positive, columns))
    if np.isnan(columns).any():
        raise ValueError("a score is missing")
    ups, nothing = int(positive.sum()), np.zeros((len(scores), len(scores)))
    return PlacementSums(np.full(len(scores), np.nan), len(positive) - ups, ups, nothing, nothing)


def products_by_class(
    centred: NDArray[np.float64], positive: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sum the products of the columns (n, M) over negatives and over positives, each (M, M)."""
    down, up = centred[~positive], centred[positive]
    return down.T @ down, up.T @ up


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
    centred = np.empty((len(positive), len(ranks)))
    for row, one, area, own in zip(centred.T, ranks, areas, scores, strict=True):
        negatives, positives = one.counts.members
        places = np.searchsorted(one.counts.scores, round_down(own, one.counts.digits))
        row[:] = (
            np.where(positive, one.below[places] / negatives, one.above[places] / positives) - area
        )
    return products_by_class(centred, positive)
