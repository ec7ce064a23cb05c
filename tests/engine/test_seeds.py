"""`seeds=N`: every fit repeated, means over seeds, their spread beside them, seeds no sample."""

import csv

import numpy as np
import polars as pl
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import roc_auc_score
from sklearn.tree import DecisionTreeClassifier
from studies import study

from evallang.api import run
from evallang.api.preparing import read_and_plan
from evallang.planning.seeds import rows_hash, step_seeds

HEAD = (
    'evallang 1\nstudy "s"\n  seed 4\ndata cancer from sklearn breast_cancer\n'
    "  positive malignant\n"
    "model tree = DecisionTreeClassifier(max_features=2)\nmodel bayes = GaussianNB\n"
)


@pytest.fixture(scope="module")
def three():
    text = HEAD + (
        "protocol cv folds=4 seeds=3\nmeasure accuracy, f1, roc_auc\n"
        "compare tree, bayes with permutation(rounds=400) by accuracy, f1\n"
    )
    prepared = read_and_plan(study(text))
    results = run(study(text))
    X, y = load_breast_cancer(return_X_y=True)
    y = 1 - y  # malignant is scikit-learn's 0
    labels, scores = np.zeros((3, len(y)), dtype=int), np.zeros((3, len(y)))
    splits = prepared.planned.layout.splits["cancer", "cv"]
    for split in splits:
        for s in range(3):
            seed = step_seeds(4, rows_hash(split.train), s)
            model = DecisionTreeClassifier(
                max_features=2, random_state=seed("DecisionTreeClassifier", "0")
            )
            model.fit(X[split.train], np.where(y, "malignant", "benign")[split.train])
            labels[s, split.test] = model.predict(X[split.test]) == "malignant"
            scores[s, split.test] = model.predict_proba(X[split.test])[:, 1]
    return results, splits, y, labels, scores


def test_a_fold_has_the_mean_over_seeds_and_their_spread(three):
    results, splits, y, labels, scores = three
    found = {e.metric: e for e in results.estimates if e.model == "tree"}
    for fold, split in zip(found["accuracy"].folds, splits, strict=True):
        values = (labels[:, split.test] == y[split.test]).mean(axis=1)
        assert fold.value == pytest.approx(values.mean(), rel=1e-12)
        assert fold.sd_over_seeds == pytest.approx(values.std(ddof=1), rel=1e-9)
    areas = np.array(
        [[roc_auc_score(y[s.test], scores[k][s.test]) for s in splits] for k in (0, 1, 2)]
    )
    assert found["roc_auc"].value == pytest.approx(areas.mean(), rel=1e-12)
    assert found["roc_auc"].extra["seeds"] == 3
    spread = areas.mean(axis=1).std(ddof=1)
    assert found["roc_auc"].extra["sd_over_seeds"] == pytest.approx(spread, rel=1e-9)


def test_pooled_measures_are_pooled_seed_by_seed(three):
    results, _, y, labels, _ = three
    found = {e.metric: e for e in results.estimates if e.model == "tree"}
    tp = (labels & y).sum(axis=1)
    f1 = 2 * tp / (labels.sum(axis=1) + y.sum())
    assert found["f1"].value == pytest.approx(f1.mean(), rel=1e-12)
    assert found["f1"].extra["sd_over_seeds"] == pytest.approx(f1.std(ddof=1), rel=1e-9)
    assert found["accuracy"].value == pytest.approx((labels == y).mean(), rel=1e-12)
    assert "12 models" in found["accuracy"].about


def test_seeds_do_not_narrow_an_interval_as_samples_would(three):
    results, _, y, labels, _ = three
    found = next(e for e in results.estimates if (e.model, e.metric) == ("tree", "accuracy"))
    per_example = (labels == y).mean(axis=0)
    # the bootstrap over examples of their means over seeds, by the normal approximation
    half = stats.norm.ppf(0.975) * per_example.std() / np.sqrt(len(y))
    assert found.interval.high - found.interval.low == pytest.approx(2 * half, rel=0.1)
    as_samples = stats.norm.ppf(0.975) * (labels == y).std() / np.sqrt(labels.size)
    assert found.interval.high - found.interval.low > 1.15 * 2 * as_samples


