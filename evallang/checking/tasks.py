"""Whether models, metrics and tests are of the task of the data, and have what they need."""

from collections.abc import Iterator

from evallang.checking import capabilities, codes
from evallang.checking.rules.study_facts import tests_of
from evallang.checking.scope import Scope
from evallang.compatibility import metric_entry, yields_under
from evallang.compatibility.hypothesis_tests import metric_mismatch, nearest_test
from evallang.data.dataset import DataSpec, PredictionsSpec
from evallang.metrics.metric import METRICS, proposed_metric
from evallang.source import Span
from evallang.spelling import listed
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.study import ComparisonSpec, Method, Study, models_of, names_of
from evallang.syntax import nodes as n

WORKER = {"classification": "classifier", "regression": "regressor"}


def judge_tasks(scope: Scope, study: Study) -> None:
    """Report models, metrics and tests for another task than that of the data.

    Where only the data will state the task, it is the one that all models are for.
    """
    task = study.task or capabilities.task_of(study.models)
    if task is None:
        if {capabilities.kind_of(model) for model in study.models} >= set(WORKER.values()):
            _report_two_tasks(scope, study)
        return
    reason = f"every model is a {WORKER[task]}"
    if study.task is not None:
        reason = f"the data are for {task}"
    refused: set[Method] = set()
    orders = any(isinstance(s, PredictionsSpec) and s.orders for s in study.sources)
    for metric, span, _ in _written_metrics(scope, study):
        declared = metric_entry(metric).declaration
        of_any_task = metric.better is not None or metric.code
        if orders or declared.orders is not None:
            continue  # reported as such
        if of_any_task or declared.task == task or metric in refused:
            continue
        refused.add(metric)
        scope.report(
            codes.WRONG_TASK,
            f"`{metric.name}` is a metric for {declared.task}, and {reason}",
            span,
            help=f"write `{proposed_metric(task)}`, or another of `evallang list metrics`",
        )
    if task == "regression":
        _tests_of_labels(scope, study, reason)
    if study.task is not None and any(isinstance(s, DataSpec) for s in study.sources):
        _models(scope, study, task, f", and {reason}")


def _report_two_tasks(scope: Scope, study: Study) -> None:
    """Report the models that are not for the task of the first measure: a study has one task."""
    if not study.measures:
        return  # the metric could not be read, or a file of scores names it
    task = metric_entry(study.measures[0].metric).declaration.task
    _models(
        scope, study, task, f" in a study whose other models are for {task}; a study has one task"
    )


def judge_directions(scope: Scope, study: Study) -> None:
    """Report comparisons, claims and searches by a metric that has a best value, not a direction.

    A requirement on its level is decided by the interval, which needs no direction.
    """
    asked = [
        (m, line.span, "compared", f"by {_metric_with_direction(line)}")
        for line in study.comparisons
        for m in line.metrics
    ]
    asked += [
        (line.metric, line.span, "compared", f"in {_metric_of_probabilities()}")
        for line in study.requirements
        if line.kind != "level"
    ]
    if study.tuning is not None and any(capabilities.is_tuned(m) for m in study.models):
        place = study.tuning.span
        if not study.tuning.by_written and study.measures:
            place = study.measures[0].span
        asked.append(
            (study.tuning.metric, place, "chosen", f"tune by {_metric_of_probabilities()}")
        )
    refused: set[tuple[Method, str]] = set()
    for metric, span, done, instead in asked:
        if metric.better is not None or (metric, done) in refused:
            continue
        ideal = metric_entry(metric).declaration.ideal
        if ideal is None:
            continue
        refused.add((metric, done))
        scope.report(
            codes.METRIC_WITHOUT_DIRECTION,
            f"models cannot be {done} by `{metric.written}`, whose best value is {ideal:g}",
            span,
            help=f"write `{instead}`; `require {metric.written} of MODEL >= NUMBER` demands a "
            "level",
        )


def _metric_with_direction(line: ComparisonSpec) -> str:
    """Return a metric of probabilities with a direction, or the first that the tests are about."""
    directed = [entry.name for entry in METRICS if entry.declaration.ideal is None]
    for name in (_metric_of_probabilities(), *directed):
        if all(metric_mismatch(test, Method(name)) is None for test in tests_of(line)):
            return name
    return _metric_of_probabilities()


def _metric_of_probabilities() -> str:
    """Return what is proposed in place of a metric of calibration that has a best value."""
    every = ((entry.name, entry.declaration) for entry in METRICS)
    return next(name for name, d in every if d.needs == "probabilities" and d.ideal is None)


