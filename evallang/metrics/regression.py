"""Metrics of predicted values: losses per example where the metric is a mean, else scores.

`truth` and `output` are floats (n,) in the unit of the target.
"""

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
    Moments,
    Outcome,
    Statistic,
    value_under,
)
from evallang.registry import Bounds, Example, Situation
from evallang.stats.score_counts import undefined
from evallang.stats.validity import Tail

TRUTH, PREDICTED = (3, -0.5, 2, 7), (2.5, 0.0, 2, 8)
"""scikit-learn's example of regression metrics."""


OF_SQUARES = Tail(
    0.002, "coverage of 95% intervals was 72 to 88% in simulations with heavy-tailed errors"
)
OF_ABSOLUTE = Tail(0.1, "coverage of 95% intervals was 92% in simulations with heavy-tailed errors")
OF_PERCENT = Tail(0.05, "coverage of 95% intervals was 92% in simulations with true values near 0")


@METRICS.register(
    MetricDeclaration(
        "values",
        "lower",
        0,
        of_examples="squared errors",
        squares=True,
        default=True,
        tail=lambda options: OF_SQUARES,
        abbreviation="MSE",
        when="the model predicts means, and large errors are disproportionately bad",
        when_not=(
            "readers need a value in the target's unit: rmse; a few extremes must not dominate "
            "the value: mae"
        ),
        formula="the squared difference of truth and prediction; the mean over the examples",
        equation=r"\frac{1}{n} \sum_i (y_i - \hat{y}_i)^2",
        differs={
            "scikit-learn": (
                "`neg_mean_squared_error` is minus this; here a loss is a loss, and its "
                "direction is known"
            ),
        },
    ),
    title="Mean squared error",
    references=(cite("hyndman2006"),),
    examples=(
        Example(
            (TRUTH, PREDICTED, None), {"value": 0.375}, SCIKIT_LEARN.format("mean_squared_error")
        ),
    ),
)
def mse(truth: ArrayLike, output: ArrayLike, positive: None = None) -> NDArray[np.float64]:
    """The mean squared difference of truth and prediction, in the target's unit squared."""
    with np.errstate(over="ignore"):  # infinite, which every interval and test knows
        return _difference(truth, output) ** 2


@METRICS.register(
    MetricDeclaration(
        "values",
        "lower",
        0,
        of_examples="squared errors",
        transform="sqrt",
        unit="target",
        squares=True,
        tail=lambda options: OF_SQUARES,
        abbreviation="RMSE",
        when="as for mse, in the target's unit",
        when_not="a few extremes must not dominate the value: mae",
        formula=(
            "the squared difference of truth and prediction; the mean over all test "
            "examples; the square root of that"
        ),
        equation=r"\sqrt{\frac{1}{n} \sum_i (y_i - \hat{y}_i)^2}",
        differs={
            "scikit-learn": (
                "cross_val_score takes the root in each fold and averages the roots, which "
                "is never larger over folds of one size; here the root is taken once, of the "
                "mean over all examples"
            ),
        },
        first_for={Situation.NUMBERS: 2},
    ),
    title="Root mean squared error",
    references=(cite("hyndman2006"),),
    examples=(
        Example(
            (TRUTH, PREDICTED, None),
            {"value": 0.612},
            SCIKIT_LEARN.format("root_mean_squared_error"),
            tolerance=0.0005,
        ),
    ),
)
def rmse(truth: ArrayLike, output: ArrayLike, positive: None = None) -> NDArray[np.float64]:
    """The square root of the mean squared difference of truth and prediction.

    The root is taken of the mean over all test examples, not fold by fold.
    """
    with np.errstate(over="ignore"):  # infinite, which every interval and test knows
        return _difference(truth, output) ** 2


