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


def test_rows_common_keeps_what_all_files_have_and_says_so(source):
    made, found = joined(source, FIRST, SECOND.replace("r3,yes,yes\n", ""), rows_common=True)
    assert found == ()
    assert made.ids == ("r1", "r2")
    assert "rows common: 1 row of 3 skipped, not in every file" in made.notes


def test_rows_common_names_the_data_sets_that_it_drops(source):
    first = "id,task,truth,pred\n1,law,no,no\n1,sums,yes,yes\n1,maps,yes,no\n2,law,yes,no\n"
    second = "id,task,truth,pred\n2,law,yes,yes\n1,law,no,yes\n"
    made, found = joined(source, first, second, dataset="task", rows_common=True)
    assert found == ()
    assert made.ids == ("1", "2")
    assert "rows common: no row of `task` sums, maps is in every file" in made.notes


def write_models(source, orders, spelled):
    """Write a file for each model, with a third of wrong labels, and return the labels by row."""
    n = len(orders[0])
    truth = [("no", "yes", "perhaps")[row % 3] for row in range(n)]
    labels = {}
    for name, order in zip(("1.csv", "2.csv"), orders, strict=True):
        shift = len(labels) + 1
        wrong = {row: truth[(row + shift) % n] for row in range(0, n, 3)}
        labels[name] = [wrong.get(row, truth[row]) for row in range(n)]
        lines = (f"{spelled(row)},{truth[row]},{labels[name][row]}\n" for row in order)
        source.write(name, "id,truth,pred\n" + "".join(lines))
    return truth, labels


def read_models(source):
    (made,), found = source.predictions("1.csv", "2.csv", models=(CNN, BASE), id="id")
    assert found == ()
    words = [made.classes[code] for code in made.truth]
    codes = (made.predictions[name] for name in ("cnn", "base"))
    return made, words, [[made.classes[code] for code in one] for one in codes]


N = 50
FORWARD, BACKWARD = range(N), range(N - 1, -1, -1)


@pytest.mark.parametrize("order", [FORWARD, BACKWARD], ids=["one order", "two orders"])
@pytest.mark.parametrize("first", [FORWARD, BACKWARD], ids=["rising", "falling"])
@pytest.mark.parametrize(
    "spelled", [str, "r{}".format, "00{}".format, lambda row: 2**63 + row, lambda row: row - 25]
)
def test_rows_are_matched_in_every_order_and_spelling_of_ids(source, order, first, spelled):
    truth, labels = write_models(source, (first, order), spelled)
    made, words, (cnn, base) = read_models(source)
    assert [str(i) for i in made.ids] == [str(spelled(row)) for row in first]
    assert words == [truth[row] for row in first]
    assert cnn == [labels["1.csv"][row] for row in first]
    assert base == [labels["2.csv"][row] for row in first]
