"""What the tests of this room share: reading text, applying fixes, walking trees."""

from collections.abc import Iterator
from pathlib import Path

from evallang.diagnostics import Diagnostic, Severity
from evallang.source import SourceFile
from evallang.syntax import nodes as n
from evallang.syntax.formatter import format_source
from evallang.syntax.parser import parse

TESTS = Path(__file__).resolve().parents[1]
SAMPLES = sorted((TESTS / "samples").rglob("*.eval"))


def source_of(text: str) -> SourceFile:
    return SourceFile("study.eval", text)


def read(text: str) -> n.StudyNode:
    """Parse text that has no errors."""
    study, found = parse(source_of(text))
    assert not [d for d in found if d.severity is Severity.ERROR], found
    return study


def statement(text: str) -> n.StatementNode:
    """Parse one statement, with its clauses, that has no errors."""
    (only,) = read(text).statements
    return only


def errors(text: str) -> list[Diagnostic]:
    return [d for d in parse(source_of(text))[1] if d.severity is Severity.ERROR]


def codes_of(text: str) -> list[str]:
    return [d.code for d in errors(text)]


def formatted(text: str) -> str:
    return format_source(source_of(text))


def fixed(text: str) -> str:
    """Apply all safe fixes, the last place first; of overlapping ones the first counts."""
    edits = {
        (edit.span.start, edit.span.end, edit.text)
        for d in parse(source_of(text))[1]
        for fix in d.fixes
        if fix.safe
        for edit in fix.edits
    }
    end = len(text) + 1
    for start, stop, new in sorted(edits, reverse=True):
        if stop <= end:
            text, end = text[:start] + new + text[stop:], start
    return text


def walk(node: n.Node) -> Iterator[n.Node]:
    """Give a node and all below it."""
    yield node
    for child in children(node):
        yield from walk(child)


def children(node: n.Node) -> Iterator[n.Node]:
    for name in node.__struct_fields__:
        value = getattr(node, name)
        for child in value if isinstance(value, tuple) else (value,):
            if isinstance(child, n.Node):
                yield child
