"""What the metrics of a study make of outcomes, computed once for all that reads it."""

from collections.abc import Mapping, Sequence
from contextlib import suppress

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.compatibility.hypothesis_tests import difference_test
from evallang.engine.estimate_intervals import interval_method
from evallang.engine.evaluation import Evaluation, Measured, as_read_by
from evallang.engine.metric_samples import metric_sample
from evallang.engine.walk import computes
from evallang.metrics.aggregation import Aggregate
from evallang.metrics.metric import Outcome
from evallang.metrics.own_code import OwnMetricFailed
from evallang.planning import nodes
from evallang.stats.draws import draw_together
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.intervals.interval import INTERVALS, Resampler
from evallang.stats.score_counts import PlacementSums
from evallang.study import Method, Study


@computes(nodes.METRIC)
def metric_values(study: Study, evaluation: Evaluation, metric: Method) -> Measured:
    """Compute what a metric makes of the outcomes of all models."""
    read = as_read_by(evaluation, metric)
    if read is not evaluation:
        of_read = _measure(study, read, read, metric)
        draw_together(of_read.samples.values())
        read = replace(read, measured={metric: of_read})
        if evaluation.rated:
            return replace(of_read, read=read)
    return _measure(study, evaluation, read, metric)


@computes(nodes.MEASURED)
def measured(
    study: Study,
    evaluation: Evaluation,
    values: Sequence[Measured],
    metrics: Sequence[Method],
) -> Evaluation:
    """Return an evaluation with what metrics make of it.

    What intervals of one method draw again, and what is drawn of one metric, is drawn in one pass.
    """
    tested = {m: evaluation.tested_rows(m) for m, o in evaluation.models.items() if not o.failed}
    measured = dict(zip(metrics, values, strict=True))
    whole = replace(evaluation, measured=measured, tested=tested)
    together = (*_resampled(study, whole).values(), *([metric] for metric in metrics))
    for some in together:
        draw_together(s for one in some for s in whole.measured[one].samples.values())
    return whole


def _measure(study: Study, evaluation: Evaluation, read: Evaluation, metric: Method) -> Measured:
    outcomes = {model: evaluation.outcomes(model, metric) for model in evaluation.models}
    found = Measured(read, outcomes, {}, {}, _placements(evaluation, outcomes, metric), {})
    known = replace(evaluation, measured={metric: found})
    aggregates: dict[str, tuple[Aggregate, ...] | OwnMetricFailed] = {}
    for model, each in outcomes.items():
        placed = known.placements_of(model, metric)
        try:
            aggregates[model] = known.combine(model, metric, each, placed)
        except OwnMetricFailed as error:
            aggregates[model] = error
    found = replace(
        found,
        aggregates=aggregates,
        losses=_losses(study, known, metric),
    )
    drawn = _is_drawn(study, evaluation, metric)
    return replace(found, samples=_samples(known, metric) if drawn else {})


def _placements(
    evaluation: Evaluation, outcomes: Mapping[str, Sequence[Outcome]], metric: Method
) -> dict[tuple[str, ...], PlacementSums]:
    """Place the scores of all models on the same rows, where a metric is the area of one fit."""
    made: dict[tuple[str, ...], PlacementSums] = {}
    if not evaluation.places_scores(metric):
        return made
    left = [model for model, found in outcomes.items() if found]
    while left:
        alike = tuple(name for name in evaluation.on_the_same_rows(left[0]) if name in left)
        made[alike] = evaluation.placement_sums(alike, metric)
        left = [name for name in left if name not in alike]
    return made


def _losses(
    study: Study, evaluation: Evaluation, metric: Method
) -> dict[str, tuple[NDArray[np.float64], ...]]:
    """Return the losses of examples where models are compared by them."""
    declared = evaluation.entry(metric).declaration
    if declared.form != "losses" or metric not in _compared(study):
        return {}
    made = {}
    for model in evaluation.models:
        with suppress(OwnMetricFailed):  # which is told where the metric is aggregated
            made[model] = evaluation.losses(model, metric)
    return made


def _samples(evaluation: Evaluation, metric: Method) -> dict[str, Resampler]:
    """Return what draws the metric of each model again; a model without one says why itself."""
    made = {}
    for model, found in evaluation.models.items():
        if not found.failed and evaluation.outcomes(model, metric):
            with suppress(ValueError, OwnMetricFailed):
                made[model] = metric_sample(evaluation, model, metric)
    return made


# --- what asks for it ----------------------------------------------------------------------


def _compared(study: Study) -> set[Method]:
    """Return the metrics that models are compared by."""
    lines = {metric for line in study.comparisons for metric in line.metrics}
    return lines | {line.metric for line in study.requirements if line.kind != "level"}


def _resampled(study: Study, evaluation: Evaluation) -> dict[Method, list[Method]]:
    """Return the metrics whose intervals are resampled, by the method that does it."""
    found: dict[Method, list[Method]] = {}
    for measure in study.measures:
        method = interval_method(evaluation, measure)
        drawn = method is not None and "sample" in INTERVALS[method.name].inputs
        if method is not None and drawn and evaluation.measures(measure.metric):
            found.setdefault(method, []).append(measure.metric)
    return found


def _is_drawn(study: Study, evaluation: Evaluation, metric: Method) -> bool:
    """Return whether an interval or a test draws the metric of a model again."""
    if any(metric in metrics for metrics in _resampled(study, evaluation).values()):
        return True
    if metric not in _compared(study):
        return False
    tests = [
        test
        for line in study.comparisons
        if metric in line.metrics
        for test in (line.test, line.post_hoc)
    ]
    tests += [line.test for line in study.requirements if line.metric == metric]
    grouped = evaluation.group_codes is not None
    default = difference_test(metric, evaluation.yields, len(evaluation.classes), grouped)
    return any("sample" in HYPOTHESIS_TESTS[t.name].inputs for t in (*tests, default) if t)
