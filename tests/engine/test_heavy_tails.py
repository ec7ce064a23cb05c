"""Heavy tails are judged by what the design can contain, not by a sample that may lack them."""

import numpy as np
import pytest
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


def written(tmp_path, x, y):
    rows = [f"{a},{b}" for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    (tmp_path / "d.csv").write_text("\n".join(["x,y", *rows]))
    return study(DATA, tmp_path)


def notes(study):
    estimates = run(study).record.estimates
    return {e.metric: [n for n in e.notes if "heavy-tailed" in n] for e in estimates}


def heavy(study):
    return [d.message for d in check_data(study) if d.code == "W442"]


def test_a_target_with_heavy_tails_is_named_before_the_run(tmp_path):
    rng = np.random.default_rng(2)
    x = np.exp(1.5 * rng.normal(size=150))
    (message,) = heavy(written(tmp_path, x, x + 0.1 * rng.normal(size=150)))
    assert "of the target of `d`" in message


@pytest.mark.parametrize("extreme", [0.0, 25.0])
def test_a_mean_of_squares_states_what_tails_would_do_whatever_the_sample_shows(tmp_path, extreme):
    rng = np.random.default_rng(2)
    x = rng.uniform(0, 40, 150)
    missed = written(tmp_path, x, x + rng.normal(size=150) + extreme * (np.arange(150) == 7))
    assert heavy(missed) == []
    found = notes(missed)
    assert found["mse"] == [
        "only 150 examples; with fewer than 10,000, coverage of 95% intervals was 72 to 88% in "
        "simulations with heavy-tailed errors"
    ]
    (mae,) = found["mae"]
    assert mae.startswith("only 150 examples; with fewer than 200,")
