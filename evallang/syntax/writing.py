"""Nodes in, pieces to lay out: how each value, clause and statement is spelled."""

from collections.abc import Iterable, Sequence
from typing import Any

from evallang.syntax import language, nodes as n
from evallang.syntax.patterns import Optional, Piece, pieces
from evallang.syntax.pretty import Chain, Doc, Group, Item, Row

Written = n.Node | Doc


def written(node: n.Node) -> Doc:
    """Spell a node; a statement is spelled without its clauses."""
    if isinstance(node, n.StatementNode | n.AnyClauseNode):
        return _line(node)
    return _value(node)


def _value(node: n.Node) -> Doc:
    match node:
        case n.NameNode():
            return node.name
        case n.TextNode() | n.NumberNode():
            return node.literal
        case n.ListNode():
            return _group("[", node.items, "]")
        case n.MapNode():
            return _group("{", node.entries, "}")
        case n.EntryNode():
            return _row(node.key, ": ", node.value)
        case n.RangeNode():
            return _range(node)
        case n.CallNode():
            return _row(node.name, _group("(", node.arguments, ")"))
        case n.ArgumentNode():
            sign = " in " if node.tuned else "="
            return _value(node.value) if node.key is None else _row(node.key, sign, node.value)
        case n.ColumnsNode():
            return _row("columns", _group("(", node.branches, ")"))
        case n.BranchNode():
            return _row(node.key, ": ", node.pipeline)
        case n.PipelineNode():
            return Chain(tuple(Item(_value(step), step.span) for step in node.steps))
        case n.OptionNode():
            return _row(node.key, "=", node.value)
        case n.PairNode():
            return _row(node.first, " vs ", node.second)
        case n.ModelColumnNode():
            return _row(
                node.name,
                *_part(" ", node.label),
                *_part(" as ", node.column),
                *_part(" in ", node.path),
            )
        case n.ColumnPairNode():
            return _row("(", node.numerator, ", ", node.denominator, ")")
        case n.RatioNode():
            return _row("ratio(", node.numerator, ", ", node.denominator, ")")
        case n.SourceNode("sql"):
            return _row("sql ", node.values[0], " on ", node.values[1])
        case n.SourceNode("sklearn"):
            return _row("sklearn ", node.values[0])
        case n.SourceNode():
            return _value(node.values[0])
        case n.CommentNode():
            return node.text
    raise TypeError(f"{type(node).__name__} is not a value")


def _range(node: n.RangeNode) -> Doc:
    apart = node.stop.literal.startswith(".")  # three points in a row are not one
    return _row(
        node.start,
        " .. " if apart else "..",
        node.stop,
        *_part(" step ", node.step),
        *_part(" log ", node.log),
        *_part(" ", node.distribution),
    )


# --- lines -----------------------------------------------------------------------------


def _line(node: n.Node) -> Doc:
    """Write a statement or clause as the table of the language states it."""
    for text in language.written(node):
        row = _filled(pieces(text), node)
        if row is not None:
            return _row(*row)
    raise TypeError(f"{type(node).__name__} is written in no such way")


def _filled(given: Iterable[Piece], node: n.Node) -> list[Written] | None:
    """Fill in the fields of a text; None where one has no value, or not the one that is meant."""
    made: list[Written] = []
    for piece in given:
        if isinstance(piece, str):
            made.append(piece)
            continue
        if isinstance(piece, Optional):
            made += _filled(piece.pieces, node) or ()
            continue
        value = _field(node, piece.name)
        if piece.holds is not None:
            if value != piece.holds:
                return None
        elif value is None or value == ():
            return None
        else:
            made.append(_joined(value, piece.how) if isinstance(value, tuple) else value)
    return made


def _field(node: n.Node, name: str) -> Any:
    if name.isdigit() and isinstance(node, n.ClauseNode):
        return node.values[int(name)]
    return getattr(node, name)


def _joined(values: tuple[n.Node, ...], how: str) -> Doc:
    match how:
        case "each":
            return _row(*(piece for node in values for piece in (" ", node)))
        case "spaced":
            return _row(*_written_between(" ", values))
        case "joined":
            return _row(*_written_between(", ", values))
        case "plain":
            return _words(values)
        case "not all" if isinstance(values[0], n.NameNode) and values[0].name == "all":
            return _row(_group("[", values, "]"))  # without brackets it would begin `all except`
    return _listed(values)


# --- pieces ----------------------------------------------------------------------------


def _row(*written: Written) -> Row:
    parts: list[str | Group | Chain] = []
    for piece in written:
        doc = _value(piece) if isinstance(piece, n.Node) else piece
        if isinstance(doc, Row):
            parts += doc.parts
        else:
            parts.append(doc)
    return Row(tuple(parts))


def _part(words: str, node: n.Node | None) -> tuple[Written, ...]:
    return () if node is None else (words, node)


def _written_between(sign: str, nodes: Iterable[n.Node]) -> tuple[Written, ...]:
    return tuple(piece for node in nodes for piece in (sign, node))[1:]


def _group(opener: str, nodes: Iterable[n.Node], closer: str) -> Group:
    return Group(opener, tuple(Item(_value(node), node.span) for node in nodes), closer)


def _listed(nodes: Sequence[n.Node]) -> Doc:
    """Spell a list that may be written in brackets; it needs them only where it is broken."""
    if len(nodes) < 2:
        return _row(*_written_between(", ", nodes))
    group = _group("[", nodes, "]")
    group.bare = True
    return group


def _words(values: Sequence[n.Node]) -> Doc:
    """Spell the values of a clause; in brackets, only plain ones read the same."""
    plain = n.NameNode | n.TextNode | n.NumberNode
    if all(isinstance(value, plain) for value in values):
        return _listed(values)
    return _row(*_written_between(", ", values))
