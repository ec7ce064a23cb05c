"""Which column of a table tells when a row was observed, and in what order the rows are then."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from evallang.data.column_types import Kind, kind_of
from evallang.data.dataset import Table
from evallang.data.text_forms import are_dates, are_digits_of_dates, names_birth, names_time
from evallang.frozen_records import frozen
from evallang.registry import lazy

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
    from numpy.typing import NDArray
else:
    np = lazy("numpy")
    pl = lazy("polars")

FEWEST_MOMENTS = 10  # different values; fewer are seasons or waves, whose order tells little
FIRST_LOOK = 1_000  # rows of text in which dates are looked for before all are read
LAYOUTS = (
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%d.%m.%Y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%d %b %Y",
    "%b %d, %Y",
    "%Y-%m",
)
"""Forms of dates in text; where two fit, as of 03/04/2021, the first that fits all values."""


@frozen
class TimeColumn:
    """A column of dates or times.

    Attributes
    ----------
    name : the column
    ranks : int codes (n,), ascending in time, equal for equal moments
    in_order : whether the rows of the file are in its order, rising or falling
    earliest_first : whether they are in its order and rise
    """

    name: str
    ranks: "NDArray[np.int64]"
    in_order: bool
    earliest_first: bool


def time_column(table: Table) -> TimeColumn | None:
    """Return the column that orders the rows in time, None where no column does.

    Columns of dates come first, in whatever order the rows are; then numbers called by a unit
    of time, such as `year`, if the rows are in their order.
    """
    columns = dict(_features(table)) | dict(table.unused)
    for name, values in columns.items():
        dates = None if names_birth(name) else _as_dates(values)
        if dates is not None:
            found = _time_column(name, dates)
            if found is not None:
                return found
    for name, values in columns.items():
        if kind_of(values) is Kind.NUMBER and names_time(name, used=name not in table.unused):
            found = _time_column(name, values)
            if found is not None and found.in_order:
                return found
    return None


def _features(table: Table) -> Iterator[tuple[str, "pl.Series"]]:
    """Iterate over the features that may be dates or times."""
    for column in table.columns:
        if column.numeric:
            values = table.numeric[:, column.index]
            if names_time(column.name):
                yield column.name, pl.Series(column.name, values).fill_nan(None)
        else:
            texts = table.objects[:, column.index]
            first = [value for value in texts[:FIRST_LOOK].tolist() if isinstance(value, str)]
            if are_dates(dict.fromkeys(first)):
                kept = [value if isinstance(value, str) else None for value in texts.tolist()]
                yield column.name, pl.Series(column.name, kept, dtype=pl.String)


def _as_dates(values: "pl.Series") -> "pl.Series | None":
    """Return a column as dates, None where it holds none or one is missing."""
    if values.null_count():
        return None
    kind = kind_of(values)
    if kind is Kind.DATE:
        return values
    if kind is Kind.NUMBER and values.dtype.is_integer():
        distinct = values.unique().head(1000).cast(pl.String).to_list()
        return values if are_digits_of_dates(distinct) else None
    if kind is not Kind.TEXT or not are_dates(values.unique().to_list()):
        return None
    for layout in LAYOUTS:
        texts = values + "-01" if layout == "%Y-%m" else values
        read = texts.str.to_date("%Y-%m-%d" if layout == "%Y-%m" else layout, strict=False)
        if not read.null_count():
            return read
    moments = values.str.replace(" ", "T", literal=True)
    for layout in ("%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%dT%H:%M"):
        read = moments.str.to_datetime(layout, strict=False, time_unit="us")
        if not read.null_count():
            return read
    return None


def _time_column(name: str, values: "pl.Series") -> TimeColumn | None:
    if values.null_count() or values.n_unique() < FEWEST_MOMENTS:
        return None
    ranks = np.asarray((values.rank("dense") - 1).to_numpy(), dtype=np.int64)
    steps = np.diff(ranks)
    rising, falling = bool((steps >= 0).all()), bool((steps <= 0).all())
    return TimeColumn(name, ranks, rising or falling, rising)
