"""ARFF, the format of Weka and OpenML: declared columns, then one row a line.

The format is that of Weka's documentation (Hall et al. 2009): names and values in single or
double quotes with backslash escapes, `?` for missing, `%` for comment lines. Sparse rows,
relational attributes and weights of instances are refused.
"""

import re
from collections.abc import Iterator

import polars as pl
from msgspec import Struct

from evallang.data.column_types import DATE_CELL, Kind, kind_of, trimmed, typed_cells
from evallang.data.files import check_size
from evallang.data.findings import Refused, counted, quoted
from evallang.data.frame import Frame, frame_of
from evallang.data.text_tables import check_names, checked_text
from evallang.diagnostics import codes
from evallang.spelling import closest

QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
ATTRIBUTE = re.compile(rf"@attribute\s+({QUOTED}|[^\s'\"{{]+)\s*(.*)", re.IGNORECASE | re.DOTALL)
ITEM = re.compile(rf"\s*({QUOTED}|[^,'\"]*?)\s*(?:,|\t|$)", re.DOTALL)
ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
NUMERIC = ("numeric", "real", "integer")
HEADER = "declare each column as `@attribute age numeric` or `@attribute ward {A, B}`, then `@data`"
DECLARED_SHOWN = 8  # values of a nominal column that a message lists


class _Malformed(Exception):
    """What is wrong with a line, in words that follow its place."""

    def __init__(self, words: str, line: int, fix: str | None = None) -> None:
        super().__init__(words)
        self.line = line
        self.fix = fix


class Attribute(Struct, frozen=True):
    """One declared column; `values` are those of a nominal one, None for all others."""

    name: str
    kind: str
    values: tuple[str, ...] | None = None


def read_arff(data: bytes, source: str) -> Frame:
    """Read an ARFF file.

    Nominal and string columns are text, whatever they look like; numeric ones integers where
    all values are written so, else float64; dates are read in ISO 8601.
    """
    text = checked_text(data, source).decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    lines = enumerate(text.split("\n"), 1)
    try:
        attributes = _header(lines)
        check_size(source, text.count("\n"), len(attributes))
        rows = [
            (number, _row(line.strip(), len(attributes), number))
            for number, line in lines
            if line.strip() and not line.lstrip().startswith("%")
        ]
        check_names(source, (attribute.name for attribute in attributes))
        if not rows:
            raise Refused(codes.no_rows_in_file, f"`{source}` has a header and no rows")
        places = [number for number, _ in rows]
        columns = zip(attributes, zip(*(row for _, row in rows), strict=True), strict=True)
        series = [_column(attribute, list(cells), places) for attribute, cells in columns]
    except _Malformed as error:
        message = f"line {error.line} of `{source}` {error}"
        raise Refused(codes.malformed_arff, message, help=error.fix) from error
    return frame_of(source, pl.DataFrame(series), untyped=False, lines=places)


# --- header --------------------------------------------------------------------------------


def _header(lines: Iterator[tuple[int, str]]) -> list[Attribute]:
    """Read the lines up to @data."""
    attributes: list[Attribute] = []
    number = 0
    for number, line in lines:
        text = line.strip()
        word = text.split(maxsplit=1)[0].lower() if text else ""
        if not word or word.startswith("%") or word == "@relation":
            continue
        if word == "@attribute":
            attributes.append(_attribute(text, number))
        elif word != "@data":
            raise _Malformed(f"contains {text[:40]!r} above `@data`", number, HEADER)
        elif attributes:
            return attributes
        else:
            raise _Malformed("is `@data`, and no attribute is declared above it", number, HEADER)
    raise _Malformed("is the last line, and no line is `@data`", number, HEADER)


