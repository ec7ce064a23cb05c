"""What kind of values a column holds: numbers, Booleans, dates, text.

Cells of text files are typed here and nowhere else, so that the same words mean the same
in every clause. Parquet and JSON Lines bring types with them, which are kept.
"""

import re
from enum import StrEnum
from typing import TYPE_CHECKING

from evallang.registry import lazy

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")

INTEGER_CELL = r"^[+-]?(0|[1-9][0-9]*)$"
DATE_CELL = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?)?$"
DECIMAL_COMMA_CELL = r"^[+-]?[0-9]+(,[0-9]+)?$"
TYPED_CELL = re.compile(f"{DECIMAL_COMMA_CELL}|{DATE_CELL}")


class Kind(StrEnum):
    """The kinds that a column can have; `EMPTY` is a column of missing values only."""

    NUMBER = "numbers"
    BOOLEAN = "true and false"
    DATE = "dates"
    TEXT = "text"
    EMPTY = "missing values only"
    OTHER = "lists, objects or bytes"


def kind_of(series: "pl.Series") -> Kind:
    """Tell the kind of a typed column."""
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


def typed_cells(cells: "pl.Series", *, decimal_comma: bool = False) -> "pl.Series":
    """Give the cells of a text file the type that all of them have.

    Missing cells are null. Integers are written without leading zeros; a column of numbers
    may hold `nan` (missing) and `inf` beside at least one finite number; Booleans are
    `true` and `false` in any case; dates are ISO 8601, year first; `decimal_comma` reads
    `1,5` as a number where the fields are separated by semicolons. All else is text.
    """
    present = cells.drop_nulls() if cells.null_count() else cells
    if present.is_empty():
        return cells.cast(pl.String)
    if not _may_be_typed(present[0]):  # every cell would have to be
        return cells
    if present.str.contains(INTEGER_CELL).all():
        whole = cells.cast(pl.Int64, strict=False)
        if whole.null_count() == cells.null_count():
            return whole
    numbers = _numbers(cells)
    if numbers is None and decimal_comma and present.str.contains(DECIMAL_COMMA_CELL).all():
        numbers = _numbers(cells.str.replace(",", ".", literal=True))
    if numbers is not None:
        return numbers
    if present.str.to_lowercase().is_in(["true", "false"]).all():
        return (cells.str.to_lowercase() == "true").rename(cells.name)
    if present.str.contains(DATE_CELL).all():
        dates = _dates(cells)
        if dates is not None:
            return dates
    return cells


def _may_be_typed(cell: str) -> bool:
    """Tell whether one cell could belong to a column that is not text."""
    try:
        float(cell)
    except ValueError:
        return cell.lower() in ("true", "false") or bool(TYPED_CELL.fullmatch(cell))
    return True


def _numbers(cells: "pl.Series") -> "pl.Series | None":
    numbers = cells.cast(pl.Float64, strict=False)
    if numbers.null_count() != cells.null_count() or not numbers.is_finite().any():
        return None
    return numbers.fill_nan(None)


def _dates(cells: "pl.Series") -> "pl.Series | None":
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
    """Bring the columns of a typed file to the types that are used here.

    Categories become text, decimals float64, NaN and empty text null; text loses the blanks
    around it. Dates, lists and the like stay what they are.
    """
    types = set(cells.dtypes)
    words = [t for t in types if t == pl.Categorical or t == pl.Enum]
    decimals = [t for t in types if t.is_decimal()]
    cells = cells.with_columns(pl.col(words).cast(pl.String), pl.col(decimals).cast(pl.Float64))
    floats = pl.col(pl.Float32, pl.Float64).fill_nan(None)
    return cells.with_columns(floats, trimmed(pl.col(pl.String)))


def trimmed(cells: "pl.Expr") -> "pl.Expr":
    """Take the blanks around text away; what was nothing else is missing."""
    stripped = cells.str.strip_chars()
    return pl.when(stripped != "").then(stripped).otherwise(None).name.keep()
