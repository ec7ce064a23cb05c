"""`read_table`: the target, the task that it makes, its labels and their order."""

import polars as pl
import pytest
from hypothesis import given, strategies as st
from many_cases import for_each

from evallang.data.data_tables import read_table
from evallang.data.dataset import DataSpec
from evallang.data.labels import as_number, label_text, sort_labels


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


@pytest.mark.parametrize("written", ["TRUE", "true", True, 1])
def test_a_where_line_takes_true_as_the_file_spells_it(source, where, written):
    text = "x,keep,y\n1,TRUE,a\n2,FALSE,b\n3,TRUE,b\n"
    assert source.table(text, where=(where("keep", "=", written),)).n == 2


def test_a_where_line_is_the_way_out_of_a_missing_target(source, where):
    table = source.table("x,y\n1,a\n2,\n3,b\n", where=(where("y", "is not missing"),))
    assert table.rows.tolist() == [0, 2]
    assert table.excluded == (("y is not missing None", 1),)


@for_each(
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


def test_labels_sort_as_numbers_where_all_are(source):
    table = source.table("x,y\n1,10\n2,9\n3,-1\n", task="classification")
    assert table.classes == ("-1", "9", "10")
    table = source.table("x,y\n1,10\n2,9\n3,b\n", task="classification")
    assert table.classes == ("10", "9", "b")


@pytest.mark.parametrize("labels", [["1.0", "1"], ["1", "1.0"]])
def test_labels_of_one_number_are_sorted_by_their_spelling(labels):
    assert sort_labels([*labels, "0"]) == ["0", "1", "1.0"]


LABELS = st.one_of(
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=6),
)


@given(st.lists(LABELS, max_size=12))
def test_the_order_of_labels_does_not_depend_on_the_order_of_rows(labels):
    forward = sort_labels(labels)
    assert list(map(label_text, sort_labels(labels[::-1]))) == list(map(label_text, forward))
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
