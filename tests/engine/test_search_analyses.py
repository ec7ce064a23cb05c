"""`analyze` about searches: the same choices as scikit-learn's, and what a report prints."""

from collections import Counter

import numpy as np
import pytest
import studies
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, validation_curve
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from studies import study

from evallang.api import run
from evallang.api.preparing import read_and_plan
from evallang.reporting.report import figures, plain
from evallang.results.codec import to_plain

SEARCHED = """\
evallang 1
study "Searches"
  seed 3
data cancer from sklearn breast_cancer
model svm "SVM" = StandardScaler | SVC(C in [0.01, 1, 100], gamma in [0.001, 0.1])
model bayes = GaussianNB
model prior = DummyClassifier
protocol nested cv outer=4 inner=3
measure accuracy
"""


def words_of(results, folder):
    results.save(folder / "out", ("html",))
    return studies.words_of(folder / "out" / "report.html")


def grid_searches(text):
    """Search as scikit-learn does on the planned rows; give each search and its test score."""
    X, y = load_breast_cancer(return_X_y=True)
    grid = {"svc__C": [0.01, 1, 100], "svc__gamma": [0.001, 0.1]}
    tasks = read_and_plan(study(text)).planned.fits.values()
    for task in (task for task in tasks if task.inner):
        cv = list(task.inner)
        search = GridSearchCV(make_pipeline(StandardScaler(), SVC()), grid, cv=cv)
        search.fit(X, y)
        search.best_estimator_.fit(X[task.refit], y[task.refit])
        yield search, search.best_estimator_.score(X[task.test], y[task.test])


def test_stability_counts_the_choices_of_grid_search(tmp_path):
    text = f"{SEARCHED}analyze stability\nreport html\n"
    results = run(study(text, tmp_path))
    (found,) = results.record.analyses  # of the one model with a search
    assert (found.kind, found.model) == ("stability", "svm")
    values = found.values
    assert (values["unit"], values["n"], values["n_candidates"]) == ("outer folds", 4, 6)
    peers = list(grid_searches(text))
    for parameter in values["parameters"]:
        chosen = Counter(s.best_params_[f"svc__{parameter['name']}"] for s, _ in peers)
        assert {c["value"]: c["count"] for c in parameter["choices"] if c["count"]} == chosen
    tests = [score for _, score in peers]
    inner = [search.best_score_ for search, _ in peers]
    for part, scores in (("test", tests), ("inner", inner)):
        assert values[part]["mean"] == pytest.approx(np.mean(scores), abs=1e-12)
        assert values[part]["sd"] == pytest.approx(np.std(scores, ddof=1), abs=1e-12)
    words = words_of(results, tmp_path)
    assert "Values that the searches of the outer folds chose" in words
    assert "6 pairs of outer folds" in words


def split_scores(search, k):
    """Give the inner scores of scikit-learn (candidates, folds)."""
    return np.column_stack([search.cv_results_[f"split{i}_test_score"] for i in range(k)])


def test_tuning_has_the_scores_of_grid_search_in_every_inner_fold():
    text = f"{SEARCHED}analyze tuning\n"
    (found,) = run(study(text)).record.analyses
    values = found.values
    assert (values["unit"], values["n"], values["n_inner"]) == ("searches", 4, 3)
    peers = [split_scores(search, 3) for search, _ in grid_searches(text)]
    for one, peer in zip(values["searches"], peers, strict=True):
        np.testing.assert_allclose(one["scores"], peer, rtol=0, atol=1e-12)
        assert one["best"] == one["chosen"] == int(peer.mean(axis=1).round(12).argmax())
    means = np.mean([peer.mean(axis=1) for peer in peers], axis=0)
    errors = np.mean([peer.std(axis=1, ddof=1) / 3**0.5 for peer in peers], axis=0)
    for number, candidate in enumerate(values["candidates"]):
        assert candidate["mean"] == pytest.approx(means[number], abs=1e-12)
        assert candidate["standard_error"] == pytest.approx(errors[number], abs=1e-12)
    assert sum(candidate["best"] for candidate in values["candidates"]) == 4
    # along C: in each search the better of two candidates with that value
    profile = np.mean([peer.mean(axis=1).reshape(3, 2).max(axis=1) for peer in peers], axis=0)
    along = values["curves"][0]
    assert [point["value"] for point in along["points"]] == [0.01, 1, 100]
    assert [point["mean"] for point in along["points"]] == pytest.approx(profile, abs=1e-12)


def simplest_within_one_error(scores, simplest_first):
    """Choose as Breiman et al. 1984 do, for losses: written out, without evallang."""
    means = scores.mean(axis=1)
    best = means.argmax()
    line = means[best] - scores[best].std(ddof=1) / np.sqrt(scores.shape[1])
    return next(i for i in simplest_first if means[i] >= line)


