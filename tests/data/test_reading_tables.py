"""`read_table`: bundled data sets, targets, features, roles, selection of rows."""

import math

import numpy as np
import polars as pl
import pytest
import sklearn.datasets
from hypothesis import given, strategies as st

from evallang.data.dataset import DataSpec
from evallang.data.delimited import read_delimited
from evallang.data.findings import Findings
from evallang.data.labels import as_number, in_label_order, label_text
from evallang.data.reading import read_table
from evallang.data.selection import select

# --- bundled data sets -----------------------------------------------------------------


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "digits", "diabetes"])
def test_bundled_data_hold_what_scikit_learn_gives(source, name):
    bunch = getattr(sklearn.datasets, f"load_{name}")()
    table = source.table(None, name, kind="sklearn", target=None)
    np.testing.assert_array_equal(table.numeric, bunch.data)
    assert [column.name for column in table.columns] == list(map(str, bunch.feature_names))
    if table.task == "regression":
        np.testing.assert_array_equal(table.y, bunch.target)
    else:
        named = [str(bunch.target_names[code]) for code in bunch.target]
        assert [table.classes[code] for code in table.y] == named
    assert table.y.dtype == (np.float64 if name == "diabetes" else np.int64)


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


# --- target ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "values"),
    [
        (["-1", "+1"], (-1, 1)),
        (["0", "1"], (0, 1)),
        (["no", "yes"], ("no", "yes")),
        (["False", "True"], (False, True)),
        (["1.0", "2.0"], (1.0, 2.0)),
        (["0.5", "1.5"], ("0.5", "1.5")),  # scikit-learn takes such floats for a regression
        (["01", "02"], ("01", "02")),
    ],
)
def test_labels_keep_their_type(source, labels, values):
    rows = "".join(f"{i},{label}\n" for i, label in enumerate(labels * 3))
    table = source.table("x,y\n" + rows, task="classification")
    assert table.class_values == values
    assert [type(value) for value in table.class_values] == [type(value) for value in values]
    assert table.y.tolist() == [0, 1] * 3


@pytest.mark.parametrize(
    ("written", "task"),
    [
        (["a", "b", "a", "b"], "classification"),
        (["true", "false", "true", "true"], "classification"),
        (["1", "2", "1", "2"], "classification"),
        (["1.0", "2.0", "1.0", "2.0"], "classification"),
        ([str(i % 20) for i in range(40)], "classification"),
        ([str(i % 21) for i in range(42)], "regression"),  # more than 20 values
        (["1", "2", "3", "1"], "regression"),  # more than half as many as rows
        (["0.5", "1.5", "0.5", "1.5", "2.5", "2.5"], "regression"),
    ],
)
def test_the_task_follows_from_the_target(source, written, task):
    rows = "".join(f"{i % 7},{label}\n" for i, label in enumerate(written))
    table = source.table("x,y\n" + rows)
    assert table.task == task
    assert any(note.startswith(f"task {task}: y ") for note in table.notes)


def test_a_written_task_wins(source):
    table = source.table("x,y\n1,1\n2,2\n3,1\n4,2\n", task="regression")
    assert table.task == "regression"
    assert table.y.tolist() == [1.0, 2.0, 1.0, 2.0]
    assert (table.classes, table.class_values, table.positive) == ((), (), None)


def test_text_cannot_be_predicted_by_regression(source):
    found = source.error("x,y\n1,1\n2,low\n", task="regression")
    assert found.code == "E424"
    assert "'low' in row 2 (line 3)" in found.message


def test_a_missing_target_is_an_error_that_names_the_rows(source):
    found = source.error("x,y\n1,a\n2,\n3,b\n4,\n")
    assert found.code == "E423"
    assert "2 of 4 rows: row 2 (line 3), row 4 (line 5)" in found.message
    assert found.span.start == 20  # the target clause


