"""`read_predictions`: several files, joined by id."""

import polars as pl
import pytest

from evallang.data.dataset import GivenModel

FIRST = "id,truth,pred\nr1,no,no\nr2,yes,yes\nr3,yes,no\n"
SECOND = "id,truth,pred\nr3,yes,yes\nr1,no,no\nr2,yes,no\n"
CNN = GivenModel("cnn", "cnn", column="pred", path="1.csv")
BASE = GivenModel("base", "base", column="pred", path="2.csv")


def joined(source, first, second, *, models=(CNN, BASE), names=("1.csv", "2.csv"), **clauses):
    for name, text in zip(names, (first, second), strict=True):
        source.write(name, text)
    made, found = source.predictions(*names, models=models, **{"id": "id", **clauses})
    return (made[0] if made else None), found


def test_files_are_joined_by_id_whatever_their_order(source):
    made, found = joined(source, FIRST, SECOND)
    assert found == ()
    assert made.ids == ("r1", "r2", "r3")
    assert made.truth.tolist() == [0, 1, 1]
    assert made.predictions["cnn"].tolist() == [0, 1, 0]
    assert made.predictions["base"].tolist() == [0, 0, 1]
    assert made.source == "1.csv, 2.csv"


def test_files_of_two_formats_are_joined(source):
    pl.DataFrame({"id": ["r3", "r1", "r2"], "p": [0.9, 0.2, 0.4]}).write_parquet(
        source.folder / "2.parquet"
    )
    source.write("1.csv", FIRST)
    models = (CNN, GivenModel("base", "base", score="p", path="2.parquet"))
    (made,), found = source.predictions("1.csv", "2.parquet", models=models, id="id")
    assert found == ()
    assert made.scores["base"].tolist() == [0.2, 0.4, 0.9]


def test_score_patterns_of_one_file_stay_in_that_file(source):
    one = "id,truth,p_no,p_yes\nr1,no,0.9,0.1\nr2,yes,0.2,0.8\n"
    two = "id,p_no,p_yes\nr2,0.6,0.4\nr1,0.7,0.3\n"
    models = (
        GivenModel("a", "a", scores="p_*", path="1.csv"),
        GivenModel("b", "b", scores="p_*", path="2.csv"),
    )
    made, _ = joined(source, one, two, models=models)
    assert made.scores["a"].tolist() == [[0.9, 0.1], [0.2, 0.8]]
    assert made.scores["b"].tolist() == [[0.7, 0.3], [0.6, 0.4]]


@pytest.mark.parametrize(
    ("first", "second", "clauses", "code", "words"),
    [
        (FIRST, SECOND, {"id": None}, "E440", "joined by id"),
        (FIRST, SECOND.replace("r3,yes,yes\n", ""), {}, "E441", "`2.csv` lacks 1 row"),
        (
            FIRST,
            SECOND + "r9,no,no\n",
            {},
            "E441",
            "`1.csv` lacks 1 row that other files have: `id` r9",
        ),
        (FIRST, SECOND.replace("r1", "r2"), {}, "E436", "r2"),
        (FIRST, SECOND.replace("r1,no", "r1,yes"), {}, "E442", "for `id` r1 it is `no` and `yes`"),
        (
            FIRST,
            SECOND,
            {"models": (GivenModel("cnn", "c", column="pred"),)},
            "E443",
            "`1.csv`, `2.csv`",
        ),
        (
            FIRST,
            SECOND,
            {"models": (GivenModel("x", "x", column="pred", path="3.csv"),)},
            "E401",
            "3.csv",
        ),
        (
            FIRST,
            SECOND,
            {"models": (GivenModel("x", "x", column="prd", path="2.csv"),)},
            "E420",
            "prd",
        ),
    ],
)
def test_files_that_do_not_fit_together(source, first, second, clauses, code, words):
    made, found = joined(source, first, second, **clauses)
    assert made is None
    assert found[0].code == code
    assert words in found[0].message


def test_rows_common_keeps_what_all_files_have_and_says_so(source):
    made, found = joined(source, FIRST, SECOND.replace("r3,yes,yes\n", ""), rows_common=True)
    assert found == ()
    assert made.ids == ("r1", "r2")
    assert "rows common: 1 row of 3 skipped, not in every file" in made.notes
