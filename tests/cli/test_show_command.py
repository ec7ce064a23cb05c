"""`evallang show`: the summary of results in four formats."""

import csv
import io
import json

import click
import pytest
from click.testing import CliRunner
from studies import study

from evallang.api import run
from evallang.cli.main import root

HOSTILE = "=cmd|'x'_<b>PASS"
STUDY = f"""\
evallang 1

study "PASS forged"
  seed 1

data cancer from sklearn breast_cancer

model tree "{HOSTILE}" = DecisionTreeClassifier(max_depth=1)
model prior "{"long " * 16}" = DummyClassifier

protocol cv folds=2
measure accuracy, roc_auc
compare tree, prior by accuracy with mcnemar
require tree better than prior
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("shown")
    run(study(STUDY, path), out=path / "out", jobs=1)
    return path / "out"


def show(folder, form="text"):
    words = ["show", str(folder), "--format", form]
    done = CliRunner().invoke(root, words, standalone_mode=False)
    assert (done.exception, done.return_value) == (None, 0), done.output
    return done.output


def test_text_fits_80_columns_and_forges_no_verdict(folder):
    lines = show(folder).splitlines()
    assert max(map(len, lines)) <= 80
    assert not any(line.startswith(("PASS", "FAIL")) for line in lines)
    assert not any("\\xa0" in line or "\x1b" in line for line in lines)
    for said in ("Results: PASS forged", "Accuracy", "ROC", "p < .001"):
        assert any(said in line for line in lines), said


def test_every_estimate_and_bound_is_in_csv_and_json(folder):
    record = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    wanted = set()
    for estimate in record["estimates"]:
        found = estimate["interval"] or {"low": None, "high": None}
        wanted |= {estimate["value"], found["low"], found["high"]} - {None}
    rows = list(csv.DictReader(io.StringIO(show(folder, "csv"))))
    shown = {float(row[key]) for row in rows for key in ("value", "low", "high") if row[key]}
    tables = json.loads(show(folder, "json"))["tables"]
    cells = [cell for table in tables for row in table["rows"] for cell in row]
    told = {cell[key] for cell in cells for key in ("value", "low", "high")} - {None}
    for scale in (1, 100):
        wanted -= {x for x in wanted if any(abs(x * scale - y) < 1e-12 for y in shown & told)}
    assert not wanted
    assert not any(row[key].startswith(tuple("=+-@")) for row in rows for key in ("stub", "text"))


@pytest.mark.parametrize(
    ("name", "words"), [("none", "there is no file"), ("empty", "does not contain a results.json")]
)
def test_what_is_not_results_is_refused(name, words, tmp_path):
    (tmp_path / "empty").mkdir()
    done = CliRunner().invoke(root, ["show", str(tmp_path / name)], standalone_mode=False)
    assert isinstance(done.exception, click.ClickException)
    assert words in done.exception.message


ANALYSED = """\
evallang 1
study "Analysed"
  seed 1
data cancer from sklearn breast_cancer
  positive malignant
model tree = DecisionTreeClassifier(max_depth=1)
model deep = DecisionTreeClassifier(max_depth=3)
protocol cv folds=3
measure accuracy
analyze roc, confusion, agreement
analyze learning_curve(fractions=[50%, 100%], repeats=1) of tree by recall
analyze power(difference=5%, discordant=10%)
"""


def test_every_analysis_has_a_table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.eval").write_text(ANALYSED)
    planned = CliRunner().invoke(root, ["plan", "s.eval"], standalone_mode=False).output
    assert "learning_curve(fractions=[0.5, 1.0], repeats=1) of tree by recall" in planned
    words = ["run", "s.eval", "-j", "1", "--format", "html", "-o", "a folder"]
    done = CliRunner().invoke(root, words, standalone_mode=False)
    assert done.exception is None, done.output
    assert "`evallang show 'a folder'` prints the analyses" in done.stderr
    assert "ROC curve in numbers" not in done.stdout
    text = show("a folder")
    assert max(map(len, text.splitlines())) <= 80
    record = json.loads((tmp_path / "a folder" / "results.json").read_text(encoding="utf-8"))
    rows = list(csv.DictReader(io.StringIO(show("a folder", "csv"))))
    shown = {float(row["value"]) for row in rows if row["value"]}
    for item in record["analyses"]:
        values = item["values"]
        numbers = [s["value"] for s in values.get("summaries", ())]
        numbers += [cell["count"] for cell in values.get("cells", ())]
        numbers += [point["test"]["value"] for point in values.get("points", ())
                    if "test" in point]  # fmt: skip
        numbers += [answer["power"] for answer in values.get("answers", ())]
        assert numbers or item["kind"] == "agreement"
        assert all(any(abs(x - y) < 1e-9 for y in shown) for x in numbers), item["kind"]
    captions = "ROC curve in numbers", "Predictions by true class", "Pairwise agreement of models"
    for caption in captions:
        assert caption in text
    assert "apply to the average of the three models" in text.lower()
