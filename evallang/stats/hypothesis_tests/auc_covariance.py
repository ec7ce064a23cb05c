"""Areas under the ROC curve of several models on the same examples, and their covariance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evallang.registry import lazy
from evallang.stats.placing import twice_outranked
from evallang.stats.reading import labels, numbers, positives

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray
else:
    np = lazy("numpy")

ROWS_AT_ONCE = 1 << 15  # examples whose products are added up at once


@dataclass(frozen=True, eq=False)
class AucCovariance:
    """The areas of M models and how they vary together.

    Attributes
    ----------
    areas : M areas, NaN where a class is missing
    covariance : (M, M), None where it is undefined
    plain : (M, M), the covariance without regard to groups, where there are any
    variant : which form it is
    n_groups : number of groups, None without them
    notes : what was left out, or why it is undefined
    """

    areas: tuple[float, ...]
    covariance: NDArray[np.float64] | None
    plain: NDArray[np.float64] | None
    variant: str
    n_groups: int | None
    notes: tuple[str, ...] = ()


def auc_covariance(
    truth: ArrayLike,
    row_scores: ArrayLike,
    folds: ArrayLike | None,
    groups: ArrayLike | None,
) -> AucCovariance:
    """Estimate the areas and their covariance for the design that folds and groups make.

    Raises `ValueError` where shapes differ, a score is NaN or there are fewer than two models.
    """
    positive, scores = positives(truth), numbers(row_scores, "scores")
    if scores.ndim != 2 or positive.shape != scores.shape[:1] or scores.shape[1] < 2:
        raise ValueError("every example needs one score of each of two or more models")
    if np.isnan(scores).any():
        raise ValueError("a score is missing")
    codes = None if groups is None else _codes(groups, positive, "group")
    if folds is not None:
        return _over_folds(positive, scores, _codes(folds, positive, "fold"), codes)
    return _on_one_test_set(positive, scores, codes)


@dataclass(frozen=True, eq=False)
class _Placed:
    """What the scores of M models outrank in the other class, both classes occurring.

    Attributes
    ----------
    positive : (n,)
    outranked : (M, n), doubled
    areas : (M,)
    ends : (n,) what an outranked number is divided by to be a share
    """

    positive: NDArray[np.bool_]
    outranked: NDArray[np.signedinteger]
    areas: NDArray[np.float64]
    ends: NDArray[np.float64]

    def centred(self, rows: slice = slice(None)) -> NDArray[np.float64]:
        """Give each row's share of outranked examples minus the area (M, n)."""
        shares: NDArray[np.float64] = self.outranked[:, rows] / self.ends[rows]
        shares -= self.areas[:, None]
        return shares


def _place(positive: NDArray[np.bool_], scores: NDArray[np.float64]) -> _Placed:
    """Place the scores (n, M) of each model among those of the other class."""
    n, models = scores.shape
    up = int(positive.sum())
    found = []
    for m in range(models):
        order, outranked = twice_outranked(positive, np.ascontiguousarray(scores[:, m]))
        placed = np.empty_like(outranked)
        placed[order] = outranked
        found.append(placed)
    stacked = np.stack(found)
    # Each class outranks the other in as many pairs: half of all that are outranked
    areas = stacked.sum(axis=1, dtype=np.int64) / (4.0 * up * (n - up))
    return _Placed(positive, stacked, areas, np.where(positive, 2.0 * (n - up), 2.0 * up))


