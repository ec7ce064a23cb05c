"""`split from "folds.csv"`: the author's own assignment of rows, out of a file."""

from pathlib import Path

from msgspec.structs import replace

from evallang.data.column_roles import complete_texts
from evallang.data.dataset import Table
from evallang.data.file_formats import read_file
from evallang.data.findings import Findings, Refused, counted, listed, quoted
from evallang.data.frame import Frame
from evallang.diagnostics import Diagnostic, codes
from evallang.source import Span


def assign_folds(
    table: Table, location: str, folder: Path, span: Span | None
) -> tuple[Table, tuple[Diagnostic, ...]]:
    """Return a table with the split that a file states, one for each repeat.

    The file has a column `fold`, and maybe `repeat`. Its rows are matched by the data's
    `id` column where both have it, else by order with equal length (that of the rows kept).
    """
    findings = Findings(table.spec.places, span)
    splits = findings.tried(_read_splits, table, location, folder)
    if splits is None:
        return table, findings.diagnostics
    return replace(table, split=splits[0], further_splits=splits[1:]), findings.diagnostics


def _read_splits(table: Table, location: str, folder: Path) -> tuple[tuple[str, ...], ...]:
    named = frozenset({"fold", "repeat"} | ({table.spec.id} if table.spec.id else set()))
    frame = read_file(location, folder, named=named).mark_missing(table.spec.missing)
    if "fold" not in frame.columns:
        raise Refused(
            codes.assignment_mismatch,
            f"`{frame.source}` has no column `fold`",
            help=f"call its column of folds `fold`; its columns are {quoted(frame.columns, 12)}",
        )
    folds = complete_texts(frame, "fold", "split", filtered=False) or ()
    several = "repeat" if "repeat" in frame.columns else None
    repeats = complete_texts(frame, several, "split", filtered=False) or ("0",) * frame.n
    by_id = table.ids is not None and table.spec.id in frame.columns
    made: list[tuple[str, ...]] = []
    order = list(dict.fromkeys(repeats))
    for repeat in sorted(order, key=int) if all(map(str.isdigit, order)) else order:
        rows = [row for row, value in enumerate(repeats) if value == repeat]
        if by_id:
            made.append(_match_ids(table, frame, folds, rows))
            continue
        if len(rows) != table.n:
            within = f" in repeat {repeat}" if len(set(repeats)) > 1 else ""
            kept = " that `where` keeps" if table.spec.where else ""
            raise Refused(
                codes.assignment_mismatch,
                f"`{location}` assigns {counted(len(rows), 'row')}{within}, and the data have "
                f"{table.n:,}{kept}",
                help="write an `id` column in data and file, or one line for each row of the data",
            )
        made.append(tuple(folds[row] for row in rows))
    return tuple(made)


def _match_ids(
    table: Table, frame: Frame, folds: tuple[str, ...], rows: list[int]
) -> tuple[str, ...]:
    ids = complete_texts(frame, table.spec.id, "split", filtered=False) or ()
    assigned: dict[str, str] = {}
    for row in rows:
        if assigned.setdefault(ids[row], folds[row]) != folds[row]:
            raise Refused(
                codes.assignment_mismatch,
                f"`{frame.source}` assigns `{ids[row]}` twice, the second time in "
                f"{frame.place(row)}",
                help="keep one line for each row of the data",
            )
    missing = [name for name in table.ids or () if name not in assigned]
    if missing:
        raise Refused(
            codes.assignment_mismatch,
            f"`{frame.source}` assigns no fold to {counted(len(missing), 'row')} of the data: "
            f"{listed(missing, 5)}",
            help="write a line with a fold for each row of the data",
        )
    return tuple(assigned[name] for name in table.ids or ())
