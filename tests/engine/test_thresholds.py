"""Thresholds of labels: stated for a fitted model, or chosen inside training; by scikit-learn."""

import csv
import json
from functools import cache

import numpy as np
import polars as pl
import pytest
from many_cases import for_each
from msgspec.structs import replace
from sklearn import ensemble
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import FixedThresholdClassifier, TunedThresholdClassifierCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import SelfTrainingClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier
from studies import checked, codes, run_into, study

from evallang.api.preparing import read_and_plan
from evallang.api.results import Results
from evallang.api.running import run
from evallang.engine.store import open_store
from evallang.reporting.context import Context
from evallang.reporting.searches import thresholds

HEAD = """\
evallang 1
study "Thresholds"
  seed 3
data cancer from sklearn breast_cancer
  positive {positive}
{below}{models}protocol cv folds=3
measure recall, specificity
"""
LOGISTIC = "StandardScaler | LogisticRegression(max_iter=500)"


def text_of(models, below="", positive="malignant"):
    return HEAD.format(positive=positive, below=below, models=models)


def predicted(text, folder, model):
    """Return the row, truth and prediction of each test row, by the protocol's splits."""
    made = study(text, folder)
    run_into(folder / "out", made)
    table = pl.read_parquet(folder / "out" / "predictions.parquet").filter(pl.col("model") == model)
    return made, table


def by_fold(made, model="m"):
    layout = read_and_plan(made).planned.layout
    return [place.split for place in layout.places if place.model == model]


def names(y):
    return np.array(["malignant", "benign"])[y]


@pytest.mark.parametrize("positive", ["malignant", "benign"])
@pytest.mark.parametrize("value", [0.2, 0.9])
def test_labels_of_a_fitted_model_are_those_of_its_probabilities_from_the_threshold_on(
    positive, value, tmp_path
):
    text = text_of(f"model m = {LOGISTIC}\n", f"  threshold m = {value}\n", positive)
    made, table = predicted(text, tmp_path, "m")
    data = load_breast_cancer()
    for split in by_fold(made):
        plain = make_pipeline(StandardScaler(), LogisticRegression(max_iter=500))
        plain.fit(data.data[split.train], names(data.target)[split.train])
        probability = plain.predict_proba(data.data[split.test])
        at_least = probability[:, list(plain.classes_).index(positive)] >= value
        other = "benign" if positive == "malignant" else "malignant"
        here = table.filter(pl.col("fold") == split.fold).sort("row")
        assert here["prediction"].to_list() == np.where(at_least, positive, other).tolist()


SCORES_OF_LABELS = {
    "f1": lambda label: make_scorer(f1_score, pos_label=label, zero_division=0.0),
    "balanced_accuracy": lambda label: "balanced_accuracy",
}


@pytest.mark.parametrize(
    ("written", "plain", "scores"),
    [
        ("LogisticRegression(max_iter=500)", LogisticRegression(max_iter=500), "probabilities"),
        ("LinearSVC(random_state=1)", LinearSVC(random_state=1), "margins"),
    ],
)
@pytest.mark.parametrize("word", ["f1", "balanced_accuracy"])
@pytest.mark.parametrize("positive", ["malignant", "benign"])
def test_the_threshold_that_each_fit_chose_is_stated_for_the_positive_class(
    positive, word, written, plain, scores, tmp_path
):
    """scikit-learn states it for its last class, unless its metric names the positive one."""
    options = f"estimator={written}, scoring={word}, thresholds=10, cv=3"
    tuned = f"TunedThresholdClassifierCV({options})"
    text = text_of(f"model m = StandardScaler | {tuned}\nmodel other = GaussianNB\n", "", positive)
    made, table = predicted(text, tmp_path, "m")
    found = Results.load(tmp_path / "out" / "results.json").record.thresholds
    assert [(t.model, t.repeat, t.fold, t.scores) for t in found] == [
        ("m", 0, fold, scores) for fold in range(3)
    ]
    data = load_breast_cancer()
    for split, one in zip(by_fold(made), found, strict=True):
        expected = make_pipeline(
            StandardScaler(),
            TunedThresholdClassifierCV(
                plain, scoring=SCORES_OF_LABELS[word](positive), thresholds=10, cv=3
            ),
        ).fit(data.data[split.train], names(data.target)[split.train])[-1]
        value = expected.best_threshold_
        assert expected.classes_[-1] == "malignant"
        if word != "f1" and positive != "malignant":
            value = 1 - value if scores == "probabilities" else -value
        assert one.value == pytest.approx(value, abs=1e-12)
        here = table.filter(pl.col("fold") == split.fold)
        positive_from_there_on = here[f"score_{positive}"].to_numpy() >= one.value
        assert ((here["prediction"].to_numpy() == positive) == positive_from_there_on).all()
    rows = list(csv.DictReader((tmp_path / "out" / "fits.csv").read_text().splitlines()))
    listed = {int(row["fold"]): row["threshold"] for row in rows if row["model"] == "m"}
    assert {fold: float(value) for fold, value in listed.items()} == {
        t.fold: t.value for t in found
    }
    assert {row["threshold"] for row in rows if row["model"] == "other"} == {""}


