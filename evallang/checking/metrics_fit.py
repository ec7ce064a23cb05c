"""Which metrics, models and tests go with the task and the sources of a study.

Judged when a study is written, and what needs the rows once more when they are read; a metric is
reported once, for the first reason.
"""

from collections.abc import Collection, Iterator, Mapping

from msgspec import Struct

from evallang.checking import capabilities
from evallang.checking.own_metrics import measured_elsewhere
from evallang.checking.rules.study_facts import tests_of
from evallang.checking.scope import Scope, letters
from evallang.compatibility import is_known, metric_entry, own_metric, yields_under
from evallang.compatibility.hypothesis_tests import metric_mismatch, nearest_test
from evallang.data.dataset import DataSpec, PredictionsSpec, Task
from evallang.diagnostics import Code, codes
from evallang.metrics.metric import METRICS, default_metric, proposed_metric
from evallang.source import Span
from evallang.spelling import listed
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.study import AskedMetric, Method, SourceSpec, Study, asked_metrics, names_of

WORKER: Mapping[str, str] = {"classification": "classifier", "regression": "regressor"}
ORDERS = {
    "event": ("survival times", "`event COLUMN` and `score MODEL = COLUMN`"),
    "query": ("rankings by query", "`query COLUMN`"),
}
"""What predictions with a clause hold, and the clauses."""


class Misfit(Struct, frozen=True):
    """Why a metric cannot be computed: the code, the reason, what to write."""

    code: Code
    message: str
    help: str
    span: Span | None = None


def judge_metrics(scope: Scope, study: Study) -> None:
    """Report metrics, models and tests that do not go with the sources or the task of a study.

    Where only the data will state the task, it is the one that all models are for.
    """
    task = study.task or capabilities.task_of(study.models)
    reason = f"every model is a {WORKER[task]}" if task else ""
    if study.task is not None:
        reason = f"the data are for {task}"
    refused: set[Method] = set()
    for asked in asked_metrics(study):
        if asked.metric.better is not None or asked.metric in refused:
            continue
        found = next(_misfits(scope, study, task, reason, asked), None)
        if found is not None:
            refused.add(asked.metric)
            place = asked.span or found.span
            scope.report(
                found.code, f"`{asked.metric.name}` {found.message}", place, help=found.help
            )
    _judge_directions(scope, study)
    _judge_models(scope, study, task, reason)
    if task == "regression":
        _judge_tests_of_labels(scope, study, reason)


def _misfits(
    scope: Scope, study: Study, task: Task | None, reason: str, asked: AskedMetric
) -> Iterator[Misfit]:
    """Iterate over what keeps a metric from being computed, before any data."""
    metric, declared = asked.metric, metric_entry(asked.metric).declaration
    for source in study.sources:
        place = next(iter(source.places.values()), None)
        found = _unknown_on(scope, study, source, asked)
        if found is not None:
            yield Misfit(codes.metric_needs_scores, *found, place)
    ordered = any(isinstance(s, PredictionsSpec) and s.orders for s in study.sources)
    if ordered or declared.orders is not None or not (asked.stated or metric.code):
        return
    if not metric.code and task is not None and task != declared.task:
        instead = f"write `{proposed_metric(task)}`, or another of "
        message = f"is a metric for {declared.task}, and {reason}"
        yield Misfit(codes.wrong_task, message, f"{instead}`evallang list metrics`")
        return
    for source in study.sources:
        if isinstance(source, PredictionsSpec) and source.judged is None and source.models:
            given = {
                "scores": {m.name for m in source.models if m.score or m.scores},
                "ranges": {m.name for m in source.models if m.range},
            }
            given["probabilities"] = given["scores"]  # whether they are shows once they are read
            everyone = dict.fromkeys(model.name for model in source.models)
            classes = 2 if source.positive is not None else 0
            lacking = without_outputs(source.name, everyone, given, asked, classes)
            if lacking is not None:
                yield Misfit(codes.metric_needs_scores, *lacking[1:])
    if any(isinstance(source, DataSpec) for source in study.sources):
        yield from _models_without_outputs(scope, study, asked)


def _unknown_on(
    scope: Scope, study: Study, source: SourceSpec, asked: AskedMetric
) -> tuple[str, str] | None:
    """Return why the outcomes of a source do not give a metric, and what to write."""
    metric, own = asked.metric, own_metric(source)
    if own is not None:
        known = measured_elsewhere(scope, study.sources, asked.models) if asked.stated else ()
        if not known or known[0] != own:
            return None
        message = f"needs predictions, and of `{source.name}` only `{own.name}` is known"
        return message, f"write `{letters(own.name)}`, or remove the metric"
    if is_known(source, metric):
        return None
    order = source.orders if isinstance(source, PredictionsSpec) else None
    needed = None if metric.code else metric_entry(metric).declaration.orders
    if order is not None:
        kind = ORDERS[order][0]
        message = f"cannot be computed from {kind}, which `{source.name}` holds"
        return (
            message,
            f"write `measure {default_metric('regression', order)}`, or another metric of {kind}",
        )
    if needed is not None:
        kind, clauses = ORDERS[needed]
        message = f"needs {kind}, which `{source.name}` does not hold"
        return message, f"write {clauses} below a `predictions` statement"
    needs = metric_entry(metric).declaration.needs
    message = f"needs {'predicted labels' if needs == 'labels' else needs}, and of "
    return f"{message}`{source.name}` only right and wrong are known", "write `measure accuracy`"


