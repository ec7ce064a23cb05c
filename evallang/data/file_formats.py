"""From a path to a frame, whatever the format."""

import io
from collections.abc import Container, Mapping, Sequence
from pathlib import Path

import polars as pl
from msgspec.structs import replace

from evallang.data.arff import read_arff
from evallang.data.codes import DUPLICATE_COLUMN, EMPTY_FILE, UNREADABLE_FILE
from evallang.data.column_types import MOST_LEVELS, labels_in_one_piece, plain_types, trimmed
from evallang.data.delimited import Needed, read_delimited
from evallang.data.excel import read_excel
from evallang.data.file_content import FileContent
from evallang.data.files import (
    check_size,
    ending,
    has_known_ending,
    note_outside,
    open_file,
    read_content,
)
from evallang.data.findings import RENAME, Findings, quoted, repeated
from evallang.data.frame import Frame, frame_of
from evallang.data.json_lines import read_json_lines
from evallang.data.labels import label_text
from evallang.data.remote import is_remote
from evallang.data.remote_parquet import Damaged, fetch_columns, is_fetched
from evallang.limits import CELL, COLUMNS, MEMORY, OverLimit
from evallang.source import Span

FIRST_ROWS = 1 << 12  # of a long file, where floats that are labels show themselves
MOST_NUMBERS = 32  # floats that are labels
LONG = 1 << 20  # rows of a Parquet file whose labels are worth a reading of their own
PANDAS_INDEX = "__index_level_"  # what to_parquet calls an index without a name


def read_file(
    location: str,
    folder: Path,
    findings: Findings,
    *,
    named: frozenset[str] = frozenset(),
    spelled: frozenset[str] | None = None,
    short: Container[str] = (),
    coded: Container[str] = (),
    needed: Needed | None = None,
    used: Needed | None = None,
    span: Span | None = None,
) -> Frame | None:
    """Read a .csv, .tsv, .jsonl, .arff (also .gz), .parquet or .xlsx file; None after a finding.

    `named` are the columns that the study names; they help to distinguish a header from data.
    `spelled` are those that are read as text somewhere, so that 1.10 and 1.1 differ (None: any);
    `short` those whose whole numbers take as few bytes as they need, `coded` those whose texts may
    be categories in a long file. `needed` returns those that the study looks at (None: all): where
    its client can, a store sends no others. `used` are those whose unclear numbers are reported
    (None: as `needed`).
    """
    if ending(location) == ".parquet" and is_remote(location) and is_fetched(location):
        return _fetch_parquet(location, needed, findings, span)
    path = open_file(location, folder, findings, span=span)
    if path is None:
        return None
    if ending(location) == ".parquet":
        return _read_parquet(path, location, findings, span, short, coded)
    if ending(location) == ".xlsx":
        return read_excel(path, location, findings, named=named, span=span)

    def read(content: FileContent) -> Frame | None:
        if (ending(location) or "").startswith(".jsonl"):
            return read_json_lines(content.read(), location, findings, named=named, span=span)
        if (ending(location) or "").startswith(".arff"):
            return read_arff(content.read(), location, findings, span=span)
        return read_delimited(
            content,
            location,
            findings,
            named=named,
            spelled=spelled,
            short=short,
            coded=coded,
            needed=used or needed,
            span=span,
        )

    return read_content(path, location, findings, read, span=span)


def parquet_cells(
    content: Path | bytes,
    location: str,
    findings: Findings,
    span: Span | None,
    short: Container[str] = (),
    coded: Container[str] = (),
) -> "tuple[pl.DataFrame, Mapping[str, pl.Series]] | None":
    """Read a Parquet file as it is, within the limits; None after a finding.

    In a long file whole numbers of `short` columns take as few bytes as they need, and the texts
    and floats of `coded` ones are categories where few differ. Returns the cells, and the number
    of each category of a column of floats.
    """

    def source() -> Path | io.BytesIO:
        return content if isinstance(content, Path) else io.BytesIO(content)

    try:
        rows = _check_parquet(source(), location)
        of_categories: dict[str, pl.Series] = {}
        if rows >= LONG:
            cells, of_categories = _in_few_bytes(pl.scan_parquet(source()), short, coded, location)
        else:
            cells = pl.read_parquet(source())
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
    return cells, of_categories


