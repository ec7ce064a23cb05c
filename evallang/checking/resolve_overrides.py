"""`--set NAME=VALUE`: a value of the command line in place of a `let`'s."""

from collections.abc import Mapping

from evallang.checking.scope import Scope, suggestion
from evallang.diagnostics import has_errors
from evallang.source import SourceFile, Span
from evallang.syntax.nodes import LetNode
from evallang.syntax.parser import parse


def read_overrides(
    scope: Scope, overrides: Mapping[str, str], sources: dict[str, SourceFile]
) -> None:
    """Parse each value as a `let` would be; an unknown name is reported."""
    names = [node.name.name for node in scope.of(LetNode)]
    for name, value in overrides.items():
        path = f"--set {name}"
        source = SourceFile(path, f"let {name} = {value}\n")
        sources[path] = source
        place = Span(path, 4, 4 + len(name))
        if name not in names:
            text, _ = suggestion(name, place, names)
            scope.refuse("no_let_to_set", place, help=text, name=name)
            continue
        if "\n" in value:
            scope.refuse("set_over_lines", place, name=name)
            continue
        tree, diagnostics = parse(source)
        scope.diagnostics += [d for d in diagnostics if d.severity == "error"]
        lets = [s for s in tree.statements if isinstance(s, LetNode)]
        if has_errors(diagnostics):
            scope.broken.add(name)
        elif lets:
            scope.overrides[name] = lets[0].value
