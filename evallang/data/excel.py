"""Excel workbooks: one sheet is read as a text table is, so that the same cells mean the same."""

import io
import re
import zipfile
from importlib.util import find_spec
from pathlib import Path

import polars as pl

from evallang.data.column_types import trimmed
from evallang.data.files import check_size
from evallang.data.findings import Refused, quoted
from evallang.data.frame import Frame
from evallang.data.path_patterns import sheet_of
from evallang.data.text_tables import check_names, is_header, numbered_names, text_frame
from evallang.diagnostics import codes
from evallang.installation import install_extras
from evallang.limits import BYTES, MEMORY, OverLimit
from evallang.spelling import closest

TEXTS = re.compile(rb"uniqueCount\s*=\s*[\"']([0-9]+)")
REFERENCE = re.compile(rb"\br\s*=\s*[\"']([A-Za-z]*)([0-9]+)")
ROW, CELL = re.compile(rb"<(?:\w+:)?row\b"), re.compile(rb"<(?:\w+:)?c\b")
CELL_BYTES = 48  # of the parser, which is called twice, and of the table
MIDNIGHT = " 00:00:00"


def read_excel(
    content: Path | bytes, location: str, *, named: frozenset[str] = frozenset()
) -> Frame:
    """Read one sheet of a workbook, by default the first.

    The first row that is not empty is the header when it holds one of the `named` columns, or no
    number. Empty rows are skipped.
    """
    if find_spec("fastexcel") is None:
        message = f"`{location}` is an Excel workbook, and the package `fastexcel` is not installed"
        fix = f"run `{install_extras('excel')}`, or save the sheet as CSV"
        raise Refused(codes.unreadable_file, message, help=fix)
    file, sheet = sheet_of(location)
    try:
        sheets, chosen, cells = _texts(content, file, sheet)
    except (OverLimit, Refused):
        raise
    except Exception as error:  # of the parser, which raises its own kinds
        reason = str(error).strip().split("\n")[0]
        message = f"`{file}` cannot be read as an Excel workbook: {reason}"
        fix = "save it again, or save it as CSV"
        raise Refused(codes.unreadable_file, message, help=fix) from error
    source = f"{file}#{chosen}"
    cells = cells.with_columns(trimmed(pl.all()))
    filled = cells.select(pl.any_horizontal(pl.all().is_not_null())).to_series()
    lines, cells = (filled.arg_true() + 1).to_list(), cells.filter(filled)
    if cells.height == 0:
        raise Refused(codes.no_rows_in_file, f"`{source}` is empty")
    fields = [field or "" for field in cells.row(0)]
    header = is_header(fields, named)
    names = numbered_names(fields if header else [""] * len(fields))
    check_names(source, names)
    cells.columns = list(names)
    notes = [f"{source}: {'first row read as header' if header else 'no header'}"]
    if len(sheets) > 1:
        notes.insert(0, f"{source}: one of {len(sheets)} sheets, {quoted(sheets, 12)}")
    return text_frame(source, cells[header:], lines[header:], notes, header=header)


def _texts(
    content: Path | bytes, file: str, sheet: str | None
) -> "tuple[list[str], str, pl.DataFrame]":
    """Return the names of the sheets, the one that is meant, and its cells as text."""
    import fastexcel

    with zipfile.ZipFile(io.BytesIO(content) if isinstance(content, bytes) else content) as packed:
        BYTES.check(f"`{file}`, unpacked", sum(item.file_size for item in packed.infolist()))
        for item in packed.infolist():
            _check_part(packed.read(item), file)
    workbook = fastexcel.read_excel(content)
    sheets = workbook.sheet_names
    if not sheets:
        raise Refused(codes.no_rows_in_file, f"`{file}` has no sheet")
    chosen = sheet or sheets[0]
    if chosen not in sheets:
        near = closest(chosen, sheets)
        fix = f"did you mean `{near}`?" if near else f"its sheets are {quoted(sheets, 12)}"
        raise Refused(codes.unreadable_file, f"`{file}` has no sheet `{sheet}`", help=fix)
    texts, numbers = (
        workbook.load_sheet(chosen, header_row=None, dtypes=dtype).to_polars()
        for dtype in ("string", "float")
    )
    check_size(file, texts.height, texts.width)
    cells = [_to_the_last_digit(texts[name], numbers[name]) for name in texts.columns]
    return sheets, chosen, pl.DataFrame(cells)


def _check_part(part: bytes, file: str) -> None:
    """Check that a part of a workbook makes the parser ask for no more memory than there is.

    The parser ends the process without it. It makes room for all cells up to the last row and
    column that have one, and for as many texts as the part states.
    """
    if any(int(number) > len(part) for number in TEXTS.findall(part)):
        raise ValueError("it has fewer texts than it states")
    places = REFERENCE.findall(part)
    by_row = [len(CELL.findall(row)) for row in ROW.split(part)]
    rows = max((int(row) for _, row in places), default=0)
    columns = max((_column(letters) for letters in {letters for letters, _ in places}), default=0)
    needed = max(rows, len(by_row)) * max(columns, *by_row) * CELL_BYTES
    MEMORY.check(f"`{file}`", needed)


def _column(letters: bytes) -> int:
    """Return the number of a column; of eight letters on, one beyond all limits."""
    digits = enumerate(reversed(letters[:8].upper()))
    return sum((letter - 64) * 26**place for place, letter in digits)


def _to_the_last_digit(texts: "pl.Series", numbers: "pl.Series") -> "pl.Series":
    """Return cells as text, with all digits of numbers and without the midnight of dates."""
    rounded = texts.cast(pl.Float64, strict=False)
    exact = (rounded.is_not_null() & numbers.is_not_null() & (rounded != numbers)).fill_null(False)
    cells = texts
    if exact.any():
        cells = numbers.cast(pl.String).zip_with(exact, texts)
    dates = cells[1:].drop_nulls()
    if len(dates) and dates.str.ends_with(MIDNIGHT).all():
        cells = cells.str.strip_suffix(MIDNIGHT)
    return cells
