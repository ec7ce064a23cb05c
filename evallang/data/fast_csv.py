"""The fast way through a text table: every line one record, numbers typed while it is read.

A column of numbers gets its type at once where its spelling holds no more than its number
(no 007, no +5, no -0); floats only where no clause may ask how they are written. Whatever
does not fit falls back to text cells, so that both ways give the same table.
"""

import math
import re
from collections.abc import Collection, Container, Iterable, Sequence
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct
from numpy.typing import NDArray

from evallang.data.column_types import MOST_LEVELS, columns_with_nan, labels_in_one_piece, trimmed
from evallang.data.file_content import FileContent

Schema = dict[str, Any]  # column -> type of polars

CHUNK = 1 << 20  # bytes looked at together: they stay in the processor's cache
PIECE = 1 << 23  # bytes whose cells are read together
SAMPLE = 1 << 16  # bytes from which types are guessed; a wrong guess costs a second reading
SAMPLE_LINES = 10  # at least, however long
BYTE_CELL = 4  # characters of a number that one byte holds
LONG = 1 << 24  # bytes of a file whose labels are worth a look at three places
MOST_BLANKS = 8  # at the start of a cell that are told from those within it
LINE_END, QUOTE, PLUS, MINUS, POINT, ZERO = map(ord, '\n"+-.0')
BLANKS = b" \t\v\f"  # of ASCII, as far as text cells are trimmed of them
WHOLE_CELL = re.compile(r"[ \t]*[+-]?(0|[1-9][0-9]*)[ \t]*")
FIRST_CELL_APART = re.compile(rb'"?(\+|-0[^.]|0[0-9])')


class _Look(Struct, frozen=True):
    """What a look at all bytes of a regular file found."""

    lines: int
    spelled_apart: bool
    quoted: bool
    blank_edges: bool


def read_regular(
    content: FileContent,
    separator: str,
    names: Sequence[str],
    *,
    header: bool,
    is_ascii: bool,
    spelled: frozenset[str] | None,
    short: Container[str] = (),
    coded: Container[str] = (),
) -> tuple["pl.DataFrame", range] | None:
    """Read a file of which every line is one record of the right number of fields, or None.

    Returns the cells, trimmed, and the line of each row. `spelled` are the columns of which
    the spelling may be asked for, None for all; whole numbers of `short` columns take as few
    bytes as they need, and the texts of `coded` ones are categories in a long file.
    """
    look = _look(content, separator, len(names) - 1)
    if look is None:
        return None
    rows, first = look.lines - header, 1 + header
    if rows == 0:
        return pl.DataFrame({name: [] for name in names}), range(0)
    text: Schema = dict.fromkeys(names, pl.String)
    if separator != "," or look.quoted:  # where a comma may be a decimal sign, points may group
        spelled = None
    guessed = _guessed(content, separator, header, names, spelled, short)
    if look.spelled_apart:  # a float of which nobody asks the spelling is a float, however spelled
        guessed |= {name: pl.String for name, dtype in guessed.items() if dtype.is_integer()}
    texts_of = [n for n, dtype in guessed.items() if dtype == pl.String and n in coded]
    levels = _levels(content, separator, header, names, texts_of)
    cells = _all_cells(content.pieces(PIECE), separator, header, guessed | levels, short)
    if cells is None and levels:
        cells = _all_cells(content.pieces(PIECE), separator, header, guessed, short)
    if cells is None:
        cells = _all_cells(content.pieces(PIECE), separator, header, text)
    if cells is None or cells.height != rows or cells.width != len(names):
        return None
    clean = not look.quoted and is_ascii and not look.blank_edges
    floats = pl.col(columns_with_nan(cells)).fill_nan(None)
    texts = [] if clean else [trimmed(pl.col(pl.String))]
    cells = cells.with_columns(floats, *texts)
    return labels_in_one_piece(cells), range(first, first + rows)


