"""Metrics of right and wrong labels: functions of the counts of true by predicted class.

`counts[..., i, j]` is the number of examples of true class i predicted as j; every
function works over leading axes at once (replicates of a bootstrap, folds) and takes k
columns, or k + 1 where the last holds predictions that are none of the classes. Those
are wrong: they are in the support of their true class and in no class's predictions, as
in scikit-learn with `labels=` the classes of the data.

With `average`: `binary` is the value of the positive class, `micro` sums counts over the
classes, `macro` is the plain mean over the classes that occur (in the truth or among the
predictions), `weighted` the mean weighted by true examples. Not written, it is `binary`
for two classes and `macro` for more.

Where nothing was predicted as a class, precision, npv, F and Jaccard are 0, and so is mcc
where truth or prediction is constant: scikit-learn's defaults. Where a class has no true
examples its recall, and where it has all of them its specificity, is undefined: NaN, and
left out of a macro mean (scikit-learn's `recall_score` would count a 0, its
`balanced_accuracy_score` leaves them out). Kappa is NaN where agreement by chance is
certain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from evallang.bibliography import ZHOU_2021, Reference
from evallang.metrics.metric import METRICS, MetricDeclaration
from evallang.registry import Example, lazy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray
else:
    np = lazy("numpy")

Average = Literal["binary", "macro", "micro", "weighted"]

ALTMAN_BLAND_1994 = Reference(
    key="altman1994",
    authors=("Altman DG", "Bland JM"),
    year=1994,
    title="Diagnostic tests 1: sensitivity and specificity",
    venue="BMJ",
    volume="308",
    pages="1552",
    doi="10.1136/bmj.308.6943.1552",
)
ALTMAN_BLAND_1994_PREDICTIVE = Reference(
    key="altman1994predictive",
    authors=("Altman DG", "Bland JM"),
    year=1994,
    title="Diagnostic tests 2: predictive values",
    venue="BMJ",
    volume="309",
    pages="102",
    doi="10.1136/bmj.309.6947.102",
)
BRODERSEN_2010 = Reference(
    key="brodersen2010",
    authors=("Brodersen KH", "Ong CS", "Stephan KE", "Buhmann JM"),
    year=2010,
    title="The balanced accuracy and its posterior distribution",
    venue="20th International Conference on Pattern Recognition",
    pages="3121-3124",
    doi="10.1109/ICPR.2010.764",
    kind="inproceedings",
)
VAN_RIJSBERGEN_1979 = Reference(
    key="vanrijsbergen1979",
    authors=("van Rijsbergen CJ",),
    year=1979,
    title="Information retrieval",
    venue="Butterworths",
    kind="book",
)
MATTHEWS_1975 = Reference(
    key="matthews1975",
    authors=("Matthews BW",),
    year=1975,
    title="Comparison of the predicted and observed secondary structure of T4 phage lysozyme",
    venue="Biochimica et Biophysica Acta (BBA) - Protein Structure",
    volume="405(2)",
    pages="442-451",
    doi="10.1016/0005-2795(75)90109-9",
)
COHEN_1960 = Reference(
    key="cohen1960",
    authors=("Cohen J",),
    year=1960,
    title="A coefficient of agreement for nominal scales",
    venue="Educational and Psychological Measurement",
    volume="20(1)",
    pages="37-46",
    doi="10.1177/001316446002000104",
)
JACCARD_1912 = Reference(
    key="jaccard1912",
    authors=("Jaccard P",),
    year=1912,
    title="The distribution of the flora in the alpine zone",
    venue="New Phytologist",
    volume="11(2)",
    pages="37-50",
)
ELKAN_2001 = Reference(
    key="elkan2001",
    authors=("Elkan C",),
    year=2001,
    title="The foundations of cost-sensitive learning",
    venue="International Joint Conference on Artificial Intelligence",
    kind="inproceedings",
)

LIVER_SCANS = ((54, 32), (27, 231))
"""Normal, abnormal by pathology (rows) and by scan: 344 patients of Altman & Bland 1994."""
THREE_CLASSES = ((2, 0, 0), (1, 0, 1), (0, 2, 0))
"""[0, 1, 2, 0, 1, 2] predicted as [0, 2, 1, 0, 0, 1]: scikit-learn's example of averages."""
PRINTED = 0.005  # two decimals in print
SCIKIT_LEARN = "scikit-learn 1.9, docstring of {}"


@METRICS.register(
    MetricDeclaration(
        "classification", "counts", "labels", "higher", 0, 1, proportion="all", unit="percent"
    ),
    title="Accuracy",
    references=(ZHOU_2021,),
    examples=(
        Example(
            (((1, 0, 0, 0), (0, 0, 1, 0), (0, 1, 0, 0), (0, 0, 0, 1)), None),
            {"value": 0.5},
            SCIKIT_LEARN.format("accuracy_score"),
        ),
    ),
)
def accuracy(counts: ArrayLike, positive: int | None) -> NDArray[np.float64]:
    """The share of examples whose label is predicted right."""
    table = _Margins.of(counts)
    return _ratio(table.hits.sum(-1), table.n)


