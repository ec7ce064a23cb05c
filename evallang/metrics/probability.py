"""Metrics of probabilities, and of the cost of decisions."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.metrics.by_class import ratio, recall, specificity
from evallang.metrics.metric import METRICS, MetricDeclaration
from evallang.registry import Bounds, Example, Situation

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


@METRICS.register(
    MetricDeclaration(
        "classification",
        "counts",
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
        example=(
            "data cancer from sklearn breast_cancer\n"
            "  positive malignant\n"
            "\n"
            "model linear = StandardScaler | LogisticRegression\n"
            "model bayes = GaussianNB\n"
            "model baseline = DummyClassifier\n"
            "\n"
            "protocol cv folds=5\n"
            "measure cost([[0, 1], [20, 0]])  # rows: true benign, malignant\n"
        ),
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
        "classification",
        "counts",
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
        example=(
            "data cancer from sklearn breast_cancer\n"
            "  positive malignant\n"
            "\n"
            "model linear = StandardScaler | LogisticRegression\n"
            "model bayes = GaussianNB\n"
            "model baseline = DummyClassifier\n"
            "\n"
            "protocol cv folds=5\n"
            "measure normalized_cost(share=0.2)  # 1 of 81 is positive, and missing it costs 20\n"
        ),
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
    if not 0 <= share <= 1:
        raise ValueError(f"share of normalized_cost must be from 0 to 1, and it is {share}")
    found = recall(counts, positive, average="binary")
    rejected = specificity(counts, positive, average="binary")
    return share * (1 - found) + (1 - share) * (1 - rejected)
