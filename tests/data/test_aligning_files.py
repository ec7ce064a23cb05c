"""Rows of several files are matched by their ids: what is one id, and what is said of others."""

import json

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from evallang.data.dataset import GivenModel

A = GivenModel("a", "a", column="a", path="1.csv")


def pair(source, first, second, *, names=("1.csv", "2.csv"), **clauses):
    """Write two files of ids, with truth and one model each, and read them together."""
    source.write(names[0], first)
    source.write(names[1], second)
    models = (A, GivenModel("b", "b", column="b", path=names[1]))
    made, found = source.predictions(*names, **{"models": models, "id": "id", **clauses})
    return (made[0] if made else None), found


def files(first, second):
    """Give two CSV files with these ids; the second lists them in reverse."""
    one = "id,truth,a\n" + "".join(f"{name},{i % 2},{i % 2}\n" for i, name in enumerate(first))
    two = "id,b\n" + "".join(f"{name},{i % 2}\n" for i, name in reversed([*enumerate(second)]))
    return one, two


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (["1", "2", "3"], ["1.0", "2.0", "3.0"]),  # a column with a gap once, written by pandas
        (["1", "2", "3"], ["1", "2.0", "3e0"]),
        (["0.5", "1.5"], ["0.50", "1.5"]),
        (["a", "b"], ["a", " b "]),
        (["007", "008"], ["007", "008"]),
        ([str(2**60), str(2**60 + 1)], [str(2**60), str(2**60 + 1)]),  # no float tells them apart
    ],
)
def test_ids_are_numbers_where_both_files_hold_numbers(source, first, second):
    made, found = pair(source, *files(first, second))
    assert found == ()
    assert made.predictions["a"].tolist() == made.predictions["b"].tolist()
    assert made.ids == tuple(first)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (["1", "2"], ["q1", "q2"]),
        (["007", "008"], ["7", "8"]),  # spelled with zeros: text
        (["1", "x"], ["1.0", "x"]),  # text in both files
    ],
)
def test_other_ids_are_text_and_the_first_ones_are_shown(source, first, second):
    made, found = pair(source, *files(first, second))
    assert made is None
    assert {d.code for d in found} == {"E441"}
    # `rows common` would leave nothing, so that it is no way out
    common = set(first) & set(second)
    assert all(("rows common" in d.help) == bool(common) for d in found)


def test_a_json_text_is_the_id_that_csv_writes_without_quotes(source):
    one, _ = files(["1", "2"], [])
    two = "".join(json.dumps({"id": name, "b": i}) + "\n" for i, name in enumerate(["1", "2"]))
    made, found = pair(source, one, two, names=("1.csv", "2.jsonl"))
    assert found == ()
    assert made.predictions["b"].tolist() == [0, 1]


@pytest.mark.parametrize(
    ("truths", "agree"),
    [
        (("0", "1", "0.0", "1.0"), True),
        (("0", "1", "false", "true"), True),
        (("no", "yes", "no", "yes"), True),
        (("no", "yes", "No", "yes"), False),
        (("0", "1", "0", "one"), False),
    ],
)
def test_truths_agree_as_numbers_or_as_text(source, truths, agree):
    one = f"id,truth,a\nx,{truths[0]},{truths[0]}\ny,{truths[1]},{truths[1]}\n"
    two = f"id,truth,b\ny,{truths[3]},{truths[1]}\nx,{truths[2]},{truths[0]}\n"
    made, found = pair(source, one, two, task="classification")
    assert (made is not None) == agree
    assert agree or found[0].code == "E442"


@settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_rows_common_keeps_exactly_the_ids_of_both(source, data):
    names = st.lists(st.integers(0, 12), min_size=2, max_size=12, unique=True)
    first, second = data.draw(names), data.draw(names)
    one = "id,truth,a\n" + "".join(f"i{i},{i % 2},{i % 2}\n" for i in first)
    two = "id,b\n" + "".join(f"i{i},{i % 2}\n" for i in second)
    both = [i for i in first if i in second]
    made, found = pair(source, one, two, rows_common=True, task="classification")
    if {i % 2 for i in both} == {0, 1}:
        assert made.ids == tuple(f"i{i}" for i in both)
        assert made.predictions["b"].tolist() == made.truth.tolist()
        left = len({*first, *second}) - len(both)
        stated = [note for note in made.notes if note.startswith("rows common")]
        assert bool(stated) == (left > 0)
        assert not left or f" {left} row" in stated[0]
    else:
        assert made is None
        assert {d.code for d in found} <= {"E441", "E425"}


def test_labels_of_scores_may_be_spelled_as_numbers(source):
    source.write("1.csv", "truth,p_0,p_1\n0.0,0.75,0.25\n1.0,0.25,0.75\n")
    model = GivenModel("m", "m", scores="p_*")
    (made,), found = source.predictions("1.csv", models=(model,))
    assert found == ()
    assert made.classes == ("0.0", "1.0")
    assert made.predictions["m"].tolist() == [0, 1]
