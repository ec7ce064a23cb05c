"""Columns of plain values, as queries and JSON lines give them, get the type of all values."""

import datetime
from decimal import Decimal

import polars as pl
from many_cases import for_each

from evallang.data.column_types import table_of

UTC = datetime.UTC
NOON = datetime.datetime(2024, 5, 1, 12)
EAST = datetime.timezone(datetime.timedelta(hours=2))


@for_each(
    ("values", "dtype", "found"),
    [
        ([None, None], pl.Null, [None, None]),
        ([True, None], pl.Boolean, [True, None]),
        ([1, 2], pl.Int64, [1, 2]),
        ([1, 2**63], pl.Float64, [1.0, 2.0**63]),
        ([1, 2.5, Decimal("0.5")], pl.Float64, [1.0, 2.5, 0.5]),
        ([10**400, -(10**400), 0.5], pl.Float64, [float("inf"), float("-inf"), 0.5]),
        ([datetime.date(2024, 5, 1)], pl.Date, [datetime.date(2024, 5, 1)]),
        ([NOON, None], pl.Datetime("us"), [NOON, None]),
        ([NOON.replace(tzinfo=UTC), NOON.replace(tzinfo=EAST)], pl.Datetime("us"),
         [NOON, NOON - datetime.timedelta(hours=2)]),
        ([1, "a", None], pl.String, ["1", "a", None]),
        ([" a ", "  "], pl.String, ["a", None]),
        ([[1, 2], None], pl.Binary, [b"[1, 2]", None]),
        ([b"x", memoryview(b"y")], pl.Binary, [b"x", b"y"]),
    ],
)  # fmt: skip
def test_a_column_has_the_type_of_all_its_values(values, dtype, found):
    column = table_of([("c", values)])["c"]
    assert column.dtype == dtype
    assert column.to_list() == found
