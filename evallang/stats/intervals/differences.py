"""Intervals for the difference of two proportions, on the same examples or on others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy
from numpy.typing import NDArray

from evallang.bibliography import cite
from evallang.evidence import COUNTS, ONE_PREDICTION_PER_ROW, SHARES
from evallang.registry import Example
from evallang.results.statistics import Difference, Interval, Summary
from evallang.stats.basics import MOST_COUNTED, check_unmasked, checked_level, normal_quantile
from evallang.stats.correctness import Share, checked_share
from evallang.stats.intervals.interval import INTERVALS, IntervalDeclaration
from evallang.stats.intervals.proportions import wilson

TINY = 1e-20  # distance of a bound from the value that is looked for

TwoByTwo = Sequence[Sequence[int]]
FROM_TABLES = frozenset({ONE_PREDICTION_PER_ROW, COUNTS})
CAVO_2012 = ((59, 6), (16, 80))  # complete response before and after therapy
CHAPTER_8 = (
    "R package contingencytables, tests/testthat/test-ch8.R, data cavo_2012 (Fagerland, "
    "Lydersen & Laake 2017, chapter 8)"
)


def paired_counts(table: TwoByTwo) -> tuple[int, int, int, int]:
    """Read [[both right, only first], [only second, both wrong]] as four ints.

    Raises `ValueError` where it is not a 2 x 2 table of counts.
    """
    check_unmasked(table, "counts")
    try:
        (w, x), (y, z) = table
        counts = int(w), int(x), int(y), int(z)
        whole = counts == (w, x, y, z)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            "a 2 x 2 table is [[both right, only the first], [only the second, both wrong]]"
        ) from None
    if not whole or min(counts) < 0 or max(counts) > MOST_COUNTED:
        raise ValueError("a 2 x 2 table holds whole numbers from 0 to 2^53")
    return counts


def of_accuracies(value: float | None, interval: Interval) -> Difference:
    """Return the difference of two accuracies with its interval."""
    low, high, level = interval.low, interval.high, interval.level
    return Difference(Summary.OF_ACCURACIES, value, low, high, level, interval.method)


def _published(low: float, high: float) -> tuple[Example, ...]:
    return (Example((CAVO_2012, 0.95), {"low": low, "high": high}, CHAPTER_8, 5e-5),)


@INTERVALS.register(
    IntervalDeclaration(
        FROM_TABLES,
        "paired",
        holds="it covers close to its level at every number of pairs (Tango 1998)",
        when=("two models are compared on the same examples, with few or many discordant pairs"),
        when_not=(
            "intervals of two models are drawn side by side: wilson for each, and tango for "
            "the difference"
        ),
        formula=(
            "all differences that a score test does not reject, when the chance that only "
            "the second model is right is estimated under that difference"
        ),
    ),
    title="Tango score interval for paired proportions",
    references=(cite("tango1998"), cite("fagerland2013")),
    examples=_published(-0.1240, -0.0054),
)
def tango(table: TwoByTwo, level: float) -> Interval:
    """Score interval for a difference of paired proportions, first minus second.

    The differences that a score test with the restricted maximum-likelihood estimate of
    P(only the second is right) does not reject (Tango 1998). Its test at difference 0 is
    McNemar's chi-squared, so the two agree. Raises
    `ValueError` where `table` is not a table of counts.
    """
    a, b, c, d = paired_counts(table)
    n, z = a + b + c + d, normal_quantile(level)
    if n == 0:
        return _undefined("tango", level)
    low = -_tango_upper(c, b, n, z)  # by symmetry
    return _clipped("tango", level, low, _tango_upper(b, c, n, z))


@INTERVALS.register(
    IntervalDeclaration(
        FROM_TABLES,
        "paired",
        holds="it covers close to its level at every number of pairs (Newcombe 1998)",
        when="you need a closed form, built from the Wilson intervals of both models",
        when_not=("there are few discordant pairs: tango, which agrees better with McNemar's test"),
        formula=(
            "the difference, with each bound as far away as the root of the squared "
            "distances of the two Wilson intervals' bounds, less twice the correlation of "
            "the models' answers times their product"
        ),
    ),
    title="Newcombe's square-and-add interval for paired proportions",
    references=(cite("newcombe1998"), cite("fagerland2013")),
    examples=_published(-0.1186, -0.0046),
)
def newcombe(table: TwoByTwo, level: float) -> Interval:
    """Interval from the two Wilson intervals and the correlation of the models' answers.

    Newcombe 1998, method 10: the continuity-corrected phi coefficient enters the
    square-and-add rule. Raises `ValueError` where `table` is not a table of counts.
    """
    a, b, c, d = paired_counts(table)
    n = a + b + c + d
    if n == 0:
        return _undefined("newcombe", level)
    first, second = (a + b) / n, (a + c) / n
    low1, high1 = _wilson_bounds(a + b, n, level)
    low2, high2 = _wilson_bounds(a + c, n, level)
    phi = _corrected_phi(a, b, c, d)

    def reach(x: float, y: float) -> float:
        return float(max(x * x - 2 * phi * x * y + y * y, 0.0) ** 0.5)

    difference = (b - c) / n
    low = difference - reach(first - low1, high2 - second)
    high = difference + reach(high1 - first, second - low2)
    return _clipped("newcombe", level, low, high)


@INTERVALS.register(
    IntervalDeclaration(
        FROM_TABLES,
        "paired",
        holds="it covers close to its level at every number of pairs (Fagerland et al. 2013)",
        when="you need a short formula with good coverage",
        when_not="in all other cases: tango, which agrees with McNemar's test",
        formula=(
            "add one to each of the two discordant counts and two to n; the new difference ± "
            "z times its standard error"
        ),
    ),
    title="Bonett-Price interval for paired proportions",
    references=(cite("bonett2012"), cite("fagerland2013")),
    examples=_published(-0.1195, -0.0032),
)
def bonett_price(table: TwoByTwo, level: float) -> Interval:
    """Wald interval after adding one to each discordant count and two to n.

    Bonett & Price 2012; cut at -1 and 1. Raises `ValueError` where `table` is not a table of
    counts.
    """
    _, b, c, _ = counts = paired_counts(table)
    n = sum(counts)
    if n == 0:
        return _undefined("bonett_price", level)
    p, q = (b + 1) / (n + 2), (c + 1) / (n + 2)
    half = normal_quantile(level) * ((p + q - (p - q) ** 2) / (n + 2)) ** 0.5
    return _clipped("bonett_price", level, p - q - half, p - q + half)


@INTERVALS.register(
    IntervalDeclaration(
        FROM_TABLES,
        "paired",
        holds="it covers close to its level at every number of pairs (Fagerland et al. 2013)",
        when="you need a short formula with good coverage",
        when_not="in all other cases: tango, which agrees with McNemar's test",
        formula=(
            "add one half to each of the four counts; the new difference ± z times its "
            "standard error"
        ),
    ),
    title="Agresti-Min interval for paired proportions",
    references=(cite("agresti2005"), cite("fagerland2013")),
    examples=_published(-0.1182, -0.0045),
)
def agresti_min(table: TwoByTwo, level: float) -> Interval:
    """Wald interval after adding one half to each of the four counts.

    Agresti & Min 2005; cut at -1 and 1. Raises `ValueError` where `table` is not a table of
    counts.
    """
    _, b, c, _ = counts = paired_counts(table)
    n = sum(counts)
    if n == 0:
        return _undefined("agresti_min", level)
    low, high = _wald_bounds(b + 0.5, c + 0.5, n + 2.0, normal_quantile(level))
    return _clipped("agresti_min", level, low, high)


@INTERVALS.register(
    IntervalDeclaration(
        FROM_TABLES,
        "paired",
        as_option="wald",
        advised_against="it covers too little, and has no width without discordant pairs",
        advised_by="Fagerland, Lydersen & Laake 2013",
        holds="no number of pairs decides: it is advised against at every one",
        when="you reproduce a published table",
        when_not="in all other cases: tango",
        formula="the difference ± z times the root of (b + c - (b - c)²/n), over n",
    ),
    title="Wald interval for paired proportions",
    references=(cite("fagerland2013"),),
    examples=_published(-0.1184, -0.0058),
)
def paired_wald(table: TwoByTwo, level: float) -> Interval:
    """Normal approximation of the difference of paired proportions, cut at -1 and 1.

    Raises `ValueError` where `table` is not a table of counts.
    """
    _, b, c, _ = counts = paired_counts(table)
    n, z = sum(counts), normal_quantile(level)
    if n == 0:
        return _undefined("paired_wald", level)
    low, high = _wald_bounds(float(b), float(c), float(n), z)
    notes = ("no width: the approximation fails at this table",) if low == high else ()
    return _clipped("paired_wald", level, low, high, notes)


@INTERVALS.register(
    IntervalDeclaration(
        frozenset({SHARES}),
        "independent",
        holds="it covers close to its level at every number of examples (Newcombe 1998)",
        when=(
            "two models were tested on separate examples, or published shares lack the table "
            "of pairs"
        ),
        when_not=(
            "both models were tested on the same examples and the table of pairs is known: tango"
        ),
        formula=(
            "the difference, with each bound as far away as the root of the squared distances "
            "of the two Wilson intervals' bounds"
        ),
    ),
    title="Newcombe's square-and-add interval for independent proportions",
    references=(cite("newcombe_independent1998"),),
    examples=(
        Example(
            (((7, 34), (1, 34)), 0.95),
            {"low": 0.0189, "high": 0.3404},
            "R package contingencytables, tests/testthat/test-ch4.R, Newcombe_hybrid_score_CI_2x2 "
            "(Fagerland, Lydersen & Laake 2017, chapter 4)",
            5e-5,
        ),
    ),
)
def newcombe_independent(shares: Sequence[Share], level: float) -> Interval:
    """Interval from the two Wilson intervals, first minus second, of two separate samples.

    Newcombe 1998 (independent proportions), method 10: square-and-add without a correlation.
    `shares` are (right, n) of each model; n may differ. Raises `ValueError` unless there are
    exactly two shares.
    """
    if len(shares) != 2:
        raise ValueError("a difference takes the shares of two models")
    (x, n), (y, m) = (checked_share(share) for share in shares)
    if n == 0 or m == 0:
        return _undefined("newcombe_independent", level)
    first, second = x / n, y / m
    low1, high1 = _wilson_bounds(x, n, level)
    low2, high2 = _wilson_bounds(y, m, level)
    low = first - second - math.hypot(first - low1, high2 - second)
    high = first - second + math.hypot(high1 - first, second - low2)
    return _clipped("newcombe_independent", level, low, high)


PAIRED_INTERVALS = {
    "tango": tango,
    "newcombe": newcombe,
    "bonett_price": bonett_price,
    "agresti_min": agresti_min,
    "wald": paired_wald,
}
"""The intervals of a paired difference of accuracies, by the word of the option."""


def tango_distance(
    b: Any, c: Any, n: float, delta: Any
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return n times how far a difference lies above the one found, and the variance of that.

    Their ratio, with the root of the variance, is the score statistic of Tango 1998 (eq. 24-26).
    `b` examples only the first model has right, `c` only the second; arrays of one shape.
    """
    half = (2 * n - b + c) * delta - (b + c)
    # half² + 8 n c delta (1 - delta), which is a square where b = 0: no cancellation there
    base, shift = (2 * n - c) * delta + c, b * (1 + delta)
    root = np.sqrt(np.maximum(base * base - shift * (shift + 2 * half), 0.0))
    # Both forms of the root of 2n q² + half q - c delta (1 - delta) = 0, without cancellation
    up = 2 * c * delta * (1 - delta) / np.where(half > 0, root + half, 1.0)
    q = np.where(half > 0, up, (root - half) / (4 * n))
    variance = np.maximum(n * (2 * q + delta * (1 - delta)), 0.0)
    return np.asarray(n * delta - (b - c)), np.asarray(variance)


