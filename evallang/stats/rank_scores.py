"""Scores over data sets as ranks, and the critical differences of their averages."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Literal

import numpy as np
import scipy
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray

from evallang.stats.basics import MOST_COUNTED, checked_level, subtractable

STEP = 0.02  # the trapezoid rule converges geometrically on an analytic, decaying integrand
MORE = 256  # points of the integral are kept in steps of so many
REACH = 10.0  # standard deviations beyond which a normal density adds nothing


def range_tail(q: float, k: int) -> float:
    """Return P(range of k standard normal variables >= q).

    The largest variable is z and the others lie within q below it:
    P(range < q) = k ∫ φ(z) (Φ(z) - Φ(z - q))^(k - 1) dz; the tail is integrated as a
    difference, so that small ones keep their digits. Raises `ValueError` where k < 2.
    """
    if not 2 <= k <= MOST_COUNTED:
        raise ValueError("a range takes two variables or more")
    if q <= 0:
        return 1.0
    points = math.ceil((q / 2 + REACH + REACH) / STEP)
    z, largest, power, density = (row[:points] for row in _largest(-(-points // MORE) * MORE, k))
    below = np.minimum(scipy.special.ndtr(z - q) / largest, 1 - 1e-16)
    inside = -np.expm1((k - 1) * np.log1p(-below)) * power
    return float(min(k * STEP * (density * inside).sum(), 1.0))


@lru_cache(maxsize=16)  # the same for every pair of a table
def _largest(points: int, k: int) -> NDArray[np.float64]:
    """Return z, Φ(z), Φ(z)^(k - 1) and φ(z) at so many points (4, points)."""
    z = np.arange(-REACH, (points + 0.5) * STEP - REACH, STEP)[:points]
    largest = scipy.special.ndtr(z)
    density = np.exp(-z * z / 2) / (2 * np.pi) ** 0.5
    return np.array([z, largest, largest ** (k - 1), density])


@lru_cache(maxsize=16)  # the same for every pair of a table
def range_quantile(level: float, k: int) -> float:
    """Return q with P(range of k standard normal variables < q) = level.

    Raises `ValueError` where `level` is not between 0 and 1, or k < 2.
    """
    tail, high = 1.0 - checked_level(level), 1.0
    while range_tail(high, k) > tail:
        high *= 2
    return float(
        scipy.optimize.brentq(lambda q: range_tail(q, k) - tail, 0.0, high, xtol=1e-14, rtol=1e-15)
    )


Better = Literal["higher", "lower"]
Missing = Literal["leave_out", "worst"]
DIGITS = 12  # significant ones that make two scores equal


class ScoreTable(Struct, frozen=True):
    """Scores that are ready to be ranked.

    Attributes
    ----------
    values : (N, M), higher is better, rounded to twelve significant digits; -inf where a
        missing score counts as the worst
    kept : the data sets that remain, as positions in what was given
    notes : what was omitted, or counted as the worst
    """

    values: NDArray[np.float64]
    kept: NDArray[np.intp]
    notes: tuple[str, ...]


def read_scores(
    scores: ArrayLike,
    better: Better | None,
    missing: Missing = "leave_out",
    *,
    finite: bool = False,
) -> ScoreTable:
    """Turn scores so that higher is better, and treat the missing ones.

    A score is missing where it is None or NaN, and with `finite` where it is infinite: its
    data set is excluded, or with `missing="worst"` the model ranks behind all that have one.
    Without a direction, which only tests that take no notice of it leave out, scores are taken as
    they are. Raises `ValueError` where `scores` is not (N, M), `better` is not a direction, or the
    worst is asked for without one.
    """
    if better is not None or missing == "worst":
        checked_direction(better)
    given = subtractable(scores, "scores")
    if given.ndim != 2 or given.shape[1] < 2:
        raise ValueError("scores are given as a matrix of data sets by at least two models")
    values = rounded(-given if better == "lower" else given)
    lacking = ~np.isfinite(values) if finite else np.isnan(values)
    rows = lacking.any(axis=1)
    lost = int(rows.sum())
    if missing == "worst":
        values = np.where(lacking, -np.inf, values)
        note = f"{int(lacking.sum())} missing scores count as the worst of their data sets"
        return ScoreTable(values, np.arange(len(values)), (note,) if lost else ())
    note = f"{lost} of {len(values)} data sets lack a score and are excluded"
    return ScoreTable(values[~rows], np.flatnonzero(~rows), (note,) if lost else ())


def checked_direction(better: str | None) -> None:
    """Raise `ValueError` where `better` is not a direction."""
    if better is None:
        raise ValueError("`better` states the metric's direction: `higher` or `lower`")
    if better not in ("higher", "lower"):
        raise ValueError(f"a metric is better when it is higher or lower, not {better!r}")


def read_pair(
    first: ArrayLike,
    second: ArrayLike,
    better: Better | None,
    missing: Missing = "leave_out",
    *,
    finite: bool = False,
) -> ScoreTable:
    """Read the scores of two models (N,) as a table with two columns.

    Raises `ValueError` where they differ in length or are not one row each.
    """
    x, y = subtractable(first, "scores"), subtractable(second, "scores")
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError("both models need a score on every data set, as one row each")
    return read_scores(np.column_stack([x, y]), better, missing, finite=finite)


def rounded(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round to twelve significant digits (N, M); equal decimals become equal floats."""
    columns = [np.frombuffer(_rounded(column.tobytes())) for column in values.T]
    return np.array(columns).T.reshape(values.shape)


