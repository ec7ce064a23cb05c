"""How far predictions order rows as the truth does: what chance, and no other skill, gives.

Areas under ROC curves and rank correlations depend neither on the shares of the classes nor on
the unit of a target, and a model without information has 1/2 and 0 of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from evallang.stats.rank_scores import mid_ranks
from evallang.stats.score_counts import ScoreCounts, outranked, rank

FEWEST_RANKED = 3  # rows; two always have a correlation of 1 or -1


class Skill(Struct, frozen=True):
    """A mean over comparisons of rows: its value, and how far each row (n,) moves it."""

    value: float
    influence: NDArray[np.float64]

    def standard_error(self, unit: NDArray[np.int64] | None) -> float:
        """Return the standard error; rows with the same number in `unit` (n,) are not independent.

        It is that of the linearised statistic, for areas DeLong's up to (n - 1) / n. None: each
        influence is of a unit, or of counted ones.
        """
        moved = self.influence if unit is None else np.bincount(unit, self.influence)
        return float(np.sqrt((moved**2).sum()))


def skill_of_classes(
    truth: NDArray[np.int64],
    labels: NDArray[np.int64],
    scores: NDArray[np.float64] | None,
    part: NDArray[np.int64] | None = None,
    *,
    n_classes: int,
    positive: int,
) -> Skill | None:
    """Return the area under the ROC curve, for several classes the mean of each against the rest.

    `scores` are (n, K), or (n,) of the class `positive`; without them labels are scores of 0 and 1.
    """
    if scores is None:
        scores = (labels[:, None] == np.arange(n_classes)).astype(np.int8)
    if scores.ndim == 2 and n_classes == 2:
        scores = scores[:, positive]
    if scores.ndim == 1:
        return area(truth == positive, scores, part)
    return mean_area(truth, scores, part)


def area(
    positive: NDArray[np.bool_],
    scores: NDArray[np.float64],
    part: NDArray[np.int64] | None = None,
) -> Skill | None:
    """Return the share of pairs of a positive and a negative row that the scores (n,) order right.

    Pairs are of rows of one `part` (n,), such as a fold; None where no part has both classes.
    Without parts, all rows are one.
    Ties count half.
    """
    won, opponents = np.zeros(len(scores)), np.zeros(len(scores))
    pairs = 0
    for rows in _rows_of_parts(part, len(scores)):
        here = positive[rows]
        p = int(np.count_nonzero(here))
        q = len(rows) - p
        if p and q:
            won[rows] = outranked(here, scores[rows])
            opponents[rows] = np.where(here, q, p)
            pairs += p * q
    if not pairs:
        return None
    value = float(won[positive].sum()) / pairs
    return Skill(value, (won - value * opponents) / pairs)


def skill_of_counts(counts: ScoreCounts) -> Skill:
    """Return the area of counted scores; an influence stands for all examples with the score."""
    found, (negatives, positives) = rank(counts), counts.members
    moved = (
        np.sqrt(counts.positives) * (found.below / negatives - found.area) / positives,
        np.sqrt(counts.negatives) * (found.above / positives - found.area) / negatives,
    )
    return Skill(found.area, np.concatenate(moved))


def mean_area(
    truth: NDArray[np.int64], scores: NDArray[np.float64], part: NDArray[np.int64] | None = None
) -> Skill | None:
    """Return the mean over classes of the area of each one against all others.

    `truth` are class codes, `scores` (n, K); classes without a pair do not count.
    """
    found = [area(truth == code, scores[:, code], part) for code in range(scores.shape[1])]
    return _mean([skill for skill in found if skill is not None])


def rank_correlation(
    truth: NDArray[np.float64],
    predicted: NDArray[np.float64],
    part: NDArray[np.int64] | None = None,
) -> Skill | None:
    """Return Spearman's correlation, the mean over parts by their rows.

    It is 0 in a part where either is constant; None where every part has fewer than three rows.
    """
    products, ranked = np.zeros(len(truth)), np.zeros(len(truth), dtype=bool)
    for rows in _rows_of_parts(part, len(truth)):
        if len(rows) >= FEWEST_RANKED:
            ranked[rows] = True
            products[rows] = _standardised(truth[rows]) * _standardised(predicted[rows])
    n = int(np.count_nonzero(ranked))
    if not n:
        return None
    value = float(products.sum()) / n
    return Skill(value, np.where(ranked, products - value, 0.0) / n)


def _standardised(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the ranks with mean 0 and standard deviation 1; zeros where all are equal."""
    ranks = mid_ranks(values)
    centred = ranks - ranks.mean()
    spread = float(np.sqrt((centred**2).mean()))
    scaled: NDArray[np.float64] = centred / spread if spread else centred
    return scaled


def _mean(found: Sequence[Skill]) -> Skill | None:
    if not found:
        return None
    value = sum(skill.value for skill in found) / len(found)
    return Skill(value, np.mean([skill.influence for skill in found], axis=0))


def _rows_of_parts(part: NDArray[np.int64] | None, n: int) -> Iterator[NDArray[np.int64]]:
    if part is None:
        return iter([np.arange(n)])
    order = np.argsort(part, kind="stable")
    return iter(np.split(order, np.flatnonzero(np.diff(part[order])) + 1))
