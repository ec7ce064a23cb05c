"""Intervals for the area under the ROC curve, from placements of scores."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import scipy
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.registry import Design, Evidence, Example
from evallang.results.statistics import Clusters, Interval
from evallang.stats.distributions import checked_level, t_quantile, welch_df
from evallang.stats.hypothesis_tests.auc_covariance import auc_covariance
from evallang.stats.intervals.interval import INTERVALS, IntervalDeclaration
from evallang.stats.placement_values import ONE_IN_A_FOLD, place_scores, twice_outranked
from evallang.stats.score_counts import PlacementMoments, ScoreCounts, rank
from evallang.stats.validation import numbers, positives
from evallang.stats.validity import OF_GROUPS, OF_RARER_CLASS

T_4, T_8 = 2.7764451051977934, 2.306004135204166  # of Student's t, 97.5 %
ENOUGH_MEMBERS = 20
"""Members of the rarer class from which on the interval of an area is kept without a note."""
ENOUGH_MISPLACED = 2.0
"""The same for these members times the area's distance from 0 or 1, whichever is nearer.

With 20 positives and an area of .95, that is 1, 95 % intervals covered 83 to 90 %; with as many
and .9, that is 2, 90 to 94 % (docs/validation.md, few of a class).
"""


class Placements(Struct, frozen=True, eq=False):
    """Where each score stands among those of the other class.

    Attributes
    ----------
    positives : (P,) for each positive, by ascending score, the share of negatives below it,
        ties by half
    negatives : (N,) for each negative, by ascending score, the share of positives above it,
        ties by half
    """

    positives: NDArray[np.float64]
    negatives: NDArray[np.float64]

    @property
    def auc(self) -> float:
        """The area under the ROC curve, NaN where a class is missing."""
        if len(self.positives) == 0 or len(self.negatives) == 0:
            return math.nan
        return float(self.positives.mean())


def _moments(
    truth: ArrayLike, scores: ArrayLike | ScoreCounts | PlacementMoments
) -> PlacementMoments:
    """Return the area and variances of examples, of counted scores, or those known already."""
    if isinstance(scores, ScoreCounts):
        return rank(scores).moments()
    if isinstance(scores, PlacementMoments):
        return scores
    positive, values = _checked(truth, scores)
    return place_scores(positive, [values]).sums().moments


def placements(truth: ArrayLike, scores: ArrayLike) -> Placements:
    """Find the placements (structural components) of all scores in O(n log n).

    DeLong, DeLong & Clarke-Pearson 1988; by mid-ranks as in Sun & Xu 2014, but in whole
    numbers and float64. Scores tie where they are equal bit by bit. Raises `ValueError`
    where lengths differ or a score is NaN.
    """
    positive, values = _checked(truth, scores)
    outranked = twice_outranked(positive, values)
    # By their numbers: a mask takes three times as long
    up, down = np.flatnonzero(positive), np.flatnonzero(~positive)
    return Placements(
        outranked.take(up) / (2.0 * max(len(down), 1)),
        outranked.take(down) / (2.0 * max(len(up), 1)),
    )


@INTERVALS.register(
    IntervalDeclaration(
        frozenset({Evidence.SCORES_PER_ROW}),
        "auc",
        default_for=frozenset({"auc"}),
        of_difference="DeLong interval",  # a difference has no logit
        holds=(OF_RARER_CLASS,),
        when=(
            "the metric is the area under the ROC curve of one fitted model on independent examples"
        ),
        when_not="scores come from several models of a cross-validation: cv_auc",
        formula=(
            "the area ± t standard errors on the logit scale, the variance from the share of "
            "the other class that each example outranks"
        ),
        differs={
            "confidenceinterval": (
                "a symmetric interval there leaves [0, 1] and has no width at an area of 1; "
                "here the logit keeps it inside, and an area of 1 gets a bound"
            ),
            "pROC": (
                "its ci.auc is symmetric on the plain scale and takes the normal quantile; the "
                "variance is the same"
            ),
        },
    ),
    title="DeLong interval on the logit scale",
    references=(cite("delong1988"), cite("sun2014")),
    examples=(
        Example(
            ((1, 1, 1, 0, 0, 0), (0.9, 0.8, 0.3, 0.7, 0.2, 0.1), 0.95),
            # placements 1, 1, 2/3 and 2/3, 1, 1: AUC 8/9, variance 2 (1/27)/3, df 2 + 2
            {
                "low": 1 / (1 + math.exp(-math.log(8) + T_4 * math.sqrt(2 / 81) * 81 / 8)),
                "high": 1 / (1 + math.exp(-math.log(8) - T_4 * math.sqrt(2 / 81) * 81 / 8)),
            },
            "own derivation: computed by hand",
        ),
    ),
)
def delong(
    truth: ArrayLike, scores: ArrayLike | ScoreCounts | PlacementMoments, level: float
) -> Interval:
    """Interval for the area under the ROC curve with DeLong's variance, on the logit scale.

    The logit keeps the bounds inside [0, 1]. Each class has a variance of its own with one degree
    of freedom less than it has members; t has those of their sum (Satterthwaite 1946). For
    complete separation (AUC 1 or 0) the variance is 0 and says nothing; then the bound is
    Clopper and Pearson's for m successes of m, m the size of the smaller class: m disjoint pairs
    of a positive and a negative are independent and all in order. `truth` is 1 for positives,
    (n,), `scores` (n,), or scores that were counted for each class, or what their placements are.
    Raises `ValueError` where they differ in length, truth is other than 0 and 1, or a score is NaN.
    """
    checked_level(level)
    place = _moments(truth, scores)
    auc = place.area
    if place.smaller == 0:
        return Interval("delong", level, None, None, ("undefined: only one class",))
    if auc in (0.0, 1.0):
        return _separated(auc, place.smaller, level)
    if place.smaller < 2:
        return Interval("delong", level, None, None, ("undefined: a class has one example",))
    return _logit_interval("delong", auc, (place,), level)


@INTERVALS.register(
    IntervalDeclaration(
        frozenset({Evidence.SCORES_PER_ROW}),
        "auc",
        default_for=frozenset({"auc_over_folds"}),
        designs=frozenset({Design.KFOLD}),
        clustered=True,
        holds=(OF_RARER_CLASS, OF_GROUPS),
        when="the metric is the mean of the areas under the ROC curves of the folds",
        when_not=("there is one fitted model: delong; cross-validation is repeated: corrected_t"),
        formula=(
            "the mean of the folds' areas; the variance from how far each example's "
            "placement among the other class of its fold lies from the fold's area, added up "
            "within groups where there are any (Obuchowski 1997); ± t standard errors on the "
            "logit scale"
        ),
        differs={
            "cvAUC": (
                "the R package divides the squares of a fold by its numbers of positives and "
                "negatives; here by one less, without which few positives in a fold give too "
                "narrow an interval"
            ),
        },
    ),
    title="Interval for cross-validated AUC",
    references=(cite("ledell2015"), cite("delong1988"), cite("obuchowski1997", "groups")),
    examples=(
        Example(
            (
                (1, 1, 1, 0, 0, 0) * 2,
                (0.9, 0.8, 0.3, 0.7, 0.2, 0.1) * 2,
                (0,) * 6 + (1,) * 6,
                0.95,
            ),
            # in each fold variance 2/81 as above: 2/81/2 of their mean, df 4 (3 - 1)
            {
                "low": 1 / (1 + math.exp(-math.log(8) + T_8 * math.sqrt(1 / 81) * 81 / 8)),
                "high": 1 / (1 + math.exp(-math.log(8) - T_8 * math.sqrt(1 / 81) * 81 / 8)),
            },
            "own derivation: computed by hand",
        ),
    ),
)
def cv_auc(
    truth: ArrayLike,
    scores: ArrayLike,
    folds: ArrayLike,
    level: float,
    groups: ArrayLike | None = None,
) -> Interval:
    """Interval for the mean of the folds' areas under the ROC curve, by DeLong's variances.

    The mean of the folds' areas is that of LeDell, Petersen & van der Laan 2015. Its variance is
    the mean over folds of DeLong's variance of one area, over the number of folds, with the
    divisors m - 1 and n - 1 of a fold's m positives and n negatives, where LeDell et al. divide
    by m and n and fall short with few of a class in a fold; t has Satterthwaite's degrees of
    freedom, and the interval is taken on the logit scale. Ties count by half. Folds with one
    class only have no AUC and are skipped, with a note; undefined where another fold has one
    member of a class. With `groups`, whose rows may depend on one another, the variance in a
    fold is Obuchowski's (1997), over groups; undefined where a class occurs in one group of a
    fold, or where all pairs of all folds are in order. All arrays are (n,). Raises `ValueError`
    where they differ in length, truth is other than 0 and 1, or a score is NaN.
    """
    checked_level(level)
    positive, values = _checked(truth, scores)
    codes = np.asarray(folds)
    if codes.shape != values.shape:
        raise ValueError("every example needs its fold")
    if groups is not None:
        return _interval_over_groups(positive, values, codes, groups, level)
    parts: list[PlacementMoments] = []
    lost = 0
    for fold in np.unique(codes):
        inside = codes == fold
        place = _moments(positive[inside], values[inside])
        if math.isnan(place.area):
            lost += 1
        else:
            parts.append(place)
    skipped = (
        "1 fold with one class only is" if lost == 1 else f"{lost} folds with one class only are"
    )
    notes = (f"{skipped} skipped",) if lost else ()
    if not parts:
        return Interval("cv_auc", level, None, None, ("undefined: every fold has only one class",))
    auc = sum(place.area for place in parts) / len(parts)
    pairs = min(place.smaller for place in parts)
    if auc in (0.0, 1.0):
        # Folds differ in their AUC; with m pairs in each, the product of powers is at most the
        # power of their mean, so that the bound holds for the mean
        interval = _separated(auc, pairs * len(parts), level)
        return Interval("cv_auc", level, interval.low, interval.high, (*notes, *interval.notes))
    if pairs < 2:
        return Interval("cv_auc", level, None, None, (*notes, ONE_IN_A_FOLD))
    found = _logit_interval("cv_auc", auc, parts, level)
    return Interval("cv_auc", level, found.low, found.high, (*notes, *found.notes))


def _interval_over_groups(
    positive: NDArray[np.bool_],
    values: NDArray[np.float64],
    folds: ArrayLike,
    groups: ArrayLike,
    level: float,
) -> Interval:
    """Compute the interval of the mean area over folds with the covariance over groups."""
    twice = np.column_stack([values, values])  # the covariance of one area with itself
    found = auc_covariance(positive, twice, folds, groups)
    area, notes = found.areas[0], found.notes
    clusters = None if found.n_groups is None else Clusters(found.n_groups, None)
    if found.covariance is None or area in (0.0, 1.0):
        if found.covariance is not None:
            notes = (*notes, "undefined: every pair of every fold is in order")
        return Interval("cv_auc", level, None, None, notes, clusters)
    df = welch_df(tuple((float(part[0, 0]), df) for part, df in found.parts))
    if df is None:
        notes = (*notes, "no width: the groups do not vary")
        return Interval("cv_auc", level, area, area, notes, clusters)
    error = math.sqrt(float(found.covariance[0, 0]))
    centre, half = (
        float(scipy.special.logit(area)),
        t_quantile(level, df) * error / (area * (1 - area)),
    )
    low, high = float(scipy.special.expit(centre - half)), float(scipy.special.expit(centre + half))
    return Interval("cv_auc", level, low, high, notes, clusters)


def _checked(truth: ArrayLike, scores: ArrayLike) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    positive, values = positives(truth), numbers(scores, "scores")
    if positive.shape != values.shape or values.ndim != 1:
        raise ValueError("every example needs one score")
    return positive, values


def _logit_interval(
    method: str, auc: float, parts: Sequence[PlacementMoments], level: float
) -> Interval:
    """Compute the interval of the mean area of independent parts, by the delta method."""
    ups = sum(place.of_positives / place.positives for place in parts)
    downs = sum(place.of_negatives / place.negatives for place in parts)
    df = welch_df(
        (
            (ups, sum(place.positives - 1 for place in parts)),
            (downs, sum(place.negatives - 1 for place in parts)),
        )
    )
    if df is None:
        return Interval(method, level, auc, auc, ("no width: all placements are equal",))
    error = math.sqrt(ups + downs) / len(parts)
    members = sum(place.smaller for place in parts)
    centre, half = (
        float(scipy.special.logit(auc)),
        t_quantile(level, df) * error / (auc * (1 - auc)),
    )
    return Interval(
        method,
        level,
        float(scipy.special.expit(centre - half)),
        float(scipy.special.expit(centre + half)),
        few_members(members, auc),
    )


def few_members(members: int, auc: float) -> tuple[str, ...]:
    """Report where enough members of the rarer class are too few for an area so near 0 or 1."""
    if members < ENOUGH_MEMBERS or members * min(auc, 1 - auc) >= ENOUGH_MISPLACED:
        return ()
    return (
        f"only {members} examples of the rarer class, and an area near 0 or 1: 95% intervals "
        "covered 83 to 90% in simulations",
    )


def _separated(auc: float, pairs: int, level: float) -> Interval:
    """Return the bound for complete separation, from `pairs` independent pairs in order."""
    bound = ((1 - level) / 2) ** (1 / pairs)
    note = f"complete separation: the bound is that of {pairs} independent pairs in order"
    if auc == 1.0:
        return Interval("delong", level, bound, 1.0, (note,))
    return Interval("delong", level, 0.0, 1 - bound, (note,))
