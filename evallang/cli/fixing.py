"""Applying the safe fixes of diagnostics to a file until no fix remains."""

from bisect import bisect_left, insort
from collections.abc import Sequence
from pathlib import Path

from evallang.diagnostics import Diagnostic, Fix
from evallang.source import Span

ROUNDS = 20  # a fix may uncover another finding; more rounds than this would never end


def apply_fixes(path: Path) -> list[str]:
    """Apply every safe fix of a study file; return the titles of the applied fixes."""
    from evallang.api.study_file import open_study

    applied: list[str] = []
    for _ in range(ROUNDS):
        study = open_study(path)
        fixes = _chosen(study.diagnostics, study.path)
        if not fixes:
            break
        edits = [edit for fix in fixes for edit in fix.edits]
        text = study.text
        for edit in sorted(edits, key=lambda e: e.span.start, reverse=True):
            text = text[: edit.span.start] + edit.text + text[edit.span.end :]
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
        applied += [fix.title for fix in fixes]
    return applied


def _overlaps(span: Span, taken: Sequence[tuple[int, int]]) -> bool:
    """Return whether a span overlaps one of the sorted ranges."""
    before = bisect_left(taken, (span.end, -1))
    return before > 0 and taken[before - 1][1] > span.start


def _chosen(diagnostics: tuple[Diagnostic, ...], path: str) -> list[Fix]:
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
