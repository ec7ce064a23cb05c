"""CSV and TSV: separator and header are sniffed and stated, every line must fit the header.

A file of which every line is one record is read by polars, any other by Python's csv module, which
reports what is wrong.
"""

import csv
import io
import re
from collections.abc import Sequence

import polars as pl
from msgspec import Struct

from evallang.data.column_types import plain_numbers, trimmed, trimmed_texts
from evallang.data.files import check_size
from evallang.data.findings import Refused, counted, listed
from evallang.data.frame import Frame
from evallang.data.number_signs import is_number
from evallang.data.text_tables import (
    Needed,
    check_names,
    checked_text,
    is_header,
    numbered_names,
    text_frame,
)
from evallang.diagnostics import codes
from evallang.limits import CELL

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
SNIFFED_BYTES = 1 << 16  # enough for the header and some rows of a table of 1,000 columns
SNIFFED_LINES = 4  # at least, however long: the header of a wide table alone has a megabyte
SNIFFED_RECORDS = 50
SEP_LINE = re.compile(rb'"?sep=([,;\t|])"?\r?', re.IGNORECASE)  # which Excel reads, and writes
NO_TEXT = "\x01"  # no table has it, so that it separates nothing


class Dialect(Struct, frozen=True):
    """How a text table is laid out, as sniffed from its beginning."""

    separator: str
    header: bool
    names: tuple[str, ...]
    row_names: bool = False
    """Whether the header lacks the first column, as R's `write.table` writes names of rows."""


def read_delimited(
    content: bytes,
    source: str,
    *,
    named: frozenset[str] = frozenset(),
    spelled: frozenset[str] | None = None,
    needed: Needed | None = None,
) -> Frame:
    """Read a CSV or TSV file.

    `named` are the columns that the study names. The first line is a header when it holds
    one of them, or when none of its fields is a number; without a header the columns are
    called column_1, column_2 and so on. Blank lines are skipped, and lines of comments above the
    header, which begin with `#`. Unclear numbers are refused in the columns that are `needed`
    (None: all). `spelled` are those of which the spelling of numbers may be asked for (None: any).
    """
    text = checked_text(content, source)
    if b"\n" not in text:
        text = text.replace(b"\r", b"\n")
    if text.endswith((b"\n\n", b"\n\r\n", b"\r")):
        text = text.rstrip(b"\r\n")
    if not text or text.isspace():
        raise Refused(codes.no_rows_in_file, f"`{source}` is empty")
    above = _above_header(text)
    text = text[above.size :]
    try:
        dialect = sniff(text, source, named, above.separator)
        check_names(source, dialect.names)
        check_size(source, text.count(b"\n"), len(dialect.names))
        csv.field_size_limit(CELL.most)
        regular = _read_regular(text, dialect, spelled, above.lines)
        cells, lines = regular or _read_any(text, dialect, source, above.lines)
    except csv.Error as error:
        message = f"`{source}` cannot be read as a table: {error}"
        raise Refused(
            codes.unreadable_file, message, help="write the file again, as CSV"
        ) from error
    return text_frame(
        source,
        cells,
        lines,
        _stated(dialect, source, above),
        header=dialect.header,
        separator=dialect.separator,
        needed=needed,
    )


class _AboveHeader(Struct, frozen=True):
    """The lines above the header that hold no data, and the separator that one of them states."""

    size: int
    lines: int
    separator: str | None
    comments: int


def _beginning(text: bytes) -> bytes:
    """Return whole lines from the start: a few, or more where they are short."""
    if len(text) <= SNIFFED_BYTES:
        return text
    end = text.rfind(b"\n", 0, SNIFFED_BYTES) + 1
    for _ in range(SNIFFED_LINES - text.count(b"\n", 0, end)):
        end = text.find(b"\n", end) + 1
        if end == 0:
            return text
    return text[:end]


