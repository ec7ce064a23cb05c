"""What an editor shows about a word: the page of `explain` in Markdown."""

from evallang.manual.explanations import Explanation, Part
from evallang.manual.glossary import explain
from evallang.source import SourceFile, Span
from evallang.syntax.nodes import ProtocolNode


def page(asked: str) -> str:
    """Return what `explain` says of a word, in Markdown; empty where nothing has that name."""
    return "\n\n---\n\n".join(_page(found) for found in explain(asked))


def protocol_page(node: ProtocolNode, offset: int) -> str:
    """Return the page of a protocol where one of its words is at a place: `nested cv`."""
    words = node.words
    if not any(word.span.start <= offset <= word.span.end for word in words):
        return ""
    return page(" ".join(word.name for word in words))


def declaration(source: SourceFile, span: Span) -> str:
    """Return the line that declares a name, in Markdown, with its file."""
    line = source.whole_line(span.start)
    number = source.position(span.start).line
    text = source.text[line.start : line.end].strip()
    return f"```eval\n{text}\n```\n\n{source.path}, line {number}"


def _page(found: Explanation) -> str:
    head = f"**{found.word}** ({found.kind})"
    head += f": {found.title}" if found.title else ""
    return "\n\n".join([head, *(_part(part) for part in found.parts)])


def _part(part: Part) -> str:
    heading = f"*{part.heading}*" if part.heading else ""
    if part.text:
        return f"{heading}: {part.text}" if heading else part.text
    if part.language:
        lines = "\n".join(part.lines)
        return f"{heading}\n\n```{part.language}\n{lines}\n```"
    return "\n".join([f"{heading}\n", *(f"- {line}" for line in part.lines)])