def test_a_missing_token_in_the_target_is_missing(source):
    assert source.error("x,y\n1,a\n2,?\n3,b\n", missing=("?",)).code == "E423"


@pytest.mark.parametrize("written", ["TRUE", "true", True, 1])
def test_a_where_line_takes_true_as_the_file_spells_it(source, where, written):
    text = "x,keep,y\n1,TRUE,a\n2,FALSE,b\n3,TRUE,b\n"
    assert source.table(text, where=(where("keep", "=", written),)).n == 2


def test_a_where_line_is_the_way_out_of_a_missing_target(source, where):
    table = source.table("x,y\n1,a\n2,\n3,b\n", where=(where("y", "is not missing"),))
    assert table.rows.tolist() == [0, 2]
    assert table.excluded == (("y is not missing None", 1),)


def test_a_file_without_target_clause_is_refused(source):
    found = source.error("x,label\n1,a\n2,b\n", target=None)
    assert found.code == "E422"
    assert "target label" in found.help


def test_one_class_is_refused(source):
    assert source.error("x,y\n1,a\n2,a\n").code == "E425"


@pytest.mark.parametrize(
    ("labels", "positive", "code"),
    [
        (["no", "yes"], "yes", 1),
        (["no", "yes"], "no", 0),
        (["0", "1"], 0, 0),
        (["0", "1"], "0", 0),
        (["0", "1"], 0.0, 0),
        (["1.0", "2.0"], 1, 0),
        (["false", "true"], True, 1),
        (["false", "true"], "false", 0),
        (["FALSE", "TRUE"], "TRUE", 1),
        (["False", "True"], "False", 0),
        (["<=50K", ">50K"], ">50K", 1),
        (["no", "yes"], None, 1),  # the last of two
    ],
)
def test_positive_matches_as_text_or_as_number(source, labels, positive, code):
    rows = "".join(f"{i},{label}\n" for i, label in enumerate(labels * 2))
    assert source.table("x,y\n" + rows, positive=positive).positive == code


def test_a_default_positive_label_is_stated_and_a_written_one_is_not(source):
    text = "x,y\n1,no\n2,yes\n"
    assert "positive yes: the last of the two labels" in source.table(text).notes
    assert not any("positive" in note for note in source.table(text, positive="no").notes)


def test_an_unknown_positive_label_lists_the_labels(source):
    found = source.error("x,y\n1,no\n2,yes\n", positive="Yes!")
    assert found.code == "E426"
    assert "`no`, `yes`" in found.message
    assert found.help == "did you mean `yes`?"


def test_positive_needs_two_classes(source):
    found = source.error("x,y\n1,a\n2,b\n3,c\n", positive="a")
    assert found.code == "E427"
    found = source.error("x,y\n1,1.5\n2,2.5\n3,3.5\n", positive="1.5")
    assert found.code == "E427"


def test_labels_sort_as_numbers_where_all_are(source):
    table = source.table("x,y\n1,10\n2,9\n3,-1\n", task="classification")
    assert table.classes == ("-1", "9", "10")
    table = source.table("x,y\n1,10\n2,9\n3,b\n", task="classification")
    assert table.classes == ("10", "9", "b")


@pytest.mark.parametrize("labels", [["1.0", "1"], ["1", "1.0"]])
def test_labels_of_one_number_are_sorted_by_their_spelling(labels):
    assert in_label_order([*labels, "0"]) == ["0", "1", "1.0"]


LABELS = st.one_of(
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=6),
)


@given(st.lists(LABELS, max_size=12))
def test_the_order_of_labels_does_not_depend_on_the_order_of_rows(labels):
    forward = in_label_order(labels)
    assert list(map(label_text, in_label_order(labels[::-1]))) == list(map(label_text, forward))
    numbers = [as_number(label) for label in forward]
    if None not in numbers:
        assert numbers == sorted(numbers)
    else:
        assert list(map(label_text, forward)) == sorted(map(label_text, forward))


