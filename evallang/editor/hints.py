"""What applies although a study does not say it, shown at the end of the line that could."""

from collections.abc import Iterator

from msgspec import Struct

from evallang.checking.check import Checked
from evallang.diagnostics import has_errors
from evallang.planning.expected import fits_without_data
from evallang.results.settings import Default
from evallang.source import Span
from evallang.study import written_option
from evallang.syntax import nodes as n
from evallang.syntax.language import word_of


class Hint(Struct, frozen=True):
    """A remark behind a place."""

    place: Span
    text: str


def hints(checked: Checked, path: str) -> tuple[Hint, ...]:
    """Return the defaults that apply to the statements of a file, and the fits of a protocol.

    There is no hint for a study with errors: what it means is open.
    """
    if has_errors(checked.diagnostics):
        return ()
    said: dict[int, list[str]] = {}
    statements = checked.gathered.statements
    for default in checked.resolved.defaults:
        line = _line_of(default, statements)
        if line is not None:
            said.setdefault(line, []).append(_written(default))
    for line, text in _fits(checked):
        said.setdefault(line, []).append(text)
    made = ((_end(statements[line]), ", ".join(texts)) for line, texts in sorted(said.items()))
    return tuple(Hint(place, text) for place, text in made if place.path == path)


def _line_of(default: Default, statements: list[n.StatementNode]) -> int | None:
    """Return the number of the statement that could state a default; None where none could."""
    lines = [i for i, node in enumerate(statements) if word_of(node) == default.kind]
    if default.line is not None:
        return lines[default.line] if default.line < len(lines) else None
    named = [i for i in lines if default.subject in set(_names(statements[i]))]
    if named:
        return named[0]
    return lines[0] if len(lines) == 1 and default.option is not None else None


def _names(node: n.StatementNode) -> Iterator[str]:
    """Iterate over what a default may call a statement: its name, the form of its protocol."""
    name = getattr(node, "name", None)
    if isinstance(name, n.NameNode):
        yield name.name
    if isinstance(node, n.ProtocolNode):
        yield "_".join(word.name for word in node.words)


def _written(default: Default) -> str:
    given = default.value
    value = given if isinstance(given, str) else written_option(given)
    sign = "=" if default.kind == "protocol" else " "
    return f"{default.option}{sign}{value}"


def _fits(checked: Checked) -> Iterator[tuple[int, str]]:
    """Iterate over the lines of protocols and how many fits each asks for."""
    counted = fits_without_data(checked.resolved)
    if not counted:
        return
    for protocol in checked.resolved.protocols:
        fits = sum(number for (_, name, _), number in counted.items() if name == protocol.name)
        lines = [i for i, s in enumerate(checked.gathered.statements) if s.span == protocol.span]
        if fits and lines:
            yield lines[0], f"{fits:,} fits" if fits > 1 else "1 fit"


def _end(node: n.StatementNode) -> Span:
    """Return the end of the first line of a statement, its clauses apart."""
    children = [getattr(node, f) for f in node.__struct_fields__ if f not in ("clauses", "span")]
    end = max((_last(child) for child in children), default=node.keyword.end)
    return Span(node.span.path, end, end)


def _last(value: object) -> int:
    if isinstance(value, Span):
        return value.end
    if isinstance(value, n.Node):
        return value.span.end
    return max(map(_last, value), default=0) if isinstance(value, tuple) else 0
