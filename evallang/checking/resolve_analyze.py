"""`analyze`: what is asked besides the estimates and tests, its options and what it is about."""

from collections.abc import Sequence

from evallang.analysis import ABOUT_LINES, ANALYSES
from evallang.checking import values
from evallang.checking.resolve_measure import known_model, known_protocol, model_names
from evallang.checking.scope import Scope
from evallang.diagnostics import codes
from evallang.study import AnalysisSpec, Method, Protocol, SourceSpec
from evallang.syntax import nodes as n


def analyses(
    scope: Scope, protocols: Sequence[Protocol], sources: Sequence[SourceSpec]
) -> tuple[AnalysisSpec, ...]:
    """Resolve every item of every `analyze` line; what this version cannot run is refused."""
    found = []
    names = model_names(scope, sources)
    for index, node in enumerate(scope.of(n.AnalyzeNode)):
        metric = values.method(scope, node.metric, "metric") if node.metric else None
        sound, protocol = known_protocol(scope, node.on, protocols)
        models = [known_model(scope, model, names) for model in node.models]
        for item in node.items:
            method = values.method(scope, item, "analysis")
            if method is None or not sound or (node.metric and metric is None):
                continue
            if _agrees(scope, node, item, method) and None not in models:
                named = tuple(name for name in models if name is not None)
                found.append(AnalysisSpec(index, method, metric, protocol, named, node.span))
    return tuple(found)


def _agrees(scope: Scope, node: n.AnalyzeNode, item: n.MethodNode, method: Method) -> bool:
    """Return whether what an analysis assumes can be true together."""
    options, declared = method.keywords(), ANALYSES[method.name].declaration
    by_lines, wrong = declared.about in ABOUT_LINES, declared.objection(options)
    place, name = item.span, f"`{method.name}`"
    if wrong is not None:
        code, message, help_ = wrong
    elif node.metric and not (by_lines or declared.by_metric):
        code, place = codes.clause_conflict, node.metric.span
        message = f"{name} has no metric, so `by` has no place here"
        help_ = "remove `by`; `of` and `on` choose models and a protocol"
    elif node.on and declared.about_rows:
        code, place = codes.clause_conflict, node.on.span
        message = f"{name} draws samples of its own, so `on` has no place here"
        help_ = "remove `on`"
    elif node.models and by_lines:
        code, place = codes.clause_conflict, node.models[0].span
        message = f"{name} is about the `compare` lines, so `of` has no place here"
        help_ = "remove `of`; `by` and `on` choose among the lines"
    else:
        return True
    scope.report(code, message, place, help=help_)
    return False
