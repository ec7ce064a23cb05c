"""The parts of a study as an editor lists and folds them."""

from msgspec import Struct

from evallang.source import SourceFile, Span
from evallang.syntax import nodes as n
from evallang.syntax.language import word_of


class Section(Struct, frozen=True):
    """A statement or clause in the outline of a study.

    `title` is the name that it declares, else what its first line says after the word.
    """

    word: str
    title: str
    span: Span
    title_span: Span
    clauses: tuple["Section", ...] = ()


def outline(study: n.StudyNode, source: SourceFile) -> tuple[Section, ...]:
    """Return the statements of a file in order, each with its clauses."""
    return tuple(_section(node, source) for node in study.statements)


def _section(node: n.StatementNode | n.AnyClauseNode, source: SourceFile) -> Section:
    word, name = word_of(node), getattr(node, "name", None)
    line = source.whole_line(node.span.start)
    first = Span(line.path, node.span.start, max(node.span.start, min(line.end, node.span.end)))
    title, place = source.text[first.start : first.end].removeprefix(word).strip(), first
    if isinstance(node, n.StatementNode) and isinstance(name, n.NameNode):
        title, place = name.name, name.span
    below = node.clauses if isinstance(node, n.StatementNode) else ()
    clauses = tuple(_section(clause, source) for clause in below)
    return Section(word, title or word, node.span, place, clauses)
