"""Text in, the same text in its one canonical form out.

Comments, the order of statements and clauses, and the spelling of literals stay. A line
that does not parse is left as it is, but for blanks at its end.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from evallang.source import SourceFile
from evallang.syntax import language, nodes as n
from evallang.syntax.assembly import ParsedLine
from evallang.syntax.nodes import CommentNode, Node
from evallang.syntax.parser import ParsedFile, parse_lines
from evallang.syntax.patterns import Optional, Piece, pieces
from evallang.syntax.pretty import Chain, Doc, Group, Item, Row, flat, lay, place


def format_source(source: SourceFile) -> str:
    """Format a file; one of another format or of a newer language stays as it is."""
    return format_parsed(source, parse_lines(source))


def format_parsed(
    source: SourceFile, parsed: ParsedFile, remark: Callable[[str], str] | None = None
) -> str:
    """Format a file that was parsed already; `remark` spells what a comment says."""
    if parsed.refused:
        return source.text
    if remark is not None:
        comments = [
            replace(comment, text=remark(comment.text)) for comment in parsed.study.comments
        ]
        parsed = replace(parsed, study=replace(parsed.study, comments=tuple(comments)))
    blocks = sorted((*_code(source, parsed), *_remarks(source, parsed)), key=lambda b: b.start)
    lines: list[str] = []
    end: int | None = None
    for block in blocks:
        if end is not None and source.text.count("\n", end, block.start) > 1:
            lines.append("")
        lines += block.lines
        end = block.end
    made = "".join(f"{line}\n" for line in lines)
    # a second mark at the start is a character: it may not become the byte order mark
    return f"\ufeff{made}" if made.startswith("\ufeff") else made


def format_node(node: Node) -> str:
    """Write any node on one line, in canonical form; a statement without its clauses."""
    return flat(_written(node))


class _Block(Struct, eq=False):
    """Formatted lines and the stretch of the file (whole lines) that they stand for."""

    start: int
    end: int
    lines: list[str]


def _code(source: SourceFile, parsed: ParsedFile) -> Iterator[_Block]:
    comments = list(parsed.study.comments)
    next_comment = 0
    for line in parsed.lines:
        while next_comment < len(comments) and comments[next_comment].span.start < line.start:
            next_comment += 1
        inside = next_comment
        while next_comment < len(comments) and comments[next_comment].span.start < line.end:
            next_comment += 1
        lines = (
            _verbatim(source, line)
            if line.node is None
            else _formatted(line, line.node, comments[inside:next_comment])
        )
        if any(lines):  # a line of stray carriage returns leaves nothing
            yield _Block(line.start, line.end, lines)


def _verbatim(source: SourceFile, line: ParsedLine) -> list[str]:
    text = source.text[line.start : line.end]
    if line.start == 0:
        text = text.removeprefix("\ufeff")
    return [physical.rstrip(" \t\r") for physical in text.split("\n")]


def _formatted(line: ParsedLine, node: Node, comments: Sequence[CommentNode]) -> list[str]:
    """Lay a statement or clause out with the comments that are in it."""
    indent = 0 if line.at_margin else 2
    pad = " " * indent
    doc = _written(node)
    above: list[str] = []
    behind = ""
    for comment in comments:
        if comment.span.start >= node.span.end:
            behind = f"  {comment.text}"
        elif not place(doc, comment):
            above.append(pad + comment.text)
    first, *rest = lay(doc, indent, indent)
    lines = [*above, pad + first, *rest]
    lines[-1] += behind
    return lines


def _remarks(source: SourceFile, parsed: ParsedFile) -> Iterator[_Block]:
    """Comments on lines of their own; one above a clause, or indented, belongs to the clauses."""
    lines = parsed.lines
    number = 0
    for comment in parsed.study.comments:
        at = comment.span.start
        while number < len(lines) and lines[number].end <= at:
            number += 1
        after = lines[number] if number < len(lines) else None
        if after is not None and after.start <= at:
            continue
        if after is not None and not after.at_margin:
            indented = True
        else:
            start = source.text.rfind("\n", 0, at) + 1
            margin = start + source.text.startswith("\ufeff", start, start + 1)
            indented = at > margin and number > 0
        yield _Block(at, comment.span.end, [("  " if indented else "") + comment.text])


# --- values, clauses and statements ---------------------------------------------------------

Written = n.Node | Doc


def _written(node: n.Node) -> Doc:
    """Spell a node; a statement is spelled without its clauses."""
    return _line(node) if isinstance(node, n.StatementNode | n.AnyClauseNode) else _value(node)


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
        case n.StateNode():
            return _row(node.state, " ", node.use)
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
        case n.JudgedColumnNode():
            return _row(node.column, f" {node.operator} ", node.value)
        case n.RatioNode():
            return _row("ratio(", node.numerator, ", ", node.denominator, ")")
        case n.SourceNode("sql"):
            return _row("sql ", node.values[0], " on ", node.values[1])
        case n.SourceNode("sklearn"):
            return _row("sklearn ", node.values[0])
        case n.SourceNode():
            return _value(node.values[0])
        case n.FrameNode():
            return _row("frame ", node.name)
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
        if piece.name.isdigit() and isinstance(node, n.ClauseNode):
            value: Any = node.values[int(piece.name)]
        else:
            value = getattr(node, piece.name)
        if piece.holds is not None:
            if value != piece.holds:
                return None
        elif value is None or value == ():
            return None
        else:
            made.append(_joined(value, piece.how) if isinstance(value, tuple) else value)
    return made


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