@given(
    st.lists(
        st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n"), max_size=5), min_size=3
    )
)
def test_any_text_label_survives_the_way_through_a_file(tmp_path_factory, labels):
    folder = tmp_path_factory.mktemp("labels")
    labels = ["l" + label.strip() for label in labels] + ["other"]
    frame = pl.DataFrame({"x": range(len(labels)), "y": labels})
    frame.write_csv(folder / "d.csv")
    spec = DataSpec("d", "d", "path", "d.csv", "data d", target="y", task="classification")
    (table,), _ = read_table(spec, folder) if len(set(labels)) > 1 else ((None,), ())
    if table is not None:
        assert [table.class_values[code] for code in table.y] == labels


# --- features ----------------------------------------------------------------------------


def test_numbers_and_booleans_are_numeric_and_text_is_object(source):
    table = source.table("a,b,c,y\n1,true,u,n\n,false,,p\n2.5,,w,n\n")
    assert [(c.name, c.numeric, c.index) for c in table.columns] == [
        ("a", True, 0),
        ("b", True, 1),
        ("c", False, 0),
    ]
    np.testing.assert_array_equal(table.numeric, [[1, 1], [np.nan, 0], [2.5, np.nan]])
    assert table.numeric.dtype == np.float64
    assert table.objects[0, 0] == "u"
    assert isinstance(table.objects[1, 0], float)
    assert math.isnan(table.objects[1, 0])


def test_categorical_codes_become_text(source):
    table = source.table("ward,x,y\n01,1,n\n2,2,p\n,3,n\n", categorical=("ward",))
    assert table.objects[:2, 0].tolist() == ["01", "2"]
    assert table.objects[2, 0] is np.nan
    assert [c.numeric for c in table.columns] == [False, True]


def test_columns_with_a_role_are_never_features(source):
    text = "i,g,w,s,x,y\n" + "".join(f"i{k},g{k % 2},1,train,{k},{k % 2}\n" for k in range(6))
    table = source.table(text, id="i", group="g", weight="w", split="s")
    assert [c.name for c in table.columns] == ["x"]
    assert table.ids == tuple(f"i{k}" for k in range(6))
    assert table.group_codes.tolist() == [0, 1, 0, 1, 0, 1]
    assert table.weights.tolist() == [1.0] * 6
    assert table.split == ("train",) * 6


def test_subgroups_and_strata_stay_features(source):
    text = "site,x,y\na,1,n\n,2,p\nb,3,n\n"
    table = source.table(text, subgroups=("site",), strata=("site",))
    assert [c.name for c in table.columns] == ["site", "x"]
    assert table.subgroups == {"site": ("a", "(missing)", "b")}
    assert table.strata == {"site": ("a", "(missing)", "b")}


def test_features_are_those_written_in_the_order_written(source):
    table = source.table("a,b,c,y\n1,2,3,n\n4,5,6,p\n", features=("c", "a"))
    assert table.numeric.tolist() == [[3, 1], [6, 4]]
    table = source.table("a,b,c,y\n1,2,3,n\n4,5,6,p\n", features_except=("b",))
    assert table.numeric.tolist() == [[1, 3], [4, 6]]


@pytest.mark.parametrize(
    ("clauses", "code"),
    [
        ({"features": ("a", "y")}, "E421"),
        ({"features": ("a", "g"), "group": "g"}, "E421"),
        ({"features": ("aa",)}, "E420"),
        ({"features_except": ("aa",)}, "E420"),
        ({"features_except": ("a", "g")}, "E428"),
        ({"categorical": ("g",), "features": ("a",)}, "E438"),
        ({"categorical": ("gg",)}, "E420"),
        ({"target": "yy"}, "E420"),
        ({"id": "idd"}, "E420"),
        ({"group": "groups"}, "E420"),
        ({"subgroups": ("site",)}, "E420"),
        ({"strata": ("site",)}, "E420"),
    ],
)
def test_clauses_that_do_not_fit_the_columns(source, clauses, code):
    assert source.error("a,g,y\n1,u,n\n2,v,p\n", **clauses).code == code


