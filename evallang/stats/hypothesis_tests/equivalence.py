"""Tests of equivalence and non-inferiority: the interval of the design against a margin."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Annotated, Literal

import scipy
from msgspec.structs import replace
from numpy.typing import ArrayLike

from evallang.bibliography import cite
from evallang.evidence import (
    COUNTS,
    FOLD_SCORES,
    LOSSES_PER_ROW,
    ONE_PREDICTION_PER_ROW,
    SCORES_PER_ROW,
    SHARES,
)
from evallang.registry import Bounds, Design, Example
from evallang.results.statistics import Difference, HypothesisTestResult
from evallang.stats.basics import checked_level
from evallang.stats.decisions import checked_margin
from evallang.stats.hypothesis_tests.folds import corrected_t
from evallang.stats.hypothesis_tests.hypothesis_test import (
    HYPOTHESIS_TESTS,
    HypothesisTestDeclaration,
)
from evallang.stats.hypothesis_tests.ranking_curves import AUC_VARIANTS
from evallang.stats.intervals.differences import TwoByTwo, of_accuracies, paired_counts, tango
from evallang.stats.power_of_pairs import POWER_OF_EQUIVALENCE, POWER_OF_NONINFERIORITY
from evallang.stats.rank_scores import Better, checked_direction

DifferenceAt = Callable[[float], Difference]
"""From a level to the difference with its interval at that level."""

DIFFERENT = "the difference between the two {models} is as large as the margin, or larger"
INFERIOR = "the first model is worse than the second by the margin, or more"
WITH_AN_INTERVAL = frozenset({Design.KFOLD, Design.REPEATED, Design.RESAMPLED})
"""The designs over whose folds the interval of a difference is sound: those of corrected_t."""
ANY_INTERVAL = frozenset(
    {
        ONE_PREDICTION_PER_ROW,
        COUNTS,
        SHARES,
        LOSSES_PER_ROW,
        SCORES_PER_ROW,
        FOLD_SCORES,
    }
)
TAIL_AREA = 1e-12  # smaller p-values are not told apart
PRECISION = 1e-11  # of z


def paired_proportions(table: TwoByTwo) -> DifferenceAt:
    """Return the difference of two accuracies on the same examples, with Tango's interval.

    Raises `ValueError` where `table` is not a table of counts.
    """
    a, b, c, d = paired_counts(table)
    n = a + b + c + d

    def at(level: float) -> Difference:
        found = tango(table, level)
        return of_accuracies((b - c) / n if n else None, found)

    return at


def over_folds(
    first: ArrayLike,
    second: ArrayLike,
    n_train: ArrayLike | None = None,
    n_test: ArrayLike | None = None,
) -> DifferenceAt:
    """Return the mean difference of fold scores, with the interval of `corrected_t`."""

    def at(level: float) -> Difference:
        found = corrected_t(first, second, n_train, n_test, level).estimate
        assert found is not None, "a test of two models estimates their difference"
        return found

    return at


# Mean 3 and variance 6 over eight folds; the standard error is sqrt(6 (1/8 + 1/8))
EIGHT = (3.0, 1.0, 5.0, 7.0, -1.0, 4.0, 2.0, 3.0)
EQUAL_FOLDS = over_folds(EIGHT, (0.0,) * 8, (80,) * 8, (10,) * 8)
R_TAIL = 0.0732443715024  # R 4.2.2, pt(-2/sqrt(1.5), 7)


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        ANY_INTERVAL,
        DIFFERENT,
        claim="equivalent",
        variants=AUC_VARIANTS,
        designs=WITH_AN_INTERVAL,
        clustered=True,
        averaged=3,
        weights=True,
        power=POWER_OF_EQUIVALENCE,
        holds="it holds where the interval of the design does, whose notes it carries",
        when=("you want to show that two models differ by less than a margin fixed beforehand"),
        when_not="no margin can be stated before the data are seen",
        differs={
            "statsmodels": "ttost_paired takes the paired differences for independent and "
            "normal; here the interval of the design decides: Tango's for accuracies, "
            "corrected_t's for folds",
        },
        formula=(
            "the smallest alpha at which the whole interval of level 1 - 2 alpha for the "
            "difference lies inside the margin, on both sides"
        ),
        example="tost(margin=0.5%)",
    ),
    title="Two one-sided tests of equivalence",
    references=(cite("schuirmann1987"), cite("tango1998", "tango"), cite("liu2002", "tango")),
    examples=(
        Example(
            (EQUAL_FOLDS, 0.95),
            {"p": R_TAIL, "extra.p_upper": R_TAIL, "estimate.level": 0.9},
            "R 4.2.2, pt((3 - 5)/sqrt(1.5), 7): mean 3, variance 6 (1/8 + 1/8), margin 5",
            options={"margin": 5.0},
        ),
    ),
)
def tost(
    difference: DifferenceAt, level: float = 0.95, *, margin: Annotated[float, Bounds(above=0)]
) -> HypothesisTestResult:
    """Test whether two models differ by less than a margin, in either direction.

    p is the larger of two one-sided ones, each found by inverting the interval of the
    design, so that p <= alpha where the interval of level 1 - 2 alpha lies inside the
    margin (Schuirmann 1987); that interval, at 1 - 2 (1 - `level`), is the estimate's.
    `difference` gives the difference at any level; `margin` is in the metric's unit. Raises
    `ValueError` where `margin` is not above 0.
    """
    width = checked_margin(margin)
    checked_level(level)
    _checked_difference(difference)
    upper = _one_sided(difference, width, "below")
    lower = _one_sided(difference, -width, "above")
    p = None if upper is None or lower is None else max(upper, lower)
    return _result("tost", DIFFERENT, difference, level, p, width, p_upper=upper, p_lower=lower)


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        ANY_INTERVAL,
        INFERIOR,
        claim="noninferior",
        variants=AUC_VARIANTS,
        designs=WITH_AN_INTERVAL,
        clustered=True,
        averaged=4,
        weights=True,
        power=POWER_OF_NONINFERIORITY,
        holds="it holds where the interval of the design does, whose notes it carries",
        when=("you want to show that a cheaper model is worse by less than a margin, if at all"),
        when_not="no margin can be stated before the data are seen",
        formula=(
            "the smallest alpha at which the bound of the interval of level 1 - 2 alpha, on "
            "the unfavourable side, stays nearer than the margin"
        ),
        example="noninferiority(margin=0.5%)",
    ),
    title="Test of non-inferiority",
    references=(cite("liu2002"), cite("tango1998", "tango")),
    examples=(
        Example(
            (EQUAL_FOLDS, "lower", 0.95),
            {"p": R_TAIL},
            "R 4.2.2, pt((3 - 5)/sqrt(1.5), 7): mean 3, variance 6 (1/8 + 1/8), margin 5",
            options={"margin": 5.0},
        ),
    ),
)
def noninferiority(
    difference: DifferenceAt,
    better: Better,
    level: float = 0.95,
    *,
    margin: Annotated[float, Bounds(above=0)],
) -> HypothesisTestResult:
    """Test whether the first model is worse than the second by less than a margin.

    One-sided p by inverting the interval of the design: p <= alpha where the bound of the
    interval of level 1 - 2 alpha on the unfavourable side is nearer than the margin; that
    interval, at 1 - 2 (1 - `level`), is the estimate's. `better` is the metric's direction.
    Raises `ValueError` where `margin` is not above 0.
    """
    width = checked_margin(margin)
    checked_level(level)
    _checked_difference(difference)
    checked_direction(better)
    if better == "higher":
        p = _one_sided(difference, -width, "above")
    else:
        p = _one_sided(difference, width, "below")
    return _result("noninferiority", INFERIOR, difference, level, p, width, better=better)


def _checked_difference(difference: DifferenceAt) -> None:
    """Raise `ValueError` where there is no function from a level to a difference."""
    if not callable(difference):
        raise ValueError(
            "the difference is given as a function of the level, such as "
            "`paired_proportions(table)` or `over_folds(first, second)`"
        )


def _one_sided(
    difference: DifferenceAt, line: float, side: Literal["above", "below"]
) -> float | None:
    """Find the tail area at which a bound of the interval is at `line`: the one-sided p.

    The interval with area p in each tail ends at the line; where the estimate itself is on
    the wrong side p is above one half, and it is the other bound that does.
    """
    found = difference(0.5)
    if found.value is None or found.low is None or found.high is None:
        return None
    above = found.value > line

    def gap(z: float) -> float:
        """Distance from the line to the bound that faces it, negative once it is passed."""
        at = difference(1 - 2 * float(scipy.special.ndtr(-z)))
        if at.low is None or at.high is None:
            return -math.inf
        return at.low - line if above else line - at.high

    area = max(float(scipy.special.ndtr(-_crossing(gap))), TAIL_AREA)
    area = TAIL_AREA if area < TAIL_AREA * (1 + PRECISION) else area
    if found.resamples is not None:  # of a bootstrap: no resample beyond the line shows no less
        area = max(area, 1 / (found.resamples.n + 1))
    right = above if side == "above" else found.value < line
    return area if right else 1 - area


def _crossing(gap: Callable[[float], float]) -> float:
    """Find where a decreasing function of z is 0; a bound that is infinite lies far below."""
    low, high = float(scipy.special.ndtri(0.5 + TAIL_AREA)), float(-scipy.special.ndtri(TAIL_AREA))
    at_low = gap(low)
    if at_low <= 0:
        return 0.0
    if gap(high) > 0:
        return high
    return float(
        scipy.optimize.brentq(lambda z: max(gap(z), -at_low), low, high, xtol=PRECISION, rtol=1e-15)
    )


def _result(
    test: str,
    null: str,
    difference: DifferenceAt,
    level: float,
    p: float | None,
    margin: float,
    **more: float | str | None,
) -> HypothesisTestResult:
    inner = round(1 - 2 * (1 - level), 12)  # 90 %, not 0.8999999999999999
    if inner > 0:
        estimate = difference(inner)
    else:
        estimate = replace(difference(level), low=None, high=None)
    notes: tuple[str, ...] = ()
    if p is None:
        notes = ("undefined: the difference has no interval",)
    elif estimate.resamples is not None and p <= 1 / (estimate.resamples.n + 1):
        notes = (f"p is at most 1/{estimate.resamples.n + 1}: no resample reaches the margin",)
    elif p <= TAIL_AREA:
        notes = ("p is too small to be told from 0",)
    return HypothesisTestResult(
        test=test,
        variant=estimate.method,
        null=null,
        p=p,
        estimate=estimate,
        extra={"margin": margin, **more},
        notes=notes,
    )
