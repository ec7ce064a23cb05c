"""Whether rows differ, found by their hashes, beside sets of the rows themselves."""

import datetime

import numpy as np
import polars as pl
import pytest

from evallang.data import distinct_rows
from evallang.data.distinct_rows import rows_differ

VALUES = {
    "texts": ["a", "b", "ab", "", None, "á"],
    "whole numbers": [0, 1, -1, 2**40, None],
    "fractions": [0.0, -0.0, 1.5, float("nan"), None, float("inf")],
    "verdicts": [True, False, None],
    "days": [datetime.date(2026, 1, day) for day in range(1, 6)],
}


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch):
    for name, value in (("MANY", 0), ("FIRST", 1), ("AT_ONCE", 3)):
        monkeypatch.setattr(distinct_rows, name, value)


def same(rows):
    """Return rows that are equal where the values of their cells are."""
    return [tuple("nan" if cell != cell else cell for cell in row) for row in rows]


@pytest.mark.parametrize("kind", VALUES)
@pytest.mark.parametrize("width", [1, 2])
def test_rows_differ_where_a_set_of_them_has_as_many(kind, width):
    chance = np.random.default_rng(len(kind))
    found = set()
    for n in (1, 2, 3, 4, 5, 7) * 12:
        columns = {
            f"c{i}": [VALUES[kind][k] for k in chance.integers(0, len(VALUES[kind]), n)]
            for i in range(width)
        }
        rows = list(zip(*columns.values(), strict=True))
        expected = len(set(same(rows))) == n
        assert rows_differ(pl.DataFrame(columns)) is expected
        found.add(expected)
    assert found == {True, False}


def test_rows_of_equal_hashes_are_compared_themselves(monkeypatch):
    monkeypatch.setattr(
        pl.DataFrame, "hash_rows", lambda cells: pl.Series([7] * cells.height, dtype=pl.UInt64)
    )
    assert rows_differ(pl.DataFrame({"id": ["a", "b", "c", "d"]}))
    assert not rows_differ(pl.DataFrame({"id": ["a", "b", "c", "b"]}))


@pytest.mark.parametrize("place", [0, 1, 5_000, 99_998])
def test_one_row_that_is_twice_in_a_long_table_is_found(monkeypatch, place):
    monkeypatch.setattr(distinct_rows, "AT_ONCE", 1 << 12)
    ids = [f"u{number}" for number in np.random.default_rng(1).permutation(100_000)]
    assert rows_differ(pl.DataFrame({"id": ids}))
    assert not rows_differ(pl.DataFrame({"id": [*ids, ids[place]]}))
