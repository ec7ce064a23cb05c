"""CSV and TSV: separator and header are sniffed and stated, every line must fit the header.

A regular file (one record a line, quotes only around whole fields) is read by polars, any
other by Python's csv module, which reports what is wrong.
"""

import codecs
import csv
import io
import re
from collections.abc import Callable, Collection, Container, Sequence
from functools import partial

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from evallang.data.codes import (
    DUPLICATE_COLUMN,
    EMPTY_FILE,
    NOT_UTF8,
    RAGGED_LINE,
    UNREADABLE_FILE,
)
from evallang.data.column_types import trimmed
from evallang.data.fast_csv import read_regular
from evallang.data.file_content import FileContent
from evallang.data.files import check_size
from evallang.data.findings import RENAME, Findings, counted, listed, quoted, repeated
from evallang.data.frame import Frame, frame_of
from evallang.data.number_signs import is_number, may_be_grouped, with_decimal_points
from evallang.limits import CELL, OverLimit
from evallang.source import Span

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
SNIFFED_BYTES = 1 << 16  # enough for the header and some rows of a table of 1,000 columns
SNIFFED_LINES = 4  # at least, however long: the header of a wide table alone has a megabyte
SNIFFED_RECORDS = 50
CHUNK = 1 << 20  # bytes looked at together: they stay in the processor's cache
Needed = Callable[[Sequence[str]], Collection[str]]
"""What returns the columns that a study needs out of all columns of a file."""
SEP_LINE = re.compile(rb'"?sep=([,;\t|])"?\r?', re.IGNORECASE)  # which Excel reads, and writes
UTF_16_OR_32 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)


class Dialect(Struct, frozen=True):
    """How a text table is laid out, as sniffed from its beginning."""

    separator: str
    header: bool
    names: tuple[str, ...]
    row_names: bool = False
    """Whether the header lacks the first column, as R's `write.table` writes names of rows."""


class Text(Struct, frozen=True):
    """A file of text in UTF-8, without its byte order mark.

    Attributes
    ----------
    content : of the file
    ends : number of line feeds
    is_ascii : whether all of it is ASCII
    is_blank : whether it holds only ASCII blanks and line ends
    """

    content: FileContent
    ends: int
    is_ascii: bool
    is_blank: bool


def read_delimited(
    content: FileContent,
    source: str,
    findings: Findings,
    *,
    named: frozenset[str] = frozenset(),
    spelled: frozenset[str] | None = None,
    short: Container[str] = (),
    coded: Container[str] = (),
    needed: Needed | None = None,
    span: Span | None = None,
) -> Frame | None:
    """Read a CSV or TSV file; None after a finding.

    `named` are the columns that the study names. The first line is a header when it holds
    one of them, or when none of its fields is a number; without a header the columns are
    called column_1, column_2 and so on. Blank lines are skipped, and lines of comments above the
    header, which begin with `#`. Unclear numbers are reported in the columns that are `needed`
    (None: all). `spelled` are those of which the spelling of numbers may be asked for (None: any),
    all other numbers may be typed as they are read; whole numbers of `short` columns take as few
    bytes as they need, and the texts of `coded` ones may be categories.
    """
    checked = checked_content(content, source, findings, span)
    if checked is None:
        return None
    text = _with_ends_between_lines(checked)
    if text.is_blank:
        findings.add(EMPTY_FILE, f"`{source}` is empty", span=span)
        return None
    try:
        above = _above_header(text.content)
        text = replace(text, content=text.content.part(above.size, len(text.content)))
        dialect = sniff(text.content, source, named, above.separator)
        if twice := repeated(dialect.names):
            findings.add(
                DUPLICATE_COLUMN,
                f"`{source}` has more than one column {quoted(twice)}",
                span=span,
                help=RENAME,
            )
            return None
        check_size(source, text.ends, len(dialect.names))
        csv.field_size_limit(CELL.most)
        regular = partial(
            read_regular,
            text.content,
            dialect.separator,
            dialect.names,
            header=dialect.header,
            is_ascii=text.is_ascii,
            short=short,
            coded=coded,
        )
        typed = regular(spelled=spelled)
        if typed is not None and spelled is not None:
            floats = typed[0].select(pl.col(pl.Float64))
            unclear = {column.name for column in floats if may_be_grouped(column)}
            typed = regular(spelled=spelled | unclear) if unclear else typed
        read = typed or _read_any(text.content, dialect, source, findings, span, above.lines)
    except OverLimit as error:
        findings.over_limit(error, span=span)
        return None
    except csv.Error as error:
        message = f"`{source}` cannot be read as a table: {error}"
        findings.add(UNREADABLE_FILE, message, span=span, help="write the file again, as CSV")
        return None
    if read is None:
        return None
    cells, lines = read
    if cells.height == 0:
        findings.add(EMPTY_FILE, f"`{source}` has a header and no rows", span=span)
        return None
    if isinstance(lines, range):
        lines = range(lines.start + above.lines, lines.stop + above.lines)
    cells, dropped = _drop_unnamed_empty(cells, dialect)
    used = cells.columns if needed is None else needed(cells.columns)
    cells, signs = with_decimal_points(cells, source, dialect.separator, used, findings, span)
    if findings.failed:
        return None
    return frame_of(
        source,
        cells,
        untyped=True,
        lines=lines,
        notes=(*_stated(dialect, source, above), *dropped, *signs),
    )


