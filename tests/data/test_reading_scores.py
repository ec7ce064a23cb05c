"""`read_scores`: tables of scores, wide and long, with folds and repeats, with gaps."""

import math

import polars as pl
import pytest

from evallang.data.dataset import GivenModel, ScoresSpec
from evallang.data.score_tables import read_scores
from evallang.source import Span

WIDE = "name,nb,rf,svm\niris,0.94,0.95,0.96\nwine,0.97,0.98,0.91\nadult,0.8,0.86,0.85\n"
LONG = "name,algo,auc\n" + "".join(
    f"{name},{model},{score}\n"
    for name, *scores in (row.split(",") for row in WIDE.split("\n")[1:-1])
    for model, score in zip(("nb", "rf", "svm"), scores, strict=True)
)
WORDS = ["scores", "from", "dataset", "models", "model", "score", "fold", "repeat", "metric"]
PLACES = {word: Span("study.eval", 10 * i, 10 * i + 5) for i, word in enumerate(WORDS)}
VALUES = [[0.94, 0.95, 0.96], [0.97, 0.98, 0.91], [0.8, 0.86, 0.85]]


def named(*names):
    return tuple(GivenModel(name, name) for name in names)


@pytest.fixture
def read(source):
    def read(content, **clauses):
        source.write("auc.csv", content)
        given = {"name": "auc", "label": "auc", "path": "auc.csv", "statement": "scores auc"}
        spec = ScoresSpec(**{**given, "places": PLACES, **clauses})
        return read_scores(spec, source.folder)

    return read


@pytest.fixture
def good(read):
    def good(content, **clauses):
        table, found = read(content, **clauses)
        assert table is not None, found
        return table

    return good


# --- shapes ------------------------------------------------------------------------------


def test_a_wide_table_has_a_row_a_data_set_and_a_column_a_model(good):
    table = good(WIDE, dataset="name")
    assert table.datasets == ("iris", "wine", "adult")  # in the order of the file
    assert [model.name for model in table.models] == ["nb", "rf", "svm"]
    assert table.values.tolist() == VALUES
    assert not table.missing.any()
    assert (table.folds, table.repeats, table.n) == (None, None, 3)


def test_models_are_those_written_in_the_order_written(good):
    models = (GivenModel("forest", "Random forest", column="rf"), GivenModel("nb", "nb"))
    table = good(WIDE, dataset="name", models=models)
    assert [model.label for model in table.models] == ["Random forest", "nb"]
    assert table.values[:, 0].tolist() == [0.95, 0.98, 0.86]


def test_a_long_table_says_the_same_whatever_the_order_of_its_rows(good):
    wide = good(WIDE, dataset="name")
    table = good(LONG, dataset="name", model=("algo",), score="auc")
    assert table.values.tolist() == VALUES
    assert table.sha256 == wide.sha256
    head, *rows = LONG.strip().split("\n")
    shuffled = "\n".join([head, *sorted(rows, key=lambda row: row[-1])])
    again = good(
        shuffled, dataset="name", model=("algo",), score="auc", models=named("nb", "rf", "svm")
    )
    order = [again.datasets.index(name) for name in wide.datasets]
    assert again.values[order].tolist() == VALUES


def test_a_long_table_keeps_only_the_models_written_and_says_so(good):
    models = (GivenModel("forest", "Forest", column="rf"), GivenModel("nb", "nb"))
    table = good(LONG, dataset="name", model=("algo",), score="auc", models=models)
    assert table.values.tolist() == [[0.95, 0.94], [0.98, 0.97], [0.86, 0.8]]
    assert "3 rows of other models skipped: svm" in table.notes


def folded(folds, *, repeats=("",), sets=("iris",)):
    rows = [
        (name, repeat, fold, 0.5 + 0.01 * i, 0.6 + 0.01 * i)
        for name in sets
        for repeat in repeats
        for i, fold in enumerate(folds)
    ]
    return "name,rep,fold,a,b\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)


def test_folds_make_a_third_axis_in_their_numeric_order(good):
    table = good(folded([10, 2, 1]), dataset="name", fold="fold", models=named("a", "b"))
    assert table.fold_labels == ("1", "2", "10")
    assert table.folds.tolist() == [0, 1, 2]
    assert table.values.shape == (1, 2, 3)
    assert table.values[0, 0].tolist() == [0.52, 0.51, 0.5]
    assert table.means[0, 1] == pytest.approx(0.61, abs=1e-15)  # mean of .60, .61, .62 by hand