def test_an_unknown_column_is_said_at_its_clause_with_the_nearest_name(source):
    found = source.error("age,ward,y\n1,u,n\n2,v,p\n", group="wards")
    assert found.message == "`data.csv` has no column `wards`"
    assert found.help == "did you mean `ward`?"
    assert found.span.start == 70


def test_several_errors_are_reported_together(source):
    _, found = source.read("a,d,y\n1,2024-01-01,\n2,2024-01-02,p\n", group="nowhere")
    assert [d.code for d in found] == ["E423", "E429", "E420"]  # by the place of the clause


@pytest.mark.parametrize(
    "cells", [["2024-01-31", "2024-02-01"], ["2024-01-31 10:00", "2024-02-01 11:30"]]
)
def test_dates_cannot_be_features(source, cells):
    text = f"d,x,y\n{cells[0]},1,n\n{cells[1]},2,p\n"
    found = source.error(text)
    assert found.code == "E429"
    assert "features all except d" in found.help
    assert source.table(text, features_except=("d",)).numeric.tolist() == [[1], [2]]


def test_lists_and_times_cannot_be_features(source):
    frame = pl.DataFrame({"l": [[1], [2]], "y": ["a", "b"], "x": [1, 2]})
    frame.write_parquet(source.folder / "d.parquet")
    assert source.error(None, "d.parquet").code == "E429"
    assert source.table(None, "d.parquet", features=("x",)).n == 2


@pytest.mark.parametrize("written", ["inf", "-inf", "1e999"])
def test_infinite_values_are_refused_with_their_rows(source, written):
    found = source.error(f"x,y\n1,n\n{written},p\n")
    assert found.code == "E430"
    assert "row 2 (line 3)" in found.message
    found = source.error(f"x,y\n1,2.5\n2,{written}\n", task="regression")
    assert found.code == "E430"


def test_infinity_can_be_declared_missing(source):
    table = source.table("x,y\n1,n\ninf,p\n", missing=("inf",))
    assert np.isnan(table.numeric[1, 0])


@pytest.mark.parametrize("token", ["-999", -999, -999.0])
def test_missing_tokens_match_as_text_or_number(source, token):
    table = source.table("x,z,y\n1,-999.0,n\n-999,3,p\n", missing=(token,))
    np.testing.assert_array_equal(table.numeric[:, 0], [1, np.nan])
    np.testing.assert_array_equal(table.numeric[:, 1], [np.nan, 3])


def test_missing_tokens_reach_typed_files_too(source):
    frame = pl.DataFrame({"x": [1.0, -999.0], "c": ["NA", "u"], "y": ["a", "b"]})
    frame.write_parquet(source.folder / "d.parquet")
    table = source.table(None, "d.parquet", missing=("NA", -999))
    assert np.isnan(table.numeric[1, 0])
    assert table.objects[0, 0] is np.nan


def test_a_word_among_numbers_is_a_warning_that_names_the_mark(source):
    table, found = source.read("x,y\n1,n\nNA,p\n3,n\n4,p\n")
    assert not table.columns[0].numeric
    (warning,) = found
    assert (warning.code, warning.name) == ("W402", "numbers_mixed_with_text")
    assert 'missing "NA"' in warning.help
    _, found = source.read("x,y\n1,n\nNA,p\n3,n\n4,p\n", categorical=("x",))
    assert found == ()


def test_nan_in_a_column_of_numbers_is_missing(source):
    table = source.table("x,y\n1,n\nnan,p\nNaN,n\n4,p\n")
    np.testing.assert_array_equal(table.numeric[:, 0], [1, np.nan, np.nan, 4])


