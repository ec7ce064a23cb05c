"""The interval of one estimate: its method, its form for groups and weights, its unit."""

from dataclasses import replace
from math import sqrt
from typing import TYPE_CHECKING

from evallang.compatibility.intervals import default_interval
from evallang.data.heavy_tails import heavy_kurtosis
from evallang.engine.interval_inputs import ESTIMATE, IntervalInputs, MethodInputs
from evallang.engine.zero_width import has_no_width
from evallang.frozen_records import frozen
from evallang.metrics.metric import is_binary
from evallang.registry import lazy
from evallang.results.records import BOUNDS_COINCIDE, NO_WIDTH, NOT_COMPUTED, NOT_SOUND, Interval
from evallang.stats.intervals.interval import INTERVALS
from evallang.stats.intervals.proportions import wilson
from evallang.study import Measure, Method

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy("numpy")

SAME = 1e-9  # relative; means of equal folds in another order
ENOUGH_EXAMPLES = 250  # from which on pooled folds of unstable models are kept without a note
NARROW_OVER_FOLDS = (
    f"with fewer than {ENOUGH_EXAMPLES} examples the interval is too narrow for models that follow "
    "single training rows, such as unpruned trees and few neighbours: 95% intervals covered about "
    "90% in simulations"
)
"""A note on intervals that pool the predictions of several fitted models (docs/validation.md)."""


@frozen
class IntervalFound:
    """The interval of an estimate, or the reason (of `NO_INTERVAL`) why there is none."""

    interval: Interval | None
    notes: tuple[str, ...] = ()
    reason: str | None = None


def estimate_interval(inputs: IntervalInputs, measure: Measure) -> IntervalFound:
    """Compute the interval in the metric's unit; one without width is no interval.

    Resamples of a model that never predicts the positive class, or that makes no error, all give
    one value. The width of 0 says that the method saw no variation, not that there is none.
    """
    found, notes, reason = _computed(inputs, measure)
    if found is None or not has_no_width(found.low, found.high):
        return IntervalFound(found, notes, reason)
    bounded = _from_union(inputs)
    kept = tuple(note for note in notes if note not in found.notes)
    if bounded is not None:
        return IntervalFound(bounded, kept)
    return IntervalFound(None, (*kept, BOUNDS_COINCIDE), NO_WIDTH)


def _from_union(inputs: IntervalInputs) -> Interval | None:
    """Bound a metric of 0 or 1 by Wilson's interval for the share of hits in the union.

    The union are the examples that are, or are predicted, positive. With the share of hits given,
    the metric is largest where all other members are of the kind that it counts least.
    """
    declared, options = inputs.entry.declaration, inputs.metric.keywords()
    positive, k = inputs.outcome.positive, inputs.outcome.k
    plain = len(inputs.outcomes) == 1 and inputs.outcome.weights is None
    if not (declared.of_union and plain and is_binary(options, k) and positive is not None):
        return None
    if inputs.evaluation.group_codes is not None or not inputs.evaluation.yields.once:
        return None
    either = (inputs.outcome.truth == positive) | (inputs.outcome.output == positive)
    hits = either & (inputs.outcome.truth == inputs.outcome.output)
    share = wilson(int(hits.sum()), int(either.sum()), inputs.study.confidence)
    if share.low is None or share.high is None:
        return None

    def at(share: float) -> tuple[float, float]:
        one = np.zeros((2, 2, 3))
        one[:, positive, positive] = share
        one[0, positive, 1 - positive] = one[1, 1 - positive, positive] = 1 - share
        found = inputs.entry.function(one, positive, **options)
        return float(found.min()), float(found.max())

    note = (
        f"from Wilson's interval for the share of hits among the {inputs.evaluation.unit} that are "
        "or are predicted positive, because no resample differed"
    )
    return Interval(share.method, share.level, at(share.low)[0], at(share.high)[1], (note,))


