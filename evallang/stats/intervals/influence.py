"""Intervals of metrics that are not means over examples, from the influence of each example."""

from __future__ import annotations

import math

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.registry import Evidence, Example
from evallang.results.statistics import Clusters, Interval
from evallang.stats.clusters import group_codes, group_totals
from evallang.stats.distributions import bounds_inside, t_quantile
from evallang.stats.intervals.interval import INTERVALS, IntervalDeclaration
from evallang.stats.validation import magnitudes
from evallang.stats.validity import OF_GROUPS, OF_TAIL, Counted, Holds

NO_SPREAD = 1e-12  # of the size of the estimate


class CountedInfluences(Struct, frozen=True, eq=False):
    """Distinct influences (D,) and how many examples have each (D,)."""

    values: NDArray[np.float64]
    times: NDArray[np.integer]


@INTERVALS.register(
    IntervalDeclaration(
        frozenset({Evidence.SCORES_PER_ROW}),
        "influences",
        clustered=True,
        default_for=frozenset({"influences"}),
        holds=(
            Holds(Counted.RAREST, 20, "95% intervals covered 88 to 92% in simulations"),
            Holds(Counted.OUTSIDE, 10, "95% intervals covered 80 to 90% in simulations"),
            Holds(Counted.EVENTS, 20, "95% intervals covered 77 to 91% in simulations"),
            OF_TAIL,
            OF_GROUPS,
        ),
        when=(
            "the metric is not a mean over examples, and the influence of each example on it is "
            "known: concordance, calibration_slope, calibration_intercept; it takes no resamples, "
            "so that average_precision and ranking_loss of predictions in parts need no row"
        ),
        when_not="the metric is a mean over examples: t; it has no known influences: bootstrap",
        formula=(
            "estimate ± t standard errors: the influence of an example is the derivative of the "
            "estimate by its weight, or the sum of those of a group; the standard error is the "
            "root of n/(n - 1) times the sum of their squares; on the logit scale where the "
            "metric lies between two bounds"
        ),
        example=(
            "data cancer from sklearn breast_cancer\n"
            "  positive malignant\n"
            "\n"
            "model linear = StandardScaler | LogisticRegression\n"
            "model baseline = DummyClassifier\n"
            "\n"
            "protocol holdout\n"
            "measure calibration_slope\n"
            "  interval jackknife\n"
        ),
    ),
    title="Infinitesimal jackknife interval",
    references=(cite("efron1982"),),
    examples=(
        Example(
            # The influences of the mean of 1, 2, 3, 6, which are (x - 3)/4
            (3.0, (-0.5, -0.25, 0.0, 0.75), None, (None, None), 0.95),
            {"low": 3 - 3.182446305284263 * math.sqrt(14 / 12), "high": 3 + 3.182446305284263
             * math.sqrt(14 / 12)},
            "closed form: Student's interval of the mean of 1, 2, 3, 6",
            tolerance=1e-9,
        ),
    ),
)  # fmt: skip
def jackknife(
    estimate: float,
    influences: ArrayLike | CountedInfluences,
    groups: ArrayLike | None,
    limits: tuple[float | None, float | None],
    level: float,
) -> Interval:
    """Interval from the derivatives of an estimate by the weights of the examples.

    `influences` (n,) are those derivatives, or the distinct ones and their numbers; `groups` (n,)
    is the group of each example, or None; `limits` are the smallest and largest value of the
    metric. No interval with fewer than two units, where no influence differs from 0, and at a
    bound. Raises `ValueError` where a number is not finite.
    """
    times = influences.times if isinstance(influences, CountedInfluences) else None
    given = influences.values if isinstance(influences, CountedInfluences) else influences
    values = magnitudes(given, "influences")
    if not np.isfinite(values).all() or not math.isfinite(estimate):
        raise ValueError("an interval from influences takes finite numbers")
    clusters = None
    if groups is not None:
        values = group_totals(values, group_codes(groups, len(values)))
        clusters = Clusters(len(values), None)
    n = len(values) if times is None else int(times.sum(dtype=np.int64))

    def undefined(why: str) -> Interval:
        return Interval("jackknife", level, None, None, (f"undefined: {why}",), clusters)

    unit = "example" if groups is None else "group"
    if n < 2:
        return undefined(f"fewer than two {unit}s")
    squares = (values**2).sum() if times is None else np.dot(values**2, times)
    error = math.sqrt(float(squares) * n / (n - 1))
    if error <= NO_SPREAD * max(abs(estimate), 1.0):
        return undefined(f"no {unit} moves the estimate")
    half = t_quantile(level, n - 1) * error
    low, high = limits
    if low is None or high is None:
        return Interval("jackknife", level, estimate - half, estimate + half, (), clusters)
    if not low < estimate < high:
        return undefined("the estimate is at a bound of the metric")
    return Interval("jackknife", level, *bounds_inside(estimate, half, low, high), (), clusters)
