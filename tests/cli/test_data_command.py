"""`evallang data`: every column with its use, and what looks wrong."""

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from evallang.cli.main import root

VISITS = """\
evallang 1

study "Visits"
  seed 1

data visits from "visits.csv"
  target outcome
  group ward

model tree = columns(numeric: SimpleImputer, categorical: OneHotEncoder) | DecisionTreeClassifier
model line = columns([age, weight]: SimpleImputer | StandardScaler) | LogisticRegression
model prior = DummyClassifier

protocol cv folds=2
measure accuracy
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [
        f"w{i % 4},{20 + i},{60 + i % 7},{'ab'[i % 2]},{'yes' if i % 3 else 'no'}"
        for i in range(24)
    ]
    rows[5] = rows[5].replace(",25,", ",,")
    Path("visits.csv").write_text("\n".join(["ward,age,weight,site,outcome", *rows]) + "\n")
    Path("study.eval").write_text(VISITS)
    return tmp_path


def data(*words: str, code: int = 0) -> str:
    """Return what the command writes to both streams."""
    done = CliRunner().invoke(root, ["data", "study.eval", *words], standalone_mode=False)
    if isinstance(done.exception, click.ClickException):
        return done.exception.message
    assert (done.exception, done.return_value) == (None, code), done.output
    return done.output


def row(text: str, column: str) -> list[str]:
    """Return the cells of a column's row."""
    line = next(line for line in text.splitlines() if line.startswith(f"  {column}  "))
    return [cell.strip() for cell in line.split("  ") if cell.strip()]


def test_each_column_has_its_role_kind_and_values():
    text = data()
    assert row(text, "ward") == ["ward", "group", "text", "4 levels"]
    assert row(text, "age") == ["age", "feature", "number", "20 to 43, 1 missing"]
    assert row(text, "site") == ["site", "feature", "text", "2 levels"]
    assert row(text, "outcome") == ["outcome", "target", "text", "2 levels"]


def test_json_has_the_records_of_results():
    found = json.loads(data("--format", "json"))
    (visits,) = found["data"]
    assert visits["name"] == "visits"
    ages = next(column for column in visits["columns"] if column["name"] == "age")
    assert (ages["missing"], ages["range"], ages["role"]) == (1, [20, 43], "feature")
    assert all(finding["code"].startswith(("E4", "W4")) for finding in found["findings"])


def test_an_error_in_the_data_hides_no_column():
    Path("study.eval").write_text(VISITS.replace("folds=2", "folds=8"))
    text = data(code=1)
    assert row(text, "ward") == ["ward", "group", "text", "4 levels"]
    assert "error[E471]" in text.partition("what looks wrong")[2]


def test_a_source_that_cannot_be_read_is_named():
    Path("study.eval").write_text(
        VISITS.replace("model tree", 'data old from "old.csv"\n  target y\n\nmodel tree')
    )
    text = data(code=1)
    assert "old: could not be read" in text and "error[E401]" in text
    assert "visits" not in data("old", code=1).partition("what looks wrong")[0]


@pytest.mark.parametrize(
    ("name", "told"), [("visit", "did you mean `visits`?"), ("qqq", "it has `visits`")]
)
def test_a_name_that_the_study_lacks_is_answered(name, told):
    text = data(name)
    assert f"no data called `{name}`" in text and told in text


def test_a_study_without_models_shows_its_columns(folder):
    Path("study.eval").write_text('evallang 1\ndata visits from "visits.csv"\n  target outcome\n')
    text = data()
    assert row(text, "age") == ["age", "feature", "number", "20 to 43, 1 missing"]
    assert row(text, "outcome")[1] == "target"
    assert "models receive" not in text
    assert json.loads(data("--format", "json"))["data"][0]["n"] == 24
