"""Sharing the beginnings of candidates changes nothing but the time."""

import numpy as np
import pytest
from specs import call, context, items, seed, steps, two_classes

from evallang.models.build import BuildContext, build
from evallang.models.fitting import (
    FitData,
    fit_candidates,
)
from evallang.models.foreign_errors import clean_message
from evallang.models.model import (
    Candidates,
    NamedSpec,
    grid,
    with_choice,
)


def fit_and_predict(pipeline, data, context):
    """Fit one pipeline."""
    return fit_candidates([pipeline], data, context)[0]


def _data(rows, y, n_classes=2, **more) -> FitData:
    order = np.random.default_rng(5).permutation(len(rows))
    cut = 2 * len(rows) // 3
    return FitData(rows, y, np.sort(order[:cut]), np.sort(order[cut:]), n_classes, True, **more)


def _candidates(pipeline):
    return [with_choice(pipeline, choice) for choice in grid(pipeline)]


def _among(*values) -> Candidates:
    return Candidates(values, "[...]")


PIPELINES = {
    "random steps before a random forest": steps(
        call("QuantileTransformer", n_quantiles=20),
        call("PCA", n_components=_among(2, 3), svd_solver="randomized"),
        call("RandomForestClassifier", n_estimators=5, max_depth=_among(2, None)),
    ),
    "a transformer fitted with the target, in folds": steps(
        call("KBinsDiscretizer", n_bins=3, encode="ordinal", strategy="uniform"),
        call("TargetEncoder"),
        call("SVC", C=_among(0.1, 1, 10), gamma=_among(0.1, 1.0)),
    ),
    "equal numbers of different types": steps(
        # one column, and all of them
        call("RFE", estimator=call("Ridge"), n_features_to_select=_among(1, 1.0)),
        call("KNeighborsClassifier", n_neighbors=3),
    ),
    "steps told to work in place": steps(
        call("StandardScaler", copy=False),
        call("MinMaxScaler", copy=False, feature_range=_among(items(0, 1), items(-1, 1))),
        call("LogisticRegression", C=_among(0.1, 10.0)),
    ),
    "one step": steps(call("DecisionTreeClassifier", max_depth=_among(1, 2, 3))),
    "a search inside a model inside a model": steps(
        call("StandardScaler"),
        call("VotingClassifier", estimators=items(
            NamedSpec("knn", steps(call("PCA", n_components=_among(1, 2)),
                                   call("KNeighborsClassifier"))),
            call("ExtraTreesClassifier", n_estimators=5),
        ), voting="soft"),
    ),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PIPELINES)
def test_shared_beginnings_give_the_bytes_of_separate_fits(name):
    rows, y = two_classes()
    data = _data(rows, y)
    before = rows.copy()
    pipelines = _candidates(PIPELINES[name])
    together = fit_candidates(pipelines, data, context())
    assert len(together) == len(pipelines) > 1
    for pipeline, outcome in zip(pipelines, together, strict=True):
        assert outcome.failure is None
        whole = build(pipeline, context())  # scikit-learn's own Pipeline, nothing of ours
        whole.fit(rows[data.train], y[data.train])
        assert outcome.outputs.predictions.tobytes() == whole.predict(rows[data.test]).tobytes()
        scores = outcome.outputs.scores
        if outcome.outputs.kind == "probabilities":
            assert scores.tobytes() == whole.predict_proba(rows[data.test]).tobytes()
        else:
            assert scores.tobytes() == whole.decision_function(rows[data.test]).tobytes()
    assert rows.tobytes() == before.tobytes()


def test_a_shared_beginning_is_fitted_once():
    built: list[str] = []

    def counting(name: str, place: str) -> int:
        built.append(name)
        return seed(name, place)

    rows, y = two_classes()
    pipeline = steps(call("PCA", n_components=2), call("SVC", C=_among(*range(1, 21))))
    outcomes = fit_candidates(
        _candidates(pipeline), _data(rows, y), BuildContext(context().columns, counting, ("a", "b"))
    )
    assert len(outcomes) == 20
    assert (built.count("PCA"), built.count("SVC")) == (1, 20)


def test_a_class_missing_from_the_training_rows_has_probability_zero():
    rows, y = two_classes()
    y = np.where(rows[:, 1] > 1.5, 2, y)
    rare = np.flatnonzero(y == 2)
    others = np.flatnonzero(y != 2)
    data = FitData(rows, y, others, rare, 3, True)
    for spec in (
        call("LogisticRegression"),
        call("GaussianNB"),
        call("SVC"),
        call("DummyClassifier"),
    ):
        outcome = fit_and_predict(steps(spec), data, context(classes=("a", "b", "c")))
        assert outcome.failure is None
        assert not (outcome.outputs.predictions == 2).any()
        if outcome.outputs.kind == "probabilities":
            assert (outcome.outputs.scores[:, 2] == 0).all()


def test_a_warning_of_a_shared_step_is_told_for_every_candidate_behind_it():
    rows, y = two_classes()
    pipeline = steps(
        call("FastICA", max_iter=1, n_components=2),
        call("GaussianNB", var_smoothing=_among(1e-9, 1.0)),
    )
    for outcome in fit_candidates(_candidates(pipeline), _data(rows, y), context()):
        assert [w.category for w in outcome.warnings] == ["ConvergenceWarning"]
        assert "did not converge" in outcome.warnings[0].message


def test_a_candidate_that_fails_leaves_the_others_alone():
    rows, y = two_classes()
    pipeline = steps(call("PCA", n_components=_among(2, 50)), call("SVC", C=_among(1.0, 2.0)))
    outcomes = fit_candidates(_candidates(pipeline), _data(rows, y), context())
    assert [o.failure is None for o in outcomes] == [True, True, False, False]
    assert outcomes[2].failure.error == "ValueError"
    assert "n_components=50" in outcomes[2].failure.message


def test_weights_reach_the_last_step_where_it_takes_them():
    rows, y = two_classes()
    heavy = np.where(y == 1, 1000.0, 1.0)
    weighted = fit_and_predict(steps(call("GaussianNB")), _data(rows, y, weights=heavy), context())
    plain = fit_and_predict(steps(call("GaussianNB")), _data(rows, y), context())
    assert weighted.outputs.predictions.sum() > plain.outputs.predictions.sum()
    without = fit_and_predict(
        steps(call("PCA"), call("KNeighborsClassifier")), _data(rows, y, weights=heavy), context()
    )
    assert without.failure is None


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("<Net object at 0x7f0b3d37cd10> broke", "<Net object> broke"),
        ("could not open /scratch/evallang-x1/table-0.npy now", "could not open table-0.npy now"),
        ("see https://scikit-learn.org/stable/modules/svm.html", None),
        ("ratio 3/4 and a/b", None),
        ("two\n   lines", "two lines"),
    ],
)
def test_messages_lose_what_differs_between_equal_runs(raw, clean):
    assert clean_message(raw) == (clean or raw)
