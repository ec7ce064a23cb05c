"""Long tables show their first and last rows, as many as their lines leave room for."""

import pytest

from evallang.reporting.document import Cell, Column, Number, Row, Table, runs
from evallang.reporting.long_tables import Room, capped, has_long_word

PAGE = 480.0  # points


def table(names, groups=(), **facts):
    columns = (Column(runs("Model"), "left"), Column(runs("Value")))
    rows = []
    for number, name in enumerate(names):
        if number in groups:
            rows.append(Row((Cell(runs(f"group {number}")),), group=True))
        rows.append(Row((Cell(runs(name)), Cell(runs(Number(str(number))), number))))
    return Table("table-x", runs("Values"), columns, tuple(rows), **facts)


def shown(made):
    return [row.cells[1].exact for row in made.rows if not row.group]


def test_rows_of_one_line_are_counted():
    made = capped(table([f"m{i}" for i in range(80)]), Room(50, PAGE))
    assert shown(made) == [*range(34), *range(64, 80)]
    assert (made.left_out, made.gap_after) == (30, 34)
    whole = table([f"m{i}" for i in range(50)])
    assert capped(whole, Room(50, PAGE)) is whole


@pytest.mark.parametrize("lines", [2, 5])
def test_rows_of_many_lines_are_fewer(lines):
    name = "a name of words " * (lines * 7)
    made = capped(table([f"{name}{i}" for i in range(60)]), Room(50, PAGE))
    rows = len(shown(made))
    assert rows + made.left_out == 60
    # Fifty rows of one line have 50 x 1.6 lines with their gaps; a column of 480 points has
    # about 110 characters of 8 points
    assert rows * (lines + 0.6) == pytest.approx(80, rel=0.35)
    assert shown(made)[-1] == 59


def test_a_screen_counts_rows_whatever_their_lines():
    long = table(["a name of words " * 40] * 60)
    assert capped(long, Room(500)) is long
    assert capped(table(["m"] * 600), Room(500)).left_out == 100


def test_whole_and_short_tables_are_never_cut():
    long = table(["a name of words " * 40] * 60, whole=True)
    assert capped(long, Room(50, PAGE)) is long
    short = table(["a name of words " * 400] * 9)
    assert capped(short, Room(50, PAGE)) is short


def test_the_last_rows_keep_the_heading_of_their_group():
    made = capped(table([f"m{i}" for i in range(90)], groups=range(0, 90, 3)), Room(50, PAGE))
    assert not made.rows[made.gap_after - 1].group
    after = made.rows[made.gap_after]
    assert after.group
    first = made.rows[made.gap_after + 1].cells[1].exact
    assert after.cells[0].runs[0].text == f"group {first - first % 3}"
    assert len(shown(made)) + made.left_out == 90


def test_the_last_rows_begin_with_the_name_of_their_model():
    names = [f"m{i // 3}" if i % 3 == 0 else "" for i in range(90)]
    made = capped(table(names), Room(50, PAGE))
    after = made.rows[made.gap_after]
    assert after.cells[0].runs[0].text == f"m{int(after.cells[1].exact) // 3}"


@pytest.mark.parametrize(
    ("words", "long"), [("n_neighbors=5, weights=uniform", False), ("x=" + "y" * 40, True)]
)
def test_only_long_words_are_broken_inside(words, long):
    assert has_long_word(runs(words)) is long
