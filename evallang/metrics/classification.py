"""Accuracy, agreement, overlap and other metrics of labels; the k best of several."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.metrics.by_class import (
    PRINTED,
    THREE_CLASSES,
    Average,
    Margins,
    averaged,
    precision,
    recall,
    summed_recalls,
)
from evallang.metrics.metric import METRICS, SCIKIT_LEARN, MetricDeclaration
from evallang.registry import Bounds, Example, Situation
from evallang.stats.score_counts import ratio


@METRICS.register(
    MetricDeclaration(
        "labels",
        "higher",
        0,
        1,
        proportion="all",
        unit="percent",
        default=True,
        proposed=True,
        when="every mistake costs the same and the classes are of similar size",
        when_not=(
            "one class is rare, because a model that never predicts it has a high accuracy: "
            "balanced_accuracy, mcc; mistakes differ in cost: cost"
        ),
        formula="the number of examples predicted right, divided by the number of examples",
        equation=r"\frac{1}{n} \sum_i C_{ii}",
        differs={
            "scikit-learn": (
                "cross_val_score gives the mean of the folds' accuracies; here right and "
                "wrong are counted over all folds of a repeat, which is the same where folds "
                "are equally large"
            ),
        },
        first_for={Situation.TWO_CLASSES: 1, Situation.SEVERAL_CLASSES: 1},
        of_margins=True,
    ),
    title="Accuracy",
    references=(cite("zhou2021"),),
    examples=(
        Example(
            (((1, 0, 0, 0), (0, 0, 1, 0), (0, 1, 0, 0), (0, 0, 0, 1)), None),
            {"value": 0.5},
            SCIKIT_LEARN.format("accuracy_score"),
        ),
    ),
)
def accuracy(counts: ArrayLike, positive: int | None) -> NDArray[np.float64]:
    """The share of examples whose label is predicted correctly."""
    table = Margins.of(counts)
    return ratio(table.hits.sum(-1), table.n)


@METRICS.register(
    MetricDeclaration(
        "labels",
        "lower",
        0,
        1,
        proportion="all",
        complement=True,
        unit="percent",
        when="as for accuracy, in fields that report errors",
        when_not="as for accuracy: one class is rare, or mistakes differ in cost",
        formula="the number of examples predicted wrong, divided by the number of examples",
        equation=r"1 - \frac{1}{n} \sum_i C_{ii}",
        of_margins=True,
    ),
    title="Error rate",
    references=(cite("zhou2021"),),
    examples=(
        Example(
            (((1, 0, 0, 1), (0, 1, 0, 0), (0, 0, 1, 0)), None),
            {"value": 0.25},
            SCIKIT_LEARN.format("zero_one_loss"),
        ),
    ),
)
def error_rate(counts: ArrayLike, positive: int | None) -> NDArray[np.float64]:
    """The share of examples whose label is predicted incorrectly: 1 minus accuracy."""
    table = Margins.of(counts)
    return ratio(table.n - table.hits.sum(-1), table.n)


@METRICS.register(
    MetricDeclaration(
        "labels",
        "higher",
        0,
        1,
        unit="percent",
        shares=summed_recalls,
        known_without_skill=True,
        when="classes differ in size and should count equally",
        when_not=(
            "the cost of mistakes is known: cost; there are two classes, and readers need both "
            "kinds of mistake: recall and specificity"
        ),
        formula=(
            "for each class the share of its examples that is predicted right; the mean of "
            "these shares over the classes"
        ),
        equation=r"\frac{1}{k} \sum_i \frac{C_{ii}}{\sum_j C_{ij}}",
        differs={
            "scikit-learn": (
                "the mean over folds of a recall with few positives is biased; here the "
                "counts of all folds of a repeat are added first (Forman & Scholz 2010)"
            ),
        },
        first_for={Situation.RARE_CLASS: 1, Situation.SEVERAL_CLASSES: 2},
        of_margins=True,
    ),
    title="Balanced accuracy",
    references=(cite("brodersen2010"), cite("forman2010")),
    examples=(
        Example(
            (((3, 1), (1, 1)), None),
            {"value": 0.625},
            SCIKIT_LEARN.format("balanced_accuracy_score"),
        ),
    ),
)
def balanced_accuracy(counts: ArrayLike, positive: int | None) -> NDArray[np.float64]:
    """The mean of the recalls of the classes, so that each class counts the same.

    Classes without a true example are excluded from the mean.
    """
    return recall(counts, positive, average="macro")


@METRICS.register(
    MetricDeclaration(
        "labels",
        "higher",
        -1,
        1,
        known_without_skill=True,
        chance=0,
        abbreviation="MCC",
        when="one number should describe both classes, whatever their sizes",
        when_not="one kind of mistake matters more than the other: cost, fbeta",
        formula=(
            "the correlation between truth and prediction as 0 and 1 (for more classes, "
            "between their indicator vectors)"
        ),
        equation=(
            r"\frac{n \sum_i C_{ii} - \sum_i t_i p_i}{\sqrt{n^2 - \sum_i t_i^2} \sqrt{n^2 - "
            r"\sum_i p_i^2}}, \quad t_i = \sum_j C_{ij}, \quad p_i = \sum_j C_{ji}"
        ),
        differs={
            "scikit-learn": (
                "cross_val_score averages the folds' coefficients; here the counts of all "
                "folds of a repeat are added first"
            ),
        },
        of_margins=True,
    ),
    title="Matthews correlation coefficient",
    references=(cite("matthews1975"), cite("gorodkin2004", "classes")),
    examples=(
        Example(
            (((0, 1), (1, 2)), 1),
            {"value": -0.33},
            SCIKIT_LEARN.format("matthews_corrcoef"),
            tolerance=0.005,  # two decimals in print
        ),
    ),
)
def mcc(counts: ArrayLike, positive: int | None) -> NDArray[np.float64]:
    """The correlation of truth and prediction, for any number of classes (R_K).

    0 where either is constant.
    """
    table = Margins.of(counts)
    n = table.n
    joint = n * table.hits.sum(-1) - (table.support * table.predicted).sum(-1)
    spread_truth = n**2 - (table.support**2).sum(-1)
    spread_predicted = n**2 - (table.predicted**2).sum(-1) - table.unclassified**2
    return ratio(joint, np.sqrt(spread_predicted * spread_truth), 0.0)


@METRICS.register(
    MetricDeclaration(
        "labels",
        "higher",
        -1,
        1,
        known_without_skill=True,
        chance=0,
        symmetric=True,
        when="agreement is judged relative to agreement by chance, as between raters",
        when_not=(
            "studies with different shares of the classes are compared, because kappa depends "
            "on these shares: mcc, or recall and specificity"
        ),
        formula=(
            "the share of examples predicted right, less the share expected if truth and "
            "prediction were independent with the same margins, divided by 1 less that "
            "expected share"
        ),
        equation=(
            r"\frac{p_o - p_e}{1 - p_e}, \quad p_o = \frac{1}{n} \sum_i C_{ii}, \quad p_e = "
            r"\frac{1}{n^2} \sum_i \left(\sum_j C_{ij}\right) \left(\sum_j C_{ji}\right)"
        ),
        of_margins=True,
    ),
    title="Cohen's kappa",
    references=(cite("cohen1960"),),
    examples=(
        Example(
            (((2, 0, 0), (0, 1, 0), (1, 0, 1)), None),
            {"value": 0.6875},
            SCIKIT_LEARN.format("cohen_kappa_score"),
        ),
    ),
)
def cohen_kappa(counts: ArrayLike, positive: int | None) -> NDArray[np.float64]:
    """Agreement of truth and prediction beyond that of chance, as a share of the largest possible.

    (p_o - p_e) / (1 - p_e) with p_e from the margins. Undefined (NaN) where p_e = 1: all
    examples are of one class and predicted as it.
    """
    table = Margins.of(counts)
    by_chance = (table.support * table.predicted).sum(-1)
    return ratio(table.n * table.hits.sum(-1) - by_chance, table.n**2 - by_chance)


@METRICS.register(
    MetricDeclaration(
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
        example="top_k_accuracy(k=2)",
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


@METRICS.register(
    MetricDeclaration(
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
        example="fbeta(beta=2)",
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
