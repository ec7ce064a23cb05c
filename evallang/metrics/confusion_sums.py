"""Sums of counts of true by predicted class, and averages over classes.

`counts[..., i, j]` is the number of examples of true class i predicted as j; everything
works over leading axes at once and takes k columns, or k + 1 where the last holds
predictions that are none of the classes. Those are wrong: they are in the support of
their true class and in no class's predictions, as in scikit-learn with `labels=` the
classes of the data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from evallang.frozen_records import frozen
from evallang.registry import lazy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray
else:
    np = lazy("numpy")

Average = Literal["binary", "macro", "micro", "weighted"]


@frozen
class Margins:
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
    def of(counts: ArrayLike) -> Margins:
        """Sum counts (..., k, k) or (..., k, k + 1)."""
        matrix = np.asarray(counts, dtype=np.float64)
        inside = matrix[..., : matrix.shape[-2]]
        hits = np.diagonal(inside, axis1=-2, axis2=-1)
        return Margins(hits, inside.sum(-1), matrix.sum(-1), inside.sum(-2), matrix.sum((-2, -1)))

    @property
    def predicted_other(self) -> NDArray[np.float64]:
        """Examples predicted as another of the classes (fn + tn)."""
        other: NDArray[np.float64] = self.predicted.sum(-1)[..., None] - self.predicted
        return other

    @property
    def rejections(self) -> NDArray[np.float64]:
        """Examples of other classes predicted as any other class (tn)."""
        return self.predicted_other - (self.labelled - self.hits)


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


def ratio(
    numerator: NDArray[np.float64],
    denominator: NDArray[np.float64],
    undefined: float = float("nan"),
) -> NDArray[np.float64]:
    """Divide, with `undefined` where the denominator is 0."""
    quotient: NDArray[np.float64] = np.divide(
        numerator,
        denominator,
        out=np.full(np.shape(denominator), undefined),
        where=np.asarray(denominator) != 0,
    )
    return quotient
