"""One search for neighbours that serves every number of neighbours.

The k nearest of a row are the first k of its K nearest, whatever K > k. Where the k-th and the
next neighbour are equally near, which of them scikit-learn takes depends on k, so a candidate
with such a row is fitted as any other model; so is one for which the order of equally near
neighbours enters a sum. Everything after the search is scikit-learn's arithmetic in its order:
labels, values and probabilities are the same bits.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evallang.models.model import EstimatorSpec, StepSpec, identity

NAME = "one neighbour search for all k"

CLASSES = frozenset({"KNeighborsClassifier", "KNeighborsRegressor"})
"""The classes that are a search for `n_neighbors` rows and a vote or mean of them."""

K = "n_neighbors"
DEFAULT_K = 5  # of scikit-learn
TIE = 1e-12  # of the largest norm: rounding in distances by products of matrices is below it


def shared_search(step: StepSpec) -> str | None:
    """Return what candidates that share one search have in common; None for other classes."""
    if not isinstance(step, EstimatorSpec) or step.code or step.name not in CLASSES:
        return None
    parameters = tuple((name, value) for name, value in step.parameters if name != K)
    return identity(EstimatorSpec(step.name, parameters))


def number_of_neighbours(step: StepSpec) -> int:
    """Return how many neighbours a step asks for."""
    assert isinstance(step, EstimatorSpec), "only an estimator has neighbours"
    k = dict(step.parameters).get(K, DEFAULT_K)
    return k if isinstance(k, int) else 0


class NeighbourSearch:
    """The neighbours of some rows, for every k that a candidate asks for."""

    def __init__(self, estimator: Any, train: Any, y: "NDArray[Any]", most: int) -> None:
        """Fit the estimator with the most neighbours on the training rows."""
        self.estimator = estimator
        self.train, self.y, self.most = train, y, most
        self.distances: Any = None
        self.neighbours: Any = None

    def usable(self, test: Any) -> bool:
        """Fit and search; return whether the neighbours are those of scikit-learn for each k.

        With None for `test` each training row is searched for among the others.
        """
        searched = (self.train,) if test is None else (self.train, test)
        dense = all(isinstance(rows, np.ndarray) and rows.dtype == np.float64 for rows in searched)
        # the algorithm may depend on k where k is at least half of the rows
        if not dense or not 0 < self.most + 1 < len(self.train) // 2:
            return False
        metric = self.estimator.metric
        if not isinstance(metric, str) or metric in ("precomputed", "nan_euclidean"):
            return False
        self.estimator.fit(self.train, self.y)
        found = self.estimator.kneighbors(test, n_neighbors=self.most + 1)
        self.distances, self.neighbours = found
        norm = max(1.0, *(float(np.sqrt((r * r).sum(axis=1).max())) for r in searched))
        self.near = np.diff(self.distances, axis=1) <= TIE * norm
        self.near |= np.diff(self.distances**2, axis=1) <= TIE * norm**2
        return True

    def rows_without_ties(self, k: int) -> "NDArray[np.bool_]":
        """Return the rows of which no tie makes the neighbours, or the order of a sum, depend on k.

        `near` is whether neighbour j + 1 and the next are equally near (rows, most).
        """
        asked = slice(k - 1, k) if self._votes_equally() else slice(0, k)
        found: NDArray[np.bool_] = ~self.near[:, asked].any(axis=1)
        return found

    def first_neighbours(self, k: int) -> Any:
        """Return an estimator that predicts the searched rows from their first k neighbours."""
        if self._votes_equally():
            return _Votes(self.y, self.neighbours[:, :k])
        self.estimator.n_neighbors = k
        distances, neighbours = self.distances[:, :k], self.neighbours[:, :k]

        def kneighbors(X: Any, return_distance: bool = True) -> Any:  # noqa: N803
            return (distances, neighbours) if return_distance else neighbours

        self.estimator.kneighbors = kneighbors
        return self.estimator

    def _votes_equally(self) -> bool:
        return self.estimator.weights == "uniform" and hasattr(self.estimator, "predict_proba")


class _Votes:
    """Predictions by the number of neighbours in each class; the first of equal classes wins."""

    def __init__(self, y: "NDArray[Any]", neighbours: "NDArray[np.int64]") -> None:
        self.classes_, codes = np.unique(y, return_inverse=True)
        voted = codes[neighbours]
        self.counts = np.stack(
            [(voted == code).sum(axis=1) for code in range(len(self.classes_))], axis=1
        )

    def predict(self, X: Any) -> "NDArray[Any]":  # noqa: N803
        """Return the class of most neighbours."""
        found: NDArray[Any] = self.classes_.take(self.counts.argmax(axis=1))
        return found

    def predict_proba(self, X: Any) -> "NDArray[np.float64]":  # noqa: N803
        """Return the share of the neighbours in each class."""
        shares: NDArray[np.float64] = self.counts / self.counts.sum(axis=1)[:, np.newaxis]
        return shares


def groups(steps: Sequence[StepSpec]) -> list[list[int]]:
    """Return the places of steps that share a search, a list for each search."""
    found: dict[str, list[int]] = {}
    for place, step in enumerate(steps):
        shared = shared_search(step)
        if shared is not None and number_of_neighbours(step) > 0:
            found.setdefault(shared, []).append(place)
    return list(found.values())
