"""Intervals for the area under the ROC curve, from placements of scores."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evallang.bibliography import Reference
from evallang.registry import Design, Evidence, Example, lazy
from evallang.results.statistics import Interval
from evallang.stats.distributions import normal_quantile
from evallang.stats.intervals.interval import INTERVALS, IntervalDeclaration
from evallang.stats.placing import twice_outranked
from evallang.stats.reading import numbers, positives

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray
    from scipy import special
else:
    np = lazy("numpy")
    special = lazy("scipy.special")

DELONG_1988 = Reference(
    key="delong1988",
    authors=("DeLong ER", "DeLong DM", "Clarke-Pearson DL"),
    year=1988,
    title="Comparing the areas under two or more correlated receiver operating characteristic "
    "curves: a nonparametric approach",
    venue="Biometrics",
    volume="44(3)",
    pages="837-845",
    doi="10.2307/2531595",
)
SUN_XU_2014 = Reference(
    key="sun2014",
    authors=("Sun X", "Xu W"),
    year=2014,
    title="Fast implementation of DeLong's algorithm for comparing the areas under correlated "
    "receiver operating characteristic curves",
    venue="IEEE Signal Processing Letters",
    volume="21(11)",
    pages="1389-1393",
    doi="10.1109/LSP.2014.2337313",
)
LEDELL_2015 = Reference(
    key="ledell2015",
    authors=("LeDell E", "Petersen M", "van der Laan M"),
    year=2015,
    title="Computationally efficient confidence intervals for cross-validated area under the ROC "
    "curve estimates",
    venue="Electronic Journal of Statistics",
    volume="9(1)",
    pages="1583-1607",
)

Z_95 = 1.9599639845400542


@dataclass(frozen=True, eq=False)
class Placements:
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


def placements(truth: ArrayLike, scores: ArrayLike) -> Placements:
    """Find the placements (structural components) of all scores in O(n log n).

    DeLong, DeLong & Clarke-Pearson 1988; by mid-ranks as in Sun & Xu 2014, but in whole
    numbers and float64. Scores tie where they are equal bit by bit. Raises `ValueError`
    where lengths differ or a score is NaN.
    """
    positive, values = _checked(truth, scores)
    order, outranked = twice_outranked(positive, values)
    up = positive[order]
    positives, negatives = int(up.sum()), int((~up).sum())
    return Placements(
        outranked[up] / (2.0 * max(negatives, 1)), outranked[~up] / (2.0 * max(positives, 1))
    )


@INTERVALS.register(
    IntervalDeclaration(
        frozenset({Evidence.SCORES_PER_ROW}),
        "auc",
        when="the area under the ROC curve of one fitted model on independent examples",
        when_not="scores of several models of a cross-validation: cv_auc",
        formula=(
            "the area ± z standard errors on the logit scale, the variance from the share of "
            "the other class that each example outranks"
        ),
        differs={
            "confidenceinterval": (
                "a symmetric interval there leaves [0, 1] and has no width at an area of 1; "
                "here the logit keeps it inside, and an area of 1 gets a bound"
            ),
            "pROC": "its ci.auc is symmetric on the plain scale; the variance is the same",
        },
    ),
    title="DeLong interval on the logit scale",
    references=(DELONG_1988, SUN_XU_2014),
    examples=(
        Example(
            ((1, 1, 1, 0, 0, 0), (0.9, 0.8, 0.3, 0.7, 0.2, 0.1), 0.95),
            # placements 1, 1, 2/3 and 2/3, 1, 1: AUC 8/9, variance 2 (1/27)/3
            {
                "low": 1 / (1 + math.exp(-math.log(8) + Z_95 * math.sqrt(2 / 81) * 81 / 8)),
                "high": 1 / (1 + math.exp(-math.log(8) - Z_95 * math.sqrt(2 / 81) * 81 / 8)),
            },
            "own derivation: computed by hand",
        ),
    ),
)
def delong(truth: ArrayLike, scores: ArrayLike, level: float) -> Interval:
    """Interval for the area under the ROC curve with DeLong's variance, on the logit scale.

    The logit keeps the bounds inside [0, 1]. For complete separation (AUC 1 or 0) the variance
    is 0 and says nothing; then the bound is Clopper and Pearson's for m successes of m, m
    the size of the smaller class: m disjoint pairs of a positive and a negative are
    independent and all in order. `truth` is 1 for positives, (n,), `scores` (n,). Raises
    `ValueError` where they differ in length, truth is other than 0 and 1, or a score is NaN.
    """
    z = normal_quantile(level)
    place = placements(truth, scores)
    positives, negatives = len(place.positives), len(place.negatives)
    if min(positives, negatives) == 0:
        return Interval("delong", level, None, None, ("undefined: only one class",))
    auc = place.auc
    if auc in (0.0, 1.0):
        return _separated(auc, min(positives, negatives), level)
    if min(positives, negatives) < 2:
        return Interval("delong", level, None, None, ("undefined: a class has one example",))
    variance = (
        float(place.positives.var(ddof=1)) / positives
        + float(place.negatives.var(ddof=1)) / negatives
    )
    if variance == 0.0:
        return Interval("delong", level, auc, auc, ("no width: all scores are equal",))
    return _on_logit_scale("delong", auc, math.sqrt(variance), z, level)


@INTERVALS.register(
    IntervalDeclaration(
        frozenset({Evidence.SCORES_PER_ROW}),
        "auc",
        designs=frozenset({Design.KFOLD}),
        when="the mean of the folds' areas under the ROC curve",
        when_not="one fitted model: delong; repeated cross-validation: corrected_t",
        formula=(
            "the mean of the folds' areas; the variance from how far each example's "
            "placement among the other class of its fold lies from the fold's area; ± z "
            "standard errors on the logit scale"
        ),
    ),
    title="Interval for cross-validated AUC",
    references=(LEDELL_2015, DELONG_1988),
    examples=(
        Example(
            (
                (1, 1, 1, 0, 0, 0) * 2,
                (0.9, 0.8, 0.3, 0.7, 0.2, 0.1) * 2,
                (0,) * 6 + (1,) * 6,
                0.95,
            ),
            # influence 2 (1/9, 1/9, -2/9) in each class and fold: mean square 4 (12/81)/6
            {
                "low": 1 / (1 + math.exp(-math.log(8) + Z_95 * math.sqrt(8 / 81 / 12) * 81 / 8)),
                "high": 1 / (1 + math.exp(-math.log(8) - Z_95 * math.sqrt(8 / 81 / 12) * 81 / 8)),
            },
            "own derivation: computed by hand",
        ),
    ),
)
def cv_auc(truth: ArrayLike, scores: ArrayLike, folds: ArrayLike, level: float) -> Interval:
    """Interval for the mean of the folds' areas under the ROC curve, by influence curves.

    The variance is the mean over folds of the mean square of w (placement - AUC of the fold),
    with w one over the share of the example's class, over n (LeDell, Petersen & van der Laan
    2015); ties count by half, and the interval is taken on the logit scale. Folds with one
    class only have no AUC and are left out, with a note. All arrays are (n,). Raises `ValueError`
    where they differ in length, truth is other than 0 and 1, or a score is NaN.
    """
    z = normal_quantile(level)
    positive, values = _checked(truth, scores)
    codes = np.asarray(folds)
    if codes.shape != values.shape:
        raise ValueError("every example needs its fold")
    parts: list[tuple[NDArray[np.bool_], Placements]] = []
    lost = 0
    for fold in np.unique(codes):
        inside = codes == fold
        place = placements(positive[inside], values[inside])
        if math.isnan(place.auc):
            lost += 1
        else:
            parts.append((inside, place))
    notes = (f"{lost} folds with one class only are left out",) if lost else ()
    if not parts:
        return Interval("cv_auc", level, None, None, ("undefined: every fold has only one class",))
    auc = sum(place.auc for _, place in parts) / len(parts)
    used = np.logical_or.reduce([inside for inside, _ in parts])
    n, n_positive = int(used.sum()), int((used & positive).sum())
    square = 0.0
    for inside, place in parts:
        of_positives = ((place.positives - place.auc) ** 2).sum() * (n / n_positive) ** 2
        of_negatives = ((place.negatives - place.auc) ** 2).sum() * (n / (n - n_positive)) ** 2
        square += float(of_positives + of_negatives) / int(inside.sum())
    variance = square / len(parts) / n
    if auc in (0.0, 1.0):
        # Folds differ in their AUC; with m pairs in each, the product of powers is at most the
        # power of their mean, so that the bound holds for the mean
        pairs = min(min(len(place.positives), len(place.negatives)) for _, place in parts)
        interval = _separated(auc, pairs * len(parts), level)
        return Interval("cv_auc", level, interval.low, interval.high, (*notes, *interval.notes))
    if variance == 0.0:
        return Interval("cv_auc", level, auc, auc, (*notes, "no width: all placements are equal"))
    interval = _on_logit_scale("cv_auc", auc, math.sqrt(variance), z, level)
    return Interval("cv_auc", level, interval.low, interval.high, notes)


def _checked(truth: ArrayLike, scores: ArrayLike) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    positive, values = positives(truth), numbers(scores, "scores")
    if positive.shape != values.shape or values.ndim != 1:
        raise ValueError("every example needs one score")
    if np.isnan(values).any():
        raise ValueError("a score is missing")
    return positive, values


def _on_logit_scale(method: str, auc: float, error: float, z: float, level: float) -> Interval:
    """Carry auc ± z error over the logit, by the delta method."""
    centre, half = float(special.logit(auc)), z * error / (auc * (1 - auc))
    return Interval(
        method, level, float(special.expit(centre - half)), float(special.expit(centre + half))
    )


def _separated(auc: float, pairs: int, level: float) -> Interval:
    """Give the bound for complete separation, from `pairs` independent pairs in order."""
    bound = ((1 - level) / 2) ** (1 / pairs)
    note = f"complete separation: the bound is that of {pairs} independent pairs in order"
    if auc == 1.0:
        return Interval("delong", level, bound, 1.0, (note,))
    return Interval("delong", level, 0.0, 1 - bound, (note,))
