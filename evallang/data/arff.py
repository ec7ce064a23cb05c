"""ARFF, the format of Weka and OpenML: declared columns, then one row a line.

The format is that of Weka's documentation (Hall et al. 2009): names and values in single or
double quotes with backslash escapes, `?` for missing, `%` for comment lines. Sparse rows,
relational attributes and weights of instances are refused.
"""

import re
from collections.abc import Iterator

import polars as pl
from msgspec import Struct

from evallang.data.codes import DUPLICATE_COLUMN, EMPTY_FILE, MALFORMED_ARFF
from evallang.data.column_types import DATE_CELL, Kind, kind_of, trimmed, typed_cells
from evallang.data.delimited import checked_text
from evallang.data.files import check_size
from evallang.data.findings import RENAME, Findings, counted, quoted, repeated
from evallang.data.frame import Frame, frame_of
from evallang.limits import OverLimit
from evallang.source import Span
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


def read_arff(
    data: bytes, source: str, findings: Findings, *, span: Span | None = None
) -> Frame | None:
    """Read an ARFF file; None after a finding.

    Nominal and string columns are text, whatever they look like; numeric ones integers where
    all values are written so, else float64; dates are read in ISO 8601.
    """
    checked = checked_text(data, source, findings, span)
    if checked is None:
        return None
    text = checked.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    lines = enumerate(text.split("\n"), 1)
    try:
        attributes = _header(lines)
        check_size(source, text.count("\n"), len(attributes))
        rows = [
            (number, _row(line.strip(), len(attributes), number))
            for number, line in lines
            if line.strip() and not line.lstrip().startswith("%")
        ]
    except OverLimit as error:
        findings.over_limit(error, span=span)
        return None
    except _Malformed as error:
        message = f"line {error.line} of `{source}` {error}"
        findings.add(MALFORMED_ARFF, message, span=span, help=error.fix)
        return None
    names = [attribute.name for attribute in attributes]
    if twice := repeated(names):
        message = f"`{source}` has more than one column {quoted(twice)}"
        findings.add(DUPLICATE_COLUMN, message, span=span, help=RENAME)
        return None
    if not rows:
        findings.add(EMPTY_FILE, f"`{source}` has a header and no rows", span=span)
        return None
    places = [number for number, _ in rows]
    cells = zip(*(row for _, row in rows), strict=True)
    columns = [
        _column(attribute, list(column), places, source, findings, span)
        for attribute, column in zip(attributes, cells, strict=True)
    ]
    series = [column for column in columns if column is not None]
    if len(series) < len(columns):
        return None
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


def _column(
    attribute: Attribute,
    cells: list[str | None],
    lines: list[int],
    source: str,
    findings: Findings,
    span: Span | None,
) -> "pl.Series | None":
    """Convert the cells of a column to the declared type; None after a finding."""
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
    line, cell = lines[odd[0]], column[odd[0]]
    message = f"line {line} of `{source}` contains {cell!r} in `{attribute.name}`, {what}"
    findings.add(MALFORMED_ARFF, message, span=span, help=fix)
    return None
