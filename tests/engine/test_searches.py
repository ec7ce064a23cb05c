"""Searches: inner folds of the outer design, no leak through them, and model-based candidates."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import SelectKBest
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from studies import study

from evallang.api import run
from evallang.api.preparing import read_and_plan
from evallang.engine.tuning import bayes_search
from evallang.models.domains import distribution
from evallang.models.model import Candidates, SearchParameter
from evallang.planning.plan import BayesSearch
from evallang.results.records import SearchRecord


def tasks_of(text, folder="."):
    return read_and_plan(study(text, folder)).planned.fits.values()


def write_csv(folder, X, y, **more):
    names = [f"x{i}" for i in range(X.shape[1])]
    rows = [
        ",".join([*(repr(float(v)) for v in row), str(y[i]), *(str(c[i]) for c in more.values())])
        for i, row in enumerate(X)
    ]
    (folder / "d.csv").write_text("\n".join([",".join([*names, "y", *more]), *rows]) + "\n")


# --- the same choice as scikit-learn ------------------------------------------------------


def test_a_nested_search_chooses_as_grid_search_does_on_the_same_inner_folds():
    text = (
        "evallang 1\ndata cancer from sklearn breast_cancer\n"
        "model svm = StandardScaler | SVC(C in [0.01, 1, 100], gamma in [0.001, 0.1])\n"
        "protocol nested cv outer=3 inner=3\nmeasure roc_auc\n"
    )
    results = run(study(text))
    assert results.record.search == SearchRecord("grid", 3, "roc_auc")
    X, y = load_breast_cancer(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), SVC())
    grid = {"svc__C": [0.01, 1, 100], "svc__gamma": [0.001, 0.1]}
    for task, chosen in zip(tasks_of(text), results.record.selections, strict=True):
        search = GridSearchCV(pipeline, grid, cv=list(task.inner), scoring="roc_auc").fit(X, y)
        assert chosen.params == {
            name.removeprefix("svc__"): value for name, value in search.best_params_.items()
        }
        assert chosen.inner_score == pytest.approx(search.best_score_, rel=1e-12)


# --- inner folds follow the outer design ----------------------------------------------------

KNN = "model k = KNeighborsClassifier(n_neighbors in [1, 25])\nmeasure accuracy\n"


# --- no leak --------------------------------------------------------------------------------


@pytest.fixture
def noise(tmp_path):
    rng = np.random.default_rng(7)
    X, y = rng.normal(size=(100, 600)).round(3), np.arange(100) % 2
    write_csv(tmp_path, X, y)
    return tmp_path, X, y


@pytest.mark.parametrize(
    ("model", "protocol"),
    [
        ("SelectKBest(k=10) | GaussianNB", "repeated cv folds=5 times=2"),
        ("SelectKBest(k in [5, 20]) | GaussianNB", "nested cv outer=5 inner=3"),
    ],
)
def test_features_selected_on_noise_give_chance_accuracy(noise, model, protocol):
    folder, X, y = noise
    text = (
        f'evallang 1\ndata d from "d.csv"\n  target y\nmodel m = {model}\n'
        f"protocol {protocol}\nmeasure accuracy\n"
    )
    found = run(study(text, folder)).estimates[0].value
    assert 0.3 < found < 0.65  # 100 rows: a standard error of .05 around .5
    # selected on all rows, the same features look as if they told the classes apart
    leaky = cross_val_score(GaussianNB(), SelectKBest(k=20).fit_transform(X, y), y, cv=5).mean()
    assert leaky > 0.7


def test_copies_in_a_bootstrap_sample_do_not_teach_a_search_to_memorise(tmp_path):
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(80, 2)), rng.permutation(np.arange(80) % 2)
    write_csv(tmp_path, X, y)
    text = (
        f'evallang 1\ndata d from "d.csv"\n  target y\n{KNN}'
        "protocol bootstrap rounds=12 estimate=oob\ntune grid cv=4\n"
    )
    chosen = [s for s in run(study(text, tmp_path)).record.selections if s.fold >= 0]
    honest = np.mean([s.inner_score for s in chosen])
    leaky = []
    for task in list(tasks_of(text, tmp_path))[1:]:
        for train, validation in task.inner:
            assert not set(train) & set(validation)
        copies = task.refit  # rows as often as they were drawn, dealt to folds one by one
        folds = KFold(4, shuffle=True, random_state=0)
        scores = {
            k: cross_val_score(KNeighborsClassifier(k), X[copies], y[copies], cv=folds).mean()
            for k in (1, 25)
        }
        leaky.append(max(scores.values()))
        assert scores[1] > scores[25]  # 1-NN finds the copy of the row it is asked about
    assert np.mean(leaky) > 0.68
    assert honest < 0.63  # best of two, on labels that mean nothing


# --- model-based search -----------------------------------------------------------------------

C = SearchParameter("C", distribution("1e-3", "1e3", "loguniform"))
DEPTH = SearchParameter("depth", distribution("1", "9", "uniform"))
KERNEL = SearchParameter("kernel", Candidates(("rbf", "linear"), "[rbf, linear]"))


def hill(choice):
    """Best at C = 10, depth 4, linear; the same in three folds."""
    height = -abs(np.log10(choice["C"]) - 1) - abs(choice["depth"] - 4) / 4
    return np.full(3, height - (choice["kernel"] == "rbf"))


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_a_model_based_search_climbs_where_scores_are_better(better):
    sign = 1 if better == "higher" else -1
    space = (C, DEPTH, KERNEL)
    choices, scores, failures = bayes_search(
        space, BayesSearch(60, 3), better, lambda choice: sign * hill(choice)
    )
    best = choices[int(np.argmax(sign * scores.mean(axis=0)))]
    assert failures == {}
    assert best["kernel"] == "linear"
    assert best["depth"] in (3, 4, 5)
    assert 1 < best["C"] < 100
    late = sign * scores.mean(axis=0)[30:]
    assert late.mean() > (sign * scores.mean(axis=0)[:10]).mean()  # the first ten are random


def test_a_model_based_search_stays_in_its_domains_and_repeats_itself():
    space = (C, DEPTH, KERNEL)
    once, _, _ = bayes_search(space, BayesSearch(25, 3), "higher", hill)
    again, _, _ = bayes_search(space, BayesSearch(25, 3), "higher", hill)
    other, _, _ = bayes_search(space, BayesSearch(25, 4), "higher", hill)
    assert once == again
    assert once != other
    for choice in once:
        assert 1e-3 <= choice["C"] <= 1e3
        assert type(choice["depth"]) is int
        assert 1 <= choice["depth"] <= 9
        assert choice["kernel"] in ("rbf", "linear")


def test_a_candidate_asked_for_again_is_scored_once():
    asked = []

    def score(choice):
        asked.append(choice["kernel"])
        return np.ones(2)

    choices, scores, _ = bayes_search((KERNEL,), BayesSearch(20, 1), "higher", score)
    assert sorted(asked) == ["linear", "rbf"]
    assert len(choices) == scores.shape[1] == 2


def test_a_candidate_that_fails_is_left_out_and_the_search_goes_on():
    def score(choice):
        return ("ValueError", "too deep") if choice["depth"] > 5 else np.full(2, choice["depth"])

    choices, scores, failures = bayes_search((DEPTH,), BayesSearch(30, 1), "higher", score)
    assert {choices[i]["depth"] for i in failures} <= {6, 7, 8, 9}
    assert np.isnan(scores[:, list(failures)]).all()
    assert np.nanmax(scores) == 5


BAYES = (
    "evallang 1\ndata wine from sklearn wine\n"
    "model svm = StandardScaler | SVC(C in 1e-2..1e2 loguniform, gamma in 1e-3..1 log 4)\n"
    "protocol holdout\ntune bayes 8 cv=3\nmeasure accuracy\n"
)


def test_a_bayes_search_is_the_same_in_this_process_and_in_others():
    one, two = run(study(BAYES)).record, run(study(BAYES), jobs=2).record
    assert one.selections == two.selections
    assert one.estimates == two.estimates
    assert one.search == SearchRecord("bayes", 3, "accuracy")
    (chosen,) = one.selections
    assert 1e-2 <= chosen.params["C"] <= 1e2
    assert one.models[0].tuned["C"] == ("1e-2..1e2 loguniform",)
    assert one.models[0].n_candidates == 8
    assert "optuna" in one.provenance.packages
    assert {"bergstra2011", "akiba2019"} <= {r.key for r in one.references}


def test_the_plan_of_a_bayes_search_counts_the_most_fits_it_can_make():
    (task,) = tasks_of(BAYES)
    assert task.n_fits == 8 * 3 + 1
    assert task.candidates == ()
