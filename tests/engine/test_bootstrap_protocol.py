"""`protocol bootstrap` against a plain loop over the same resamples."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.metrics import mean_absolute_error, roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from studies import study

from evallang.api import read_and_plan, run
from evallang.stats.learning_bootstrap import standard_error

CANCER = """evallang 1
data cancer from sklearn breast_cancer
  positive malignant
model one = KNeighborsClassifier(n_neighbors=1)
model bayes = GaussianNB
protocol bootstrap rounds=40 estimate={estimate}
measure {metrics}
"""


def plain_loop(estimate):
    """Losses out of the bag and the apparent error of 1-NN, on the study's own resamples."""
    X, y = load_breast_cancer(return_X_y=True)
    text = CANCER.format(estimate=estimate, metrics="error_rate")
    splits = read_and_plan(study(text)).planned.layout.splits["cancer", "bootstrap"]
    assert [s.fold for s in splits] == list(range(-1, 40))
    sums, counts = np.zeros(len(y)), np.zeros(len(y))
    for split in splits[1:]:
        assert not set(split.train) & set(split.test)
        assert len(split.train) == len(y)
        model = KNeighborsClassifier(1).fit(X[split.train], y[split.train])
        sums[split.test] += model.predict(X[split.test]) != y[split.test]
        counts[split.test] += 1
    full = KNeighborsClassifier(1).fit(X, y).predict(X)
    return {
        "oob": float(np.mean(sums[counts > 0] / counts[counts > 0])),
        "apparent": float(np.mean(full != y)),
        "gamma": float(np.mean(y[:, None] != full[None, :])),
    }


def expected(loop, estimate):
    """Efron & Tibshirani 1997, written out once more."""
    err, oob, gamma = loop["apparent"], loop["oob"], loop["gamma"]
    capped = min(oob, gamma)
    rate = (capped - err) / (gamma - err)
    weight = 0.632 / (1 - 0.368 * rate)
    return {
        "oob": oob,
        ".632": 0.368 * err + 0.632 * oob,
        ".632+": (1 - weight) * err + weight * capped,
        "resubstitution": err,
    }[estimate]


@pytest.mark.parametrize("estimate", ["oob", ".632", ".632+", "resubstitution"])
def test_the_error_of_one_nearest_neighbour_is_that_of_a_plain_loop(estimate):
    loop = plain_loop(estimate)
    results = run(study(CANCER.format(estimate=estimate, metrics="error_rate, accuracy")))
    error, accuracy = (e for e in results.estimates if e.model == "one")
    assert error.value == pytest.approx(expected(loop, estimate), rel=1e-12)
    assert accuracy.value == pytest.approx(1 - expected(loop, estimate), rel=1e-12)
    assert error.aggregation == estimate
    assert error.extra["oob"] == pytest.approx(loop["oob"], rel=1e-12)
    assert error.extra["resubstitution"] == loop["apparent"] == 0.0
    assert error.extra["gamma"] == pytest.approx(loop["gamma"], rel=1e-12)
    assert accuracy.extra["gamma"] == error.extra["gamma"]
    if estimate == "resubstitution":
        assert error.interval is None  # the apparent error says nothing of its spread
    else:
        assert error.interval.low < error.value < error.interval.high
    assert len(error.folds) == 40


def test_a_ranking_metric_is_an_extension_and_says_so():
    results = run(study(CANCER.format(estimate="oob", metrics="roc_auc")))
    X, y = load_breast_cancer(return_X_y=True)
    text = CANCER.format(estimate="oob", metrics="roc_auc")
    splits = read_and_plan(study(text)).planned.layout.splits["cancer", "bootstrap"]
    values = []
    for split in splits[1:]:
        model = GaussianNB().fit(X[split.train], y[split.train])
        scores = model.predict_proba(X[split.test])[:, 0]
        values.append(roc_auc_score(y[split.test] == 0, scores))
    found = next(e for e in results.estimates if e.model == "bayes")
    assert found.value == pytest.approx(np.mean(values), rel=1e-12)
    assert any("extension" in note for note in found.notes)
    assert (found.interval, found.no_interval) == (None, "not_sound")


def test_a_loss_of_regression_takes_gamma_over_all_pairs():
    text = """evallang 1
data diabetes from sklearn diabetes
model knn = KNeighborsRegressor
protocol bootstrap rounds=20
measure mae
"""
    found = run(study(text)).estimates[0]
    X, y = load_diabetes(return_X_y=True)
    full = KNeighborsRegressor().fit(X, y).predict(X)
    assert found.extra["gamma"] == pytest.approx(np.mean(np.abs(y[:, None] - full[None, :])))
    assert found.extra["resubstitution"] == pytest.approx(mean_absolute_error(y, full))


GROUPED = """evallang 1
data wards from "wards.csv"
  target y
  group ward
model bayes = GaussianNB
protocol bootstrap rounds=60 estimate=oob
measure error_rate, f1
"""


def grouped(tmp_path, text=GROUPED):
    rng = np.random.default_rng(8)
    ward = np.repeat(np.arange(20), rng.integers(1, 7, size=20))
    x = rng.normal(size=len(ward)) + 0.8 * (ward % 2)
    y = (x + rng.normal(size=len(ward)) > 0.5).astype(int)
    lines = [f"{a},{w},{b}" for a, w, b in zip(x.tolist(), ward, y, strict=True)]
    (tmp_path / "wards.csv").write_text("\n".join(["x,ward,y", *lines]))
    return run(study(text, tmp_path)).estimates, x[:, None], y, ward


def test_where_whole_groups_are_drawn_the_standard_error_is_over_groups(tmp_path):
    (error, f1), X, y, ward = grouped(tmp_path)
    splits = read_and_plan(study(GROUPED, tmp_path)).planned.layout.splits["wards", "bootstrap"]
    losses, times = np.full((60, len(y)), np.nan), np.zeros((60, len(y)))
    for split in splits[1:]:
        assert not set(ward[split.train]) & set(ward[split.test])
        model = GaussianNB().fit(X[split.train], y[split.train])
        losses[split.fold, split.test] = model.predict(X[split.test]) != y[split.test]
        times[split.fold] = np.bincount(split.train, minlength=len(y))
    spread = standard_error(losses, times, groups=ward)
    assert error.extra["standard_error"] == pytest.approx(spread, rel=1e-12)
    assert error.about.endswith(" examples, on new groups from the same population")
    assert f1.interval is None
    assert any(note.startswith("no standard error") for note in f1.notes)


def test_too_few_rounds_for_a_standard_error_are_said(tmp_path):
    found = grouped(tmp_path, GROUPED.replace("rounds=60", "rounds=3"))[0][0]
    assert found.interval is None
    assert any("excluded twice" in note for note in found.notes)
