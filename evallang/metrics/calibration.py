"""Metrics of how far predicted probabilities agree with what happens.

`output` is (n,) with the probability of the positive class, or (n, k) with a column for each
class in the order of the labels.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.metrics.metric import (
    METRICS,
    MetricDeclaration,
    Outcome,
    Statistic,
    SummedShares,
    value_under,
)
from evallang.registry import Bounds, Example
from evallang.stats.logistic import (
    logistic_fits,
    logistic_influences,
    logits,
    weighted_intercepts,
    weighted_slopes,
)


@METRICS.register(
    MetricDeclaration(
        "classification",
        "scores",
        "probabilities",
        "lower",
        0,
        1,
        known_without_skill=True,
        no_interval=(
            "its estimate is too large on average, the more so the fewer examples a bin holds, "
            "and resampling adds to that"
        ),
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
    if bins < 1:
        raise ValueError(f"bins of ece must be 1 or more, and it is {bins}")
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
        "classification",
        "losses",
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
        example=(
            "data cancer from sklearn breast_cancer\n"
            "  positive malignant\n"
            "\n"
            "model linear = StandardScaler | LogisticRegression\n"
            "model bayes = GaussianNB\n"
            "model baseline = DummyClassifier\n"
            "\n"
            "protocol cv folds=5\n"
            "measure net_benefit(threshold=0.1)  # nine false alarms are as bad as one miss\n"
        ),
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
    threshold: Annotated[float, Bounds(least=0, most=1)],
) -> NDArray[np.float64]:
    """True positives less false ones at the odds of the threshold, as a share of all examples.

    Each example adds 1, -threshold / (1 - threshold) or 0. Acting on no one has 0. Raises
    `ValueError` for a threshold outside 0 to 1.
    """
    if not 0 <= threshold < 1:
        raise ValueError(
            f"threshold of net_benefit must be at least 0 and below 1, and it is {threshold}"
        )
    gain = np.where(np.asarray(truth) == positive, 1.0, -threshold / (1 - threshold))
    return np.where(_probability(output, positive) >= threshold, gain, 0.0)


# --- Cox's regression -------------------------------------------------------------------------

OF_PROBABILITIES = (
    "data cancer from sklearn breast_cancer\n"
    "  positive malignant\n"
    "\n"
    "model linear = StandardScaler | LogisticRegression\n"
    "model bayes = GaussianNB\n"
    "model baseline = DummyClassifier\n"
    "\n"
    "protocol holdout\n"
    "measure {}\n"
)
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
        "classification",
        "scores",
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
        example=OF_PROBABILITIES.format("calibration_slope"),
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
        "classification",
        "scores",
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
        example=OF_PROBABILITIES.format("calibration_intercept"),
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
