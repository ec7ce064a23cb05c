"""Names that nothing uses."""

import re
from collections.abc import Sequence

from evallang.checking.scope import Scope
from evallang.diagnostics import Diagnostic, has_errors
from evallang.models.catalogue import CATALOGUE
from evallang.syntax import nodes as n
from evallang.syntax.formatter import format_node
from evallang.syntax.language import RESERVED


def report_unused(scope: Scope, syntax: Sequence[Diagnostic]) -> None:
    """Hint at every `let` that nothing uses; silent where a faulty line may have used it."""
    if has_errors(syntax):
        return
    used = {*scope.used_lets, *scope.broken, *scope.models, *RESERVED}
    for name, node in scope.lets.items():
        if name not in used:
            scope.refuse("unused_let", node.name.span, name=name)
    _report_catalogued_modules(scope)


def _report_catalogued_modules(scope: Scope) -> None:
    """Warn of a `use` line for classes that the catalogue has, which would ask for consent."""
    for node in scope.of(n.UseNode):
        module = node.module.name
        classes = [
            name for name, entry in CATALOGUE.items() if f"{entry.module}.".startswith(f"{module}.")
        ]
        if not classes:
            continue
        rest = " ".join(format_node(s) for s in scope.statements if s is not node)
        if f"{module}." in rest:
            continue  # something that the catalogue lacks, or an error of its own
        written = next((name for name in classes if re.search(rf"\b{name}\b", rest)), classes[0])
        scope.refuse("catalogued_module", node.span, module=module, written=written)


def report_without_tables(scope: Scope) -> None:
    """Warn of statements that split rows where every outcome is given."""
    if not scope.sources or any(isinstance(s, n.DataNode) for s in scope.sources.values()):
        return
    if scope.models:
        return  # a study with models and without data says so elsewhere
    for node in scope.statements:
        if isinstance(node, n.ProtocolNode | n.StratifyNode | n.TuneNode):
            word = {n.ProtocolNode: "protocol", n.StratifyNode: "stratify"}.get(type(node), "tune")
            scope.refuse("splits_nothing", node.keyword, word=word)
