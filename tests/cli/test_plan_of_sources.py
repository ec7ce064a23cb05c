"""`evallang plan` names repeats, weights, candidates and the time that fits took before."""

import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from calling import call

from evallang.cli.plan_text import _duration

ROOT = Path(__file__).parents[2]


def plan(folder, text):
    (folder / "study.eval").write_text(f'evallang 1\nstudy "A"\n  seed 1\n{text}', encoding="utf-8")
    done = call("plan", "study.eval", folder=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_repeats_and_weights_of_predictions(tmp_path):
    rng = np.random.default_rng(0)
    n = 40
    table = {
        "id": np.arange(n) % 20, "run": np.arange(n) // 20, "truth": (np.arange(n) % 20) % 2,
        "m": rng.integers(0, 2, n), "w": 1.0 + (np.arange(n) % 20) % 4,
    }  # fmt: skip
    pl.DataFrame(table).write_csv(tmp_path / "runs.csv")
    source = 'predictions p from "runs.csv"\n  truth truth\n  models m\n  id id\n'
    assert "2 repeats" in plan(tmp_path, f"{source}  repeat run\n")
    one = pl.DataFrame(table).head(20)
    one.write_csv(tmp_path / "runs.csv")
    weights = one["w"].to_numpy()
    effective = weights.sum() ** 2 / (weights**2).sum()  # Kish 1965
    said = plan(tmp_path, f"{source}  weight w\n")
    assert f"weighted by w: 20 examples count as {effective:,.1f}" in said


def test_the_candidates_of_a_search_are_counted(tmp_path):
    text = (
        "data wine from sklearn wine\n"
        "model tree = DecisionTreeClassifier(max_depth in 1..4, min_samples_leaf in [1, 5])\n"
        "protocol nested cv outer=3 inner=2\n"
    )
    said = plan(tmp_path, text)
    assert "8 combinations in each search" in said
    assert "51 fits" in said  # 3 outer folds x (8 candidates x 2 inner folds + 1)


@pytest.mark.parametrize(("seconds", "words"), [
    (0.01, "0.1 s"), (1.26, "1.3 s"), (99.4, "99 s"), (110.0, "110 s"), (150.0, "2.5 min"),
    (6000.0, "100 min"), (7300.0, "2 h"), (400_000.0, "111 h"),
])  # fmt: skip
def test_a_duration_has_the_unit_of_a_clock(seconds, words):
    assert _duration(seconds) == words


def test_the_fields_of_the_plan_are_those_of_its_page(tmp_path):
    page = (ROOT / "docs" / "store.md").read_text(encoding="utf-8")
    tables = page.split("## The plan for other programs")[1].split("\n## ")[0]
    whole, task = (
        re.findall("`([a-z_]+)`", " ".join(re.findall(r"^\|(.*?)\|", table, re.MULTILINE)))
        for table in tables.split("| field of a task |")
    )
    plan(tmp_path, "data wine from sklearn wine\nmodel m = GaussianNB\nprotocol cv folds=4\n")
    done = json.loads(call("plan", "study.eval", "--format", "json", folder=tmp_path).stdout)
    assert list(done) == whole
    assert list(done["tasks"][0]) == task


def test_predictions_of_a_former_run_are_planned_with_their_hash(tmp_path):
    first = (
        "data wine from sklearn wine\nmodel tree = DecisionTreeClassifier(max_depth=2)\n"
        "protocol cv folds=3\n"
    )
    head = 'evallang 1\nstudy "A"\n  seed 1\n'
    (tmp_path / "former.eval").write_text(head + first)
    done = call("run", "former.eval", "--format", "html", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    said = plan(tmp_path, f'{first}model old from results "former-results" as tree\n')
    assert "old: `tree` of former-results, not fitted" in said
    assert re.search(r"predictions SHA-256\s+[0-9a-f]{64}", said)
    assert said.count("DecisionTreeClassifier(max_depth=2)") == 2