@METRICS.register(
    MetricDeclaration(
        "values",
        "lower",
        0,
        of_examples="absolute errors",
        unit="target",
        proposed=True,
        tail=lambda options: OF_ABSOLUTE,
        abbreviation="MAE",
        when="errors should count in proportion to their size, in the target's unit",
        when_not=(
            "large errors are disproportionately bad: rmse; the model predicts means, and the "
            "target is skewed: mse"
        ),
        formula="the absolute difference of truth and prediction; the mean over the examples",
        equation=r"\frac{1}{n} \sum_i |y_i - \hat{y}_i|",
        first_for={Situation.NUMBERS: 1},
    ),
    title="Mean absolute error",
    references=(cite("hyndman2006"),),
    examples=(
        Example(
            (TRUTH, PREDICTED, None), {"value": 0.5}, SCIKIT_LEARN.format("mean_absolute_error")
        ),
    ),
)
def mae(truth: ArrayLike, output: ArrayLike, positive: None = None) -> NDArray[np.float64]:
    """The mean absolute difference of truth and prediction, in the target's unit."""
    return np.abs(_difference(truth, output))


@METRICS.register(
    MetricDeclaration(
        "values",
        "lower",
        0,
        unit="percent",
        remark=lambda outcome: _near_zero(outcome),
        of_examples="absolute percentage errors",
        tail=lambda options: OF_PERCENT,
        abbreviation="MAPE",
        when=("errors should count relative to the size of the truth, which is never near 0"),
        when_not=(
            "the truth may be near 0, or predictions that are too high and too low must count "
            "equally: mae"
        ),
        formula=(
            "the absolute difference of truth and prediction, divided by the absolute truth; "
            "the mean over the examples"
        ),
        equation=r"\frac{1}{n} \sum_i \frac{|y_i - \hat{y}_i|}{|y_i|}",
    ),
    title="Mean absolute percentage error",
    references=(cite("hyndman2006"),),
    examples=(
        Example(
            (TRUTH, PREDICTED, None),
            {"value": 0.3273},
            SCIKIT_LEARN.format("mean_absolute_percentage_error"),
            tolerance=0.0001,
        ),
    ),
)
def mape(truth: ArrayLike, output: ArrayLike, positive: None = None) -> NDArray[np.float64]:
    """The mean absolute difference of truth and prediction as a share of the truth: 0.1 is 10 %.

    Where the truth is 0 it is divided by the machine epsilon, as scikit-learn does, and the
    metric is huge: it means nothing there, and the estimate states so. It also states where
    examples with a truth below a hundredth of the median make up a tenth of the value or more.
    """
    size = np.abs(np.asarray(truth, dtype=np.float64))
    share: NDArray[np.float64] = np.abs(_difference(truth, output)) / np.maximum(
        size, np.finfo(np.float64).eps
    )
    return share


NEAR_ZERO, MUCH = 0.01, 0.1
"""The share of the median size below which a truth is near 0, and of the value that is stated."""


def _near_zero(outcome: Outcome) -> str | None:
    size = np.abs(np.asarray(outcome.truth, dtype=np.float64))
    n, zeros = len(size), int(np.count_nonzero(size == 0))
    if zeros:
        return (
            f"the truth is 0 in {zeros} of {n} examples, so that the value means nothing; "
            "mae and smape are defined there"
        )
    if not n:
        return None
    near = size < NEAR_ZERO * np.median(size)
    errors = mape(outcome.truth, outcome.output)
    if outcome.weights is not None:
        errors = errors * outcome.weights
    total = float(errors.sum())
    share = float(errors[near].sum()) / total if total > 0 else 0.0
    if share < MUCH:
        return None
    return (
        f"{np.count_nonzero(near)} of {n} examples have a truth below a hundredth of its median "
        f"size, and make up {share:.0%} of the value"
    )


@METRICS.register(
    MetricDeclaration(
        "values",
        "lower",
        0,
        2,
        unit="percent",
        of_examples="symmetric percentage errors",
        tail=lambda options: OF_ABSOLUTE,
        abbreviation="sMAPE",
        when="published forecasts report it",
        when_not=(
            "the choice is free, because a prediction that is too low counts more than one "
            "that is equally too high, and a truth or prediction of 0 counts most: mae, mase"
        ),
        formula=(
            "twice the absolute difference of truth and prediction, divided by the sum of their "
            "absolute values, and 0 where both are 0; the mean over the examples"
        ),
        equation=r"\frac{1}{n} \sum_i \frac{2 |y_i - \hat{y}_i|}{|y_i| + |\hat{y}_i|}",
        differs={
            "other definitions": (
                "some give it from 0 to 100 %, or divide by the sum without absolute values; "
                "here it is from 0 to 2"
            ),
        },
    ),
    title="Symmetric mean absolute percentage error",
    references=(cite("makridakis1993"), cite("hyndman2006")),
    examples=(
        Example(
            ((150, 100, 0, 0), (100, 150, 0, 5), None),
            {"value": 0.7},
            "by hand: 2/5, 2/5, 0 and 2",
        ),
    ),
)
def smape(truth: ArrayLike, output: ArrayLike, positive: None = None) -> NDArray[np.float64]:
    """The absolute error as a share of the mean size of truth and prediction: 0.1 is 10 %."""
    sizes = np.abs(np.asarray(truth, dtype=np.float64)) + np.abs(
        np.asarray(output, dtype=np.float64)
    )
    error = 2 * np.abs(_difference(truth, output))
    share: NDArray[np.float64] = np.divide(error, sizes, out=np.zeros(len(sizes)), where=sizes != 0)
    return share


