"""Intervals of the strengths of models, robust over prompts and judges."""

import math

import numpy as np

from evallang.bibliography import cite
from evallang.evidence import GAMES
from evallang.registry import Example
from evallang.results.statistics import Clusters, Interval
from evallang.stats.basics import checked_level, normal_quantile, t_quantile
from evallang.stats.battles import Strengths
from evallang.stats.clusters import LEAST_GROUPS
from evallang.stats.intervals.interval import INTERVALS, IntervalDeclaration, within
from evallang.stats.validity import OF_GROUPS, Counted, Holds

OF_CLUSTERS = (
    Holds(
        Counted.GROUPS,
        LEAST_GROUPS,
        "prompts or judges are too few to tell how they vary",
        refused=True,
    ),
    OF_GROUPS,
)
MEASURED = 'battles votes "Votes" from "data/battles.jsonl"\n\nmeasure bradley_terry\n'


# One model: a strength of 3 with the variance 4
BY_HAND = Strengths(np.array([3.0]), np.array([[4.0]]), 100)
Z_95 = 1.959963984540054


def one_way(strengths: Strengths) -> Clusters | None:
    """Return the clusters of judgements that share one thing; of more there is no one number."""
    sizes = list(strengths.clusters.values())
    return Clusters(sizes[0], None) if len(sizes) == 1 else None


def half_width(strengths: Strengths, variance: float, level: float) -> float:
    """Return half the width of an interval: t with one less than the clusters, else normal."""
    groups = strengths.n_groups
    quantile = normal_quantile(level) if groups is None else t_quantile(level, groups - 1)
    return quantile * math.sqrt(max(variance, 0.0))


@INTERVALS.register(
    IntervalDeclaration(
        frozenset({GAMES}),
        "strengths",
        clustered=True,
        weights=True,
        default_for=frozenset({"strengths"}),
        holds=OF_CLUSTERS,
        when="models were compared in pairs, and judgements share prompts or judges",
        when_not="every example has an outcome of each model: bca_bootstrap",
        example=f"{MEASURED}  interval sandwich\n",
        formula=(
            "estimate ± z √variance, the variance being that of the estimating equations with the "
            "contributions of each prompt, and of each judge, added up before they are squared, "
            "less those of their intersections (Cameron, Gelbach & Miller 2011); with prompts or "
            "judges z is t with one less degree of freedom than there are of the fewer"
        ),
    ),
    title="Robust (sandwich) interval",
    references=(cite("cameron2011"),),
    examples=(
        Example(
            (BY_HAND, (None, None), 0.95),
            {"low": 3 - 2 * Z_95, "high": 3 + 2 * Z_95},
            "own derivation, by hand: 3 ± z √4",
            tolerance=1e-9,
        ),
    ),
)
def sandwich(
    strengths: Strengths, limits: tuple[float | None, float | None], level: float
) -> Interval:
    """Interval of the strength of one model from a variance that is robust over clusters.

    Bounds are cut at the `limits` of the metric. Raises `ValueError` for several models.
    """
    checked_level(level)
    if len(strengths.values) != 1:
        raise ValueError("the interval is of one model")
    value = float(strengths.values[0])
    variance = float(strengths.covariance[0, 0])
    if not variance > 0:
        why = "the value has no variance" if strengths.ties is None else "it is the anchor"
        return Interval("sandwich", level, None, None, (f"undefined: {why}",))
    half = half_width(strengths, variance, level)
    bounds = within(limits, value - half, value + half)
    return Interval("sandwich", level, *bounds, (), one_way(strengths))
