"""From a path to a frame, whatever the format."""

import io
from collections.abc import Sequence
from pathlib import Path

import polars as pl
from msgspec.structs import replace

from evallang.data.arff import read_arff
from evallang.data.codes import DUPLICATE_COLUMN, EMPTY_FILE, UNREADABLE_FILE
from evallang.data.column_types import plain_types
from evallang.data.delimited import Needed, read_delimited
from evallang.data.excel import read_excel
from evallang.data.files import (
    check_size,
    ending,
    has_known_ending,
    note_outside,
    open_file,
    read_bytes,
)
from evallang.data.findings import RENAME, Findings, quoted, repeated
from evallang.data.frame import Frame, frame_of
from evallang.data.json_lines import read_json_lines
from evallang.data.remote import is_remote
from evallang.data.remote_parquet import Damaged, fetch_columns, is_fetched
from evallang.limits import CELL, COLUMNS, MEMORY, OverLimit
from evallang.source import Span

PANDAS_INDEX = "__index_level_"  # what to_parquet calls an index without a name


def read_file(
    location: str,
    folder: Path,
    findings: Findings,
    *,
    named: frozenset[str] = frozenset(),
    spelled: frozenset[str] | None = None,
    needed: Needed | None = None,
    used: Needed | None = None,
    span: Span | None = None,
) -> Frame | None:
    """Read a .csv, .tsv, .jsonl, .arff (also .gz), .parquet or .xlsx file; None after a finding.

    `named` are the columns that the study names; they help to distinguish a header from data.
    `spelled` are those that are read as text somewhere, so that 1.10 and 1.1 differ (None: any).
    `needed` returns those that the study looks at (None: all): where its client can, a store sends
    no others. `used` are those whose unclear numbers are reported (None: as `needed`).
    """
    kind = ending(location) or ""
    if kind == ".parquet" and is_remote(location) and is_fetched(location):
        return _fetch_parquet(location, needed, findings, span)
    path = open_file(location, folder, findings, span=span)
    if path is None:
        return None
    if kind == ".parquet":
        cells = parquet_cells(path, location, findings, span)
        if cells is None or _repeats_a_column(cells.columns, location, findings, span):
            return None
        return _frame_of_parquet(cells, location, findings, span)
    if kind == ".xlsx":
        return read_excel(path, location, findings, named=named, span=span)
    content = read_bytes(path, location, findings, span=span)
    if content is None:
        return None
    if kind.startswith(".jsonl"):
        return read_json_lines(content, location, findings, named=named, span=span)
    if kind.startswith(".arff"):
        return read_arff(content, location, findings, span=span)
    return read_delimited(
        content,
        location,
        findings,
        named=named,
        spelled=spelled,
        needed=used or needed,
        span=span,
    )


def parquet_cells(
    content: Path | bytes, location: str, findings: Findings, span: Span | None
) -> "pl.DataFrame | None":
    """Read a Parquet file as it is, within the limits; None after a finding."""
    try:
        table = pl.scan_parquet(content if isinstance(content, Path) else io.BytesIO(content))
        schema = table.collect_schema()
        rows = table.select(pl.len()).collect().item()
        check_size(location, rows, len(schema), sum(map(_width, schema.dtypes())))
        cells = table.collect(engine="streaming")
        _check_text(cells, location)
    except OverLimit as error:
        findings.over_limit(error, span=span)
        return None
    except (pl.exceptions.PolarsError, OSError, pl.exceptions.PanicException) as error:
        reason = str(error).strip().split("\n")[0]
        findings.add(
            UNREADABLE_FILE,
            f"`{location}` cannot be read as Parquet: {reason}",
            span=span,
            help="write the table again, as Parquet or CSV",
        )
        return None
    return cells


def _repeats_a_column(
    columns: Sequence[str], location: str, findings: Findings, span: Span | None
) -> bool:
    """Report columns whose names differ in spaces at their ends alone."""
    twice = repeated([name.strip() for name in columns])
    if twice:
        findings.add(
            DUPLICATE_COLUMN,
            f"`{location}` has more than one column {quoted(twice)}",
            span=span,
            help=RENAME,
        )
    return bool(twice)


def _frame_of_parquet(
    cells: "pl.DataFrame",
    location: str,
    findings: Findings,
    span: Span | None,
    unread: Sequence[str] = (),
) -> Frame | None:
    """Return the cells of a Parquet file with the types of tables; None after a finding."""
    if cells.height == 0 or cells.width == 0:
        findings.add(EMPTY_FILE, f"`{location}` contains no rows", span=span)
        return None
    cells.columns = names = [name.strip() for name in cells.columns]
    index = [name for name in names if name.startswith(PANDAS_INDEX) and len(names) > 1]
    cells = plain_types(cells.drop(index))
    notes = [f"{location}: {name} is an index of pandas: skipped" for name in index]
    if unread:
        left = "a column that" if len(unread) == 1 else f"{len(unread):,} columns that"
        verb = "was" if len(unread) == 1 else "were"
        notes.append(f"{location}: {left} the study does not use {verb} not fetched")
    found = frame_of(location, cells, untyped=False, notes=tuple(notes))
    return replace(found, unread=tuple(unread))


def _fetch_parquet(
    location: str, needed: Needed | None, findings: Findings, span: Span | None
) -> Frame | None:
    """Fetch the columns of a Parquet object that a study needs; None after a finding."""
    if not has_known_ending(location, findings, span):
        return None
    unread: list[str] = []
    every: list[str] = []

    def choose(schema: "pl.Schema", rows: int) -> list[str]:
        names = {name.strip(): name for name in schema.names()}
        every[:] = schema.names()
        wanted = names if needed is None else needed(list(names))
        chosen = [names[name] for name in names if name in wanted]
        unread[:] = [name for name in names if name not in wanted]
        COLUMNS.check(f"`{location}`", len(schema))
        check_size(location, rows, len(chosen), sum(_width(schema[name]) for name in chosen))
        return chosen

    try:
        cells = fetch_columns(location, choose, findings, span)
        if isinstance(cells, pl.DataFrame):
            _check_text(cells, location)
    except OverLimit as error:
        findings.over_limit(error, span=span)
        return None
    if isinstance(cells, Damaged):
        findings.add(
            UNREADABLE_FILE,
            f"`{location}` cannot be read as Parquet ({cells.kind})",
            span=span,
            help="write the table again, as Parquet or CSV",
        )
        return None
    if cells is None or _repeats_a_column(every, location, findings, span):
        return None
    note_outside(location)
    return _frame_of_parquet(cells, location, findings, span, unread)


def _width(dtype: "pl.DataType") -> float:
    """Return how many bytes a value takes at least."""
    if dtype.is_numeric() or dtype.is_temporal():
        narrow = {pl.Int8: 1, pl.UInt8: 1, pl.Int16: 2, pl.UInt16: 2}
        middle = {pl.Int32: 4, pl.UInt32: 4, pl.Float32: 4, pl.Date: 4}
        return (narrow | middle).get(dtype.base_type(), 8)
    return 1 / 8 if dtype == pl.Boolean else 16


def _check_text(cells: "pl.DataFrame", location: str) -> None:
    """Raise `OverLimit` for texts that a dictionary holds once and a reader would hold often."""
    lengths = cells.select(pl.col(pl.String).str.len_bytes().cast(pl.Int64))
    if lengths.width:
        CELL.check(f"a text of `{location}`", max(map(_whole, lengths.max().row(0))))
        MEMORY.check(f"the texts of `{location}`", sum(map(_whole, lengths.sum().row(0))))


def _whole(number: int | None) -> int:
    return number or 0  # None where every text is missing
