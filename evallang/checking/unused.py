"""Names that nothing uses."""

from collections.abc import Sequence

from evallang.checking import codes
from evallang.checking.scope import Scope
from evallang.diagnostics import Diagnostic, has_errors


def report_unused(scope: Scope, syntax: Sequence[Diagnostic]) -> None:
    """Hint at every `let` that nothing uses; silent where a faulty line may have used it."""
    if has_errors(syntax):
        return
    for name, node in scope.lets.items():
        if name not in scope.used_lets and name not in scope.broken:
            scope.report(codes.UNUSED_LET, f"nothing uses `{name}`", node.name.span)
