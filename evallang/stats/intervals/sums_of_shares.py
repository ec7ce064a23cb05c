"""Intervals of weighted sums of shares, such as balanced accuracy and net benefit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.registry import Evidence, Example
from evallang.results.statistics import Interval
from evallang.stats.distributions import checked_level
from evallang.stats.intervals.interval import INTERVALS, IntervalDeclaration
from evallang.stats.intervals.proportions import wilson
from evallang.stats.validation import numbers
from evallang.stats.validity import Counted, Holds


@INTERVALS.register(
    IntervalDeclaration(
        frozenset({Evidence.ONE_PREDICTION_PER_ROW, Evidence.SCORES_PER_ROW}),
        "shares",
        default_for=frozenset({"shares"}),
        holds=(Holds(Counted.RAREST, 10, "95% intervals covered 91 to 96% in simulations"),),
        when=(
            "the metric is a mean of recalls, such as balanced accuracy, or another sum of shares "
            "of examples, such as net benefit, and a class or the alarms are few"
        ),
        when_not=(
            "the metric is one share: wilson; rows belong to groups or have weights: bootstrap"
        ),
        formula=(
            "Wilson's interval of each share; the distances of the bounds from the shares, times "
            "the coefficients, are added as variances are, with the correlation of shares of the "
            "same examples"
        ),
    ),
    title="Interval of a sum of shares from Wilson's bounds (MOVER)",
    references=(cite("zou2008"), cite("newcombe_independent1998")),
    examples=(
        Example(
            (((1, 7, 34, 0), (-1, 1, 34, 1)), (-1.0, 1.0), 0.95),
            {"low": 0.0189, "high": 0.3404},
            "R package contingencytables, tests/testthat/test-ch4.R, Newcombe_hybrid_score_CI_2x2 "
            "(Fagerland, Lydersen & Laake 2017, chapter 4)",
            5e-5,
        ),
    ),
)
def sum_of_shares(
    terms: ArrayLike, limits: tuple[float | None, float | None], level: float
) -> Interval:
    """Interval of a sum of shares, each times a coefficient, from Wilson's bounds of each.

    Zou & Donner 2008. `terms` (s, 4) holds for each share its coefficient, successes, trials and
    the set of examples that are its trials: shares of one set exclude each other, and sets have no
    example in common. A share without trials is excluded from the sum. Bounds are cut at the
    `limits` of the metric. Raises `ValueError` where `terms` has another shape or counts.
    """
    checked_level(level)
    given = numbers(terms, "shares")
    if given.ndim != 2 or given.shape[1] != 4:
        raise ValueError("each share has a coefficient, successes, trials and a set of examples")
    given = given[given[:, 2] > 0]
    if not len(given):
        return Interval("sum_of_shares", level, None, None, ("undefined: no share has an example",))
    bounds = [wilson(int(row[1]), int(row[2]), level) for row in given]
    shares = given[:, 1] / given[:, 2]
    low = np.array([found.low for found in bounds])
    high = np.array([found.high for found in bounds])
    c, value = given[:, 0], float((given[:, 0] * shares).sum())
    down = c * np.where(c > 0, shares - low, shares - high)
    up = c * np.where(c > 0, high - shares, low - shares)
    signs, alike = np.sign(c), _correlations(shares, given[:, 3])

    def reach(distances: NDArray[np.float64]) -> float:
        signed = signs * distances
        # einsum and not BLAS: the same bits for any number of threads
        return math.sqrt(max(float(np.einsum("i,ij,j->", signed, alike, signed)), 0.0))

    least, most = limits
    ends = value - reach(down), value + reach(up)
    return Interval(
        "sum_of_shares",
        level,
        ends[0] if least is None else max(ends[0], least),
        ends[1] if most is None else min(ends[1], most),
    )


def _correlations(shares: NDArray[np.float64], sets: NDArray[Any]) -> NDArray[np.float64]:
    """Return the correlations of the shares (s, s): of one set as of a multinomial, else 0."""
    odds = np.sqrt(shares / np.where(shares < 1, 1 - shares, np.inf))
    found = np.where(sets[:, None] == sets[None, :], -odds[:, None] * odds[None, :], 0.0)
    np.fill_diagonal(found, 1.0)
    return np.asarray(found)