def _covariance(placed: _Placed) -> NDArray[np.float64]:
    """DeLong's covariance; each class has two examples or more."""
    n, up = len(placed.positive), int(placed.positive.sum())
    down = n - up
    root = np.where(placed.positive, (up * (up - 1)) ** -0.5, (down * (down - 1)) ** -0.5)
    total = np.zeros((len(placed.areas), len(placed.areas)))
    for start in range(0, n, ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        part = placed.centred(rows) * root[rows]
        total += part @ part.T
    return total


def _on_one_test_set(
    positive: NDArray[np.bool_], scores: NDArray[np.float64], groups: NDArray[np.intp] | None
) -> AucCovariance:
    """DeLong's covariance, or with groups that of Obuchowski 1997."""
    models = scores.shape[1]
    variant = "delong" if groups is None else "clustered"
    n_groups = None if groups is None else int(groups.max(initial=-1)) + 1
    up, down = int(positive.sum()), int((~positive).sum())
    if min(up, down) == 0:
        nothing = (float("nan"),) * models
        return AucCovariance(nothing, None, None, variant, n_groups, ("undefined: only one class",))
    placed = _place(positive, scores)
    found = tuple(placed.areas.tolist())
    plain = _covariance(placed) if min(up, down) > 1 else None
    if groups is None:
        notes = () if plain is not None else ("undefined: a class has one example",)
        return AucCovariance(found, plain, None, variant, None, notes)
    with_up = len(np.unique(groups[positive]))
    with_down = len(np.unique(groups[~positive]))
    if min(with_up, with_down) < 2:
        notes = ("undefined: a class occurs in one group only",)
        return AucCovariance(found, None, plain, variant, n_groups, notes)
    assert n_groups is not None, "counted above"
    centred = placed.centred().T
    x = _sums(centred * positive[:, None], groups, n_groups) / up
    y = _sums(centred * ~positive[:, None], groups, n_groups) / down
    across = x.T @ y
    covariance = (
        with_up / (with_up - 1) * (x.T @ x)
        + with_down / (with_down - 1) * (y.T @ y)
        + n_groups / (n_groups - 1) * (across + across.T)
    )
    return AucCovariance(found, covariance, plain, variant, n_groups)


def _over_folds(
    positive: NDArray[np.bool_],
    scores: NDArray[np.float64],
    folds: NDArray[np.intp],
    groups: NDArray[np.intp] | None,
) -> AucCovariance:
    """Mean areas over folds, with the influence curves of LeDell et al. 2015."""
    models = scores.shape[1]
    variant = "cv_auc" if groups is None else "cv_auc, clustered"
    n_groups = None if groups is None else int(groups.max(initial=-1)) + 1
    parts: list[tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.float64]]] = []
    lost = 0
    for fold in range(int(folds.max(initial=-1)) + 1):
        rows = np.flatnonzero(folds == fold)
        if positive[rows].all() or not positive[rows].any():
            lost += 1
        else:
            placed = _place(positive[rows], scores[rows])
            parts.append((rows, placed.areas, placed.centred().T))
    notes = (f"{lost} folds with one class only are left out",) if lost else ()
    if not parts:
        nothing = (float("nan"),) * models
        reason = "undefined: every fold has only one class"
        return AucCovariance(nothing, None, None, variant, n_groups, (reason,))
    areas = np.mean([area for _, area, _ in parts], axis=0)
    used = np.concatenate([rows for rows, _, _ in parts])
    n, up = len(used), int(positive[used].sum())
    plain = np.zeros((models, models))
    influence = np.zeros((len(positive), models))
    for rows, _, centred in parts:
        weights = np.where(positive[rows], n / up, n / (n - up))
        curve = centred * weights[:, None]
        plain += curve.T @ curve / (len(rows) * len(parts) * n)
        influence[rows] = curve / (len(rows) * len(parts))
    found = tuple(areas.tolist())
    if groups is None:
        return AucCovariance(found, plain, None, variant, None, notes)
    assert n_groups is not None, "counted above"
    if n_groups < 2:
        return AucCovariance(
            found, None, plain, variant, n_groups, (*notes, "undefined: it takes two groups")
        )
    sums = _sums(influence, groups, n_groups)
    covariance = n_groups / (n_groups - 1) * (sums.T @ sums)
    return AucCovariance(found, covariance, plain, variant, n_groups, notes)


def _sums(values: NDArray[np.float64], groups: NDArray[np.intp], count: int) -> NDArray[np.float64]:
    """Add up the rows of each group."""
    columns = [np.bincount(groups, weights=column, minlength=count) for column in values.T]
    return np.stack(columns, axis=1).astype(np.float64)


def _codes(given: ArrayLike, positive: NDArray[np.bool_], what: str) -> NDArray[np.intp]:
    return labels(given, len(positive), what)
