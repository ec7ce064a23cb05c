"""Curves of scores against scikit-learn, definitions, and what is known of a population."""

import numpy as np
import pytest
from msgspec.structs import replace
from scipy import special
from sklearn import metrics as peers

from evallang.analysis import ANALYSES
from evallang.metrics.metric import METRICS, evaluate
from evallang.stats import score_curves
from evallang.stats.score_curves import Predicted, ScoreCurves, true_positive_rate

N, FOLDS = 240, 4


def predicted(seed=0, n=N, folds=None, decimals=2, *, gap=1.2, **changed):
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.4).astype(np.int64)
    scores = special.expit(rng.normal(size=n) + gap * truth - gap / 2).round(decimals)
    given = {
        "truth": truth,
        "labels": (scores > 0.5).astype(np.int64),
        "scores": scores,
        "probabilities": True,
        "classes": ("no", "yes"),
        "positive": 1,
        "folds": None if folds is None else rng.permutation(n) % folds,
        "units": None,
        "weights": None,
        "level": 0.95,
        "seed": 7,
    }
    return Predicted(**{**given, **changed})


def curve(name, given):
    return ANALYSES[name].function(given)


def parts(given):
    codes = np.zeros(given.n) if given.folds is None else given.folds
    for fold in np.unique(codes):
        yield given.truth[codes == fold], given.scores[codes == fold]


def value(found, name):
    (summary,) = [s for s in found.summaries if s.name == name]
    return summary.value


def column(found, name):
    return np.array([getattr(point, name) for point in found.points], dtype=float)