def _read_parquet(
    path: Path | bytes,
    location: str,
    findings: Findings,
    span: Span | None,
    short: Container[str],
    coded: Container[str],
) -> Frame | None:
    found = parquet_cells(path, location, findings, span, short, coded)
    if found is None or _repeats_a_column(found[0].columns, location, findings, span):
        return None
    cells, of_categories = found
    del found  # each column is released when another takes its place
    made: Container[str] = coded if cells.height >= LONG else ()
    frame = _frame_of_parquet(cells, location, findings, span, coded=made)
    return None if frame is None else replace(frame, of_categories=of_categories)


def _in_few_bytes(
    table: "pl.LazyFrame", short: Container[str], coded: Container[str], location: str
) -> "tuple[pl.DataFrame, dict[str, pl.Series]]":
    """Read a table with `short` whole numbers, and few labels of `coded` columns, in few bytes.

    Returns its cells, and the number of each category of a column of floats.
    """
    texts = (pl.String, pl.Categorical, pl.Enum)
    schema = table.collect_schema()
    columns = []
    whole = [n for n, dtype in schema.items() if n.strip() in short and dtype.is_integer()]
    if whole:
        least, most = (
            table.select(ends(pl.col(whole))).collect(engine="streaming").row(0)
            for ends in (pl.Expr.min, pl.Expr.max)
        )
        for name, *ends in zip(whole, least, most, strict=True):
            if None not in ends and max(map(abs, ends)) < 1 << 63:
                columns.append(pl.col(name).cast(pl.Series(ends).shrink_dtype().dtype))
    for name in [n for n, dtype in schema.items() if n.strip() in coded and dtype in texts]:
        cells = trimmed(pl.col(name).cast(pl.String))
        distinct = table.select(cells.unique()).head(MOST_LEVELS + 2).collect(engine="streaming")
        levels = distinct[name].drop_nulls().sort()
        longest = distinct.select(pl.col(name).str.len_bytes().max()).item()
        CELL.check(f"a text of `{location}`", _whole(longest))
        columns.append(cells.cast(pl.Enum(levels) if len(levels) <= MOST_LEVELS else pl.String))
    of_categories: dict[str, pl.Series] = {}
    for name in _columns_of_few_numbers(table, schema, coded):
        numbers = pl.col(name).fill_nan(None)
        distinct = table.select(numbers.unique()).head(MOST_NUMBERS + 2).collect(engine="streaming")
        levels = distinct[name].drop_nulls().sort()
        if 0 < len(levels) <= MOST_NUMBERS:
            texts_of = [label_text(level) for level in levels]
            kind = pl.Enum(texts_of)
            coded_cells = pl.lit(None, kind)
            for level, text in zip(levels, texts_of, strict=True):
                # One comparison each: polars does not stream a replacement
                is_level = numbers == pl.lit(level, schema[name])
                coded_cells = pl.when(is_level).then(pl.lit(text, kind)).otherwise(coded_cells)
            columns.append(coded_cells.alias(name))
            of_categories[name.strip()] = levels
    return table.with_columns(columns).collect(engine="streaming"), of_categories


def _columns_of_few_numbers(
    table: "pl.LazyFrame", schema: "pl.Schema", coded: Container[str]
) -> list[str]:
    """Return the `coded` columns of floats whose first rows hold few numbers."""
    floats = [n for n, dtype in schema.items() if n.strip() in coded and dtype.is_float()]
    first = table.select(floats).head(FIRST_ROWS).collect() if floats else pl.DataFrame()
    return [name for name in floats if first[name].n_unique() <= MOST_NUMBERS]


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
    coded: Container[str] = (),
) -> Frame | None:
    """Return the cells of a Parquet file with the types of tables; None after a finding."""
    if cells.height == 0 or cells.width == 0:
        findings.add(EMPTY_FILE, f"`{location}` contains no rows", span=span)
        return None
    cells.columns = names = [name.strip() for name in cells.columns]
    index = [name for name in names if name.startswith(PANDAS_INDEX) and len(names) > 1]
    cells = labels_in_one_piece(plain_types(cells.drop(index), coded))
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


def _check_parquet(path: Path | io.BytesIO, location: str) -> int:
    """Return the number of rows; raise `OverLimit` where the metadata announce too much."""
    announced = pl.scan_parquet(path)
    schema = announced.collect_schema()
    rows = announced.select(pl.len()).collect().item()
    check_size(location, rows, len(schema), sum(map(_width, schema.dtypes())))
    return int(rows)


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
