"""Which metrics, models and tests go with the task and the sources of a study.

Judged when a study is written, and what needs the rows once more when they are read; a metric is
reported once, for the first reason.
"""

from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import Any

from evallang.checking.resolve_measure import measured_elsewhere
from evallang.checking.rules.study_facts import counterpart, is_tuned, kind_of, lacks, task_of
from evallang.checking.scope import Scope, letters
from evallang.compatibility import (
    is_known,
    metric_entry,
    orders_of,
    own_metric,
    yields_under,
)
from evallang.compatibility.hypothesis_tests import nearest_test, tests_of, unmet_metric
from evallang.data.dataset import DataSpec, PredictionsSpec, Task
from evallang.diagnostics import codes
from evallang.metrics.metric import METRICS, default_metric, proposed_metric
from evallang.source import Span
from evallang.spelling import listed
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.study import AskedMetric, Method, SourceSpec, Study, asked_metrics

WORKER: Mapping[str, str] = {"classification": "classifier", "regression": "regressor"}
ORDERS = {
    "event": (
        "survival times",
        "write `event COLUMN` and `score MODEL = COLUMN` below a `predictions` statement",
    ),
    "query": ("rankings by query", "write `query COLUMN` below a `predictions` statement"),
    "judges": ("ratings by judges", "write `judges JUDGE, JUDGE` below a `predictions` statement"),
    "battles": ("pairwise judgements", "read them by `battles NAME from ...`"),
}
"""What a source of an order holds, and what to write to have one."""
TO_TRUTH = ("labels", "verdicts")  # what a judge is compared with humans by


def judge_metrics(scope: Scope, study: Study) -> None:
    """Report metrics, models and tests that do not go with the sources or the task of a study.

    Where only the data will state the task, it is the one that all models are for.
    """
    task = study.task or task_of(study.models)
    reason = f"every model is a {WORKER[task]}" if task else ""
    if study.task is not None:
        reason = f"the data are for {task}"
    refused: set[Method] = set()
    for asked in asked_metrics(study):
        if asked.metric.better is not None or asked.metric in refused:
            continue
        for key, place, facts in islice(_misfits(scope, study, task, reason, asked), 1):
            refused.add(asked.metric)
            scope.refuse(key, asked.span or place, name=asked.metric.name, **facts)
    _judge_directions(scope, study)
    _judge_models(scope, study, task, reason)
    for line in study.comparisons if task == "regression" else ():
        declared = ((t.name, HYPOTHESIS_TESTS[t.name].declaration.tests) for t in tests_of(line))
        counting = next((name for name, about in declared if about == "correctness"), None)
        if counting is not None:
            yields, metric = yields_under(study, line), Method(proposed_metric("regression"))
            fix = nearest_test(metric, yields) if yields else None
            scope.refuse("test_of_labels", line.span, help=fix, name=counting, reason=reason)


def _misfits(
    scope: Scope, study: Study, task: Task | None, reason: str, asked: AskedMetric
) -> Iterator[tuple[str, Span | None, Mapping[str, Any]]]:
    """Iterate over what keeps a metric from being computed, before any data.

    Each is the key of the words, a place where no line names the metric, and the facts.
    """
    metric, declared = asked.metric, metric_entry(asked.metric).declaration
    needed = None if metric.code else declared.orders
    for source in study.sources:
        place, own = next(iter(source.places.values()), None), own_metric(source)
        order = orders_of(source)
        if own is not None:
            known = measured_elsewhere(scope, study.sources, asked.models) if asked.stated else ()
            if known and known[0] == own:
                facts = {"source": source, "own": own, "word": letters(own.name)}
                yield "metric_of_measured", place, facts
        elif is_known(source, metric):
            continue
        elif _lacks_truth(source) and declared.needs in TO_TRUTH:
            first = "name two judges, or write" if declared.symmetric else "write"
            yield "judges_without_truth", place, {"source": source, "first": first}
        elif order is not None:
            other = default_metric("regression", order)
            yield (
                "metric_of_order",
                place,
                {"source": source, "kind": ORDERS[order][0], "other": other},
            )
        elif needed is not None:
            kind, write = ORDERS[needed]
            yield "order_needed", place, {"source": source, "kind": kind, "write": write}
        elif declared.needs == "repeats":
            yield "repeats_needed", place, {"source": source}
        else:
            needs = "predicted labels" if declared.needs == "labels" else declared.needs
            yield "metric_of_judged", place, {"source": source, "needs": needs}
    ordered = any(orders_of(source) for source in study.sources)
    if ordered or declared.orders is not None or not (asked.stated or metric.code):
        return
    if not metric.code and task is not None and task != declared.task:
        facts = {"of": declared.task, "reason": reason, "other": proposed_metric(task)}
        yield "metric_for_task", None, facts
        return
    for source in study.sources:
        if isinstance(source, PredictionsSpec) and source.judged is None and source.models:
            scored = {m.name for m in source.models if m.score or m.scores}
            ranges = {m.name for m in source.models if m.range}
            # whether scores are probabilities shows once they are read
            given = {"scores": scored, "ranges": ranges, "probabilities": scored}
            everyone = dict.fromkeys(model.name for model in source.models)
            classes = 2 if source.positive is not None else 0
            lacking = without_outputs(source.name, everyone, given, asked, classes)
            if lacking is not None:
                yield "outputs", None, {"message": lacking[1], "help": lacking[2]}
    kinds = WORKER.values() if metric.code else (WORKER[declared.task],)
    ways = {
        model.name: way
        for model in study.models
        if (not asked.models or model.name in asked.models)
        and kind_of(model) in kinds  # others are reported so
        and (way := lacks(model, declared.needs)) is not None
    }
    if ways and any(isinstance(source, DataSpec) for source in study.sources):
        give = "gives" if len(ways) == 1 else "give"
        first, way = next(iter(ways.items()))
        if len(set(ways.values())) > 1:
            way = "write `CalibratedClassifierCV(estimator=...)` around each of them"
        facts = {"needs": declared.needs, "models": listed(ways, "and"), "give": give, "way": way}
        yield "outputs_of_fitted", scope.models[first].keyword, facts


