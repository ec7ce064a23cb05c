"""Predictions in parts give the results of one file, whether rows are counted or kept."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import evallang as ev
from evallang.data import predictions
from evallang.metrics.metric import METRICS

N = 1200


def made_table(seed: int = 4, *, classes: tuple[str, ...] = ("cat", "cow", "dog")) -> pl.DataFrame:
    """Return labels of three models that disagree, one of which predicts an unknown label."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(classes, N)
    columns: dict[str, Any] = {"id": np.arange(10, N + 10), "truth": truth}
    for name, wrong in (("a", 0.2), ("b", 0.25), ("c", 0.4)):
        labels = truth.copy()
        off = rng.random(N) < wrong
        labels[off] = rng.choice(classes, int(off.sum()))
        columns[name] = labels
        columns[f"{name}_right"] = (labels == truth).astype(int)
    columns["site"] = rng.choice(["north", "south"], N)
    columns["note"] = rng.choice(["x", "y", None], N)
    columns["second"] = rng.random(N)
    columns["third"] = rng.random(N).round(2)
    return pl.DataFrame(columns)


def write_parts(table: pl.DataFrame, folder: Path, ending: str) -> None:
    """Write a table as one file, and as four parts of unequal length."""
    (folder / "preds").mkdir(exist_ok=True)
    _write(table, folder / f"preds.{ending}")
    for part, (start, stop) in enumerate(((0, 1), (1, 400), (400, 401), (401, N)), 8):
        _write(table[start:stop], folder / f"preds/{part}.{ending}")


def _write(table: pl.DataFrame, file: Path) -> None:
    if file.suffix == ".parquet":
        table.write_parquet(file)
    else:
        table.write_csv(file)


def compared(folder: Path, body: str, ending: str) -> tuple[Any, Any]:
    """Run a study on one file and on its parts, and return both results without their names."""
    found = []
    for source in (f"preds.{ending}", f"preds/{{part}}.{ending}"):
        place = folder / "study.eval"
        place.write_text(f'evallang 1\n\nstudy\n  seed 5\n\npredictions p from "{source}"\n{body}')
        results = ev.run(place)
        results.save(folder / "out")
        text = (folder / "out" / "results.json").read_text()
        found.append(_without_names(json.loads(text.replace(source, "SOURCE"))))
    return found[0], found[1]


def _without_names(document: dict[str, Any]) -> dict[str, Any]:
    for name in ("provenance", "spec"):
        document.pop(name)
    for data in document["data"]:
        data.pop("sha256")
        assert data.pop("source") in ("SOURCE", "SOURCE (4 parts)")
    for diagnostic in document["diagnostics"]:
        diagnostic.pop("range")
        diagnostic.pop("related")
    return document


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Record of each table in parts whether its rows were counted."""
    found: list[bool] = []
    read = predictions._read_counted

    def watched(*given: Any) -> Any:
        made = read(*given)
        found.append(made is not None)
        return made

    monkeypatch.setattr(predictions, "_read_counted", watched)
    return found


LABELS = "  truth truth\n  models a, b, c\n"
COMPARED = """
measure accuracy, f1, mcc within site
compare with cochran then mcnemar holm
compare a vs b with permutation by f1
compare a vs c with bootstrap by mcc
require a better than c
require accuracy of a >= 60%
"""


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_counted_parts_give_the_results_of_one_file(
    tmp_path: Path, ending: str, counted: list[bool]
) -> None:
    write_parts(made_table(), tmp_path, ending)
    one, parts = compared(tmp_path, f"  id id\n{LABELS}  where second < 0.9\n{COMPARED}", ending)
    assert one == parts
    assert counted == [True]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_kept_rows_of_parts_give_the_results_of_one_file(
    tmp_path: Path, ending: str, counted: list[bool]
) -> None:
    write_parts(made_table(classes=("no", "yes")), tmp_path, ending)
    body = (
        "  id id\n  truth truth\n  models a, b\n  score a = second\n  score b = third\n"
        "measure roc_auc, accuracy\ncompare a vs b with delong\n"
        "compare a vs b with mcnemar by accuracy\n"
    )
    one, parts = compared(tmp_path, body, ending)
    assert one == parts
    assert counted == []


COUNT_METRICS = sorted(m.name for m in METRICS if m.declaration.form == "counts")


@pytest.mark.parametrize("classes", [("no", "yes"), ("cat", "cow", "dog")], ids=["two", "three"])
def test_every_metric_of_counts_and_its_tests_need_no_row(
    tmp_path: Path, classes: tuple[str, ...], counted: list[bool]
) -> None:
    write_parts(made_table(classes=classes), tmp_path, "parquet")
    several = len(classes) > 2
    names = [m for m in COUNT_METRICS if not (several and METRICS[m].declaration.binary_only)]
    sides = "[[0, 5], [1, 0]]" if not several else "[[0, 5, 1], [1, 0, 1], [2, 1, 0]]"
    options = {"cost": f"(matrix={sides})", "normalized_cost": "(share=30%)"}
    options["fbeta"] = "(beta=2)"
    names = [f"{name}{options.get(name, '')}" for name in names]
    lines = "".join(
        f"measure {name}\ncompare a vs b with permutation by {name}\n"
        f"compare b vs c with bootstrap by {name}\n"
        for name in names
    )
    one, parts = compared(tmp_path, f"{LABELS}{lines}", "parquet")
    assert one == parts
    assert counted == [True]


def test_judged_outcomes_are_counted_too(tmp_path: Path, counted: list[bool]) -> None:
    write_parts(made_table(), tmp_path, "csv")
    body = (
        "  correct a as a_right, b as b_right, c as c_right\n"
        "measure accuracy, error_rate\ncompare with looney_f\ncompare a vs b with mcnemar\n"
    )
    one, parts = compared(tmp_path, body, "csv")
    assert one == parts
    assert counted == [True]


def test_a_method_that_needs_the_rows_gets_them(tmp_path: Path, counted: list[bool]) -> None:
    write_parts(made_table(), tmp_path, "csv")
    body = f"{LABELS}measure accuracy\ncompare a vs b with permutation(block=10)\n"
    one, parts = compared(tmp_path, body, "csv")
    assert one == parts
    assert counted == [True]
