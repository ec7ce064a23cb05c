"""Models of former results: the same numbers as when they were fitted, or a refusal."""

import json
import shutil
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import evallang as ev
from evallang.api import open_study
from evallang.api.preparing import read_and_plan

FORMER = """\
evallang 1
study "Release 1"
  seed 7
data d from "d.csv"
  target y
model line = {model}
model baseline = {dummy}
{protocol}
measure {metric}
"""
LATER = """\
evallang 1
study "Release 2"
  seed 7
data d from "d.csv"
  target y
model release "Last release" from results "v1" as line
model same = {model}
{protocol}
measure {metric}
require same not worse than release by 1%
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    x, z = rng.normal(size=(2, 90))
    label = np.where(x + rng.normal(size=90) > 0, "yes", "no")
    third = np.where(z > 0.8, "maybe", label)
    number = 3 * x + rng.normal(size=90)
    groups = np.arange(90) // 3
    table = {"x": x, "z": z, "g": groups, "y": label, "k": third, "v": number}
    pl.DataFrame(table).write_csv("all.csv")
    return tmp_path


def results_of(text: str, name: str = "study.eval") -> ev.Results:
    Path(name).write_text(text)
    return ev.run(open_study(name), jobs=1)


DESIGNS = {
    "cv": ("y", "LogisticRegression", "protocol cv folds=4", "accuracy, roc_auc, log_loss"),
    "three classes": ("k", "LogisticRegression", "protocol cv folds=3", "accuracy, log_loss"),
    "margins": ("y", "LinearSVC", "protocol cv folds=4", "accuracy, roc_auc"),
    "seeds": ("y", "ExtraTreeClassifier", "protocol cv folds=3 seeds=2", "accuracy"),
    "bootstrap": ("y", "GaussianNB", "protocol bootstrap rounds=50", "accuracy"),
    "groups": ("y", "GaussianNB", "group by g\nprotocol cv folds=4", "accuracy"),
    "further fits": (
        "y", "GaussianNB", "protocol cv folds=5", "accuracy\n  interval nested_cv(repeats=5)",
    ),
    "regression": ("v", "Ridge", "protocol cv folds=4", "mse, r2"),
    "series": ("v", "Ridge", "protocol time_series folds=4", "mae"),
}  # fmt: skip


def design(name: str) -> dict[str, str]:
    """Write the data of a design, and return the parts of its studies."""
    target, model, protocol, metric = DESIGNS[name]
    table = pl.read_csv("all.csv").select("x", "z", "g", pl.col(target).alias("y"))
    table.write_csv("d.csv")
    dummy = "DummyRegressor" if target == "v" else "DummyClassifier"
    return {"model": model, "dummy": dummy, "protocol": protocol, "metric": metric}


@pytest.mark.parametrize("name", DESIGNS)
def test_a_stored_model_has_the_numbers_of_the_fitted_one(name, folder):
    parts = design(name)
    former, later = (text.format(**parts) for text in (FORMER, LATER))
    results_of(former).save("v1", ())
    results = results_of(later.partition("require")[0])
    found = {}
    for estimate in results.record.estimates:
        values = estimate.value, estimate.interval, [fold.value for fold in estimate.folds]
        found.setdefault(estimate.metric, []).append((estimate.model, *values))
    for metric, ((first, *stored), (second, *fitted)) in found.items():
        assert (first, second) == ("release", "same")
        assert stored == fitted, metric
        assert stored[0] is not None
    assert {(fitted.model) for fitted in results._run.fits} == {"same"}
    model = results.record.models[0]
    assert (model.kind, model.label, model.stored.results) == ("stored", "Last release", "v1")
    assert model.pipeline == parts["model"]
    assert model.stored.study == "Release 1"


def saved(folder: Path, name: str = "cv") -> str:
    """Write the former results, and return the later study."""
    parts = design(name)
    results_of(FORMER.format(**parts), "former.eval").save("v1", ())
    return LATER.format(**parts)


def test_the_hash_is_that_of_the_file_and_enters_results_plan_and_lock(folder):
    from hashlib import sha256

    from evallang.api.locking import locked_settings

    text = saved(folder)
    digest = sha256(Path("v1/predictions.parquet").read_bytes()).hexdigest()
    assert (
        json.loads(Path("v1/results.json").read_text())["provenance"]["predictions_sha256"]
        == digest
    )
    assert results_of(text).record.models[0].stored.sha256 == digest
    study = open_study("study.eval")
    assert read_and_plan(study).study.models[0].stored.sha256 == digest
    settings = {(s.section, s.item, s.name): s.value for s in locked_settings(study)}
    assert settings["model", "release", "predictions"] == digest
    assert settings["model", "release", "from"] == 'results "v1" as line'


def refusal(text: str) -> tuple[str, str]:
    """Return code and message of the only error of a study that is refused before any fit."""
    Path("study.eval").write_text(text)
    with pytest.raises(ev.StudyError) as caught:
        ev.run(open_study("study.eval"), jobs=1)
    (error,) = [d for d in caught.value.diagnostics if d.severity == "error"]
    return error.code, error.message


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("seed 7", "seed 8", "the seed is 7 there and 8 here"),
        ("cv folds=4", "cv folds=5", "`cv folds=4` there and `cv folds=5` here"),
        ("target y", "target y\n  positive no", "the positive class (`yes` there, `no` here)"),
        ("target y", "target y\n  where x > 0", "the number of rows (90 there,"),
        ("target y", "target y\n  features x", "`z`, `g` only there"),
        ("protocol cv", "stratify none\nprotocol cv", "stratified by target there and nothing"),
        ("protocol cv", "group by g\nprotocol cv", "features (`g` only there)"),
    ],
)
def test_another_design_is_refused(old, new, part, folder):
    code, message = refusal(saved(folder).replace(old, new))
    assert code == "E439"
    assert part in message


def test_another_order_of_rows_is_refused(folder):
    text = saved(folder)
    pl.read_csv("d.csv").reverse().write_csv("d.csv")
    code, message = refusal(text)
    assert code == "E439"
    assert "order of the rows" in message


def test_an_altered_file_of_predictions_is_refused(folder):
    text = saved(folder)
    cells = pl.read_parquet("v1/predictions.parquet")
    cells.with_columns(prediction=pl.lit("yes")).write_parquet("v1/predictions.parquet")
    assert refusal(text)[0] == "E459"


def restate_hash() -> None:
    """Write the hash of the altered predictions into the results, as a forger would."""
    from hashlib import sha256

    results = json.loads(Path("v1/results.json").read_text())
    content = Path("v1/predictions.parquet").read_bytes()
    results["provenance"]["predictions_sha256"] = sha256(content).hexdigest()
    Path("v1/results.json").write_text(json.dumps(results))


@pytest.mark.parametrize(
    ("alter", "code", "part"),
    [
        (lambda cells: cells.with_columns(truth=pl.lit("yes")), "E459", "truth"),
        (lambda cells: cells.filter(pl.col("fold") != 2), "E459", "for fold 2"),
        (
            lambda cells: cells.with_columns(row=pl.col("row") + 1),
            "E439",
            "the test rows of fold 0",
        ),
        (lambda cells: cells.unique(["model", "truth", "fold"]), "E439", "the test rows of fold 0"),
        (lambda cells: cells.drop("row"), "E459", "columns"),
        (lambda cells: cells.with_columns(row=pl.lit("a")), "E459", "columns"),
        (lambda cells: cells.with_columns(prediction=pl.lit(1.0)), "E459", "truth"),
    ],
)
def test_a_forged_file_of_predictions_is_refused(alter, code, part, folder):
    text = saved(folder)
    alter(pl.read_parquet("v1/predictions.parquet")).write_parquet("v1/predictions.parquet")
    restate_hash()
    found, message = refusal(text)
    assert found == code
    assert part in message


def test_results_without_predictions_are_refused(folder):
    text = saved(folder)
    Path("v1/predictions.parquet").unlink()
    assert refusal(text)[0] == "E459"
    results = json.loads(Path("v1/results.json").read_text())
    del results["provenance"]["predictions_sha256"]
    Path("v1/results.json").write_text(json.dumps(results))
    assert refusal(text)[0] == "E459"
    Path("v1/results.json").write_text("[]")
    assert refusal(text)[0] == "E459"
    shutil.rmtree("v1")
    assert refusal(text)[0] == "E401"


def test_a_pipe_in_place_of_the_predictions_is_refused(folder):
    import os

    text = saved(folder)
    Path("v1/predictions.parquet").unlink()
    os.mkfifo("v1/predictions.parquet")
    assert refusal(text)[0] == "E405"


def test_the_limit_of_size_holds_for_stored_results(folder):
    from evallang.limits import limits

    text = saved(folder)
    with limits(results_bytes=100):
        assert refusal(text)[0] == "E404"


def test_a_fold_that_failed_is_a_fold_without_predictions(folder):
    text = saved(folder)
    results = json.loads(Path("v1/results.json").read_text())
    cells = pl.read_parquet("v1/predictions.parquet")
    cells.filter(~((pl.col("fold") == 2) & (pl.col("model") == "line"))).write_parquet(
        "v1/predictions.parquet"
    )
    failure = {"stage": "outer", "data": "d", "protocol": "cv", "model": "line", "repeat": 0,
               "fold": 2, "params": {}, "error": "ValueError", "message": "x"}  # fmt: skip
    results["failures"] = [failure]
    Path("v1/results.json").write_text(json.dumps(results))
    restate_hash()
    found = results_of(text.replace("measure accuracy, roc_auc, log_loss", "measure accuracy"))
    release, same = found.record.estimates
    assert release.n < same.n == 90
    assert not found.record.requirements[0].met


def test_stored_models_alone_are_compared_without_a_fit(folder):
    text = saved(folder).replace(
        "model same = LogisticRegression", 'model same from results "v1" as baseline'
    )
    found = results_of(text)
    assert found.record.provenance.fits.planned == 0
    assert [m.baseline for m in found.record.models] == [False, True]
    assert len(found.record.estimates) == 6


def test_the_stored_results_of_the_example_are_those_of_its_study(tmp_path):
    examples = Path(__file__).parents[2] / "examples"
    shutil.copytree(examples / "data", tmp_path / "data")
    shutil.copy(examples / "release.eval", tmp_path)
    made = ev.run(open_study(tmp_path / "release.eval"), jobs=1)
    made.save(tmp_path / "made", ())
    stored = examples / "data" / "release-1"
    new, old = (pl.read_parquet(f / "predictions.parquet") for f in (tmp_path / "made", stored))
    names = ["data", "protocol", "model", "repeat", "fold", "row", "truth", "prediction"]
    assert new.select(names).equals(old.select(names))
    for name in ("score_no", "score_yes"):
        assert np.allclose(new[name], old[name], atol=1e-6)  # across versions of the solvers
    record = json.loads((stored / "results.json").read_text(encoding="utf-8"))
    assert record["data"][0]["sha256"] == made.record.data[0].sha256
    assert record["protocols"][0]["folds_sha256"] == made.record.protocols[0].folds_sha256
