"""Metrics of counts of several models on the same resamples of their examples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.stats.intervals.interval import Resampler
from evallang.stats.intervals.resampled_counts import (
    BATCH,
    CountSample,
    Limits,
    PairedCountSample,
)
from evallang.stats.validation import check_unmasked

Metric = Callable[[NDArray[np.float64]], NDArray[np.float64]]

ROWS_AT_ONCE = 1 << 16  # examples counted at once: they stay in the cache
MOST_COMBINATIONS = 1 << 20  # of classes, that one table is made of
MOST_CELLS = 1 << 9  # of all confusion matrices together, kept for every round


class JointCounts:
    """How often truth and the labels of M models come together, resampled once for them all.

    The examples are counted when it is made. A resample is a multinomial draw over the
    combinations that occur, whatever the number of examples; the metrics of every model and
    the differences of any two of them are taken from the same draws, so that differences are
    paired. Where combinations are many, as with many classes, each model and each pair is
    drawn on its own, which is cheaper then. Draws of one state of the generator are kept
    until another is asked for.

    Parameters
    ----------
    truth : class of each example as a number from 0 to k - 1 (n,)
    labels : class that each model gives it (n, M)
    classes : k, or None for one more than the largest number

    Raises `ValueError` where shapes differ or a class is not such a number.
    """

    def __init__(self, truth: ArrayLike, labels: ArrayLike, classes: int | None = None) -> None:
        check_unmasked(truth, "labels")
        check_unmasked(labels, "labels")
        self._truth, self._labels = np.asarray(truth), np.asarray(labels)
        if self._labels.ndim != 2 or self._truth.shape != self._labels.shape[:1]:
            raise ValueError("every example needs its class and one label of each model")
        self._k = _checked_classes(self._truth, self._labels, classes)
        self.models = self._labels.shape[1]
        combinations = self._k ** (self.models + 1)
        confusions = self.models * self._k**2
        alone = confusions + self.models * (self.models - 1) // 2 * self._k**3
        self._counts: NDArray[np.int64] | None = None
        if combinations <= MOST_COMBINATIONS and confusions <= MOST_CELLS:
            counts = self._table(range(self.models)).ravel()
            occurring = np.flatnonzero(counts)
            if len(occurring) <= alone:
                self._counts = counts[occurring]
                self._cells = self._cells_of(occurring)
        self._drawn: tuple[str, int, Mapping[str, Any], NDArray[np.float64]] | None = None
        self._found: dict[tuple[int, Metric], NDArray[np.float64]] = {}

    def metric(self, model: int, function: Metric, limits: Limits = (None, None)) -> Resampler:
        """Return a metric of one model, `function` from matrices (..., k, k) to values (...)."""
        if self._counts is None:
            (chosen,) = self._chosen(model)
            return CountSample(self._table([chosen]), function, limits)
        return _OfJointCounts(self, self._chosen(model), function, limits)

    def difference(
        self, first: int, second: int, function: Metric, limits: Limits = (None, None)
    ) -> Resampler:
        """Return the difference of a metric of two models, first minus second."""
        chosen = self._chosen(first, second)
        if self._counts is None:
            return PairedCountSample(self._table(chosen), function, limits)
        return _OfJointCounts(self, chosen, function, limits)

    def values(
        self, model: int, function: Metric, rng: np.random.Generator, rounds: int
    ) -> NDArray[np.float64]:
        """Return a metric of one model on resamples (rounds,) that are the same for every model."""
        confusions = self._resampled(rng, rounds)
        key = (model, function)
        if key not in self._found:
            self._found[key] = function(self._matrices(confusions, model))
        return self._found[key]

    def estimate(self, model: int, function: Metric) -> float:
        """Return a metric of one model on the sample as it is."""
        found = self._cells @ self.times
        return float(function(self._matrices(found[:, None], model))[0])

    def leave_one_out_values(self, model: int, function: Metric) -> NDArray[np.float64]:
        """Return a metric of one model without one example of each combination that occurs."""
        found = self._cells @ self.times
        return function(self._matrices(found[:, None] - self._cells, model))

    @property
    def times(self) -> NDArray[np.float64]:
        """How often each combination of classes that occurs does so."""
        assert self._counts is not None, "only metrics of shared draws ask"
        return self._counts.astype(np.float64)

    def _resampled(self, rng: np.random.Generator, rounds: int) -> NDArray[np.float64]:
        """Return the cells of all confusion matrices (M k k, rounds) of resamples."""
        assert self._counts is not None, "only metrics of shared draws ask"
        state = str(rng.bit_generator.state)
        if self._drawn is not None and self._drawn[:2] == (state, rounds):
            rng.bit_generator.state = self._drawn[2]  # as if they were drawn again
            return self._drawn[3]
        n = int(self._counts.sum())
        confusions = np.empty((len(self._cells), rounds))
        batch = max(1, BATCH // max(len(self._counts), 1))
        for start in range(0, rounds, batch):
            size = min(batch, rounds - start)
            drawn = rng.multinomial(n, self._counts / max(n, 1), size=size)
            # Sums of whole numbers below 2^53 are exact in any order
            np.dot(self._cells, drawn.T.astype(np.float64), out=confusions[:, start : start + size])
        self._drawn = (state, rounds, rng.bit_generator.state, confusions)
        self._found = {}
        return confusions

    def _matrices(self, cells: NDArray[np.float64], model: int) -> NDArray[np.float64]:
        """Pick one model's matrices (B, k, k) out of all cells (M k k, B), each cell contiguous."""
        size = self._k**2
        own = cells[model * size : (model + 1) * size].reshape(self._k, self._k, -1)
        return np.moveaxis(own, -1, 0)

    def _cells_of(self, occurring: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return which cell of each model's matrix each combination (P,) falls in: (M k k, P)."""
        classes = np.unravel_index(occurring, (self._k,) * (self.models + 1))
        cells = np.zeros((self.models, self._k**2, len(occurring)))
        for model, labels in enumerate(classes[1:]):
            cells[model, classes[0] * self._k + labels, np.arange(len(occurring))] = 1.0
        return cells.reshape(-1, len(occurring))

    def _table(self, models: range | tuple[int, ...] | list[int]) -> NDArray[np.int64]:
        """Count truth by the labels of some models: (k,) * (1 + how many)."""
        shape = (self._k,) * (1 + len(models))
        counts = np.zeros(self._k ** len(shape), dtype=np.int64)
        for start in range(0, len(self._truth), ROWS_AT_ONCE):
            rows = slice(start, start + ROWS_AT_ONCE)
            codes = self._truth[rows].astype(np.intp)
            for model in models:
                codes *= self._k
                codes += self._labels[rows, model].astype(np.intp, copy=False)
            counts += np.bincount(codes, minlength=len(counts))
        return counts.reshape(shape)

    def _chosen(self, *models: int) -> tuple[int, ...]:
        if not set(models) <= set(range(self.models)):
            raise ValueError(f"there are {self.models} models, from 0 on")
        return models


class _OfJointCounts:
    """A metric of one of the models of joint counts, or the difference of two of them."""

    unit = "examples"
    n_groups = None

    def __init__(
        self, joint: JointCounts, models: tuple[int, ...], function: Metric, limits: Limits
    ) -> None:
        self._joint = joint
        self._models = models
        self._function = function
        self.limits = limits

    @property
    def n_examples(self) -> int:
        """How many examples it is made from."""
        return int(self._joint.times.sum())

    def estimate(self) -> float:
        """Return the statistic on the sample as it is."""
        values = [self._joint.estimate(model, self._function) for model in self._models]
        return values[0] if len(values) == 1 else values[0] - values[1]

    def replicates(self, rng: np.random.Generator, rounds: int) -> NDArray[np.float64]:
        """Return the statistic on the shared resamples of this state of the generator."""
        state = rng.bit_generator.state
        values = []
        for model in self._models:
            rng.bit_generator.state = state
            values.append(self._joint.values(model, self._function, rng, rounds))
        return self._of(values)

    def jackknife(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Leave out one example of each combination of classes that occurs."""
        values = [self._joint.leave_one_out_values(model, self._function) for model in self._models]
        return self._of(values), self._joint.times

    def _of(self, values: list[NDArray[np.float64]]) -> NDArray[np.float64]:
        return values[0] if len(values) == 1 else values[0] - values[1]


def _checked_classes(
    truth: NDArray[np.generic], labels: NDArray[np.generic], classes: int | None
) -> int:
    """Return k; raises `ValueError` where a class is not a whole number from 0 to k - 1."""
    sentence = "classes are given as whole numbers from 0 on"
    if not {truth.dtype.kind, labels.dtype.kind} <= set("iub"):
        raise ValueError(sentence)
    if labels.size == 0:
        raise ValueError("joint counts need an example and a model")
    low = min(int(truth.min()), int(labels.min()))
    high = max(int(truth.max()), int(labels.max()))
    k = high + 1 if classes is None else classes
    if low < 0 or high >= k:
        raise ValueError(sentence if classes is None else f"{sentence} to {classes - 1}")
    return k
