"""Metrics of the author's own: functions of truth and prediction, in the author's labels.

Nothing here imports a module of the author's. Until a run has loaded their functions
(`loaded_for_a_run`), own metrics are taken for what demands least: labels, and no range.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from math import isfinite, nan
from numbers import Real
from typing import Any, Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.metrics.metric import Direction, MetricDeclaration, MetricEntry
from evallang.registry import Entry, Option

OwnNeeds = Literal["labels", "scores", "probabilities"]
BETTER: tuple[Direction, ...] = ("higher", "lower")
NEEDS: tuple[OwnNeeds, ...] = ("labels", "scores", "probabilities")
DECLARED: Mapping[str, tuple[str, ...]] = {"better": BETTER, "needs": NEEDS}
"""What a function may say of itself by an attribute; the first word holds without one."""


class OwnMetricFailed(ValueError):
    """A function of the author's that raised, or gave something that is not a finite number.

    `error` is the class of what it raised, `message` its text; the text of the whole names the
    metric as well.
    """

    def __init__(self, text: str, error: str, message: str) -> None:
        super().__init__(text)
        self.error, self.message = error, message


class OwnMetric(Struct, frozen=True):
    """A loaded function: its entry, which of `DECLARED` it says itself, and whether it takes
    options that its signature does not name."""

    entry: MetricEntry
    declared: frozenset[str]
    any_option: bool


_LOADED: ContextVar[Mapping[str, OwnMetric]] = ContextVar("own_metrics")


@contextmanager
def loaded_for_a_run(found: Mapping[str, OwnMetric]) -> Iterator[None]:
    """Use these functions for own metrics, by dotted name, until the run has ended."""
    token = _LOADED.set(found)
    try:
        yield
    finally:
        _LOADED.reset(token)


def own_metric_loaded(name: str) -> OwnMetric | None:
    """Find a loaded function; None before a run, when nothing is known of it."""
    return _LOADED.get({}).get(name)


def own_metric_entry(name: str) -> MetricEntry:
    """Return the entry of an own metric; before a run, one whose function raises."""
    found = own_metric_loaded(name)
    return entry_of(name, _not_loaded) if found is None else found.entry


def _not_loaded(truth: Any, prediction: Any, **options: object) -> float:
    raise OwnMetricFailed("its code was not loaded", "ImportError", "its code was not loaded")


def entry_of(
    name: str,
    function: Callable[..., Any],
    *,
    better: Direction = "higher",
    needs: OwnNeeds = "labels",
    options: Sequence[Option] = (),
    summary: str = "",
) -> MetricEntry:
    """Make the entry of a function `f(truth, prediction, **options)`.

    It raises nothing but `OwnMetricFailed`. Of the task nothing is declared: rules that read
    it pass own metrics by.
    """
    declaration = MetricDeclaration(form="scores", needs=needs, better=better)
    said = f"The author's own code{f': {summary}' if summary else '.'}"
    return Entry(
        "metric",
        name,
        name,
        _OwnFunction(name, function, needs, None, said),
        declaration,
        ("truth", "output", "positive", "weights"),
        partial(tuple, options),
        (),
        (),
    )


def wrap_labels(entry: MetricEntry, values: Sequence[Any]) -> MetricEntry:
    """Pass these labels to an own metric for the class codes 0, 1, ...; others stay as they are."""
    if not isinstance(entry.function, _OwnFunction) or not values:
        return entry
    return replace(entry, function=replace(entry.function, labels=tuple(values)))


class _OwnFunction(Struct, frozen=True):
    # A function of the author's, called as one of form `scores` is

    name: str
    function: Callable[..., Any]
    needs: OwnNeeds
    labels: tuple[Any, ...] | None
    said: str

    @property
    def __doc__(self) -> str:  # type: ignore[override]  # each is documented, as functions are
        return self.said

    def __call__(
        self,
        truth: NDArray[Any],
        output: NDArray[Any],
        positive: int | None,
        weights: NDArray[np.float64] | None = None,
        **options: object,
    ) -> float:
        """Call the function on labels; `weights` are how often each example was drawn."""
        prediction = output if self.needs == "labels" else self._scores(output, positive)
        drawn_again = weights is not None and bool((np.asarray(weights) != 1).any())
        if drawn_again:
            times = np.asarray(weights).astype(np.int64)
            truth, prediction = np.repeat(truth, times), np.repeat(prediction, times, axis=0)
            if not len(truth):
                return nan
        if self.needs == "labels":
            prediction = self._labels(prediction)
        value = self.function(self._labels(truth), np.array(prediction), **options)
        if isinstance(value, Real) and isfinite(value):
            return float(value)
        if drawn_again and isinstance(value, Real):
            return nan  # undefined on this sample, as other metrics are on some
        said = f"it gave {_named(value)}, which is not a finite number"
        raise OwnMetricFailed(f"`{self.name}` failed: {said}", "ValueError", said)

    def _labels(self, codes: NDArray[Any]) -> NDArray[Any]:
        """Return labels for class codes; an unknown label is empty, or NaN among numbers."""
        if self.labels is None:
            return np.array(codes)
        labels = self.labels
        if len(codes) and codes.min() < 0:
            labels = (*labels, "" if isinstance(labels[0], str) else nan)
        return np.array(labels)[codes.astype(np.int64)]

    def _scores(self, output: NDArray[Any], positive: int | None) -> NDArray[Any]:
        """Return scores of the positive class (n,), or probabilities (n, K), K >= 2."""
        if self.needs == "scores" and output.ndim == 2 and positive is not None:
            return output[:, positive]
        if self.needs == "probabilities" and output.ndim == 1:
            return np.column_stack([output, 1 - output] if positive == 0 else [1 - output, output])
        return output


def _named(value: object) -> str:
    return str(float(value)) if isinstance(value, Real) else f"a {type(value).__name__}"
