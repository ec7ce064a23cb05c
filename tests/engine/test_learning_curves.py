"""`analyze learning_curve`: the curves of scikit-learn on the same subsets, and its fits."""

import csv
from collections import Counter
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.metrics import f1_score, make_scorer
from sklearn.model_selection import GridSearchCV, learning_curve
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from studies import run_into, study

from evallang.api import run
from evallang.api.preparing import read_and_plan
from evallang.api.running import RunFailed
from evallang.protocols.protocol import Rows
from evallang.protocols.splitting import nested_subsets

WINE = """\
evallang 1
study "Curves"
  seed 3
data wine from sklearn wine
model near = StandardScaler | KNeighborsClassifier(n_neighbors=3)
model bayes = GaussianNB
model prior = DummyClassifier
protocol repeated cv folds=4 times=2
measure accuracy
"""


def places_of(text, model):
    """Return the planned subsets by draw and split, smallest first, with their test rows."""
    planned = read_and_plan(study(text)).planned
    found = {}
    for place in planned.layout.subsets:
        if place.model == model:
            at = place.times, place.split.repeat, place.split.fold
            task = planned.fits[place.key]
            found.setdefault(at, []).append((task.refit, task.test))
    return found


def curves_of_scikit_learn(text, model, estimator, X, y, sizes, scoring):
    """Draw the curves of scikit-learn, which takes the first rows: subsets come first."""
    found = places_of(text, model)
    draws = sorted({draw for draw, _, _ in found})
    trains, tests = [], []
    for draw in draws:
        cv = []
        for (of, _, _), nested in sorted(found.items(), key=lambda item: item[0]):
            if of != draw:
                continue
            order = np.concatenate([nested[0][0], *(
                np.setdiff1d(larger[0], smaller[0]) for smaller, larger in pairwise(nested)
            )])  # fmt: skip
            cv.append((order, nested[0][1]))
        _, train, test = learning_curve(
            estimator, X, y, train_sizes=sizes, cv=cv, scoring=scoring, shuffle=False
        )
        trains.append(train)
        tests.append(test)
    return np.array(trains), np.array(tests)  # (draws, sizes, splits)


def test_train_and_test_scores_are_those_of_scikit_learn_on_the_same_subsets():
    text = f"{WINE}analyze learning_curve(sizes=[20, 60, 120], repeats=3)\n"
    X, y = load_wine(return_X_y=True)
    peers = {
        "near": make_pipeline(StandardScaler(), KNeighborsClassifier(3)),
        "bayes": GaussianNB(),
    }
    found = run(study(text)).record.analyses
    assert [item.model for item in found] == ["near", "bayes"]  # without the baseline
    for item in found:
        train, test = curves_of_scikit_learn(
            text, item.model, peers[item.model], X, y, [20, 60, 120], "accuracy"
        )
        rows = [len(t) for t in places_of(text, item.model)[0, 0, 0][1:2]]
        assert rows == [2]  # rows of a part and its test rows
        points = item.values["points"]
        assert [point["n_train"] for point in points] == [20, 60, 120]
        for number, point in enumerate(points):
            for part, peer in (("train", train), ("test", test)):
                # the folds of a repeat have 44 or 45 test rows, which count as rows
                weights = [1] * 8 if part == "train" else [
                    len(tested) for (draw, *_), nested in sorted(
                        places_of(text, item.model).items(), key=lambda i: i[0]
                    ) if draw == 0 for tested in [nested[0][1]]
                ]  # fmt: skip
                mean = np.average(peer[:, number], axis=1, weights=weights)
                assert point[part]["value"] == pytest.approx(mean.mean(), abs=1e-12)
                assert point[part]["sd_draws"] == pytest.approx(mean.std(ddof=1), abs=1e-12)
                sd = peer[:, number].mean(axis=0).std(ddof=1)
                assert point[part]["sd"] == pytest.approx(sd, abs=1e-12)
        assert item.values["n"] == 178
        assert item.values["n_splits"] == 8
        assert item.values["gap"] == pytest.approx(
            points[-1]["train"]["value"] - points[-1]["test"]["value"], abs=1e-15
        )
        steps = (test[:, 2] - test[:, 1]).mean(axis=0).round(12)
        gain = item.values["gain"]
        assert (gain["better"], gain["worse"]) == ((steps > 0).sum(), (steps < 0).sum())


OF_MALIGNANT = make_scorer(f1_score, pos_label=0)  # class 0 of scikit-learn
SEARCHED = """\
evallang 1
study "Curves"
  seed 3
data cancer from sklearn breast_cancer
model near = StandardScaler | KNeighborsClassifier(n_neighbors in [1, 5, 9])
model bayes = GaussianNB
protocol nested cv outer=3 inner=3
measure f1
"""


def test_models_are_tuned_inside_each_subset_as_grid_search_does():
    text = f"{SEARCHED}analyze learning_curve(fractions=[20%, 1], repeats=1) of near\n"
    X, y = load_breast_cancer(return_X_y=True)
    planned = read_and_plan(study(text)).planned
    smallest = [planned.fits[p.key] for p in planned.layout.subsets if p.size == 0]
    truths, labels = [], []
    for task in smallest:
        for train, validation in task.inner:
            assert set(train) | set(validation) <= set(task.refit)
        grid = {"kneighborsclassifier__n_neighbors": [1, 5, 9]}
        pipeline = make_pipeline(StandardScaler(), KNeighborsClassifier())
        best = GridSearchCV(pipeline, grid, cv=list(task.inner), scoring=OF_MALIGNANT).fit(X, y)
        fitted = best.best_estimator_.fit(X[task.refit], y[task.refit])
        truths.append(y[task.test])
        labels.append(fitted.predict(X[task.test]))
    (item,) = run(study(text)).record.analyses
    pooled = f1_score(np.concatenate(truths), np.concatenate(labels), pos_label=0)  # all folds
    assert item.values["points"][0]["test"]["value"] == pytest.approx(pooled, abs=1e-12)


