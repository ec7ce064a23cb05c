"""`measure` and `require`: what is reported and demanded; the names that claims share."""

from collections.abc import Collection, Sequence
from typing import Literal, cast

from evallang.checking import clause_values, values
from evallang.checking.clauses import Clauses
from evallang.checking.scope import Scope, letters, suggestion
from evallang.checking.synonyms import is_member
from evallang.compatibility import orders_of, own_metric
from evallang.data.dataset import DataSpec, Task
from evallang.diagnostics import codes
from evallang.metrics.metric import default_metric
from evallang.models.domains import number
from evallang.source import Span
from evallang.spelling import Words, listed
from evallang.stats.decisions import error_of_one_look
from evallang.stats.intervals.interval import INTERVALS, default_of
from evallang.study import (
    Measure,
    Method,
    Protocol,
    RequirementSpec,
    SourceSpec,
    names_of,
)
from evallang.syntax import nodes as n
from evallang.syntax.formatter import format_node


def measures(scope: Scope, task: Task | None, sources: Sequence[SourceSpec]) -> tuple[Measure, ...]:
    """Resolve every `measure` line; the default is accuracy, or mse for regression.

    What a source measured elsewhere is always measured, whatever the lines say.
    """
    found = _measured_here(scope, task, sources)
    own = [metric for source in sources if (metric := own_metric(source)) is not None]
    written = [measure.metric for measure in found]
    more = tuple(Measure(m, None) for m in dict.fromkeys(own) if m not in written)
    return (*more, *found) if len(own) == len(sources) else (*found, *more)


def _measured_here(
    scope: Scope, task: Task | None, sources: Sequence[SourceSpec]
) -> tuple[Measure, ...]:
    nodes = scope.of(n.MeasureNode)
    if not nodes and sources and all(own_metric(source) is not None for source in sources):
        return ()
    if not nodes:
        orders = next((order for s in sources if (order := orders_of(s)) is not None), None)
        name = default_metric(task or "classification", orders)
        scope.default("measure", name, "measure")
        return (Measure(Method(name), None),)
    found: list[Measure] = []
    for node in nodes:
        interval, place = _interval(scope, node)
        if node.averaged is not None and interval is not None:
            if INTERVALS[interval.name].declaration.form != "strata":
                own = default_of("averaged")
                written = ", ".join(scope.written(metric.span) for metric in node.metrics)
                key = "interval_of_no_average"
                scope.refuse(key, place, interval=interval, own=own, written=written)
            interval = place = None  # that of the average, which has no other
        levels = [clause_values.own_column(scope, column) for column in node.within]
        for column, name in zip(node.within, levels, strict=True):  # a metric to be measured?
            if isinstance(column, n.NameNode) and is_member("metric", name.replace("-", "_")):
                scope.refuse("metric_after_within", column.span, name=name)
        within = clause_values.distinct(scope, node.within, levels, " after `within`")
        for metric in node.metrics:
            resolved = values.method(scope, metric, "metric")
            if resolved is None:
                continue
            averaged = clause_values.average(node.averaged)
            same = (m for m in found if (m.metric, m.averaged) == (resolved, averaged))
            first = next(same, None)
            if first is not None:
                message = f"`{resolved.written}` is measured twice"
                scope.report_twice(codes.parameter_twice, message, metric.span, first.span)
                continue
            found.append(Measure(resolved, interval, within, averaged, metric.span, place))
    return tuple(found)


def _interval(scope: Scope, node: n.MeasureNode) -> tuple[Method | None, Span | None]:
    clauses = Clauses(scope, node)
    lines = clauses.find(n.IntervalNode)
    if not lines:
        return None, None
    return values.method(scope, lines[0].method, "interval"), lines[0].span


# --- names ------------------------------------------------------------------------------


def model_names(scope: Scope, sources: Sequence[SourceSpec]) -> Words | None:
    """List all models that a line may name; None where a file decides at run time."""
    if scope.lacks_models:
        return None
    names = dict.fromkeys(scope.models)
    for source in sources:
        if not isinstance(source, DataSpec):
            if not source.models:
                return None
            names |= dict.fromkeys(model.name for model in source.models)
    return Words(names)


def known_model(scope: Scope, node: n.ColumnNode, names: Words | None) -> str | None:
    """Resolve the name of a model; None after a report."""
    name = clause_values.column_name(node)
    if names is None or name in names:
        return name
    if name in scope.broken:
        return None
    if name in scope.lets:
        steps = isinstance(scope.lets[name].value, n.PipelineNode | n.ColumnsNode | n.CallNode)
        scope.refuse(
            "let_is_not_a_model",
            node.span,
            help=f"declare it with `model {name} = ...`" if steps else _those("model", names),
            name=name,
        )
        return None
    text, fixes = suggestion(name, node.span, names)
    scope.refuse(
        "no_model_called", node.span, help=text or _those("model", names), name=name, fixes=fixes
    )
    return None