@lru_cache(maxsize=64)  # a model is in many pairs
def _rounded(column: bytes) -> bytes:
    """Round the numbers of a column, both as bytes."""
    texts = (f"{x:.{DIGITS - 1}e}" for x in np.frombuffer(column).tolist())
    return np.array([float(text) for text in texts]).tobytes()


def differences_of(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Subtract the second column from the first (..., 2), to the twelfth digit of the larger one.

    So .3 - .1 and .2 - 0 tie. Two equal scores, infinite ones included, differ by 0.
    """
    x, y = values[..., 0], values[..., 1]
    differences = np.zeros(x.shape)
    unequal = x != y
    differences[unequal] = x[unequal] - y[unequal]
    return settled(differences, np.abs(values).max(axis=-1, initial=0.0))


def settled(values: NDArray[np.float64], scale: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round each number to the twelfth significant digit of its `scale`."""
    result = values.copy()
    able = (scale > 0) & np.isfinite(scale) & np.isfinite(values)
    sizes, at = np.unique(scale[able], return_inverse=True)
    places = [DIGITS - 1 - math.floor(math.log10(size)) for size in sizes.tolist()]
    numbers = zip(values[able].tolist(), at.tolist(), strict=True)
    result[able] = [round(x, places[i]) + 0.0 for x, i in numbers]
    return result


def row_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rank each row (N, M) from the largest value, 1, down; ties share their mean rank."""
    above = (values[:, :, None] < values[:, None, :]).sum(axis=2)
    equal = (values[:, :, None] == values[:, None, :]).sum(axis=2)
    ranks: NDArray[np.float64] = above + (equal + 1) / 2
    return ranks


def mid_ranks(
    sizes: NDArray[np.float64], noise: NDArray[np.float64] | float = 0.0
) -> NDArray[np.float64]:
    """Rank numbers (n,) from the smallest, 1, up; ties share their mean rank.

    Numbers tie where they are within the `noise` of either of the next one.
    """
    order = np.argsort(sizes, kind="stable")
    ordered, spread = sizes[order], np.broadcast_to(noise, sizes.shape)[order]
    apart = ordered[1:] > ordered[:-1] + np.maximum(spread[1:], spread[:-1])
    group = np.concatenate([[0], np.cumsum(apart)]) if len(sizes) else order
    counts = np.bincount(group)
    ends = np.cumsum(counts)
    ranks = np.empty(len(sizes))
    ranks[order] = (ends - (counts - 1) / 2)[group]
    return ranks


def average_ranks(
    scores: ArrayLike, better: Better, missing: Missing = "leave_out"
) -> tuple[float, ...]:
    """Return the average rank of each model over the data sets, 1 for the best.

    Demšar 2006, 3.2.2. Empty where no data set has a score of every model.
    """
    table = read_scores(scores, better, missing)
    if not len(table.values):
        return ()
    return tuple(row_ranks(table.values).mean(axis=0).tolist())


def rank_error(models: int, n: int) -> float:
    """Return the standard error of a difference of two average ranks, sqrt(M (M + 1) / (6 N))."""
    return math.sqrt(models * (models + 1) / (6 * n))


def critical_difference(models: int, n: int, level: float = 0.95) -> float:
    """Return how far apart two average ranks must be for Nemenyi's test to tell them apart.

    CD = q sqrt(M (M + 1) / (6 N)), where q is the quantile of the studentized range of M
    variables with infinite degrees of freedom over the square root of 2 (Demšar 2006,
    3.2.2). Raises `ValueError` where `models` < 2 or `n` < 1.
    """
    if not n >= 1:
        raise ValueError("a critical difference takes one data set or more")
    return range_quantile(level, models) / math.sqrt(2) * rank_error(models, n)


def win_tie_loss(
    scores: ArrayLike, better: Better, missing: Missing = "leave_out"
) -> tuple[tuple[int, int, int, int, int], ...]:
    """Count for each pair of columns i < j on how many data sets i wins, ties and loses.

    Gives (i, j, wins, ties, losses).
    """
    values = read_scores(scores, better, missing).values
    models = values.shape[1]
    return tuple(
        (
            i,
            j,
            int((values[:, i] > values[:, j]).sum()),
            int((values[:, i] == values[:, j]).sum()),
            int((values[:, i] < values[:, j]).sum()),
        )
        for i in range(models)
        for j in range(i + 1, models)
    )