def _all_cells(
    pieces: Iterable[bytes],
    separator: str,
    header: bool,
    schema: Schema,
    short: Container[str] = (),
) -> "pl.DataFrame | None":
    """Read all cells of pieces; None where one does not have the type of its column.

    The whole numbers of `short` columns take as few bytes as they need.
    """
    parts = []
    for number, piece in enumerate(pieces):
        cells = _cells(piece, separator, header and number == 0, schema)
        if cells is None and pl.Int8 in schema.values():
            schema = {n: pl.Int64 if dtype == pl.Int8 else dtype for n, dtype in schema.items()}
            cells = _cells(piece, separator, header and number == 0, schema)
        if cells is None:
            return None
        long = [name for name, dtype in schema.items() if name in short and dtype == pl.Int64]
        parts.append(cells.with_columns(cells[name].shrink_dtype() for name in long))
    return pl.concat(parts, how="vertical_relaxed")


def _cells(data: bytes, separator: str, header: bool, schema: Schema) -> "pl.DataFrame | None":
    """Read cells of the given types; None where one does not have its type."""
    if header and data.find(b"\n") in (-1, len(data) - 1):  # where polars 1.34 finds a row
        return pl.DataFrame(schema=schema)
    try:
        return pl.read_csv(
            data, separator=separator, has_header=False, skip_rows=int(header), schema=schema
        )
    except pl.exceptions.PolarsError:
        return None


def _guessed(
    content: FileContent,
    separator: str,
    header: bool,
    names: Sequence[str],
    spelled: frozenset[str] | None,
    short: Container[str],
) -> Schema:
    """Guess the type of each column from the beginning of the file; of `short` ones it is short."""
    head = content.beginning(SAMPLE, SAMPLE_LINES)
    schema: Schema = dict.fromkeys(names, pl.String)
    sample = _cells(head, separator, header, schema)
    for name, cells in {} if sample is None else sample.to_dict(as_series=False).items():
        present = [cell for cell in cells if cell is not None and cell.strip(" \t")]
        if present and all(map(WHOLE_CELL.fullmatch, present)):
            few = name in short and max(map(len, present)) <= BYTE_CELL
            fits = few and all(-128 <= int(cell) < 128 for cell in present)
            schema[name] = pl.Int8 if fits else pl.Int64
        elif spelled is not None and name not in spelled and _look_like_numbers(present):
            schema[name] = pl.Float64
    return schema


