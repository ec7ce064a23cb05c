"""A metric over folds and repeats under many weightings of its examples at once.

A bootstrap asks for the same metric of the same predictions some ten thousand times, with
other weights each time: what does not depend on the weights is worked out once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.metrics.aggregation import Partition, aggregation_of, point_value
from evallang.metrics.metric import MetricEntry, Outcome, Statistic
from evallang.stats.weightings import ratio, summing


class Reweighted(Struct, frozen=True):
    """A metric as a function of weights (B, n).

    `compiled` where it is worked out for all weightings at once.
    """

    statistic: Statistic
    compiled: bool


def reweighted(
    entry: MetricEntry, options: Mapping[str, Any], outcome: Outcome, parts: Partition
) -> Reweighted:
    """Return `point_value` as a function of weights (B, n), which multiply the outcome's own."""
    form, own = entry.declaration.form, outcome.weights
    by_fold = aggregation_of(entry, options, parts.repeats, len(parts.pairs)) == "mean_of_folds"
    part, number = (parts.fold, len(parts.pairs)) if by_fold else (parts.repeat, parts.repeats)
    if form == "counts":
        statistic = _count_statistic(entry, options, outcome, part, number)
    elif form == "losses":
        statistic = _loss_statistic(entry, options, outcome, part, number)
    else:
        pieces = _score_statistic(entry, options, outcome, part, number)
        if pieces is None:
            return Reweighted(_one_by_one(entry, options, outcome, parts), compiled=False)
        statistic = pieces
    return Reweighted(
        lambda weights: _mean(statistic(weights if own is None else weights * own)),
        compiled=True,
    )


def _one_by_one(
    entry: MetricEntry, options: Mapping[str, Any], outcome: Outcome, parts: Partition
) -> Statistic:
    own = outcome.weights

    def statistic(weights: NDArray[Any]) -> NDArray[np.float64]:
        drawn = weights.astype(np.float64) if own is None else weights * own
        values = [point_value(entry, options, replace(outcome, weights=w), parts) for w in drawn]
        return np.array(values, dtype=np.float64)

    return statistic


def _count_statistic(
    entry: MetricEntry,
    options: Mapping[str, Any],
    o: Outcome,
    part: NDArray[np.int64],
    number: int,
) -> Statistic:
    column = np.where(np.asarray(o.output) < 0, o.k, o.output).astype(np.int64)
    cell = (part * o.k + np.asarray(o.truth).astype(np.int64)) * (o.k + 1) + column
    sums = summing(cell, number * o.k * (o.k + 1))

    def statistic(weights: NDArray[Any]) -> NDArray[np.float64]:
        tables = (sums @ weights.T).T.reshape(len(weights) * number, o.k, o.k + 1)
        values = np.asarray(entry.function(tables, o.positive, **options), dtype=np.float64)
        return values.reshape(len(weights), number)

    return statistic


def _loss_statistic(
    entry: MetricEntry,
    options: Mapping[str, Any],
    o: Outcome,
    part: NDArray[np.int64],
    number: int,
) -> Statistic:
    loss = np.asarray(entry.function(o.truth, o.output, o.positive, **options), dtype=np.float64)
    sums, lost = summing(part, number), summing(part, number, loss)

    def statistic(weights: NDArray[Any]) -> NDArray[np.float64]:
        means = ratio(lost @ weights.T, sums @ weights.T).T
        return np.sqrt(means) if entry.declaration.transform == "sqrt" else means

    return statistic


def _score_statistic(
    entry: MetricEntry,
    options: Mapping[str, Any],
    o: Outcome,
    part: NDArray[np.int64],
    number: int,
) -> Statistic | None:
    """Return the metric on each part (B, number), None where it has no form under weights."""
    pieces = []
    for which in range(number):
        rows: Any = np.flatnonzero(part == which) if number > 1 else slice(None)
        function = _weighted_statistic(entry, options, replace(o.take(rows), weights=None))
        if function is None:
            return None
        pieces.append((rows, function))
    return lambda weights: np.stack([value(weights[:, rows]) for rows, value in pieces], axis=1)


def _weighted_statistic(
    entry: MetricEntry, options: Mapping[str, Any], o: Outcome
) -> Statistic | None:
    """Return a metric of scores as a function of weights, None where it has no such form."""
    declared = entry.declaration
    if declared.under_weights is not None:
        return declared.under_weights(o, options)
    if declared.moments is None:
        return None
    moments = declared.moments(o)

    # einsum and not BLAS: the same bits for any number of threads
    return lambda weights: moments.function(
        np.einsum("bn,cn->cb", weights, moments.columns, dtype=np.float64)
    )


def _mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Average what is defined in each row; NaN where nothing is."""
    defined = ~np.isnan(values)
    count = defined.sum(axis=1)
    total = np.where(defined, values, 0.0).sum(axis=1)
    return np.asarray(np.divide(total, count, out=np.full(len(values), np.nan), where=count > 0))
