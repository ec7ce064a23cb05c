"""Folds that are given are the outer folds of a nested cross-validation, with `tune cv=K`."""

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_squared_error
from studies import study, write_rows

from evallang.api import run

TEXT = """evallang 1
study "Nested"
  seed 1
data d from "d.csv"
  target y
model ridge = Ridge(alpha in [0.01, 100.0])
protocol split by outer
tune cv=3
measure mse
"""


def test_hyper_parameters_are_chosen_inside_each_training_part(tmp_path):
    rng = np.random.default_rng(5)
    x = rng.normal(size=(90, 2))
    y = 3 * x[:, 0] + rng.normal(size=90)
    outer = np.arange(90) % 3
    rows = [
        (repr(a), repr(b), repr(c), d)
        for (a, b), c, d in zip(x.tolist(), y.tolist(), outer, strict=True)
    ]
    write_rows(tmp_path, "d.csv", "a,b,y,outer", rows)
    found = run(study(TEXT, tmp_path)).record
    assert [one.fold for one in found.selections] == [0, 1, 2]
    assert {one.params["alpha"] for one in found.selections} == {0.01}
    # three outer folds of two candidates in three inner folds, and a refit each
    assert found.provenance.fits.run == 3 * (2 * 3 + 1)
    losses = []
    for fold in range(3):
        test = outer == fold
        model = Ridge(alpha=0.01).fit(x[~test], y[~test])
        losses.append(mean_squared_error(y[test], model.predict(x[test])))
    (estimate,) = found.estimates
    assert np.isclose(estimate.value, np.mean(losses), rtol=1e-9)
