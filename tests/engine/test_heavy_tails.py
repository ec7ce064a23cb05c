"""Heavy tails are judged by what is known: the target before a run, the errors after it."""

import numpy as np
from studies import study

from evallang.api import run
from evallang.api.preparing import check_data

DATA = """evallang 1
data d from "d.csv"
  target y
  task regression
model line = LinearRegression
protocol cv folds=5
measure mse, mae
"""
GIVEN = """evallang 1
predictions p from "p.csv"
  truth y
  task regression
  models line, flat
measure rmse
"""


def written(tmp_path, x, y):
    rows = [f"{a},{b}" for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    (tmp_path / "d.csv").write_text("\n".join(["x,y", *rows]))
    return study(DATA, tmp_path)


def notes(study):
    estimates = run(study).record.estimates
    return {e.metric: [n for n in e.notes if "a few errors" in n] for e in estimates}


def heavy(study):
    return [d.message for d in check_data(study) if d.code == "W442"]


def test_a_target_with_heavy_tails_that_a_model_predicts_leaves_no_note(tmp_path):
    rng = np.random.default_rng(2)
    x = np.exp(1.5 * rng.normal(size=150))
    predicted = written(tmp_path, x, x + 0.1 * rng.normal(size=150))
    (message,) = heavy(predicted)
    assert "of the target of `d`" in message
    assert notes(predicted) == {"mse": [], "mae": []}


def test_errors_with_heavy_tails_leave_a_note_although_the_target_has_none(tmp_path):
    rng = np.random.default_rng(2)
    x = rng.uniform(0, 40, 150)
    missed = written(tmp_path, x, x + rng.normal(size=150) + 25.0 * (np.arange(150) == 7))
    assert heavy(missed) == []
    found = notes(missed)
    assert len(found["mse"]) == 1 and found["mae"] == []  # one is a mean of squares


def test_errors_of_given_predictions_are_known_before_the_run(tmp_path):
    rng = np.random.default_rng(2)
    y = np.exp(1.5 * rng.normal(size=150))
    near = y + 0.1 * rng.normal(size=150)
    rows = [f"{a},{b},{c}" for a, b, c in zip(y, near, np.full(150, 1.5), strict=True)]
    (tmp_path / "p.csv").write_text("\n".join(["y,line,flat", *rows]))
    (message,) = heavy(study(GIVEN, tmp_path))
    assert "a few examples carry the squared errors of `flat` on `p`" in message
    named = GIVEN.replace('"p.csv"\n', '"p.csv"\n  unit "loads"\n')
    (message,) = heavy(study(named, tmp_path))
    assert "a few loads carry the squared errors" in message
