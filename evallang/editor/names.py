"""The names that a study declares, and every place where they are written."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from msgspec import Struct

from evallang.diagnostics import Edit
from evallang.source import Span
from evallang.spelling import written_name
from evallang.syntax import nodes as n
from evallang.syntax.language import STATEMENTS, word_of

Kind = Literal["value", "data", "protocol"]
"""Names of one kind are declared once: models and `let` names are `value`s."""

KINDS: Mapping[str, Kind] = {
    "model": "value",
    "models": "value",
    "let": "value",
    "protocol": "protocol",
}
"""What the names in a field refer to, by the word that the table of the language has for it."""


class Occurrence(Struct, frozen=True):
    """A declared name at a place.

    `declares` tells that it is declared here; `column` that the name is also that of a column of
    a file, which stays when the name changes, and `after` is where ` as COLUMN` then follows.
    """

    kind: Kind
    name: str
    span: Span
    declares: bool = False
    column: bool = False
    after: int = 0


def occurrences(statements: Iterable[n.StatementNode]) -> tuple[Occurrence, ...]:
    """Return every place of a declared name, in the order of the statements."""
    found = [place for node in statements for place in _of_statement(node)]
    declared = {(place.kind, place.name) for place in found if place.declares}
    return tuple(place for place in found if (place.kind, place.name) in declared)


def at(places: Iterable[Occurrence], path: str, offset: int) -> Occurrence | None:
    """Return the name at a place of a file, or the one that ends there."""
    for place in places:
        span = place.span
        if span.path == path and span.start <= offset <= span.end:
            return place
    return None


def same(places: Iterable[Occurrence], one: Occurrence) -> tuple[Occurrence, ...]:
    """Return the places of the same name."""
    return tuple(p for p in places if (p.kind, p.name) == (one.kind, one.name))


def renaming(places: Iterable[Occurrence], one: Occurrence, new: str) -> tuple[Edit, ...]:
    """Return the edits that rename the name at a place; raises `ValueError`.

    Raises where the new name cannot be written there, or is taken.
    """
    named = same(places, one)
    if any((place.kind, place.name) == (one.kind, new) for place in places):
        raise ValueError(f"`{new}` is declared already")
    written = written_name(new)
    quotable = all(p.column and p.after == p.span.end for p in named if p.declares)
    if written != new and not quotable:
        raise ValueError(f"`{new}` is not a name: write letters, digits, `_`, `-` and `.`")
    edits = [Edit(place.span, written) for place in named]
    for place in named:
        if place.column:
            end = Span(place.span.path, place.after, place.after)
            edits.append(Edit(end, f" as {written_name(one.name)}"))
    return tuple(edits)


def _of_statement(node: n.StatementNode) -> Iterator[Occurrence]:
    word = word_of(node)
    name = getattr(node, "name", None)
    if isinstance(name, n.NameNode):
        kind: Kind = "value"
        if isinstance(node, n.SourceStatement):
            kind = "data"
        elif isinstance(node, n.ProtocolNode):
            kind = "protocol"
        yield Occurrence(kind, name.name, name.span, declares=True)
    yield from _references(node, STATEMENTS[word].names)
    for below in node.clauses:
        clause = STATEMENTS[word].clauses.get(word_of(below))
        if isinstance(below, n.ModelColumnsNode):
            in_file = not isinstance(node, n.CountsNode)
            yield from (_declared(item, in_file) for item in below.items)
        elif isinstance(below, n.RightNode):
            yield _place(below.model, "value", declares=True)
        if clause is not None:
            yield from _references(below, {} if isinstance(below, n.RightNode) else clause.names)


def _declared(item: n.ModelColumnNode, in_file: bool) -> Occurrence:
    made = _place(item.name, "value", declares=True)
    last = item.label or item.name
    column = in_file and item.column is None
    return Occurrence("value", made.name, made.span, True, column, last.span.end)


def _references(node: n.Node, names: Mapping[str, tuple[str, ...]]) -> Iterator[Occurrence]:
    """Iterate over the names in a line that may refer to what is declared elsewhere."""
    for field in node.__struct_fields__:
        kinds = {KINDS[kind] for kind in names.get(field, ()) if kind in KINDS}
        if field in ("keyword", "clauses", "name"):
            continue
        yield from _within(getattr(node, field), kinds)


def _within(value: object, kinds: set[Kind]) -> Iterator[Occurrence]:
    if isinstance(value, tuple):
        for item in value:
            yield from _within(item, kinds)
    elif isinstance(value, n.OptionNode | n.ArgumentNode):
        yield from _within(value.value, {"value"})
    elif isinstance(value, n.BranchNode):
        yield from _within(value.pipeline, kinds)
    elif isinstance(value, n.NameNode | n.TextNode):
        yield from (_place(value, kind) for kind in kinds)
    elif isinstance(value, n.Node):
        for field in value.__struct_fields__:
            yield from _within(getattr(value, field), kinds)


def _place(node: n.NameNode | n.TextNode, kind: Kind, *, declares: bool = False) -> Occurrence:
    name = node.name if isinstance(node, n.NameNode) else node.value
    return Occurrence(kind, name, node.span, declares)
