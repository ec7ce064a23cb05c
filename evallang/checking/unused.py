"""Names that nothing uses."""

from collections.abc import Sequence

from evallang.checking import codes
from evallang.checking.scope import Scope
from evallang.diagnostics import Diagnostic, has_errors
from evallang.syntax import nodes as n
from evallang.syntax.language import RESERVED


def report_unused(scope: Scope, syntax: Sequence[Diagnostic]) -> None:
    """Hint at every `let` that nothing uses; silent where a faulty line may have used it."""
    if has_errors(syntax):
        return
    used = {*scope.used_lets, *scope.broken, *scope.models, *RESERVED}
    for name, node in scope.lets.items():
        if name not in used:
            scope.report(codes.UNUSED_LET, f"nothing uses `{name}`", node.name.span)


def report_without_tables(scope: Scope) -> None:
    """Warn of statements that split rows where every outcome is given."""
    if not scope.sources or any(isinstance(s, n.DataNode) for s in scope.sources.values()):
        return
    if scope.models:
        return  # a study with models and without data says so elsewhere
    for node in scope.statements:
        if isinstance(node, n.ProtocolNode | n.StratifyNode | n.TuneNode):
            word = {n.ProtocolNode: "protocol", n.StratifyNode: "stratify"}.get(type(node), "tune")
            scope.report(
                codes.UNUSED_STATEMENT,
                f"nothing uses this `{word}`: no model is fitted here",
                node.keyword,
                help="remove the line, or write `data NAME from ...`",
            )
