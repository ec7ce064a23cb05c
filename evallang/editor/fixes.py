"""Edits that findings propose, applied to a text."""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Sequence

from evallang.diagnostics import Diagnostic, Edit, Fix
from evallang.source import Span

ROUNDS = 20  # a fix may uncover another finding; more rounds than this would never end


def edited(text: str, edits: Iterable[Edit]) -> str:
    """Return a text with edits that do not overlap."""
    for edit in sorted(edits, key=lambda e: e.span.start, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


def apply_safe_fixes(
    text: str, path: str, check: Callable[[str], Iterable[Diagnostic]]
) -> tuple[str, list[str]]:
    """Apply every safe fix of a study; return its text then, and the titles of the fixes.

    `check` finds what is wrong with a text; edits of other files than `path` are skipped.
    """
    applied: list[str] = []
    for _ in range(ROUNDS):
        fixes = _chosen(check(text), path)
        if not fixes:
            break
        text = edited(text, (edit for fix in fixes for edit in fix.edits))
        applied += [fix.title for fix in fixes]
    return text, applied


def _overlaps(span: Span, taken: Sequence[tuple[int, int]]) -> bool:
    """Return whether a span overlaps one of the sorted ranges."""
    before = bisect_left(taken, (span.end, -1))
    return before > 0 and taken[before - 1][1] > span.start


def _chosen(diagnostics: Iterable[Diagnostic], path: str) -> list[Fix]:
    """Return the safe fixes of this file whose edits do not overlap."""
    chosen: list[Fix] = []
    taken: list[tuple[int, int]] = []  # sorted ranges of the edits, which do not overlap
    for diagnostic in diagnostics:
        for fix in diagnostic.fixes:
            if not fix.safe or any(edit.span.path != path for edit in fix.edits):
                continue
            if not any(_overlaps(edit.span, taken) for edit in fix.edits):
                chosen.append(fix)
                for edit in fix.edits:
                    insort(taken, (edit.span.start, edit.span.end))
                break
    return chosen
