"""What went wrong in the author's own metrics: a record for each model they could not measure."""

from collections.abc import Iterator, Sequence

from evallang.engine.evaluation import Evaluation
from evallang.engine.subgroups import levels, restricted
from evallang.metrics.own_code import OwnMetricFailed
from evallang.results.records import Failure
from evallang.study import Method, Study, own_metrics_of

MEASURING = "measure"
"""The stage of a failure that is no fit's."""
ALL_FOLDS = -1


def failures_of_metrics(study: Study, evaluations: Sequence[Evaluation]) -> Iterator[Failure]:
    """Return which models an own metric could not measure, also inside a level of `within`.

    Candidates that it could not measure are failures of their fits.
    """
    chooses = study.tuning.metric if study.tuning is not None else None
    for metric, _ in own_metrics_of(study):
        if metric == chooses and not _is_measured(study, metric):
            continue
        for evaluation in evaluations:
            for model in evaluation.models if evaluation.measures(metric) else ():
                parts = (evaluation, *_levels(study, evaluation, metric))
                errors = (_error(part, model, metric) for part in parts)
                error = next((found for found in errors if found is not None), None)
                if error is not None:
                    at = (evaluation.source, evaluation.protocol, model, 0, ALL_FOLDS)
                    yield Failure(
                        MEASURING, *at, {}, error.error, error.message, metric=metric.written
                    )


def _is_measured(study: Study, metric: Method) -> bool:
    used = [m.metric for m in study.measures] + [r.metric for r in study.requirements]
    return metric in (*used, *(m for c in study.comparisons for m in c.metrics))


def _levels(study: Study, evaluation: Evaluation, metric: Method) -> Iterator[Evaluation]:
    """Yield the evaluation inside every level that the metric is measured in."""
    for measure in study.measures:
        for column in measure.within if measure.metric == metric else ():
            if column in evaluation.subgroups:
                for level in levels(evaluation, column):
                    yield restricted(evaluation, evaluation.subgroups[column] == level)


def _error(evaluation: Evaluation, model: str, metric: Method) -> OwnMetricFailed | None:
    found = evaluation.models[model]
    if found.failed:
        return None
    try:
        evaluation.aggregates(model, metric)
    except OwnMetricFailed as error:
        return error
    return None
