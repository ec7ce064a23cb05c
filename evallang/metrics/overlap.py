"""Metrics of how the found and the true examples of a class overlap: F and Jaccard.

Averages over classes as in `by_class`. F and Jaccard of a class that neither occurs nor was
predicted are undefined: NaN (scikit-learn gives 0 and warns); in a macro mean they count as
0, as there. Counts as in `margins`.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.metrics.by_class import (
    PRINTED,
    SCIKIT_LEARN,
    THREE_CLASSES,
    Average,
    averaged,
    precision,
    ratio,
    recall,
)
from evallang.metrics.metric import METRICS, MetricDeclaration
from evallang.registry import Bounds, Example
from evallang.stats.class_sums import Margins


@METRICS.register(
    MetricDeclaration(
        "classification",
        "counts",
        "labels",
        "higher",
        0,
        1,
        unit="percent",
        accuracy_as=("micro",),
        of_union="decides",
        when=("finding the examples of one class matters, and the many true negatives do not"),
        when_not=(
            "true negatives matter: mcc; precision and recall differ in importance: fbeta; the "
            "shares of the classes differ between studies"
        ),
        formula=(
            "two times the true positives, divided by two times the true positives plus the "
            "false positives plus the false negatives; `macro` is the mean of this over the "
            "classes"
        ),
        equation=r"\frac{2 TP}{2 TP + FP + FN}",
        differs={
            "scikit-learn": (
                "cross_val_score averages the F1 of the folds, which is biased where folds "
                "hold few positives; here the counts of all folds of a repeat are added and "
                "F1 is taken once (Forman & Scholz 2010)"
            ),
            "Zhou 2021": (
                "his macro-F1 is the harmonic mean of macro-precision and macro-recall; "
                "here, as in scikit-learn, it is the mean of the classes' F1"
            ),
        },
        of_margins=True,
    ),
    title="F1",
    references=(cite("vanrijsbergen1979"), cite("zhou2021"), cite("forman2010")),
    examples=(
        Example(
            (THREE_CLASSES, None),
            {"value": 0.267},
            SCIKIT_LEARN.format("f1_score, average='macro'"),
            tolerance=0.0005,
        ),
    ),
)
def f1(
    counts: ArrayLike, positive: int | None, *, average: Average | None = None
) -> NDArray[np.float64]:
    """The harmonic mean of precision and recall: 2 tp / (2 tp + fp + fn).

    0 where no example is of the class and none is predicted as it. With `average=macro` the
    mean of the classes' F1, not the harmonic mean of macro-precision and macro-recall.
    """
    return fbeta(counts, positive, beta=1.0, average=average)


@METRICS.register(
    MetricDeclaration(
        "classification",
        "counts",
        "labels",
        "higher",
        0,
        1,
        unit="percent",
        accuracy_as=("micro",),
        of_union="bounds",
        when="recall counts more (beta above 1) or less (below 1) than precision",
        when_not=("custom is the only reason for the weight: precision and recall, side by side"),
        formula=(
            "(1 + beta²) times the true positives, divided by the same plus beta² times the "
            "false negatives plus the false positives"
        ),
        equation=r"\frac{(1 + \beta^2) TP}{(1 + \beta^2) TP + \beta^2 FN + FP}",
        differs={
            "scikit-learn": (
                "cross_val_score averages the folds; here counts of all folds of a repeat "
                "are added first (Forman & Scholz 2010)"
            ),
        },
        example=(
            "data cancer from sklearn breast_cancer\n"
            "  positive malignant\n"
            "\n"
            "model linear = StandardScaler | LogisticRegression\n"
            "model bayes = GaussianNB\n"
            "model baseline = DummyClassifier\n"
            "\n"
            "protocol cv folds=5\n"
            "measure fbeta(beta=2)\n"
        ),
        of_margins=True,
    ),
    title="F-beta",
    references=(cite("vanrijsbergen1979"), cite("zhou2021"), cite("forman2010")),
    examples=(
        Example(
            (THREE_CLASSES, None),
            {"value": 0.24},
            SCIKIT_LEARN.format("fbeta_score, average='macro', beta=0.5"),
            tolerance=PRINTED,
            options={"beta": 0.5},
        ),
    ),
)
def fbeta(
    counts: ArrayLike,
    positive: int | None,
    *,
    beta: Annotated[float, Bounds(least=0)],
    average: Average | None = None,
) -> NDArray[np.float64]:
    """The weighted harmonic mean of precision and recall; recall counts `beta` times as much.

    (1 + beta^2) tp / ((1 + beta^2) tp + beta^2 fn + fp). Raises `ValueError` for a `beta`
    below 0.
    """
    if beta < 0:
        raise ValueError(f"beta of fbeta must be 0 or more, and it is {beta}")
    table = Margins.of(counts)
    square = float(beta) ** 2
    return averaged(
        table,
        (1 + square) * table.hits,
        square * table.support + table.predicted,
        positive,
        average,
        undefined=0.0,
    )


@METRICS.register(
    MetricDeclaration(
        "classification",
        "counts",
        "labels",
        "higher",
        0,
        1,
        unit="percent",
        of_union="decides",
        when=(
            "the field reports the overlap of predicted and true examples of a class, as in "
            "segmentation"
        ),
        when_not=(
            "in comparisons with published values of F1: the index is F1 / (2 - F1), and ranks "
            "models in the same order"
        ),
        formula=(
            "the true positives, divided by the true positives plus the false positives plus "
            "the false negatives"
        ),
        equation=r"\frac{TP}{TP + FP + FN}",
        of_margins=True,
    ),
    title="Jaccard index",
    references=(cite("jaccard1912"),),
    examples=(
        Example(
            (((2, 0), (1, 3)), 1),
            {"value": 0.75},
            "by hand: 3 of the 4 examples that are of the class or predicted as it",
        ),
    ),
)
def jaccard(
    counts: ArrayLike, positive: int | None, *, average: Average | None = None
) -> NDArray[np.float64]:
    """The share of examples found among those of a class or predicted as it.

    tp / (tp + fp + fn); 0 where there are none.
    """
    table = Margins.of(counts)
    either = table.support + table.predicted - table.hits
    return averaged(table, table.hits, either, positive, average, undefined=0.0)


@METRICS.register(
    MetricDeclaration(
        "classification",
        "counts",
        "labels",
        "higher",
        0,
        1,
        unit="percent",
        when="a text defines macro-F1 from macro-precision and macro-recall, as Zhou 2021 does",
        when_not="values are compared with scikit-learn's macro-F1: f1(average=macro)",
        formula=(
            "the mean of the classes' precisions and the mean of their recalls; two times the "
            "product of these means, divided by their sum"
        ),
        equation=(
            r"\frac{2 \bar{P} \bar{R}}{\bar{P} + \bar{R}}, \quad \bar{P} = \frac{1}{k} "
            r"\sum_c \frac{TP_c}{TP_c + FP_c}, \quad \bar{R} = \frac{1}{k} \sum_c "
            r"\frac{TP_c}{TP_c + FN_c}"
        ),
        differs={
            "scikit-learn": (
                "f1_score(average='macro') is the mean of the classes' F1, which is "
                "`f1(average=macro)` here"
            ),
        },
        of_margins=True,
    ),
    title="Macro-F1 of mean precision and recall",
    references=(cite("zhou2021"), cite("opitz2019")),
    examples=(
        Example(
            (THREE_CLASSES, None),
            {"value": 0.2667},
            "by hand: macro-precision 2/9 and macro-recall 1/3",
            tolerance=0.0001,
        ),
    ),
)
def macro_f1_pr(counts: ArrayLike, positive: int | None) -> NDArray[np.float64]:
    """The harmonic mean of the classes' mean precision and mean recall (Zhou 2021, 2.3.2).

    0 where both are 0. Classes have a part in each mean as in `precision` and `recall`.
    """
    mean_precision = precision(counts, positive, average="macro")
    mean_recall = recall(counts, positive, average="macro")
    return ratio(2 * mean_precision * mean_recall, mean_precision + mean_recall, 0.0)
