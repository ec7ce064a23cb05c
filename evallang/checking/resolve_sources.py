"""`data` statements, and all sources of a study, to the specs that are read."""

from typing import Literal

from evallang.checking import clause_values, resolve_imported
from evallang.checking.clauses import (
    BUNDLED,
    Clauses,
    check_path,
    errors,
    missing_words,
    positive_class,
    take_where_lines,
    target_column,
    time_column,
)
from evallang.checking.resolve_thresholds import thresholds_of_models
from evallang.checking.scope import Scope, letters, suggestion
from evallang.compatibility import own_metric
from evallang.data.dataset import DataSpec
from evallang.data.path_patterns import path_pattern
from evallang.diagnostics import Severity
from evallang.metrics.metric import METRICS
from evallang.spelling import listed
from evallang.study import SourceSpec
from evallang.syntax import nodes as n


def resolve_sources(scope: Scope) -> tuple[SourceSpec, ...]:
    """Resolve every source of a study, in order; a faulty one is excluded after its report."""
    found: list[SourceSpec] = []
    for statement in scope.statements:
        spec: SourceSpec | None = None
        several: tuple[SourceSpec, ...] = ()
        if isinstance(statement, n.DataNode):
            spec = _data(scope, statement)
        elif isinstance(statement, n.PredictionsNode):
            spec = resolve_imported.predictions(scope, statement)
        elif isinstance(statement, n.CountsNode):
            spec = resolve_imported.counts(scope, statement)
        elif isinstance(statement, n.BattlesNode):
            spec = resolve_imported.battles(scope, statement)
        elif isinstance(statement, n.ScoresNode):
            spec = table = resolve_imported.scores(scope, statement)
            several = () if table is None else resolve_imported.scores_by_metric(scope, table)
        else:
            continue
        if spec is None or _names_unread(scope, statement):
            scope.broken.add(statement.name.name)
        else:
            found += several or (spec,)
    own = [metric for spec in found if (metric := own_metric(spec)) is not None]
    for metric in own:  # lines may name what was measured elsewhere; otherwise our words stay ours
        word = letters(metric.name)
        if len(own) == len(found) or word not in METRICS:
            scope.own_metrics.setdefault(word, metric)
    return tuple(found)


def _names_unread(scope: Scope, statement: n.StatementNode) -> bool:
    """Return whether the line that names a source's models is there and could not be read."""
    naming = {"models", "correct", "value", "judges"}
    if isinstance(statement, n.DataNode) or not scope.unread & naming:
        return False
    lines = [c.span for c in statement.clauses if isinstance(c, n.ModelColumnsNode)]
    return not lines or any(
        found.span is not None
        and found.severity is Severity.ERROR
        and any(line.start <= found.span.start < line.end for line in lines)
        and found.path == statement.span.path
        for found in scope.syntax
    )


def _data(scope: Scope, node: n.DataNode) -> DataSpec | None:
    before = len(scope.diagnostics)
    location, connection, kind = _source(scope, node.source)
    clauses = Clauses(scope, node)
    bundled = kind == "sklearn"
    target, target_scale = target_column(scope, clauses)
    if target is None and not bundled and clauses.lacks("target"):
        scope.refuse(
            "missing_column",
            node.name.span,
            what="data",
            name=node.name.name,
            role="the target",
            clause="target",
        )
    features, excepted = _features(scope, clauses)
    positive, positive_label = positive_class(scope, clauses)
    task = clauses.take("task")
    spec = DataSpec(
        **clauses.described(node, node.source, "examples"),
        **clauses.several("id", "group", "weight"),
        kind=kind,
        location=location,
        connection=connection,
        target=target,
        target_scale=target_scale,
        positive=positive,
        positive_label=positive_label,
        thresholds=thresholds_of_models(scope, clauses),
        features=features,
        features_except=excepted,
        categorical=clauses.take("categorical") or (),
        time=time_column(clauses),
        missing=missing_words(scope, clauses),
        task=BUNDLED.get(location) if bundled and task is None else task,
        where=take_where_lines(scope, clauses),
    )
    return None if errors(scope, before) else spec


def _source(
    scope: Scope, source: n.SourceNode | n.FrameNode
) -> tuple[str, str | None, Literal["sklearn", "path", "glob", "sql", "frame"]]:
    if isinstance(source, n.FrameNode):
        return source.name.name, None, "frame"
    first = source.values[0]
    if source.kind == "sklearn":
        name = clause_values.column_name(first)
        if name not in BUNDLED:
            text, fixes = suggestion(name, first.span, BUNDLED)
            scope.refuse(
                "unknown_bundled",
                first.span,
                help=text,
                name=name,
                bundled=listed(BUNDLED, "and"),
                fixes=fixes,
            )
        return name, None, "sklearn"
    location = clause_values.column_name(first)
    if source.kind == "sql":
        return location, clause_values.column_name(source.values[1]), "sql"
    check_path(scope, location, first, ("dataset",))
    if path_pattern(location).words or any(c in location for c in "*?["):
        return location, None, "glob"
    return location, None, "path"


def _features(
    scope: Scope, clauses: Clauses
) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
    found = clauses.find(n.FeaturesNode)
    if not found:
        return None, None
    nodes = found[0].columns
    written = [clause_values.own_column(scope, node) for node in nodes]
    names = clause_values.distinct(scope, nodes, written, " in `features`")
    return (None, names) if found[0].all_except else (names, None)
