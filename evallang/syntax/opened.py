"""Statements that still take clauses, and the first reading of a line."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from evallang.diagnostics import Diagnostic
from evallang.syntax import codes
from evallang.syntax.language import STATEMENTS
from evallang.syntax.logical_lines import LogicalLine
from evallang.syntax.nodes import AnyClauseNode, StatementNode
from evallang.syntax.repair import Reading, read_line


@dataclass(eq=False, repr=False, slots=True)
class Open:
    """A statement that still takes clauses; `word` is empty where nobody knows what it is."""

    word: str
    node: StatementNode | None
    clauses: list[AnyClauseNode]
    faulty: bool


def said_indented(word: str) -> str:
    """Say that a statement is indented."""
    return f"`{word}` is a statement and begins in column 0"


def attempt(path: str, start: str, line: LogicalLine) -> Reading:
    """Parse a line; one whose characters are past mending gets no second message."""
    if line.too_deep:
        return Reading(None, ())
    reading = read_line(path, start, line.tokens)
    return reading if line.mended else Reading(reading.node, ())


def unsaid(first: Sequence[Diagnostic], then: Sequence[Diagnostic]) -> Iterable[Diagnostic]:
    """Leave out that a sign does not fit where the sign itself is objected to already."""
    places = {found.span for found in first}
    unexpected = codes.UNEXPECTED_TEXT.code
    return (d for d in then if d.code != unexpected or d.span not in places)


def closed(node: StatementNode, clauses: Sequence[AnyClauseNode]) -> StatementNode:
    """Give a statement with its clauses."""
    if not clauses:
        return node
    return replace(node, clauses=tuple(clauses), span=node.span.to(clauses[-1].span))


def takes(statement: Open, word: str) -> bool:
    """Tell whether a word begins a clause of a statement."""
    return bool(statement.word) and word in STATEMENTS[statement.word].clauses


def shortened(word: str) -> str:
    """Show a word in a sentence."""
    return word if len(word) <= 40 else word[:39] + "…"
