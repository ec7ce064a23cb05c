"""Metrics of probabilities, of their calibration, and of the cost of decisions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.metrics.by_class import recall, specificity
from evallang.metrics.metric import (
    METRICS,
    MetricDeclaration,
    Outcome,
    Statistic,
    SummedShares,
    value_under,
)
from evallang.registry import Bounds, Example, Situation
from evallang.stats.logistic import (
    logistic_fits,
    logistic_influences,
    logits,
    weighted_intercepts,
    weighted_slopes,
)
from evallang.stats.score_counts import ratio

AT_ONCE = 1 << 18  # examples whose probabilities are looked up together


@METRICS.register(
    MetricDeclaration(
        "probabilities",
        "lower",
        0,
        of_examples="log losses",
        when=(
            "predicted probabilities are used as probabilities, and confident mistakes are the "
            "worst"
        ),
        when_not="a single confident mistake must not dominate the value: brier",
        formula=(
            "minus the natural logarithm of the probability that was given to the class that "
            "occurred; the mean over the examples"
        ),
        equation=r"-\frac{1}{n} \sum_i \ln p_{i, y_i}",
    ),
    title="Log loss",
    references=(cite("good1952"),),
    examples=(
        Example(
            ((1, 0, 0, 1), ((0.1, 0.9), (0.9, 0.1), (0.8, 0.2), (0.35, 0.65)), 1),
            {"value": 0.21616},
            "scikit-learn 1.9, docstring of log_loss",
            tolerance=0.00001,
        ),
    ),
)
def log_loss(truth: ArrayLike, output: ArrayLike, positive: int | None) -> NDArray[np.float64]:
    """Minus the natural logarithm of the probability given to the true class.

    Probabilities are kept at least the machine epsilon of their type away from 0 and 1, as
    scikit-learn does: a certain and wrong prediction costs 36.04 in double precision.
    """
    probability = _probabilities(output)
    epsilon = np.finfo(probability.dtype).eps
    loss: NDArray[np.float64] = _true_class_column(np.asarray(truth), probability, positive)
    # In place: the probabilities of ten million examples take 80 megabytes
    np.clip(loss, epsilon, 1 - epsilon, out=loss)
    np.log(loss, out=loss)
    np.negative(loss, out=loss)
    return loss


@METRICS.register(
    MetricDeclaration(
        "probabilities",
        "lower",
        0,
        2,
        of_examples="squared errors of the probabilities",
        when=(
            "predicted probabilities are used as probabilities, and should be both calibrated "
            "and sharp"
        ),
        when_not=(
            "mistakes with probabilities near 0 and 1 are unacceptable: log_loss; only the "
            "order of the scores is used: roc_auc"
        ),
        formula=(
            "for each example the squared distance between the predicted probabilities and 1 "
            "for the class that occurred, 0 for the others; the mean over the examples (for "
            "two classes: of the positive class alone)"
        ),
        equation=(
            r"\frac{1}{n} \sum_i \sum_c \left(p_{ic} - [y_i = c]\right)^2, \quad "
            r"\mathrm{for\ two\ classes} \quad \frac{1}{n} \sum_i \left(p_i - y_i\right)^2"
        ),
        first_for={Situation.TIME: 1},
    ),
    title="Brier score",
    references=(cite("brier1950"),),
    examples=(
        Example(
            ((0, 1, 1, 0), (0.1, 0.9, 0.8, 0.3), 1),
            {"value": 0.0375},
            "scikit-learn 1.9, docstring of brier_score_loss",
        ),
    ),
)
def brier(truth: ArrayLike, output: ArrayLike, positive: int | None) -> NDArray[np.float64]:
    """The mean squared distance of the predicted probabilities from the outcomes.

    For two classes (p - y)^2 of the positive class, from 0 to 1; for more the sum over the
    classes of (p_j - y_j)^2, from 0 to 2 (Brier's own definition). So does scikit-learn.
    """
    codes, probability = np.asarray(truth), _probabilities(output)
    if probability.ndim == 1 or probability.shape[1] == 2:
        return (1 - _true_class_column(codes, probability, positive)) ** 2
    loss = np.empty(len(codes), probability.dtype)
    for start in range(0, len(codes), AT_ONCE):
        rows = slice(start, start + AT_ONCE)
        happened = codes[rows, None] == np.arange(probability.shape[1])
        loss[rows] = ((probability[rows] - happened) ** 2).sum(axis=1)
    return loss


def _probabilities(output: ArrayLike) -> NDArray[Any]:
    probability = np.asarray(output)
    return probability if probability.dtype.kind == "f" else probability.astype(np.float64)


def _true_class_column(
    truth: NDArray[Any], probability: NDArray[Any], positive: int | None
) -> NDArray[Any]:
    if probability.ndim == 1:
        return np.where(truth == positive, probability, 1 - probability)
    given = np.empty(len(truth), probability.dtype)
    for start in range(0, len(truth), AT_ONCE):
        part = truth[start : start + AT_ONCE]
        given[start : start + AT_ONCE] = probability[start + np.arange(len(part)), part]
    return given


@METRICS.register(
    MetricDeclaration(
        "labels",
        "lower",
        mean_over_rows=True,
        title_with_options="Cost by the matrix {matrix}",
        matrix_of_classes=True,
        when="the cost of each kind of mistake is known",
        when_not="costs are guesses: add recall and specificity",
        formula=(
            "add up, over all examples, the cost in the row of the true class and the column "
            "of the predicted one; divide by the number of examples"
        ),
        equation=r"\frac{1}{n} \sum_{i,j} M_{ij} C_{ij}, \quad M = \mathrm{matrix}",
        example="cost([[0, 1], [20, 0]])  # rows: true benign, malignant",
    ),
    title="Cost",
    references=(cite("elkan2001"), cite("zhou2021")),
    examples=(
        Example(
            (((54, 32), (27, 231)), 1),
            {"value": (32 * 50 + 27 * 10) / 344},
            "by hand",
            options={"matrix": ((0, 50), (10, 0))},
        ),
    ),
)
def cost(
    counts: ArrayLike, positive: int | None, *, matrix: list[list[float]]
) -> NDArray[np.float64]:
    """The mean cost of a prediction, from a matrix with true classes in its rows.

    `matrix[i][j]` is the cost of predicting class j for an example of class i, both in the
    order of the labels. A predicted label that is none of the classes costs as much as the
    costliest label of its row. Raises `ValueError` unless the matrix is k by k.
    """
    table = np.asarray(counts, dtype=np.float64)
    k = table.shape[-2]
    try:
        costs = np.asarray([[float(cell) for cell in row] for row in matrix])
    except (TypeError, ValueError):
        raise ValueError("the matrix of cost must be rows of numbers of one length") from None
    if costs.shape != (k, k):
        raise ValueError(
            f"the matrix of cost must have {k} rows of {k} numbers, one for each class"
        )
    costs = np.column_stack([costs, costs.max(axis=1)])[:, : table.shape[-1]]
    return ratio((table * costs).sum((-2, -1)), table.sum((-2, -1)))


@METRICS.register(
    MetricDeclaration(
        "labels",
        "lower",
        0,
        1,
        binary_only=True,
        of_positive=True,
        when=(
            "the share of positives in use and the costs of both mistakes are known, and the "
            "share differs from that of the test rows"
        ),
        when_not=("costs are guesses: recall and specificity, or cost_curve_area over all costs"),
        formula=(
            "the share of positives predicted negative times `share`, plus the share of negatives "
            "predicted positive times (1 - share); `share` is p times the cost of the first "
            "mistake, divided by that plus (1 - p) times the cost of the second, for a share p of "
            "positives in use"
        ),
        equation=(r"x \frac{FN}{TP + FN} + (1 - x) \frac{FP}{FP + TN}, \quad x = \mathrm{share}"),
        example="normalized_cost(share=0.2)  # 1 of 81 is positive, and missing it costs 20",
        of_margins=True,
    ),
    title="Normalized expected cost",
    references=(cite("zhou2021"), cite("drummond2006")),
    examples=(
        Example(
            (((54, 32), (27, 231)), 1),
            {"value": 0.25 * 27 / 258 + 0.75 * 32 / 86},
            "by hand, with Zhou's definition",
            options={"share": 0.25},
        ),
    ),
)
def normalized_cost(
    counts: ArrayLike, positive: int | None, *, share: Annotated[float, Bounds(least=0, most=1)]
) -> NDArray[np.float64]:
    """The expected cost for stated shares of the classes and costs, as a share of the largest.

    FNR x + FPR (1 - x) at the probability cost x of the positive class (Zhou 2021, 2.3.4).
    Undefined (NaN) without positives or without negatives. Raises `ValueError` unless there are
    two classes and the share is from 0 to 1.
    """
    found = recall(counts, positive, average="binary")
    rejected = specificity(counts, positive, average="binary")
    return share * (1 - found) + (1 - share) * (1 - rejected)


@METRICS.register(
    MetricDeclaration(
        "probabilities",
        "lower",
        0,
        1,
        known_without_skill=True,
        no_interval=(
            "its estimate is too large on average, the more so the fewer examples a bin holds, "
            "and resampling adds to that"
        ),
        abbreviation="ECE",
        when="the field reports it, with the same number of bins",
        when_not=(
            "models are compared: brier or log_loss; the value depends on the bins, and a "
            "model that predicts the overall share for every example has the value 0"
        ),
        formula=(
            "cut the range from 0 to 1 into bins of equal width; in each bin the absolute "
            "difference of the mean probability and the share that happened, weighted by the "
            "share of examples; for two classes of the positive class, for more of the class with "
            "the highest probability; over folds, the mean of the folds' values"
        ),
        equation=r"\sum_b \frac{n_b}{n} \left| \bar{p}_b - \bar{y}_b \right|",
    ),
    title="Expected calibration error",
    references=(cite("naeini2015"), cite("guo2017")),
    examples=(
        Example(
            ((0, 1, 1, 0, 1), (0.04, 0.06, 0.72, 0.78, 0.96), 1),
            {"value": (2 * 0.45 + 2 * 0.25 + 0.04) / 5},
            "by hand: bins with means .05, .75, .96 and shares 1/2, 1/2, 1",
        ),
    ),
)
def ece(
    truth: ArrayLike,
    output: ArrayLike,
    positive: int | None,
    weights: ArrayLike | None = None,
    *,
    bins: Annotated[int, Bounds(least=1)] = 10,
) -> float:
    """The mean absolute difference of predicted probability and observed share over bins.

    A bin holds its upper bound, the first one 0 as well. Raises `ValueError` for fewer than one
    bin.
    """
    codes, probability = np.asarray(truth), np.asarray(output, dtype=np.float64)
    weight = np.ones(len(codes)) if weights is None else np.asarray(weights, dtype=np.float64)
    if probability.ndim == 2 and probability.shape[1] > 2:
        named = probability.argmax(axis=1)
        given, happened = probability.max(axis=1), codes == named
    else:
        given = probability if probability.ndim == 1 else probability[:, positive]
        happened = codes == positive
    if not weight.sum() > 0 or np.isnan(given).any():
        return float("nan")
    place = np.clip(np.ceil(given * bins).astype(np.int64) - 1, 0, bins - 1)
    gap = np.bincount(place, weight * (given - happened), minlength=bins)
    return float(np.abs(gap).sum() / weight.sum())


def _alarms(o: Outcome, options: Mapping[str, Any]) -> SummedShares:
    """State the net benefit as the share of true alarms, less that of false ones at the odds."""
    threshold = float(options["threshold"])
    right, n = np.asarray(o.truth) == o.positive, len(o.truth)
    return SummedShares(
        np.array([1.0, -threshold / (1 - threshold)]),
        np.zeros(2, dtype=np.int64),
        np.zeros(n, dtype=np.int64),
        np.where(_probability(o.output, o.positive) >= threshold, np.where(right, 0, 1), -1),
    )


def _probability(output: ArrayLike, positive: int | None) -> NDArray[Any]:
    """Return the probability of the positive class (n,)."""
    given: NDArray[Any] = np.asarray(output)
    return given if given.ndim == 1 else given[:, positive]


@METRICS.register(
    MetricDeclaration(
        "probabilities",
        "higher",
        None,
        1,
        binary_only=True,
        of_positive=True,
        of_examples="net benefits",
        shares=_alarms,
        title_with_options="Net benefit at a threshold of {threshold}",
        when=(
            "action is taken above a stated probability, which expresses the relative cost of "
            "mistakes"
        ),
        when_not=(
            "no threshold has been agreed on: a decision curve over several thresholds; only "
            "the order of the scores is used: roc_auc"
        ),
        formula=(
            "the share of all examples that are positive and have a probability of at least "
            "`threshold`, less the share that are negative and have one, times threshold / "
            "(1 - threshold)"
        ),
        equation=(r"\frac{TP_t}{n} - \frac{FP_t}{n} \frac{t}{1 - t}, \quad t = \mathrm{threshold}"),
        example="net_benefit(threshold=0.1)  # nine false alarms are as bad as one miss",
    ),
    title="Net benefit",
    references=(cite("vickers2006"),),
    examples=(
        Example(
            ((1, 1, 0, 0, 0), (0.9, 0.1, 0.2, 0.3, 0.1), 1),
            {"value": (1 - 2 * 0.25) / 5},
            "by hand: one true and two false positives at 0.2",
            options={"threshold": 0.2},
        ),
    ),
)
def net_benefit(
    truth: ArrayLike,
    output: ArrayLike,
    positive: int | None,
    *,
    threshold: Annotated[float, Bounds(least=0, below=1)],
) -> NDArray[np.float64]:
    """True positives less false ones at the odds of the threshold, as a share of all examples.

    Each example adds 1, -threshold / (1 - threshold) or 0. Acting on no one has 0. Raises
    `ValueError` for a threshold outside 0 to 1.
    """
    gain = np.where(np.asarray(truth) == positive, 1.0, -threshold / (1 - threshold))
    return np.where(_probability(output, positive) >= threshold, gain, 0.0)


# --- Cox's regression -------------------------------------------------------------------------

TRUTH = (0, 0, 0, 1, 0, 1, 1, 1)
HALVES = (0.25, 0.25, 0.25, 0.25, 0.75, 0.75, 0.75, 0.75)


def _slopes(o: Outcome, options: Mapping[str, Any]) -> Statistic | None:
    logit, happened = _logits(o.truth, o.output, o.positive)
    return lambda weights: weighted_slopes(logit, happened, weights)


def _intercepts(o: Outcome, options: Mapping[str, Any]) -> Statistic | None:
    logit, happened = _logits(o.truth, o.output, o.positive)
    return lambda weights: weighted_intercepts(logit, happened, weights)


def _influences_on_slope(o: Outcome) -> NDArray[np.float64]:
    logit, happened = _logits(o.truth, o.output, o.positive)
    x = np.column_stack([np.ones(o.n), logit])
    beta = logistic_fits(x, happened, np.ones((1, o.n)))[0]
    if np.isnan(beta[0]):
        return np.full(o.n, np.nan)
    return logistic_influences(x, happened, beta)[:, 1]


def _influences_on_intercept(o: Outcome) -> NDArray[np.float64]:
    logit, happened = _logits(o.truth, o.output, o.positive)
    x = np.ones((o.n, 1))
    beta = weighted_intercepts(logit, happened, x.T)
    return logistic_influences(x, happened, beta, logit)[:, 0]


@METRICS.register(
    MetricDeclaration(
        "probabilities",
        "nearest",
        binary_only=True,
        of_positive=True,
        ideal=1.0,
        under_weights=_slopes,
        influences=_influences_on_slope,
        when=(
            "the question is whether probabilities are too extreme (below 1, as after "
            "overfitting) or not extreme enough (above 1)"
        ),
        when_not=(
            "models are compared or tuned: brier or log_loss, which have a direction; the level "
            "of the probabilities is in question: calibration_intercept; their shape: the "
            "analysis calibration"
        ),
        formula=(
            "a logistic regression of the truth on the logit of the predicted probability: its "
            "coefficient; probabilities are kept 0.000001 away from 0 and 1; over folds, the mean "
            "of the folds' values"
        ),
        equation=(
            r"\hat{\beta} \quad \mathrm{of} \quad \ln \frac{P(y_i = 1)}{P(y_i = 0)} = "
            r"\alpha + \beta \ln \frac{p_i}{1 - p_i}"
        ),
    ),
    title="Calibration slope",
    references=(cite("cox1958"), cite("vancalster2019")),
    examples=(
        Example(
            (TRUTH, HALVES, 1),
            {"value": 1.0},
            "closed form: each of two probabilities is the share that happened",
        ),
    ),
)
def calibration_slope(
    truth: ArrayLike,
    output: ArrayLike,
    positive: int | None,
    weights: ArrayLike | None = None,
) -> float:
    """The coefficient of the logit of the predicted probability in a regression of the truth.

    1 where the probabilities are neither too extreme nor too moderate. Undefined (NaN) where a
    class has no example, all probabilities are equal, or they separate the classes.
    """
    return value_under(_slopes, truth, output, positive, weights)


@METRICS.register(
    MetricDeclaration(
        "probabilities",
        "nearest",
        binary_only=True,
        of_positive=True,
        ideal=0.0,
        known_without_skill=True,
        under_weights=_intercepts,
        influences=_influences_on_intercept,
        when=(
            "the question is whether probabilities are too low on average (above 0) or too high "
            "(below 0): calibration-in-the-large"
        ),
        when_not=(
            "models are compared or tuned: brier or log_loss, which have a direction; the spread "
            "of the probabilities is in question: calibration_slope"
        ),
        formula=(
            "a logistic regression of the truth with the logit of the predicted probability at "
            "the fixed coefficient 1: its intercept; probabilities are kept 0.000001 away from 0 "
            "and 1; over folds, the mean of the folds' values"
        ),
        equation=(
            r"\hat{\alpha} \quad \mathrm{of} \quad \ln \frac{P(y_i = 1)}{P(y_i = 0)} = "
            r"\alpha + \ln \frac{p_i}{1 - p_i}"
        ),
    ),
    title="Calibration intercept",
    references=(cite("cox1958"), cite("vancalster2019")),
    examples=(
        Example(
            (TRUTH, (0.25,) * 8, 1),
            {"value": 1.0986122886681098},
            "closed form: log(1) - log(1/3), the logits of 1/2 and 1/4",
        ),
    ),
)
def calibration_intercept(
    truth: ArrayLike,
    output: ArrayLike,
    positive: int | None,
    weights: ArrayLike | None = None,
) -> float:
    """The logit by which the predicted probabilities are too low, with their slope at 1.

    0 where the mean probability fits what happened. Undefined (NaN) where a class has no example.
    """
    return value_under(_intercepts, truth, output, positive, weights)


def _logits(
    truth: ArrayLike, output: ArrayLike, positive: int | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the logit of each probability of the positive class, and whether it happened."""
    probability = np.asarray(output, dtype=np.float64)
    given = probability if probability.ndim == 1 else probability[:, positive]
    return logits(given), np.asarray(np.asarray(truth) == positive, dtype=np.float64)