def test_tuning_of_one_parameter_is_a_validation_curve():
    alphas = [0.01, 0.1, 1.0, 10.0, 100.0]
    text = (
        "evallang 1\nstudy\n  seed 2\ndata diabetes from sklearn diabetes\n"
        f"model ridge = Ridge(alpha in {alphas})\nmodel prior = DummyRegressor\n"
        "protocol cv folds=3\ntune grid by mse cv=6 select one_standard_error\n"
        "measure mse\nanalyze tuning\n"
    )
    (found,) = run(study(text)).record.analyses
    X, y = load_diabetes(return_X_y=True)
    tasks = read_and_plan(study(text)).planned.fits.values()
    peers = []
    for task in (task for task in tasks if task.inner):
        options = {"param_name": "alpha", "param_range": alphas, "cv": list(task.inner)}
        scoring = "neg_mean_squared_error"
        peers.append(validation_curve(Ridge(), X, y, scoring=scoring, **options)[1])
    means = np.mean([-peer.mean(axis=1) for peer in peers], axis=0)
    errors = np.mean([peer.std(axis=1, ddof=1) / 6**0.5 for peer in peers], axis=0)
    points = found.values["curves"][0]["points"]
    assert [point["mean"] for point in points] == pytest.approx(means, rel=1e-12)
    assert [point["standard_error"] for point in points] == pytest.approx(errors, rel=1e-12)
    simple = [simplest_within_one_error(peer, [4, 3, 2, 1, 0]) for peer in peers]
    searches = found.values["searches"]
    assert [one["one_standard_error"] for one in searches] == simple
    assert [one["chosen"] for one in searches] == simple
    assert [one["best"] for one in searches] == [int(peer.mean(axis=1).argmax()) for peer in peers]
    assert any(one["best"] != one["chosen"] for one in searches)


def test_a_candidate_that_fails_has_no_score_and_is_not_chosen(tmp_path):
    text = SEARCHED.replace("gamma in [0.001, 0.1]", "kernel in [rbf, precomputed]") + (
        "analyze tuning, stability\nreport html\n"
    )
    results = run(study(text, tmp_path))
    tuning = results.record.analyses[0].values
    failed = [c for c in tuning["candidates"] if c["params"]["kernel"] == "precomputed"]
    assert [(c["mean"], c["n"], c["best"]) for c in failed] == [(None, 0, 0)] * 3
    assert "Tuning curves" in words_of(results, tmp_path)


def test_one_validation_part_has_no_standard_error(tmp_path):
    text = SEARCHED.replace("nested cv outer=4 inner=3", "holdout test=20% validation=20%")
    results = run(study(f"{text}analyze tuning\nreport html\n", tmp_path))
    (found,) = results.record.analyses
    assert (found.values["n"], found.values["n_inner"]) == (1, 1)
    assert {c["standard_error"] for c in found.values["candidates"]} == {None}
    words = words_of(results, tmp_path)
    assert "1 search with one validation part" in words
    assert "one validation part has no standard error" in words.lower()


def test_panels_of_a_parameter_share_the_horizontal_axis_and_of_a_model_the_vertical_one():
    text = SEARCHED.replace("C in [0.01, 1, 100]", "C in [1, 100]")
    text = text.replace("bayes = GaussianNB", "line = LinearSVC(C in [0.01, 1])")
    results = run(study(text.replace("outer=4 inner=3", "outer=2 inner=2") + "analyze tuning\n"))
    (figure,) = (f for n, f in figures(results.record).items() if n.startswith("tuning"))
    assert [plain(p.title) for p in figure.panels] == ["SVM: C", "SVM: gamma", "line: C"]
    across, upwards = (
        [[(m.text, m.points) for m in p.drawing.marks if m.anchor == anchor] for p in figure.panels]
        for anchor in ("center", "right")
    )
    assert across[0] == across[2] and {"0.01", "1", "100"} <= {text for text, _ in across[0]}
    assert upwards[0] == upwards[1] != upwards[2]
    assert "each model has its own vertical scale" in plain(figure.caption)


MODEL_BASED = SEARCHED.replace("C in [0.01, 1, 100], gamma in [0.001, 0.1]",
                               "C in 1e-2..1e2 loguniform").replace(
    "measure accuracy", "tune bayes 4\nmeasure accuracy")  # fmt: skip


@pytest.mark.parametrize("text", [SEARCHED, MODEL_BASED], ids=["grid", "bayes"])
def test_the_scores_of_a_search_are_the_same_from_a_store_and_from_several_processes(
    text, tmp_path
):
    text += "analyze tuning, stability\n"
    written = [
        to_plain(run(study(text), **options).record.analyses)
        for options in (
            {"jobs": 1}, {"jobs": 2}, {"jobs": 1, "store": tmp_path / "s"},
            {"jobs": 2, "store": tmp_path / "s"},
        )
    ]  # fmt: skip
    assert written[0][0]["values"]["problem"] is None
    assert all(other == written[0] for other in written)
    assert run(study(text), store=tmp_path / "s").record.provenance.fits.run == 0
