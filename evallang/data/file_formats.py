"""From a path to a frame, whatever the format."""

import io
from functools import partial
from pathlib import Path

import polars as pl
from msgspec.structs import replace

from evallang.data.arff import read_arff
from evallang.data.column_types import plain_types
from evallang.data.delimited import read_delimited
from evallang.data.excel import read_excel
from evallang.data.files import check_size, ending, note_outside, open_file, read_bytes
from evallang.data.findings import Refused
from evallang.data.frame import Frame, frame_of
from evallang.data.json_lines import read_json_lines
from evallang.data.path_patterns import sheet_of
from evallang.data.reading import may_exhaust, read_apart
from evallang.data.remote import is_remote, network_allowed
from evallang.data.remote_parquet import fetched, is_fetched
from evallang.data.text_tables import Needed, check_names
from evallang.diagnostics import codes
from evallang.limits import CELL, COLUMNS, MEMORY

PANDAS_INDEX = "__index_level_"  # what to_parquet calls an index without a name
BROKEN = (pl.exceptions.PolarsError, pl.exceptions.PanicException)


def read_file(
    location: str,
    folder: Path,
    *,
    named: frozenset[str] = frozenset(),
    spelled: frozenset[str] | None = None,
    needed: Needed | None = None,
    used: Needed | None = None,
) -> Frame:
    """Read a .csv, .tsv, .jsonl, .arff (also .gz), .parquet or .xlsx file.

    `named` are the columns that the study names; they help to distinguish a header from data.
    `spelled` are those that are read as text somewhere, so that 1.10 and 1.1 differ (None: any).
    `needed` returns those that the study looks at (None: all): where its client can, a store sends
    no others. `used` are those whose unclear numbers are reported (None: as `needed`). Raises
    `Refused` and `OverLimit`.
    """
    read = partial(_read_file, location, folder.absolute(), named, spelled, needed, used)
    remote = is_remote(location) and network_allowed()
    path = folder / sheet_of(location)[0]
    if remote or may_exhaust(path, ending(location) or ""):
        return read_apart(f"`{location}`", read, alone=not remote)
    return read()


def _read_file(
    location: str,
    folder: Path,
    named: frozenset[str],
    spelled: frozenset[str] | None,
    needed: Needed | None,
    used: Needed | None,
) -> Frame:
    kind = ending(location) or ""
    if kind == ".parquet" and is_remote(location) and is_fetched(location):
        try:
            cells, unread = fetched(location, partial(_columns, location=location, needed=needed))
        except BROKEN as error:
            raise _not_parquet(location, f" ({type(error).__name__})") from error
        note_outside(location)
        return _frame_of_parquet(cells, location, unread)
    path = open_file(location, folder)
    if kind == ".parquet":
        return _frame_of_parquet(parquet_cells(path, location), location, named=named)
    if kind == ".xlsx":
        return read_excel(path, location, named=named)
    content = read_bytes(path, location)
    if kind.startswith(".json"):
        return read_json_lines(content, location, named=named)
    if kind.startswith(".arff"):
        return read_arff(content, location)
    return read_delimited(content, location, named=named, spelled=spelled, needed=used or needed)


def parquet_cells(content: Path | bytes, location: str) -> "pl.DataFrame":
    """Read a Parquet file as it is, within the limits."""
    try:
        table = pl.scan_parquet(content if isinstance(content, Path) else io.BytesIO(content))
        return _columns(table, location)[0]
    except (*BROKEN, OSError) as error:
        raise _not_parquet(location, f": {str(error).strip().partition(chr(10))[0]}") from error


def _not_parquet(location: str, reason: str) -> Refused:
    message = f"`{location}` cannot be read as Parquet{reason}"
    return Refused(codes.unreadable_file, message, help="write the table again, as Parquet or CSV")


def _columns(
    table: "pl.LazyFrame", location: str, needed: Needed | None = None
) -> "tuple[pl.DataFrame, list[str]]":
    """Read the columns that are needed, within the limits; return them and the names of others."""
    schema = table.collect_schema()
    names = [name.strip() for name in schema.names()]
    check_names(location, names)
    COLUMNS.check(f"`{location}`", len(names))
    wanted = names if needed is None else needed(names)
    kept = {name: dtype for name, dtype in schema.items() if name.strip() in wanted}
    rows = table.select(pl.len()).collect().item()
    check_size(location, rows, len(kept), sum(map(_width, kept.values())))
    cells = table.select(list(kept)).collect(engine="streaming")
    lengths = cells.select(pl.col(pl.String).str.len_bytes().cast(pl.Int64))
    if lengths.width:  # a dictionary holds a text once, a reader often
        CELL.check(f"a text of `{location}`", max(n or 0 for n in lengths.max().row(0)))
        MEMORY.check(f"the texts of `{location}`", sum(n or 0 for n in lengths.sum().row(0)))
    return cells, [name for name in names if name not in wanted]


def _frame_of_parquet(
    cells: "pl.DataFrame",
    location: str,
    unread: "list[str] | tuple[()]" = (),
    named: frozenset[str] = frozenset(),
) -> Frame:
    """Return the cells of a Parquet file with the types of tables.

    Fields of structs become columns where `named` holds their dotted names.
    """
    if cells.height == 0 or cells.width == 0:
        raise Refused(codes.no_rows_in_file, f"`{location}` contains no rows")
    cells.columns = names = [name.strip() for name in cells.columns]
    index = [name for name in names if name.startswith(PANDAS_INDEX) and len(names) > 1]
    whole = pl.struct(pl.all())
    record = cells.select(whole.alias("")).to_series()
    inside = {name: _field(record, name) for name in sorted(named - {*names}) if "." in name}
    fields = [series.alias(name) for name, series in inside.items() if series is not None]
    cells = plain_types(cells.drop(index).with_columns(fields))
    notes = [f"{location}: {name} is an index of pandas: skipped" for name in index]
    if unread:
        left = "a column that" if len(unread) == 1 else f"{len(unread):,} columns that"
        verb = "was" if len(unread) == 1 else "were"
        notes.append(f"{location}: {left} the study does not use {verb} not fetched")
    nested = tuple(
        f"{name}.{one.name}"
        for name, dtype in cells.schema.items()
        if isinstance(dtype, pl.Struct)
        for one in dtype.fields
    )
    found = frame_of(location, cells, untyped=False, notes=tuple(notes), nested=nested)
    return replace(found, unread=tuple(unread))


def _field(series: "pl.Series", name: str) -> "pl.Series | None":
    """Return the value of a dotted name inside structs or lists, None where there is none."""
    ends = [place for place, letter in enumerate(name) if letter == "."] + [len(name)]
    for end in ends:
        head, rest = name[:end], name[end + 1 :]
        if isinstance(series.dtype, pl.Struct) and head in [f.name for f in series.dtype.fields]:
            inner = series.struct.field(head)
        elif isinstance(series.dtype, pl.List) and head.isdecimal():
            inner = series.list.get(int(head), null_on_oob=True)
        else:
            continue
        found = inner if not rest else _field(inner, rest)
        if found is not None:
            return found
    return None


def _width(dtype: "pl.DataType") -> float:
    """Return how many bytes a value takes at least."""
    if dtype.is_numeric() or dtype.is_temporal():
        narrow = {pl.Int8: 1, pl.UInt8: 1, pl.Int16: 2, pl.UInt16: 2}
        middle = {pl.Int32: 4, pl.UInt32: 4, pl.Float32: 4, pl.Date: 4}
        return (narrow | middle).get(dtype.base_type(), 8)
    return 1 / 8 if dtype == pl.Boolean else 16
