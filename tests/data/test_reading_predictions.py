"""`read_predictions`: labels, scores, judged outcomes, roles."""

import numpy as np
import polars as pl
import pytest

from evallang.data.dataset import GivenModel, Where
from evallang.data.prediction_columns import _coded, _places
from evallang.source import Span

TEXT = "id,truth,a,b,p\n1,no,no,no,0.2\n2,yes,yes,no,0.5\n3,yes,yes,yes,0.9\n4,no,yes,no,0.1\n"
A, B = (GivenModel(name, name, column=name) for name in "ab")


def read(source, content, *, name="p.csv", **clauses):
    source.write(name, content)
    made, found = source.predictions(name, **clauses)
    return (made[0] if made else None), found


def good(source, content, **clauses):
    made, found = read(source, content, **clauses)
    assert made is not None, found
    return made


def error(source, content, **clauses):
    made, found = read(source, content, **clauses)
    assert made is None
    (only,) = [d for d in found if d.severity == "error"]
    return only


# --- labels ------------------------------------------------------------------------------


def test_labels_are_codes_of_the_labels_of_the_truth(source):
    made = good(source, TEXT, models=(A, B), id="id")
    assert made.classes == ("no", "yes")
    assert made.truth.tolist() == [0, 1, 1, 0]
    assert made.predictions["a"].tolist() == [0, 1, 1, 1]
    assert made.predictions["b"].tolist() == [0, 0, 1, 0]
    assert (made.ids, made.n, made.positive) == (("1", "2", "3", "4"), 4, 1)
    assert (made.correct, made.values, made.scores) == (None, None, {})


def test_without_models_every_column_that_no_clause_names_is_one(source):
    text = "id,truth,site,a,b\n1,no,x,no,no\n2,yes,y,yes,no\n"
    made = good(source, text, id="id", subgroups=("site",))
    assert [model.name for model in made.models] == ["a", "b"]
    assert made.subgroups == {"site": ("x", "y")}


def test_an_unnamed_first_column_is_no_model(source):
    made = good(source, ",truth,a\n0,no,no\n1,yes,no\n")
    assert [model.name for model in made.models] == ["a"]


@pytest.mark.parametrize(
    ("truth", "predicted", "codes"),
    [
        (["0", "1"], ["0.0", "1.0"], [0, 1]),
        (["0", "1"], ["false", "true"], [0, 1]),
        (["False", "True"], ["0", "1"], [0, 1]),
        (["1.0", "2.0"], ["1", "2"], [0, 1]),
        (["0", "1"], ["1", "unsure"], [1, -1]),  # text: compared letter by letter
        (["0", "1"], ["1", "1.0"], [1, 1]),
        (["no", "1"], ["1", "1.0"], [0, -1]),  # the truth is text: 1.0 is another label
        (["01", "02"], ["01", "2"], [0, -1]),  # spelled with zeros: text
        (["no", "yes"], [" no ", "yes"], [0, 1]),
        (["no", "yes"], ["Yes", "yes"], [-1, 1]),
        (["TRUE", "FALSE"], ["True", "false"], [1, 0]),
        (["TRUE", "FALSE"], ["TRUE", "maybe"], [1, -1]),  # text beside a truth of Booleans
        (["TRUE", "MAYBE"], ["TRUE", "FALSE"], [1, -1]),  # Booleans beside a truth of text
    ],
)
def test_when_labels_are_equal(source, truth, predicted, codes):
    rows = "".join(f"{t},{p}\n" for t, p in zip(truth, predicted, strict=True))
    made = good(source, "truth,a\n" + rows, models=(A,), task="classification")
    assert made.predictions["a"].tolist() == codes


@pytest.mark.parametrize("written", ["TRUE", "True", "true", True])
def test_true_is_positive_as_the_file_or_the_language_spells_it(source, written):
    text = "truth,a,p\nTRUE,TRUE,0.9\nFALSE,TRUE,0.4\n"
    models = (GivenModel("a", "a", column="a", score="p"),)
    made = good(source, text, models=models, positive=written)
    assert (made.classes, made.positive) == (("false", "true"), 1)


def test_a_label_that_is_never_true_is_wrong_and_a_warning(source):
    made, found = read(source, "truth,a\nno,No\nyes,yes\nno,no\n", models=(A,))
    assert made.predictions["a"].tolist() == [-1, 1, 0]
    (warning,) = found
    assert (warning.code, warning.name) == ("W401", "predicted_label_never_true")
    assert all(fact in warning.message for fact in ("`a`", "`No`", "1 row,"))
    assert "did you mean `no`" in warning.help


def test_numbers_are_a_regression(source):
    made = good(source, "truth,a\n1.5,1\n2.5,2.25\n3.5,4\n", models=(A,))
    assert (made.task, made.classes) == ("regression", ())
    assert made.truth.tolist() == [1.5, 2.5, 3.5]
    assert made.predictions["a"].tolist() == [1, 2.25, 4]
    found = error(source, "truth,a\n1.5,1\n2.5,low\n3.5,4\n", models=(A,))
    assert found.code == "E447"