TUNED = (
    "model m = StandardScaler | "
    "TunedThresholdClassifierCV(estimator=LogisticRegression, thresholds=10, cv=3)\n"
)


def test_the_store_keeps_chosen_thresholds_and_refits_where_an_entry_lacks_its_own(tmp_path):
    text, store = text_of(TUNED), tmp_path / "store"
    first = run(study(text), store=store).record
    again = run(study(text), store=store).record
    assert again.provenance.fits.cached == 3
    assert again.thresholds == first.thresholds and len(first.thresholds) == 3
    fits = read_and_plan(study(text)).planned.fits
    task, kept = next(iter(fits.values())), open_store(store)
    outcome = kept.get(task, 2)
    assert outcome.thresholds[0].value == first.thresholds[0].value
    kept.put(task, replace(outcome, thresholds=()))  # as older versions wrote it
    assert kept.get(task, 2) is None


def test_a_search_by_labels_measures_the_labels_of_the_threshold(tmp_path):
    """At a threshold of nearly 0 every candidate labels all rows positive: the first wins."""
    text = text_of(
        "model m = StandardScaler | LogisticRegression(C in [0.0001, 1])\n",
        "  threshold m = 1e-12\n",
    ).replace("protocol cv folds=3", "protocol nested cv outer=2 inner=2\ntune grid by accuracy")
    record = run(study(text, tmp_path)).record
    share = 212 / 569  # of the malignant
    assert all(found.params == {"C": 0.0001} for found in record.selections)
    assert all(found.inner_score == pytest.approx(share, abs=0.01) for found in record.selections)


@pytest.mark.parametrize("positive", ["malignant", "benign"])
def test_the_threshold_that_an_export_chose_is_stated_for_the_positive_class(positive, tmp_path):
    import skops.io

    tuned = "TunedThresholdClassifierCV(estimator=LogisticRegression, thresholds=10, cv=3)"
    text = text_of(f"model m = StandardScaler | {tuned}\n", "", positive)
    made = study(text + 'export m to "m.skops"\n', tmp_path)
    (export,) = run_into(tmp_path / "out", made).record.exports
    path = next(tmp_path.rglob("m.skops"))
    model = skops.io.load(path, trusted=list(export.trusted_types))
    # of the last class, as scikit-learn states it
    of_last = model[-1].best_threshold_
    expected = of_last if positive == model.classes_[-1] else 1 - of_last
    assert export.threshold == pytest.approx(expected, abs=1e-15)
    assert any(f"probability of {expected:.4g} on" in note for note in export.notes)
    data = load_breast_cancer().data
    scores = model.predict_proba(data)[:, list(model.classes_).index(positive)]
    assert ((model.predict(data) == positive) == (scores >= export.threshold)).all()


def test_results_and_methods_state_what_each_threshold_was_chosen_on(tmp_path):
    few = "thresholds=10"
    models = (
        f"model m = {LOGISTIC}\n"
        f"model plain = {LOGISTIC}\n"
        f"model tuned = TunedThresholdClassifierCV(estimator={LOGISTIC}, scoring=f1, {few}, cv=3)\n"
        f"model part = TunedThresholdClassifierCV(estimator={LOGISTIC}, {few}, cv=0.25)\n"
        f"model fixed = FixedThresholdClassifier(estimator={LOGISTIC}, threshold=0.4)\n"
    )
    allowed = "  # evallang: allow threshold_beside_the_reported_scores because the clinic set it\n"
    text = text_of(models, "  threshold m = 0.2" + allowed)
    run_into(tmp_path / "out", study(text, tmp_path))
    record = json.loads((tmp_path / "out" / "results.json").read_text())
    found = {model["name"]: model["thresholds"] for model in record["models"]}
    nothing = {"data": None, "value": None, "metric": None, "folds": None, "part": None}
    nothing["member"] = ""
    assert found["plain"] == []
    assert found["m"] == [{**nothing, "origin": "stated", "data": "cancer", "value": 0.2}]
    assert found["fixed"] == [{**nothing, "origin": "stated", "value": 0.4}]
    chosen = {**nothing, "origin": "training_part"}
    assert found["tuned"] == [{**chosen, "metric": "f1", "folds": 3}]
    assert found["part"] == [{**chosen, "metric": "balanced_accuracy", "part": 0.25}]
    context = Context(Results.load(tmp_path / "out" / "results.json").record)
    page = "".join(run.text for run in thresholds(context))
    for sentence in (
        "The threshold of m (0.2) was stated in the study file: the clinic set it.",
        "The threshold of tuned was chosen inside each training part, by f1 in three inner folds.",
        "The threshold of part was chosen inside each training part, by balanced accuracy on 25% "
        "of its rows.",
        "The threshold of fixed (0.4) was stated in the study file, which does not say on which "
        "rows it was chosen.",
    ):
        assert sentence in page


