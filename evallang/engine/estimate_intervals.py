"""The interval of one estimate: its method, its form for groups and weights, its unit."""

from dataclasses import replace
from math import sqrt

from evallang.compatibility.intervals import default_interval
from evallang.engine.bench import Bench, Unavailable
from evallang.results.records import Interval
from evallang.stats.intervals.interval import INTERVALS
from evallang.study import Measure, Method

SAME = 1e-9  # relative; means of equal folds in another order


def estimate_interval(bench: Bench, measure: Measure) -> tuple[Interval | None, tuple[str, ...]]:
    """Give the interval in the metric's unit, or None with the notes that say why."""
    method = measure.interval
    if method is None:
        name = default_interval(
            bench.metric,
            bench.setting.yields,
            len(bench.setting.classes),
            bench.setting.group_codes is not None,
        )
        if name is None:
            alone = bench.setting.own is not None and not bench.setting.yields.evidence
            return None, () if alone else ("no interval is sound here by default",)
        method = Method(name)
    if bench.whole.value is None:
        return None, ()
    entry = INTERVALS[method.name]
    weights = bench.outcome.weights
    if weights is not None and entry.declaration.form == "proportion":
        return bench.with_weights()
    if bench.setting.group_codes is not None and entry.declaration.form == "proportion":
        return bench.over_groups()
    try:
        inputs = [bench.given(name, method.written) for name in entry.inputs]
    except (Unavailable, ValueError) as reason:
        return None, (f"no interval: {reason}",)
    try:
        found: Interval = entry.function(*inputs, **method.keywords())
    except ValueError as error:
        return None, (f"no interval: {error}",)
    notes = (*found.notes, *bench.assumed(entry, method))
    return _in_metric_units(bench, entry.declaration.form, found), notes


def _in_metric_units(bench: Bench, form: str, interval: Interval) -> Interval:
    """Turn bounds of a proportion or a mean loss into those of the metric."""
    declared = bench.entry.declaration
    low, high = interval.low, interval.high
    if form == "fold_values":
        low, high, notes = _centred(bench, low, high)
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
    bench: Bench, low: float | None, high: float | None
) -> tuple[float | None, float | None, tuple[str, ...]]:
    """Move an interval over folds to the estimate, where that is no mean of the folds."""
    value, mean = bench.whole.value, bench.whole.fold_mean
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