# --- scores ------------------------------------------------------------------------------


def test_labels_come_from_a_score_at_the_default_threshold(source):
    made = good(source, TEXT, models=(GivenModel("m", "m", score="p"),), id="id")
    assert made.scores["m"].tolist() == [0.2, 0.5, 0.9, 0.1]
    assert made.predictions["m"].tolist() == [0, 1, 1, 0]
    assert made.probabilities == {"m"}
    assert (
        "m: label yes where the score is at least 0.5, the default for probabilities" in made.notes
    )


def test_a_threshold_and_a_first_positive_label_are_respected(source):
    model = GivenModel("m", "m", score="p", threshold=0.15)
    made = good(source, TEXT, models=(model,), positive="no")
    assert made.positive == 0
    assert made.predictions["m"].tolist() == [0, 0, 0, 1]
    assert "m: label no where the score is at least 0.15" in made.notes


def test_margins_are_cut_at_zero(source):
    text = "truth,s\nno,-1.5\nyes,0\nyes,2\n"
    made = good(source, text, models=(GivenModel("m", "m", score="s"),))
    assert made.predictions["m"].tolist() == [0, 1, 1]
    assert made.probabilities == frozenset()
    assert any(note.endswith("at least 0, the default for margins") for note in made.notes)


def test_a_model_with_a_column_of_its_own_name_keeps_its_labels(source):
    made = good(source, TEXT, models=(GivenModel("a", "a", score="p"),))
    assert made.predictions["a"].tolist() == [0, 1, 1, 1]
    assert made.scores["a"].tolist() == [0.2, 0.5, 0.9, 0.1]


THREE = "truth,p_a,p_b,p_c\na,0.5,0.3,0.2\nb,0.4,0.4,0.2\nc,0.1,0.2,0.7\n"


@pytest.mark.parametrize(
    "scores",
    [("p_a", "p_b", "p_c"), {"c": "p_c", "a": "p_a", "b": "p_b"}, "p_*"],
)
def test_a_score_for_each_label_gives_the_largest(source, scores):
    made = good(source, THREE, models=(GivenModel("m", "m", scores=scores),))
    np.testing.assert_array_equal(
        made.scores["m"], [[0.5, 0.3, 0.2], [0.4, 0.4, 0.2], [0.1, 0.2, 0.7]]
    )
    assert made.predictions["m"].tolist() == [0, 0, 2]  # the first of equal scores
    assert made.probabilities == {"m"}
    assert "m: label of largest score" in made.notes


def test_scores_that_do_not_sum_to_one_are_no_probabilities(source):
    made, found = read(
        source, THREE.replace("0.7", "0.9"), models=(GivenModel("m", "m", scores="p_*"),)
    )
    assert made.probabilities == frozenset()
    assert [d.code for d in found] == ["W404"]
    assert "sum is not 1: in row 3 (line 4) it is 1.2" in found[0].message


def test_the_score_of_the_other_class_is_noticed(source):
    text = "truth,a,p\nno,no,0.9\nyes,yes,0.2\nno,no,0.8\n"
    model = GivenModel("a", "a", column="a", score="p")
    _, found = read(source, text, models=(model,))
    assert [d.code for d in found] == ["W403"]
    _, found = read(source, text, models=(model,), positive="no")
    assert found == ()


# --- judged outcomes ---------------------------------------------------------------------


def test_judged_outcomes_are_read_from_numbers_booleans_and_json(source):
    made = good(
        source, "a,b\n1,true\n0,false\n1.0,true\n", models=(A, B), judged="correct", truth=None
    )
    assert made.correct["a"].tolist() == [True, False, True]
    assert made.correct["b"].tolist() == [True, False, True]
    assert (made.truth, made.predictions, made.task) == (None, {}, "classification")
    text = (
        '{"doc_id": 0, "exact_match": 1.0, "doc": {"q": ""}}\n{"doc_id": 1, "exact_match": 0.0}\n'
    )
    model = GivenModel("llama", "Llama", column="exact_match")
    made = good(
        source, text, name="s.jsonl", models=(model,), judged="correct", truth=None, id="doc_id"
    )
    assert made.correct["llama"].tolist() == [True, False]
    assert made.ids == ("0", "1")


def test_values_are_numbers_of_any_size(source):
    made = good(source, "a,b\n0.25,3\n0.5,-1\n", models=(A, B), judged="value", truth=None)
    assert made.values["a"].tolist() == [0.25, 0.5]
    assert made.values["b"].tolist() == [3, -1]
    assert made.correct is None


# --- roles -------------------------------------------------------------------------------


def test_folds_repeats_and_groups_are_numbered(source):
    text = "id,truth,a,fold,rep,g,w\n" + "".join(
        f"{i},{'no' if i % 2 else 'yes'},yes,{10 - i},{r},g{i % 2},2\n"
        for r in "21"
        for i in range(3)
    )
    made = good(
        source, text, models=(A,), id="id", fold="fold", repeat="rep", group="g", weight="w"
    )
    assert made.fold_labels == ("8", "9", "10")
    assert made.folds.tolist() == [2, 1, 0, 2, 1, 0]
    assert made.repeats.tolist() == [1, 1, 1, 0, 0, 0]
    assert made.group_codes.tolist() == [0, 1, 0, 0, 1, 0]
    assert made.weights.tolist() == [2] * 6