def without_outputs(
    name: str,
    everyone: Collection[str],
    given: Mapping[str, Collection[str]],
    asked: AskedMetric,
    classes: int,
) -> tuple[str, str, str] | None:
    """Return the first model without the outputs that a metric needs, the message and the help.

    `given` names the models with outputs of each kind; `classes` is 0 where not known.
    """
    needs = metric_entry(asked.metric).declaration.needs
    models = [model for model in asked.models or everyone if model in everyone]
    lacking = [model for model in models if model not in given.get(needs, everyone)]
    if not lacking:
        return None
    first = lacking[0]
    line = f'`score {first} = "COLUMN"`'
    if needs == "ranges":
        line = f'`range {first} = ["LOW", "HIGH"]`'
    elif classes > 2:
        line = f'`scores {first} = "p_*"`'
    elif not classes:
        line += f' (`scores {first} = "p_*"` for three classes or more)'
    message = f"needs {needs}, and `{name}` has none of {listed(lacking, 'and')}"
    help_ = f"write {line} below `predictions {name}`, or measure another metric"
    return first, message, help_


def _models_without_outputs(scope: Scope, study: Study, asked: AskedMetric) -> Iterator[Misfit]:
    """Find the fitted models that do not give what a metric needs."""
    declared = metric_entry(asked.metric).declaration
    kinds = WORKER.values() if asked.metric.code else (WORKER[declared.task],)
    lacking = {
        model.name: way
        for model in study.models
        if model.name in (asked.models or names_of(study.models))
        and capabilities.kind_of(model) in kinds  # others are reported so
        and (way := capabilities.lacks(model, declared.needs)) is not None
    }
    if lacking:
        give = "gives" if len(lacking) == 1 else "give"
        way = next(iter(lacking.values()))
        if len(set(lacking.values())) > 1:
            way = "write `CalibratedClassifierCV(estimator=...)` around each of them"
        yield Misfit(
            codes.metric_needs_scores,
            f"needs {declared.needs}, and {listed(lacking, 'and')} {give} none",
            f"{way}, or measure another metric",
            scope.models[next(iter(lacking))].keyword,
        )


def _judge_directions(scope: Scope, study: Study) -> None:
    """Report comparisons, claims and searches by a metric that has a best value, not a direction.

    A requirement on its level is decided by the interval, which needs no direction.
    """
    declared = ((entry.name, entry.declaration) for entry in METRICS)
    other = next(name for name, d in declared if d.needs == "probabilities" and d.ideal is None)
    directed = [other, *(entry.name for entry in METRICS if entry.declaration.ideal is None)]
    asked = []
    for line in study.comparisons:
        about = (
            m for m in directed if not any(metric_mismatch(t, Method(m)) for t in tests_of(line))
        )
        fitting = next(about, other)
        asked += [(metric, line.span, "compared", f"by {fitting}") for metric in line.metrics]
    asked += [
        (line.metric, line.span, "compared", f"in {other}")
        for line in study.requirements
        if line.kind != "level"
    ]
    if study.tuning is not None and any(map(capabilities.is_tuned, study.models)):
        first = study.measures[0].span if study.measures else None
        place = study.tuning.span if study.tuning.by_written else first or study.tuning.span
        asked.append((study.tuning.metric, place, "chosen", f"tune by {other}"))
    refused: set[tuple[Method, str]] = set()
    for metric, span, done, instead in asked:
        ideal = metric_entry(metric).declaration.ideal if metric.better is None else None
        if ideal is not None and (metric, done) not in refused:
            refused.add((metric, done))
            scope.report(
                codes.metric_without_direction,
                f"models cannot be {done} by `{metric.written}`, whose best value is {ideal:g}",
                span,
                help=f"write `{instead}`; `require {metric.written} of MODEL >= NUMBER` demands a "
                "level",
            )


def _judge_models(scope: Scope, study: Study, task: Task | None, reason: str) -> None:
    """Report models for another task than that of the data, or of the first measure."""
    words = f", and {reason}"
    if task is None:
        kinds = {capabilities.kind_of(model) for model in study.models}
        if not study.measures or not kinds >= set(WORKER.values()):
            return
        task = metric_entry(study.measures[0].metric).declaration.task
        words = f" in a study whose other models are for {task}; a study has one task"
    elif study.task is None or not any(isinstance(s, DataSpec) for s in study.sources):
        return
    for model in study.models:
        kind, node = capabilities.kind_of(model), scope.models[model.name]
        if kind in WORKER.values() and kind != WORKER[task]:
            counterpart = capabilities.counterpart(model)
            scope.report(
                codes.wrong_task,
                f"`{model.name}` is a {kind}{words}",
                (node if node.pipeline is None else node.pipeline.steps[-1]).span,
                help=f"write `{counterpart}`" if counterpart else None,
            )


def _judge_tests_of_labels(scope: Scope, study: Study, reason: str) -> None:
    """Report tests that count right and wrong answers in a study of numeric predictions."""
    for line in study.comparisons:
        counting = [
            t for t in tests_of(line) if HYPOTHESIS_TESTS[t.name].declaration.tests == "correctness"
        ]
        if counting:
            yields = yields_under(study, line)
            metric = Method(proposed_metric("regression"))
            scope.report(
                codes.wrong_task,
                f"`{counting[0].name}` tests right and wrong, and {reason}",
                line.span,
                help=nearest_test(metric, yields) if yields else "write `with corrected_t`",
            )
