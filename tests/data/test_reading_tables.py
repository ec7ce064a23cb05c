"""`read_table`: bundled data sets, roles, selection of rows, several files."""

import numpy as np
import pytest
import sklearn.datasets
from many_cases import for_each

from evallang.data.data_tables import bundled, read_table
from evallang.data.delimited import read_delimited
from evallang.data.findings import Findings
from evallang.data.row_filters import select

# --- bundled data sets -----------------------------------------------------------------


def test_malignant_is_positive_by_its_name(source):
    table = source.table(None, "breast_cancer", kind="sklearn", target=None, positive="malignant")
    assert table.classes == ("benign", "malignant")
    assert table.positive == 1
    assert table.spec.unit == "examples"


def test_digits_keep_their_integer_labels(source):
    table = source.table(None, "digits", kind="sklearn", target=None)
    assert table.class_values == tuple(range(10))
    assert all(type(value) is int for value in table.class_values)


def test_rows_left_out_never_change_the_task_of_bundled_data(source, where):
    lines = (where("target", "<", 40),)  # leaves few distinct values
    table = source.table(None, "diabetes", kind="sklearn", target=None, where=lines)
    assert table.task == "regression"


# --- roles -------------------------------------------------------------------------------


def test_ids_and_groups_keep_their_spelling(source):
    text = "i,g,x,y\n007,01,1,n\n7,1,2,p\n"
    table = source.table(text, id="i", group="g")
    assert table.ids == ("007", "7")
    assert table.groups == ("01", "1")


# --- where -------------------------------------------------------------------------------

ROWS = (
    "age,ward,on,flag,y\n17,A,2024-01-01,true,n\n18,B,2024-02-01,false,p\n"
    ",C,,true,n\n65,A,2024-03-01,false,p\n"
)


@for_each(
    ("column", "operator", "value", "kept"),
    [
        ("age", ">=", 18, [1, 3]),
        ("age", "<", 18, [0]),
        ("age", "=", 18, [1]),
        ("age", "=", "18", [1]),
        ("age", "=", 18.0, [1]),
        ("age", "!=", 18, [0, 2, 3]),  # missing is not 18
        ("age", "in", (17, "65"), [0, 3]),
        ("age", "is missing", None, [2]),
        ("age", "is not missing", None, [0, 1, 3]),
        ("ward", "=", "A", [0, 3]),
        ("ward", "!=", "A", [1, 2]),
        ("ward", "in", ("B", "C", "age"), [1, 2]),
        ("flag", "=", True, [0, 2]),
        ("flag", "=", "false", [1, 3]),
        ("on", ">=", "2024-02-01", [1, 3]),
        ("on", "<", "2024-02-01T00:00", [0]),
        ("on", "=", "2024-02-01", [1]),
    ],
)
def test_where_keeps_the_rows_for_which_it_holds(where, column, operator, value, kept):
    findings = Findings({})
    frame = findings.tried(read_delimited, ROWS.encode(), "data.csv")
    line = where(column, operator, value)
    frame, excluded = select(frame, (line,))
    assert findings.diagnostics == ()
    assert frame.rows.tolist() == kept
    assert excluded == ((line.written, 4 - len(kept)),)


def test_a_value_in_where_is_never_a_column(source, where):
    text = "a,b,y\nb,b,n\nu,u,p\nb,v,p\n"
    table = source.table(text, where=(where("a", "=", "b"),))
    assert table.rows.tolist() == [0, 2]  # rows where a holds the text b, not what column b holds


def test_where_lines_are_applied_in_order_and_counted(source, where):
    lines = (where("age", ">=", 18), where("ward", "!=", "A"))
    text = ROWS + "70,D,2024-03-02,true,n\n"
    table = source.table(text, where=lines, features=("flag",))
    assert table.excluded == ((lines[0].written, 2), (lines[1].written, 1))


def test_types_are_found_in_the_rows_that_are_kept(source, where):
    text = "x,y\n1,n\nbroken,p\n3,p\n"
    table = source.table(text, where=(where("x", "!=", "broken"),))
    assert table.columns[0].numeric


# --- several files -----------------------------------------------------------------------


def test_a_glob_gives_one_table_a_file_in_order(source):
    source.write("b.csv", "x,y\n1,n\n2,p\n")
    source.write("a.csv", "x,y\n1,n\n2,p\n3,p\n")
    tables, found = read_table(source.spec("*.csv", kind="glob"), source.folder)
    assert found == ()
    assert [(table.spec.name, table.n) for table in tables] == [("d/a", 3), ("d/b", 2)]


@pytest.mark.parametrize("name", ["breast_cancer", "diabetes", "digits", "iris", "wine"])
def test_bundled_data_are_those_of_the_loaders_of_scikit_learn(name):
    found = getattr(sklearn.datasets, f"load_{name}")()
    cells = bundled(name).cells
    assert cells.columns == [*map(str, found.feature_names), "target"]
    assert np.allclose(cells.drop("target").to_numpy(), found.data, rtol=0, atol=1e-12)
    target = found.target
    if name not in ("diabetes", "digits"):
        target = found.target_names[target]
    assert cells["target"].to_list() == target.tolist()
