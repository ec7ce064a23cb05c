"""Areas under the ROC curve of several models on the same examples, and their covariance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from evallang.frozen_records import frozen
from evallang.registry import lazy
from evallang.stats.distributions import welch_df
from evallang.stats.intervals.ranking import ONE_IN_A_FOLD
from evallang.stats.placement_values import doubled_type, twice_outranked
from evallang.stats.score_counts import PlacementSums
from evallang.stats.threads import run_in_threads
from evallang.stats.validation import labels, numbers, positives

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray
else:
    np = lazy("numpy")

ROWS_AT_ONCE = 1 << 15  # examples whose products are added up at once


@frozen(eq=False)
class AucCovariance:
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


@frozen(eq=False)
class PlacedScores:
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


def auc_covariance(
    truth: ArrayLike,
    row_scores: ArrayLike | PlacementSums | PlacedScores,
    folds: ArrayLike | None,
    groups: ArrayLike | None,
) -> AucCovariance:
    """Estimate the areas and their covariance for the design that folds and groups make.

    Sums over all examples of one test set have no folds and groups, placed scores no folds.
    Raises `ValueError` where shapes differ, a score is NaN or there are fewer than two models.
    """
    if isinstance(row_scores, PlacementSums):
        return _of_sums(row_scores)
    if isinstance(row_scores, PlacedScores):
        codes = None if groups is None else _codes(groups, row_scores.positive, "group")
        return _covariance_on_test_set(row_scores, codes)
    positive, scores = positives(truth), numbers(row_scores, "scores")
    if scores.ndim != 2 or positive.shape != scores.shape[:1] or scores.shape[1] < 2:
        raise ValueError("every example needs one score of each of two or more models")
    if np.isnan(scores.min(initial=0.0)):  # the least is missing where any is
        raise ValueError("a score is missing")
    codes = None if groups is None else _codes(groups, positive, "group")
    if folds is not None:
        return _covariance_over_folds(positive, scores, _codes(folds, positive, "fold"), codes)
    return _covariance_on_test_set(_outranked(positive, scores), codes)


def _of_sums(sums: PlacementSums) -> AucCovariance:
    """Return DeLong's covariance from sums over the examples of both classes."""
    areas, smaller = tuple(sums.areas.tolist()), min(sums.negatives, sums.positives)
    covariance = sums.covariance
    notes = () if covariance is not None else ("undefined: a class has one example",)
    return AucCovariance(areas, covariance, None, "delong", None, notes, within=smaller - 1)


@frozen(eq=False)
class _Placed:
    """What the scores of M models outrank in the other class, both classes occurring.

    Attributes
    ----------
    positive : (n,)
    outranked : M arrays (n,), doubled
    areas : (M,)
    up : number of positives
    """

    positive: NDArray[np.bool_]
    outranked: tuple[NDArray[np.signedinteger], ...]
    areas: NDArray[np.float64]
    up: int

    def centred(self, rows: slice = slice(None)) -> NDArray[np.float64]:
        """Return each row's share of outranked examples minus the area (M, n)."""
        down = len(self.positive) - self.up
        ends = np.where(self.positive[rows], 2.0 * down, 2.0 * self.up)
        shares: NDArray[np.float64] = np.stack([one[rows] for one in self.outranked]) / ends
        shares -= self.areas[:, None]
        return shares


def _outranked(positive: NDArray[np.bool_], scores: NDArray[np.float64]) -> PlacedScores:
    """Place the scores (n, M) of each model among those of the other class."""
    n, models = scores.shape
    stacked = np.empty((models, n), dtype=doubled_type(n))

    def place(m: int) -> None:
        twice_outranked(positive, scores[:, m], stacked[m])

    for _ in run_in_threads(place, range(models)):
        pass
    return PlacedScores(positive, tuple(stacked))


def _place(given: PlacedScores) -> _Placed:
    """Add the areas of M models; both classes occur."""
    n, up = len(given.positive), int(given.positive.sum())
    # Each class outranks the other in as many pairs: half of all that are outranked
    sums = np.empty(len(given.outranked), dtype=np.int64)

    def add_up(m: int) -> None:
        sums[m] = given.outranked[m].sum(dtype=np.int64)

    for _ in run_in_threads(add_up, range(len(sums))):
        pass
    return _Placed(given.positive, given.outranked, sums / (4.0 * up * (n - up)), up)


