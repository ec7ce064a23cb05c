"""Long tables show their first and last rows."""

import pytest

from evallang.reporting.document import Cell, Column, Number, Row, Table, runs
from evallang.reporting.long_tables import capped, has_long_word


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
    made = capped(table([f"m{i}" for i in range(80)]), 50)
    assert shown(made) == [*range(34), *range(64, 80)]
    assert (made.left_out, made.gap_after) == (30, 34)
    whole = table([f"m{i}" for i in range(50)])
    assert capped(whole, 50) is whole


def test_whole_tables_are_never_cut():
    long = table(["m"] * 60, whole=True)
    assert capped(long, 50) is long


def test_the_last_rows_keep_the_heading_of_their_group():
    made = capped(table([f"m{i}" for i in range(90)], groups=range(0, 90, 3)), 50)
    assert not made.rows[made.gap_after - 1].group
    after = made.rows[made.gap_after]
    assert after.group
    first = made.rows[made.gap_after + 1].cells[1].exact
    assert after.cells[0].runs[0].text == f"group {first - first % 3}"
    assert len(shown(made)) + made.left_out == 90


def test_the_last_rows_begin_with_the_name_of_their_model():
    names = [f"m{i // 3}" if i % 3 == 0 else "" for i in range(90)]
    made = capped(table(names), 50)
    after = made.rows[made.gap_after]
    assert after.cells[0].runs[0].text == f"m{int(after.cells[1].exact) // 3}"


@pytest.mark.parametrize(
    ("words", "long"), [("n_neighbors=5, weights=uniform", False), ("x=" + "y" * 40, True)]
)
def test_only_long_words_are_broken_inside(words, long):
    assert has_long_word(runs(words)) is long
