"""`evallang plan` names repeats, weights, candidates and the time that fits took before."""

import json
import re
from pathlib import Path

import numpy as np
import polars as pl
from calling import call

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


def test_judgements_are_called_so_and_ranges_show_where_their_ends_differ(tmp_path):
    rows = [("a", "b", "model_a", 1.7e9 + 1), ("b", "a", "model_b", 1.7e9 + 9)]
    lines = (
        json.dumps(dict(zip(("model_a", "model_b", "winner", "tstamp"), row, strict=True)))
        for row in rows
    )
    (tmp_path / "votes.jsonl").write_text("\n".join(lines))
    (tmp_path / "s.eval").write_text(
        'evallang 1\nbattles votes from "votes.jsonl"\nmeasure win_rate\n'
    )
    printed = call("plan", "s.eval", folder=tmp_path).stdout
    assert "    pairwise judgements\n" in printed
    assert "a: imported judgements\n" in printed
    assert "tstamp: not used, number, 1,700,000,001 to 1,700,000,009" in printed
