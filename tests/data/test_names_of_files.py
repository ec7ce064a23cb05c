"""Names of files that hold the model, data set or repeat of their rows."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import evallang as ev

HEAD = "evallang 1\n\nstudy\n  seed 1\n\n"
TRUTH = [row % 2 for row in range(30)]
WRONG = {"net-1": 3, "net-2": 5}  # every so many rows are wrong


def labels(model: str, repeat: int = 0) -> list[int]:
    return [1 - y if (row + repeat) % WRONG[model] == 0 else y for row, y in enumerate(TRUTH)]


def run(folder: Path, body: str):  # type: ignore[no-untyped-def]
    (folder / "s.eval").write_text(HEAD + body)
    return ev.run(folder / "s.eval").record


def write_runs(folder: Path) -> None:
    (folder / "truth.csv").write_text("n,y\n" + "".join(f"{i},{y}\n" for i, y in enumerate(TRUTH)))
    for model in WRONG:
        for repeat in (1, 2):
            rows = "".join(f"{i},{x}\n" for i, x in enumerate(labels(model, repeat)))
            (folder / f"{model}_run{repeat}.csv").write_text(f"n,pred\n{rows}")


def test_models_and_repeats_are_read_from_names_and_joined_with_the_truth(tmp_path: Path) -> None:
    write_runs(tmp_path)
    found = run(
        tmp_path,
        'predictions p from "truth.csv", "{model}_run{repeat}.csv"\n  id n\n  truth y\n'
        '  models all as pred\n  models first "First" as "net-1"\n  models "net-2"\n'
        "measure accuracy\n",
    )
    right = {m: np.mean([[x == y for x, y in zip(labels(m, r), TRUTH, strict=True)]
                         for r in (1, 2)]) for m in WRONG}  # fmt: skip
    values = {one.model: one.value for one in found.estimates}
    assert values == pytest.approx({"first": right["net-1"], "net-2": right["net-2"]})
    assert found.data[0].n == 30


def test_rows_of_one_id_are_repeats_by_their_order(tmp_path: Path) -> None:
    write_runs(tmp_path)
    lines = [f"{i},{m},{y},{x}\n" for r in (1, 2) for m in WRONG
             for i, (x, y) in enumerate(zip(labels(m, r), TRUTH, strict=True))]  # fmt: skip
    (tmp_path / "long.csv").write_text("n,m,y,pred\n" + "".join(lines))
    body = "predictions p from {}\n  id n\n  truth y\n  models all as pred\n"
    by_name = run(tmp_path, body.format('"truth.csv", "{model}_run{repeat}.csv"'))
    by_order = run(tmp_path, body.format('"long.csv"\n  model m\n  repeat by order'))
    assert [m.value for m in by_name.estimates] == [m.value for m in by_order.estimates]


def test_each_model_has_the_score_columns_of_its_own_files(tmp_path: Path) -> None:
    for model, names in (("a", "p_0,p_1"), ("b", "p_1,p_0,note")):
        rows = [".2,.8,x" if y == (model == "a") else ".7,.3,x" for y in TRUTH]
        rows = [row if model == "b" else row[:-2] for row in rows]
        table = "".join(
            f"{i},{y},{row}\n" for i, (y, row) in enumerate(zip(TRUTH, rows, strict=True))
        )
        (tmp_path / f"{model}.csv").write_text(f"n,y,{names}\n{table}")
    found = run(
        tmp_path,
        'predictions p from "{model}.csv"\n  id n\n  truth y\n  scores all = "p_*"\n'
        "measure roc_auc\n",
    )
    assert {one.model: one.value for one in found.estimates} == {"a": 1, "b": 1}


def test_data_sets_are_named_by_their_files(tmp_path: Path) -> None:
    for name in ("red", "white"):
        rows = "".join(f"{row * 0.37 % 1:.2f},{y}\n" for row, y in enumerate(TRUTH * 2))
        (tmp_path / f"wine-{name}-v2.csv").write_text(f"x,y\n{rows}")
    found = run(
        tmp_path,
        'data wine from "wine-{dataset}-v2.csv"\n  target y\nmodel a = GaussianNB\n'
        "protocol holdout\nmeasure accuracy\n",
    )
    assert [one.name for one in found.data] == ["wine/red", "wine/white"]


def test_scores_are_read_from_a_file_of_each_model_and_data_set(tmp_path: Path) -> None:
    values = {("a", "x"): 0.8, ("a", "y"): 0.7, ("b", "x"): 0.6, ("b", "y"): 0.9}
    for (model, dataset), value in values.items():
        pl.DataFrame({"auc": [value]}).write_parquet(tmp_path / f"{model}@{dataset}.parquet")
    found = run(
        tmp_path,
        'scores s from "{model}@{dataset}.parquet"\n  score auc\n  metric "AUC"\n',
    )
    assert sorted((one.model, one.value) for one in found.estimates) == sorted(
        (model, value) for (model, _), value in values.items()
    )
