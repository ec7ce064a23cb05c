"""Text in, `StudyNode` and every syntax diagnostic out.

Each statement line and each clause is parsed alone, so a mistake costs its own line and
nothing else.
"""

from collections.abc import Sequence
from itertools import zip_longest

from msgspec import Struct

from evallang.diagnostics import Diagnostic, sorted_by_place
from evallang.source import SourceFile, Span
from evallang.syntax import preflight
from evallang.syntax.assembly import Assembly, ParsedLine
from evallang.syntax.logical_lines import lay_out
from evallang.syntax.nodes import CommentNode, StatementNode, StudyNode
from evallang.syntax.preflight import read_version
from evallang.syntax.repair import ParseLine, read_line

__all__ = ["ParsedFile", "parse", "parse_lines", "read_version"]


class ParsedFile(Struct, frozen=True):
    """Everything the parser knows of a file; `lines` are what the formatter goes by.

    A file of another format, of no text or of a newer language is `refused`, not parsed.
    """

    study: StudyNode
    lines: tuple[ParsedLine, ...]
    diagnostics: tuple[Diagnostic, ...]
    refused: bool = False


def parse(source: SourceFile) -> tuple[StudyNode, tuple[Diagnostic, ...]]:
    """Parse a file; never raises for any text.

    Statements and clauses that cannot be read are not in the tree. All mistakes
    are reported, sorted by place; a file of another format or of a newer language gets
    one diagnostic and an empty tree.
    """
    parsed = parse_lines(source)
    return parsed.study, parsed.diagnostics


def parse_lines(source: SourceFile, parse_line: ParseLine = read_line) -> ParsedFile:
    """Parse a file and keep what became of each of its lines."""
    refused = preflight.refusal(source)
    if refused is not None:
        return ParsedFile(_study(source, (), ()), (), (refused,), refused=True)
    layout = lay_out(source)
    assembly = Assembly(source.path, parse_line)
    for line, after in zip_longest(layout.lines, layout.lines[1:]):
        assembly.read(line, closes_statement=after is None or after.at_margin)
    found = assembly.diagnostics
    objection = read_version(source)[1]
    if objection is not None and objection.span is not None:
        first = source.whole_line(objection.span.start)
        found = [d for d in found if d.span and not first.start <= d.span.start <= first.end]
        found.append(objection)
    damage = preflight.not_text(source)
    if damage is not None:
        found.append(damage)
    if layout.tabs:
        found.append(preflight.tabs(source, layout.tabs))
    if not assembly.has_version:
        found.append(preflight.missing_version(source))
    study = _study(source, assembly.statements(), layout.comments)
    return ParsedFile(study, tuple(assembly.lines), sorted_by_place(found))


def _study(
    source: SourceFile, statements: Sequence[StatementNode], comments: Sequence[CommentNode]
) -> StudyNode:
    span = Span(source.path, 0, len(source.text))
    return StudyNode(tuple(statements), tuple(comments), span=span)
