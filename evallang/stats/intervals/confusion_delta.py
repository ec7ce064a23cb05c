"""Intervals of any metric of the confusion matrix, by the delta method on the multinomial."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.registry import Evidence, Example
from evallang.results.statistics import Interval
from evallang.stats.distributions import bounds_inside, normal_quantile
from evallang.stats.intervals.interval import INTERVALS, IntervalDeclaration
from evallang.stats.validation import MOST_COUNTED, numbers
from evallang.stats.validity import OF_MISTAKES, Counted, Holds

STEP = 1e-4  # relative step of the differences; their error is of the order of its square


def _kappa(counts: NDArray[Any]) -> NDArray[np.float64]:
    """Cohen's kappa of matrices (..., k, k), for the worked example."""
    p = counts / counts.sum((-2, -1), keepdims=True)
    agreed = np.trace(p, axis1=-2, axis2=-1)
    chance = (p.sum(-1) * p.sum(-2)).sum(-1)
    value: NDArray[np.float64] = (agreed - chance) / (1 - chance)
    return value


# Even margins: kappa is 2 p_o - 1, so that its standard error is 2 sqrt(p_o (1 - p_o) / n)
EVEN = ((40, 10), (10, 40))
Z_95 = 1.9599639845400542
HALF = Z_95 * 2 * math.sqrt(0.8 * 0.2 / 100) / (1 - 0.6**2)


@INTERVALS.register(
    IntervalDeclaration(
        frozenset({Evidence.ONE_PREDICTION_PER_ROW, Evidence.COUNTS}),
        "cells",
        holds=(
            Holds(
                Counted.RAREST,
                20,
                "95% intervals covered 72% with 5 and 90% with 10 in simulations",
            ),
            OF_MISTAKES,
        ),
        when=(
            "the metric depends on the confusion matrix of independent examples, and the "
            "interval should need no resampling"
        ),
        when_not=(
            "a class has few examples and the metric is balanced accuracy (95 % intervals covered "
            "72 % with 5 examples of the rarer class, 90 % with 10, 94 % with 20), or the mean of "
            "other recalls: sum_of_shares; the metric is a proportion, or F1 of one class: wilson"
        ),
        formula=(
            "the variance of the metric is that of the multinomial counts times the squared "
            "slope of the metric in each cell; ± z standard errors on the logit scale for a "
            "metric from 0 to 1, on Fisher's scale (artanh) for one from -1 to 1, else as it is"
        ),
    ),
    title="Delta-method interval of the confusion matrix",
    references=(cite("agresti2013"),),
    examples=(
        Example(
            (EVEN, _kappa, (-1.0, 1.0), 0.95),
            {
                "low": math.tanh(math.atanh(0.6) - HALF),
                "high": math.tanh(math.atanh(0.6) + HALF),
            },
            "own derivation: with even margins kappa is 2 p - 1 of the share p that agrees",
            tolerance=1e-6,
        ),
    ),
)
def delta(
    matrix: ArrayLike,
    of_counts: Callable[[NDArray[Any]], NDArray[np.float64]],
    limits: tuple[float | None, float | None],
    level: float,
) -> Interval:
    """Interval of a metric of the confusion matrix with the delta method's variance.

    `matrix` (k, k) counts examples by true and predicted class, `of_counts` computes the metric
    of matrices (..., k, k), `limits` is its range. The slopes are central differences with
    relative steps. A metric at an end of its range, or one that no cell moves, has no variance,
    and there is no interval. Raises `ValueError` where `matrix` is not a table of counts.
    """
    z = normal_quantile(level)
    counts = numbers(matrix, "counts")
    if counts.ndim != 2 or not ((counts >= 0) & (counts <= MOST_COUNTED)).all():
        raise ValueError("a confusion matrix holds counts of true by predicted classes")
    n = float(counts.sum())
    if n == 0:
        return _none(level, "no examples")
    value = float(of_counts(counts))
    if not math.isfinite(value):
        return _none(level, "undefined for these counts")
    shares = counts / n
    slopes = _slopes(counts, of_counts) * n
    centre = float((shares * slopes).sum())
    variance = float((shares * (slopes - centre) ** 2).sum()) / n
    low, high = limits
    inside = (low is None or value > low) and (high is None or value < high)
    if not inside or not variance > STEP**2 * max(value**2, 1e-12):
        return _none(level, f"undefined: at {value:g} the delta method has no variance")
    half = z * math.sqrt(variance)
    if low is None or high is None:
        bounds = (
            value - half if low is None else max(value - half, low),
            value + half if high is None else min(value + half, high),
        )
        return Interval("delta", level, *bounds)
    # artanh of the place in a range is half its logit: one scale for both
    return Interval("delta", level, *bounds_inside(value, half, low, high))


def _slopes(
    counts: NDArray[np.float64], of_counts: Callable[[NDArray[Any]], NDArray[np.float64]]
) -> NDArray[np.float64]:
    """Return the derivative of the metric by each cell's count; 0 where a cell is empty.

    Such a cell has a share of 0, and so no part in the variance.
    """
    cells = np.argwhere(counts > 0)
    moved = np.repeat(counts[None, None], 2 * len(cells), axis=0).reshape(
        2, len(cells), *counts.shape
    )
    steps = STEP * counts[tuple(cells.T)]
    each = np.arange(len(cells))
    moved[0, each, cells[:, 0], cells[:, 1]] -= steps
    moved[1, each, cells[:, 0], cells[:, 1]] += steps
    below, above = of_counts(moved)
    slopes = np.zeros(counts.shape)
    slopes[tuple(cells.T)] = (above - below) / (2 * steps)
    return slopes


def _none(level: float, reason: str) -> Interval:
    return Interval("delta", level, None, None, (reason,))
