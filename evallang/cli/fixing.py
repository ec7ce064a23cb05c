"""Applying the sure fixes of diagnostics to a file, until none is left."""

from pathlib import Path

from evallang.diagnostics import Diagnostic, Edit

ROUNDS = 20  # a fix may uncover another finding; more rounds than this never settle


def apply_fixes(path: Path) -> int:
    """Apply every safe fix of a study file; gives how many were applied."""
    from evallang.api.study import open_study

    applied = 0
    for _ in range(ROUNDS):
        study = open_study(path)
        edits = _chosen(study.diagnostics, study.path)
        if not edits:
            break
        text = study.text
        for edit in sorted(edits, key=lambda e: e.span.start, reverse=True):
            text = text[: edit.span.start] + edit.text + text[edit.span.end :]
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
        applied += len(edits)
    return applied


def _chosen(diagnostics: tuple[Diagnostic, ...], path: str) -> list[Edit]:
    """Take the edits of this file that do not overlap."""
    chosen: list[Edit] = []
    for diagnostic in diagnostics:
        for fix in diagnostic.fixes:
            if not fix.safe or any(edit.span.path != path for edit in fix.edits):
                continue
            overlaps = any(
                edit.span.start < other.span.end and other.span.start < edit.span.end
                for edit in fix.edits
                for other in chosen
            )
            if not overlaps:
                chosen += fix.edits
                break
    return chosen
