"""Metrics of prediction intervals, which a `predictions` source reads by `range`.

`truth` holds floats (n,) and `output` the lower and upper bounds (n, 2), in the unit of the
target.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.metrics.metric import METRICS, MetricDeclaration
from evallang.registry import Bounds, Example
from evallang.stats.validity import Tail

OF_RANGES = (
    'predictions load "Load of a grid" from "data/load_ranges.csv"\n'
    "  id day\n"
    "  truth load\n"
    "  models seasonal, constant\n"
    '  range seasonal = ["seasonal_low", "seasonal_high"]\n'
    '  range constant = ["constant_low", "constant_high"]\n'
    '  unit "days"\n'
    "\n"
    "measure {}\n"
)
TRUTH = (1.0, 2.0, 3.0, 4.0)
BOUNDS = ((0.0, 1.0), (0.0, 1.0), (3.5, 5.0), (2.0, 5.0))
BY_HAND = "By hand: inside at its bound, 1 above, 0.5 below, inside"


@METRICS.register(
    MetricDeclaration(
        "regression",
        "losses",
        "ranges",
        "higher",
        0,
        1,
        proportion="hits",
        unit="percent",
        of_examples="shares of values inside",
        when="models predict intervals that should contain a stated share of the values",
        when_not=(
            "alone, because wide intervals contain every value: add interval_width; intervals of "
            "a stated level are compared: interval_score"
        ),
        formula="the share of examples whose value lies inside their interval, bounds included",
        equation=r"\frac{1}{n} \sum_i [l_i \leq y_i \leq u_i]",
        example=OF_RANGES.format("coverage"),
    ),
    title="Interval coverage",
    references=(cite("gneiting2007"),),
    examples=(Example((TRUTH, BOUNDS, None), {"value": 0.5}, BY_HAND),),
)
def coverage(truth: ArrayLike, output: ArrayLike, positive: int | None) -> NDArray[np.float64]:
    """The share of values inside their prediction interval.

    Returns 1 or 0 for each example (n,).
    """
    y, bounds = np.asarray(truth), np.asarray(output)
    inside: NDArray[np.float64] = ((bounds[:, 0] <= y) & (y <= bounds[:, 1])).astype(np.float64)
    return inside


@METRICS.register(
    MetricDeclaration(
        "regression",
        "losses",
        "ranges",
        "lower",
        0,
        unit="target",
        of_examples="widths",
        when="prediction intervals with the same coverage are compared",
        when_not="coverage differs, because narrow intervals miss more values: interval_score",
        formula="the upper bound less the lower bound; the mean over the examples",
        equation=r"\frac{1}{n} \sum_i (u_i - l_i)",
        example=OF_RANGES.format("interval_width"),
    ),
    title="Interval width",
    references=(cite("gneiting2007"),),
    examples=(Example((TRUTH, BOUNDS, None), {"value": 1.625}, BY_HAND),),
)
def interval_width(
    truth: ArrayLike, output: ArrayLike, positive: int | None
) -> NDArray[np.float64]:
    """The mean width of the prediction intervals, in the target's unit.

    Returns one width for each example (n,).
    """
    bounds = np.asarray(output)
    width: NDArray[np.float64] = bounds[:, 1] - bounds[:, 0]
    return width


@METRICS.register(
    MetricDeclaration(
        "regression",
        "losses",
        "ranges",
        "lower",
        0,
        unit="target",
        of_examples="interval scores",
        tail=lambda options: Tail(
            1 - float(options["level"]),
            "95% intervals covered 89% in simulations with 6 values outside the bounds",
        ),
        title_with_options="Interval score at a level of {level}",
        when="prediction intervals of a stated level are compared, by width and coverage at once",
        when_not="intervals have no common level: coverage, interval_width",
        formula=(
            "the width of the interval, plus 2 / (1 - level) times the distance by which the "
            "value lies outside it; the mean over the examples"
        ),
        equation=(
            r"\frac{1}{n} \sum_i \left(u_i - l_i + \frac{2}{1 - \mathrm{level}} \max(l_i - "
            r"y_i, y_i - u_i, 0)\right)"
        ),
        example=OF_RANGES.format("interval_score(level=90%)"),
    ),
    title="Interval score",
    references=(cite("gneiting2007"),),
    examples=(
        Example(
            (TRUTH, BOUNDS, None),
            {"value": 1.625 + 4 * 1.5 / 4},
            f"{BY_HAND}; at level 0.5 a unit outside costs 4",
            options={"level": 0.5},
        ),
    ),
)
def interval_score(
    truth: ArrayLike,
    output: ArrayLike,
    positive: int | None,
    *,
    level: Annotated[float, Bounds(above=0, below=1)],
) -> NDArray[np.float64]:
    """The width of a prediction interval and a penalty for values outside it.

    Returns one score for each example (n,). Raises `ValueError` unless `level` lies between 0
    and 1.
    """
    if not 0 < level < 1:
        raise ValueError(f"level of interval_score must lie between 0 and 1, and it is {level}")
    y, bounds = np.asarray(truth), np.asarray(output)
    low, high = bounds[:, 0], bounds[:, 1]
    outside = np.maximum(low - y, 0.0) + np.maximum(y - high, 0.0)
    score: NDArray[np.float64] = high - low + 2.0 / (1.0 - level) * outside
    return score
