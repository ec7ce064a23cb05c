"""Intervals of measures whose examples carry weights: n_eff for proportions, else a bootstrap."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evallang.metrics.aggregation import partition, point_value
from evallang.metrics.metric import MetricEntry, Outcome, is_binary
from evallang.registry import lazy
from evallang.results.records import Interval
from evallang.stats.intervals.effective_size import (
    weighted_area_sample,
    weighted_loss_sample,
    weighted_sample,
    weighted_wilson,
)
from evallang.stats.intervals.resampling import WeightSample

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy("numpy")

Options = Mapping[str, Any]


def weighted_proportion(
    entry: MetricEntry, options: Options, outcome: Outcome, level: float
) -> Interval:
    """Return Wilson's interval of a proportion with the effective number of its trials.

    The trials of a recall are the positives, so that their weights alone count. Raises
    `ValueError` where the metric is no proportion of these classes.
    """
    assert outcome.weights is not None, "examples without weights have their own interval"
    trials, right = _trials(entry, options, outcome)
    return weighted_wilson(right[trials], outcome.weights[trials], level)


def _trials(
    entry: MetricEntry, options: Options, outcome: Outcome
) -> "tuple[NDArray[np.bool_], NDArray[np.bool_]]":
    """Return which examples a proportion counts, and which of all are right."""
    right = np.asarray(outcome.truth == outcome.output, dtype=bool)
    kind = entry.declaration.proportion
    if kind == "all":
        return np.ones(outcome.n, dtype=bool), right
    if kind is None or outcome.positive is None or not is_binary(options, outcome.k):
        raise ValueError("the metric is no proportion of these classes")
    chosen = outcome.positive
    if kind in ("negatives", "predicted_negatives"):
        chosen = 1 - chosen
    side = outcome.truth if kind in ("positives", "negatives") else outcome.output
    return np.asarray(side == chosen, dtype=bool), right


def sample_of(
    entry: MetricEntry,
    options: Options,
    outcome: Outcome,
    folds: "NDArray[np.int64] | None",
    groups: "NDArray[np.int64] | None",
) -> WeightSample:
    """Make the sample of a weighted metric, for `bootstrap`; `folds` where several were fitted.

    A ranking metric is that of each fold, averaged over folds. Without weights every
    example has the weight 1.
    """
    o = outcome
    weights = np.ones(o.n) if o.weights is None else o.weights
    declared = entry.declaration
    limits = (declared.low, declared.high)
    if declared.form == "losses":
        losses = entry.function(o.truth, o.output, o.positive, **options)
        return weighted_loss_sample(losses, weights, groups, limits, declared.transform)
    if declared.ranks == "area" and o.k == 2 and o.positive is not None:
        scores = o.output if o.output.ndim == 1 else o.output[:, o.positive]
        return weighted_area_sample(o.truth == o.positive, scores, weights, folds, groups)

    if declared.form == "counts":
        return weighted_sample(_of_counts(entry, options, o), weights, groups, limits)

    parts = partition(o.n, folds)

    def statistic(drawn: "NDArray[np.float64]") -> "NDArray[np.float64]":
        values = [point_value(entry, options, replace(o, weights=w), parts) for w in drawn]
        return np.asarray(values, dtype=np.float64)

    return weighted_sample(statistic, weights, groups, limits)


def _of_counts(
    entry: MetricEntry, options: Options, o: Outcome
) -> "Callable[[NDArray[np.float64]], NDArray[np.float64]]":
    """Return the metric of counts as a function of weights (B, n)."""
    column = np.where(np.asarray(o.output) < 0, o.k, o.output).astype(np.int64)
    cells, code = np.unique(np.asarray(o.truth) * (o.k + 1) + column, return_inverse=True)
    inside = (code.reshape(-1)[:, None] == np.arange(len(cells))).astype(np.float64)

    def statistic(drawn: "NDArray[np.float64]") -> "NDArray[np.float64]":
        tables = np.zeros((len(drawn), o.k * (o.k + 1)))
        # einsum and not BLAS: the same bits for any number of threads
        tables[:, cells] = np.einsum("bn,nc->bc", drawn, inside)
        shaped = tables.reshape(len(drawn), o.k, o.k + 1)
        return np.asarray(entry.function(shaped, o.positive, **options), dtype=np.float64)

    return statistic
