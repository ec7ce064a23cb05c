"""A study has the same results with and without shortcuts; the record says which were taken."""

import json

import numpy as np
import pytest
from msgspec.structs import replace

import evallang as ev
from evallang.models import fitting
from evallang.models.build import build_step
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


def test_results_from_the_store_record_the_shortcuts_of_the_runs_that_fitted(tmp_path):
    first, taken = results(STUDY, store=tmp_path)
    assert len(taken) == 2
    again, from_store = results(STUDY, store=tmp_path)
    assert from_store == taken
    for entry in sorted(tmp_path.glob("??/*"))[::2]:  # as after a run that was killed
        entry.unlink()
    resumed, in_part = results(STUDY, store=tmp_path)
    assert in_part == taken
    assert [json.loads(text)["estimates"] for text in (again, resumed)] == [
        json.loads(first)["estimates"]
    ] * 2


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


HEAD = """evallang 1
study
  seed 4
data d from "d.csv"
  target {target}
  features x0, x1, x2
"""
NEIGHBOURS = "one neighbour search for all k"
PRODUCTS = "labels from products with support vectors"
LEFT_OUT_EXACTLY = "exact leave-one-out"
STUDIES = {
    "two classes and their scores": (
        "label\n  positive yes",
        """model baseline = DummyClassifier
let k = KNeighborsClassifier(n_neighbors in [1, 4], weights in [uniform, distance])
model near = MinMaxScaler | k
model svm = StandardScaler | SVC(C in [0.1, 10], kernel in [linear, rbf])
protocol nested cv outer=3 inner=2
measure roc_auc, accuracy
compare near, svm with delong
""",
        {NEIGHBOURS, PRODUCTS},
    ),
    "three classes behind steps with candidates of their own": (
        "level",
        """model baseline = DummyClassifier
model near = StandardScaler | PCA(n_components=2) | KNeighborsClassifier(n_neighbors in [1, 3])
model svm = PCA(n_components in [2, 3]) | SVC(C in [1, 10])
protocol nested cv outer=3 inner=2 times=2
measure accuracy, f1(average=macro)
compare near, svm with corrected_t
""",
        {NEIGHBOURS, PRODUCTS},
    ),
    "regression": (
        "y",
        """model baseline = DummyRegressor
model near = KNeighborsRegressor(n_neighbors in [1, 3, 5], weights in [uniform, distance])
model ridge = Ridge(alpha in [0.1, 10])
protocol nested cv outer=3 inner=2
measure mae, r2
compare all by mae with t holm
""",
        {NEIGHBOURS},
    ),
    "leave-one-out of numbers": (
        "y",
        """model ridge = Ridge(alpha=2)
model through_zero = Ridge(alpha=0.5, fit_intercept=false)
model scaled = StandardScaler | Ridge
model near = KNeighborsRegressor(n_neighbors=4, weights=distance)
protocol leave_one_out
measure mse, mae
compare ridge, near with wilcoxon
""",
        {LEFT_OUT_EXACTLY},
    ),
    "leave-one-out of classes": (
        "label\n  positive yes",
        """model one = KNeighborsClassifier(n_neighbors=1)
model four = KNeighborsClassifier(n_neighbors=4)
model linear = RidgeClassifier
protocol leave_one_out
measure accuracy
compare one, four with mcnemar
""",
        {LEFT_OUT_EXACTLY},
    ),
    "out of the bag": (
        "level",
        """model near = KNeighborsClassifier(n_neighbors=3)
model svm = SVC
protocol bootstrap rounds=20
measure accuracy
""",
        {PRODUCTS},
    ),
}


@pytest.mark.parametrize("case", STUDIES)
def test_every_fit_gives_the_numbers_of_the_shortcuts(case, tmp_path):
    target, body, expected = STUDIES[case]
    study = tmp_path / "study.eval"
    study.write_text(HEAD.format(target=target) + body, encoding="utf-8")
    chance = np.random.default_rng(3)
    # Rounded, so that rows are equally far from each other and kernels tie
    x = np.round(chance.normal(size=(60, 3)), 1)
    frame = {f"x{i}": x[:, i] for i in range(3)} | {
        "y": 2 * x[:, 0] + chance.normal(size=60),
        "label": np.where(x[:, 0] + x[:, 1] + 0.7 * chance.normal(size=60) > 0, "yes", "no"),
        "level": np.digitize(x[:, 0], [-0.5, 0.5]),
    }
    fast, slow = (
        ev.run(study, data={"d": frame}, fast_paths=paths).record for paths in (True, False)
    )
    assert {path.name for path in fast.provenance.fast_paths} >= expected
    assert slow.provenance.fast_paths == ()
    assert_same_numbers(comparable(fast), comparable(slow))


def comparable(record):
    """Return a record as plain data, without what every run writes anew."""
    made = replace(record.provenance, started="", seconds=0.0, fast_paths=())
    return json.loads(codec.dumps(replace(record, provenance=made)))


def assert_same_numbers(one, other, where=""):
    """Compare plain data: numbers with a fraction within 1e-10, everything else exactly."""
    assert type(one) is type(other), where
    if isinstance(one, dict):
        assert one.keys() == other.keys(), where
        for key in one:
            assert_same_numbers(one[key], other[key], f"{where}/{key}")
    elif isinstance(one, list):
        assert len(one) == len(other), where
        for number, pair in enumerate(zip(one, other, strict=True)):
            assert_same_numbers(*pair, f"{where}/{number}")
    elif isinstance(one, float):
        assert one == pytest.approx(other, rel=1e-10, abs=1e-10), where
    else:
        assert one == other, where


def test_models_of_one_split_follow_each_other_whatever_their_seeds(monkeypatch):
    made = []
    monkeypatch.setattr(
        fitting, "build_step", lambda p, i, c: made.append(p.steps[i].name) or build_step(p, i, c)
    )
    text = """evallang 1
study
  seed 1
data wine from sklearn wine
model forest = StandardScaler | RandomForestClassifier(n_estimators=2)
model extra = StandardScaler | ExtraTreesClassifier(n_estimators=2)
model baseline = DummyClassifier
protocol cv folds=3 seeds=2
measure accuracy
"""
    ev.run(ev.parse(text), jobs=1)
    assert made.count("StandardScaler") == 3 * 2
    assert made.count("RandomForestClassifier") == 3 * 2
