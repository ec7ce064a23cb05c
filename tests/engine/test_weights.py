"""Weights: in the fits, the measures and the inner scores; counts refuse them, others keep them."""

import numpy as np
import pytest
from msgspec.structs import replace
from resamples import drawn_weights
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, brier_score_loss, f1_score, roc_auc_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from studies import codes, study

from evallang.api import run
from evallang.api.preparing import read_and_plan
from evallang.engine.metric_samples import sample_of
from evallang.metrics.aggregation import partition
from evallang.metrics.metric import METRICS, Outcome, evaluate
from evallang.stats.intervals.resampling import mean_sample
from evallang.stats.learning_bootstrap import standard_error

HEAD = """evallang 1
data d from "d.csv"
  target y
  positive 1
  weight w
  features a, b
"""


@pytest.fixture
def noisy(tmp_path):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(120, 2)).round(4)
    y = (X[:, 0] + rng.normal(size=120) > 0).astype(int)
    w = rng.gamma(1.5, size=120).round(3)
    g = np.arange(120) // 4
    lines = [f"{a},{b},{t},{v},{k}" for (a, b), t, v, k in zip(X, y, w, g, strict=True)]
    (tmp_path / "d.csv").write_text("a,b,y,w,g\n" + "\n".join(lines) + "\n")
    return tmp_path, X, y, w


def splits_of(text, folder, protocol="cv"):
    return read_and_plan(study(text, folder)).planned.layout.splits["d", protocol]


def test_weighted_fits_and_measures_are_those_of_a_plain_loop(noisy):
    folder, X, y, w = noisy
    text = HEAD + (
        "model logistic = LogisticRegression\nmodel knn = KNeighborsClassifier\n"
        "protocol cv folds=4\nmeasure accuracy, f1, roc_auc, brier\n"
    )
    results = run(study(text, folder))
    models = {"logistic": (LogisticRegression(), True), "knn": (KNeighborsClassifier(), False)}
    for name, (model, weighted) in models.items():
        labels, scores = np.zeros(120), np.zeros(120)
        areas = []
        for split in splits_of(text, folder):
            options = {"sample_weight": w[split.train]} if weighted else {}
            model.fit(X[split.train], y[split.train], **options)
            test = split.test
            labels[test] = model.predict(X[test])
            scores[test] = model.predict_proba(X[test])[:, 1]
            areas.append(roc_auc_score(y[test], scores[test], sample_weight=w[test]))
        expected = {
            "accuracy": accuracy_score(y, labels, sample_weight=w),
            "f1": f1_score(y, labels, sample_weight=w),
            "roc_auc": np.mean(areas),
            "brier": brier_score_loss(y, scores, sample_weight=w),
        }
        found = {e.metric: e.value for e in results.estimates if e.model == name}
        assert found == pytest.approx(expected, rel=1e-12)
    notes = {m.name: " ".join(m.notes) for m in results.record.models}
    assert "KNeighborsClassifier takes none" in notes["knn"]
    assert "takes none" not in notes["logistic"]


def test_an_accuracy_has_wilsons_interval_with_kishs_number_of_examples(noisy):
    folder, _, _, w = noisy
    text = HEAD + "model a = GaussianNB\nprotocol holdout\nmeasure accuracy, recall\n"
    results = run(study(text, folder))
    (split,) = splits_of(text, folder, "holdout")
    tested = w[split.test]
    n, p, z = tested.sum() ** 2 / (tested**2).sum(), results.estimates[0].value, 1.959963984540054
    # Wilson 1927, written out with n_eff (Kish 1965) in the place of n
    centre = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    interval = results.estimates[0].interval
    assert (interval.low, interval.high) == pytest.approx((centre - half, centre + half), rel=1e-9)
    assert interval.method == "wilson"
    data = results.record.data[0]
    assert data.weight == "w"
    assert data.effective_n == pytest.approx(w.sum() ** 2 / (w**2).sum(), rel=1e-12)
    assert "kish1965" in {r.key for r in results.record.references}


def test_inner_scores_are_weighted_too(noisy):
    folder, X, y, w = noisy
    text = HEAD + (
        "model knn = KNeighborsClassifier(n_neighbors in [1, 15])\n"
        "protocol holdout test=25% validation=25%\nmeasure accuracy\n"
    )
    results = run(study(text, folder))
    (split,) = splits_of(text, folder, "holdout")
    inner = {
        k: accuracy_score(
            y[split.validation],
            KNeighborsClassifier(k)
            .fit(X[split.train], y[split.train])
            .predict(X[split.validation]),
            sample_weight=w[split.validation],
        )
        for k in (1, 15)
    }
    chosen = results.record.selections[0]
    assert chosen.params["n_neighbors"] == max(inner, key=inner.get)
    assert chosen.inner_score == pytest.approx(max(inner.values()), rel=1e-12)


