"""Labels of a support vector machine from one product of matrices.

libsvm computes the kernel of each pair of a row and a support vector by itself; as a product of
matrices it takes a fraction of the time and differs in the last bits. Rows whose decision between
any two classes is so near to zero that these bits could matter are predicted by libsvm.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evallang.models.model import EstimatorSpec, StepSpec

NAME = "labels from products with support vectors"

CLASSES = frozenset({"SVC", "NuSVC"})
"""The classes that vote between pairs of classes by sums over support vectors."""

BLOCK = 1 << 21  # kernels computed at once
SLACK = 1e-11  # of the sizes that are added: rounding is below it


class ProductOfKernels:
    """A fitted machine whose `predict` is by products; all else is its own."""

    def __init__(self, machine: Any) -> None:
        self._machine = machine

    def __getattr__(self, name: str) -> Any:
        return getattr(self._machine, name)

    def predict(self, X: "NDArray[np.float64]") -> "NDArray[Any]":  # noqa: N803
        """Return the class with most votes, the first of equal ones, as libsvm does."""
        machine = self._machine
        codes = np.empty(len(X), dtype=np.intp)
        rows = max(1, BLOCK // max(1, len(machine.support_vectors_)))
        for start in range(0, len(X), rows):
            part = X[start : start + rows]
            decisions, slack = self._decisions(part)
            votes = np.zeros((len(part), len(machine.classes_)), dtype=np.int64)
            near = np.zeros(len(part), dtype=bool)
            for (first, second), decided in zip(
                _pairs(len(machine.classes_)), decisions, strict=True
            ):
                votes[:, first] += decided > 0
                votes[:, second] += decided <= 0
                near |= ~(np.abs(decided) > slack)
            found = votes.argmax(axis=1)
            if near.any():
                asked = machine.predict(part[near])
                found[near] = np.searchsorted(machine.classes_, asked)
            codes[start : start + rows] = found
        labels: NDArray[Any] = machine.classes_.take(codes)
        return labels

    def _decisions(self, X: "NDArray[np.float64]") -> "tuple[list[Any], float]":  # noqa: N803
        """Return the decisions of all pairs, positive for the first class, and their rounding."""
        machine = self._machine
        vectors, dual, intercept = machine.support_vectors_, machine.dual_coef_, machine.intercept_
        if len(machine.classes_) == 2:  # of which scikit-learn turns the sign
            dual, intercept = -dual, -intercept
        products = X @ vectors.T
        size = 1.0
        kernels = products
        if machine.kernel == "rbf":
            of_rows, of_vectors = (np.einsum("ij,ij->i", m, m) for m in (X, vectors))
            products *= -2.0
            products += of_rows[:, None]
            products += of_vectors
            products *= -machine._gamma
            np.minimum(products, 0.0, out=products)
            size += machine._gamma * float(of_rows.max() + of_vectors.max())
            kernels = np.exp(products, out=products)
        else:
            size += float(np.abs(products).max())
        ends = np.cumsum(machine.n_support_)
        sums = [
            kernels[:, end - n : end] @ dual[:, end - n : end].T
            for n, end in zip(machine.n_support_, ends, strict=True)
        ]
        decisions = [
            sums[first][:, second - 1] + sums[second][:, first] + intercept[number]
            for number, (first, second) in enumerate(_pairs(len(machine.classes_)))
        ]
        most = float(np.abs(dual).sum() + np.abs(intercept).max())
        return decisions, SLACK * size * X.shape[1] * most


def _pairs(n: int) -> "Iterator[tuple[int, int]]":
    return ((first, second) for first in range(n) for second in range(first + 1, n))


def usable(step: StepSpec, machine: Any, test: Any) -> bool:
    """Return whether the labels of a fitted step for these rows may be had by products."""
    if not isinstance(step, EstimatorSpec) or step.code or step.name not in CLASSES:
        return False
    if machine.break_ties or machine.kernel not in ("rbf", "linear"):
        return False
    if machine.kernel == "rbf" and not hasattr(machine, "_gamma"):
        return False
    dense = isinstance(test, np.ndarray) and test.dtype == np.float64
    return (
        dense
        and len(test) > 0
        and len(machine.support_vectors_) > 0
        and bool(np.isfinite(test).all())
    )
