"""Predictions with repeats, and several data sets in one file."""

import numpy as np

from evallang.data.dataset import GivenModel

A = GivenModel("a", "a", column="a")
REPEATED = "id,truth,run,g,w,a\n" + "".join(
    f"{name},{truth},{run},{group},{weight},{answer}\n"
    for run, answers in (("r1", "no yes yes"), ("r2", "yes yes no"))
    for name, truth, group, weight, answer in zip(
        ("x", "y", "z"), ("no", "yes", "no"), "uuv", (1, 2, 2.5), answers.split(), strict=True
    )
)
CLAUSES = {"models": (A,), "id": "id", "repeat": "run", "group": "g", "weight": "w"}


def read(source, text, **clauses):
    source.write("p.csv", text)
    return source.predictions("p.csv", **{**CLAUSES, **clauses})


def test_rows_of_one_example_are_known_as_such(source):
    (made,), found = read(source, REPEATED)
    assert found == ()
    assert made.examples.tolist() == [0, 1, 2, 0, 1, 2]
    assert (made.n, made.n_examples) == (6, 3)
    assert made.repeat_labels == ("r1", "r2")
    assert made.repeats.tolist() == [0, 0, 0, 1, 1, 1]
    assert "3 examples in 2 repeats" in made.notes


def test_the_mean_over_repeats_can_be_taken_from_the_codes(source):
    (made,), _ = read(source, REPEATED)
    right = made.predictions["a"] == made.truth
    mean = np.bincount(made.examples, right) / np.bincount(made.examples)
    # by hand: x right in r1 only; y right in both; z wrong in r1, right in r2
    assert mean.tolist() == [0.5, 1.0, 0.5]


def test_without_repeats_every_row_is_an_example(source):
    text = "\n".join(REPEATED.split("\n")[:4])
    (made,), _ = read(source, text, repeat=None)
    assert (made.examples, made.n_examples) == (None, 3)


def test_an_example_may_lack_a_repeat_and_it_is_said(source):
    text = REPEATED.replace("z,no,r2,v,2.5,no\n", "")
    (made,), found = read(source, text)
    assert found == ()
    assert any(note.startswith("1 example of 3 not in all repeats") for note in made.notes)


def test_repeats_change_the_hash(source):
    (one,), _ = read(source, REPEATED)
    (other,), _ = read(source, REPEATED.replace("r2", "r3"))
    assert one.sha256 != other.sha256


def test_files_with_repeats_are_joined_within_each_repeat(source):
    source.write("1.csv", "id,truth,run,a\nx,no,1,no\ny,yes,1,yes\nx,no,2,yes\ny,yes,2,yes\n")
    source.write("2.csv", "id,run,b\ny,2,no\nx,2,no\ny,1,yes\nx,1,no\n")
    models = (A, GivenModel("b", "b", column="b"))
    (made,), found = source.predictions("1.csv", "2.csv", models=models, id="id", repeat="run")
    assert found == ()
    assert made.predictions["a"].tolist() == [0, 1, 1, 1]
    assert made.predictions["b"].tolist() == [0, 1, 0, 0]


# --- data sets in one file ---------------------------------------------------------------

SETS = "set,id,truth,w,a\n" + "".join(
    f"{name},{i},{truth},{i},{truth}\n"
    for name, labels in (("beta", "no yes"), ("alpha", "cat dog owl"))
    for i, truth in enumerate(labels.split(), 1)
)


def test_each_value_of_the_column_is_a_data_set_with_labels_of_its_own(source):
    source.write("p.csv", SETS)
    made, found = source.predictions("p.csv", models=(A,), dataset="set", id="id", weight="w")
    assert found == ()
    assert [(one.spec.name, one.spec.label, one.classes, one.ids) for one in made] == [
        ("p/alpha", "p/alpha", ("cat", "dog", "owl"), ("1", "2", "3")),
        ("p/beta", "p/beta", ("no", "yes"), ("1", "2")),
    ]
    assert [one.weights.tolist() for one in made] == [[1, 2, 3], [1, 2]]
    assert made[0].sha256 != made[1].sha256


def test_a_finding_says_which_data_set_it_is_about(source):
    source.write("p.csv", SETS.replace("yes", "no"))
    made, found = source.predictions("p.csv", models=(A,), dataset="set", id="id")
    assert made == ()
    assert [(d.code, d.notes) for d in found] == [("E425", ("among the rows where set is beta",))]
