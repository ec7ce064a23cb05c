"""Advice that comes too early: held back until what it is about is mended.

Advice is about a study that says what its author means. Where a statement is faulty, nothing
is advised on it, nor on a statement that rests on what it defines. (`said_once` looks at
single clauses.)
"""

import re
from collections.abc import Iterable, Mapping

from evallang.diagnostics import Diagnostic, Severity
from evallang.source import SourceFile, Span

SOURCES = frozenset({"include", "let", "data", "predictions", "scores", "counts"})
DEFINITIONS = SOURCES | {"study", "group", "model", "protocol", "measure"}
RESTS_ON: Mapping[str, frozenset[str]] = {
    "study": frozenset({"study", "include"}),
    "data": SOURCES,
    "predictions": SOURCES,
    "scores": SOURCES,
    "counts": SOURCES,
    "stratify": frozenset({"include", "protocol"}),
    "model": frozenset({"include", "let", "model"}),
    "protocol": frozenset({"include", "protocol"}),
    "tune": frozenset({"include", "let", "model", "protocol"}),
    "measure": SOURCES | {"group", "protocol", "measure"},
    "compare": DEFINITIONS,
    "require": DEFINITIONS,
}
"""The statements on whose definitions advice about a statement rests."""
KEYWORDS = frozenset({*RESTS_ON, *DEFINITIONS, "evallang", "analyze", "export", "report", "use"})
BEGINS = re.compile(r"[^\s#\])}]")
WAIVERS_OWN = "E16"  # a faulty waiver says nothing about its line
ADVICE = ("W3", "W43")  # what data hold is true whatever else is wrong; what it means may not be
NOT_YET = "E9"  # what a later version runs is well said


def without_early_advice(
    found: Iterable[Diagnostic], sources: Mapping[str, SourceFile]
) -> list[Diagnostic]:
    """Leave out advice about what is faulty, or rests on it; hints wait until nothing is."""
    kept = list(found)
    errors = [
        item
        for item in kept
        if item.severity is Severity.ERROR and not item.code.startswith((WAIVERS_OWN, NOT_YET))
    ]
    if not errors:
        return kept
    places = _Statements(sources)
    faulty = {places.of(item.span) for item in errors if item.span is not None}
    unclear = {
        places.keyword(item.span)
        for item in errors
        if item.span is not None and item.code.startswith(("E0", "E1"))
    }

    def follows(item: Diagnostic) -> bool:
        if not item.code.startswith(ADVICE) or item.span is None:
            return False
        if item.severity is Severity.HINT or places.of(item.span) in faulty:
            return True
        rests_on = RESTS_ON.get(places.keyword(item.span), frozenset())
        return any(word in rests_on or word not in KEYWORDS for word in unclear)

    return [item for item in kept if not follows(item)]


class _Statements:
    """Where the statements of some files begin, as far as can be told of faulty ones."""

    def __init__(self, sources: Mapping[str, SourceFile]) -> None:
        self._sources = sources
        self._first: dict[str, list[int]] = {}

    def of(self, span: Span) -> tuple[str, int]:
        """Give the file and the line, from 1, at which the statement of a place begins."""
        source = self._sources[span.path]
        if span.path not in self._first:
            begins = [1]
            for line in range(1, len(source.line_starts) + 1):
                begin = BEGINS.match(source.text, source.line_starts[line - 1])
                begins.append(begins[-1] if begin is None else line)
            self._first[span.path] = begins
        return span.path, self._first[span.path][source.position(span.start).line]

    def keyword(self, span: Span) -> str:
        """Give the word with which the statement of a place begins."""
        path, line = self.of(span)
        return self._sources[path].line(line).partition(" ")[0]
