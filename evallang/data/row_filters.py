"""`where` lines: which rows are kept, in order, before anything else is done."""

import datetime
import operator
from collections.abc import Sequence

import polars as pl

from evallang.data.column_types import Kind
from evallang.data.dataset import Label, Where
from evallang.data.findings import Refused, quoted, unknown_column, written
from evallang.data.frame import Frame
from evallang.data.labels import as_number, label_text
from evallang.diagnostics import codes

MOST_ODD_WORDS = 3  # words among numbers that look like marks of missing values
DAY_FIRST = r"^[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{2,4}$"
ORDERINGS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def select(
    frame: Frame, lines: Sequence[Where], *, may_be_empty: bool = False
) -> tuple[Frame, tuple[tuple[str, int], ...]]:
    """Keep the rows for which every line holds, and count what each line excluded.

    A missing value equals nothing and is in no order, so it is kept by `!=` and excluded by
    every other comparison. A line that leaves no row is refused, or with `may_be_empty` the last
    one that is applied.
    """
    excluded: list[tuple[str, int]] = []
    for line in lines:
        if line.column not in frame.columns:
            raise unknown_column(
                codes.unknown_column, line.column, frame.nameable, frame.source, span=line.span
            )
        after = frame.keep(holds(frame, line))
        excluded.append((line.written, frame.n - after.n))
        if after.n == 0 and may_be_empty:
            return after, tuple(excluded)
        if after.n == 0:
            above = " that the lines above keep" if any(n for _, n in excluded[:-1]) else ""
            raise Refused(
                codes.no_rows_left,
                f"`{line.written}` keeps none of {frame.n:,} rows{above}",
                span=line.span,
                help=_say_missing(frame, line) or _describe_values(frame, line.column),
            )
        frame = after
    return frame, tuple(excluded)


def holds(frame: Frame, line: Where) -> "pl.Series":
    """Return the rows for which a line holds."""
    values = frame.values(line.column)
    if line.operator == "is missing":
        return values.is_null()
    if line.operator == "is not missing":
        return values.is_not_null()
    if line.operator in ORDERINGS:
        return _ordered_rows(frame, line)
    wanted = line.value if isinstance(line.value, tuple) else (line.value,)
    equal = _equal(frame, line, wanted)
    return ~equal if line.operator == "!=" else equal


def _equal(frame: Frame, line: Where, wanted: Sequence[Label | None]) -> "pl.Series":
    """Return the rows in which a column equals one of the labels, as text or as number."""
    labels = [label for label in wanted if label is not None]
    values = frame.values(line.column)
    kind = frame.kind(line.column)
    if kind is Kind.DATE:
        moments = [_moment(label) for label in labels]
        if any(moment is None for moment in moments):
            raise _incomparable(frame, line)
        return values.cast(pl.Datetime("us")).is_in(moments).fill_null(False)
    spelled = [label_text(label).strip() for label in labels]
    if kind is Kind.BOOLEAN:
        spelled = [text.lower() for text in spelled]
    equal = frame.texts(line.column).is_in(spelled)
    if kind in (Kind.NUMBER, Kind.BOOLEAN):
        numbers = [number for label in labels if (number := as_number(label)) is not None]
        equal = equal | values.cast(pl.Float64).is_in(numbers)
    return equal.fill_null(False)


def _ordered_rows(frame: Frame, line: Where) -> "pl.Series":
    kind = frame.kind(line.column)
    values = frame.values(line.column)
    if kind is Kind.EMPTY:
        return pl.Series([False] * frame.n, dtype=pl.Boolean)
    if kind not in (Kind.NUMBER, Kind.DATE):
        raise Refused(
            codes.ordering_of_text,
            f"`{line.column}` contains {frame.content(line.column)}, which `{line.operator}` "
            "cannot order",
            span=line.span,
            help=_suggest_order(frame, line.column),
        )
    label = line.value if not isinstance(line.value, tuple) else None
    bound: float | datetime.datetime | None
    if kind is Kind.NUMBER:
        bound = None if isinstance(label, bool) else as_number(label)
        compared = values.cast(pl.Float64)
    else:
        bound = _moment(label)
        compared = values.cast(pl.Datetime("us"))
    if bound is None:
        raise _incomparable(frame, line)
    holds: pl.Series = ORDERINGS[line.operator](compared, bound)
    return holds.fill_null(False)


def _moment(label: Label | None) -> datetime.datetime | None:
    """Read a date, or a date and time, in ISO 8601; None for anything else."""
    if not isinstance(label, str):
        return None
    try:
        return datetime.datetime.fromisoformat(label.strip()).replace(tzinfo=None)
    except ValueError:
        return None


def _incomparable(frame: Frame, line: Where) -> Refused:
    dates = frame.kind(line.column) is Kind.DATE
    return Refused(
        codes.incomparable_value,
        f"`{line.column}` contains {frame.content(line.column)}, so `{line.written}` "
        "cannot be applied",
        span=line.span,
        help='write dates in quotes, year first: `"2024-03-01"`' if dates else "write a number",
    )


def _suggest_order(frame: Frame, column: str) -> str:
    """Return why a column has no order: a few words among numbers, or dates as text."""
    cells = frame.texts(column).drop_nulls()
    odd = cells.filter(cells.cast(pl.Float64, strict=False).is_null()).unique().sort().to_list()
    if len(odd) <= MOST_ODD_WORDS and len(odd) < cells.n_unique() - len(odd):
        marks = quoted((f'"{word}"' for word in odd), MOST_ODD_WORDS)
        return (
            f"{marks} {'makes' if len(odd) == 1 else 'make'} it text; all other values are numbers"
        )
    if cells.str.contains(DAY_FIRST).all():
        return "dates are read year first: `2024-03-01`"
    return _describe_values(frame, column)


def _say_missing(frame: Frame, line: Where) -> str | None:
    """Return what to write in place of a word that was read as missing; None of other words."""
    wanted = line.value if isinstance(line.value, tuple) else (line.value,)
    words = [word for word in frame.taken.get(line.column, {}) if word in wanted]
    if not words:
        return None
    return f"`{words[0]}` is read as missing: write `where {written(line.column)} is missing`"


def _describe_values(frame: Frame, column: str) -> str:
    values = frame.values(column)
    kind = frame.kind(column)
    if kind is Kind.EMPTY:
        return f"`{column}` is missing in every row"
    if kind in (Kind.NUMBER, Kind.DATE):
        ends = (label_text(values.min()), label_text(values.max()))
        if ends[0] == ends[1]:
            return f"`{column}` is {ends[0]} in every row"
        return f"`{column}` goes from {' to '.join(ends)}"
    levels = sorted(frame.texts(column).drop_nulls().unique().to_list())
    return f"`{column}` contains {quoted(levels, 8)}"
