"""Which of the findings are said: no follow-ups, and of each clause one error.

The first error of a clause carries the others as related places, so that an author who
mends a line has seen everything that is wrong with it.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace

from evallang.checking import codes
from evallang.checking.include import Gathered
from evallang.diagnostics import Diagnostic, Edit, Fix, Related, Severity, in_order

FOLLOW_UPS = frozenset({codes.CLAUSE_TWICE.code, codes.CLAUSE_VALUE.code})
"""What a clause that stands or is written wrongly brings about."""

OF_WAIVERS = "E16"
"""A faulty waiver stands in a comment and says nothing about its clause."""

LACKING = frozenset({codes.MISSING_STATEMENT.code, codes.MISSING_CLAUSE.code})
"""What is not there; what is there and wrong is said before it."""

Place = tuple[str, int]


def as_said(found: Iterable[Diagnostic], gathered: Gathered) -> tuple[Diagnostic, ...]:
    """Sort findings by place, and gather the errors of each clause in the first of them."""
    place_of = _Clauses(gathered).of
    said: list[list[Diagnostic]] = []
    errors: dict[Place, list[Diagnostic]] = {}
    for item in in_order(found):
        place = place_of(item) if _is_of_clause(item) else None
        if place is not None and place in errors:
            errors[place].append(item)
            continue
        said.append([item])
        if place is not None:
            errors[place] = said[-1]
    return in_order(map(_as_one, said))


def without_follow_ups(found: Sequence[Diagnostic], gathered: Gathered) -> list[Diagnostic]:
    """Keep one of findings that say the same of the same place, and one of a clause's sense.

    Nothing is said about the sense of a clause that could not be read as written; of one
    that is past mending nothing else at all; and nothing is advised on one that is refused.
    """
    place_of = _Clauses(gathered).of
    of_text = [item for item in found if item.code.startswith("E0")]
    unread = {place_of(item) for item in of_text}
    lost = {place_of(item) for item in of_text if not any(fix.safe for fix in item.fixes)}
    wrong = {
        place_of(item)
        for item in found
        if item.code.startswith("E1") and not item.code.startswith(OF_WAIVERS)
    }
    senseless = {place_of(item) for item in found if item.code[:2] in ("E2", "E9")}
    judged: set[Place | None] = set()
    seen: dict[tuple[object, ...], Diagnostic] = {}
    for item in found:
        place, kind = place_of(item), item.code[:2]
        if place is not None:
            if kind == "W3" and place in wrong | senseless:
                continue
            of_sense = kind in ("E2", "W3", "W1", "E9") or item.code in FOLLOW_UPS
            if of_sense and place in unread:
                continue
            if kind == "E1" and place in lost:
                continue
            if kind == "E2" and (place in wrong or place in judged):
                continue
            judged |= {place} if kind == "E2" else set()
        seen.setdefault((item.code, item.path, item.span, item.message), item)
    return list(seen.values())


def _is_of_clause(item: Diagnostic) -> bool:
    return item.severity is Severity.ERROR and not item.code.startswith(OF_WAIVERS)


class _Clauses:
    """Where the clauses of the files begin and end; a statement's first line is one too."""

    def __init__(self, gathered: Gathered) -> None:
        self.lines = {path: parsed.lines for path, parsed in gathered.parsed.items()}
        self.starts = {path: [line.start for line in ls] for path, ls in self.lines.items()}
        self.sources = gathered.sources

    def of(self, item: Diagnostic) -> Place | None:
        """Give the place of a finding's clause, or of its line where it is in none."""
        if item.span is None:
            return None
        path, at = item.path, item.span.start
        i = bisect_right(self.starts.get(path, []), at) - 1
        if i >= 0 and at <= self.lines[path][i].end:
            return path, self.lines[path][i].start
        source = self.sources.get(path)
        return None if source is None else (path, source.whole_line(at).start)


def _as_one(errors: Sequence[Diagnostic]) -> Diagnostic:
    """Let a clause's first error tell of the others, and mend all that are sure."""
    first, *others = sorted(errors, key=lambda item: item.code in LACKING)
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
    """Make one fix of several; those that touch what another one changes wait for a next time."""
    titles: list[str] = []
    edits: list[Edit] = []
    end = 0
    for fix in fixes:
        if all(edit.span.start >= end for edit in fix.edits):
            titles += [fix.title] * (fix.title not in titles)
            edits += fix.edits
            end = max(edit.span.end for edit in fix.edits)
    return (Fix("; ".join(titles), tuple(edits)),) if edits else ()
