"""Which findings are reported: those that no other finding causes, one error for each clause.

A finding that rests on a faulty one would be gone once that is fixed. `Errors.cause` tells what
causes what, and where; one pass drops every finding that has a cause. The first error of a
clause carries the others as related places, so that an author who fixes a line has seen
everything that is wrong with it.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from evallang.checking.include import Gathered
from evallang.diagnostics import (
    Diagnostic,
    Edit,
    Fix,
    Phase,
    Related,
    Severity,
    codes,
    sorted_by_place,
)
from evallang.source import Span

NAMED = frozenset({Phase.REFERENCES, Phase.WORDS, Phase.CLAUSES})
"""What is written can be read, and a word of it is wrong."""
REFUSED = frozenset({Phase.SENSE, Phase.LATER})
ON_DESIGN = frozenset({Phase.ADVICE, Phase.MEANING})
"""Advice about a study that says what its author means; what the data hold is true anyway."""
OF_READ_CLAUSES = frozenset({Phase.CLAUSES, Phase.USE, Phase.SENSE, Phase.ADVICE, Phase.LATER})
FAULTS = frozenset(Phase) - {Phase.WAIVERS, Phase.LATER}
"""What leaves open what an author means.

A faulty waiver is in a comment, and what a later version runs is well written.
"""
LEAVES = frozenset({"analyze", "compare", "export", "report", "require", "use"})
"""Statements that define nothing for others."""
MISSING = frozenset({codes.missing_statement.code, codes.missing_clause.code})
"""What is missing; what is present and wrong is reported before it."""

BEGINS = re.compile(r"[^\s#\])}]")

Place = tuple[str, int]


class Places:
    """Where the clauses and statements of the files begin, as far as can be told of faulty ones."""

    def __init__(self, gathered: Gathered) -> None:
        self._sources = gathered.sources
        self._lines = {path: parsed.lines for path, parsed in gathered.parsed.items()}
        self._starts = {path: [line.start for line in ls] for path, ls in self._lines.items()}
        self._first: dict[str, list[int]] = {}

    def clause(self, span: Span) -> Place:
        """Return the clause of a place, or its line where it is in none.

        The first line of a statement is a clause too.
        """
        path, at = span.path, span.start
        i = bisect_right(self._starts.get(path, []), at) - 1
        if i >= 0 and at <= self._lines[path][i].end:
            return path, self._lines[path][i].start
        return path, self._sources[path].whole_line(at).start

    def statement(self, span: Span) -> Place:
        """Return the file and the line, from 1, at which the statement of a place begins."""
        source = self._sources[span.path]
        if span.path not in self._first:
            begins = [1]
            for line in range(1, len(source.line_starts) + 1):
                begin = BEGINS.match(source.text, source.line_starts[line - 1])
                begins.append(begins[-1] if begin is None else line)
            self._first[span.path] = begins
        return span.path, self._first[span.path][source.position(span.start).line]

    def keyword(self, span: Span) -> str:
        """Return the word with which the statement of a place begins."""
        path, line = self.statement(span)
        return self._sources[path].line(line).partition(" ")[0]


class Errors:
    """The errors among some findings, by what they are about and where.

    Attributes
    ----------
    faulty : whether anything leaves open what the author means
    by_clause, by_span : what the errors of each clause, and at each place, are about
    unreadable : the clauses whose text has an error without a sure fix
    statements : the statements that leave open what the author means
    unclear : the keywords of statements whose definitions are not known
    """

    def __init__(self, found: Iterable[Diagnostic], gathered: Gathered, places: Places) -> None:
        self.gathered = gathered
        self.places = places
        self.with_place: list[tuple[Diagnostic, Span]] = []
        self.by_clause: dict[Place, set[Phase]] = {}
        self.by_span: dict[Span | None, set[Phase]] = {}
        self.unreadable: set[Place] = set()
        self.statements: set[Place] = set()
        self.unclear: set[str] = set()
        errors = [item for item in found if item.is_error]
        self.faulty = any(item.phase in FAULTS for item in errors)
        for item in errors:
            self.by_span.setdefault(item.span, set()).add(item.phase)
            if item.span is None:
                continue
            self.with_place.append((item, item.span))
            clause = places.clause(item.span)
            self.by_clause.setdefault(clause, set()).add(item.phase)
            if item.phase is Phase.TEXT and not any(fix.safe for fix in item.fixes):
                self.unreadable.add(clause)
            if item.phase in FAULTS:
                self.statements.add(places.statement(item.span))
            if item.phase in NAMED | {Phase.TEXT}:
                self.unclear.add(places.keyword(item.span))

    def cause(self, item: Diagnostic) -> bool:
        """Return whether a finding would be gone once an error elsewhere is fixed."""
        phase, span = item.phase, item.span
        if phase is Phase.SPLITS:  # another error at the same place is the reason
            return bool(self.by_span.get(span, set()) - {Phase.SPLITS})
        if span is None:
            return False
        clause = self.places.clause(span)
        about = self.by_clause.get(clause, set())
        if phase in OF_READ_CLAUSES and Phase.TEXT in about:
            return True  # the clause could not be read as it is written
        if phase in NAMED | {Phase.WAIVERS} and clause in self.unreadable:
            return True  # nobody knows what the clause should have been
        if phase is Phase.REFERENCES:  # a line that could not be read may declare the name
            source = self.gathered.sources[item.path]
            name = source.text[span.start : span.end].strip('"')
            if name in self.gathered.unread_names:
                return True
            sure = any(fix.safe for fix in item.fixes)
            return self.gathered.lacks_files and name.isidentifier() and not sure
        if phase is Phase.SENSE:  # a word of this part of the clause is wrong
            named = (place for other, place in self.with_place if other.phase in NAMED)
            return any(_overlap(span, place) for place in named)
        if phase is Phase.ADVICE and about & (NAMED | REFUSED):
            return True
        if phase not in ON_DESIGN or not self.faulty:
            return False
        # what advice rests on may be faulty; hints wait until nothing is
        if item.severity is Severity.HINT or self.places.statement(span) in self.statements:
            return True
        of_header = {"require"} if self.places.keyword(span) == "study" else set()  # by `looks`
        return not self.unclear <= LEAVES - of_header


def report(found: Iterable[Diagnostic], gathered: Gathered) -> tuple[Diagnostic, ...]:
    """Drop the findings that others cause, gather the errors of each clause, sort by place.

    Of each part of a clause one error of sense is reported: of `measure mae, ndcg` both metrics
    can be wrong, and a whole `compare` line is one part. A hint about the design is reported
    once for a file.
    """
    every, places = list(found), Places(gathered)
    errors = Errors(every, gathered, places)
    judged: dict[Place, list[Span]] = {}
    kept: dict[tuple[object, ...], Diagnostic] = {}
    for item in every:
        if errors.cause(item):
            continue
        if item.phase is Phase.SENSE and item.span is not None:
            before = judged.setdefault(places.clause(item.span), [])
            if any(_overlap(item.span, span) for span in before):
                continue
            before.append(item.span)
        kept.setdefault((item.code, item.path, item.span, item.message), item)
    groups: list[list[Diagnostic]] = []
    of_clause: dict[Place, list[Diagnostic]] = {}
    hinted: set[tuple[str, str]] = set()
    for item in sorted_by_place(kept.values()):
        hint = item.severity is Severity.HINT and item.phase is Phase.ADVICE
        if hint and item.allowed_because is None:
            if (item.code, item.path) in hinted:
                continue  # the first place tells the author
            hinted.add((item.code, item.path))
        place = None
        if item.is_error and item.phase is not Phase.WAIVERS and item.span is not None:
            place = places.clause(item.span)
        if place is not None and place in of_clause:
            of_clause[place].append(item)
            continue
        groups.append([item])
        if place is not None:
            of_clause[place] = groups[-1]
    return sorted_by_place(map(_as_one, groups))


def _overlap(one: Span, other: Span) -> bool:
    return one.path == other.path and one.start < other.end and other.start < one.end


def _as_one(errors: Sequence[Diagnostic]) -> Diagnostic:
    """Attach the other errors of a clause, and all sure fixes, to its first error."""
    first, *others = sorted(errors, key=lambda item: item.code in MISSING)
    if not others:
        return first
    related = list(first.related)
    for other in others:
        assert other.span is not None
        told = other.message if other.help is None else f"{other.message}; {other.help}"
        related += (Related(other.span, told, other.code), *other.related)
    sure = [next((fix for fix in item.fixes if fix.safe), None) for item in (first, *others)]
    rest = tuple(fix for fix in first.fixes if fix is not sure[0])
    return replace(first, related=tuple(related), fixes=(*_joined(filter(None, sure)), *rest))


def _joined(fixes: Iterable[Fix]) -> tuple[Fix, ...]:
    """Make one fix of several; those that overlap an earlier one are left for the next check."""
    titles: list[str] = []
    edits: list[Edit] = []
    end = 0
    for fix in fixes:
        if all(edit.span.start >= end for edit in fix.edits):
            titles += [fix.title] * (fix.title not in titles)
            edits += fix.edits
            end = max(edit.span.end for edit in fix.edits)
    return (Fix("; ".join(titles), tuple(edits)),) if edits else ()
