"""Predictions in parts give the results of one file, whether rows are counted or kept."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import evallang as ev
from evallang.cli.main import root
from evallang.data import file_formats, predictions
from evallang.limits import limits
from evallang.metrics.metric import METRICS
from evallang.results import codec

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
        text = codec.dumps(ev.run(place).record)
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
        "measure brier, roc_auc, accuracy\ncompare a vs b with delong by roc_auc\n"
    )
    one, parts = compared(tmp_path, body, ending)
    assert one == parts
    assert counted == []


# --- the order of scores ---------------------------------------------------------------------


def scored_table(seed: int = 5) -> pl.DataFrame:
    """Return scores of three models: few distinct ones, as many as rows, and margins."""
    rng = np.random.default_rng(seed)
    truth = rng.random(N) < 0.3
    signal = rng.normal(size=N) + 1.2 * truth
    return pl.DataFrame(
        {
            "truth": np.where(truth, "yes", "no"),
            "coarse": np.clip(np.round(0.3 + 0.1 * signal, 1), 0, 1),
            "fine": (1 / (1 + np.exp(-signal - rng.normal(size=N)))).astype(np.float32),
            "margin": np.round(signal + 2 * rng.normal(size=N), 3),
            "site": rng.choice(["north", "south"], N),
        }
    )


def assert_close(one: Any, other: Any, place: str = "") -> None:
    """Check that two documents are the same, their numbers to 1e-12."""
    if isinstance(one, dict):
        assert one.keys() == other.keys(), place
        for name in one:
            assert_close(one[name], other[name], f"{place}/{name}")
    elif isinstance(one, list):
        assert len(one) == len(other), place
        for number, (first, second) in enumerate(zip(one, other, strict=True)):
            assert_close(first, second, f"{place}/{number}")
    elif isinstance(one, float):
        assert one == pytest.approx(other, rel=1e-12, abs=1e-15), place
    else:
        assert one == other, place


SCORED = (
    "  truth truth\n  positive yes\n  models a, b, c\n"
    "  score a = coarse\n  score b = fine\n  score c = margin\n"
)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("threshold", ["", "  threshold a = 0.4\n  threshold c = -0.5\n"])
def test_scores_counted_in_parts_give_the_results_of_one_file(
    tmp_path: Path, ending: str, threshold: str, counted: list[bool]
) -> None:
    write_parts(scored_table(), tmp_path, ending)
    body = (
        f"{SCORED}{threshold}  where margin < 5\n"
        "measure roc_auc, accuracy, f1\n"
        "compare with delong then delong holm\n"
        "compare a vs b, b vs c with mcnemar by accuracy\n"
        "require roc_auc of a >= 60%\nrequire a not worse than c by 10%\n"
    )
    one, parts = compared(tmp_path, body, ending)
    assert_close(one, parts)
    assert counted == [True]


@pytest.mark.parametrize("metric", ["ranking_loss", "average_precision", "cost_curve_area"])
def test_every_metric_of_order_gives_the_results_of_one_file(tmp_path: Path, metric: str) -> None:
    write_parts(scored_table(), tmp_path, "parquet")
    body = f"{SCORED}measure accuracy\nmeasure {metric}\n  interval bootstrap(rounds=500)\n"
    one, parts = compared(tmp_path, body, "parquet")
    assert_close(one, parts)


def test_the_number_of_threads_changes_no_byte(tmp_path: Path) -> None:
    table = scored_table().with_columns(label=pl.col("truth"), n=pl.int_range(N))
    write_parts(table, tmp_path, "parquet")
    clauses = "  id n\n  truth truth\n  positive yes\n  models a, b as label\n"
    clauses += "  score a = fine\n  score b = margin\n"
    program = (
        "import evallang as ev; from evallang.results import codec\n"
        "for name in ('one', 'parts'): print(codec.dumps(ev.run(name + '.eval').record), end='\\0')"
    )
    for name, source in (("one", "preds.parquet"), ("parts", "preds/{part}.parquet")):
        text = f'evallang 1\n\npredictions p from "{source}"\n{clauses}measure roc_auc, accuracy\n'
        (tmp_path / f"{name}.eval").write_text(f"{text}compare with delong by roc_auc\n")
    found = []
    for threads in "12":
        done = subprocess.run(
            [sys.executable, "-c", program],
            cwd=tmp_path,
            env={**os.environ, "POLARS_MAX_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        )
        documents = [json.loads(text) for text in done.stdout.split("\0")[:-1]]
        found.append([{k: v for k, v in d.items() if k != "provenance"} for d in documents])
    assert len(found[0]) == 2
    assert found[0] == found[1]


def test_areas_of_parts_are_those_of_scikit_learn(tmp_path: Path, counted: list[bool]) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    table = scored_table()
    write_parts(table, tmp_path, "parquet")
    body = f'predictions p from "preds/{{part}}.parquet"\n{SCORED}measure roc_auc\n'
    place = tmp_path / "study.eval"
    place.write_text(f"evallang 1\n\n{body}")
    found = {e.model: e.value for e in ev.run(place).record.estimates}
    up = (table["truth"] == "yes").to_numpy()
    for model, column in (("a", "coarse"), ("b", "fine"), ("c", "margin")):
        assert found[model] == pytest.approx(metrics.roc_auc_score(up, table[column]), abs=1e-14)
    assert counted == [True]


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
        f"measure {name}\ncompare a vs b with permutation(rounds=500) by {name}\n"
        f"compare b vs c with bootstrap(rounds=500) by {name}\n"
        for name in names
    )
    one, parts = compared(tmp_path, f"{LABELS}{lines}", "parquet")
    assert one == parts
    assert counted == [True]


ROUNDED = (
    "measure roc_auc(distinct=40), accuracy\n"
    "compare with delong then delong holm by roc_auc(distinct=40)\n"
)


def test_rounded_scores_of_parts_give_the_results_of_one_file_and_state_their_error(
    tmp_path: Path, counted: list[bool]
) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    table = scored_table()
    write_parts(table, tmp_path, "parquet")
    one, parts = compared(tmp_path, f"{SCORED}{ROUNDED}", "parquet")
    for data in (*one["data"], *parts["data"]):
        for column in data["columns"]:  # how many were distinct is not known of rounded scores
            column.pop("levels")
    assert_close(one, parts)
    assert counted == [True]
    up = (table["truth"] == "yes").to_numpy()
    areas = [e for e in parts["estimates"] if e["metric"] == "roc_auc(distinct=40)"]
    assert [e["model"] for e in areas] == ["a", "b", "c"]
    assert "error_of_rounding" not in areas[0]["extra"]  # its scores have 11 values
    for estimate, column in zip(areas, ("coarse", "fine", "margin"), strict=True):
        exact = metrics.roc_auc_score(up, table[column])
        error = estimate["extra"].get("error_of_rounding", 1e-14)
        assert abs(estimate["value"] - exact) <= error < 0.05
        if error > 1e-14:
            assert f"off by at most {error:.2g}" in " ".join(estimate["notes"])
    pair = parts["comparisons"][0]["pairwise"][-1]
    total = sum(e["extra"]["error_of_rounding"] for e in areas[1:])
    assert f"the difference is off by at most {total:.2g}" in " ".join(pair["notes"])


def test_scores_beyond_the_memory_are_refused_with_the_option_that_rounds_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_formats, "may_exhaust", lambda path, ending: False)
    (tmp_path / "preds").mkdir()
    for part, rows in enumerate(scored_table().drop("site").iter_slices(100)):
        _write(rows, tmp_path / f"preds/{part}.parquet")
    place = tmp_path / "study.eval"
    text = f'evallang 1\n\npredictions p from "preds/{{part}}.parquet"\n{SCORED}measure roc_auc\n'
    place.write_text(text)
    with limits(memory=40_000):
        with pytest.raises(ev.StudyError) as caught:
            ev.run(place)
        (found,) = caught.value.diagnostics
        assert found.code == "E404"
        assert "roc_auc(distinct=" in (found.help or "")
        place.write_text(text.replace("roc_auc", "roc_auc(distinct=100)"))
        assert ev.run(place).record.data[0].n == N


# --- parts that are joined, and what avoids it --------------------------------------------------


def test_a_plan_and_a_run_say_that_parts_are_joined(tmp_path: Path) -> None:
    write_parts(scored_table(), tmp_path, "parquet")
    place = tmp_path / "study.eval"
    text = f'predictions p from "preds/{{part}}.parquet"\n{SCORED}measure average_precision\n'
    place.write_text(f"evallang 1\n\n{text}")
    runner = CliRunner()
    plan = runner.invoke(root, ["plan", str(place)])
    assert "note: the 4 parts of `p` are joined in memory" in plan.stdout
    document = json.loads(runner.invoke(root, ["plan", str(place), "--format", "json"]).stdout)
    (joined,) = document["joined_parts"]
    assert joined["reasons"][0]["instead"].endswith("below `measure average_precision`")
    assert runner.invoke(root, ["run", str(place), "--quiet"]).stderr == ""
    run = runner.invoke(root, ["run", str(place)])
    assert run.stderr.count("note: the 4 parts of `p` are joined in memory") == 1
