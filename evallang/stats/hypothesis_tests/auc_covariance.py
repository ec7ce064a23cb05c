"""Areas under the ROC curve of several models on the same examples, and their covariance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray

from evallang.stats.clusters import group_totals
from evallang.stats.distributions import welch_df
from evallang.stats.score_counts import (
    ONE_IN_A_FOLD,
    PlacementSums,
    centred_placements,
    sum_placements,
)
from evallang.stats.validation import labels, numbers, positives


class AucCovariance(Struct, frozen=True, eq=False):
    """The areas of M models and how they vary together.

    Attributes
    ----------
    areas : M areas, NaN where a class is missing
    covariance : (M, M), None where it is undefined
    plain : (M, M), the covariance without regard to groups, where there are any
    form : `delong` on one test set, `cv_auc` for the mean of folds
    n_groups : number of groups, None without them
    parts : independent summands of the covariance, each (M, M) with its degrees of freedom
    within : degrees of freedom of the rarer class, from its members (or groups) in each fold
    notes : what was omitted, or why it is undefined
    """

    areas: tuple[float, ...]
    covariance: NDArray[np.float64] | None
    plain: NDArray[np.float64] | None
    form: Literal["delong", "cv_auc"]
    n_groups: int | None
    notes: tuple[str, ...] = ()
    parts: tuple[tuple[NDArray[np.float64], int], ...] = ()
    within: int | None = None

    @property
    def variant(self) -> str:
        """The printed words of the computed form."""
        if self.n_groups is None:
            return self.form
        return "clustered" if self.form == "delong" else f"{self.form}, clustered"

    def variance(self, first: int, second: int) -> float:
        """Return the variance of the difference of two areas; raises where it is undefined."""
        if self.covariance is None:
            raise ValueError("the covariance is undefined")
        return _contrast(self.covariance, first, second)

    def degrees(self, first: int, second: int) -> float | None:
        """Return Satterthwaite's degrees of freedom of that variance.

        None where differences are referred to the normal distribution: on one test set.
        """
        if self.form == "delong" and self.n_groups is None:
            return None
        return welch_df(tuple((_contrast(part, first, second), df) for part, df in self.parts))


def _contrast(s: NDArray[np.float64], first: int, second: int) -> float:
    return float(s[first, first] + s[second, second] - 2 * s[first, second])


def auc_covariance(
    truth: ArrayLike,
    row_scores: ArrayLike | PlacementSums,
    folds: ArrayLike | None,
    groups: ArrayLike | None,
) -> AucCovariance:
    """Estimate the areas and their covariance for the design that folds and groups make.

    On one test set it is DeLong's, with groups that of Obuchowski 1997. Of folds the areas are
    averaged: given the fitted models folds are independent, unless the rows of a group lie in
    several. Sums over all examples have no folds and groups. Raises `ValueError` where shapes
    differ or a score is NaN.
    """
    if isinstance(row_scores, PlacementSums):
        return _of_sums([row_scores], "delong")
    positive, scores = positives(truth), numbers(row_scores, "scores")
    if scores.ndim != 2 or positive.shape != scores.shape[:1] or not scores.shape[1]:
        raise ValueError("every example needs one score of each model")
    if np.isnan(scores).any():  # in a fold of one class, too, which is not sorted
        raise ValueError("a score is missing")
    n, every = len(positive), [np.arange(len(positive))]
    form: Literal["delong", "cv_auc"] = "delong" if folds is None else "cv_auc"
    codes = np.zeros(n, dtype=np.intp) if folds is None else labels(folds, n, "fold")
    units = None if groups is None else labels(groups, n, "group")
    n_groups = None if units is None else int(units.max(initial=-1)) + 1
    if folds is not None:
        every = [np.flatnonzero(codes == fold) for fold in range(int(codes.max(initial=-1)) + 1)]
    both = [rows for rows in every if positive[rows].any() and not positive[rows].all()]
    lost, areas = len(every) - len(both), (float("nan"),) * scores.shape[1]
    if not both:
        reason = "only one class" if folds is None else "every fold has only one class"
        return AucCovariance(areas, None, None, form, n_groups, (f"undefined: {reason}",))
    words = (
        "1 fold with one class only is" if lost == 1 else f"{lost} folds with one class only are"
    )
    notes = (f"{words} skipped",) if lost else ()
    placed = [(rows, *centred_placements(positive[rows], scores[rows])) for rows in both]
    sums = [sum_placements(positive[rows], areas, centred) for rows, areas, centred in placed]
    found = _of_sums(sums, form, notes)
    if units is None:
        return found
    covariance: NDArray[np.float64] | None = None
    if len(np.unique(units * len(every) + codes)) > (n_groups or 0):
        df, why = (n_groups or 0) - 1, "it takes two groups"
        if df:
            influences = np.zeros(scores.shape)
            for rows, _, centred in placed:
                up = positive[rows]
                members = np.where(up, up.sum(), (~up).sum())[:, None]
                influences[rows] = centred / members / len(placed)
            totals = group_totals(influences, units)
            covariance = (df + 1) / df * (totals.T @ totals)
    else:
        each = [_over_groups(positive[rows], centred, units[rows]) for rows, _, centred in placed]
        df = sum(df for _, df in each)
        why = ("" if folds is None else "in a fold ") + "a class occurs in one group only"
        known = [matrix for matrix, _ in each if matrix is not None]
        if len(known) == len(each):
            covariance = np.sum(known, axis=0) / len(each) ** 2
    if covariance is None:
        notes = (*notes, f"undefined: {why}")
        return AucCovariance(found.areas, None, found.covariance, form, n_groups, notes)
    parts = ((covariance, df),)
    return AucCovariance(
        found.areas, covariance, found.covariance, form, n_groups, notes, parts, df
    )


def _of_sums(
    folds: Sequence[PlacementSums],
    form: Literal["delong", "cv_auc"],
    notes: tuple[str, ...] = (),
) -> AucCovariance:
    """Return the mean area over folds, and DeLong's covariance over their number."""
    areas = tuple(np.mean([fold.areas for fold in folds], axis=0).tolist())
    ups, downs = sum(f.positives - 1 for f in folds), sum(f.negatives - 1 for f in folds)
    both = [of_classes for fold in folds if (of_classes := fold.of_classes) is not None]
    if len(both) < len(folds):
        one = "undefined: a class has one example" if form == "delong" else ONE_IN_A_FOLD
        why = one if min(fold.smaller for fold in folds) else "undefined: only one class"
        within = min(ups, downs)
        return AucCovariance(areas, None, None, form, None, (*notes, why), within=within)
    up, down = (np.sum(side, axis=0) / len(folds) ** 2 for side in zip(*both, strict=True))
    parts = (up, ups), (down, downs)
    return AucCovariance(areas, up + down, None, form, None, notes, parts, min(ups, downs))


def _over_groups(
    positive: NDArray[np.bool_], centred: NDArray[np.float64], groups: NDArray[np.intp]
) -> tuple[NDArray[np.float64] | None, int]:
    """Return Obuchowski's covariance and the groups of the rarer class, less one.

    The covariance is None where a class occurs in one group only.
    """
    codes = labels(groups, len(groups), "group")
    with_up, with_down = len(np.unique(codes[positive])), len(np.unique(codes[~positive]))
    if min(with_up, with_down) < 2:
        return None, 0
    count, up = int(codes.max()) + 1, int(positive.sum())
    x = group_totals(centred * positive[:, None], codes) / up
    y = group_totals(centred * ~positive[:, None], codes) / (len(positive) - up)
    across = x.T @ y
    covariance = (
        with_up / (with_up - 1) * (x.T @ x)
        + with_down / (with_down - 1) * (y.T @ y)
        + count / (count - 1) * (across + across.T)
    )
    return covariance, min(with_up, with_down) - 1
