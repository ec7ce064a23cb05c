"""Sums of counts of true by predicted class: of whole matrices, or of the cells that occur.

`counts[..., i, j]` is the number of examples of true class i predicted as j; everything
works over leading axes at once and takes k columns, or k + 1 where the last holds
predictions that are none of the classes. Those are wrong: they are in the support of
their true class and in no class's predictions, as in scikit-learn with `labels=` the
classes of the data.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray

from evallang.stats.weightings import summing


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
