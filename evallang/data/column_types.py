"""The types of a column's values: numbers, Booleans, dates, text.

Cells of text files are typed here and nowhere else, so that the same words mean the same
in every clause. Parquet, JSON Lines and databases bring types with them, which are kept.
"""

import datetime
import json
import re
from collections.abc import Collection, Iterable
from decimal import Decimal
from enum import StrEnum
from typing import Any

import polars as pl

from evallang.data.labels import label_text
from evallang.data.number_signs import may_be_grouped

INTEGER_CELL = r"^[+-]?(0|[1-9][0-9]*)$"
DATE_CELL = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?)?$"
TYPED_CELL = re.compile(DATE_CELL)


class Kind(StrEnum):
    """The kinds that a column can have; `EMPTY` is a column of missing values only."""

    NUMBER = "numbers"
    BOOLEAN = "true and false"
    DATE = "dates"
    TEXT = "text"
    EMPTY = "missing values only"
    OTHER = "lists, objects or bytes"


def kind_of(series: "pl.Series") -> Kind:
    """Return the type of a typed column."""
    dtype = series.dtype
    if series.null_count() == len(series):
        return Kind.EMPTY
    if dtype.is_numeric():
        return Kind.NUMBER
    if dtype == pl.Boolean:
        return Kind.BOOLEAN
    if dtype in (pl.Date, pl.Datetime):
        return Kind.DATE
    return Kind.TEXT if dtype == pl.String else Kind.OTHER


def type_words(series: "pl.Series") -> str:
    """Format the type of a typed column: `numbers`, `durations`."""
    kind = kind_of(series)
    dtype = series.dtype
    if kind is not Kind.OTHER:
        return str(kind)
    if dtype == pl.Duration:
        return "durations"
    if dtype == pl.Time:
        return "times of day"
    if dtype == pl.Struct:
        return "objects"
    return "lists" if dtype.is_nested() else str(kind)


def typed_cells(cells: "pl.Series") -> "pl.Series":
    """Convert the cells of a text file to the type that all of them have.

    Missing cells are null. Integers are written without leading zeros; a column of numbers
    may hold `nan` (missing) and `inf` next to at least one finite number; Booleans are
    `true` and `false` in any case; dates are ISO 8601, year first. All else is text.
    """
    present = cells.drop_nulls() if cells.null_count() else cells
    if present.is_empty():
        return cells.cast(pl.String)
    first = present[0]
    typed = first.lower() in ("true", "false") or TYPED_CELL.fullmatch(first) is not None
    if not typed and not is_float(first):  # every cell would have to be
        return cells
    if present.str.contains(INTEGER_CELL).all():
        whole = cells.cast(pl.Int64, strict=False)
        if whole.null_count() == cells.null_count():
            return whole
    numbers = _numbers(cells)
    if numbers is not None:
        return numbers
    if present.str.to_lowercase().is_in(["true", "false"]).all():
        return (cells.str.to_lowercase() == "true").rename(cells.name)
    if present.str.contains(DATE_CELL).all():
        dates = dates_of(cells)
        if dates is not None:
            return dates
    return cells


def _numbers(cells: "pl.Series") -> "pl.Series | None":
    numbers = cells.cast(pl.Float64, strict=False)
    if numbers.null_count() != cells.null_count() or not numbers.is_finite().any():
        return None
    return numbers.fill_nan(None)


def dates_of(cells: "pl.Series") -> "pl.Series | None":
    """Return texts as days or moments, year first; None where one is neither."""
    days = cells.str.to_date("%Y-%m-%d", strict=False)
    if days.null_count() == cells.null_count():
        return days
    moments = cells.str.replace(" ", "T", literal=True)
    for layout in ("%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M"):
        read = moments.str.to_datetime(layout, strict=False, time_unit="us")
        if read.null_count() == cells.null_count():
            return read
    return None


def plain_types(cells: "pl.DataFrame") -> "pl.DataFrame":
    """Convert the columns of a typed file to the types that are used here.

    Categories become text, decimals float64, NaN and empty text null; text loses the blanks around
    it. Dates, lists and the like stay what they are.
    """
    decimals = [dtype for dtype in set(cells.dtypes) if dtype.is_decimal()]
    words = pl.col(pl.Categorical, pl.Enum).cast(pl.String)
    cells = cells.with_columns(words, pl.col(decimals).cast(pl.Float64))
    found = cells.select(pl.col(pl.Float32, pl.Float64).is_nan().any())
    with_nan = [column.name for column in found if column.item()]
    return trimmed_texts(cells.with_columns(pl.col(with_nan).fill_nan(None)))


