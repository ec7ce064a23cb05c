"""Metrics of counts by class, and sums of confusion matrices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.metrics.metric import METRICS, SCIKIT_LEARN, MetricDeclaration, Outcome, SummedShares
from evallang.registry import Bounds, Example
from evallang.stats.score_counts import ratio, summing


class Margins(Struct, frozen=True):
    """Sums of counts; all arrays over the leading axes, those by class with a last axis k.

    `hits` are examples of a class predicted as it, `labelled` its examples predicted as any
    of the classes.
    """

    hits: NDArray[np.float64]
    labelled: NDArray[np.float64]
    support: NDArray[np.float64]
    predicted: NDArray[np.float64]
    n: NDArray[np.float64]

    @staticmethod
    def of(counts: ArrayLike | Margins) -> Margins:
        """Sum counts (..., k, k) or (..., k, k + 1), unless they are summed already."""
        if isinstance(counts, Margins):
            return counts
        matrix = np.asarray(counts, dtype=np.float64)
        inside = matrix[..., : matrix.shape[-2]]
        hits = np.diagonal(inside, axis1=-2, axis2=-1)
        return Margins(hits, inside.sum(-1), matrix.sum(-1), inside.sum(-2), matrix.sum((-2, -1)))

    @property
    def unclassified(self) -> NDArray[np.float64]:
        """Examples predicted as none of the classes."""
        return np.asarray(self.n - self.predicted.sum(-1))

    @property
    def predicted_other(self) -> NDArray[np.float64]:
        """Examples predicted as another of the classes (fn + tn)."""
        other: NDArray[np.float64] = self.predicted.sum(-1)[..., None] - self.predicted
        return other

    @property
    def rejections(self) -> NDArray[np.float64]:
        """Examples of other classes predicted as any other class (tn)."""
        return self.predicted_other - (self.labelled - self.hits)


def margins_of_cells(
    truth: NDArray[np.int64], predicted: NDArray[np.int64], k: int
) -> Callable[[NDArray[np.float64]], Margins]:
    """Return what sums counts (..., P) of the cells of a confusion matrix that occur, by class.

    `truth` and `predicted` (P,) are the classes of each cell; the latter is k for other labels.
    """
    inside = np.where(predicted < k, predicted, -1)
    sums = [
        summing(place, k)
        for place in (
            np.where(truth == predicted, truth, -1),
            np.where(predicted < k, truth, -1),
            truth,
            inside,
        )
    ]

    def margins(counts: NDArray[np.float64]) -> Margins:
        by_cell = np.ascontiguousarray(counts.reshape(-1, counts.shape[-1]).T)
        shape = *counts.shape[:-1], k
        hits, labelled, support, named = ((s @ by_cell).T.reshape(shape) for s in sums)
        return Margins(hits, labelled, support, named, counts.sum(-1))

    return margins


class LabelledPairs(Struct, frozen=True):
    """How often each truth occurs with each two predictions: the combinations that occur.

    Arrays (P,) in the order of truth, first and second; a prediction that is none of the k
    classes has the code k.
    """

    truth: NDArray[np.int64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    times: NDArray[np.int64]
    k: int

    @staticmethod
    def counted(
        truth: NDArray[np.int64],
        first: NDArray[np.int64],
        second: NDArray[np.int64],
        k: int,
        times: NDArray[np.int64] | None = None,
    ) -> LabelledPairs:
        """Count examples (n,), each as often as `times` says."""
        codes = k + 1
        cells = (truth * codes + first) * codes + second
        cell, place = np.unique(cells, return_inverse=True)
        # Sums of float64 are exact below 2^53
        counted = np.bincount(place.reshape(-1), times, len(cell)).astype(np.int64)
        pair, last = np.divmod(cell, codes)
        return LabelledPairs(*np.divmod(pair, codes), last, counted, k)


Average = Literal["binary", "macro", "micro", "weighted"]


def averaged(
    table: Margins,
    numerator: NDArray[np.float64],
    denominator: NDArray[np.float64],
    positive: int | None,
    average: Average | None,
    *,
    undefined: float,
) -> NDArray[np.float64]:
    """Divide by class and average; both arrays are (..., k), the value is (...).

    A denominator of 0 is undefined, NaN; in a mean over classes such a class counts as
    `undefined`. Raises `ValueError` for a binary average of other than two classes.
    """
    k = numerator.shape[-1]
    average = average or ("binary" if k == 2 else "macro")
    if average == "binary":
        if k != 2 or positive is None:
            raise ValueError(
                f"average=binary needs two classes and a positive one, and there are {k} "
                "classes: write average=macro"
            )
        return ratio(numerator[..., positive], denominator[..., positive])
    if average == "micro":
        return ratio(numerator.sum(-1), denominator.sum(-1))
    value = ratio(numerator, denominator, undefined)
    occurs = (table.support + table.predicted > 0).astype(np.float64)
    weight = np.where(np.isnan(value), 0.0, occurs if average == "macro" else table.support)
    return ratio((np.nan_to_num(value) * weight).sum(-1), weight.sum(-1))


def summed_recalls(o: Outcome, options: Mapping[str, Any]) -> SummedShares:
    """State the mean of the recalls of the classes as a sum of shares of the true classes."""
    truth = np.asarray(o.truth, dtype=np.int64)
    present = np.bincount(truth, minlength=o.k) > 0
    return SummedShares(
        present / max(int(present.sum()), 1),
        np.arange(o.k),
        truth,
        np.where(np.asarray(o.output) == truth, truth, -1),
    )


LIVER_SCANS = ((54, 32), (27, 231))
"""Normal, abnormal by pathology (rows) and by scan: 344 patients of Altman & Bland 1994."""
THREE_CLASSES = ((2, 0, 0), (1, 0, 1), (0, 2, 0))
"""[0, 1, 2, 0, 1, 2] predicted as [0, 2, 1, 0, 0, 1]: scikit-learn's example of averages."""
PRINTED = 0.005  # two decimals in print


