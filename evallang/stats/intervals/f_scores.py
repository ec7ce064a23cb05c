"""Intervals for F1 from the confusion matrix, by the delta method."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.registry import Evidence, Example
from evallang.results.statistics import Interval
from evallang.stats.distributions import bounds_inside, normal_quantile
from evallang.stats.intervals.interval import INTERVALS, IntervalDeclaration
from evallang.stats.validation import MOST_COUNTED, numbers
from evallang.stats.validity import OF_MISTAKES, OF_RAREST

Average = Literal["binary", "macro", "micro", "weighted"]
AVERAGES = ("binary", "macro", "micro", "weighted")
Z_95 = 1.9599639845400542
OWN = "own derivation: computed by hand"
# Both classes: F1 .8, 16 right and 4 wrong of 20
EVEN = ((8, 2), (2, 8))


@INTERVALS.register(
    IntervalDeclaration(
        frozenset({Evidence.ONE_PREDICTION_PER_ROW, Evidence.COUNTS}),
        "f1",
        holds=(OF_RAREST, OF_MISTAKES),
        when="you need F1 of independent examples in closed form",
        when_not="a class has few true or predicted examples: bootstrap",
        formula=(
            "F1 ± z standard errors on the logit scale, the variance from how each cell of "
            "the confusion matrix moves F1"
        ),
        differs={
            "confidenceinterval": (
                "its intervals are symmetric and leave [0, 1], such as (.548, 1.113); "
                "takahashi(plain) is that form, cut at the ends"
            ),
        },
    ),
    title="Delta-method interval for F1",
    references=(cite("takahashi2022"),),
    examples=(
        Example(
            (EVEN, "micro", None, 0.95),
            {
                "low": 0.8 - Z_95 * math.sqrt(0.8 * 0.2 / 20),
                "high": 0.8 + Z_95 * math.sqrt(0.8 * 0.2 / 20),
            },
            f"{OWN}: micro F1 is accuracy, .8 ± z sqrt(.8 (.2)/20)",
            options={"scale": "plain"},
        ),
        Example(
            (EVEN, "macro", None, 0.95),
            # F (1 - F)(2 - F)/s = .192 for each class with s = 1, and 2 (.2)(.8)(.8) across,
            # over r² n = 80
            {
                "low": 0.8 - Z_95 * math.sqrt((2 * 0.192 + 0.256) / 80),
                "high": 0.8 + Z_95 * math.sqrt((2 * 0.192 + 0.256) / 80),
            },
            f"{OWN}, .8 ± z sqrt(.64/80)",
            options={"scale": "plain"},
        ),
        Example(
            (EVEN, "binary", 1, 0.95),
            {
                "low": 1 / (1 + math.exp(-math.log(4) + Z_95 * math.sqrt(0.192 / 20) / 0.16)),
                "high": 1 / (1 + math.exp(-math.log(4) - Z_95 * math.sqrt(0.192 / 20) / 0.16)),
            },
            f"{OWN}, logit .8 ± z sqrt(.192/20) / (.8 (.2))",
        ),
    ),
)
def takahashi(
    matrix: ArrayLike,
    average: Average,
    positive: int | None,
    level: float,
    *,
    scale: Literal["logit", "plain"] = "logit",
) -> Interval:
    """Interval for F1 with the delta method's variance, on the logit scale.

    The variance is that of the multinomial counts times the squared gradient of F1, for
    micro and macro averages (Takahashi, Yamamoto, Kuchiba & Koyama 2022), one class, or the
    average weighted by the true classes (the same method, own derivation). The logit
    keeps the bounds inside [0, 1]; `plain` is the paper's form, cut there. At F1 = 0 or 1
    the variance is 0 and says nothing, and there is no interval. `matrix` is (k, k), true
    by predicted class; `positive` the class of `binary`. Raises `ValueError` where
    `matrix` is not a table of counts or `positive` is missing.
    """
    z = normal_quantile(level)
    counts = _checked(matrix, average, positive)
    n = float(counts.sum())
    if n == 0:
        return Interval("takahashi", level, None, None, ("no examples",))
    found = _value_and_gradient(counts / n, average, positive)
    if found is None:
        reason = "undefined: a class is neither true nor predicted"
        return Interval("takahashi", level, None, None, (reason,))
    value, gradient = found
    shares = counts / n
    centre = float((shares * gradient).sum())
    variance = float((shares * (gradient - centre) ** 2).sum()) / n
    if not 0 < value < 1 or variance <= 0:
        reason = f"undefined: F1 is {value:g}, where the delta method has no variance"
        return Interval("takahashi", level, None, None, (reason,))
    error = math.sqrt(variance)
    if scale == "plain":
        low, high = max(value - z * error, 0.0), min(value + z * error, 1.0)
        return Interval("takahashi", level, low, high)
    return Interval("takahashi", level, *bounds_inside(value, z * error))


def _value_and_gradient(
    p: NDArray[np.float64], average: str, positive: int | None
) -> tuple[float, NDArray[np.float64]] | None:
    """Return F1 and its derivatives by the cells' probabilities; None where F1 is undefined."""
    hits = np.diag(p)
    if average == "micro":
        return float(hits.sum()), np.eye(len(p))
    sums = p.sum(axis=0) + p.sum(axis=1)
    if average == "binary":
        weights = np.zeros(len(p))
        weights[positive] = 1.0
    elif average == "macro":
        weights = np.full(len(p), 1 / len(p))
    else:
        weights = p.sum(axis=1)
    if (sums[weights > 0] == 0).any():
        return None
    scores = np.divide(2 * hits, sums, out=np.zeros(len(p)), where=sums > 0)
    # F = 2 hits / sums: a cell off the diagonal is in the sums of its row and its column
    slopes = np.divide(weights * scores, sums, out=np.zeros(len(p)), where=sums > 0)
    gradient = -(slopes[:, None] + slopes[None, :])
    doubled = np.divide(2 * weights, sums, out=np.zeros(len(p)), where=sums > 0)
    gradient[np.diag_indices(len(p))] += doubled
    if average == "weighted":
        gradient += scores[:, None]
    return float(weights @ scores), gradient


def _checked(matrix: ArrayLike, average: str, positive: int | None) -> NDArray[np.float64]:
    counts = numbers(matrix, "counts")
    countable = ((counts >= 0) & (counts <= MOST_COUNTED)).all()
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1] or not countable:
        raise ValueError("a confusion matrix holds counts of true by predicted classes")
    if average not in AVERAGES:
        raise ValueError(f"F1 is averaged as {', '.join(AVERAGES)}, not {average!r}")
    if average == "binary" and positive not in range(len(counts)):
        raise ValueError("binary F1 is that of a class, and none is named")
    return counts