def test_the_whole_training_part_shares_the_fits_of_the_protocol(tmp_path):
    """3 folds of 9 + 1 fits of the search and 1 of bayes; the part of 20% as many again."""
    line = "analyze learning_curve(fractions=[20%, 1], repeats=4)\nreport html\n"
    alone = read_and_plan(study(SEARCHED)).planned.plan
    plan = read_and_plan(study(SEARCHED + line)).planned.plan
    assert alone.n_fits == 33
    assert plan.n_fits == 33 + 4 * 33
    results = run(study(SEARCHED + line, tmp_path))
    assert results.record.provenance.fits.planned == 165
    estimates = {e.model: e.value for e in results.record.estimates}
    for item in results.record.analyses:
        whole = item.values["points"][-1]
        assert whole["test"]["value"] == estimates[item.model]
        assert whole["test"]["sd_draws"] is None
        assert item.values["points"][0]["test"]["sd_draws"] is not None
    assert estimates == {e.model: e.value for e in run(study(SEARCHED)).record.estimates}
    results.save(tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "F1 by the number of training rows" in page


def test_subsets_are_nested_and_keep_the_shares_of_strata():
    rng = np.random.default_rng(5)
    strata = np.repeat([0, 1, 2], [70, 20, 10])[rng.permutation(100)]
    rows = Rows(100, strata, None, None, lambda repeat: 0)
    training = np.sort(rng.permutation(100)[:80])
    sizes = [8, 20, 41, 80]
    found = list(nested_subsets(rows, training, sizes, 7))
    assert [len(part) for part in found] == sizes
    for smaller, larger in pairwise(found):
        assert set(smaller) < set(larger)
    np.testing.assert_array_equal(found[-1], training)
    shares = np.bincount(strata[training]) / 80
    for part in found:
        assert np.abs(np.bincount(strata[part], minlength=3) - shares * len(part)).max() <= 1
        assert (np.diff(part) > 0).all()
    other = list(nested_subsets(rows, training, sizes, 8))
    assert set(other[0]) != set(found[0])


def test_subsets_keep_groups_whole_and_the_order_of_time():
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(20), rng.integers(2, 9, 20))
    n = len(groups)
    rows = Rows(n, groups % 2, groups, None, lambda repeat: 0)
    training = np.flatnonzero(groups >= 4)
    found = list(nested_subsets(rows, training, [1, 25, 50, len(training)], 3))
    sizes = np.bincount(groups)
    for part, size in zip(found, [1, 25, 50, len(training)], strict=True):
        kept = set(groups[part])
        assert sum(sizes[list(kept)]) == len(part)  # whole groups
        assert abs(len(part) - size) <= sizes.max()
        evens = sum(group % 2 == 0 for group in kept)
        assert abs(evens - len(kept) / 2) <= 1
    for smaller, larger in pairwise(found):
        assert set(smaller) <= set(larger)
    ordered = Rows(30, None, None, None, lambda repeat: 0)
    parts = list(nested_subsets(ordered, np.arange(20), [5, 20], 3, near=np.arange(20, 30)))
    assert [part.tolist() for part in parts] == [list(range(15, 20)), list(range(20))]


def test_a_failed_fit_on_a_part_is_counted_and_the_run_fails(tmp_path):
    text = WINE.replace("n_neighbors=3", "n_neighbors=30")
    text += "analyze learning_curve(sizes=[20, 100], repeats=2) of near\nreport html\n"
    with pytest.raises(RunFailed) as caught:
        run(study(text, tmp_path))
    results = caught.value.results
    (item,) = results.record.analyses
    small, large = item.values["points"]
    assert (small["failed"], large["failed"]) == (16, 0)
    assert small["test"]["value"] is None
    assert item.values["gain"] is None
    assert {failure.stage for failure in results.record.failures} == {"subset"}
    results.save(tmp_path / "out")
    assert "16 fits failed" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def test_the_list_of_fits_has_each_further_fit_once_with_its_training_rows(tmp_path):
    """Folds of 178 rows have a third of them; a part has the rounded share of the others."""
    text = WINE.replace("repeated cv folds=4 times=2", "cv folds=3") + (
        "analyze learning_curve(fractions=[40%, 100%], repeats=2)\n"
        "analyze bias_variance(rounds=3) of bayes\n"
    )
    results = run_into(tmp_path / "out", study(text))
    rows = list(csv.DictReader((tmp_path / "out" / "fits.csv").read_text().splitlines()))
    assert len(rows) == results.record.provenance.fits.planned
    own = [row for row in rows if not row["analysis"]]
    assert len(own) == 9  # three models, three folds: the whole training parts are not repeated
    assert {(row["draw"], row["training_rows"]) for row in own} == {("", "")}
    parts = Counter(
        (row["fold"], row["draw"], row["training_rows"])
        for row in rows
        if row["analysis"] == "learning_curve"
    )
    tests = np.bincount(pl.read_parquet(tmp_path / "out" / "predictions.parquet")["fold"]) // 3
    assert parts == {
        (str(fold), str(draw), str(int(0.4 * (178 - held) + 0.5))): 2
        for fold, held in enumerate(tests.tolist())
        for draw in range(2)
    }
    drawn = [row for row in rows if row["analysis"] == "bias_variance"]
    assert [(row["model"], row["training_rows"]) for row in drawn] == [("bayes", "178")] * 3