def _above_header(text: bytes) -> _AboveHeader:
    """Find Excel's line `sep=;`, and lines of comments, at the beginning of a file.

    The last line that begins with `#` is a header (`# x, y`, as numpy writes it) where a line of
    numbers with as many fields follows.
    """
    lines = _beginning(text).splitlines(keepends=True)
    stated = SEP_LINE.fullmatch(lines[0].removesuffix(b"\n"))
    start = 1 if stated else 0
    end = start
    while end < len(lines) and lines[end].startswith(b"#"):
        end += 1
    if start < end < len(lines):
        comment, following = lines[end - 1], lines[end]
        for separator in map(str.encode, SEPARATORS):
            fields = following.decode("utf-8", "ignore").split(separator.decode())
            alike = comment.count(separator) == len(fields) - 1 > 0
            if alike and any(is_number(field.strip(' \t\r\n"')) for field in fields):
                end -= 1
                break
    size = sum(map(len, lines[:end]))
    sep = stated[1].decode() if stated else None
    return _AboveHeader(size, end, sep, end - start)


def sniff(text: bytes, source: str, named: frozenset[str], stated: str | None = None) -> Dialect:
    """Return separator and header from the first records of a table.

    The separator is the one that cuts all of them into the same number of fields, more than
    one; of several the one that makes most fields; if there is none, the one that makes most
    fields of the first record (.tsv: the tab). A separator that the file has `stated` is taken.
    """
    head = _beginning(text)
    beginning = head.decode("utf-8", errors="ignore")
    ranks = []
    for preference, separator in enumerate([stated] if stated else SEPARATORS):
        records = _first_records(beginning, separator)
        if len(head) < len(text) and len(records) > 1:
            records.pop()  # a quoted field may have been cut
        widths = {len(record) for record in records}
        even = len(widths) == 1 and widths != {1}
        tab = separator == "\t" and ".tsv" in source.lower()
        ranks.append((even and tab, even, tab, len(records[0]), -preference, separator, records))
    *_, separator, (first, *rest) = max(ranks)
    fields = tuple(field.strip() for field in first)
    header = is_header(fields, named)
    row_names = header and _have_row_names(rest, len(fields))
    fields = ("",) * row_names + (fields if header else ("",) * len(fields))
    return Dialect(separator, header, numbered_names(fields), row_names)


def _have_row_names(records: list[list[str]], width: int) -> bool:
    """Return whether each record has one field more than the header, first its own name."""
    if not records or any(len(record) != width + 1 for record in records):
        return False
    names = {record[0].strip() for record in records}
    return len(names) == len(records) and "" not in names and any(r[-1].strip() for r in records)


def _first_records(text: str, separator: str) -> list[list[str]]:
    records: list[list[str]] = []
    lines = io.StringIO(text, newline="")
    try:
        for record in csv.reader(lines, delimiter=separator, skipinitialspace=True):
            if record:
                records.append(record)
            if len(records) == SNIFFED_RECORDS:
                break
    except csv.Error:  # a field over the limit: the reader reports it with its line
        pass
    return records or [[text]]


def _stated(dialect: Dialect, source: str, above: _AboveHeader) -> tuple[str, ...]:
    notes = []
    if above.comments:
        lines = counted(above.comments, "line")
        notes.append(f"{source}: {lines} above the header skipped: comments, which begin with #")
    if len(dialect.names) > 1:
        notes.append(f"{source}: fields separated by {SEPARATORS[dialect.separator]}")
    if dialect.row_names:
        notes.append(
            f"{source}: header one field short, as R writes it; the names of rows are column_1"
        )
    elif dialect.header:
        notes.append(f"{source}: first line read as header")
    else:
        notes.append(f"{source}: no header, columns called column_1 to {dialect.names[-1]}")
    return tuple(notes)


