"""Metrics of quantiles and of prediction intervals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.metrics.metric import (
    METRICS,
    SCIKIT_LEARN,
    MetricDeclaration,
    Outcome,
    Statistic,
    value_under,
)
from evallang.registry import Bounds, Example
from evallang.stats.score_counts import undefined
from evallang.stats.validity import Tail

OF_QUANTILE = (
    "data diabetes from sklearn diabetes\n"
    "\n"
    'model high = GradientBoostingRegressor(loss="quantile", alpha=0.9)\n'
    'model linear = QuantileRegressor(quantile=0.9, solver="highs", alpha=0)\n'
    "model baseline = DummyRegressor(strategy=quantile, quantile=0.9)\n"
    "\n"
    "protocol cv folds=5\n"
    "measure {}(quantile=0.9)\n"
)


@METRICS.register(
    MetricDeclaration(
        "values",
        "lower",
        0,
        title_with_options="Pinball loss of the {quantile} quantile",
        of_examples="pinball losses",
        tail=lambda options: Tail(
            min(float(options["quantile"]), 1 - float(options["quantile"])),
            "coverage of 95% intervals was 82% in simulations with 3 values beyond the quantile",
        ),
        unit="target",
        when="models predict a quantile of the target, such as a demand exceeded one day in ten",
        when_not="models predict means or medians: mse, mae",
        formula=(
            "for each example `quantile` times the amount by which the prediction is too low, or "
            "(1 - quantile) times that by which it is too high; the mean over the examples"
        ),
        equation=(
            r"\frac{1}{n} \sum_i \rho_q(y_i - \hat{y}_i), \quad \rho_q(u) = \max(q u, (q - "
            r"1) u), \quad q = \mathrm{quantile}"
        ),
        differs={"scikit-learn": "there the quantile is called alpha"},
        example=OF_QUANTILE.format("pinball"),
    ),
    title="Pinball loss",
    references=(cite("koenker1978"),),
    examples=(
        Example(
            ((1, 2, 3), (0, 2, 3), None),
            {"value": 0.03},
            SCIKIT_LEARN.format("mean_pinball_loss"),
            tolerance=0.005,
            options={"quantile": 0.1},
        ),
        Example(
            ((1, 2, 3), (1, 2, 4), None),
            {"value": 0.3},
            SCIKIT_LEARN.format("mean_pinball_loss"),
            tolerance=0.005,
            options={"quantile": 0.1},
        ),
    ),
)
def pinball(
    truth: ArrayLike,
    output: ArrayLike,
    positive: None = None,
    *,
    quantile: Annotated[float, Bounds(above=0, below=1)],
) -> NDArray[np.float64]:
    """The loss whose mean is least at a quantile of the target, in the target's unit.

    max(q (y - f), (q - 1) (y - f)). Raises `ValueError` for a quantile outside 0 to 1.
    """
    error = np.asarray(truth, dtype=np.float64) - np.asarray(output, dtype=np.float64)
    loss: NDArray[np.float64] = np.maximum(quantile * error, (quantile - 1) * error)
    return loss


@METRICS.register(
    MetricDeclaration(
        "values",
        "higher",
        None,
        1,
        under_weights=lambda *given: _removed_shares(*given),
        when=(
            "absolute errors, or pinball losses, are judged relative to those of the best constant"
        ),
        when_not=(
            "data sets whose targets differ in spread are compared: mae; models predict means: r2"
        ),
        formula=(
            "1 less the sum of pinball losses divided by that of the best constant in the same "
            "test part, the quantile of its true values; over folds, the mean of the folds' values"
        ),
        equation=(
            r"1 - \frac{\sum_i \rho_q(y_i - \hat{y}_i)}{\sum_i \rho_q(y_i - y_q)}, \quad "
            r"\rho_q(u) = \max(q u, (q - 1) u), \quad q = \mathrm{quantile}"
        ),
        differs={
            "scikit-learn": (
                "d2_absolute_error_score is this with quantile=0.5, d2_pinball_score with any; "
                "they give 0 or 1 for a constant truth, which is undefined here"
            ),
        },
    ),
    title="D² of the pinball loss",
    references=(cite("koenker1999"),),
    examples=(
        Example(
            ((3, -0.5, 2, 7), (2.5, 0.0, 2, 8), None),
            {"value": 0.764},
            SCIKIT_LEARN.format("d2_absolute_error_score"),
            tolerance=0.001,
        ),
        Example(
            ((1, 2, 3), (1, 3, 3), None),
            {"value": 0.666},
            SCIKIT_LEARN.format("d2_pinball_score"),
            tolerance=0.001,
            options={"quantile": 0.9},
        ),
    ),
)
def d2(
    truth: ArrayLike,
    output: ArrayLike,
    positive: None = None,
    weights: ArrayLike | None = None,
    *,
    quantile: Annotated[float, Bounds(above=0, below=1)] = 0.5,
) -> float:
    """The share of the best constant's pinball loss that is removed: 1 - loss / loss of it.

    With a quantile of 0.5 the share of the absolute deviations from the median. Undefined (NaN)
    where the truth is constant, and for a single example. Raises `ValueError` for a quantile
    outside 0 to 1.
    """
    return value_under(_removed_shares, truth, output, None, weights, quantile=quantile)


def _removed_shares(o: Outcome, options: Mapping[str, Any]) -> Statistic:
    """Prepare the share that is removed of the best constant's loss, for many weightings."""
    truth, quantile = np.asarray(o.truth, dtype=np.float64), float(options.get("quantile", 0.5))
    losses = pinball(truth, o.output, quantile=quantile)
    if np.isnan(losses).any() or not len(losses):
        return undefined
    order = np.argsort(truth, kind="stable")
    ordered = truth[order]

    def statistic(weights: NDArray[Any]) -> NDArray[np.float64]:
        # einsum and not BLAS: the same bits for any number of threads
        lost = np.einsum("ij,j->i", weights, losses, dtype=np.float64)
        drawn = weights.take(order, axis=1)
        upto = np.cumsum(drawn, axis=1, dtype=np.float64)
        found = np.full(len(weights), np.nan)
        for row in np.flatnonzero(upto[:, -1] > 0):
            # Where the pinball loss of a constant is least
            place = np.searchsorted(upto[row], quantile * upto[row, -1])
            constant = np.full(len(ordered), ordered[min(int(place), len(ordered) - 1)])
            of_constant = pinball(ordered, constant, quantile=quantile)
            least = np.einsum("j,j->", drawn[row], of_constant, dtype=np.float64)
            if least > 0:
                found[row] = 1 - lost[row] / least
        return found

    return statistic


OF_RANGES = (
    'predictions load "Load of a grid (synthetic)" from "data/load_ranges.csv"\n'
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
        "ranges",
        "lower",
        0,
        unit="target",
        of_examples="interval scores",
        tail=lambda options: Tail(
            1 - float(options["level"]),
            "coverage of 95% intervals was 89% in simulations with 6 values outside the bounds",
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
    y, bounds = np.asarray(truth), np.asarray(output)
    low, high = bounds[:, 0], bounds[:, 1]
    outside = np.maximum(low - y, 0.0) + np.maximum(y - high, 0.0)
    score: NDArray[np.float64] = high - low + 2.0 / (1.0 - level) * outside
    return score