def _tango_upper(b: int, c: int, n: int, z: float) -> float:
    """Return the largest difference with score statistic at least -z."""
    if b == 0 and c in (0, n):  # no variance at the difference found: n delta + c = z² (1 - delta)
        return (z * z - c) / (n + z * z)
    if b == n:
        return 1.0

    def excess(delta: float) -> float:
        """Return how much more than z standard errors the data lie below `delta`, times n."""
        distance, variance = tango_distance(float(b), float(c), float(n), delta)
        return float(distance - z * np.sqrt(variance))

    return float(scipy.optimize.brentq(excess, (b - c) / n, 1.0, xtol=TINY, rtol=1e-15))


def _corrected_phi(a: int, b: int, c: int, d: int) -> float:
    product = (a + b) * (c + d) * (a + c) * (b + d)
    if product == 0:
        return 0.0
    excess: float = a * d - b * c
    if excess > 0:
        excess = max(excess - (a + b + c + d) / 2, 0.0)
    return float(excess / product**0.5)


def _wilson_bounds(successes: int, n: int, level: float) -> tuple[float, float]:
    interval = wilson(successes, n, level)
    if interval.low is None or interval.high is None:
        raise ValueError("no examples")
    return interval.low, interval.high


def _wald_bounds(b: float, c: float, n: float, z: float) -> tuple[float, float]:
    half = z / n * (b + c - (b - c) ** 2 / n) ** 0.5
    return (b - c) / n - half, (b - c) / n + half


def _clipped(
    method: str, level: float, low: float, high: float, notes: tuple[str, ...] = ()
) -> Interval:
    return Interval(method, level, max(low, -1.0), min(high, 1.0), notes)


def _undefined(method: str, level: float) -> Interval:
    return Interval(method, checked_level(level), None, None, ("no examples",))