def _lacks_truth(source: SourceSpec) -> bool:
    """Return whether a source holds ratings of judges without labels by humans."""
    return isinstance(source, PredictionsSpec) and source.orders == "judges" and not source.truth


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


def _judge_directions(scope: Scope, study: Study) -> None:
    """Report comparisons, claims and searches by a metric without a direction.

    A requirement on its level is decided by the interval, which needs no direction.
    """
    of_probabilities = (e for e in METRICS if e.declaration.needs == "probabilities")
    others = [*(measure.metric for measure in study.measures if measure.metric.better is None)]
    others += [Method(entry.name) for entry in (*of_probabilities, *METRICS)]
    others = [metric for metric in others if metric_entry(metric).declaration.directed]
    directed = [m for m in others if all(is_known(s, m) for s in study.sources)] or others
    other = directed[0].written
    asked = []
    for line in study.comparisons:
        about = (m for m in directed if not any(unmet_metric(t, m) for t in tests_of(line)))
        fitting = next(about, directed[0]).written
        asked += [(metric, line.span, "compared", f"by {fitting}") for metric in line.metrics]
    asked += [
        (line.metric, line.span, "compared", f"in {other}")
        for line in study.requirements
        if line.kind != "level"
    ]
    if study.tuning is not None and any(map(is_tuned, study.models)):
        first = study.measures[0].span if study.measures else None
        place = study.tuning.span if study.tuning.by_written else first or study.tuning.span
        asked.append((study.tuning.metric, place, "chosen", f"tune by {other}"))
    refused: set[tuple[Method, str]] = set()
    for metric, span, done, instead in asked:
        declared = metric_entry(metric).declaration
        if not declared.directed and (metric, done) not in refused:
            refused.add((metric, done))
            noun = "judges" if declared.orders == "judges" else "models"
            scope.refuse(
                "metric_without_better",
                span,
                noun=noun,
                done=done,
                metric=metric,
                instead=instead,
            )


def _judge_models(scope: Scope, study: Study, task: Task | None, reason: str) -> None:
    """Report models for another task than that of the data, or of the first measure."""
    words = f", and {reason}"
    if task is None:
        kinds = {kind_of(model) for model in study.models}
        if not study.measures or not kinds >= set(WORKER.values()):
            return
        task = metric_entry(study.measures[0].metric).declaration.task
        words = f" in a study whose other models are for {task}; a study has one task"
    elif study.task is None or not any(isinstance(s, DataSpec) for s in study.sources):
        return
    for model in study.models:
        kind, node = kind_of(model), scope.models[model.name]
        if kind in WORKER.values() and kind != WORKER[task]:
            other = counterpart(model)
            scope.report(
                codes.wrong_task,
                f"`{model.name}` is a {kind}{words}",
                (node if node.pipeline is None else node.pipeline.steps[-1]).span,
                help=f"write `{other}`" if other else None,
            )
