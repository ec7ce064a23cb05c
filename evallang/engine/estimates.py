"""Outcomes in, `Estimate`s with their intervals out."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Any

from evallang.engine.bootstrap_estimates import bootstrap_estimate
from evallang.engine.estimate_intervals import estimate_interval
from evallang.engine.evaluation import Evaluation, FoldSize
from evallang.engine.interval_inputs import IntervalInputs
from evallang.engine.repeats import as_read_by, with_repeats
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


def estimates(study: Study, evaluation: Evaluation) -> Iterator[Estimate]:
    """Measure every model of an evaluation by every metric of the study."""
    for measure in study.measures:
        for model in evaluation.models if evaluation.measures(measure.metric) else ():
            yield estimate(study, evaluation, model, measure)


def estimate(study: Study, evaluation: Evaluation, model: str, measure: Measure) -> Estimate:
    """Measure one model by one metric."""
    metric = measure.metric
    try:
        if evaluation.yields.averaged and not evaluation.means:
            read = _estimate(study, as_read_by(evaluation, metric), model, measure)
            return with_repeats(read, evaluation, model, metric)
        return _estimate(study, evaluation, model, measure)
    except OwnMetricFailed as error:
        return _undefined(evaluation, model, metric, f"not computed: {error}")


def _estimate(study: Study, evaluation: Evaluation, model: str, measure: Measure) -> Estimate:
    metric = measure.metric
    found = evaluation.models[model]
    outcome = evaluation.outcome(model, metric)
    if found.failed or outcome is None:
        reason = (
            f"not computed: {len(found.failed)} of {len(evaluation.folds)} fits failed"
            if found.failed
            else f"not computed: the model gives no {evaluation.entry(metric).declaration.needs}"
        )
        return _undefined(evaluation, model, metric, reason)
    if evaluation.by_rounds:
        made = bootstrap_estimate(study, evaluation, model, metric)
        tests = tested(evaluation, model)
        if made.interval is not None and made.interval.low == made.interval.high:
            note = "no interval: the standard error is 0"
            made = replace(made, interval=None, no_interval=NO_WIDTH, notes=(*made.notes, note))
        return replace(made, tested=tests)
    entry = evaluation.entry(metric)
    whole, spreads, extra = _whole(evaluation, model, metric)
    outcomes = evaluation.outcomes(model, metric)
    inputs = IntervalInputs(study, evaluation, model, metric, entry, outcomes, whole)
    found_interval = estimate_interval(inputs, measure)
    return Estimate(
        data=evaluation.source,
        protocol=evaluation.protocol,
        model=model,
        metric=metric.written,
        value=whole.value,
        aggregation=_aggregation(evaluation, whole),
        fold_mean=whole.fold_mean,
        sd=whole.sd,
        n=whole.n,
        about=about(evaluation),
        interval=found_interval.interval,
        folds=_folds(evaluation, whole, spreads),
        extra=extra,
        notes=(*whole.notes, *found_interval.notes),
        no_interval=found_interval.reason,
        tested=tested(evaluation, model),
    )


def tested(evaluation: Evaluation, model: str) -> Tested | None:
    """Count the rows that a model was tested on; None for scores, which have no rows."""
    if evaluation.own is not None and not evaluation.yields.evidence - {Evidence.FOLD_SCORES}:
        return None
    found = evaluation.models[model]
    rows = found.rows[found.fold >= 0]  # the fit on the full sample of a bootstrap is no test
    if evaluation.yields.once:
        return Tested(len(rows), 1, 1) if len(rows) else NONE_TESTED
    times = np.bincount(rows)
    times = times[times > 0]
    return Tested(len(times), int(times.min()), int(times.max())) if len(times) else NONE_TESTED


def point_estimate(
    study: Study, evaluation: Evaluation, model: str, metric: Method
) -> float | None:
    """Return the value of a metric alone; None where it cannot be computed."""
    evaluation = as_read_by(evaluation, metric)
    found = evaluation.models[model]
    outcome = evaluation.outcome(model, metric)
    if found.failed or outcome is None:
        return None
    try:
        if evaluation.by_rounds:
            return bootstrap_estimate(study, evaluation, model, metric).value
        return _whole(evaluation, model, metric)[0].value
    except OwnMetricFailed:
        return None


def _whole(
    evaluation: Evaluation, model: str, metric: Method
) -> tuple[Aggregate, tuple[float | None, ...], dict[str, Any]]:
    """Put the folds together; with several seeds also the spread over them, by fold and in all."""
    wholes = evaluation.aggregates(model, metric)
    if len(wholes) == 1:
        return wholes[0], (None,) * len(wholes[0].folds), {}
    whole, spreads = over_seeds(wholes)
    values = np.array([np.nan if w.value is None else w.value for w in wholes])
    return whole, spreads, {"seeds": len(wholes), "sd_over_seeds": sd_over_seeds(values)}


def about(evaluation: Evaluation) -> str:
    """State what the estimates of an evaluation are about, with its numbers."""
    sizes = [fold.n_train for fold in evaluation.folds if fold.n_train is not None]
    mean = round(sum(sizes) / len(sizes)) if sizes else 0
    text = about_yields(evaluation.yields, evaluation.grouped)
    if evaluation.own is not None and not evaluation.yields.evidence:
        text = AS_GIVEN
    elif text == ALGORITHM and not sizes:
        text = ALGORITHM_ELSEWHERE
    fits = len(evaluation.folds) * (1 + len(evaluation.further_seeds))
    return text.replace("{k}", str(fits)).replace("{n_train}", f"about {mean}")


def _folds(
    evaluation: Evaluation, whole: Aggregate, spreads: Sequence[float | None]
) -> tuple[FoldValue, ...]:
    if evaluation.own is not None and not evaluation.yields.evidence:
        return ()
    sizes: dict[tuple[int, int], FoldSize] = {(f.repeat, f.fold): f for f in evaluation.folds}
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


def _aggregation(evaluation: Evaluation, whole: Aggregate) -> str:
    """Return how one value came of many; scores measured elsewhere have no examples to pool."""
    if evaluation.own is None or evaluation.yields.evidence - {Evidence.FOLD_SCORES}:
        return whole.aggregation
    return "mean_of_folds" if len(whole.folds) > 1 else "given"


def _undefined(evaluation: Evaluation, model: str, metric: Method, reason: str) -> Estimate:
    return Estimate(
        data=evaluation.source,
        protocol=evaluation.protocol,
        model=model,
        metric=metric.written,
        value=None,
        aggregation="pooled",
        fold_mean=None,
        sd=None,
        n=0,
        about=about(evaluation),
        notes=(reason,),
    )
