"""An interval of a proportion on the scale of the arcsine of its root."""

from math import asin, pi, sin

from evallang.bibliography import Reference
from evallang.evidence import COUNTS, ONE_PREDICTION_PER_ROW, SHARES
from evallang.registry import Example
from evallang.results.statistics import Interval
from evallang.stats.basics import normal_quantile
from evallang.stats.intervals.interval import INTERVALS, IntervalDeclaration


@INTERVALS.register(
    IntervalDeclaration(
        frozenset({ONE_PREDICTION_PER_ROW, COUNTS, SHARES}),
        "proportion",
        holds="close to its level at every number of trials",
        when="a formula is wanted whose variance does not depend on the proportion",
        when_not="the level must be guaranteed: clopper_pearson",
        formula="the squared sine of the arcsine of the root, ± z over twice the root of n",
    ),
    title="Anscombe's arcsine interval",
    references=(
        Reference(
            key="anscombe1948",
            authors=("Anscombe FJ",),
            year=1948,
            title="The transformation of Poisson, binomial and negative-binomial data",
            venue="Biometrika",
            volume="35(3-4)",
            pages="246-254",
        ),
    ),
    examples=(
        Example(
            (50, 100, 0.95),
            {
                "low": 0.5 - 0.5 * sin(0.1959963984540054),
                "high": 0.5 + 0.5 * sin(0.1959963984540054),
            },
            "own derivation: sin²(π/4 ± z/20)",
            1e-12,
        ),
    ),
)
def arcsine(successes: int, n: int, level: float) -> Interval:
    """Interval of a proportion by the arcsine of its root, which stabilises the variance."""
    if n == 0:
        return Interval("arcsine", level, None, None)
    middle = asin(((successes + 3 / 8) / (n + 3 / 4)) ** 0.5)
    half = normal_quantile(level) / (2 * n**0.5)
    ends = (max(middle - half, 0.0), min(middle + half, pi / 2))
    return Interval("arcsine", level, *(sin(end) ** 2 for end in ends))
