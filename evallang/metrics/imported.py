"""Metrics whose numbers are in a file: one value an example or fold, and its mean."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evallang.metrics.metric import Direction, MetricDeclaration, MetricEntry
from evallang.registry import Entry

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def mean_of_values(
    truth: NDArray[Any], output: NDArray[np.float64], positive: int | None, **options: object
) -> NDArray[np.float64]:
    """Return the imported values, one for each example or fold; their mean is the measure.

    `options` are those with which they were measured, and change nothing any more.
    """
    return output


def imported_metric(name: str, better: Direction) -> MetricEntry:
    """Make the metric of imported values, under the name that their statement gives."""
    declaration = MetricDeclaration(task="regression", form="losses", needs="values", better=better)
    return Entry("metric", name, name, mean_of_values, declaration, _INPUTS, (), (), ())


def mean_over_repeats(entry: MetricEntry) -> MetricEntry:
    """Make the metric of an example's mean over repeats out of one that is a mean of examples.

    Of an accuracy it is the mean share of repeats in which an example is right: a number, and
    no count of successes. A root stays the root of the mean.
    """
    return replace(
        entry,
        function=mean_of_values,
        inputs=_INPUTS,
        options=(),
        declaration=replace(entry.declaration, form="losses", proportion=None, complement=False),
    )


_INPUTS = ("truth", "output", "positive")