def test_a_permutation_swaps_all_seeds_of_an_example_together(three):
    results, _, y, labels, _ = three
    bayes = next(e for e in results.estimates if (e.model, e.metric) == ("bayes", "accuracy"))
    by_metric = {c.metric: c.pairwise[0] for c in results.record.comparisons}
    difference = (labels == y).mean() - bayes.value
    assert by_metric["accuracy"].estimate.value == pytest.approx(difference, rel=1e-9)
    tree = next(e for e in results.estimates if (e.model, e.metric) == ("tree", "f1"))
    other = next(e for e in results.estimates if (e.model, e.metric) == ("bayes", "f1"))
    assert by_metric["f1"].estimate.value == pytest.approx(tree.value - other.value, rel=1e-9)
    # sign flips of each example's mean difference over seeds, drawn once more
    evaluation, correct = results._run.evaluations[0], np.empty(len(y))
    correct[evaluation.models["bayes"].rows] = evaluation.correct("bayes")
    per_example = (labels == y).mean(axis=0) - correct
    rng = np.random.default_rng(1)
    signs = rng.choice([-1, 1], (4000, len(y)))
    p = np.mean(np.abs(signs @ per_example) >= abs(per_example.sum()) - 1e-9)
    assert by_metric["accuracy"].p == pytest.approx(p, abs=0.09)  # 400 rounds: 3.6 errors


def test_a_model_that_draws_nothing_is_fitted_once_and_spreads_by_nothing(three):
    results, *_ = three
    for estimate in results.estimates:
        if estimate.model == "bayes":
            assert estimate.extra["sd_over_seeds"] == 0.0
            assert {fold.sd_over_seeds for fold in estimate.folds} == {0.0}
    assert results.record.provenance.fits.planned == 4 * 3 + 4


def test_the_first_seed_is_that_of_a_study_without_seeds(three):
    results, *_ = three
    text = HEAD + "protocol cv folds=4\nmeasure accuracy\n"
    plain = run(study(text))
    first = results._run.evaluations[0].models["tree"].labels
    np.testing.assert_array_equal(first, plain._run.evaluations[0].models["tree"].labels)


def test_fold_tests_take_the_means_of_folds():
    text = HEAD + (
        "protocol repeated cv folds=3 times=2 seeds=2\nmeasure accuracy\n"
        "compare tree, bayes with corrected_t\n"
    )
    results = run(study(text))
    values = {e.model: np.array([f.value for f in e.folds]) for e in results.estimates}
    d = values["tree"] - values["bayes"]
    assert len(d) == 6  # folds, not folds times seeds
    t = d.mean() / (d.std(ddof=1) * np.sqrt(1 / 6 + 1 / 2))
    found = results.record.comparisons[0].pairwise[0]
    assert found.statistic.value == pytest.approx(t, rel=0.01)  # folds of 189 and 190 rows
    assert found.df == (5,)


def test_a_count_test_takes_the_first_seed_and_says_so():
    text = HEAD + "protocol holdout seeds=3\nmeasure accuracy\ncompare tree, bayes with mcnemar\n"
    found = run(study(text)).record.comparisons[0].pairwise[0]
    alone = run(study(text.replace(" seeds=3", ""))).record.comparisons[0].pairwise[0]
    assert found.table == alone.table
    assert found.p == alone.p
    assert "on the predictions of the first of 3 seeds" in found.notes
    assert not any("seeds" in note for note in alone.notes)


def test_each_seed_searches_for_itself_and_says_which(tmp_path):
    text = HEAD.replace("max_features=2", "max_features=1, max_depth in [1, 2, 8]") + (
        "protocol nested cv outer=2 inner=2 seeds=2\nmeasure accuracy\n"
    )
    results = run(study(text), out=tmp_path / "out")
    assert [(s.fold, s.seed) for s in results.record.selections] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    scores = [s.inner_score for s in results.record.selections]
    assert len(set(scores)) == 4
    frame = pl.read_parquet(tmp_path / "out" / "predictions.parquet")
    assert frame["seed"].unique().sort().to_list() == [0, 1]
    assert frame.filter(model="tree").height == 2 * 569
    with (tmp_path / "out" / "fits.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert [(r["model"], r["fold"], r["seed"]) for r in rows] == [
        ("tree", "0", "0"), ("tree", "0", "1"), ("bayes", "0", "0"),
        ("tree", "1", "0"), ("tree", "1", "1"), ("bayes", "1", "0"),
    ]  # fmt: skip
    html = (tmp_path / "out" / "report.html").read_text()
    assert "SD, seeds" in html
    assert "repeated with two seeds" in html


def test_the_bootstrap_averages_losses_over_seeds():
    text = HEAD + "protocol bootstrap rounds=10 estimate=oob seeds=2\nmeasure error_rate\n"
    results = run(study(text))
    found = results.estimates[0]
    by_seed = []
    for one in results._run.evaluations[0].by_seed:
        outcome = one.models["tree"]
        sums, counts = np.zeros(569), np.zeros(569)
        kept = outcome.fold >= 0
        np.add.at(sums, outcome.rows[kept], outcome.labels[kept] != outcome.truth[kept])
        np.add.at(counts, outcome.rows[kept], 1)
        by_seed.append(np.mean(sums[counts > 0] / counts[counts > 0]))
    assert by_seed[0] != by_seed[1]
    assert found.value == pytest.approx(np.mean(by_seed), rel=1e-12)