class _AboveHeader(Struct, frozen=True):
    """The lines above the header that hold no data, and the separator that one of them states."""

    size: int
    lines: int
    separator: str | None
    comments: int


def _above_header(content: FileContent) -> _AboveHeader:
    """Find Excel's line `sep=;`, and lines of comments, at the beginning of a file.

    The last line that begins with `#` is a header (`# x, y`, as numpy writes it) where a line of
    numbers with as many fields follows.
    """
    lines = content.beginning(SNIFFED_BYTES, SNIFFED_LINES).splitlines(keepends=True)
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


def checked_text(data: bytes, source: str, findings: Findings, span: Span | None) -> bytes | None:
    """Return UTF-8 text without its byte order mark; None after a finding for any other."""
    checked = checked_content(FileContent.of(data), source, findings, span)
    return None if checked is None else checked.content.read()


def checked_content(
    content: FileContent, source: str, findings: Findings, span: Span | None
) -> Text | None:
    """Check that a file is text in UTF-8; None after a finding where it is not."""
    if content.read(0, len(codecs.BOM_UTF32_LE)).startswith(UTF_16_OR_32):
        findings.add(
            NOT_UTF8,
            f"`{source}` is written in UTF-16 or UTF-32",
            span=span,
            help="save it as UTF-8",
        )
        return None
    if content.read(0, len(codecs.BOM_UTF8)) == codecs.BOM_UTF8:
        content = content.part(len(codecs.BOM_UTF8), len(content))
    ends, is_ascii, is_blank, damaged = 0, True, True, 0
    for chunk in content.pieces(CHUNK):
        nul = chunk.find(b"\0")
        if nul >= 0:
            line = ends + _line_at(chunk, nul)
            message = f"`{source}` contains a zero byte in line {line}, which a text cannot have"
            findings.add(NOT_UTF8, message, span=span, help="save it as text in UTF-8")
            return None
        if not chunk.isascii():
            is_ascii = False
            try:
                chunk.decode("utf-8")
            except UnicodeDecodeError as error:
                damaged = damaged or ends + _line_at(chunk, error.start)
        is_blank = is_blank and chunk.isspace()
        ends += chunk.count(b"\n")
    if damaged:
        message = f"`{source}` is not UTF-8 in line {damaged}"
        findings.add(NOT_UTF8, message, span=span, help="save it as UTF-8")
        return None
    return Text(content, ends, is_ascii, is_blank)


def _with_ends_between_lines(text: Text) -> Text:
    """Return a text whose lines end in a line feed, without blank lines after the last one."""
    content, ends = text.content, text.ends
    if ends == 0:
        content = FileContent.of(content.read().replace(b"\r", b"\n"))
        ends = sum(chunk.count(b"\n") for chunk in content.pieces(CHUNK))
    if not content.read(max(len(content) - 3, 0)).endswith((b"\n\n", b"\n\r\n", b"\r")):
        return replace(text, content=content, ends=ends)
    size, left = len(content), b""
    while size and not left:
        chunk = content.read(max(size - CHUNK, 0), min(size, CHUNK))
        left = chunk.rstrip(b"\r\n")
        ends -= chunk.count(b"\n", len(left))
        size -= len(chunk) - len(left)
    return replace(text, content=content.part(0, size), ends=ends)


