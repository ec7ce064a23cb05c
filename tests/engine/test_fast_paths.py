"""A study has the same results with and without shortcuts; the record says which were taken."""

from dataclasses import replace

import numpy as np
import pytest

import evallang as ev
from evallang.results import codec

STUDY = """evallang 1
study
  seed 1
data wine from sklearn wine
model baseline = DummyClassifier
model near = StandardScaler | KNeighborsClassifier(n_neighbors in [1, 3, 5, 7])
model svm = StandardScaler | SVC(C in [1, 10])
protocol nested cv outer=2 inner=2
measure accuracy
"""


def results(text, **options):
    found = ev.run(ev.parse(text), **options).record
    made = found.provenance
    plain = replace(found, provenance=replace(made, started="", seconds=0.0, fast_paths=()))
    return codec.dumps(plain), {path.name: path.n_fits for path in made.fast_paths}


def test_shortcuts_change_no_result_and_are_recorded():
    fast, taken = results(STUDY)
    slow, none = results(STUDY, fast_paths=False)
    assert fast == slow
    assert none == {}
    assert taken == {
        "one neighbour search for all k": 2 * (2 * 4 + 1),
        "labels from products with support vectors": 2 * (2 * 2 + 1),
    }


LEFT_OUT = """evallang 1
study
  seed 1
data d from "d.csv"
  target y
model baseline = DummyRegressor
model line = LinearRegression
model near = KNeighborsRegressor(n_neighbors=3)
protocol leave_one_out
measure mae
compare line against baseline with wilcoxon
"""


def test_leaving_one_row_out_needs_no_fit_for_each(tmp_path):
    chance = np.random.default_rng(1)
    x = chance.normal(size=20)
    frame = {"x": x, "y": 3 * x + chance.normal(size=20)}
    (tmp_path / "loo.eval").write_text(LEFT_OUT, encoding="utf-8")
    fast, slow = (
        ev.run(tmp_path / "loo.eval", data={"d": frame}, fast_paths=paths)
        for paths in (True, False)
    )
    taken = fast.record.provenance.fast_paths
    assert [(path.name, path.n_fits) for path in taken] == [("exact leave-one-out", 2 * 20)]
    assert slow.record.provenance.fast_paths == ()
    assert fast.record.provenance.fits == slow.record.provenance.fits
    for one, other in zip(fast.estimates, slow.estimates, strict=True):
        assert one.value == pytest.approx(other.value, rel=1e-10)
