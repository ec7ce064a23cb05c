"""ROC and precision-recall curves of three classes: those of scikit-learn, class by class."""

import itertools

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.metrics import (
    average_precision_score,
    brier_score_loss,
    roc_auc_score,
    roc_curve,
)
from studies import study

from evallang.api import run

WINE = """\
evallang 1
study "Classes"
  seed 3
data wine from sklearn wine
model bayes "Bayes" = GaussianNB
model stump = DecisionTreeClassifier(max_depth=1, random_state=0)
model prior = DummyClassifier
protocol cv folds=4
measure roc_auc, average_precision
"""


def folds_of(results, model):
    (evaluation,) = results._run.evaluations
    found = evaluation.models[model]
    for fold in np.unique(found.fold):
        here = found.fold == fold
        yield found.truth[here], found.scores[here]


def height(fpr, tpr, x):
    """Read a curve at x, straight between thresholds, at a step its upper end."""
    last = np.searchsorted(fpr, x + 1e-9, side="right") - 1
    if last == len(fpr) - 1:
        return tpr[-1]
    share = max(0.0, (x - fpr[last]) / (fpr[last + 1] - fpr[last]))
    return tpr[last] + share * (tpr[last + 1] - tpr[last])


def test_curves_of_classes_and_their_mean_are_those_of_scikit_learn(tmp_path):
    results = run(study(f"{WINE}analyze roc, pr of bayes, stump\nreport html\n", tmp_path))
    records = results.record
    estimates = {(e.model, e.metric): e.value for e in records.estimates}
    pooled_truth = load_wine().target
    assert len(records.analyses) == 2 * 2 * 4
    for model in ("bayes", "stump"):
        folds = list(folds_of(results, model))
        assert sum(len(y) for y, _ in folds) == len(pooled_truth)
        for kind, score in (("roc", roc_auc_score), ("pr", average_precision_score)):
            own = [a for a in records.analyses if (a.kind, a.model) == (kind, model)]
            assert [a.values.get("of_class") for a in own] == [
                None, "class_0", "class_1", "class_2",
            ]  # fmt: skip
            assert [bool(a.values.get("macro")) for a in own] == [True, False, False, False]
            each = [np.mean([score(y == c, s[:, c]) for y, s in folds]) for c in range(3)]
            areas = [a.values["summaries"][0]["value"] for a in own]
            assert areas == pytest.approx([np.mean(each), *each], abs=1e-12)
        macro = np.mean([roc_auc_score(y, s, multi_class="ovr", average="macro") for y, s in folds])
        roc = next(a for a in records.analyses if (a.kind, a.model) == ("roc", model))
        assert roc.values["summaries"][0]["value"] == pytest.approx(macro, abs=1e-12)
        assert estimates[model, "roc_auc"] == pytest.approx(macro, abs=1e-12)
        curves = [
            [roc_curve(y == c, s[:, c], drop_intermediate=False)[:2] for y, s in folds]
            for c in range(3)
        ]
        for point in roc.values["points"]:
            by_class = [np.mean([height(*one, point["x"]) for one in of]) for of in curves]
            assert point["y"] == pytest.approx(np.mean(by_class), abs=1e-9)
            assert point["band_low"] is None  # of a mean over classes no band is known
            if point["low"] is not None:
                assert point["low"] <= point["y"] + 0.05
        one = next(a for a in records.analyses if a.values.get("of_class") == "class_1")
        assert any(point["band_low"] is not None for point in one.values["points"])
    results.save(tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "each class against the rest" in page


def test_bounds_of_the_mean_come_from_rounds_that_all_classes_share():
    """The mean of two complementary classes is that of one: their bounds are those of one."""
    from evallang.stats.score_curves import Predicted, ScoreCurves, curve_of, true_positive_rate

    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 120)
    scores = truth + rng.normal(0, 1, 120)
    grid = np.linspace(0, 1, 21)
    heights = true_positive_rate(grid)

    def curves(positive):
        given = Predicted(
            truth, truth, scores, False, ("a", "b", "c"), positive, None, None, None, 0.95, 7
        )  # fmt: skip
        return ScoreCurves(given)

    alone = curve_of([curves(1)], grid, heights, ())
    twice = curve_of([curves(1), curves(1)], grid, heights, ())
    lows = [[p.low for p in found.points[2:18]] for found in (twice, alone)]
    assert lows[0] == pytest.approx(lows[1], abs=0.04)  # of 1,000 rounds each
    # each round's mean is over the same rows: percentiles agree with direct resampling
    draws = np.random.default_rng(1)
    lines = []
    for _ in range(2000):
        rows = draws.integers(120, size=120)
        fpr, tpr, _ = roc_curve(truth[rows], scores[rows], drop_intermediate=False)
        lines.append([height(fpr, tpr, x) for x in grid])
    low, high = np.quantile(lines, [0.025, 0.975], axis=0)
    for number in range(2, 18):
        assert alone.points[number].low == pytest.approx(low[number], abs=0.04)
        assert alone.points[number].high == pytest.approx(high[number], abs=0.04)


