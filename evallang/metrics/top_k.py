"""The share of examples whose class is among the first named."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.metrics.metric import METRICS, MetricDeclaration
from evallang.registry import Bounds, Example


@METRICS.register(
    MetricDeclaration(
        "classification",
        "losses",
        "scores",
        "higher",
        0,
        1,
        unit="percent",
        several_only=True,
        of_examples="shares of hits",
        title_with_options="Top-{k} accuracy",
        when="there are many classes, and a person or a program examines the first k",
        when_not="there are few classes: accuracy",
        formula=(
            "the share of examples whose class has one of the k highest scores; among equal "
            "scores at that place, the share of their orders in which it has"
        ),
        equation=r"\frac{1}{n} \sum_i \left[ s_{i, y_i} \geq s_{i (k)} \right]",
        differs={
            "scikit-learn": (
                "top_k_accuracy_score puts the later of two classes with equal scores first, so "
                "that it depends on the order of the labels; without ties the numbers are the same"
            ),
        },
        example=(
            "data digits from sklearn digits\n"
            "\n"
            "model linear = StandardScaler | LogisticRegression\n"
            "model bayes = GaussianNB\n"
            "model baseline = DummyClassifier\n"
            "\n"
            "protocol cv folds=5\n"
            "measure top_k_accuracy(k=2)\n"
        ),
    ),
    title="Top-k accuracy",
    references=(cite("russakovsky2015"),),
    examples=(
        Example(
            (
                (0, 1, 2, 2),
                ((0.5, 0.2, 0.2), (0.3, 0.4, 0.2), (0.2, 0.4, 0.3), (0.7, 0.2, 0.1)),
                None,
            ),
            {"value": 0.75},
            "scikit-learn 1.9, docstring of top_k_accuracy_score",
            options={"k": 2},
        ),
    ),
)
def top_k_accuracy(
    truth: ArrayLike, output: ArrayLike, positive: int | None, *, k: Annotated[int, Bounds(least=1)]
) -> NDArray[np.float64]:
    """The share of examples whose class is among the k classes with the highest scores.

    Raises `ValueError` unless k is at least 1 and below the number of classes, and for a single
    score per example.
    """
    score = np.asarray(output)
    if score.ndim == 1:
        raise ValueError("top_k_accuracy needs a score for each class: write accuracy")
    if not 1 <= k < score.shape[1]:
        raise ValueError(
            f"k of top_k_accuracy must be from 1 to {score.shape[1] - 1}, one less than there "
            f"are classes, and it is {k}"
        )
    own = score[np.arange(len(score)), np.asarray(truth)][:, None]
    higher, equal = (score > own).sum(axis=1), (score == own).sum(axis=1)
    hit: NDArray[np.float64] = np.clip((k - higher) / np.maximum(equal, 1), 0.0, 1.0)
    return np.where(np.isnan(own[:, 0]), np.nan, hit)