def _computed(
    inputs: IntervalInputs, measure: Measure
) -> tuple[Interval | None, tuple[str, ...], str | None]:
    method = measure.interval
    if method is None:
        name = default_interval(
            inputs.metric,
            inputs.evaluation.yields,
            len(inputs.evaluation.classes),
            inputs.evaluation.group_codes is not None,
        )
        if name is None:
            alone = inputs.evaluation.own is not None and not inputs.evaluation.yields.evidence
            why = () if alone else ("no interval is sound here by default",)
            return None, why, NOT_SOUND
        method = Method(name)
    if inputs.whole.value is None:
        return None, (), None
    entry = INTERVALS[method.name]
    weights = inputs.outcome.weights
    if weights is not None and entry.declaration.form == "proportion":
        return _or_reason(*inputs.with_weights())
    if inputs.evaluation.group_codes is not None and entry.declaration.form == "proportion":
        return _or_reason(*inputs.over_groups())
    asked = MethodInputs(inputs, method)
    try:
        given = [ESTIMATE.make(name, asked, entry.declaration.evidence) for name in entry.inputs]
        found: Interval = entry.function(*given, **method.keywords())
    except ValueError as error:
        return None, (f"no interval: {error}",), NOT_COMPUTED
    notes = (*found.notes, *inputs.assumed(entry, method))
    pooled = entry.declaration.form == "proportion" and not inputs.evaluation.yields.single_fit
    if pooled and not inputs.evaluation.judged and inputs.outcome.n < ENOUGH_EXAMPLES:
        notes = (*notes, NARROW_OVER_FOLDS)
    notes = (*notes, *_heavy_errors(inputs))
    return _or_reason(_in_metric_units(inputs, entry.declaration.form, found), notes)


def _heavy_errors(inputs: IntervalInputs) -> tuple[str, ...]:
    """Report where a few errors carry the mean of squares that an interval is about."""
    if not inputs.entry.declaration.squares or inputs.evaluation.task != "regression":
        return ()
    kurtosis = heavy_kurtosis(inputs.outcome.truth - inputs.outcome.output)
    if kurtosis is None:
        return ()
    return (
        f"a few errors carry the mean of their squares (kurtosis {kurtosis:.0f}, normal 3): with "
        "such errors of 60 to 100 rows, 95% intervals covered 72 to 88% in simulations",
    )


def _or_reason(
    found: Interval | None, notes: tuple[str, ...]
) -> tuple[Interval | None, tuple[str, ...], str | None]:
    known = found is not None and not (found.low is None and found.high is None)
    return found, notes, None if known else NOT_COMPUTED


def _in_metric_units(inputs: IntervalInputs, form: str, interval: Interval) -> Interval:
    """Turn bounds of a proportion or a mean loss into those of the metric."""
    declared = inputs.entry.declaration
    low, high = interval.low, interval.high
    if form == "fold_values":
        low, high, notes = _centred(inputs, low, high)
        interval = replace(interval, notes=(*interval.notes, *notes))
        return replace(
            interval, low=_at_least(low, declared.low), high=_at_most(high, declared.high)
        )
    if form == "proportion" and declared.complement and low is not None and high is not None:
        return replace(interval, low=1 - high, high=1 - low)
    if form == "losses" and declared.transform == "sqrt" and low is not None and high is not None:
        return replace(interval, low=sqrt(max(low, 0.0)), high=sqrt(max(high, 0.0)))
    if form == "losses":
        return replace(
            interval, low=_at_least(low, declared.low), high=_at_most(high, declared.high)
        )
    return interval


def _centred(
    inputs: IntervalInputs, low: float | None, high: float | None
) -> tuple[float | None, float | None, tuple[str, ...]]:
    """Move an interval over folds to the estimate, where that is no mean of the folds."""
    value, mean = inputs.whole.value, inputs.whole.fold_mean
    if low is None or high is None or value is None or mean is None:
        return low, high, ()
    shift = value - mean
    if abs(shift) <= SAME * max(abs(value), 1.0):
        return low, high, ()
    return low + shift, high + shift, (f"centred on the estimate; the folds' mean is {mean:.6g}",)


def _at_least(bound: float | None, least: float | None) -> float | None:
    return bound if bound is None or least is None else max(bound, least)


def _at_most(bound: float | None, most: float | None) -> float | None:
    return bound if bound is None or most is None else min(bound, most)