def test_repeats_hold_all_folds_each(good):
    table = good(
        folded([1, 2], repeats=("r1", "r2"), sets=("iris", "wine")),
        dataset="name", fold="fold", repeat="rep", models=named("a", "b"),
    )  # fmt: skip
    assert table.values.shape == (2, 2, 4)
    assert table.repeats.tolist() == [0, 0, 1, 1]
    assert table.folds.tolist() == [0, 1, 0, 1]
    assert table.repeat_labels == ("r1", "r2")


def test_folds_without_data_sets_are_one_data_set_called_after_the_statement(good):
    text = folded([1, 2, 3]).replace("iris,,", "").replace("name,rep,", "")
    table = good(text, fold="fold")
    assert table.datasets == ("auc",)
    assert table.values.shape == (1, 2, 3)


def test_parquet_json_lines_and_csv_have_one_hash(good, source):
    one = good(WIDE, dataset="name").sha256
    pl.read_csv(source.folder / "auc.csv").write_parquet(source.folder / "auc.parquet")
    pl.read_csv(source.folder / "auc.csv").write_ndjson(source.folder / "auc.jsonl")
    for ending in ("parquet", "jsonl"):
        spec = ScoresSpec("auc", "auc", f"auc.{ending}", "scores auc", dataset="name")
        table, found = read_scores(spec, source.folder)
        assert found == ()
        assert table.sha256 == one


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        (WIDE.replace("0.94", "0.93"), {}),
        (WIDE.replace("iris", "iris2"), {}),
        (WIDE, {"higher_is_better": False}),
        (WIDE, {"models": named("rf", "nb", "svm")}),
    ],
)
def test_whatever_can_change_a_result_changes_the_hash(good, text, clauses):
    assert good(text, **{"dataset": "name", **clauses}).sha256 != good(WIDE, dataset="name").sha256


# --- gaps --------------------------------------------------------------------------------

GAP = WIDE.replace("0.91", "")


def test_a_data_set_with_a_gap_is_left_out_and_said_so(read):
    table, found = read(GAP, dataset="name")
    assert table.missing.tolist() == [[False] * 3, [False, False, True], [False] * 3]
    assert math.isnan(table.values[1, 2])
    (warning,) = found
    assert (warning.code, warning.severity) == ("W421", "warning")
    assert all(fact in warning.message for fact in ("`wine`", "`svm`", "2 of 3", "`missing=worst`"))
    rows, means = table.compared()
    assert rows == (0, 2)
    assert means.tolist() == [VALUES[0], VALUES[2]]
    assert warning.message in table.notes


@pytest.mark.parametrize(("higher", "last"), [(True, -math.inf), (False, math.inf)])
def test_the_other_policy_ranks_a_gap_last(good, higher, last):
    table = good(GAP, dataset="name", policy="worst", higher_is_better=higher)
    rows, filled = table.compared()
    assert rows == (0, 1, 2)
    assert filled[1].tolist() == [0.97, 0.98, last]
    assert math.isnan(table.values[1, 2])


def test_a_gap_of_a_long_table_is_a_row_that_is_not_there(good):
    text = LONG.replace("wine,svm,0.91\n", "")
    table = good(text, dataset="name", model=("algo",), score="auc")
    assert table.missing.tolist() == [[False] * 3, [False, False, True], [False] * 3]


@pytest.mark.parametrize("mark", ["-", "–", "—", "?", "NA", "n/a", "NaN", ""])
def test_marks_of_failed_runs_are_gaps_and_stated(read, mark):
    table, found = read(WIDE.replace("0.91", mark), dataset="name")
    assert table.missing[1, 2] and table.missing.sum() == 1
    assert [d.code for d in found] == ["W421"]
    stated = [
        note
        for note in table.notes
        if f"{mark} read as missing in 1 row" in note or f"({mark} in 1 row)" in note
    ]
    assert bool(stated) == (mark not in ("", "NaN"))  # those two are missing in every column


# --- what does not fit -------------------------------------------------------------------


def test_a_whole_data_set_that_one_model_lacks_is_a_gap_and_no_unequal_folds(good):
    text = folded([1, 2], sets=("iris", "wine"))
    text = text.replace("wine,,1,0.5,0.6", "wine,,1,0.5,")
    text = text.replace("wine,,2,0.51,0.61", "wine,,2,0.51,")
    table = good(text, dataset="name", fold="fold", models=named("a", "b"))
    assert table.missing.tolist() == [[False, False], [False, True]]
    assert table.compared()[0] == (0,)
