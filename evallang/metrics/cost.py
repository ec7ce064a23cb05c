"""Metrics in which mistakes have a price: functions of counts (see `margins`)."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.metrics.by_class import recall, specificity
from evallang.metrics.confusion_sums import ratio
from evallang.metrics.metric import METRICS, MetricDeclaration
from evallang.registry import Bounds, Example


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
