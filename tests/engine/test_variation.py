"""`analyze seeds` and `variance`: mixed models of statsmodels, and sources known by simulation."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.metrics import accuracy_score
from statsmodels.regression.mixed_linear_model import MixedLM
from studies import study

from evallang.analyses.runs import Runs, variances_over_seeds
from evallang.analyses.variance import components_of
from evallang.api import run
from evallang.api.results import Results
from evallang.results.codec import to_plain

FORESTS = """\
evallang 1
study "Seeds"
  seed 4
data wine from sklearn wine
model forest "Forest" = RandomForestClassifier(n_estimators=3)
model tree = DecisionTreeClassifier
model bayes = GaussianNB
model prior = DummyClassifier
protocol repeated cv folds=4 times=2 seeds=3
measure accuracy
"""


def predictions_of(results):
    """Return what each seed and split predicted, as results.save writes them."""
    found = {}
    for evaluation in results._run.evaluations:
        for seed, one in enumerate(evaluation.by_seed):
            for name, model in one.models.items():
                found[name, seed] = model
    return found


def test_seeds_are_counted_from_the_predictions_of_each_seed(tmp_path):
    results = run(study(f"{FORESTS}analyze seeds of forest, tree\nreport html\n", tmp_path))
    _, y = load_wine(return_X_y=True)
    for item in results.record.analyses:
        per_seed = [predictions_of(results)[item.model, seed] for seed in range(3)]
        values = []
        for one in per_seed:
            repeats = [
                accuracy_score(y[one.rows[one.repeat == r]], one.labels[one.repeat == r])
                for r in (0, 1)
            ]
            values.append(np.mean(repeats))
        assert item.values["values"] == pytest.approx(values, abs=1e-12)
        assert item.values["sd"] == pytest.approx(np.std(values, ddof=1), abs=1e-12)
        labels = [one.labels for one in per_seed]
        pairs = [np.mean(labels[i] != labels[j]) for i, j in ((0, 1), (0, 2), (1, 2))]
        assert item.values["differ"] == pytest.approx(np.mean(pairs), abs=1e-12)
        assert (item.values["n"], item.values["n_splits"], item.values["unit"]) == (3, 8, "seeds")
    results.save(tmp_path / "out")
    again = Results.load(tmp_path / "out" / "results.json").record.analyses
    assert to_plain(again) == to_plain(results.record.analyses)
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "with each seed of the fits" in page


def runs_of(losses, split_of, draws=True, units=None, repeats=None):
    """Make runs of a mean of losses (seeds, n)."""
    j = int(split_of.max()) + 1
    splits = np.array([[one[split_of == k].mean() for k in range(j)] for one in losses])
    return Runs(
        "error_rate", "lower", draws, splits.mean(axis=1), splits,
        np.zeros(j, dtype=int) if repeats is None else repeats, losses, losses, split_of, units,
        True,
    )  # fmt: skip


def components(found):
    return {c.source: c.variance for c in found.components}


def test_seeds_and_splits_are_the_components_of_a_mixed_model():
    """Balanced designs: REML has the estimates of the analysis of variance where both are > 0."""
    rng = np.random.default_rng(11)
    split_of = np.repeat(np.arange(12), 40)
    losses = rng.random((4, 480)) + rng.normal(0, 0.3, (4, 12))[:, split_of]
    losses = losses + rng.normal(0, 0.4, 12)[split_of]
    runs = runs_of(losses, split_of)
    found = components(components_of(runs))
    scores = runs.splits
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fit = MixedLM(scores.T.ravel(), np.ones(48), groups=np.repeat(np.arange(12), 4)).fit()
    assert found["seed of the fit"] == pytest.approx(fit.scale, rel=1e-4)
    splits = found["training rows"] + found["test rows"]
    assert splits == pytest.approx(float(fit.cov_re[0, 0]), rel=1e-4)


def test_components_are_right_on_average_where_the_truth_is_known():
    """300 simulated designs: 30 splits, 3 seeds, 25 test rows; each mean within four errors."""
    rng = np.random.default_rng(5)
    split_of = np.repeat(np.arange(30), 25)
    truth = {"seed of the fit": 0.04 + 0.36 / 25, "training rows": 0.09, "test rows": 1 / 25}
    found = []
    for _ in range(300):
        rows, noise = rng.normal(0, 1, 750), rng.normal(0, 0.6, (3, 750))
        seeds, splits = rng.normal(0, 0.2, (3, 30)), rng.normal(0, 0.3, 30)
        found.append(
            components(
                components_of(runs_of(rows + noise + (seeds + splits)[:, split_of], split_of))
            )
        )
    for source, expected in truth.items():
        values = np.array([one[source] for one in found])
        error = values.std(ddof=1) / 300**0.5
        assert abs(values.mean() - expected) < 4 * error, source


def test_groups_are_the_unit_of_the_test_rows():
    """Rows of a group are equal: the variance of a mean over 10 groups of 4, not of 40 rows."""
    rng = np.random.default_rng(2)
    group_of = np.tile(np.repeat(np.arange(10), 4), 40)
    split_of = np.repeat(np.arange(40), 40)
    values = []
    for _ in range(100):
        losses = rng.normal(0, 1, (40, 10)).repeat(4, axis=1).reshape(1, -1)
        runs = runs_of(losses, split_of, draws=False, units=group_of + 10 * split_of)
        values.append(components(components_of(runs))["test rows"])
    assert np.mean(values) == pytest.approx(1 / 10, rel=0.02)


def test_groups_of_unlike_sizes_leave_the_test_rows_unbiased():
    """The estimate is a quadratic form of the losses: its mean for unit variances is its trace.

    For independent rows it is the variance of a mean, 1/n, whatever groups they are in.
    """
    group_of = np.repeat(np.arange(4), (9, 4, 2, 1))
    units, split_of = np.concatenate([group_of, group_of + 4]), np.repeat([0, 1], 16)
    trace = sum(
        components(components_of(runs_of(np.tile(row, 2)[None], split_of, False, units)))[
            "test rows"
        ]
        for row in np.eye(16)
    )
    assert trace == pytest.approx(1 / 16, abs=1e-12)


def test_a_model_without_a_seed_has_two_components(tmp_path):
    text = f"{FORESTS}analyze variance\nanalyze variance by brier of forest\nreport html\n"
    results = run(study(text, tmp_path))
    found = {(i.model, i.metric): i.values for i in results.record.analyses}
    bayes = {c["source"]: c for c in found["bayes", "accuracy"]["components"]}
    assert bayes["seed of the fit"]["variance"] is None
    one = predictions_of(results)["bayes", 0]
    _, y = load_wine(return_X_y=True)
    right = (one.labels == y[one.rows]).astype(float)
    splits = [right[(one.repeat == r) & (one.fold == f)] for r in (0, 1) for f in range(4)]
    between = np.var([s.mean() for s in splits], ddof=1)
    test = np.mean([s.var(ddof=1) / len(s) for s in splits])
    assert bayes["test rows"]["variance"] == pytest.approx(test, abs=1e-14)
    assert bayes["training rows"]["variance"] == pytest.approx(between - test, abs=1e-14)
    assert found["bayes", "accuracy"]["repeats"] == pytest.approx(
        np.std([np.mean([s.mean() for s in splits[:4]]), np.mean([s.mean() for s in splits[4:]])],
               ddof=1), abs=1e-14,
    )  # fmt: skip
    forest = found["forest", "brier"]
    assert forest["n_seeds"] == 3
    assert sum(c["share"] for c in forest["components"]) == pytest.approx(1)
    results.save(tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Components of the variance of the accuracy of a split" in page


def test_equal_scores_of_all_seeds_have_no_variance():
    rng = np.random.default_rng(3)
    equal = np.tile(rng.integers(90, 114, 20) / 114, (5, 1))
    assert np.var(equal, axis=0, ddof=1).any()  # by rounding
    assert not variances_over_seeds(equal).any()
    scores = rng.random((5, 20))
    expected = np.var(scores, axis=0, ddof=1)
    assert variances_over_seeds(scores) == pytest.approx(expected, rel=1e-12)