def _covariances(placed: _Placed) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return what positives and negatives contribute to DeLong's covariance, each (M, M).

    Each class has two examples or more.
    """
    n, models = len(placed.positive), len(placed.areas)
    starts = range(0, n, ROWS_AT_ONCE)
    # A matrix for each block, so that the sum is the same whichever thread comes first
    totals = np.empty((len(starts), 2, models, models))

    up = placed.up
    others = (2.0 * (n - up), 2.0 * up)  # that a positive and that a negative could outrank

    def work(block: int) -> None:
        rows = slice(starts[block], starts[block] + ROWS_AT_ONCE)
        positive = placed.positive[rows]
        sides = np.flatnonzero(positive), np.flatnonzero(~positive)
        for total, side, other in zip(totals[block], sides, others, strict=True):
            shares = np.empty((models, len(side)))
            for share, outranked in zip(shares, placed.outranked, strict=True):
                share[:] = outranked[rows].take(side)
            shares -= placed.areas[:, None] * other
            total[:] = shares @ shares.T / other**2

    for _ in run_in_threads(work, range(len(starts))):
        pass
    first, second = totals.sum(axis=0)
    return first / (up * (up - 1)), second / ((n - up) * (n - up - 1))


def _covariance_on_test_set(given: PlacedScores, groups: NDArray[np.intp] | None) -> AucCovariance:
    """DeLong's covariance, or with groups that of Obuchowski 1997."""
    positive, models = given.positive, len(given.outranked)
    n_groups = None if groups is None else int(groups.max(initial=-1)) + 1
    up, down = int(positive.sum()), int((~positive).sum())
    if min(up, down) == 0:
        nothing = (float("nan"),) * models
        return AucCovariance(
            nothing, None, None, "delong", n_groups, ("undefined: only one class",)
        )
    placed = _place(given)
    found = tuple(placed.areas.tolist())
    plain = sum(_covariances(placed), np.zeros((models, models))) if min(up, down) > 1 else None
    if groups is None:
        notes = () if plain is not None else ("undefined: a class has one example",)
        return AucCovariance(found, plain, None, "delong", None, notes, within=min(up, down) - 1)
    covariance, df = _covariance_over_groups(placed, groups)
    if covariance is None:
        notes = ("undefined: a class occurs in one group only",)
        return AucCovariance(found, None, plain, "delong", n_groups, notes)
    parts = ((covariance, df),)
    return AucCovariance(found, covariance, plain, "delong", n_groups, parts=parts, within=df)


def _covariance_over_groups(
    placed: _Placed, groups: NDArray[np.intp]
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
    parts: list[tuple[NDArray[np.intp], _Placed]] = []
    lost = 0
    for fold in range(int(folds.max(initial=-1)) + 1):
        rows = np.flatnonzero(folds == fold)
        if positive[rows].all() or not positive[rows].any():
            lost += 1
        else:
            parts.append((rows, _place(_outranked(positive[rows], scores[rows]))))
    skipped = (
        "1 fold with one class only is" if lost == 1 else f"{lost} folds with one class only are"
    )
    notes = (f"{skipped} skipped",) if lost else ()
    if not parts:
        nothing = (float("nan"),) * models
        reason = "undefined: every fold has only one class"
        return AucCovariance(nothing, None, None, "cv_auc", n_groups, (reason,))
    found = tuple(np.mean([placed.areas for _, placed in parts], axis=0).tolist())
    plain = _mean_of_folds([placed for _, placed in parts])
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
    parts: Sequence[tuple[NDArray[np.intp], _Placed]], groups: NDArray[np.intp]
) -> NDArray[np.float64] | None:
    """Return the covariance from the sum of each group over all folds, None for one group."""
    count = int(groups.max(initial=-1)) + 1
    if count < 2:
        return None
    sums = np.zeros((count, len(parts[0][1].areas)))
    for rows, placed in parts:
        up = int(placed.positive.sum())
        members = np.where(placed.positive, up, len(rows) - up)[:, None]
        sums += _sums(placed.centred().T / members / len(parts), groups[rows], count)
    covariance: NDArray[np.float64] = count / (count - 1) * (sums.T @ sums)
    return covariance


def _mean_of_folds(
    parts: Sequence[_Placed],
) -> tuple[tuple[NDArray[np.float64], int], tuple[NDArray[np.float64], int]] | None:
    """Return both classes' shares of the covariance, None where a fold has one member of one."""
    ups = [int(placed.positive.sum()) for placed in parts]
    downs = [len(placed.positive) - up for placed, up in zip(parts, ups, strict=True)]
    if min(*ups, *downs) < 2:
        return None
    both = [_covariances(placed) for placed in parts]
    square = len(parts) ** 2
    return (
        (np.sum([up for up, _ in both], axis=0) / square, sum(ups) - len(parts)),
        (np.sum([down for _, down in both], axis=0) / square, sum(downs) - len(parts)),
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
