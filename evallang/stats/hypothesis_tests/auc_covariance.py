"""Areas under the ROC curve of several models on the same examples, and their covariance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import ArrayLike, NDArray

from evallang.stats.distributions import welch_df
from evallang.stats.score_counts import (
    ONE_IN_A_FOLD,
    PlacedScores,
    PlacementSums,
    place_scores,
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
    parts : independent summands of the covariance, each (M, M) with its degrees of freedom;
        empty where differences are referred to the normal distribution
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
        """Return Satterthwaite's degrees of freedom of that variance, None for infinitely many."""
        found = [(_contrast(part, first, second), df) for part, df in self.parts]
        return welch_df(tuple(found)) if found else None


def _contrast(s: NDArray[np.float64], first: int, second: int) -> float:
    return float(s[first, first] + s[second, second] - 2 * s[first, second])


def auc_covariance(
    truth: ArrayLike,
    row_scores: ArrayLike | PlacementSums | PlacedScores,
    folds: ArrayLike | None,
    groups: ArrayLike | None,
) -> AucCovariance:
    """Estimate the areas and their covariance for the design that folds and groups make.

    Sums over all examples of one test set have no folds and groups, placed scores no folds.
    Raises `ValueError` where shapes differ or a score is NaN.
    """
    if isinstance(row_scores, PlacementSums):
        return _of_sums(row_scores)
    if isinstance(row_scores, PlacedScores):
        codes = None if groups is None else _codes(groups, row_scores.positive, "group")
        return _covariance_on_test_set(row_scores, codes)
    positive, scores = positives(truth), numbers(row_scores, "scores")
    if scores.ndim != 2 or positive.shape != scores.shape[:1] or not scores.shape[1]:
        raise ValueError("every example needs one score of each model")
    codes = None if groups is None else _codes(groups, positive, "group")
    if folds is None:
        return _covariance_on_test_set(place_scores(positive, scores.T), codes)
    if np.isnan(scores).any():  # in a fold of one class, too, which is not sorted
        raise ValueError("a score is missing")
    return _covariance_over_folds(positive, scores, _codes(folds, positive, "fold"), codes)


def _of_sums(sums: PlacementSums) -> AucCovariance:
    """Return DeLong's covariance from sums over the examples of both classes."""
    areas, smaller = tuple(sums.areas.tolist()), min(sums.negatives, sums.positives)
    if smaller == 0:
        return AucCovariance(areas, None, None, "delong", None, ("undefined: only one class",))
    covariance = sums.covariance
    notes = () if covariance is not None else ("undefined: a class has one example",)
    return AucCovariance(areas, covariance, None, "delong", None, notes, within=smaller - 1)


def _covariance_on_test_set(placed: PlacedScores, groups: NDArray[np.intp] | None) -> AucCovariance:
    """DeLong's covariance, or with groups that of Obuchowski 1997."""
    found = _of_sums(placed.sums())
    if groups is None:
        return found
    n_groups, plain = int(groups.max(initial=-1)) + 1, found.covariance
    if min(placed.members) == 0:
        return replace(found, n_groups=n_groups)
    covariance, df = _covariance_over_groups(placed, groups)
    areas = found.areas
    if covariance is None:
        notes = ("undefined: a class occurs in one group only",)
        return AucCovariance(areas, None, plain, "delong", n_groups, notes)
    parts = ((covariance, df),)
    return AucCovariance(areas, covariance, plain, "delong", n_groups, parts=parts, within=df)


def _covariance_over_groups(
    placed: PlacedScores, groups: NDArray[np.intp]
) -> tuple[NDArray[np.float64] | None, int]:
    """Return Obuchowski's covariance and the groups of the rarer class, less one.

    The covariance is None where a class occurs in one group only.
    """
    positive, (codes, count) = placed.positive, _renumbered(groups)
    with_up, with_down = len(np.unique(codes[positive])), len(np.unique(codes[~positive]))
    if min(with_up, with_down) < 2:
        return None, 0
    up = int(positive.sum())
    centred = placed.centred().T
    x = _sums(centred * positive[:, None], codes, count) / up
    y = _sums(centred * ~positive[:, None], codes, count) / (len(positive) - up)
    across = x.T @ y
    covariance = (
        with_up / (with_up - 1) * (x.T @ x)
        + with_down / (with_down - 1) * (y.T @ y)
        + count / (count - 1) * (across + across.T)
    )
    return covariance, min(with_up, with_down) - 1


