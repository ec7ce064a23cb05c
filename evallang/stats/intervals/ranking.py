"""Intervals of areas under curves, of two classes and of several."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.evidence import SCORES_PER_ROW
from evallang.registry import Design, Example
from evallang.results.statistics import Clusters, Interval
from evallang.stats.basics import (
    bounds_inside,
    checked_level,
    labels,
    numbers,
    positives,
    t_quantile,
    welch_df,
)
from evallang.stats.clusters import group_totals
from evallang.stats.hypothesis_tests.ranking_curves import AucCovariance, auc_covariance
from evallang.stats.intervals.interval import INTERVALS, IntervalDeclaration
from evallang.stats.score_counts import (
    ONE_IN_A_FOLD,
    PlacementSums,
    ScoreCounts,
    curves_of_classes,
    outranked,
    place_scores,
    rank,
)
from evallang.stats.validity import OF_GROUPS, OF_RARER_CLASS

T_4, T_8 = 2.7764451051977934, 2.306004135204166  # of Student's t, 97.5 %
ENOUGH_MEMBERS = 20
"""Members of the rarer class from which on the interval of an area is kept without a note."""
ENOUGH_MISPLACED = 2.0
"""The same for these members times the area's distance from 0 or 1, whichever is nearer.

With 20 positives and an area of .95, that is 1, 95 % intervals covered 83 to 90 %; with as many
and .9, that is 2, 90 to 94 % (docs/validation.md, few of a class).
"""


@INTERVALS.register(
    IntervalDeclaration(
        frozenset({SCORES_PER_ROW}),
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
    truth: ArrayLike, scores: ArrayLike | ScoreCounts | PlacementSums, level: float
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
    if isinstance(scores, ScoreCounts):
        scores = rank(scores).sums()
    elif not isinstance(scores, PlacementSums):
        positive, values = _checked(truth, scores)
        scores = place_scores(positive, [values])
    found = auc_covariance(truth, scores, None, None)
    return _interval("delong", found, level, scores.smaller, scores.smaller)


@INTERVALS.register(
    IntervalDeclaration(
        frozenset({SCORES_PER_ROW}),
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
    positive, values = _checked(truth, scores)
    codes = labels(folds, len(values), "fold")
    found = auc_covariance(positive, values[:, None], codes, groups)
    rarer = np.minimum(np.bincount(codes, positive), np.bincount(codes, ~positive)).astype(int)
    rarer = rarer[rarer > 0]  # folds with one class only have no area
    # Folds differ in their AUC; with m pairs in each, the product of powers is at most the power
    # of their mean, so that the bound of all of them holds for the mean
    pairs = int(rarer.min(initial=len(values))) * len(rarer)
    return _interval("cv_auc", found, level, pairs, int(rarer.sum()))


def _interval(method: str, found: AucCovariance, level: float, pairs: int, rarer: int) -> Interval:
    """Return the interval of one area, from its covariance or `pairs` that are all in order.

    `rarer` counts the members of the rarer class in each fold.
    """
    checked_level(level)
    area, notes = found.areas[0], found.notes
    clusters = None if found.n_groups is None else Clusters(found.n_groups, None)
    if clusters is None and area in (0.0, 1.0):
        skipped = notes if found.covariance is not None else notes[:-1]  # without what it lacks
        return separated(method, area, pairs, level, skipped)
    if found.covariance is not None and area in (0.0, 1.0):
        notes = (*notes, "undefined: every pair of every fold is in order")
    elif found.covariance is not None:
        parts = tuple((float(part[0, 0]), df) for part, df in found.parts)
        bounds = logit_bounds(area, parts, level)
        if bounds is not None:
            few = few_members(rarer, area) if clusters is None else ()
            return Interval(method, level, *bounds, (*notes, *few), clusters)
        flat = "all placements are equal" if clusters is None else "the groups do not vary"
        return Interval(method, level, area, area, (*notes, f"no width: {flat}"), clusters)
    return Interval(method, level, None, None, notes, clusters)


def _checked(truth: ArrayLike, scores: ArrayLike) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    positive, values = positives(truth), numbers(scores, "scores")
    if positive.shape != values.shape or values.ndim != 1:
        raise ValueError("every example needs one score")
    return positive, values


def logit_bounds(
    area: float, parts: tuple[tuple[float, int], ...], level: float
) -> tuple[float, float] | None:
    """Return the bounds of an area on the logit scale, by the delta method; None without spread.

    `parts` are the independent summands of its variance, each with its degrees of freedom.
    """
    df = welch_df(parts)
    if df is None:
        return None
    error = math.sqrt(math.fsum(variance for variance, _ in parts))
    return bounds_inside(area, t_quantile(level, df) * error)


def few_members(members: int, auc: float) -> tuple[str, ...]:
    """Report where enough members of the rarer class are too few for an area so near 0 or 1."""
    if members < ENOUGH_MEMBERS or members * min(auc, 1 - auc) >= ENOUGH_MISPLACED:
        return ()
    return (
        f"only {members} examples of the rarer class, and an area near 0 or 1: coverage of "
        "95% intervals was 83 to 90% in simulations",
    )


def separated(
    method: str, area: float, pairs: int, level: float, notes: tuple[str, ...]
) -> Interval:
    """Return the bound for complete separation, from `pairs` independent pairs in order."""
    bound = ((1 - level) / 2) ** (1 / pairs)
    note = f"complete separation: the bound is that of {pairs} independent pairs in order"
    low, high = (bound, 1.0) if area == 1.0 else (0.0, 1 - bound)
    return Interval(method, level, low, high, (*notes, note))


@INTERVALS.register(
    IntervalDeclaration(
        frozenset({SCORES_PER_ROW}),
        "areas",
        default_for=frozenset({"areas"}),
        clustered=True,
        holds=(OF_RARER_CLASS, OF_GROUPS),
        when="roc_auc of three classes or more, over folds or on one test set",
        when_not="there are two classes: delong, cv_auc; cross-validation is repeated: corrected_t",
        formula=(
            "the influence of an example is what it adds to each area in which it counts as a "
            "positive or as a negative: the distance of its placement from the area, over the "
            "number of examples of its side, averaged over classes (ovr) or pairs of classes "
            "(ovo). The variance is the sum of the squares, within each class times m / (m - 1), "
            "or of the sums of groups; over folds the mean, as of cv_auc; ± t standard errors on "
            "the logit scale"
        ),
    ),
    title="Interval for a mean of areas over classes",
    references=(cite("delong1988"), cite("hand2001")),
    examples=(
        Example(
            # Two classes: DeLong's, as in his interval: AUC 8/9, variance 2 (1/27)/3, df 2 + 2
            (
                (1, 1, 1, 0, 0, 0),
                ((0.1, 0.9), (0.2, 0.8), (0.7, 0.3), (0.3, 0.7), (0.8, 0.2), (0.9, 0.1)),
                False,
                (0,) * 6,
                None,
                0.95,
            ),
            {
                "low": 1 / (1 + math.exp(-math.log(8) + T_4 * math.sqrt(2 / 81) * 81 / 8)),
                "high": 1 / (1 + math.exp(-math.log(8) - T_4 * math.sqrt(2 / 81) * 81 / 8)),
            },
            "own derivation: computed by hand",
        ),
    ),
)
def multiclass_auc(
    classes: ArrayLike,
    class_scores: ArrayLike,
    by_pairs: bool,
    parts: ArrayLike,
    groups: ArrayLike | None,
    level: float,
) -> Interval:
    """Interval for the mean area over classes against the rest, or over pairs of classes.

    `classes` (n,) is the class of each example as an index, `class_scores` (n, k) has a score for
    each class, higher for it; `by_pairs` takes Hand and Till's mean over pairs. `parts` (n,) is
    the fitted model of each example: their areas are averaged. Parts that lack a class are
    skipped, with a note; undefined where another part has one example of a class, or where all
    pairs are in order in a part and none elsewhere vary. With `groups`, whose rows may depend on
    one another, influences are added up within groups. Where every area is 1 the bound is Clopper
    and Pearson's for m successes of m, m the size of the smallest class: if the mean is b, one
    area is at most b, and m disjoint pairs of it are in order. In simulations 95% intervals covered
    94% to 96%, but 93.0% with 60 groups of one class each over five folds. Raises `ValueError`
    where lengths differ or a score is NaN.
    """
    checked_level(level)
    codes, scores, fold = np.asarray(classes), numbers(class_scores, "scores"), np.asarray(parts)
    if scores.ndim != 2 or codes.shape != scores.shape[:1] or fold.shape != codes.shape:
        raise ValueError("every example needs its class, its part and a score of each class")
    if np.isnan(scores).any():
        raise ValueError("a score is missing")
    units = None if groups is None else np.asarray(groups)
    k, lost = scores.shape[1], 0
    areas: list[float] = []
    variances: list[tuple[float, float]] = []
    smallest: list[int] = []
    squares, freedom, n_groups = np.zeros(k), np.zeros(k), 0
    for part in np.unique(fold):
        rows = fold == part
        counts = np.bincount(codes[rows], minlength=k)
        if counts.min() == 0:
            lost += 1
            continue
        smallest.append(int(counts.min()))
        area, influence = area_and_influences(codes[rows], scores[rows], by_pairs=by_pairs)
        areas.append(area)
        if units is not None:
            totals = group_totals(influence, labels(units[rows], int(rows.sum()), "group"))
            n_groups += len(totals)
            if len(totals) > 1:
                shares = len(totals) / (len(totals) - 1)
                variances.append((float((totals**2).sum()) * shares, len(totals) - 1))
        elif counts.min() > 1:
            squares += np.bincount(codes[rows], influence**2, k) * counts / (counts - 1)
            freedom += counts - 1
    clusters = None if units is None else Clusters(n_groups, None)
    folds = "1 fold that lacks a class is" if lost == 1 else f"{lost} folds that lack a class are"
    notes = (f"{folds} skipped",) if lost else ()

    def undefined(why: str) -> Interval:
        return Interval("multiclass_auc", level, None, None, (*notes, why), clusters)

    if not areas:
        return undefined("undefined: every fold lacks a class")
    mean = math.fsum(areas) / len(areas)
    if mean in (0.0, 1.0):
        if units is not None:
            return undefined("undefined: every pair of every fold is in order")
        return separated("multiclass_auc", mean, min(smallest) * len(areas), level, notes)
    if units is None and min(smallest) < 2:
        return undefined(ONE_IN_A_FOLD)
    if units is None:
        variances = list(zip(squares.tolist(), freedom.tolist(), strict=True))
    square = len(areas) ** 2
    bounds = logit_bounds(mean, tuple((v / square, int(df)) for v, df in variances), level)
    if bounds is None:
        return undefined("undefined: the placements do not vary")
    few = few_members(sum(smallest), mean) if units is None else ()
    return Interval("multiclass_auc", level, *bounds, (*notes, *few), clusters)


def area_and_influences(
    codes: NDArray[np.int64], scores: NDArray[np.float64], *, by_pairs: bool
) -> tuple[float, NDArray[np.float64]]:
    """Return the mean area of one part, and its derivative by the weight of each example (n,).

    Every class occurs. The area of a class against the rest changes with an example of the class
    by its placement minus the area, over the size of the class; so for the others.
    """
    influence = np.zeros(len(codes))
    areas = []
    for rows, positive, values in curves_of_classes(codes, scores, by_pairs=by_pairs):
        ups = int(positive.sum())
        share = outranked(positive, values) / np.where(positive, len(values) - ups, ups)
        area = float(share[positive].mean())
        influence[rows] += (share - area) / np.where(positive, ups, len(values) - ups)
        areas.append(area)
    return math.fsum(areas) / len(areas), influence / len(areas)