def refused(lines, models=""):

    text = (
        "evallang 1\ndata cancer from sklearn breast_cancer\n  positive malignant\n"
        f"{lines}{models or 'model m = GaussianNB'}\nprotocol holdout\n"
    )
    found = checked(text).diagnostics
    return [(d.code, d.message) for d in found if d.severity == "error"]


@for_each(
    ("lines", "models", "words"),
    [
        ("  threshold m = 0.3\n  threshold m = 0.4\n", "", "`threshold` of `m` is given twice"),
        ("  threshold n = 0.3\n", "", "`n`"),
        ("  threshold m = 1.5\n", "", "a threshold of 1.5 does not divide them"),
        ("  threshold m = 0.3\n", "model m = Perceptron | GaussianNB", "`Perceptron`"),
        ("", "model m = FixedThresholdClassifier(estimator=LinearRegression)",
         "is not a classifier"),
        ("", "model m = FixedThresholdClassifier(estimator=NearestCentroid)", ""),
        ("", "model m = FixedThresholdClassifier(estimator=LinearSVC, "
         "response_method=predict_proba)", "`LinearSVC` does not have it"),
        ("", "model m = FixedThresholdClassifier(estimator=GaussianNB, "
         "response_method=decision_function)", "`GaussianNB` does not have it"),
        ("", "model m = FixedThresholdClassifier(estimator=GaussianNB, threshold=2)",
         "`GaussianNB` gives probabilities, and a threshold of 2 does not divide them"),
        ("", "model m = FixedThresholdClassifier(estimator=GaussianNB, threshold in [0.2, 1])\n"
         "tune grid cv=3", "a threshold of 1 does not divide them"),
        ("", "model m = FixedThresholdClassifier(estimator=LinearSVC, threshold=2)", ""),
        ("", "model m = TunedThresholdClassifierCV(estimator=GaussianNB, refit=false)",
         "keeps the model of one split, and `cv` makes several"),
    ],
)  # fmt: skip
def test_a_threshold_that_divides_nothing_is_one_error(lines, models, words):
    found = refused(lines, models)
    assert len(found) <= 1 if not words else len(found) == 1
    assert not words or words in found[0][1]


# --- thresholds inside ensembles --------------------------------------------------------------

FIXED_AT = "FixedThresholdClassifier(estimator={}, threshold={})"
USING_LABELS = (
    "VotingClassifier(estimators=[{}])",
    'StackingClassifier(estimators=[{}, DecisionTreeClassifier], stack_method="predict")',
    "StackingClassifier(estimators=[GaussianNB, DecisionTreeClassifier], final_estimator={})",
    "SelfTrainingClassifier(estimator={})",
)
USING_SCORES = (
    'VotingClassifier(estimators=[{}], voting="soft")',
    "StackingClassifier(estimators=[{}, DecisionTreeClassifier])",
    "BaggingClassifier(estimator={})",
    "CalibratedClassifierCV(estimator={})",
    "TunedThresholdClassifierCV(estimator={}, thresholds=10)",
    "FixedThresholdClassifier(estimator={})",
)