def judge_scores(scope: Scope, study: Study) -> None:
    """Report metrics on scores of models without scores, each once with all such models."""
    for source in study.sources:
        if isinstance(source, PredictionsSpec) and source.judged is None and source.models:
            _scores_of_predictions(scope, study, source)
    if not any(isinstance(source, DataSpec) for source in study.sources):
        return
    everyone = names_of(study.models)
    asked = list(_written_metrics(scope, study))
    if study.tuning is not None and study.tuning.by_written:
        tuned = tuple(m.name for m in study.models if capabilities.is_tuned(m))
        asked.append((study.tuning.metric, study.tuning.span, tuned))
    refused: set[Method] = set()
    for metric, span, named in asked:
        if metric.better is not None or metric in refused:
            continue
        declared = metric_entry(metric).declaration
        measured = set(named or everyone)
        lacking = {
            model.name: suggestion
            for model in study.models
            if model.name in measured
            and capabilities.kind_of(model) in _workers(metric)  # others are reported so
            and (suggestion := capabilities.lacks(model, declared.needs)) is not None
        }
        if not lacking:
            continue
        refused.add(metric)
        give = "gives" if len(lacking) == 1 else "give"
        ways = tuple(dict.fromkeys(lacking.values()))
        scope.report(
            codes.METRIC_NEEDS_SCORES,
            f"`{metric.name}` needs {declared.needs}, and {listed(lacking, 'and')} {give} none",
            span or scope.models[next(iter(lacking))].keyword,
            help=f"{ways[0]}, or measure another metric"
            if len(ways) == 1
            else "write `CalibratedClassifierCV(estimator=...)` around each of them, or measure "
            "another metric",
        )


def _scores_of_predictions(scope: Scope, study: Study, source: PredictionsSpec) -> None:
    """Report metrics on scores that the statement of the predictions names no column for.

    Whether a column that it names holds probabilities shows when it is read.
    """
    everyone = tuple(model.name for model in source.models)
    without = {
        "scores": {m.name for m in source.models if not (m.score or m.scores)},
        "ranges": {m.name for m in source.models if not m.range},
    }
    without["probabilities"] = without["scores"]
    task = study.task or capabilities.task_of(study.models)
    asked: list[tuple[Method, Span | None, tuple[str, ...]]] = [
        (measure.metric, measure.span, everyone) for measure in study.measures
    ]
    asked += [(m, c.span, models_of(c, everyone)) for c in study.comparisons for m in c.metrics]
    asked += [(r.metric, r.span, r.models) for r in study.requirements]
    refused: set[Method] = set()
    for metric, span, named in asked:
        if metric.better is not None:  # its outcomes are read, not computed from scores
            continue
        declared = metric_entry(metric).declaration
        needs = declared.needs
        if source.orders is not None or declared.orders is not None:
            continue  # reported as such
        lacking = [name for name in named if name in without.get(needs, ())]
        if metric in refused or not lacking or task not in (None, declared.task):
            continue
        refused.add(metric)
        if needs == "ranges":
            line = f'`range {lacking[0]} = ["LOW", "HIGH"]`'
        else:
            line = f'`score {lacking[0]} = "COLUMN"`'
            if source.positive is None:
                line += f' (of three classes or more `scores {lacking[0]} = "p_*"`)'
        scope.report(
            codes.METRIC_NEEDS_SCORES,
            f"`{metric.name}` needs {needs}, and `{source.name}` has none of "
            f"{listed(lacking, 'and')}",
            span,
            help=f"write {line} below `predictions {source.name}`, or measure another metric",
        )


def _workers(metric: Method) -> tuple[str, ...]:
    """Return the kinds of models that a metric measures; one of the author's own may be of any."""
    if metric.code:
        return tuple(WORKER.values())
    return (WORKER[metric_entry(metric).declaration.task],)


def _written_metrics(
    scope: Scope, study: Study
) -> Iterator[tuple[Method, Span | None, tuple[str, ...]]]:
    """Iterate over the metrics of the author's and the default measure, with places and models.

    No models stand for all. A line without `by` or `in` takes its metric from the first
    measure, or from its test.
    """
    for measure in study.measures:
        yield measure.metric, measure.span, ()
    lines, everyone = scope.of(n.CompareNode), names_of(study.models)
    for comparison in study.comparisons:
        if lines[comparison.index].by:
            for metric in comparison.metrics:
                yield metric, comparison.span, models_of(comparison, everyone)
    claims = scope.of(n.RequireNode)
    for requirement in study.requirements:
        if claims[requirement.index].metric is not None:
            yield requirement.metric, requirement.span, requirement.models


def _nearest_of_numbers(study: Study, comparison: ComparisonSpec) -> str:
    """Return a test for a regression, by its metric or, where that is for labels, by a loss."""
    yields = yields_under(study, comparison)
    metric = comparison.metrics[0]
    if metric_entry(metric).declaration.task != "regression":
        metric = Method(proposed_metric("regression"))
    return nearest_test(metric, yields).words if yields else "write `with corrected_t`"


def _tests_of_labels(scope: Scope, study: Study, reason: str) -> None:
    """Report tests that count right and wrong answers in a study of numeric predictions."""
    for comparison in study.comparisons:
        for test in tests_of(comparison):
            if HYPOTHESIS_TESTS[test.name].declaration.tests == "correctness":
                scope.report(
                    codes.WRONG_TASK,
                    f"`{test.name}` tests right and wrong, and {reason}",
                    comparison.span,
                    help=_nearest_of_numbers(study, comparison),
                )
                break


def _last_step(model: n.ModelNode) -> n.Node:
    return model if model.pipeline is None else model.pipeline.steps[-1]


def _models(scope: Scope, study: Study, task: str, reason: str) -> None:
    for model in study.models:
        kind = capabilities.kind_of(model)
        if kind not in WORKER.values() or kind == WORKER[task]:
            continue
        counterpart = capabilities.counterpart(model)
        scope.report(
            codes.WRONG_TASK,
            f"`{model.name}` is a {kind}{reason}",
            _last_step(scope.models[model.name]).span,
            help=f"write `{counterpart}`" if counterpart else None,
        )