def trimmed(cells: "pl.Expr") -> "pl.Expr":
    """Strip blanks around text; text of blanks alone is missing."""
    stripped = cells.str.strip_chars()
    return pl.when(stripped != "").then(stripped).otherwise(None).name.keep()


def trimmed_texts(cells: "pl.DataFrame") -> "pl.DataFrame":
    """Strip blanks around all text of a table; text of blanks alone is missing."""
    return cells.with_columns(trimmed(pl.col(pl.String)))


def plain_numbers(cells: "pl.DataFrame", spelled: Collection[str] | None) -> "pl.DataFrame":
    """Convert columns of text that hold numbers to these, where none asks for more than them.

    Whole numbers have one spelling (not 007, +5 or -0); floats are typed in the columns that are
    not `spelled` (None: all are), unless their points may group thousands.
    """
    whole, floats = [], []
    first = cells.select(pl.all().drop_nulls().first()).row(0) if cells.width else ()
    for name, cell in zip(cells.columns, first, strict=True):
        if cell is not None and re.fullmatch(INTEGER_CELL, cell):
            whole.append(name)
        if cell is not None and spelled is not None and name not in spelled and is_float(cell):
            floats.append(name)
    if whole:
        number, text = pl.col(whole).cast(pl.Int64, strict=False), pl.col(whole)
        plain = cells.select(number.cast(pl.String).eq_missing(text).all()).row(0)
        signed = cells.select(text.str.contains(INTEGER_CELL).all()).row(0)  # as +5 and -0 are
        typed = [name for name, fits in zip(whole, plain, strict=True) if fits]
        cells = cells.with_columns(pl.col(typed).cast(pl.Int64))
        integers = {name for name, every in zip(whole, signed, strict=True) if every}
        floats = [name for name in floats if name not in integers]
    if not floats:
        return cells
    numbers = cells.select(pl.col(floats).cast(pl.Float64, strict=False))
    lost = cells.select(floats).null_count().row(0), numbers.null_count().row(0)
    finite = numbers.select(pl.all().is_finite().any()).row(0)
    fits = [name for name, n, m, one in zip(floats, *lost, finite, strict=True) if n == m and one]
    numbers = numbers.select(pl.col(fits).fill_nan(None))
    return cells.with_columns(one for one in numbers if not may_be_grouped(one))


def is_float(cell: str) -> bool:
    """Return whether Python reads a text as a number."""
    try:
        float(cell)
    except ValueError:
        return False
    return True


OPAQUE = (list, dict, tuple, bytes, memoryview, datetime.time, datetime.timedelta)
"""Values that no clause can use; a column that holds one is kept as bytes."""


def table_of(columns: Iterable[tuple[str, list[Any]]]) -> "pl.DataFrame":
    """Return columns of plain values, each with the type that all its values have."""
    return plain_types(pl.DataFrame([_series(name, values) for name, values in columns]))


def _series(name: str, values: list[Any]) -> "pl.Series":
    """Return a column with the type that all its values have; None is missing.

    Values of several types become text, decimals float64, dates and times stay what they are.
    """
    types = {type(value) for value in values if value is not None}
    if types & set(OPAQUE):
        return pl.Series(name, [None if v is None else _bytes(v) for v in values], pl.Binary)
    if not types:
        return pl.Series(name, values, pl.Null)
    if types == {bool}:
        return pl.Series(name, values, pl.Boolean)
    if types == {int} and all(v is None or -(2**63) <= v < 2**63 for v in values):
        return pl.Series(name, values, pl.Int64)
    if types <= {int, float, Decimal}:
        numbers = [None if v is None else _float(v) for v in values]
        return pl.Series(name, numbers, pl.Float64)
    if types == {datetime.date}:
        return pl.Series(name, values, pl.Date)
    if types == {datetime.datetime}:
        moments = [None if v is None else _moment(v) for v in values]
        return pl.Series(name, moments, pl.Datetime("us"))
    texts = [None if v is None else label_text(v) for v in values]
    return pl.Series(name, texts, pl.String)


def _bytes(value: Any) -> bytes:
    if isinstance(value, bytes | memoryview):
        return bytes(value)
    return json.dumps(value, ensure_ascii=False, default=str).encode("utf-8", "replace")


def _float(value: int | float | Decimal) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _moment(value: datetime.datetime) -> datetime.datetime:
    """Return a moment without zone: that of UTC where it has one."""
    if value.tzinfo is None:
        return value
    return value.astimezone(datetime.UTC).replace(tzinfo=None)
