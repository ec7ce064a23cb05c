"""`analyze` about searches: the same choices as scikit-learn's, and what a report prints."""

import re
from collections import Counter
from html import unescape

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from studies import study

from evallang.api import run
from evallang.api.preparing import read_and_plan
from evallang.api.results import Results
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
    results.save(folder / "out")
    page = (folder / "out" / "report.html").read_text(encoding="utf-8")
    text = re.sub(r"(?s)<(style|script|svg).*?</\1>", "", page)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", text)))


def grid_searches(text):
    """Search as scikit-learn does on the planned rows; give each search and its test score."""
    X, y = load_breast_cancer(return_X_y=True)
    grid = {"svc__C": [0.01, 1, 100], "svc__gamma": [0.001, 0.1]}
    tasks = read_and_plan(study(text)).planned.layout.tasks.values()
    for task in (task for task in tasks if task.inner):
        search = GridSearchCV(make_pipeline(StandardScaler(), SVC()), grid, cv=list(task.inner))
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
    again = Results.load(tmp_path / "out" / "results.json").record.analyses
    assert to_plain(again) == to_plain(results.record.analyses)


def test_stability_is_computed_for_each_protocol_with_several_splits(tmp_path):
    text = SEARCHED.replace("protocol nested cv outer=4 inner=3", (
        "protocol once = holdout test=1/3\nprotocol deep = repeated cv folds=3 times=2\n"
        "protocol drawn = bootstrap rounds=3\ntune random 3 cv=3"
    ))  # fmt: skip
    results = run(study(f"{text}analyze stability of svm\nreport html\n", tmp_path))
    found = {a.protocol: a.values for a in results.record.analyses}
    assert found["once"]["problem"] == "fewer than two searches gave a choice"
    assert found["deep"]["n"] == 6
    assert found["drawn"]["n"] == 3
    words = words_of(results, tmp_path)
    assert "could not be computed: fewer than two searches gave a choice" in words