def test_some_weights_may_be_zero(source):
    text = "truth,a,w\nno,no,0\nyes,no,2.5\n"
    assert good(source, text, models=(A,), weight="w").weights.tolist() == [0, 2.5]


def test_an_id_may_recur_only_in_another_repeat(source):
    text = "id,truth,a,rep\n1,no,no,1\n2,yes,no,1\n1,no,yes,2\n2,yes,no,2\n"
    assert good(source, text, models=(A,), id="id", repeat="rep").ids == ("1", "2", "1", "2")
    assert error(source, text, models=(A,), id="id").code == "E436"


def test_where_lines_come_first(source, where):
    line = where("id", ">", 1)
    made = good(source, TEXT, models=(A,), where=(line,))
    assert made.truth.tolist() == [1, 1, 0]
    assert made.excluded == ((line.written, 1),)


def test_a_data_set_column_gives_one_item_a_value(source):
    text = "set,truth,a\nb,no,no\na,yes,no\nb,yes,yes\na,no,no\n"
    source.write("p.csv", text)
    made, found = source.predictions("p.csv", models=(A,), dataset="set")
    assert found == ()
    assert [(one.spec.name, one.truth.tolist()) for one in made] == [
        ("p/a", [1, 0]),
        ("p/b", [0, 1]),
    ]


def test_the_hash_sees_every_answer_and_not_the_format(source):
    one = good(source, TEXT, models=(A, B), id="id").sha256
    frame = pl.read_csv(source.folder / "p.csv")
    frame.write_parquet(source.folder / "p.parquet")
    (made,), _ = source.predictions("p.parquet", models=(A, B), id="id")
    assert made.sha256 == one
    assert (
        good(source, TEXT.replace("4,no,yes,no", "4,no,yes,yes"), models=(A, B), id="id").sha256
        != one
    )
    assert good(source, TEXT, models=(A,), id="id").sha256 != one
    assert good(source, TEXT, models=(A, B)).sha256 != one


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_labels_are_coded_alike_however_many_there_are(k):
    classes = [f"class {i}" for i in range(k)]
    texts = [*classes[::-1], "another", "", *classes]
    codes = _coded(pl.Series(texts), classes)
    assert codes.tolist() == [classes.index(t) if t in classes else -1 for t in texts]


def place_one_by_one(value, labels):
    return next((place for place, label in enumerate(labels) if float(label) == value), -1)


@pytest.mark.parametrize(
    ("cells", "labels"),
    [
        ([True, False, True], [False, True]),
        ([True, False, True], [0, 1]),
        ([True, False, True], [1, 2]),
        ([1.0, 0.0, 2.0, 0.5, -7.0], [0, 1]),
        ([1.5, 0.25, 9.0, 1.0], [0.25, 1.0, 1.5]),
        ([float(i % 7) for i in range(50)], list(range(1, 6))),
    ],
)
def test_numbers_are_looked_up_among_the_labels_in_few_bytes(cells, labels):
    found = _places(pl.Series(cells), labels)
    assert found.tolist() == [place_one_by_one(float(cell), labels) for cell in cells]
    assert found.dtype.itemsize <= 2 or isinstance(cells[0], bool)


SCORED = "id,y,m1\n1,1,15\n2,0,NA\n3,1,30\n4,0,2\n"  # as R's write.csv(quote = FALSE) writes it


def test_words_for_a_missing_score_are_missing_and_can_be_excluded(source):
    models = (GivenModel("m1", "m1", score="m1"),)
    source.write("p.csv", SCORED)
    where = Where("m1", "is not missing", None, "where m1 is not missing", Span("s.eval", 0, 5))
    one, _ = source.predictions("p.csv", truth="y", models=models, where=(where,))
    assert one[0].scores["m1"].tolist() == [15, 30, 2]
    assert one[0].excluded == (("where m1 is not missing", 1),)
    assert "p.csv: words read as missing, by default, in m1 (NA in 1 row)" in one[0].notes
    for clauses, code in (({}, "E444"), ({"missing": ()}, "E447"), ({"missing": ("NA",)}, "E444")):
        _, found = source.predictions("p.csv", truth="y", models=models, **clauses)
        assert [d.code for d in found] == [code]


def test_a_missing_truth_is_never_a_label(source):
    source.write("p.csv", "truth,a\nyes,yes\nNA,no\nno,no\nNone,no\n")
    _, (found,) = source.predictions("p.csv", models=(A,))
    assert (found.code, "2 of 4 rows: row 2 (line 3), row 4 (line 5)" in found.message) == (
        "E423",
        True,
    )
    assert found.help == (
        "write `where truth is not missing` to exclude them, or `missing none` if `NA`, `None` is "
        "a label"
    )
    (kept,), _ = source.predictions("p.csv", models=(A,), missing=())
    assert kept.classes == ("NA", "None", "no", "yes")