@METRICS.register(
    MetricDeclaration(
        "values",
        "lower",
        0,
        of_examples="scaled errors",
        tail=lambda options: OF_ABSOLUTE,
        abbreviation="MASE",
        when="forecasts of several series, or in several units, need a common scale",
        when_not="one series is forecast, and its unit is meaningful: mae",
        formula=(
            "the absolute difference of truth and prediction, divided by `scale`: the mean "
            "absolute error of the naive forecast in the training part of the series; the mean "
            "over the examples"
        ),
        equation=r"\frac{1}{n} \sum_i \frac{|y_i - \hat{y}_i|}{\mathrm{scale}}",
        differs={
            "sktime": (
                "there the scale is computed from a training series that is given to the metric; "
                "here the author states it, so that it is the same in each fold"
            ),
        },
        example="mase(scale=66)  # the mean absolute deviation of the target",
    ),
    title="Mean absolute scaled error",
    references=(cite("hyndman2006"),),
    examples=(
        Example(
            (TRUTH, PREDICTED, None),
            {"value": 0.25},
            "by hand: the mean absolute error of 0.5, divided by 2",
            options={"scale": 2},
        ),
    ),
)
def mase(
    truth: ArrayLike,
    output: ArrayLike,
    positive: None = None,
    *,
    scale: Annotated[float, Bounds(above=0)],
) -> NDArray[np.float64]:
    """The absolute error as a multiple of a stated scale, often a naive forecast's mean error.

    Raises `ValueError` unless the scale is above 0.
    """
    error: NDArray[np.float64] = np.abs(_difference(truth, output)) / scale
    return error


@METRICS.register(
    MetricDeclaration(
        "values",
        "lower",
        0,
        unit="target",
        under_weights=lambda *given: _medians(*given),
        when=("the error of a typical example is of interest, whatever a few extremes do"),
        when_not=("large errors matter, because it ignores up to half of the examples: mae, rmse"),
        formula=(
            "the median over the test examples of the absolute difference of truth and "
            "prediction; over folds, the mean of the folds' medians"
        ),
        equation=r"\mathrm{median}_i\, |y_i - \hat{y}_i|",
    ),
    title="Median absolute error",
    references=(cite("hyndman2006"),),
    examples=(
        Example(
            (TRUTH, PREDICTED, None), {"value": 0.5}, SCIKIT_LEARN.format("median_absolute_error")
        ),
    ),
)
def medae(
    truth: ArrayLike,
    output: ArrayLike,
    positive: None = None,
    weights: ArrayLike | None = None,
) -> float:
    """The median of the absolute differences of truth and prediction, in the target's unit.

    With weights, the middle of the two values that bound half of the total weight where
    it falls between two examples.
    """
    return value_under(_medians, truth, output, None, weights)


def _medians(o: Outcome, options: Mapping[str, Any]) -> Statistic:
    """Prepare the median of the absolute errors for many weightings."""
    values = np.abs(_difference(o.truth, o.output))
    if np.isnan(values).any() or not len(values):
        return undefined
    order = np.argsort(values, kind="stable")
    ordered = values[order]

    def statistic(weights: NDArray[Any]) -> NDArray[np.float64]:
        upto = np.cumsum(weights.take(order, axis=1), axis=1, dtype=np.float64)
        found = np.full(len(weights), np.nan)
        for row in np.flatnonzero(upto[:, -1] > 0):
            half = upto[row, -1] / 2
            bounds = (np.searchsorted(upto[row], half, side) for side in ("left", "right"))
            found[row] = sum(ordered[place] for place in bounds) / 2
        return found

    return statistic