@METRICS.register(
    MetricDeclaration(
        "labels",
        "higher",
        0,
        1,
        proportion="predicted_positives",
        accuracy_as=("micro",),
        unit="percent",
        when="positive predictions lead to action, and false alarms are costly",
        when_not=(
            "the share of positives in use differs from that of the study, and the value "
            "depends on this share: specificity and recall"
        ),
        formula="the true positives, divided by all examples predicted as the class",
        equation=r"\frac{TP}{TP + FP}",
        differs={
            "scikit-learn": (
                "cross_val_score averages the folds; here the counts of all folds of a "
                "repeat are added first (Forman & Scholz 2010)"
            ),
        },
        of_margins=True,
    ),
    title="Precision",
    references=(cite("altman1994predictive"), cite("zhou2021"), cite("forman2010")),
    examples=(
        Example(
            (LIVER_SCANS, 1),
            {"value": 0.88},
            "Altman & Bland 1994, BMJ 309:102: positive predictive value 231/263",
            tolerance=PRINTED,
        ),
        Example(
            (THREE_CLASSES, None),
            {"value": 0.22},
            SCIKIT_LEARN.format("precision_score, average='macro'"),
            tolerance=PRINTED,
        ),
    ),
)
def precision(
    counts: ArrayLike, positive: int | None, *, average: Average | None = None
) -> NDArray[np.float64]:
    """The share of correct predictions among the examples predicted as a class: tp / (tp + fp).

    Also called positive predictive value. 0 where nothing was predicted as the class.
    """
    table = Margins.of(counts)
    return averaged(table, table.hits, table.predicted, positive, average, undefined=0.0)


@METRICS.register(
    MetricDeclaration(
        "labels",
        "higher",
        0,
        1,
        proportion="predicted_negatives",
        unit="percent",
        abbreviation="NPV",
        when="negative predictions lead to action, as when a test rules out a disease",
        when_not=(
            "the share of positives in use differs from that of the study, and the value "
            "depends on this share: specificity and recall"
        ),
        formula="the true negatives, divided by all examples predicted not to be of the class",
        equation=r"\frac{TN}{TN + FN}",
        differs={
            "scikit-learn": (
                "scikit-learn does not have it; for two classes, precision_score with the other "
                "class as positive gives the same"
            ),
        },
        of_margins=True,
    ),
    title="Negative predictive value",
    references=(cite("altman1994predictive"),),
    examples=(
        Example(
            (LIVER_SCANS, 1),
            {"value": 0.67},
            "Altman & Bland 1994, BMJ 309:102: negative predictive value 54/81",
            tolerance=PRINTED,
        ),
    ),
)
def npv(
    counts: ArrayLike, positive: int | None, *, average: Average | None = None
) -> NDArray[np.float64]:
    """The share of correct predictions among those that exclude a class: tn / (tn + fn).

    0 where every example was predicted as the class. With more than two classes an example
    of another class is right here under any label but the class's own.
    """
    table = Margins.of(counts)
    return averaged(
        table, table.rejections, table.predicted_other, positive, average, undefined=0.0
    )


