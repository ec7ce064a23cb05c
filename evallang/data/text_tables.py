"""What tables of text have in common in every format: names, rows, unnamed columns, decimals."""

import codecs
from collections.abc import Callable, Collection, Iterable, Sequence

import polars as pl

from evallang.data.findings import RENAME, Refused, quoted, repeated
from evallang.data.frame import Frame, frame_of
from evallang.data.number_signs import is_number, with_decimal_points
from evallang.diagnostics import codes

Needed = Callable[[Sequence[str]], Collection[str]]
"""What returns the columns that a study needs out of all columns of a file."""
UTF_16_OR_32 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)


def checked_text(data: bytes, source: str) -> bytes:
    """Return UTF-8 text without its byte order mark; any other is refused."""
    if data.startswith(UTF_16_OR_32):
        message = f"`{source}` is written in UTF-16 or UTF-32"
        raise Refused(codes.text_not_utf8, message, help="save it as UTF-8")
    text = data.removeprefix(codecs.BOM_UTF8)
    if (place := text.find(b"\0")) >= 0:
        line = text.count(b"\n", 0, place) + 1
        message = f"`{source}` contains a zero byte in line {line}, which a text cannot have"
        raise Refused(codes.text_not_utf8, message, help="save it as text in UTF-8")
    try:
        if not text.isascii():
            text.decode("utf-8")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        message = f"`{source}` is not UTF-8 in line {line}"
        raise Refused(codes.text_not_utf8, message, help="save it as UTF-8") from error
    return text


EXPORT = (
    "promptfoo repeats these columns for each prompt: write `promptfoo eval -o out.jsonl`, and "
    "read `out.jsonl` with `model promptIdx`, `id testIdx` and `correct all as success`; instead "
    "of `promptIdx`, `provider.id` or `provider.label` names the columns where each has its own"
)


def check_names(source: str, names: Iterable[str]) -> None:
    """Refuse a table in which two columns have one name."""
    if twice := repeated(names):
        message = f"`{source}` has more than one column {quoted(twice)}"
        of_promptfoo = {"Status", "Grader Reason"} <= {*twice}
        raise Refused(codes.column_name_twice, message, help=EXPORT if of_promptfoo else RENAME)


def is_header(fields: Collection[str], named: frozenset[str]) -> bool:
    """Return whether a first record holds names: one that the study names, or no number."""
    return bool(named.intersection(fields)) or not any(map(is_number, fields))


def numbered_names(fields: Iterable[str]) -> tuple[str, ...]:
    """Return the names of columns; those without one are called by their number, column_3."""
    return tuple(field or f"column_{i}" for i, field in enumerate(fields, 1))


def text_frame(
    source: str,
    cells: "pl.DataFrame",
    lines: Sequence[int],
    notes: Sequence[str],
    *,
    header: bool = True,
    separator: str = ",",
    needed: Needed | None = None,
) -> Frame:
    """Return cells of text as a frame, with decimal points in the numbers.

    Columns without a name and without values, as trailing separators make them, are dropped where
    there is a `header`. Unclear numbers are refused in the columns that are `needed` (None: all).
    """
    if cells.height == 0:
        raise Refused(codes.no_rows_in_file, f"`{source}` has a header and no rows")
    gone = [
        name
        for place, name in enumerate(cells.columns, 1)
        if header and name == f"column_{place}" and cells[name].null_count() == cells.height
    ]
    cells = cells.drop(gone)
    used = cells.columns if needed is None else needed(cells.columns)
    cells, signs = with_decimal_points(cells, source, separator, used)
    dropped = [f"{name} has no name and no values: skipped" for name in gone]
    return frame_of(source, cells, untyped=True, lines=lines, notes=(*notes, *dropped, *signs))
