"""Metrics whose numbers are in a file: one value an example or fold, or two whose sums divide."""

from __future__ import annotations

from typing import Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.metrics.metric import (
    METRICS,
    Direction,
    MetricDeclaration,
    MetricEntry,
    Moments,
)
from evallang.metrics.named import named_metric
from evallang.registry import Entry, no_options
from evallang.stats.validity import Tail
from evallang.stats.weightings import ratio


def mean_of_values(
    truth: NDArray[Any], output: NDArray[np.float64], positive: int | None, **options: object
) -> NDArray[np.float64]:
    """Return the imported values, one for each example or fold; their mean is the measure.

    `options` are those with which they were measured, and change nothing any more.
    """
    return output


def _skewed(options: object) -> Tail:
    return Tail(0.1, "95% intervals covered 85 to 88% in simulations of 15 or 25 log-normal values")


def imported_metric(name: str, better: Direction) -> MetricEntry:
    """Make the metric of imported values, under the name that their statement gives."""
    named = named_metric(name)
    share, known = (False, None) if named is None else (named.share, named.name)
    declaration = MetricDeclaration(
        task="regression",
        form="losses",
        needs="values",
        better=better,
        low=0 if share else None,
        high=1 if share else None,
        unit=METRICS[known].declaration.unit if share and known else "number",
        tail=_skewed,
    )
    return Entry("metric", name, name, mean_of_values, declaration, _INPUTS, no_options, (), ())


def ratio_of_sums(
    truth: NDArray[Any],
    output: NDArray[np.float64],
    positive: int | None,
    weights: NDArray[np.float64] | None = None,
    **options: object,
) -> float:
    """Divide the sum of the numerators by that of the denominators (n, 2).

    NaN where the denominators add up to nothing.
    """
    numerator, denominator = output.T @ weights if weights is not None else output.sum(axis=0)
    return float(numerator / denominator) if denominator else float("nan")


def imported_ratio(name: str, better: Direction) -> MetricEntry:
    """Make the metric of imported numerators and denominators, whose sums are divided."""
    declaration = MetricDeclaration(
        task="regression",
        form="scores",
        needs="sums",
        better=better,
        moments=lambda outcome: Moments(outcome.output.T, lambda sums: ratio(sums[0], sums[1])),
    )
    parts = name.split(" / ")  # a sum whose own name has a slash keeps the short form
    title = f"Ratio of {parts[0]} to {parts[1]}" if len(parts) == 2 else name
    return Entry(
        "metric", name, title, ratio_of_sums, declaration, (*_INPUTS, "weights"), no_options, (), ()
    )


def mean_over_repeats(entry: MetricEntry) -> MetricEntry:
    """Make the metric of an example's mean over repeats out of one that is a mean of examples.

    Of an accuracy it is the mean share of repeats in which an example is right: a number, and
    no count of successes. A root stays the root of the mean.
    """
    return replace(
        entry,
        function=mean_of_values,
        inputs=_INPUTS,
        read_options=no_options,
        declaration=replace(entry.declaration, form="losses", proportion=None, complement=False),
    )


_INPUTS = ("truth", "output", "positive")