def _attribute(line: str, number: int) -> Attribute:
    match = ATTRIBUTE.fullmatch(line)
    if match is None or not match.group(2):
        raise _Malformed("declares an attribute without a name or a type", number)
    name, declared = _plain(match.group(1)).strip(), match.group(2).strip()
    if not name:
        raise _Malformed("declares an attribute without a name", number)
    if declared.startswith("{"):
        if not declared.endswith("}"):
            words = f"declares `{name}` with a list of values that is not closed"
            raise _Malformed(words, number, "put a `}` after the last value")
        return Attribute(name, "nominal", tuple(str(v) for v in _items(declared[1:-1], number)))
    kind = declared.split()[0].lower()
    if kind == "relational":
        raise _Malformed(f"declares `{name}` as relational, which is not read", number)
    if kind not in (*NUMERIC, "string", "date"):
        near = closest(kind, (*NUMERIC, "string", "date"))
        raise _Malformed(
            f"declares `{name}` as `{kind}`, which is not a type of ARFF",
            number,
            f"did you mean `{near}`?" if near else "write `numeric`, `string`, `date` or `{A, B}`",
        )
    return Attribute(name, kind)


# --- rows ----------------------------------------------------------------------------------


def _row(line: str, width: int, number: int) -> list[str | None]:
    """Return the cells of a row, missing = None."""
    if line.startswith("{"):
        raise _Malformed(
            "is a sparse row, which is not read", number, "save the file with all values"
        )
    if "'" in line or '"' in line or "\\" in line or "\t" in line:
        cells = list(_items(line, number, missing="?"))
    else:
        cells = [None if cell == "?" else cell for cell in map(str.strip, line.split(","))]
    if len(cells) == width:
        return cells
    if len(cells) == width + 1 and line.endswith("}"):
        raise _Malformed(
            "gives its row a weight in braces, which is not read", number, "make it a column"
        )
    values, attributes = counted(len(cells), "value"), counted(width, "attribute")
    raise _Malformed(f"has {values} for {attributes}", number, "write `?` where one is missing")


def _items(text: str, number: int, *, missing: str | None = None) -> Iterator[str | None]:
    """Split a line at its commas outside quotes; a bare `missing` is None."""
    place = 0
    while True:
        match = ITEM.match(text, place)
        if match is None:
            raise _Malformed("has an unclosed quote, or text after a closing quote", number)
        cell = match.group(1)
        yield None if cell == missing else _plain(cell)
        if match.end() == len(text) and text[match.end() - 1 : match.end()] not in (",", "\t"):
            return
        place = match.end()
        if place == len(text):  # a separator at the end: one more cell, empty
            yield ""
            return


def _plain(cell: str) -> str:
    """Remove quotes and escapes."""
    if len(cell) > 1 and cell[0] in "'\"" and cell[-1] == cell[0]:
        cell = cell[1:-1]
    if "\\" not in cell:
        return cell
    return re.sub(r"\\(.)", lambda m: ESCAPES.get(m.group(1), m.group(1)), cell, flags=re.DOTALL)


# --- columns -------------------------------------------------------------------------------


def _column(attribute: Attribute, cells: list[str | None], lines: list[int]) -> "pl.Series":
    """Convert the cells of a column to the declared type."""
    read = pl.DataFrame({attribute.name: cells}, schema={attribute.name: pl.String})
    column = read.select(trimmed(pl.all())).to_series()
    if attribute.values is not None:
        known = [value.strip() for value in attribute.values]
        odd = (~column.is_in(known)).fill_null(False).arg_true().to_list()
        if not odd:
            return column
        what = f"which is not one of {quoted(known, DECLARED_SHOWN)}"
        fix = "declare it among the values of the attribute, or correct the row"
    elif attribute.kind in NUMERIC:
        typed = typed_cells(column)
        if kind_of(typed) in (Kind.NUMBER, Kind.EMPTY):
            return typed
        numbers = column.cast(pl.Float64, strict=False)
        if numbers.null_count() == column.null_count():
            return numbers.fill_nan(None)
        odd = (numbers.is_null() & column.is_not_null()).arg_true().to_list()
        what = f"which is not {attribute.kind}"
        fix = "write a number, or `?` where it is missing"
    elif attribute.kind == "date":
        typed = typed_cells(column)
        if kind_of(typed) in (Kind.DATE, Kind.EMPTY):
            return typed
        odd = (~column.str.contains(DATE_CELL)).fill_null(False).arg_true().to_list() or [0]
        what = "which is not a date in ISO 8601"
        fix = "write dates as `2024-03-01`, or declare the attribute as `string`"
    else:
        return column
    words = f"contains {column[odd[0]]!r} in `{attribute.name}`, {what}"
    raise _Malformed(words, lines[odd[0]], fix)
