"""Models that predict no better than chance: found where they do not, silent where they do."""

import re

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from sklearn.tree import DecisionTreeClassifier
from studies import study, write_rows

from evallang.api import run
from evallang.api.preparing import read_and_plan

STUDY = """\
evallang 1
study "Chance"
  seed 1
data rows from "rows.csv"
  target y
{below}{models}protocol {protocol}
measure {measure}
"""
TREE = "model tree = DecisionTreeClassifier(random_state=1)\n"
CODES = ("W516", "W517")


def rows(folder, effect, n=200, seed=1, labels="ab"):
    """Write rows of classes with equal shares, whose feature x differs by `effect`."""
    rng = np.random.default_rng(seed)
    code = rng.permutation(np.arange(n) % len(labels))
    x = rng.normal(size=(n, 2)) + effect * code[:, None]
    write_rows(folder, "rows.csv", "x,z,y", [
        (f"{a:.4f}", f"{b:.4f}", labels[c]) for (a, b), c in zip(x, code, strict=True)
    ])  # fmt: skip
    return x, code


def told(folder, models=TREE, protocol="cv folds=5", measure="accuracy", below="", **options):
    text = STUDY.format(models=models, protocol=protocol, measure=measure, below=below)
    results = run(study(text, folder), **options).record
    return [d for d in results.diagnostics if d["code"] in CODES]


def test_a_tree_on_noise_is_reported_with_its_areas_as_scikit_learn_has_them(tmp_path):
    x, y = rows(tmp_path, effect=0)
    text = STUDY.format(models=TREE, protocol="cv folds=4", measure="accuracy", below="")
    made = study(text, tmp_path)
    [found] = [d for d in run(made).record.diagnostics if d["code"] in CODES]
    x = np.round(x, 4)
    areas, pairs, scores = [], [], np.zeros(len(y))
    for place in read_and_plan(made).planned.layout.places:
        train, test = place.split.train, place.split.test
        tree = DecisionTreeClassifier(random_state=1).fit(x[train], y[train])
        scores[test] = tree.predict_proba(x[test])[:, 1]
        areas.append(roc_auc_score(y[test], scores[test]))
        pairs.append(y[test].sum() * (1 - y[test]).sum())
    best = max(np.average(areas, weights=pairs), roc_auc_score(y, scores))
    assert found["code"] == "W516" and found["severity"] == "warning"
    reported = re.search(r"1\.00 on training rows and (\.\d\d) ", found["message"])
    assert float(reported[1]) == pytest.approx(best, abs=0.00501)


@pytest.mark.parametrize("effect", [1.0, 3.0])
def test_a_tree_that_predicts_its_training_rows_perfectly_and_others_well_is_normal(
    effect, tmp_path
):
    rows(tmp_path, effect)
    models = TREE + "model near = KNeighborsClassifier(n_neighbors=1)\n"
    models += "model forest = RandomForestClassifier(n_estimators=10)\n"
    assert not told(tmp_path, models)


def test_a_model_without_skill_on_its_training_rows_learned_nothing(tmp_path):
    rows(tmp_path, effect=0, n=400, seed=2)
    models = "model line = LogisticRegression(C=1e-9)\nmodel prior = DummyClassifier\n"
    [found] = told(tmp_path, models)
    assert found["code"] == "W517" and "`line`" in found["message"]


@pytest.mark.parametrize(
    ("labels", "measure", "protocol", "model", "noun"),
    [
        ("abc", "accuracy", "cv folds=3", "DecisionTreeClassifier", "mean area"),
        ("ab", "accuracy", "bootstrap rounds=60", "DecisionTreeClassifier", "an area"),
        (
            "abcd",
            "accuracy",
            "cv folds=3",
            "SVC(gamma=300, decision_function_shape=ovo)",
            "1.00 on",
        ),
        ("ab", "accuracy", "repeated cv folds=3 times=2", "LinearSVC(C=1e-9)", "an area"),
        ("123456789", "mae", "cv folds=3", "DecisionTreeRegressor", "rank correlation"),
    ],
)
def test_every_task_and_design_with_test_rows_is_judged(
    labels, measure, protocol, model, noun, tmp_path
):
    rows(tmp_path, effect=0, labels=labels, seed=5)
    below = "  task regression\n" if measure == "mae" else ""
    [found] = told(tmp_path, f"model m = {model}\n", protocol, measure, below)
    assert noun in found["message"]


def test_what_only_differs_between_folds_is_skill_too(tmp_path):
    """Inside a group no feature tells the rows apart, and each fold has two groups."""
    rng = np.random.default_rng(6)
    level = rng.normal(size=20)
    group = np.repeat(np.arange(20), 15)
    x, y = level[group], level[group] + 0.1 * rng.normal(size=300)
    write_rows(tmp_path, "rows.csv", "x,g,y", zip(x, group, y, strict=True))
    below = "  task regression\n  features x\n"
    models = "group by g\nmodel near = KNeighborsRegressor(n_neighbors=1)\n"
    assert not told(tmp_path, models, "cv folds=10", "mae", below)


OWN = """
import numpy as np


class Refuses:
    def fit(self, X, y):
        self.n, self.classes_ = len(y), np.unique(y)
        return self

    def predict(self, X):
        if len(X) > self.n // 2:
            raise ValueError("too many rows")
        return np.where(X[:, 0] > 0, 1, 0)

    def get_params(self, deep=True):
        return {}

    def set_params(self, **_):
        return self
"""


def test_a_model_that_cannot_predict_training_rows_has_not_failed(tmp_path):
    rows(tmp_path, effect=0, seed=12)
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours" / "__init__.py").write_text(OWN)
    text = STUDY.format(
        models="use ours\nmodel own = ours.Refuses\n",
        protocol="cv folds=4",
        measure="accuracy",
        below="",
    )
    results = run(study(text, tmp_path), trust=True).record
    assert results.failures == () and results.estimates[0].value is not None
    found = [d for d in results.diagnostics if d["code"] in CODES]
    assert all("training rows" not in d["message"] for d in found)