@METRICS.register(
    MetricDeclaration(
        "classification",
        "counts",
        "labels",
        "lower",
        0,
        1,
        proportion="all",
        complement=True,
        unit="percent",
    ),
    title="Error rate",
    references=(ZHOU_2021,),
    examples=(
        Example(
            (((1, 0, 0, 1), (0, 1, 0, 0), (0, 0, 1, 0)), None),
            {"value": 0.25},
            SCIKIT_LEARN.format("zero_one_loss"),
        ),
    ),
)
def error_rate(counts: ArrayLike, positive: int | None) -> NDArray[np.float64]:
    """The share of examples whose label is predicted wrong: 1 minus accuracy."""
    table = _Margins.of(counts)
    return _ratio(table.n - table.hits.sum(-1), table.n)


@METRICS.register(
    MetricDeclaration("classification", "counts", "labels", "higher", 0, 1, unit="percent"),
    title="Balanced accuracy",
    references=(BRODERSEN_2010,),
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

    Classes without a true example have no part in the mean.
    """
    return recall(counts, positive, average="macro")


@METRICS.register(
    MetricDeclaration(
        "classification",
        "counts",
        "labels",
        "higher",
        0,
        1,
        proportion="predicted_positives",
        unit="percent",
    ),
    title="Precision",
    references=(ALTMAN_BLAND_1994_PREDICTIVE, ZHOU_2021),
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
    """The share of right ones among the examples predicted as a class: tp / (tp + fp).

    Also called positive predictive value. 0 where nothing was predicted as the class.
    """
    table = _Margins.of(counts)
    return _averaged(table, table.hits, table.predicted, positive, average, undefined=0.0)


@METRICS.register(
    MetricDeclaration(
        "classification",
        "counts",
        "labels",
        "higher",
        0,
        1,
        proportion="predicted_negatives",
        unit="percent",
    ),
    title="Negative predictive value",
    references=(ALTMAN_BLAND_1994_PREDICTIVE,),
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
    """The share of right ones among the examples predicted not to be of a class: tn / (tn + fn).

    0 where every example was predicted as the class. With more than two classes an example
    of another class is right here under any label but the class's own.
    """
    table = _Margins.of(counts)
    return _averaged(
        table, table.rejections, table.predicted_other, positive, average, undefined=0.0
    )


@METRICS.register(
    MetricDeclaration(
        "classification",
        "counts",
        "labels",
        "higher",
        0,
        1,
        proportion="positives",
        unit="percent",
    ),
    title="Recall",
    references=(ALTMAN_BLAND_1994, ZHOU_2021),
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
    counts: ArrayLike, positive: int | None, *, average: Average | None = None
) -> NDArray[np.float64]:
    """The share of a class's examples that are found: tp / (tp + fn).

    Also called sensitivity or true positive rate. Undefined (NaN) without examples of the
    class.
    """
    table = _Margins.of(counts)
    return _averaged(table, table.hits, table.support, positive, average, undefined=np.nan)


@METRICS.register(
    MetricDeclaration(
        "classification",
        "counts",
        "labels",
        "higher",
        0,
        1,
        proportion="negatives",
        unit="percent",
    ),
    title="Specificity",
    references=(ALTMAN_BLAND_1994,),
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
    counts: ArrayLike, positive: int | None, *, average: Average | None = None
) -> NDArray[np.float64]:
    """The share of the examples not of a class that are not predicted as it: tn / (tn + fp).

    Also called true negative rate. Undefined (NaN) where all examples are of the class.
    """
    table = _Margins.of(counts)
    others = table.n[..., None] - table.support
    return _averaged(table, table.rejections, others, positive, average, undefined=np.nan)


@METRICS.register(
    MetricDeclaration("classification", "counts", "labels", "higher", 0, 1, unit="percent"),
    title="F1",
    references=(VAN_RIJSBERGEN_1979, ZHOU_2021),
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
    MetricDeclaration("classification", "counts", "labels", "higher", 0, 1, unit="percent"),
    title="F-beta",
    references=(VAN_RIJSBERGEN_1979, ZHOU_2021),
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
    counts: ArrayLike, positive: int | None, *, beta: float, average: Average | None = None
) -> NDArray[np.float64]:
    """The weighted harmonic mean of precision and recall; recall counts `beta` times as much.

    (1 + beta^2) tp / ((1 + beta^2) tp + beta^2 fn + fp). Raises `ValueError` for a `beta`
    below 0.
    """
    if beta < 0:
        raise ValueError(f"beta of fbeta must be 0 or more, and it is {beta}")
    table = _Margins.of(counts)
    square = float(beta) ** 2
    return _averaged(
        table,
        (1 + square) * table.hits,
        square * table.support + table.predicted,
        positive,
        average,
        undefined=0.0,
    )


@METRICS.register(
    MetricDeclaration("classification", "counts", "labels", "higher", 0, 1, unit="percent"),
    title="Jaccard index",
    references=(JACCARD_1912,),
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
    """Examples of a class found, out of those that are of it or predicted as it.

    tp / (tp + fp + fn); 0 where there are none.
    """
    table = _Margins.of(counts)
    either = table.support + table.predicted - table.hits
    return _averaged(table, table.hits, either, positive, average, undefined=0.0)


@METRICS.register(
    MetricDeclaration("classification", "counts", "labels", "higher", -1, 1),
    title="Matthews correlation coefficient",
    references=(MATTHEWS_1975,),
    examples=(
        Example(
            (((0, 1), (1, 2)), 1),
            {"value": -0.33},
            SCIKIT_LEARN.format("matthews_corrcoef"),
            tolerance=PRINTED,
        ),
    ),
)
def mcc(counts: ArrayLike, positive: int | None) -> NDArray[np.float64]:
    """The correlation of truth and prediction, for any number of classes (R_K).

    0 where either is constant.
    """
    table = _Margins.of(counts)
    predicted = np.asarray(counts, dtype=np.float64).sum(-2)
    n = table.n
    joint = n * table.hits.sum(-1) - (table.support * table.predicted).sum(-1)
    spread_truth = n**2 - (table.support**2).sum(-1)
    spread_predicted = n**2 - (predicted**2).sum(-1)
    return _ratio(joint, np.sqrt(spread_predicted * spread_truth), 0.0)


@METRICS.register(
    MetricDeclaration("classification", "counts", "labels", "higher", -1, 1),
    title="Cohen's kappa",
    references=(COHEN_1960,),
    examples=(
        Example(
            (((2, 0, 0), (0, 1, 0), (1, 0, 1)), None),
            {"value": 0.6875},
            SCIKIT_LEARN.format("cohen_kappa_score"),
        ),
    ),
)
def cohen_kappa(counts: ArrayLike, positive: int | None) -> NDArray[np.float64]:
    """Agreement of truth and prediction beyond that of chance, as a share of the possible.

    (p_o - p_e) / (1 - p_e) with p_e from the margins. Undefined (NaN) where p_e = 1: all
    examples are of one class and predicted as it.
    """
    table = _Margins.of(counts)
    by_chance = (table.support * table.predicted).sum(-1)
    return _ratio(table.n * table.hits.sum(-1) - by_chance, table.n**2 - by_chance)


@METRICS.register(
    MetricDeclaration("classification", "counts", "labels", "lower"),
    title="Cost",
    references=(ELKAN_2001, ZHOU_2021),
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
    return _ratio((table * costs).sum((-2, -1)), table.sum((-2, -1)))


@dataclass(frozen=True)
class _Margins:
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
    def of(counts: ArrayLike) -> _Margins:
        matrix = np.asarray(counts, dtype=np.float64)
        inside = matrix[..., : matrix.shape[-2]]
        hits = np.diagonal(inside, axis1=-2, axis2=-1)
        return _Margins(hits, inside.sum(-1), matrix.sum(-1), inside.sum(-2), matrix.sum((-2, -1)))

    @property
    def predicted_other(self) -> NDArray[np.float64]:
        """Examples predicted as another of the classes (fn + tn)."""
        other: NDArray[np.float64] = self.predicted.sum(-1)[..., None] - self.predicted
        return other

    @property
    def rejections(self) -> NDArray[np.float64]:
        """Examples of other classes predicted as any other class (tn)."""
        return self.predicted_other - (self.labelled - self.hits)


def _averaged(
    table: _Margins,
    numerator: NDArray[np.float64],
    denominator: NDArray[np.float64],
    positive: int | None,
    average: Average | None,
    *,
    undefined: float,
) -> NDArray[np.float64]:
    """Divide by class and average; both arrays are (..., k)."""
    k = numerator.shape[-1]
    average = average or ("binary" if k == 2 else "macro")
    if average == "binary":
        if k != 2 or positive is None:
            raise ValueError(
                f"average=binary needs two classes and a positive one, and there are {k} "
                "classes: write average=macro"
            )
        return _ratio(numerator[..., positive], denominator[..., positive], undefined)
    if average == "micro":
        return _ratio(numerator.sum(-1), denominator.sum(-1), undefined)
    value = _ratio(numerator, denominator, undefined)
    occurs = (table.support + table.predicted > 0).astype(np.float64)
    weight = np.where(np.isnan(value), 0.0, occurs if average == "macro" else table.support)
    return _ratio((np.nan_to_num(value) * weight).sum(-1), weight.sum(-1))


def _ratio(
    numerator: NDArray[np.float64], denominator: NDArray[np.float64], undefined: float | None = None
) -> NDArray[np.float64]:
    """Divide, with `undefined` (NaN) where the denominator is 0."""
    fill = np.nan if undefined is None else undefined
    empty = np.full(np.shape(denominator), fill)
    ratio: NDArray[np.float64] = np.divide(
        numerator, denominator, out=empty, where=np.asarray(denominator) != 0
    )
    return ratio