@pytest.mark.parametrize("folds", [None, FOLDS])
def test_the_roc_curve_is_the_mean_of_those_of_scikit_learn(folds):
    given = predicted(folds=folds)
    found = curve("roc", given)
    x = column(found, "x")
    every = []
    for truth, scores in parts(given):
        fpr, tpr, _ = peers.roc_curve(truth, scores, drop_intermediate=False)
        # a little to the right of a vertical step, so that its upper end is meant
        every.append(np.interp(x + 1e-10, fpr, tpr))
    assert column(found, "y") == pytest.approx(np.mean(every, axis=0), abs=1e-7)
    areas = [peers.roc_auc_score(*part) for part in parts(given)]
    assert value(found, "area") == pytest.approx(np.mean(areas), abs=1e-12)
    assert np.abs(column(found, "y") - np.mean(every, axis=0)).max() < 0.05
    if folds is not None:
        pooled = peers.roc_auc_score(given.truth, given.scores)
        assert value(found, "area, folds pooled") == pytest.approx(pooled, abs=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_marked_place_is_that_of_the_predicted_classes(weighted):
    weights = np.random.default_rng(3).integers(1, 4, N).astype(float) if weighted else None
    given = predicted(folds=FOLDS, weights=weights)
    matrix = peers.confusion_matrix(given.truth, given.labels, sample_weight=weights)
    (tn, fp), (fn, tp) = matrix
    assert curve("roc", given).chosen == pytest.approx((fp / (fp + tn), tp / (tp + fn)))
    assert curve("pr", given).chosen == pytest.approx((tp / (tp + fn), tp / (tp + fp)))
    assert curve("det", given).chosen == pytest.approx((fp / (fp + tn), fn / (tp + fn)))


def test_the_roc_curve_is_straight_between_its_steps():
    given = predicted(
        n=4, truth=np.array([1, 0, 1, 0]), labels=np.ones(4), scores=np.array([0.9, 0.5, 0.5, 0.1])
    )
    y = column(curve("roc", given), "y")
    # by hand: up to 1/2 at once, to (1/2, 1) by the tie, then flat
    assert (y[0], y[25], y[50], y[100]) == pytest.approx((0.5, 0.75, 1, 1), abs=1e-12)


@pytest.mark.parametrize("folds", [None, FOLDS])
def test_precision_is_that_at_the_highest_threshold_with_the_recall(folds):
    given = predicted(folds=folds)
    found = curve("pr", given)
    expected = []
    for truth, scores in parts(given):
        order = np.unique(scores)[::-1]
        flagged = scores >= order[:, None]
        recall = (flagged & (truth == 1)).sum(axis=1) / truth.sum()
        precision = (flagged & (truth == 1)).sum(axis=1) / flagged.sum(axis=1)
        first = [np.flatnonzero(recall >= r - 1e-9)[0] for r in column(found, "x")]
        expected.append(precision[first])
    assert column(found, "y") == pytest.approx(np.mean(expected, axis=0), abs=1e-12)
    areas = [peers.average_precision_score(*part) for part in parts(given)]
    assert value(found, "average precision") == pytest.approx(np.mean(areas), abs=1e-12)


def test_the_equal_error_rate_is_where_both_rates_agree():
    given = predicted(n=4000, decimals=9)
    fpr, fnr, _ = peers.det_curve(given.truth, given.scores)
    meet = np.argmin(np.abs(fpr - fnr))
    found = curve("det", given)
    assert value(found, "equal error rate") == pytest.approx((fpr + fnr)[meet] / 2, abs=2e-3)
    roc = np.interp(column(found, "x"), fpr[::-1], fnr[::-1])
    assert np.abs(column(found, "y") - roc).max() < 5e-3


def lowest(truth, scores, costs):
    edges = [*np.unique(scores), np.inf]
    missed = np.array([np.mean(scores[truth == 1] < edge) for edge in edges])
    alarms = np.array([np.mean(scores[truth == 0] >= edge) for edge in edges])
    return np.min([m * costs + a * (1 - costs) for m, a in zip(missed, alarms, strict=True)], 0)


@pytest.mark.parametrize("folds", [None, FOLDS])
def test_the_cost_curve_is_the_lowest_line_of_all_thresholds(folds):
    given = predicted(folds=folds)
    found = curve("cost_curve", given)
    costs = column(found, "x")
    expected = [lowest(truth, scores, costs) for truth, scores in parts(given)]
    assert column(found, "y") == pytest.approx(np.mean(expected, axis=0), abs=1e-12)
    assert np.isnan(column(found, "low")).all() and np.isnan(column(found, "band_low")).all()
    metric = METRICS["cost_curve_area"]
    areas = [evaluate(metric, {}, truth, scores, 1, 2) for truth, scores in parts(given)]
    assert value(found, "area") == pytest.approx(np.mean(areas), abs=1e-15)  # not of 51 points
    fine = np.linspace(0, 1, 100_001)
    exact = [np.trapezoid(lowest(truth, scores, fine), fine) for truth, scores in parts(given)]
    assert value(found, "area") == pytest.approx(np.mean(exact), abs=1e-9)


def test_the_decision_curve_has_the_net_benefit_of_each_threshold():
    given = predicted(weights=np.random.default_rng(1).random(N) + 0.5)
    found = curve("decision_curve", given)
    for point in found.points[::7]:
        metric = METRICS["net_benefit"]
        expected = evaluate(
            metric, {"threshold": point.x}, given.truth, given.scores, 1, 2, given.weights
        )
        assert point.y == pytest.approx(expected, abs=1e-12)


def test_a_decision_curve_is_about_the_thresholds_that_are_asked_about():
    given = predicted(folds=FOLDS)
    whole, part = (
        ANALYSES["decision_curve"].function(given, **asked)
        for asked in ({}, {"lowest": 0.05, "highest": 0.3})
    )
    assert [point.x for point in part.points] == pytest.approx(np.arange(5, 31) / 100)
    benefit = dict(zip(column(whole, "x").round(2), column(whole, "y"), strict=True))
    for point in part.points:
        assert point.y == pytest.approx(benefit[round(point.x, 2)], abs=1e-12)
    widths = [column(found, "band_high") - column(found, "band_low") for found in (part, whole)]
    assert (widths[0] <= widths[1][4:30] + 1e-12).all()  # fewer thresholds hold at once
    assert min(point[0] for line in part.references for point in line.points) >= 0.05
    with pytest.raises(ValueError, match="below `highest`"):
        ANALYSES["decision_curve"].function(given, lowest=0.3, highest=0.3)


@pytest.mark.parametrize("seed", range(6))
def test_where_all_are_acted_on_no_threshold_is_above_acting_on_all(seed):
    # With every probability above a threshold the two net benefits are one number, by definition
    given = predicted(seed, decimals=12, n=137)
    scores = 0.2 + 0.8 * given.scores
    found = curve("decision_curve", predicted(seed, n=137, scores=scores))
    lowest = value(found, "lowest threshold above both references")
    assert lowest is not None
    assert lowest > scores.min()
    share, t = given.truth.mean(), np.arange(1, 100) / 100
    acted = scores[:, None] >= t
    right = (acted & (given.truth == 1)[:, None]).mean(axis=0)
    benefit = right - (acted.mean(axis=0) - right) * t / (1 - t)
    better = benefit - np.maximum(share - (1 - share) * t / (1 - t), 0) > 1e-9
    assert lowest == t[better][0]


def test_fewer_steps_change_a_curve_by_little(monkeypatch):
    given = predicted(n=5000, decimals=12)
    exact = ScoreCurves(given)
    monkeypatch.setattr(score_curves, "MOST_STEPS", 10**9)
    whole = ScoreCurves(given)
    grid = np.linspace(0, 1, 101)
    heights = true_positive_rate(grid)
    assert len(exact.folds[0].positives) <= 512 < len(whole.folds[0].positives)
    assert np.abs(exact.average(heights) - whole.average(heights)).max() < 0.005


def repeated(given, rows, **changed):
    """Take rows of predictions, some of them several times."""
    taken = {name: getattr(given, name)[rows] for name in ("truth", "labels", "scores")}
    return predicted(n=len(rows), **{**taken, **changed})


def test_units_are_drawn_as_a_whole():
    alone = predicted(n=60, decimals=9)
    rows = np.repeat(np.arange(60), 4)
    every = (alone, repeated(alone, rows, units=rows), repeated(alone, rows))
    lengths = []
    for given in every:
        found = curve("roc", given)
        lengths.append(np.nansum((column(found, "high") - column(found, "low"))[10:60]))
    assert lengths[1] == pytest.approx(lengths[0], rel=0.1)
    assert lengths[2] < 0.7 * lengths[0]


def test_whole_weights_are_repeats():
    times = np.random.default_rng(3).integers(1, 4, N)
    given = predicted(weights=times.astype(float))
    again = repeated(given, np.repeat(np.arange(N), times))
    for name in ("roc", "pr", "cost_curve", "decision_curve"):
        one, other = curve(name, given), curve(name, again)
        assert column(one, "y") == pytest.approx(column(other, "y"), abs=1e-12), name


def test_no_bounds_where_nothing_varies():
    truth = np.array([0, 1] * 20)
    found = curve("roc", predicted(truth=truth, labels=truth, scores=truth.astype(float)))
    assert value(found, "area") == 1
    assert np.isnan(column(found, "low")).all() and np.isnan(column(found, "band_high")).all()


def test_folds_of_one_class_have_no_curve():
    truth = np.r_[np.zeros(10), np.tile([0, 1], 10)].astype(np.int64)
    folds = np.repeat([0, 1, 2], 10)
    rng = np.random.default_rng(0)
    given = predicted(truth=truth, labels=truth, scores=rng.random(30))
    given = replace(given, folds=folds)
    found = curve("roc", given)
    assert found.folds == 2
    assert found.notes == ("1 fold has examples of one class only, and no curve",)
    with pytest.raises(ValueError, match="no fold has examples of both classes"):
        curve("roc", predicted(truth=np.zeros(N, dtype=np.int64)))


@pytest.mark.parametrize(
    "name", ["roc", "pr", "det", "cost_curve", "decision_curve", "calibration"]
)
def test_a_class_whose_rows_all_weigh_nothing_is_missing(name):
    given = predicted()
    weightless = predicted(weights=np.where(given.truth == 1, 0.0, 1.0))
    with pytest.raises(ValueError, match=r"no fold has examples of both|one class only"):
        curve(name, weightless)


@pytest.mark.parametrize("name", ["roc", "pr", "det"])
def test_a_fold_in_which_a_class_weighs_nothing_has_no_curve(name):
    given = predicted(folds=4)
    first = given.folds == 0
    weighted = replace(given, weights=np.where(first & (given.truth == 1), 0.0, 1.0))
    rest = np.flatnonzero(~first)
    alone = replace(
        given,
        truth=given.truth[rest],
        labels=given.labels[rest],
        scores=given.scores[rest],
        folds=given.folds[rest],
    )
    found = curve(name, weighted)
    assert found.notes == ("1 fold has examples of one class only, and no curve",)
    assert column(found, "y") == pytest.approx(column(curve(name, alone), "y"), abs=1e-12)