def test_weights_of_one_change_nothing_but_the_words(noisy):
    folder, *_ = noisy
    text = (folder / "d.csv").read_text().splitlines()
    ones = [text[0]] + [",".join([*(c := line.split(","))[:3], "1", c[4]]) for line in text[1:]]
    (folder / "d.csv").write_text("\n".join(ones) + "\n")
    body = "model a = GaussianNB\nprotocol split by g\nmeasure accuracy, f1, roc_auc, brier\n"
    weighted = run(study(HEAD + body, folder))
    plain = run(study(HEAD.replace("  weight w\n", "") + body, folder))
    for one, other in zip(weighted.estimates, plain.estimates, strict=True):
        assert one.value == pytest.approx(other.value, rel=1e-12)


def test_doubling_a_row_and_doubling_its_weight_give_the_same_measures(noisy):
    folder, X, y, _ = noisy
    twice = np.repeat(np.arange(120), np.where(np.arange(120) % 3 == 0, 2, 1))
    lines = [f"{X[i, 0]},{X[i, 1]},{y[i]},1,{i % 4}" for i in twice]
    (folder / "twice.csv").write_text("a,b,y,w,g\n" + "\n".join(lines) + "\n")
    lines = [f"{X[i, 0]},{X[i, 1]},{y[i]},{2 if i % 3 == 0 else 1},{i % 4}" for i in range(120)]
    (folder / "d.csv").write_text("a,b,y,w,g\n" + "\n".join(lines) + "\n")
    body = "model a = GaussianNB\nprotocol split by g\nmeasure accuracy, f1, roc_auc, brier\n"
    one = run(study(HEAD + body, folder))
    two = run(study((HEAD + body).replace("d.csv", "twice.csv"), folder))
    for a, b in zip(one.estimates, two.estimates, strict=True):
        assert a.value == pytest.approx(b.value, rel=1e-9)


@pytest.mark.parametrize("test", ["mcnemar", "cochran then mcnemar", "looney_f", "delong"])
def test_tests_that_count_examples_refuse_weights(test):
    metric = " by roc_auc" if test == "delong" else ""
    text = HEAD + (
        "model a = GaussianNB\nmodel b = DecisionTreeClassifier\nmodel c = LinearSVC\n"
        f"protocol holdout\nmeasure accuracy, roc_auc\ncompare with {test}{metric}\n"
    )
    assert "E221" in codes(text)
    assert "E221" not in codes(text.replace("  weight w\n", ""))


@pytest.mark.parametrize("metric", ["accuracy", "f1", "brier"])
def test_a_permutation_keeps_each_example_with_its_weight(noisy, metric):
    folder, X, y, w = noisy
    text = HEAD + (
        "model a = GaussianNB\nmodel b = KNeighborsClassifier\nprotocol holdout\n"
        f"measure {metric}\ncompare a, b with permutation(rounds=2000)\n"
    )
    results = run(study(text, folder))
    found = results.record.comparisons[0].pairwise[0]
    (split,) = splits_of(text, folder, "holdout")
    train, test = split.train, split.test
    a = GaussianNB().fit(X[train], y[train], sample_weight=w[train])
    b = KNeighborsClassifier().fit(X[train], y[train])

    truth, weights = y[test], w[test]
    outputs = [(m.predict(X[test]), m.predict_proba(X[test])[:, 1]) for m in (a, b)]

    def of_scikit_learn(labels, scores):
        if metric == "brier":
            return brier_score_loss(truth, scores, sample_weight=weights)
        function = accuracy_score if metric == "accuracy" else f1_score
        return function(truth, labels, sample_weight=weights)

    def values(labels, scores):  # the same of each row: a call of scikit-learn takes 1 ms
        if metric == "brier":
            return (scores - truth) ** 2 @ weights / weights.sum()
        if metric == "accuracy":
            return (labels == truth) @ weights / weights.sum()
        hits = (labels * truth) @ weights
        return 2 * hits / (labels @ weights + truth @ weights)

    def differences(swaps):
        mixed = [
            [np.where(swaps, outputs[1 - i][j], outputs[i][j]) for j in (0, 1)] for i in (0, 1)
        ]
        return values(*mixed[0]) - values(*mixed[1])

    observed = of_scikit_learn(*outputs[0]) - of_scikit_learn(*outputs[1])
    assert found.estimate.value == pytest.approx(observed, abs=1e-12)
    assert differences(np.zeros((1, len(test)), dtype=bool)) == pytest.approx(observed, abs=1e-12)
    drawn = differences(np.random.default_rng(0).random((1000, len(test))) < 0.5)
    p = np.mean(np.abs(drawn) >= abs(observed) - 1e-12)
    assert found.p == pytest.approx(p, abs=0.06)  # 1000 and 2000 rounds: 3.5 standard errors


