"""The interval of a mean of data sets' means."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from evallang.bibliography import cite
from evallang.evidence import LOSSES_PER_ROW
from evallang.registry import Example
from evallang.results.statistics import Interval
from evallang.stats.basics import checked_level, t_quantile
from evallang.stats.intervals.interval import INTERVALS, IntervalDeclaration, Limits, within
from evallang.stats.strata import Strata, stratified_mean
from evallang.stats.validity import OF_GROUPS, OF_TAIL, Counted, Holds

# Three, two and two examples with means 2, 5 and 8, whose variances are 1/3, 1/4 and 1
VALUES = (1.0, 2.0, 3.0, 4.5, 5.5, 7.0, 9.0)
STRATA = Strata(np.array([0, 0, 0, 1, 1, 2, 2]), np.array([0.25, 0.25, 0.5]))
VARIANCE = 1 / 48 + 1 / 64 + 1 / 4
T_95 = (
    7.468366155342116  # of VARIANCE² / ((1/48)²/2 + (1/64)² + (1/4)²) = 1.3033 degrees of freedom
)


@INTERVALS.register(
    IntervalDeclaration(
        frozenset({LOSSES_PER_ROW}),
        "strata",
        clustered=True,
        default_for=frozenset({"averaged"}),
        holds=(
            OF_TAIL,
            OF_GROUPS,
            Holds(
                Counted.SMALLEST,
                20,
                "coverage of 95% intervals was 69 to 94% in simulations, lowest for values near 1",
            ),
            Holds(
                Counted.RAREST,
                50,
                "coverage of 95% intervals was 85 to 94% in simulations, lowest for areas near 1",
            ),
        ),
        when="a metric is averaged over data sets, which are fixed",
        when_not="the data sets are a sample of further ones: a test `across data`",
        formula=(
            "M ± t √(Σ a² V): M is the mean of the data sets' means by their shares a, V the "
            "variance of each mean, s²/n, or with groups the cluster-robust one; t has "
            "Satterthwaite's degrees of freedom. A metric that is not a mean over examples has "
            "jackknife pseudo-values for them, n v - (n - 1) v₋ᵢ, shifted to have its value v as "
            "their mean"
        ),
        example=(
            'predictions agents "Agents" from "data/attempts.csv"\n'
            "  id task\n"
            "  dataset domain\n"
            "  repeat attempt\n"
            "  correct planner, reactive\n"
            "\n"
            "measure accuracy averaged over data\n"
        ),
    ),
    title="Stratified t interval",
    references=(
        cite("cochran1977"),
        cite("bell2002", "groups"),
        cite("efron1982", "pseudo_values"),
    ),
    examples=(
        Example(
            (VALUES, None, STRATA, 0.95),
            {
                "low": 5.75 - T_95 * math.sqrt(VARIANCE),
                "high": 5.75 + T_95 * math.sqrt(VARIANCE),
            },
            "own derivation by hand: the means have variances 1/3, 1/4 and 1",
            tolerance=1e-9,
        ),
    ),
)
def stratified_t(
    losses: ArrayLike,
    groups: ArrayLike | None,
    strata: Strata,
    level: float,
    limits: Limits = (None, None),
) -> Interval:
    """Interval of the average of the means of fixed data sets.

    `losses` (n,) are the values of the examples, `groups` (n,) the group of each or None, and
    `strata` the data set of each and the share of each data set. Bounds are cut at the `limits` of
    the metric. No interval where a data set has fewer than two examples or groups. Raises
    `ValueError` where the level is not between 0 and 1.
    """
    checked_level(level)
    try:
        found = stratified_mean(losses, strata, groups)
    except ValueError as error:
        return Interval("stratified_t", level, None, None, (f"undefined: {error}",))
    half = t_quantile(level, found.df) * found.error
    bounds = within(limits, found.mean - half, found.mean + half)
    notes = () if half > 0 else ("no width: all values of each data set are equal",)
    return Interval("stratified_t", level, *bounds, notes, found.clusters)
