"""`use` lines, dotted names and objects given in Python: code that a check never imports."""

import keyword

from evallang.checking.scope import Scope, suggestion
from evallang.diagnostics import Edit, Fix, codes
from evallang.models.catalogue import CATALOGUE, ClassEntry, ParameterEntry
from evallang.models.domains import read_constraint
from evallang.models.own_code import registered
from evallang.source import Span
from evallang.study import UseSpec
from evallang.syntax import nodes as n


def resolve_uses(scope: Scope) -> tuple[UseSpec, ...]:
    """Resolve every `use` line; a module is named once."""
    found: dict[str, UseSpec] = {}
    for node in scope.of(n.UseNode):
        module = node.module.name
        parts = module.split(".")
        if not all(part.isidentifier() and not keyword.iskeyword(part) for part in parts):
            scope.refuse("not_a_module", node.module.span, module=module)
        elif module in found:
            message = f"`use {module}` is written twice"
            scope.report_twice(codes.statement_twice, message, node.span, found[module].span)
        else:
            found[module] = UseSpec(module, node.span)
    scope.used_modules = frozenset(node.module.name for node in scope.of(n.UseNode))
    return tuple(found.values())


def is_own(scope: Scope, name: n.NameNode) -> bool | None:
    """Return whether a class is not a catalogue's but runnable; None after a report."""
    written = name.name
    if written in CATALOGUE:
        return False
    if "." not in written:
        return written in registered()
    module, _, plain = written.rpartition(".")
    known = CATALOGUE.get(plain)
    if known is not None and module.split(".")[0] == known.module.split(".")[0]:
        scope.refuse(
            "class_with_module",
            name.span,
            help=f"write `{plain}`, and remove `use {module}`"
            if module in scope.used_modules
            else None,
            plain=plain,
            fixes=[Fix(f"write `{plain}`", (Edit(name.span, plain),))],
        )
        return None
    if module in scope.used_modules:
        return True
    text, fixes = suggestion(module, name.span, scope.used_modules)
    scope.refuse(
        "module_without_use",
        name.span,
        help=f"did you mean the module {text.removeprefix('did you mean ')}" if text else None,
        written=written,
        module=module,
    )
    del fixes  # the name of the class would be lost
    return None


def entry(name: str) -> ClassEntry:
    """Return what is known of a class of the author's: its name."""
    return ClassEntry(name, "", frozenset(), {})


def parameter(name: str) -> ParameterEntry:
    """Return what is known of its parameters: nothing, so that each takes any value."""
    return ParameterEntry(name, read_constraint("any"), None, "not known")


def live_name(model: str) -> str:
    """Return the name that an object given in Python has in a pipeline."""
    return f"live.{model}"


def live_statements(scope: Scope) -> tuple[n.ModelNode, ...]:
    """Read an object that no `model` line declares as if one came before the first line.

    An object that is a step of other models is not a model itself.
    """
    models = scope.of(n.ModelNode)
    pipelines = [node.pipeline for node in models if node.pipeline is not None]
    pipelines += [node.value for node in scope.of(n.LetNode)]  # type: ignore[misc]
    steps = (step for found in pipelines for step in getattr(found, "steps", [found]))
    declared = {node.name.name for node in models}
    declared |= {step.name for step in steps if isinstance(step, n.NameNode)}
    start = Span(scope.path, 0, 0)
    return tuple(
        n.ModelNode(
            n.NameNode(name, span=start),
            None,
            n.PipelineNode((n.NameNode(live_name(name), span=start),), span=start),
            keyword=start,
            span=start,
        )
        for name in sorted(scope.live - declared)
    )
