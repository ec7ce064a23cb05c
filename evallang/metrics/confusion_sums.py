"""Ratios of sums of counts of true by predicted class, and their averages over classes."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from evallang.stats.class_sums import Margins

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