def with_scikit_learn(text, value, inside):
    """Fit the estimator that a text names with scikit-learn alone, and predict."""
    named = {
        **{name: getattr(ensemble, name) for name in ensemble.__all__},
        "FixedThresholdClassifier": FixedThresholdClassifier,
        "TunedThresholdClassifierCV": TunedThresholdClassifierCV,
        "CalibratedClassifierCV": CalibratedClassifierCV,
        "SelfTrainingClassifier": SelfTrainingClassifier,
        "GaussianNB": GaussianNB(),
        "LinearSVC": LinearSVC(random_state=0),
        "DecisionTreeClassifier": DecisionTreeClassifier(random_state=0),
    }
    text = text.format(FIXED_AT.format(inside, value))
    if "estimators=[" in text:  # scikit-learn wants names
        before, _, rest = text.partition("estimators=[")
        items, _, after = rest.rpartition("]")
        text = f"{before}estimators=list(enumerate_named({items})){after}"
    named["enumerate_named"] = lambda *items: [(f"m{i}", item) for i, item in enumerate(items)]
    model = eval(text, named)
    if "random_state" in model.get_params(deep=False):
        model.set_params(random_state=0)
    data = load_breast_cancer()
    return model.fit(data.data[::2, :4], data.target[::2]).predict(data.data[1::2, :4])


@pytest.mark.parametrize("text", [*USING_LABELS, *USING_SCORES])
def test_a_threshold_inside_an_ensemble_is_refused_where_scikit_learn_makes_no_use_of_it(text):
    """Predictions of scikit-learn are the same with two thresholds, or they are not."""
    low, high = (with_scikit_learn(text, value, "GaussianNB") for value in (0.05, 0.95))
    assert (low != high).any() == (text in USING_LABELS)
    found = codes(text_of(f"model m = {text.format(FIXED_AT.format('GaussianNB', 0.2))}\n"))
    assert ("E449" in found) == (text in USING_SCORES)
    assert ("W351" in found) == (text in USING_LABELS)


TUNED_AT = "TunedThresholdClassifierCV(estimator={}, thresholds=10, cv=3{})"
BY_F1 = TUNED_AT.format("GaussianNB", ', scoring="f1"')
TUNED_LAST = TUNED_AT.format("LogisticRegression", "")
TUNED_MEMBERS = f"""\
model vote = VotingClassifier(estimators=[first, {BY_F1}])
model first = {TUNED_AT.format("GaussianNB", "")}
model stack = StackingClassifier(estimators=[GaussianNB], final_estimator={TUNED_LAST})
"""


@pytest.fixture(scope="module")
def tuned_members(tmp_path_factory):
    """Return a function that runs the study of members once for each positive class."""

    @cache
    def ran(positive):
        folder = tmp_path_factory.mktemp("members")
        made = study(text_of(TUNED_MEMBERS, positive=positive), folder)
        return made, run_into(folder / "out", made).record, folder / "out"

    return ran


@pytest.mark.parametrize("positive", ["malignant", "benign"])
def test_thresholds_of_members_are_those_that_scikit_learn_chooses(positive, tuned_members):
    made, _, out = tuned_members(positive)
    results = json.loads((out / "results.json").read_text(encoding="utf-8"))
    found = {(t["model"], t["member"], t["fold"]): t["value"] for t in results["thresholds"]}
    assert {key[:2] for key in found} == {
        ("vote", "first"), ("vote", "estimator 2"), ("first", ""), ("stack", "final estimator"),
    }  # fmt: skip
    data = load_breast_cancer()
    f1 = make_scorer(f1_score, pos_label=positive)
    for split in by_fold(made, "vote"):
        train = split.train
        for member, scoring in (("first", "balanced_accuracy"), ("estimator 2", f1)):
            chosen = TunedThresholdClassifierCV(GaussianNB(), scoring=scoring, thresholds=10, cv=3)
            chosen.fit(data.data[train], names(data.target)[train])
            # of the last class unless the metric names the positive one
            of = positive if scoring is f1 else "malignant"
            value = chosen.best_threshold_ if of == positive else 1 - chosen.best_threshold_
            assert found["vote", member, split.fold] == pytest.approx(value, abs=1e-12)
        base = ensemble.StackingClassifier(
            [("m", GaussianNB())],
            final_estimator=TunedThresholdClassifierCV(LogisticRegression(), thresholds=10, cv=3),
        ).fit(data.data[train], names(data.target)[train])
        value = base.final_estimator_.best_threshold_
        value = value if positive == "malignant" else 1 - value
        assert found["stack", "final estimator", split.fold] == pytest.approx(value, abs=1e-12)
    with (out / "fits.csv").open(encoding="utf-8") as stream:
        cells = [row["threshold"] for row in csv.DictReader(stream) if row["model"] == "vote"]
    assert cells[0].startswith("first: ") and "; estimator 2: " in cells[0]
