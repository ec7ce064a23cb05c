"""Which column of a table tells when a row was observed, and in what order the rows are then."""

from collections.abc import Collection, Iterator

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.data.column_roles import complete_texts
from evallang.data.column_types import Kind, dates_of, kind_of
from evallang.data.dataset import DataSpec, Moments, PredictionsSpec, Table
from evallang.data.findings import Findings, Refused, quoted, written
from evallang.data.frame import Frame
from evallang.data.text_forms import (
    are_dates,
    are_digits_of_dates,
    names_birth,
    names_counter,
    names_time,
)
from evallang.diagnostics import codes

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


class TimeColumn(Struct, frozen=True):
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


def read_moments(
    frame: Frame,
    spec: DataSpec | PredictionsSpec,
    outcomes: Collection[str],
) -> Moments | None:
    """Return the order in time of rows that a study reads in order; None for that of the file.

    It is that of the column that `time` names. Without one it is that of the columns of dates,
    which must agree, or else of distinct numbers: an ascending or descending `id`, or a column
    called by a unit of time. Whether an `id` in another order tells the time, or the order of
    the file does, nobody can know, and is asked. `outcomes` are columns that cannot tell it.
    """
    if spec.time is not None:
        return _stated(frame, spec.time) if spec.time else None
    if not spec.series:
        return None
    columns = {name: frame.values(name) for name in frame.columns if name not in outcomes}
    dated = {
        name: found
        for name, values in columns.items()
        if not names_birth(name)
        and (dates := _as_dates(values)) is not None
        and (found := _time_column(name, dates)) is not None
    }
    if dated:
        finest = max(dated.values(), key=lambda one: int(one.ranks.max()))
        order = np.argsort(finest.ranks, kind="stable")
        if all((np.diff(one.ranks[order]) >= 0).all() for one in dated.values()):
            return Moments(finest.name, finest.ranks)
        raise Refused(
            codes.order_of_time_unknown,
            f"{quoted(tuple(dated))} put the rows of `{frame.source}` in different orders",
            "from",
            help=f"write `time {written(finest.name)}` below it, or another of them",
        )
    for name, values in columns.items():
        if kind_of(values) is not Kind.NUMBER or values.null_count():
            continue
        called = names_time(name, used=False)
        if not (called or name == spec.id or names_counter(name)) or values.n_unique() < frame.n:
            continue
        found = _time_column(name, values, fewest=0)
        if found is not None and (called or found.in_order):
            return Moments(name, found.ranks)
        if name == spec.id:
            raise Refused(
                codes.order_of_time_unknown,
                f"the rows of `{frame.source}` are not in the order of their id `{name}`, and the "
                "study reads them in the order of time",
                "id",
                help=f"write `time {written(name)}` below it if ids follow time, or `time "
                "none` if the rows of the file do",
            )
    return None


def likely_moments(
    frame: Frame, spec: PredictionsSpec, outcomes: Collection[str]
) -> Moments | None:
    """Return the order of the dates or times of predictions that a study does not read in order.

    A counter or an id that rises is not a time unless the study asks for an order.
    """
    if spec.time is not None or spec.series:
        return None
    series = replace(spec, series=True)
    found = Findings({}).tried(read_moments, frame, series, outcomes)
    if found is None or int(found.ranks.max()) + 1 < FEWEST_MOMENTS:
        return None
    dated = _as_dates(frame.values(found.column)) is not None
    return found if dated or names_time(found.column, used=False) else None


def _stated(frame: Frame, column: str) -> Moments:
    """Return the order by the column that the author names: numbers, dates, or times."""
    complete_texts(frame, column, "time")
    values = frame.values(column)
    if kind_of(values) is not Kind.NUMBER:
        dates = _as_dates(values)
        if dates is None:
            raise Refused(
                codes.order_of_time_unknown,
                f"`{column}` holds neither numbers nor dates of one form, so its order in time is "
                "unknown",
                "time",
                help="write dates as 2021-08-25, or name a column of numbers",
            )
        values = dates
    return Moments(column, np.asarray((values.rank("dense") - 1).to_numpy(), dtype=np.int64))


def time_column(table: Table) -> TimeColumn | None:
    """Return the column that orders the rows in time, None where no column does.

    The column that `time` names comes first, then columns of dates, in whatever order the rows
    are; then numbers called by a unit of time, such as `year`, if the rows are in their order.
    """
    stated = None if table.spec.time is None else table.keys.get(table.spec.time)
    if stated is not None:
        dates = stated if kind_of(stated) is Kind.NUMBER else _as_dates(stated)
        return None if dates is None else _time_column(table.spec.time or "", dates)
    columns = dict(_features(table)) | dict(table.unused) | dict(table.keys)
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
    if kind is not Kind.TEXT or not are_dates(values.head(FIRST_LOOK).unique().to_list()):
        return None
    for layout in LAYOUTS:
        texts = values + "-01" if layout == "%Y-%m" else values
        read = texts.str.to_date("%Y-%m-%d" if layout == "%Y-%m" else layout, strict=False)
        if not read.null_count():
            return read
    return dates_of(values)


def _time_column(name: str, values: "pl.Series", fewest: int = FEWEST_MOMENTS) -> TimeColumn | None:
    if values.null_count() or values.n_unique() < fewest:
        return None
    ranks = np.asarray((values.rank("dense") - 1).to_numpy(), dtype=np.int64)
    steps = np.diff(ranks)
    rising, falling = bool((steps >= 0).all()), bool((steps <= 0).all())
    return TimeColumn(name, ranks, rising or falling, rising)