@pytest.fixture(scope="module")
def of_decisions(tmp_path_factory):
    path = tmp_path_factory.mktemp("decisions")
    text = f"{WINE}analyze det, cost_curve, decision_curve, calibration(bins=4) of bayes\n"
    return run(study(f"{text}report html\n", path), out=path / "out", jobs=1), path / "out"


def records(results, kind):
    return [a.values for a in results.record.analyses if a.kind == kind]


def test_error_rates_of_classes_are_those_of_scikit_learn(of_decisions):
    results, _ = of_decisions
    mean, *each = records(results, "det")
    assert [mean["macro"], *(values["of_class"] for values in each)] == [
        True, "class_0", "class_1", "class_2",
    ]  # fmt: skip
    folds = list(folds_of(results, "bayes"))
    for number, point in enumerate(mean["points"]):
        heights = []
        for code, values in enumerate(each):
            curves = [roc_curve(y == code, s[:, code], drop_intermediate=False) for y, s in folds]
            missed = 1 - np.mean([height(fpr, tpr, point["x"]) for fpr, tpr, _ in curves])
            assert values["points"][number]["y"] == pytest.approx(missed, abs=1e-9)
            heights.append(missed)
        assert point["y"] == pytest.approx(np.mean(heights), abs=1e-9)
        assert point["band_low"] is None
    rates = [values["summaries"][0]["value"] for values in each]
    assert mean["summaries"][0]["value"] == pytest.approx(np.mean(rates), abs=1e-12)


def test_decisions_and_calibration_are_about_each_class_without_a_mean(of_decisions):
    results, folder = of_decisions
    folds = list(folds_of(results, "bayes"))
    truth = np.concatenate([y for y, _ in folds])
    scores = np.concatenate([s for _, s in folds])
    benefit, calibrated = records(results, "decision_curve"), records(results, "calibration")
    classes = ["class_0", "class_1", "class_2"]
    assert [v["of_class"] for v in benefit] == [v["of_class"] for v in calibrated] == classes
    for code in range(3):
        happened, p = truth == code, scores[:, code]
        for point in benefit[code]["points"]:
            t = point["x"]
            hits, alarms = (happened & (p >= t)).mean(), (~happened & (p >= t)).mean()
            assert point["y"] == pytest.approx(hits - alarms * t / (1 - t), abs=1e-12)
        found = {one["name"]: one["value"] for one in calibrated[code]["summaries"]}
        assert found["Brier score"] == pytest.approx(brier_score_loss(happened, p), abs=1e-12)
        edges = np.array([-1e-9, 0.25, 0.5, 0.75, 1.0])
        shares = [happened[(p > a) & (p <= b)] for a, b in itertools.pairwise(edges)]
        expected = [part.mean() for part in shares if len(part)]
        assert [q["y"] for q in calibrated[code]["points"]] == pytest.approx(expected, abs=1e-12)
        assert calibrated[code]["positives"] == happened.sum()
    page = (folder / "report.html").read_text(encoding="utf-8")
    for words in ("equal error rate", "Decision curve", "Calibration", "class_2"):
        assert words in page
