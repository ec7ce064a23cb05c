"""Outcomes in, `Estimate`s with their intervals out."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Any

from evallang.engine.bootstrap_estimates import bootstrap_estimate
from evallang.engine.estimate_intervals import estimate_interval
from evallang.engine.interval_inputs import IntervalInputs
from evallang.engine.repeats import as_read_by, with_repeats
from evallang.engine.settings import FoldSize, Setting
from evallang.metrics.aggregation import (
    Aggregate,
    over_seeds,
    sd_over_seeds,
)
from evallang.metrics.own_code import OwnMetricFailed
from evallang.protocols.protocol import ALGORITHM, ALGORITHM_ELSEWHERE, AS_GIVEN, about_yields
from evallang.registry import Evidence, lazy
from evallang.results.records import NO_WIDTH, Estimate, FoldValue, Tested
from evallang.study import Measure, Method, Study

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy("numpy")


NONE_TESTED = Tested(0, 0, 0)


def estimates(study: Study, setting: Setting) -> Iterator[Estimate]:
    """Measure every model of a setting by every metric of the study."""
    for measure in study.measures:
        for model in setting.models if setting.measures(measure.metric) else ():
            yield estimate(study, setting, model, measure)


def estimate(study: Study, setting: Setting, model: str, measure: Measure) -> Estimate:
    """Measure one model by one metric."""
    metric = measure.metric
    try:
        if setting.yields.averaged and not setting.means:
            read = _estimate(study, as_read_by(setting, metric), model, measure)
            return with_repeats(read, setting, model, metric)
        return _estimate(study, setting, model, measure)
    except OwnMetricFailed as error:
        return _undefined(setting, model, metric, f"not computed: {error}")


def _estimate(study: Study, setting: Setting, model: str, measure: Measure) -> Estimate:
    metric = measure.metric
    found = setting.models[model]
    outcome = setting.outcome(model, metric)
    if found.failed or outcome is None:
        reason = (
            f"not computed: {len(found.failed)} of {len(setting.folds)} fits failed"
            if found.failed
            else f"not computed: the model gives no {setting.entry(metric).declaration.needs}"
        )
        return _undefined(setting, model, metric, reason)
    if setting.by_rounds:
        made = bootstrap_estimate(study, setting, model, metric)
        tests = tested(setting, model)
        if made.interval is not None and made.interval.low == made.interval.high:
            note = "no interval: the standard error is 0"
            made = replace(made, interval=None, no_interval=NO_WIDTH, notes=(*made.notes, note))
        return replace(made, tested=tests)
    entry = setting.entry(metric)
    whole, spreads, extra = _whole(setting, model, metric)
    outcomes = setting.outcomes(model, metric)
    inputs = IntervalInputs(study, setting, model, metric, entry, outcomes, whole)
    found_interval = estimate_interval(inputs, measure)
    return Estimate(
        data=setting.source,
        protocol=setting.protocol,
        model=model,
        metric=metric.written,
        value=whole.value,
        aggregation=_aggregation(setting, whole),
        fold_mean=whole.fold_mean,
        sd=whole.sd,
        n=whole.n,
        about=about(setting),
        interval=found_interval.interval,
        folds=_folds(setting, whole, spreads),
        extra=extra,
        notes=(*whole.notes, *found_interval.notes),
        no_interval=found_interval.reason,
        tested=tested(setting, model),
    )


def tested(setting: Setting, model: str) -> Tested | None:
    """Count the rows that a model was tested on; None for scores, which have no rows."""
    if setting.own is not None and not setting.yields.evidence - {Evidence.FOLD_SCORES}:
        return None
    found = setting.models[model]
    rows = found.rows[found.fold >= 0]  # the fit on the full sample of a bootstrap is no test
    if setting.yields.once:
        return Tested(len(rows), 1, 1) if len(rows) else NONE_TESTED
    times = np.bincount(rows)
    times = times[times > 0]
    return Tested(len(times), int(times.min()), int(times.max())) if len(times) else NONE_TESTED


def point_estimate(study: Study, setting: Setting, model: str, metric: Method) -> float | None:
    """Give the value of a metric alone; None where it cannot be computed."""
    setting = as_read_by(setting, metric)
    found = setting.models[model]
    outcome = setting.outcome(model, metric)
    if found.failed or outcome is None:
        return None
    try:
        if setting.by_rounds:
            return bootstrap_estimate(study, setting, model, metric).value
        return _whole(setting, model, metric)[0].value
    except OwnMetricFailed:
        return None


def _whole(
    setting: Setting, model: str, metric: Method
) -> tuple[Aggregate, tuple[float | None, ...], dict[str, Any]]:
    """Put the folds together; with several seeds also the spread over them, by fold and in all."""
    wholes = setting.aggregates(model, metric)
    if len(wholes) == 1:
        return wholes[0], (None,) * len(wholes[0].folds), {}
    whole, spreads = over_seeds(wholes)
    values = np.array([np.nan if w.value is None else w.value for w in wholes])
    return whole, spreads, {"seeds": len(wholes), "sd_over_seeds": sd_over_seeds(values)}


def about(setting: Setting) -> str:
    """Say what the estimates of a setting are about, with its numbers."""
    sizes = [fold.n_train for fold in setting.folds if fold.n_train is not None]
    mean = round(sum(sizes) / len(sizes)) if sizes else 0
    text = about_yields(setting.yields, setting.grouped)
    if setting.own is not None and not setting.yields.evidence:
        text = AS_GIVEN
    elif text == ALGORITHM and not sizes:
        text = ALGORITHM_ELSEWHERE
    fits = len(setting.folds) * (1 + len(setting.further_seeds))
    return text.replace("{k}", str(fits)).replace("{n_train}", f"about {mean}")


def _folds(
    setting: Setting, whole: Aggregate, spreads: Sequence[float | None]
) -> tuple[FoldValue, ...]:
    if setting.own is not None and not setting.yields.evidence:
        return ()
    sizes: dict[tuple[int, int], FoldSize] = {(f.repeat, f.fold): f for f in setting.folds}
    return tuple(
        FoldValue(
            repeat,
            fold,
            sizes[repeat, fold].label,
            value if value is None or isfinite(value) else None,
            sizes[repeat, fold].n_train,
            sizes[repeat, fold].n_test,
            spread,
        )
        for (repeat, fold), value, spread in zip(
            whole.folds, whole.fold_values, spreads, strict=True
        )
    )


def _aggregation(setting: Setting, whole: Aggregate) -> str:
    """Name how one value came of many; scores measured elsewhere have no examples to pool."""
    if setting.own is None or setting.yields.evidence - {Evidence.FOLD_SCORES}:
        return whole.aggregation
    return "mean_of_folds" if len(whole.folds) > 1 else "given"


def _undefined(setting: Setting, model: str, metric: Method, reason: str) -> Estimate:
    return Estimate(
        data=setting.source,
        protocol=setting.protocol,
        model=model,
        metric=metric.written,
        value=None,
        aggregation="pooled",
        fold_mean=None,
        sd=None,
        n=0,
        about=about(setting),
        notes=(reason,),
    )