def _read_regular(
    text: bytes, dialect: Dialect, spelled: frozenset[str] | None, above: int
) -> tuple["pl.DataFrame", range] | None:
    """Read a table of which every line is one record of the right number of fields, or None.

    No line is blank, and quotes stand around whole fields alone. Returns the cells, trimmed, and
    the line of each row; `above` is the number of lines above the header.
    """
    separator, names = dialect.separator, dialect.names
    if len(names) == 1:
        return None
    has_quotes = b'"' in text
    line = bare = pl.col("line")
    fine = line.is_not_null() & ~line.str.contains("\r", literal=True)
    if has_quotes:
        field = f'(?:"(?:[^"]|"")*"|[^"{re.escape(separator)}]*)'
        fine &= line.str.contains(f"^{field}(?:{re.escape(separator)}{field})*$")
        bare = line.str.replace_all('"[^"]*"', "")
    fine &= bare.str.count_matches(separator, literal=True) == len(names) - 1
    try:
        lines = pl.scan_csv(
            text,
            separator=NO_TEXT,
            quote_char=None,
            has_header=False,
            schema={"line": pl.String},
        )
        are_fine, n = lines.select(fine.all(), n=pl.len()).collect(engine="streaming").row(0)
        rows = n - dialect.header
        if not are_fine:
            return None
        if rows == 0:  # where polars 1.34 finds a row
            return pl.DataFrame({name: [] for name in names}), range(0)
        table = pl.scan_csv(
            text,
            separator=separator,
            has_header=False,
            skip_rows=int(dialect.header),
            schema=dict.fromkeys(names, pl.String),
        )
        cells = table.with_columns(trimmed(pl.all())).collect(engine="streaming")
    except pl.exceptions.PolarsError:
        return None
    if cells.height != rows:
        return None
    # Where a comma may be a decimal sign, points may group
    kept = None if separator != "," or has_quotes else spelled
    first = above + 1 + dialect.header
    return plain_numbers(cells, kept), range(first, first + rows)


def _read_any(
    text: bytes,
    dialect: Dialect,
    source: str,
    above: int,
) -> tuple["pl.DataFrame", Sequence[int]]:
    """Read record by record; lines that do not fit the header are refused by their numbers.

    `above` is the number of lines above the header.
    """
    width = len(dialect.names)
    columns: list[list[str]] = [[] for _ in dialect.names]
    lines: list[int] = []
    ragged: list[tuple[int, list[str]]] = []
    reader = csv.reader(
        io.StringIO(text.decode("utf-8"), newline=""),
        delimiter=dialect.separator,
        skipinitialspace=True,
        strict=True,
    )
    start, header_to_come = above + 1, dialect.header
    while True:
        try:
            record = next(reader, None)
        except csv.Error as error:
            raise Refused(
                codes.unreadable_file,
                f"`{source}` cannot be read from line {start} on: {_quote_fault(error)}",
                help="write a quote inside a quoted field twice",
            ) from error
        if record is None:
            break
        if header_to_come and record:
            header_to_come = False
        elif len(record) == width and (width > 1 or record[0].strip()):
            lines.append(start)
            for column, cell in zip(columns, record, strict=True):
                column.append(cell)
        elif len(record) > 1 or (record and record[0].strip()):
            ragged.append((start, record))
        start = above + reader.line_num + 1
    if ragged:
        shown = listed((f"line {line} has {len(fields)}" for line, fields in ragged), 3)
        where = "the header" if dialect.header else "the first line"
        raise Refused(
            codes.ragged_line,
            f"`{source}` has {counted(width, 'field')} in {where}, but {shown}",
            help=_suggest_fix(ragged, width, every=not lines),
            notes=(f"the separator that was found is the {SEPARATORS[dialect.separator]}",),
        )
    schema = dict.fromkeys(dialect.names, pl.String)
    cells = pl.DataFrame(dict(zip(dialect.names, columns, strict=True)), schema=schema)
    return trimmed_texts(cells), lines


def _suggest_fix(lines: list[tuple[int, list[str]]], width: int, *, every: bool) -> str:
    """Return how to fix records of another number of fields than the header."""
    ragged = [fields for _, fields in lines]
    if all(fields[0].startswith("#") for fields in ragged):
        return "remove the comments, which begin with `#`"
    if all(len(fields) == width + 1 and not fields[-1].strip() for fields in ragged):
        return "remove the separator at the end of these lines"
    if every and len({len(fields) for fields in ragged}) == 1:
        first, *others = ([is_number(field) for field in fields] for fields in ragged)
        if not any(first) and any(map(any, others)):
            return f"remove the lines above the header in line {lines[0][0]}"
        return "write a header with a name for every column"
    if all(len(fields) < width for fields in ragged):
        return "write the separator of empty fields too"
    return "put fields that contain the separator in quotes"


def _quote_fault(error: csv.Error) -> str:
    """Format what Python's reader found wrong with a quoted field, in plain words."""
    words = str(error)
    if words == "unexpected end of data":
        return "a quote opened there is never closed"
    if "expected after" in words:
        return "text follows a closing quote"
    return words