def _levels(
    content: FileContent,
    separator: str,
    header: bool,
    names: Sequence[str],
    columns: Collection[str],
) -> Schema:
    """Guess the categories of columns of text from the beginning, middle and end of a long file.

    A text takes 16 bytes while a table is read, a category one, whatever it spells.
    """
    if not columns or len(content) < LONG:
        return {}
    schema: Schema = dict.fromkeys(names, pl.String)
    pieces = [content.beginning(SAMPLE, SAMPLE_LINES)]
    for place in (len(content) // 2, len(content) - SAMPLE):
        pieces.append(content.lines_from(place, SAMPLE))
    sample = _all_cells(filter(None, pieces), separator, header, schema)
    if sample is None:  # a line has too many fields
        return {}
    found: Schema = {}
    for name in columns:
        texts = sorted(sample[name].drop_nulls().unique().to_list())
        # Blanks are trimmed from texts, and not from categories
        if 0 < len(texts) <= MOST_LEVELS and all(text == text.strip() != "" for text in texts):
            found[name] = pl.Enum(texts)
    return found


def _look_like_numbers(cells: list[str]) -> bool:
    """Return whether cells read as numbers in Python, one of them finite."""
    try:
        numbers = [float(cell) for cell in cells]
    except ValueError:
        return False
    return any(map(math.isfinite, numbers))


# --- the look at all bytes -----------------------------------------------------------------


def _look(content: FileContent, separator: str, separators: int) -> _Look | None:
    """Check all bytes once; None when a line is irregular.

    Regular: the same number of separators, at least one, outside quotes in every line (so no
    blank line), quotes in pairs within a line and only around whole fields, no lone carriage
    return. Separators are counted over all lines: where their number is right and one line
    lacks some, another has too many, which polars refuses.
    """
    if separators == 0:
        return None
    mark = ord(separator)
    lines, cut, apart, quoted, blank_edges = 0, 0, False, False, False
    for chunk in content.pieces(CHUNK):
        if b"\r" in chunk and chunk.count(b"\r") != chunk.count(b"\r\n"):
            return None
        text = np.frombuffer(chunk, dtype=np.uint8)
        ends = text == LINE_END
        cuts = text == mark
        begins = cuts | ends
        if QUOTE in chunk:
            quoted = True
            quotes = text == QUOTE
            if not _quotes_are_regular(text, quotes, ends, mark):
                return None
            cuts &= (np.cumsum(quotes, dtype=np.uint8) & 1) == 0
            begins |= quotes
        _extend_over_blanks(begins, chunk, text, mark)
        lines += int(np.count_nonzero(ends)) + (not chunk.endswith(b"\n"))
        cut += int(np.count_nonzero(cuts))
        apart = apart or _spelled_apart(chunk, text, begins)
        blank_edges = blank_edges or _has_blank_edges(chunk, separator)
    regular = cut == lines * separators
    return _Look(lines, apart, quoted, blank_edges) if regular else None


def _extend_over_blanks(
    begins: "NDArray[np.bool_]", chunk: bytes, text: "NDArray[np.uint8]", separator: int
) -> None:
    """Mark the blanks at the start of a cell too, which polars skips before a number."""
    codes = [code for code in BLANKS if code != separator and code in chunk]
    if not codes:
        return
    blank = np.logical_or.reduce([text == code for code in codes])
    begins[0] |= blank[0]
    for _ in range(MOST_BLANKS):
        led = blank[1:] & begins[:-1] & ~begins[1:]
        if not led.any():
            return
        begins[1:] |= led
    begins |= blank  # those within texts too: a number that is read as text loses nothing


def _quotes_are_regular(
    text: "NDArray[np.uint8]",
    quotes: "NDArray[np.bool_]",
    ends: "NDArray[np.bool_]",
    separator: int,
) -> bool:
    starts = np.concatenate(([0], np.flatnonzero(ends) + 1))
    starts = starts[starts < len(text)]
    if (np.add.reduceat(quotes, starts, dtype=np.int64) % 2).any():
        return False
    places = np.flatnonzero(quotes)
    before = np.where(places > 0, text[places - 1], LINE_END)
    after = np.where(places < len(text) - 1, text[(places + 1) % len(text)], LINE_END)
    opening, closing = before[0::2], after[1::2]
    opens = np.isin(opening, [separator, LINE_END, QUOTE])
    closes = np.isin(closing, [separator, LINE_END, ord("\r"), QUOTE])
    return bool(opens.all() and closes.all())


def _spelled_apart(chunk: bytes, text: "NDArray[np.uint8]", begins: "NDArray[np.bool_]") -> bool:
    """Return whether a cell is written as 007, +5 or -0; `begins` are the marks before cells."""
    if FIRST_CELL_APART.match(chunk) or chunk.endswith(b"-0"):
        return True
    zero = text == ZERO
    digit = (text - np.uint8(ZERO)) < 10
    if (begins[:-2] & zero[1:-1] & digit[2:]).any():
        return True
    if PLUS in chunk and (begins[:-1] & (text[1:] == PLUS)).any():
        return True
    if MINUS not in chunk:
        return False
    minus_zero = begins[:-3] & (text[1:-2] == MINUS) & zero[2:-1] & (text[3:] != POINT)
    return bool(minus_zero.any())


def _has_blank_edges(data: bytes, separator: str) -> bool:
    """Return whether a cell of whole lines begins or ends with a blank of ASCII."""
    mark = separator.encode()
    for code in BLANKS:
        blank = bytes((code,))
        if blank == mark or blank not in data:
            continue
        pairs = (mark + blank, blank + mark, b"\n" + blank, blank + b"\n", blank + b"\r")
        if any(pair in data for pair in pairs) or data.startswith(blank) or data.endswith(blank):
            return True
    return False