def _covariance_over_folds(
    positive: NDArray[np.bool_],
    scores: NDArray[np.float64],
    folds: NDArray[np.intp],
    groups: NDArray[np.intp] | None,
) -> AucCovariance:
    """Mean areas over folds, with the mean of the folds' covariances over their number.

    Given the fitted models, folds are independent, unless the rows of a group lie in several.
    """
    models = scores.shape[1]
    n_groups = None if groups is None else int(groups.max(initial=-1)) + 1
    parts: list[tuple[NDArray[np.intp], PlacedScores]] = []
    lost = 0
    for fold in range(int(folds.max(initial=-1)) + 1):
        rows = np.flatnonzero(folds == fold)
        if positive[rows].all() or not positive[rows].any():
            lost += 1
        else:
            parts.append((rows, place_scores(positive[rows], scores[rows].T)))
    skipped = (
        "1 fold with one class only is" if lost == 1 else f"{lost} folds with one class only are"
    )
    notes = (f"{skipped} skipped",) if lost else ()
    if not parts:
        nothing = (float("nan"),) * models
        reason = "undefined: every fold has only one class"
        return AucCovariance(nothing, None, None, "cv_auc", n_groups, (reason,))
    sums = [placed.sums() for _, placed in parts]
    found = tuple(np.mean([fold.areas for fold in sums], axis=0).tolist())
    plain = _mean_of_folds(sums)
    total = None if plain is None else plain[0][0] + plain[1][0]
    if groups is None:
        if plain is None:
            notes = (*notes, ONE_IN_A_FOLD)
        within = None if plain is None else min(df for _, df in plain)
        return AucCovariance(found, total, None, "cv_auc", None, notes, plain or (), within)
    if any(len(np.unique(folds[groups == group])) > 1 for group in range(n_groups or 0)):
        covariance = _groups_in_several_folds(parts, groups)
        summands = () if covariance is None else ((covariance, (n_groups or 0) - 1),)
        notes = notes if summands else (*notes, "undefined: it takes two groups")
        df = (n_groups or 0) - 1
        return AucCovariance(found, covariance, total, "cv_auc", n_groups, notes, summands, df)
    in_folds = [_covariance_over_groups(placed, groups[rows]) for rows, placed in parts]
    if any(matrix is None for matrix, _ in in_folds):
        notes = (*notes, "undefined: in a fold a class occurs in one group only")
        return AucCovariance(found, None, total, "cv_auc", n_groups, notes)
    covariance = sum(
        (matrix for matrix, _ in in_folds if matrix is not None), np.zeros((models, models))
    )
    covariance /= len(parts) ** 2
    df = sum(df for _, df in in_folds)
    summands = ((covariance, df),)
    return AucCovariance(found, covariance, total, "cv_auc", n_groups, notes, summands, df)


def _groups_in_several_folds(
    parts: Sequence[tuple[NDArray[np.intp], PlacedScores]], groups: NDArray[np.intp]
) -> NDArray[np.float64] | None:
    """Return the covariance from the sum of each group over all folds, None for one group."""
    count = int(groups.max(initial=-1)) + 1
    if count < 2:
        return None
    sums = np.zeros((count, len(parts[0][1].outranked)))
    for rows, placed in parts:
        down, up = placed.members
        members = np.where(placed.positive, up, down)[:, None]
        sums += _sums(placed.centred().T / members / len(parts), groups[rows], count)
    covariance: NDArray[np.float64] = count / (count - 1) * (sums.T @ sums)
    return covariance


def _mean_of_folds(
    folds: Sequence[PlacementSums],
) -> tuple[tuple[NDArray[np.float64], int], tuple[NDArray[np.float64], int]] | None:
    """Return both classes' shares of the covariance, None where a fold has one member of one."""
    both = [of_classes for fold in folds if (of_classes := fold.of_classes) is not None]
    if len(both) < len(folds):
        return None
    square = len(folds) ** 2
    ups, downs = sum(fold.positives - 1 for fold in folds), sum(f.negatives - 1 for f in folds)
    return (
        (np.sum([up for up, _ in both], axis=0) / square, ups),
        (np.sum([down for _, down in both], axis=0) / square, downs),
    )


def _renumbered(groups: NDArray[np.intp]) -> tuple[NDArray[np.intp], int]:
    """Number the groups that occur 0, 1, ... and count them."""
    known, codes = np.unique(groups, return_inverse=True)
    return codes, len(known)


def _sums(values: NDArray[np.float64], groups: NDArray[np.intp], count: int) -> NDArray[np.float64]:
    """Add up the rows of each group."""
    columns = [np.bincount(groups, weights=column, minlength=count) for column in values.T]
    return np.stack(columns, axis=1).astype(np.float64)


def _codes(given: ArrayLike, positive: NDArray[np.bool_], what: str) -> NDArray[np.intp]:
    return labels(given, len(positive), what)
