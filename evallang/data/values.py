"""Columns of plain Python values, as JSON and databases give them, to typed columns."""

import datetime
import json
from collections.abc import Iterable
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from evallang.data.kinds import plain_types
from evallang.data.labels import label_text
from evallang.registry import lazy

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")

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
    """Give a moment without zone: that of UTC where it has one."""
    if value.tzinfo is None:
        return value
    return value.astimezone(datetime.UTC).replace(tzinfo=None)
