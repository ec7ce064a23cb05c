"""The engine against plain scikit-learn loops on the same explicit splits."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import mean_squared_error, roc_auc_score
from sklearn.model_selection import GridSearchCV, PredefinedSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from studies import study

from evallang.api import run


def folds(n: int, k: int) -> np.ndarray:
    return np.arange(n) * 7919 % n % k


def write_csv(path, features, target, extra):
    names = [f"x{i}" for i in range(features.shape[1])]
    lines = [",".join([*names, "y", *extra])]
    for i, row in enumerate(features):
        cells = [repr(float(v)) for v in row] + [str(target[i])]
        lines.append(",".join(cells + [str(column[i]) for column in extra.values()]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_fold_scores_on_an_explicit_split_equal_a_plain_loop(tmp_path):
    X, y = load_iris(return_X_y=True)
    fold = folds(len(y), 5)
    write_csv(tmp_path / "iris.csv", X, y, {"part": fold})
    results = run(
        study(
            """evallang 1
data iris from "iris.csv"
  target y
model logistic = StandardScaler | LogisticRegression(max_iter=500)
model bayes = GaussianNB
protocol split by part
measure accuracy
""",
            tmp_path,
        )
    )
    models = {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=500)),
        "bayes": GaussianNB(),
    }
    for estimate in results.estimates:
        expected = []
        for k in range(5):
            model = models[estimate.model].fit(X[fold != k], y[fold != k])
            expected.append(float(np.mean(model.predict(X[fold == k]) == y[fold == k])))
        assert [f.value for f in estimate.folds] == expected


def test_ranking_metrics_on_an_explicit_split_equal_a_plain_loop(tmp_path):
    X, y = load_breast_cancer(return_X_y=True)
    fold = folds(len(y), 4)
    write_csv(tmp_path / "cancer.csv", X, y, {"part": fold})
    results = run(
        study(
            """evallang 1
data cancer from "cancer.csv"
  target y
model bayes = GaussianNB
protocol split by part
measure roc_auc
""",
            tmp_path,
        )
    )
    expected = []
    for k in range(4):
        model = GaussianNB().fit(X[fold != k], y[fold != k])
        expected.append(roc_auc_score(y[fold == k], model.predict_proba(X[fold == k])[:, 1]))
    found = results.estimates[0]
    assert [f.value for f in found.folds] == pytest.approx(expected, abs=1e-14)
    assert found.value == pytest.approx(np.mean(expected), abs=1e-14)
    assert found.aggregation == "mean_of_folds"


def test_three_way_holdout_chooses_and_refits_as_grid_search_does(tmp_path):
    X, y = load_iris(return_X_y=True)
    part = np.array(["train", "train", "validation", "test"])[folds(len(y), 4)]
    write_csv(tmp_path / "iris.csv", X, y, {"part": part})
    results = run(
        study(
            """evallang 1
data iris from "iris.csv"
  target y
model knn = KNeighborsClassifier(n_neighbors in [1, 5, 25, 75])
protocol split by part
measure accuracy
""",
            tmp_path,
        )
    )
    seen = part != "test"
    search = GridSearchCV(
        KNeighborsClassifier(),
        {"n_neighbors": [1, 5, 25, 75]},
        cv=PredefinedSplit(np.where(part[seen] == "validation", 0, -1)),
    ).fit(X[seen], y[seen])
    selection = results.record.selections[0]
    assert selection.params == search.best_params_
    assert selection.inner_score == search.best_score_
    assert results.estimates[0].value == search.score(X[~seen], y[~seen])


def test_regression_losses_are_averaged_over_examples_not_folds(tmp_path):
    X, y = load_diabetes(return_X_y=True)
    fold = np.where(np.arange(len(y)) < 40, 0, 1)
    write_csv(tmp_path / "diabetes.csv", X, y, {"part": fold})
    results = run(
        study(
            """evallang 1
data diabetes from "diabetes.csv"
  target y
  task regression
model ridge = Ridge
protocol split by part
measure mse, rmse
""",
            tmp_path,
        )
    )
    predicted = np.empty(len(y))
    for k in (0, 1):
        predicted[fold == k] = Ridge().fit(X[fold != k], y[fold != k]).predict(X[fold == k])
    mse, rmse = (e.value for e in results.estimates)
    assert mse == pytest.approx(mean_squared_error(y, predicted), rel=1e-12)
    assert rmse == pytest.approx(mean_squared_error(y, predicted) ** 0.5, rel=1e-12)