def test_words_that_look_like_numbers_need_a_number_beside_them(source):
    table = source.table("x,y\nnan,a\ninf,b\nnan,a\n")
    assert table.objects[:, 0].tolist() == ["nan", "inf", "nan"]


def test_float32_files_stay_float32(source):
    frame = pl.DataFrame({"x": [1.5, 2.5], "y": ["a", "b"]}, schema_overrides={"x": pl.Float32})
    frame.write_parquet(source.folder / "d.parquet")
    assert source.table(None, "d.parquet").numeric.dtype == np.float32


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=8))
def test_numbers_are_read_to_the_last_bit(tmp_path_factory, numbers):
    folder = tmp_path_factory.mktemp("numbers")
    rows = "".join(f"{number!r},{'ab'[i % 2]}\n" for i, number in enumerate(numbers))
    (folder / "d.csv").write_text("x,y\n" + rows)
    spec = DataSpec("d", "d", "path", "d.csv", "data d", target="y")
    (table,), _ = read_table(spec, folder)
    assert table.numeric[:, 0].tolist() == numbers  # Python reads back its own repr exactly


# --- roles -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("clauses", "code", "words"),
    [
        ({"id": "i"}, "E436", "`a` in row 1 (line 2), row 2 (line 3)"),
        ({"group": "m"}, "E435", "row 2 (line 3)"),
        ({"weight": "m"}, "E435", "row 2 (line 3)"),
        ({"weight": "i"}, "E437", "text"),
        ({"weight": "n"}, "E437", "row 3 (line 4)"),
        ({"weight": "z"}, "E437", "zero in every row"),
        ({"split": "m"}, "E435", "row 2 (line 3)"),
    ],
)
def test_columns_with_a_role_must_be_usable(source, clauses, code, words):
    text = "i,m,n,z,x,y\na,1,1,0,1,n\na,,1,0,2,p\nb,2,-1,0,3,n\n"
    found = source.error(text, **clauses)
    assert found.code == code
    assert words in found.message


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


@pytest.mark.parametrize(
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
    frame = read_delimited(ROWS.encode(), "data.csv", findings)
    line = where(column, operator, value)
    frame, excluded = select(frame, (line,), findings)
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


@pytest.mark.parametrize(
    ("column", "operator", "value", "code"),
    [
        ("ward", "<", "B", "E433"),
        ("flag", ">", 0, "E433"),
        ("age", "<", "old", "E434"),
        ("on", "<", "1/2/2024", "E434"),
        ("on", "=", 2024, "E434"),
        ("wards", "=", "A", "E420"),
        ("age", ">", 99, "E432"),
        ("ward", "=", "a", "E432"),
    ],
)
def test_where_lines_that_cannot_be_applied(source, where, column, operator, value, code):
    line = where(column, operator, value)
    found = source.error(ROWS, where=(line,))
    assert found.code == code
    assert found.span == line.span


# --- several files -----------------------------------------------------------------------


def test_a_glob_gives_one_table_a_file_in_order(source):
    source.write("b.csv", "x,y\n1,n\n2,p\n")
    source.write("a.csv", "x,y\n1,n\n2,p\n3,p\n")
    tables, found = read_table(source.spec("*.csv", kind="glob"), source.folder)
    assert found == ()
    assert [(table.spec.name, table.n) for table in tables] == [("d/a", 3), ("d/b", 2)]


def test_files_of_a_glob_with_one_stem_are_refused(source):
    source.write("a.csv", "x,y\n1,n\n2,p\n")
    source.write("a.tsv", "x\ty\n1\tn\n2\tp\n")
    tables, found = read_table(source.spec("a.*", kind="glob"), source.folder)
    assert tables == ()
    assert [d.code for d in found] == ["E413"]


def test_a_glob_that_finds_nothing_is_an_error(source):
    tables, found = read_table(source.spec("*.csv", kind="glob"), source.folder)
    assert (tables, [d.code for d in found]) == ((), ["E401"])
