"""Several quantities of each model: a column each, in as many tables as have room."""

import pytest

from evallang.reporting.document import Cell, Column, Row, Table, runs
from evallang.reporting.formats.csv_tables import csv_text
from evallang.reporting.long_tables import fits_on_a_page, keeps_names_of_rows
from evallang.reporting.numbers import Scale
from evallang.reporting.wide_tables import Quantities, Quantity, tables_of_quantities

WHOLE = Table("table-x", (), (Column(runs("Model"), "left"),), (), notes=(runs("A note."),))


def words(row):
    return "".join(getattr(run, "text", "") for run in row)


def tables(n_models, names, bounded=()):
    found = [
        Quantities((f"Model {i}",), tuple(
            Quantity(name, i + k / 10, *((i - 1.0, i + 1.0) if name in bounded else ()))
            for k, name in enumerate(names)
        ))
        for i in range(n_models)
    ]  # fmt: skip
    return tables_of_quantities(WHOLE, "Curve in numbers", found, Scale(1), "95% interval")


def test_a_model_has_one_row_and_a_quantity_one_column():
    (table,) = tables(9, ("area", "slope"), bounded=("slope",))
    assert len(table.rows) == 9
    assert [words(column.head) for column in table.columns] == [
        "Model", "Area", "Value", "95% interval",
    ]  # fmt: skip
    assert [(words(s.head), s.first, s.last) for s in table.spanners] == [("Slope", 2, 3)]
    cells = [words(cell.runs).replace("\N{NO-BREAK SPACE}", " ") for cell in table.rows[4].cells]
    assert cells == ["Model 4", "4.0", "4.1", "[3.0, 5.0]"]
    assert csv_text(table).splitlines()[:2] == [
        "Model,area,slope,slope low,slope high", "Model 0,0,0.1,-1,1",
    ]  # fmt: skip


NAMES = tuple(f"A quantity of many words, number {k}" for k in range(8))


def test_many_quantities_of_many_models_are_tables_that_continue_the_first():
    made = tables(5, NAMES, NAMES[:2])
    assert [table.id for table in made] == [
        "table-x",
        *(f"table-x-{k}" for k in range(2, len(made) + 1)),
    ]
    assert [words(table.caption) for table in made] == [
        "Curve in numbers.", *["Curve in numbers, continued."] * (len(made) - 1),
    ]  # fmt: skip
    assert [bool(table.notes) for table in made] == [False] * (len(made) - 1) + [True]
    heads = [words(s.head) for t in made for s in t.spanners] + [
        words(c.head) for t in made for c in t.columns if words(c.head) in NAMES
    ]
    assert sorted(heads) == sorted(NAMES)
    assert all(len(table.rows) == 5 for table in made)


@pytest.mark.parametrize("n", [1, 3])
def test_many_quantities_of_few_models_have_a_row_each(n):
    (table,) = tables(n, NAMES, NAMES[:2])
    assert [words(row.cells[0].runs) for row in table.rows] == list(NAMES)
    assert [words(s.head) for s in table.spanners] == [f"Model {i}" for i in range(n)]
    assert words(table.rows[1].cells[1].runs) == "0.1" and words(table.rows[3].cells[2].runs) == "–"
    assert csv_text(table).splitlines()[0].startswith("Quantity,Model 0,Model 0 low,Model 0 high")


def test_a_model_of_several_classes_is_named_once_on_the_page_and_in_each_row_of_the_file():
    whole = Table("table-x", (), (Column(runs("Model"), "left"), Column(runs("Class"), "left")), ())
    found = [Quantities(("Tree", c), (Quantity("area", 0.5),)) for c in "ab"]
    (table,) = tables_of_quantities(whole, "Curve", found, Scale(1), "95% interval")
    assert [words(row.cells[0].runs) for row in table.rows] == ["Tree", ""]
    assert csv_text(table).splitlines() == ["Model,Class,area", "Tree,a,0.5", "Tree,b,0.5"]


def scores(name, heads=2, *, wide=True):
    columns = [Column(runs("Set"), "left")]
    columns += [Column(runs(f"A model with a long name {i}"), wide=wide) for i in range(heads)]
    row = Row((Cell(runs(name)), *[Cell(runs("0.5"))] * heads))
    return Table("table-x", (), tuple(columns), (row,))


def test_short_names_of_rows_below_long_heads_stay_in_one_line():
    assert keeps_names_of_rows(scores("problem 3"))
    assert not keeps_names_of_rows(scores("problem 3", wide=False))
    assert not keeps_names_of_rows(scores("a problem whose name takes more than a fifth of a page"))


def test_a_table_fits_where_its_cells_and_the_words_of_names_have_room():
    assert fits_on_a_page(scores("problem 3", heads=8))
    assert not fits_on_a_page(scores("problem 3", heads=8, wide=False))
    assert not fits_on_a_page(scores("problem 3", heads=20))
