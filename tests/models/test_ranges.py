"""Ranges of parameters: what they hold, and how they are worded."""

import pytest
from many_cases import for_each

from evallang.models.domains import Constraint, Range

INFINITE = float("inf")


@for_each(
    ("found", "words"),
    [
        (Range("real", 0, 1, False, False), "a number from 0 to 1"),
        (Range("real", 0, 1, True, True), "a number between 0 and 1"),
        (Range("float", 0, 1, True, False), "a number with a point above 0, up to 1"),
        (Range("real", 0, 1, False, True), "a number from 0 to below 1"),
        (Range("real", 0, INFINITE, True, True), "a number above 0"),
        (Range("int", 1, INFINITE, False, True), "a whole number, 1 or more"),
        (Range("real", -INFINITE, 0, True, True), "a number below 0"),
        (Range("int", -INFINITE, -1, True, False), "a whole number, -1 or less"),
        (Range("real", -INFINITE, INFINITE, True, True), "a number"),
    ],
)
def test_a_range_is_worded_by_its_ends(found, words):
    assert str(found) == words


@pytest.mark.parametrize(
    ("kind", "value", "held"),
    [("int", 1, True), ("int", 0.5, False), ("real", 1, True), ("real", 0.5, True),
     ("float", 1, False), ("float", 0.5, True)],
)  # fmt: skip
def test_whole_numbers_and_shares_are_told_apart(kind, value, held):
    assert Range(kind, 0, 2, True, True).holds(value) is held


def test_an_end_that_is_open_or_infinite_is_no_limit():
    constraint = Constraint(
        frozenset(),
        ranges=(Range("int", 1, INFINITE, False, True), Range("float", 0, 1, True, False)),
    )
    assert constraint.bounds([2, 3]) == (1, None)
    assert constraint.bounds([0.25, 0.5]) == (None, 1)
    assert constraint.bounds([-1]) == (None, None)