@METRICS.register(
    MetricDeclaration(
        "labels",
        "higher",
        0,
        1,
        proportion="positives",
        shares=summed_recalls,
        shares_under=("macro",),
        under_option={"at_specificity": "recall_at_specificity"},
        accuracy_as=("micro", "weighted"),
        unit="percent",
        when="missing an example of the class is costly",
        when_not=(
            "alone: predicting the class for every example reaches 1, so add precision or "
            "specificity"
        ),
        formula="the true positives, divided by all examples of the class",
        equation=r"\frac{TP}{TP + FN}",
        differs={
            "scikit-learn": (
                "a fold without examples of the class gives 0 and a warning there; here "
                "counts are added over folds, and recall is undefined only where no fold has "
                "one"
            ),
        },
        of_margins=True,
    ),
    title="Recall",
    references=(cite("altman1994"), cite("zhou2021")),
    examples=(
        Example(
            (LIVER_SCANS, 1),
            {"value": 0.90},
            "Altman & Bland 1994, BMJ 308:1552: sensitivity 231/258",
            tolerance=PRINTED,
        ),
        Example(
            (THREE_CLASSES, None),
            {"value": 0.33},
            SCIKIT_LEARN.format("recall_score, average='macro'"),
            tolerance=PRINTED,
        ),
    ),
)
def recall(
    counts: ArrayLike,
    positive: int | None,
    *,
    average: Average | None = None,
    at_specificity: Annotated[float | None, Bounds(above=0, most=1)] = None,
) -> NDArray[np.float64]:
    """The share of a class's examples that are found: tp / (tp + fn).

    Also called sensitivity or true positive rate. Undefined (NaN) without examples of the
    class. With `at_specificity=90%` it is the largest recall of a threshold whose specificity is
    at least that, found from the scores (`recall_at_specificity`). Raises `ValueError` where that
    option meets counts.
    """
    if at_specificity is not None:
        raise ValueError("recall at a specificity is computed from scores, not from counts")
    table = Margins.of(counts)
    return averaged(table, table.hits, table.support, positive, average, undefined=np.nan)


@METRICS.register(
    MetricDeclaration(
        "labels",
        "higher",
        0,
        1,
        proportion="negatives",
        under_option={"at_recall": "specificity_at_recall"},
        unit="percent",
        when="false alarms are costly, whatever the share of positives",
        when_not="alone: never predicting the class reaches 1, so add recall",
        formula="the true negatives, divided by all examples that are not of the class",
        equation=r"\frac{TN}{TN + FP}",
        differs={
            "scikit-learn": (
                "scikit-learn does not have it; for two classes, recall_score with the other "
                "class as positive gives the same"
            ),
        },
        of_margins=True,
    ),
    title="Specificity",
    references=(cite("altman1994"),),
    examples=(
        Example(
            (LIVER_SCANS, 1),
            {"value": 0.63},
            "Altman & Bland 1994, BMJ 308:1552: specificity 54/86",
            tolerance=PRINTED,
        ),
    ),
)
def specificity(
    counts: ArrayLike,
    positive: int | None,
    *,
    average: Average | None = None,
    at_recall: Annotated[float | None, Bounds(above=0, most=1)] = None,
) -> NDArray[np.float64]:
    """The share of the examples not of a class that are not predicted as it: tn / (tn + fp).

    Also called true negative rate. Undefined (NaN) where all examples are of the class. With
    `at_recall=90%` it is the largest specificity of a threshold whose recall is at least that,
    found from the scores (`specificity_at_recall`). Raises `ValueError` where that option meets
    counts.
    """
    if at_recall is not None:
        raise ValueError("specificity at a recall is computed from scores, not from counts")
    table = Margins.of(counts)
    others = table.n[..., None] - table.support
    return averaged(table, table.rejections, others, positive, average, undefined=np.nan)
