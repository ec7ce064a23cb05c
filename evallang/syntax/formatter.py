"""Text in, the same text in its one canonical form out.

Comments, the order of statements and clauses, and the spelling of literals stay. A line
that does not parse is left as it is, but for blanks at its end.
"""

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from evallang.source import SourceFile
from evallang.syntax.assembly import ParsedLine
from evallang.syntax.nodes import CommentNode, Node
from evallang.syntax.parser import ParsedFile, parse_lines
from evallang.syntax.pretty import flat, lay, place
from evallang.syntax.writing import written


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
    return flat(written(node))


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
    doc = written(node)
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
