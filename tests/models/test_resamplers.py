"""Resamplers see training rows and no others, and fit as imbalanced-learn's own pipeline does."""

from collections import Counter

import imblearn
import imblearn.base
import numpy as np
import polars as pl
import pytest
from imblearn.pipeline import Pipeline, make_pipeline
from msgspec.structs import replace
from sklearn.datasets import load_breast_cancer
from specs import call, context, items, seed, steps, two_classes
from studies import checked, study

from evallang.api.preparing import read_and_plan
from evallang.api.running import run
from evallang.models.build import build
from evallang.models.fitting import FitData, fit_candidates
from evallang.models.model import MapSpec, NamedSpec

CANCER = "study\n  seed 3\ndata cancer from sklearn breast_cancer\n  positive malignant\n"
TREE = call("DecisionTreeClassifier", max_depth=3)


def rare(n=120):
    """Return rows of which a fifth or so are of the second class, and a split of them."""
    rows, _ = two_classes(n, 3)
    y = (rows[:, 0] > np.quantile(rows[:, 0], 0.8)).astype(np.int64)
    order = np.random.default_rng(5).permutation(n)
    return rows, y, np.sort(order[: 2 * n // 3]), np.sort(order[2 * n // 3 :])


def split(**more):
    rows, y, train, test = rare()
    return FitData(rows, y, train, test, 2, True, **more)


@pytest.fixture
def seen(monkeypatch):
    """Record the rows that every resampler is given, whichever its class."""
    found = []
    original = imblearn.base.SamplerMixin.fit_resample

    def fit_resample(self, X, y, **more):
        found.append((type(self).__name__, np.array(X), np.array(y)))
        return original(self, X, y, **more)

    monkeypatch.setattr(imblearn.base.SamplerMixin, "fit_resample", fit_resample)
    return found


def test_every_resampler_sees_the_rows_of_one_training_part_and_no_test_row(seen):
    """Five folds of 569 rows: each row is seen by the four resamplers that do not test it."""
    made = study(
        CANCER + "model a = SMOTE | DecisionTreeClassifier(max_depth=2)\nprotocol cv folds=5\n"
        "measure balanced_accuracy\nreport html\n"
    )
    plan = read_and_plan(made).planned.plan
    record = run(made, store="off").record
    assert record.failures == ()
    assert [name for name, _, _ in seen] == ["SMOTE"] * 5
    assert sorted(len(rows) for _, rows, _ in seen) == [455, 455, 455, 455, 456]
    times = Counter(row.tobytes() for _, rows, _ in seen for row in rows)
    assert set(times.values()) == {4}
    assert len(times) == 569
    assert plan.n_fits == 5


def test_no_resampler_sees_a_row_on_which_its_fit_is_scored(tmp_path, seen):
    """Outer test rows, and the inner rows on which candidates are compared, are never resampled.

    With two inner folds the two inner fits of an outer part see complementary halves of it: what
    one is scored on is what the other was fitted on.
    """
    made = study(
        CANCER + "model a = SMOTE | KNeighborsClassifier(n_neighbors in [1, 5])\n"
        "protocol nested cv outer=3 inner=2\nmeasure balanced_accuracy\nreport html\n"
    )
    results = run(made, store="off")
    assert results.record.failures == ()
    rows = load_breast_cancer().data
    place = {row.tobytes(): i for i, row in enumerate(rows)}
    assert len(place) == 569
    parts = [frozenset(place[row.tobytes()] for row in given) for _, given, _ in seen]
    results.save(tmp_path / "out", ())
    table = pl.read_parquet(tmp_path / "out" / "predictions.parquet")
    assert len(table) == 569  # one prediction for each original row, none for a made one
    tests = {
        fold: frozenset(table.filter(pl.col("fold") == fold)["row"].to_list())
        for fold in set(table["fold"].to_list())
    }
    assert sorted(map(len, tests.values())) == [189, 190, 190]
    everything = frozenset(range(569))
    refits = {part for part in parts if everything - part in tests.values()}
    assert len(refits) == 3
    inner = [part for part in parts if part not in refits]
    for part in inner:
        (outer,) = (train for train in refits if part < train)
        assert outer - part in inner


PIPELINES = {
    "made rows": steps(call("StandardScaler"), call("SMOTE"), call("LogisticRegression")),
    "fewer rows": steps(call("RandomUnderSampler"), call("StandardScaler"), call("SVC")),
    "both": steps(call("SMOTE", sampling_strategy=0.5), call("RandomUnderSampler"), TREE),
    "cleaned": steps(call("SMOTE"), call("TomekLinks"), call("KNeighborsClassifier")),
    "by label": steps(
        call("RandomOverSampler", sampling_strategy=MapSpec((("yes", 50), ("no", 70)))), TREE
    ),
    "inside others": steps(
        call("StandardScaler"),
        call("VotingClassifier", estimators=items(
            NamedSpec("balanced", steps(call("SMOTE"), TREE)), call("GaussianNB")
        ), voting="soft"),
    ),
    "in each of a bag": steps(
        call("BaggingClassifier", estimator=steps(call("RandomUnderSampler"), TREE), n_estimators=3)
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PIPELINES)
def test_predictions_are_those_of_a_pipeline_of_imbalanced_learn(name):
    data, around = split(), context(4)
    theirs = build(PIPELINES[name], around)
    theirs.fit(data.X[data.train], data.y[data.train])
    outputs = fit_candidates([PIPELINES[name]], data, around)[0].outputs
    assert np.array_equal(outputs.predictions, theirs.predict(data.X[data.test]))
    if name not in ("inside others", "in each of a bag"):
        assert type(theirs) is Pipeline
        made = [build(steps(s), seeded_as(i)) for i, s in enumerate(PIPELINES[name].steps)]
        again = make_pipeline(*made).fit(data.X[data.train], data.y[data.train])
        assert np.array_equal(outputs.predictions, again.predict(data.X[data.test]))


def seeded_as(place):
    """Give a step that is built alone the seed of its place in a pipeline."""
    return replace(context(4), seed=lambda name, _: seed(name, str(place)))


CANDIDATES = [
    steps(call("StandardScaler"), call("KNeighborsClassifier", n_neighbors=1)),
    steps(call("StandardScaler"), call("SMOTE"), call("KNeighborsClassifier", n_neighbors=1)),
    steps(call("StandardScaler"), call("SMOTE"), call("KNeighborsClassifier", n_neighbors=3)),
    steps(call("StandardScaler"), call("SMOTE", k_neighbors=2), call("GaussianNB")),
    steps(call("StandardScaler"), call("SMOTE", k_neighbors=3), call("GaussianNB")),
    steps(call("StandardScaler"), call("SMOTE"), call("PCA", n_components=2), call("GaussianNB")),
    steps(call("StandardScaler"), call("PCA", n_components=2), call("GaussianNB")),
    steps(call("StandardScaler"), call("GaussianNB")),
]


def test_candidates_share_beginnings_up_to_a_resampler_and_behind_an_equal_one(seen):
    """Eight candidates hold five resamplers, three of which are equal, so three are fitted."""
    alone = [fit_candidates([c], split(), context(4))[0] for c in CANDIDATES]
    seen.clear()
    together = fit_candidates(CANDIDATES, split(), context(4))
    assert len(seen) == 3
    for one, other in zip(alone, together, strict=True):
        assert np.array_equal(one.outputs.predictions, other.outputs.predictions)
        assert np.array_equal(one.outputs.scores, other.outputs.scores)
    found = {outcome.outputs.scores.tobytes() for outcome in alone}
    assert len(found) == len(CANDIDATES)  # so sharing one too many would show


def test_weights_and_resamplers_do_not_meet_in_a_fit():
    outcome = fit_candidates([PIPELINES["both"]], split(weights=np.ones(120)), context(4))[0]
    assert "weight" in outcome.failure.message
    assert "E179" in [
        d.code for d in checked(
            'data d from "d.csv"\n  target y\n  weight w\n'
            "model a = BaggingClassifier(estimator=SMOTE | SVC)\nprotocol cv\n"
        ).diagnostics
    ]  # fmt: skip


def test_groups_stay_whole_and_equal_runs_give_equal_results(tmp_path, seen):
    rows = ["x,z,patient,ill"]
    for i in range(120):
        rows.append(
            f"{(i * 37) % 101 / 10},{(i * 53) % 89 / 10},p{i // 4},{'no' if i % 5 else 'yes'}"
        )
    (tmp_path / "d.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    text = (
        'evallang 1\nstudy\n  seed 3\ndata d from "d.csv"\n  target ill\n  positive yes\n'
        "group by patient\nmodel a = SMOTE(k_neighbors=2) | GaussianNB\nprotocol cv folds=5\n"
        "measure balanced_accuracy\nreport html\n"
    )
    store = tmp_path / "store"
    first = run(study(text, tmp_path), store=store).record
    fitted = len(seen)
    second = run(study(text, tmp_path), store=store).record
    other = run(study(text.replace("seed 3", "seed 4"), tmp_path), store=store).record
    assert fitted == 5
    assert len(seen) == 10  # nothing is resampled again for results that the store has
    assert first.estimates == second.estimates
    assert first.estimates != other.estimates
    assert first.provenance.packages["imbalanced-learn"] == imblearn.__version__


FEW = {
    "SMOTE": "write `SMOTE(k_neighbors=2)`",
    "BorderlineSMOTE": "write `BorderlineSMOTE(k_neighbors=2)`",
    "ADASYN": "write `ADASYN(n_neighbors=2)`",
    "SMOTEENN": "write `RandomOverSampler`",
}


def few_of_a_class(step, fewest):
    """Return the outcome of a fit on 60 rows of which the smallest class has `fewest`."""
    rows, _ = two_classes(80, 3)
    y = (np.arange(80) < fewest).astype(np.int64)
    y[70:] = np.arange(10) % 2
    data = FitData(rows, y, np.arange(60), np.arange(60, 80), 2, True)
    return fit_candidates([steps(step, TREE)], data, context(4))[0]


@pytest.mark.parametrize("name", FEW)
def test_a_class_with_too_few_rows_is_reported_with_what_to_write(name):
    failure = few_of_a_class(call(name), 3).failure
    assert failure.error == "ValueError"
    assert "needs 5 neighbours of a row in its class" in failure.message
    assert "the smallest class has 3 training rows" in failure.message
    assert failure.message.endswith(FEW[name])


@pytest.mark.parametrize(("step", "fewest"), [
    (call("SMOTE", k_neighbors=2), 3), (call("ADASYN", n_neighbors=2), 3),
    (call("RandomOverSampler"), 3), (call("RandomOverSampler"), 1),
])  # fmt: skip
def test_what_the_failure_says_to_write_is_fitted(step, fewest):
    assert few_of_a_class(step, fewest).failure is None
