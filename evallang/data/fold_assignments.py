"""`split from "folds.csv"`: the author's own assignment of rows, out of a file."""

from pathlib import Path

from msgspec.structs import replace

from evallang.data.codes import ASSIGNMENT_MISMATCH
from evallang.data.column_roles import complete_texts
from evallang.data.dataset import Table
from evallang.data.file_formats import read_file
from evallang.data.findings import Findings, counted, listed, quoted
from evallang.data.frame import Frame
from evallang.diagnostics import Diagnostic
from evallang.source import Span


def assign_folds(
    table: Table, location: str, folder: Path, span: Span | None
) -> tuple[Table, tuple[Diagnostic, ...]]:
    """Return a table with the split that a file states, one for each repeat.

    The file has a column `fold`, and maybe `repeat`. Its rows are matched by the data's
    `id` column where both have it, else by order with equal length (that of the rows kept).
    """
    places = {} if span is None else {"split": span}
    findings = Findings({**table.spec.places, **places})
    named = frozenset({"fold", "repeat"} | ({table.spec.id} if table.spec.id else set()))
    frame = read_file(location, folder, findings, named=named, span=span)
    if frame is None:
        return table, findings.diagnostics
    frame = frame.mark_missing(table.spec.missing)
    if "fold" not in frame.columns:
        findings.add(
            ASSIGNMENT_MISMATCH,
            f"`{frame.source}` has no column `fold`",
            "split",
            span=span,
            help=f"call its column of folds `fold`; its columns are {quoted(frame.columns, 12)}",
        )
        return table, findings.diagnostics
    folds = complete_texts(frame, "fold", "split", findings, filtered=False)
    repeats = (
        complete_texts(frame, "repeat", "split", findings, filtered=False)
        if "repeat" in frame.columns
        else ("0",) * frame.n
    )
    if folds is None or repeats is None:
        return table, findings.diagnostics
    by_id = table.ids is not None and table.spec.id in frame.columns
    made: list[tuple[str, ...]] = []
    for repeat in _sorted_values(repeats):
        rows = [row for row, value in enumerate(repeats) if value == repeat]
        if by_id:
            found = _match_ids(table, frame, folds, rows, findings, span)
        else:
            within = f" in repeat {repeat}" if len(set(repeats)) > 1 else ""
            found = _match_rows(table, folds, rows, findings, span, location, within)
        if found is None:
            return table, findings.diagnostics
        made.append(found)
    return (
        replace(table, split=made[0], further_splits=tuple(made[1:])),
        findings.diagnostics,
    )


def _sorted_values(values: tuple[str, ...]) -> list[str]:
    distinct = list(dict.fromkeys(values))
    if all(value.isdigit() for value in distinct):
        return sorted(distinct, key=int)
    return distinct


def _match_ids(
    table: Table,
    frame: Frame,
    folds: tuple[str, ...],
    rows: list[int],
    findings: Findings,
    span: Span | None,
) -> tuple[str, ...] | None:
    ids = complete_texts(frame, table.spec.id, "split", findings, filtered=False)
    if ids is None or table.ids is None:
        return None
    assigned: dict[str, str] = {}
    for row in rows:
        if assigned.setdefault(ids[row], folds[row]) != folds[row]:
            findings.add(
                ASSIGNMENT_MISMATCH,
                f"`{frame.source}` assigns `{ids[row]}` twice, the second time in "
                f"{frame.place(row)}",
                "split",
                span=span,
                help="keep one line for each row of the data",
            )
            return None
    missing = [name for name in table.ids if name not in assigned]
    if missing:
        findings.add(
            ASSIGNMENT_MISMATCH,
            f"`{frame.source}` assigns no fold to {counted(len(missing), 'row')} of the data: "
            f"{listed(missing, 5)}",
            "split",
            span=span,
            help="write a line with a fold for each row of the data",
        )
        return None
    return tuple(assigned[name] for name in table.ids)


def _match_rows(
    table: Table,
    folds: tuple[str, ...],
    rows: list[int],
    findings: Findings,
    span: Span | None,
    location: str,
    within: str,
) -> tuple[str, ...] | None:
    if len(rows) != table.n:
        kept = " that `where` keeps" if table.spec.where else ""
        findings.add(
            ASSIGNMENT_MISMATCH,
            f"`{location}` assigns {counted(len(rows), 'row')}{within}, and the data have "
            f"{table.n:,}{kept}",
            "split",
            span=span,
            help="write an `id` column in data and file, or one line for each row of the data",
        )
        return None
    return tuple(folds[row] for row in rows)