def sniff(
    content: FileContent, source: str, named: frozenset[str], stated: str | None = None
) -> Dialect:
    """Return separator and header from the first records of a table.

    The separator is the one that cuts all of them into the same number of fields, more than
    one; of several the one that makes most fields; if there is none, the one that makes most
    fields of the first record (.tsv: the tab). A separator that the file has `stated` is taken.
    """
    head = content.beginning(SNIFFED_BYTES, SNIFFED_LINES)
    text = head.decode("utf-8", errors="ignore")
    ranks = []
    for preference, separator in enumerate([stated] if stated else SEPARATORS):
        records = _first_records(text, separator)
        if len(head) < len(content) and len(records) > 1:
            records.pop()  # a quoted field may have been cut
        widths = {len(record) for record in records}
        even = len(widths) == 1 and widths != {1}
        tab = separator == "\t" and ".tsv" in source.lower()
        ranks.append((even and tab, even, tab, len(records[0]), -preference, separator, records))
    *_, separator, (first, *rest) = max(ranks)
    fields = tuple(field.strip() for field in first)
    header = bool(named.intersection(fields)) or not any(map(is_number, fields))
    row_names = header and _have_row_names(rest, len(fields))
    if not header:
        fields = ("",) * len(fields)
    fields = ("", *fields) if row_names else fields
    names = tuple(field or f"column_{i}" for i, field in enumerate(fields, 1))
    return Dialect(separator, header, names, row_names)


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


def _read_any(
    content: FileContent,
    dialect: Dialect,
    source: str,
    findings: Findings,
    span: Span | None,
    above: int,
) -> tuple["pl.DataFrame", Sequence[int]] | None:
    """Read record by record; None after naming the lines that do not fit the header.

    `above` is the number of lines above the header.
    """
    width = len(dialect.names)
    columns: list[list[str]] = [[] for _ in dialect.names]
    lines: list[int] = []
    ragged: list[tuple[int, list[str]]] = []
    reader = csv.reader(
        io.StringIO(content.read().decode("utf-8"), newline=""),
        delimiter=dialect.separator,
        skipinitialspace=True,
        strict=True,
    )
    start, header_to_come = above + 1, dialect.header
    while True:
        try:
            record = next(reader, None)
        except csv.Error as error:
            findings.add(
                UNREADABLE_FILE,
                f"`{source}` cannot be read from line {start} on: {_quote_fault(error)}",
                span=span,
                help="write a quote inside a quoted field twice",
            )
            return None
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
        findings.add(
            RAGGED_LINE,
            f"`{source}` has {counted(width, 'field')} in {where}, but {shown}",
            span=span,
            help=_suggest_fix(ragged, width, every=not lines),
            notes=(f"the separator that was found is the {SEPARATORS[dialect.separator]}",),
        )
        return None
    schema = dict.fromkeys(dialect.names, pl.String)
    cells = pl.DataFrame(dict(zip(dialect.names, columns, strict=True)), schema=schema)
    return cells.with_columns(trimmed(pl.col(pl.String))), lines


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


def _drop_unnamed_empty(
    cells: "pl.DataFrame", dialect: Dialect
) -> tuple["pl.DataFrame", tuple[str, ...]]:
    """Drop columns without a name and without values, as trailing separators make them."""
    if not dialect.header:
        return cells, ()
    gone = [
        name
        for place, name in enumerate(dialect.names, 1)
        if name == f"column_{place}" and cells[name].null_count() == cells.height
    ]
    if not gone:
        return cells, ()
    return cells.drop(gone), tuple(f"{name} has no name and no values: skipped" for name in gone)


def _line_at(data: bytes, offset: int) -> int:
    return data.count(b"\n", 0, offset) + 1
