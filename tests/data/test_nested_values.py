"""Values inside lists, objects and structs, and columns of which some values are right."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import scipy.special
from sklearn.metrics import log_loss

import evallang as ev
from evallang.api.preparing import check_data
from evallang.api.study_file import open_study

HEAD = "evallang 1\n\nstudy\n  seed 1\n\n"
RNG = np.random.default_rng(2)
CLASSES = [row % 3 for row in range(40)]
LOGITS = RNG.normal(size=(40, 3)) + 2 * np.eye(3)[CLASSES]
RIGHT = RNG.random(40) < 0.6
ROWS = [
    {
        "id": row,
        "y": "abc"[CLASSES[row]],
        "probs": scipy.special.softmax(LOGITS[row]).tolist(),
        **{f"z_{name}": float(LOGITS[row, place]) for place, name in enumerate("abc")},
        "answer": "C" if RIGHT[row] else "I",
        "deep": {"m": {"pass@k:k=1": row / 40, "ok": bool(RIGHT[row])}, "xs": [row, 1]},
    }
    for row in range(40)
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pl.DataFrame(ROWS).write_parquet(tmp_path / "a.parquet")
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    (tmp_path / "a.json").write_text(json.dumps(ROWS, indent=1))
    (tmp_path / "b.json").write_text(json.dumps({"n": 1, "results": {"rows": ROWS}}))
    return tmp_path


def value(folder: Path, body: str, model: str = "a") -> Any:
    (folder / "s.eval").write_text(HEAD + body)
    found = ev.run(folder / "s.eval").record
    return next(one for one in found.estimates if one.model == model).value


@pytest.mark.parametrize("file", ["a.parquet", "a.jsonl", "a.json", "b.json#results.rows"])
def test_formats_agree_on_lists_logits_and_nested_values(file: str, folder: Path) -> None:
    start = f'predictions p from "{file}"\n  id id\n'
    body = start + "  truth y\n  {}\nmeasure log_loss\n"
    expected = pytest.approx(log_loss(CLASSES, scipy.special.softmax(LOGITS, axis=1)))
    assert value(folder, body.format('scores a = "probs"')) == expected
    assert value(folder, body.format('logits a = "z_*"')) == expected
    share = pytest.approx(RIGHT.mean())
    assert value(folder, start + '  correct a as answer = "C"\n') == share
    assert value(folder, start + "  correct a as answer != I\n") == share
    assert value(folder, start + "  correct a as deep.m.ok\n") == share
    own = '  value "x" a as "{}"\n  higher is better\n'
    assert value(folder, start + own.format("deep.m.pass@k:k=1")) == pytest.approx(19.5 / 40)
    assert value(folder, start + own.format("deep.xs.0")) == pytest.approx(19.5)


def test_one_column_of_logits_is_read_by_the_logistic_function(folder: Path) -> None:
    body = 'predictions p from "a.jsonl"\n  truth y\n  where y in [a, b]\n  logits a = z_b\n'
    kept = [row for row in range(40) if CLASSES[row] < 2]
    expected = log_loss([CLASSES[row] for row in kept], scipy.special.expit(LOGITS[kept, 1]))
    assert value(folder, body + "measure log_loss\n") == pytest.approx(expected)


def test_the_names_of_an_object_are_a_column_of_its_rows(tmp_path: Path) -> None:
    tasks = {
        f"task/{i}": [{"base": ["pass", "fail"][(i + k) % 2]} for k in range(3)] for i in range(9)
    }
    (tmp_path / "e.json").write_text(json.dumps({"eval": tasks}))
    body = 'predictions p from "e.json#eval"\n  id key\n  repeat by order\n'
    body += "  correct a as base = pass\n"
    passed = [[one["base"] == "pass" for one in some] for some in tasks.values()]
    assert value(tmp_path, body) == pytest.approx(np.mean(passed))


def test_arrays_inside_an_object_are_proposed(folder: Path) -> None:
    with pytest.raises(ev.StudyError) as caught:
        value(folder, 'predictions p from "b.json"\n  truth y\n  models a as y\n')
    assert "`b.json#results.rows`" in str(caught.value)


def test_lists_of_another_length_are_refused(folder: Path) -> None:
    rows = [{**ROWS[0], "probs": [0.5, 0.5]}, *ROWS[1:]]
    (folder / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(ev.StudyError) as caught:
        value(folder, 'predictions p from "a.jsonl"\n  truth y\n  scores a = "probs"\n')
    assert "3 finite numbers in row 1" in str(caught.value)


@pytest.mark.parametrize("file", ["a.json", "a.jsonl"])
def test_an_empty_file_is_called_empty(file: str, tmp_path: Path) -> None:
    (tmp_path / file).write_text("\n")
    (tmp_path / "s.eval").write_text(
        f'{HEAD}predictions p from "{file}"\n  id i\n  correct m as ok\nmeasure accuracy\n'
    )
    (found,) = check_data(open_study(tmp_path / "s.eval"))
    assert (found.code, found.message) == ("E407", f"`{file}` is empty")


def test_true_among_numbers_is_right_and_words_are_proposed(tmp_path: Path) -> None:
    rows = [{"model": m, "id": i, "ok": [True, 1, "True", "1", 0, "false"][i % 6], "v": "ny"[i % 2]}
            for i in range(24) for m in "ab"]  # fmt: skip
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    text = f'{HEAD}predictions p from "a.jsonl"\n  id id\n  model model\n  correct ok\n'
    (tmp_path / "s.eval").write_text(f"{text}measure accuracy\n")
    assert [one.value for one in ev.run(tmp_path / "s.eval").record.estimates] == [2 / 3] * 2
    (tmp_path / "s.eval").write_text(f"{text.replace('correct ok', 'correct v')}measure accuracy\n")
    found = check_data(open_study(tmp_path / "s.eval"))
    assert "`correct all as v = y`" in str(found[0].help)
