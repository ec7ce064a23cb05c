"""Every column of every source is listed as it is used, in the plan, the results and the report."""

import json

import numpy as np
import pandas as pd
from click.testing import CliRunner
from studies import study, write_rows

from evallang.api import run
from evallang.cli.main import root

RNG = np.random.default_rng(4)
N = 60
STUDY = """evallang 1
study
  seed 2
data visits from "visits.csv"
  target y
  id visit
  group ward
  features all except free
  where age >= 18
model logistic = columns(numeric: SimpleImputer | StandardScaler, [town]: OneHotEncoder)
  | LogisticRegression
model forest = columns([age, crp]: SimpleImputer) | PCA(n_components=2)
  | RandomForestClassifier(n_estimators=3)
protocol cv folds=3
measure accuracy
report html
"""


def visits(folder):
    rows = [
        (f"v{i}", f"w{i % 12}", RNG.integers(18, 80), RNG.choice(["", 1.5, 2.25]),
         "abc"[i % 3], "xy"[i % 2], f"a note {i}", "no" if i % 2 else "yes")
        for i in range(N)
    ]  # fmt: skip
    write_rows(folder, "visits.csv", "visit,ward,age,crp,town,sort,free,y", rows)
    return pd.read_csv(folder / "visits.csv")


def test_the_columns_of_a_table_are_those_of_the_file_with_their_roles(tmp_path, monkeypatch):
    frame = visits(tmp_path)
    results = run(study(STUDY, tmp_path))
    columns = {column.name: column for column in results.record.data[0].columns}
    assert list(columns) == list(frame.columns)
    assert {name: column.role for name, column in columns.items()} == {
        "visit": "id", "ward": "group", "age": "feature, filter", "crp": "feature",
        "town": "feature", "sort": "feature", "free": "not used", "y": "target",
    }  # fmt: skip
    for name, column in columns.items():
        assert column.missing == int(frame[name].isna().sum())
        number = pd.api.types.is_numeric_dtype(frame[name])
        assert column.kind == ("number" if number else "text")
        if number:
            assert tuple(column.range) == (frame[name].min(), frame[name].max())
        else:
            assert column.levels == frame[name].nunique()
    assert columns["town"].becomes == ("one-hot with 3 levels (logistic); dropped (forest)")
    assert columns["age"].becomes == (
        "imputed by SimpleImputer, scaled by StandardScaler (logistic); imputed by "
        "SimpleImputer, passed to PCA as a number (forest)"
    )
    assert columns["sort"].becomes == "dropped"
    assert columns["free"].becomes is None
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.eval").write_text(STUDY)
    plan = json.loads(CliRunner().invoke(root, ["plan", "s.eval", "--format", "json"]).stdout)
    planned = {column["name"]: column for column in plan["data"][0]["columns"]}
    assert {name: column["becomes"] for name, column in planned.items()} == {
        name: column.becomes for name, column in columns.items()
    }
    text = CliRunner().invoke(root, ["plan", "s.eval"]).stdout
    assert "    ward: group, text, 12 levels\n" in text
    results.save(tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "one-hot with 3 levels" in page
    assert "2 columns that no key of columns(...) names are dropped: town, sort" in page


def test_the_columns_of_predictions_say_whose_they_are(tmp_path):
    write_rows(
        tmp_path, "p.csv", "n,gold,a,pa,extra",
        [(i, i % 2, i % 2 if i % 5 else 0, 0.1 + i % 2 * 0.8, "x") for i in range(40)],
    )  # fmt: skip
    text = (
        'evallang 1\npredictions p from "p.csv"\n  truth gold\n  id n\n  positive 1\n'
        "  models a\n  score a = pa\nmeasure accuracy\n"
    )
    columns = run(study(text, tmp_path)).record.data[0].columns
    assert {column.name: column.role for column in columns} == {
        "n": "id", "gold": "truth", "a": "prediction of a", "pa": "score of a",
        "extra": "not used",
    }  # fmt: skip