@METRICS.register(
    MetricDeclaration(
        "values",
        "lower",
        0,
        unit="target",
        no_interval="resampling never shows an error larger than the largest one seen",
        when="the worst single error must stay below a bound",
        when_not=(
            "test sets of different size are compared, because it grows with the number of examples"
        ),
        formula=(
            "the largest absolute difference of truth and prediction in the test set; over "
            "folds, the mean of the folds' values"
        ),
        equation=r"\max_i |y_i - \hat{y}_i|",
    ),
    title="Maximum error",
    references=(cite("pedregosa2011"),),
    examples=(
        Example(((3, 2, 7, 1), (4, 2, 7, 1), None), {"value": 1}, SCIKIT_LEARN.format("max_error")),
    ),
)
def max_error(
    truth: ArrayLike,
    output: ArrayLike,
    positive: None = None,
    weights: ArrayLike | None = None,
) -> float:
    """The largest absolute difference of truth and prediction; weights do not change it."""
    return float(np.max(np.abs(_difference(truth, output))))


CANCELLED = 1e-9  # share of the sum of squares below which its difference has lost its digits


def _moments_of_r2(o: Outcome) -> Moments:
    """Write R² by the squared errors, and by the truth and its square about its median.

    Where the truth varies far less than its distance from that median, R² is undefined.
    """
    value = np.asarray(o.truth, dtype=np.float64)
    centred = value - (np.median(value) if len(value) else 0.0)
    with np.errstate(over="ignore"):
        errors = _difference(o.truth, o.output) ** 2

    def function(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        weight, first, second, residual = sums
        with np.errstate(all="ignore"):
            total = second - first**2 / weight
            return np.where(total > CANCELLED * second, 1 - residual / total, np.nan)

    return Moments(np.array([np.ones(len(value)), centred, centred**2, errors]), function)


@METRICS.register(
    MetricDeclaration(
        "values",
        "higher",
        None,
        1,
        squares=True,
        moments=_moments_of_r2,
        known_without_skill=True,
        tail=lambda options: OF_SQUARES,
        when="the error is judged relative to that of predicting the mean",
        when_not=(
            "data sets whose targets differ in spread are compared: rmse; folds are small, "
            "where it is undefined or very negative: mse"
        ),
        formula=(
            "1 less the sum of squared errors divided by the sum of squared deviations of "
            "the truth from its mean in the same test part; over folds, the mean of the "
            "folds' values"
        ),
        equation=r"1 - \frac{\sum_i (y_i - \hat{y}_i)^2}{\sum_i (y_i - \bar{y})^2}",
        differs={
            "scikit-learn": (
                "a constant truth gives 0 or 1 there (`force_finite`); here it is undefined, "
                "and the fold is excluded with a note"
            ),
        },
        first_for={Situation.NUMBERS: 3},
    ),
    title="R²",
    references=(cite("chicco2021"),),
    examples=(
        Example(
            (TRUTH, PREDICTED, None),
            {"value": 0.948},
            SCIKIT_LEARN.format("r2_score"),
            tolerance=0.001,
        ),
    ),
)
def r2(
    truth: ArrayLike,
    output: ArrayLike,
    positive: None = None,
    weights: ArrayLike | None = None,
) -> float:
    """The share of the truth's variance that is explained: 1 - SS_residual / SS_total.

    SS_total is about the mean of the same test examples. Undefined (NaN) where the truth
    is constant, where scikit-learn's `force_finite` makes it 0 or 1, and for a single
    example.
    """
    value = np.asarray(truth, dtype=np.float64)
    weight = np.ones(len(value)) if weights is None else np.asarray(weights, dtype=np.float64)
    if not value.size or (value == value[0]).all():
        return float("nan")
    total = (weight * (value - np.average(value, weights=weight)) ** 2).sum()
    residual = (weight * _difference(truth, output) ** 2).sum()
    return float(1 - residual / total) if total > 0 else float("nan")


def _difference(truth: ArrayLike, output: ArrayLike) -> NDArray[np.float64]:
    return np.asarray(truth, dtype=np.float64) - np.asarray(output, dtype=np.float64)
