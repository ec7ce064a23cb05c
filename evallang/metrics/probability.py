"""Metrics of predicted probabilities: one loss per example, their mean is the metric.

`output` is (n, k) with a column for each class in the order of the labels, or (n,) with
the probability of the positive class of two.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.metrics.metric import METRICS, MetricDeclaration
from evallang.registry import Example, Situation

AT_ONCE = 1 << 18  # examples whose probabilities are looked up together


@METRICS.register(
    MetricDeclaration(
        "classification",
        "losses",
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
        "classification",
        "losses",
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