@pytest.mark.parametrize("folds", [1, 3])
def test_a_resample_of_weighted_risks_compares_every_pair_by_both_weights(folds):
    rng = np.random.default_rng(4)
    n = 30
    time, event = rng.integers(1, 9, n).astype(float), rng.random(n) < 0.6
    risk, own = np.round(rng.normal(size=n), 1), rng.uniform(0.5, 3, n)
    fold = np.arange(n) % folds
    outcome = Outcome(np.column_stack([time, event]), risk, weights=own)
    sample = sample_of(METRICS["concordance"], {}, outcome, partition(n, fold), None)
    drawn = rng.multinomial(n, np.full(n, 1 / n), size=5).astype(float)

    def of_fold(w, at):
        right = total = 0.0
        for i in at:
            for j in at:
                later = time[i] < time[j] or (time[i] == time[j] and not event[j])
                if i != j and event[i] and later:
                    total += w[i] * w[j]
                    right += w[i] * w[j] * ((risk[i] > risk[j]) + (risk[i] == risk[j]) / 2)
        return right / total

    for times in drawn:
        wanted = [of_fold(times * own, np.flatnonzero(fold == f)) for f in range(folds)]
        assert sample._function(times[None])[0] == pytest.approx(np.mean(wanted), rel=1e-12)


def test_the_bootstrap_weighs_examples_and_their_share_in_the_standard_error(noisy):
    folder, X, y, w = noisy
    text = HEAD + (
        "model a = GaussianNB\nprotocol bootstrap rounds=30 estimate=.632\nmeasure error_rate\n"
    )
    found = run(study(text, folder)).estimates[0]
    splits = splits_of(text, folder, "bootstrap")
    losses, times = np.full((30, 120), np.nan), np.zeros((30, 120))
    for split in splits[1:]:
        model = GaussianNB().fit(X[split.train], y[split.train], sample_weight=w[split.train])
        losses[split.fold, split.test] = model.predict(X[split.test]) != y[split.test]
        times[split.fold] = np.bincount(split.train, minlength=120)
    full = GaussianNB().fit(X, y, sample_weight=w).predict(X)
    oob = np.average(np.nanmean(losses, axis=0), weights=w)
    apparent = np.average(full != y, weights=w)
    gamma = np.average(np.average(full[:, None] != y[None, :], weights=w, axis=1), weights=w)
    assert found.value == pytest.approx(0.368 * apparent + 0.632 * oob, rel=1e-12)
    assert found.extra["gamma"] == pytest.approx(gamma, rel=1e-12)
    # the error of Err(1) itself is measured in tests/stats; `.632` scales it by value / Err(1)
    error = standard_error(losses, times, w) * found.value / oob
    assert found.extra["standard_error"] == pytest.approx(error, rel=1e-12)
    assert found.interval.method == "bootstrap_se(approximate)"
    assert found.notes == ()


def test_a_class_that_hands_weights_to_one_that_takes_none_gets_none(noisy):
    folder, *_ = noisy
    text = HEAD + (
        "model vote = VotingClassifier(estimators=[KNeighborsClassifier, GaussianNB])\n"
        "protocol cv folds=3\nmeasure accuracy\n"
    )
    results = run(study(text, folder))
    assert results.record.failures == ()
    assert "VotingClassifier takes none" in " ".join(results.record.models[0].notes)


@pytest.mark.parametrize("grouped", [False, True])
def test_resamples_of_weighted_counts_and_losses_are_those_of_the_rows_drawn(grouped):
    rng = np.random.default_rng(7)
    n, k = 60, 3
    truth = np.where(np.arange(n) < 4, 2, rng.integers(0, 2, n))  # the last class is one group
    labels = np.where(rng.random(n) < 0.7, truth, rng.integers(0, k, n))
    own, scores = rng.gamma(0.4, 1e3, n), rng.dirichlet(np.ones(k), n)
    groups = np.maximum(np.arange(n) - 3, 0) // 2 if grouped else None
    units = n if groups is None else int(groups.max()) + 1
    unit = np.arange(n) if groups is None else groups

    def under(name, output, times):
        drawn = times[unit] > 0
        weights = (times[unit] * own)[drawn]
        entry = METRICS[name]
        options = {"average": "macro"} if name == "f1" else {}
        return evaluate(entry, options, truth[drawn], output[drawn], None, k, weights)

    for name in ("accuracy", "balanced_accuracy", "f1", "mcc", "log_loss"):
        output = scores if name == "log_loss" else labels
        outcome = Outcome(truth, output, k=k, weights=own)
        options = {"average": "macro"} if name == "f1" else {}
        parts = partition(n, None)
        found = sample_of(METRICS[name], options, outcome, parts, groups)
        values = found.replicates(np.random.default_rng(3), 40)
        times = drawn_weights(np.random.default_rng(3), units, 40)
        expected = [under(name, output, row) for row in times]
        assert values == pytest.approx(np.array(expected, dtype=float), rel=1e-9, nan_ok=True)
        left, _ = found.jackknife()
        without = [under(name, output, np.arange(units) != i) for i in range(units)]
        assert left == pytest.approx(np.array(without, dtype=float), rel=1e-7, nan_ok=True)
        two = replace(outcome, output=np.roll(output, 1, axis=0))
        both = mean_sample([found, sample_of(METRICS[name], options, two, parts, groups)])
        mean = [(a + under(name, two.output, t)) / 2 for a, t in zip(expected, times, strict=True)]
        drawn = both.replicates(np.random.default_rng(3), 40)
        assert drawn == pytest.approx(np.array(mean, dtype=float), rel=1e-9, nan_ok=True)
