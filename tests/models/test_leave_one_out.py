"""Predictions without a fit for each row, beside a fit of scikit-learn for each row."""

import numpy as np
import pytest

from evallang.data.dataset import Column
from evallang.models.build import BuildContext
from evallang.models.fitting import FitData, fit_candidates
from evallang.models.leave_one_out import leave_one_out
from evallang.models.model import EstimatorSpec, PipelineSpec

N, P = 24, 3
CONTEXT = BuildContext(
    tuple(Column(f"x{i}", numeric=True, index=i) for i in range(P)), seed=lambda name, place: 1
)


def fit_and_predict(pipeline, data, context):
    """Fit one pipeline."""
    return fit_candidates([pipeline], data, context)[0]


def pipeline(name, **parameters):
    return PipelineSpec((EstimatorSpec(name, tuple(parameters.items())),))


def refitted(spec, X, y, n_classes):
    """Return the predictions and scores of a fit of scikit-learn for each row."""
    labels, scores = [], []
    rows = np.arange(len(X))
    for row in rows:
        data = FitData(X, y, rows[rows != row], rows[row : row + 1], n_classes,
                       scores=n_classes is not None, fast_paths=False)  # fmt: skip
        found = fit_and_predict(spec, data, CONTEXT).outputs
        assert found is not None
        labels.append(found.predictions[0])
        scores.append(None if found.scores is None else found.scores[0])
    return np.array(labels), scores


LINEAR = [
    pipeline("LinearRegression"),
    pipeline("LinearRegression", fit_intercept=False),
    pipeline("Ridge"),
    pipeline("Ridge", alpha=0.01, fit_intercept=False),
    pipeline("Ridge", alpha=30.0, solver="svd"),
]


@pytest.mark.parametrize("spec", LINEAR, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_linear_models_agree_with_a_fit_for_each_row(spec, seed):
    chance = np.random.default_rng(seed)
    X = chance.normal(size=(N, P)) * [1.0, 10.0, 0.3] + [5.0, -2.0, 0.0]
    y = X @ [1.0, -0.2, 3.0] + chance.normal(size=N) + 7
    found = leave_one_out(spec, X, y, None, CONTEXT)
    assert found is not None
    assert found.usable.all()
    expected, _ = refitted(spec, X, y, None)
    assert np.abs(found.outputs.predictions - expected).max() <= 1e-10 * np.abs(expected).max()


def test_a_row_that_decides_its_own_prediction_is_refitted():
    """Its column is 0 in all other rows, so its leverage is 1."""
    chance = np.random.default_rng(4)
    X = chance.normal(size=(N, P))
    X[:, 2] = 0
    X[5, 2] = 1
    y = chance.normal(size=N)
    found = leave_one_out(pipeline("LinearRegression", fit_intercept=False), X, y, None, CONTEXT)
    assert found is not None
    assert np.flatnonzero(~found.usable).tolist() == [5]


@pytest.mark.parametrize("name", ["LinearRegression", "Ridge"])
def test_columns_that_say_nearly_the_same_have_no_shortcut(name):
    chance = np.random.default_rng(5)
    X = chance.normal(size=(N, P))
    X[:, 2] = X[:, 1] * 1e4 + 1e-9 * X[:, 2]
    found = leave_one_out(pipeline(name, **({"alpha": 1e-9} if name == "Ridge" else {})), X,
                          X[:, 0], None, CONTEXT)  # fmt: skip
    assert found is None


@pytest.mark.parametrize(("name", "classes"), [("KNeighborsClassifier", 3),
                                               ("KNeighborsRegressor", None)])  # fmt: skip
@pytest.mark.parametrize("weights", ["uniform", "distance"])
@pytest.mark.parametrize("whole", [False, True])
def test_neighbours_agree_with_a_fit_for_each_row_bit_for_bit(name, classes, weights, whole):
    chance = np.random.default_rng(6)
    X = chance.normal(size=(N, P))
    X = np.round(X) if whole else X
    y = chance.integers(0, classes, N) if classes else chance.normal(size=N)
    spec = pipeline(name, n_neighbors=4, weights=weights)
    found = leave_one_out(spec, X, y, classes, CONTEXT)
    assert found is not None
    assert found.usable.all() != whole  # whole numbers have neighbours that are equally near
    expected, scores = refitted(spec, X, y, classes)
    usable = found.usable
    assert np.array_equal(found.outputs.predictions[usable], expected[usable])
    if classes:
        assert np.array_equal(found.outputs.scores[usable], np.array(scores)[usable])


@pytest.mark.parametrize(
    "spec",
    [
        PipelineSpec((EstimatorSpec("StandardScaler"), EstimatorSpec("Ridge"))),
        pipeline("Ridge", solver="lsqr"),
        pipeline("Ridge", alpha=0),
        pipeline("Ridge", positive=True),
        pipeline("LinearRegression", positive=True),
        pipeline("Lasso"),
        pipeline("KNeighborsRegressor", n_neighbors=N // 2),
    ],
    ids=str,
)
def test_others_are_fitted(spec):
    chance = np.random.default_rng(7)
    assert leave_one_out(spec, chance.normal(size=(N, P)), np.ones(N), None, CONTEXT) is None
