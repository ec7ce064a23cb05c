"""Intervals of measures whose examples carry weights: n_eff for proportions, else a bootstrap."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from evallang.metrics.metric import MetricEntry, Outcome, confusion, is_binary
from evallang.registry import lazy
from evallang.results.records import Interval
from evallang.stats.intervals.effective_size import (
    weighted_area_sample,
    weighted_loss_sample,
    weighted_sample,
    weighted_wilson,
)
from evallang.stats.intervals.interval import Resampler

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy("numpy")

Options = Mapping[str, Any]


def weighted_proportion(
    entry: MetricEntry, options: Options, outcome: Outcome, level: float
) -> Interval:
    """Give Wilson's interval of a proportion with the effective number of its trials.

    The trials of a recall are the positives, so that their weights alone count. Raises
    `ValueError` where the metric is no proportion of these classes.
    """
    assert outcome.weights is not None, "examples without weights have their own interval"
    trials, right = _trials(entry, options, outcome)
    return weighted_wilson(right[trials], outcome.weights[trials], level)


def _trials(
    entry: MetricEntry, options: Options, outcome: Outcome
) -> "tuple[NDArray[np.bool_], NDArray[np.bool_]]":
    """Tell which examples a proportion counts, and which of all are right."""
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
) -> Resampler:
    """Make the sample of a weighted metric, for `bootstrap`; `folds` where several were fitted.

    An area under the curve is that of each fold, averaged over folds.
    """
    o, weights = outcome, outcome.weights
    assert weights is not None, "examples without weights have their own samples"
    declared = entry.declaration
    limits = (declared.low, declared.high)
    if declared.form == "losses":
        losses = entry.function(o.truth, o.output, o.positive, **options)
        return weighted_loss_sample(losses, weights, groups, limits, declared.transform)
    if entry.name == "roc_auc" and o.k == 2 and o.positive is not None:
        scores = o.output if o.output.ndim == 1 else o.output[:, o.positive]
        return weighted_area_sample(o.truth == o.positive, scores, weights, folds, groups)

    def statistic(drawn: "NDArray[np.float64]") -> "NDArray[np.float64]":
        if declared.form == "counts":
            tables = np.stack([confusion(o.truth, o.output, o.k, w) for w in drawn])
            values = entry.function(tables, o.positive, **options)
        else:
            values = [entry.function(o.truth, o.output, o.positive, w, **options) for w in drawn]
        return np.asarray(values, dtype=np.float64)

    return weighted_sample(statistic, weights, groups, limits)