def known_protocol(
    scope: Scope, node: n.NameNode | None, protocols: Sequence[Protocol]
) -> tuple[bool, str | None]:
    """Resolve `on PROTOCOL`: (whether it is sound, its name or None without one)."""
    if node is None:
        return True, None
    names = names_of(protocols)
    if node.name in names:
        return True, node.name
    if node.name not in scope.broken:
        text, fixes = suggestion(node.name, node.span, names)
        scope.refuse(
            "no_protocol_called",
            node.span,
            help=f"write `by {node.name}`"
            if is_member("metric", node.name)
            else text or _those("protocol", names),
            node=node,
            fixes=fixes,
        )
    return False, None


def _those(what: str, names: Collection[str]) -> str | None:
    """Return what is declared: `the models are ...`."""
    if not names:
        return None
    are = f"{what} is" if len(names) == 1 else f"{what}s are"
    return f"the {are} {listed(names, 'and')}"


# --- require -----------------------------------------------------------------------------


def requirements(
    scope: Scope,
    sources: Sequence[SourceSpec],
    protocols: Sequence[Protocol],
    measured: Sequence[Measure],
    confidence: float,
    looks: int | None,
) -> tuple[RequirementSpec, ...]:
    """Resolve every `require` line."""
    found = []
    names = model_names(scope, sources)
    of_study = confidence if looks is None else 1 - error_of_one_look(1 - confidence, looks)
    for index, node in enumerate(scope.of(n.RequireNode)):
        before = len(scope.diagnostics)
        first = known_model(scope, node.first, names)
        second = known_model(scope, node.second, names) if node.second else None
        metric = values.method(scope, node.metric, "metric") if node.metric else None
        test = values.method(scope, node.test, "test") if node.test else None
        if test is not None and dict(test.options).get("alternative", "two_sided") != "two_sided":
            scope.refuse("two_sided_test", node.test.span if node.test else node.span, test=test)
        _, protocol = known_protocol(scope, node.on, protocols)
        value = float(number(node.value.literal)) if node.value else None
        level = float(number(node.at.literal)) if node.at else of_study
        _margin(scope, node, value, level)
        if node.at is not None and looks is not None:
            scope.refuse("level_beside_looks", node.at.span, looks=looks)
        named = tuple(name for name in (first, second) if name is not None)
        own = measured_elsewhere(scope, sources, named)
        if metric is not None:
            metric = as_measured(metric, own)
        elif not node.metric and (own or measured):
            metric = own[0] if own else measured[0].metric
        if any(d.severity == "error" for d in scope.diagnostics[before:]):
            continue
        if metric is None or first is None:
            continue
        found.append(
            RequirementSpec(
                index=index,
                source=format_node(node).strip(),
                kind=cast(Literal["level", "superior", "noninferior", "equivalent"], node.kind),
                metric=metric,
                models=tuple(name for name in (first, second) if name is not None),
                operator=node.operator,
                value=value,
                test=test,
                within=clause_values.own_column(scope, node.within) if node.within else None,
                protocol=protocol,
                level=level,
                averaged=clause_values.average(node.averaged),
                level_written=node.at is not None,
                metric_written=node.metric is not None,
                protocol_written=node.on is not None,
                span=node.span,
            )
        )
    return tuple(found)


def _margin(scope: Scope, node: n.RequireNode, value: float | None, level: float) -> None:
    if node.kind != "level" and node.value is not None and value is not None and value <= 0:
        scope.refuse(
            "margin_above_zero",
            node.value.span,
            word="within" if node.kind == "equivalent" else "by",
            size=node.value.literal.removeprefix("-") if value < 0 else "2%",
        )
    if node.at is not None and not 0 < level < 1:
        scope.refuse(
            "level_between",
            node.at.span,
            level=f"{node.at.literal}%" if 50 < level < 100 else "95%",
        )
    elif node.at is not None and level <= clause_values.COIN:
        scope.refuse("level_of_tests", node.at.span, level=level)


def measured_elsewhere(
    scope: Scope, sources: Sequence[SourceSpec], models: tuple[str, ...]
) -> tuple[Method, ...]:
    """Return the metrics of the sources that have these models, where all were measured already.

    None where any other source has them too, or none does.
    """
    own: list[Method | None] = []
    for source in sources:  # as far as its models are known before it is read
        fitted = isinstance(source, DataSpec)
        names = set(scope.models) if isinstance(source, DataSpec) else names_of(source.models).known
        if (not names and not fitted) or names.issuperset(models):
            own.append(own_metric(source))
    found = tuple(dict.fromkeys(metric for metric in own if metric is not None))
    return found if None not in own else ()


def as_measured(metric: Method, own: Sequence[Method]) -> Method:
    """Take the metric that a source measured where it is called so."""
    return next((m for m in own if letters(m.name) == letters(metric.name)), metric)
