"""Calibration, confusion and agreement against statsmodels, scikit-learn and by hand."""

import numpy as np
import pytest
import statsmodels.api as sm
from msgspec.structs import replace
from scipy import special, stats
from sklearn import metrics as peers
from test_score_curves import N, predicted, repeated, value

from evallang.analysis import ANALYSES
from evallang.metrics.metric import METRICS, evaluate
from evallang.stats.intervals.proportions import wilson

PARTS = ("reliability", "resolution", "uncertainty", "within bins")


def calibration(given, **options):
    return ANALYSES["calibration"].function(given, **options)


@pytest.mark.parametrize("seed", range(3))
def test_intercept_and_slope_are_those_of_a_logistic_regression(seed):
    given = predicted(seed=seed, decimals=9, gap=2.0)
    found = calibration(given)
    logit = special.logit(given.scores)
    family = sm.families.Binomial()
    robust = {"tol": 1e-13, "cov_type": "HC0"}
    alone = sm.GLM(given.truth, np.ones(given.n), family=family, offset=logit).fit(**robust)
    both = sm.GLM(given.truth, sm.add_constant(logit), family=family).fit(**robust)
    for name, fit, place in (("intercept", alone, 0), ("slope", both, 1)):
        (summary,) = [s for s in found.summaries if s.name == name]
        assert summary.value == pytest.approx(fit.params[place], abs=1e-8)
        # Huber's sandwich with n - 1 and t, as of the metrics of these names
        error = fit.bse[place] * np.sqrt(given.n / (given.n - 1))
        half = stats.t.ppf(0.975, given.n - 1) * error
        assert summary.high - summary.value == pytest.approx(half, abs=1e-6)
        assert summary.value - summary.low == pytest.approx(half, abs=1e-6)


def test_the_smooth_curve_is_cleveland_s_without_robust_weights():
    given = predicted(decimals=9, gap=2.0)
    found = calibration(given)
    places = np.array([point.x for point in found.smooth])
    peer = sm.nonparametric.lowess(given.truth, given.scores, frac=0.75, it=0, xvals=places)
    heights = [point.y for point in found.smooth]
    assert heights == pytest.approx(np.clip(peer, 0, 1).tolist(), abs=1e-9)
    assert places[[0, -1]].tolist() == [given.scores.min(), given.scores.max()]


def test_the_bounds_of_the_smooth_curve_hold_what_is_true_and_groups_widen_them():
    held, narrow = [], []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        risk = rng.random(400)
        truth = (rng.random(400) < risk).astype(np.int64)
        point = calibration(predicted(n=400, truth=truth, scores=risk)).smooth[20]
        held.append(point.low <= point.x <= point.high)
        twice = {"truth": np.repeat(truth, 2), "scores": np.repeat(risk, 2)}
        units = np.repeat(np.arange(400), 2)
        grouped = calibration(predicted(n=800, labels=twice["truth"], units=units, **twice))
        narrow.append(point.high - point.low - grouped.smooth[20].high + grouped.smooth[20].low)
    assert sum(held) >= 34  # of 40 at 95 %: fewer have a probability of 0.1 %
    assert np.abs(narrow).max() < 1e-3  # rows that are repeated tell nothing new


def test_the_bins_have_their_counts_and_the_probabilities_their_histogram():
    given = predicted(decimals=9)
    found = calibration(given)
    assert sum(found.counts) == given.n == sum(found.histogram)
    assert len(found.counts) == len(found.points)
    assert found.histogram[10] == ((given.scores >= 0.25) & (given.scores < 0.275)).sum()


def test_equal_probabilities_have_no_smooth_curve():
    given = predicted()
    assert calibration(replace(given, scores=np.full(given.n, 0.4))).smooth == ()


def test_weights_count_in_intercept_and_slope():
    weights = np.random.default_rng(2).integers(1, 4, 240).astype(float)
    given = predicted(decimals=9, weights=weights)
    logit = sm.add_constant(special.logit(given.scores))
    fit = sm.GLM(given.truth, logit, family=sm.families.Binomial(), freq_weights=weights).fit()
    found = calibration(given)
    assert value(found, "slope") == pytest.approx(fit.params[1], abs=1e-6)
    (slope,) = [s for s in found.summaries if s.name == "slope"]
    assert slope.low < slope.value < slope.high


def test_classes_that_are_separated_have_no_slope():
    truth = np.array([0, 1] * 20)
    given = predicted(truth=truth, labels=truth, scores=np.where(truth == 1, 0.9, 0.2))
    assert value(calibration(given), "slope") is None


@pytest.mark.parametrize("bins", [2, 10, 33])
def test_the_parts_of_the_brier_score_add_up_to_it(bins):
    given = predicted(decimals=9)
    found = calibration(given, bins=bins)
    one, less, noise, within = (value(found, name) for name in PARTS)
    brier = peers.brier_score_loss(given.truth, given.scores)
    assert value(found, "Brier score") == pytest.approx(brier, abs=1e-14)
    assert one - less + noise + within == pytest.approx(brier, abs=1e-14)
    share = given.truth.mean()
    assert noise == pytest.approx(share * (1 - share), abs=1e-14)


def test_the_calibration_error_is_the_metric_and_its_bias_is_that_of_right_probabilities():
    given = predicted(n=2000, decimals=9)
    found = calibration(given)
    expected = evaluate(METRICS["ece"], {}, given.truth, given.scores, 1, 2)
    assert value(found, "expected calibration error") == pytest.approx(expected, abs=1e-14)
    # probabilities that are right: the error is near what they would give anyway
    rng = np.random.default_rng(5)
    truth = (rng.random(2000) < given.scores).astype(np.int64)
    right = calibration(predicted(n=2000, decimals=9, truth=truth))
    bias = value(right, "expected calibration error if the probabilities were right")
    assert value(right, "expected calibration error") == pytest.approx(bias, rel=0.6)


def test_a_bin_has_its_share_with_wilsons_interval():
    given = predicted(decimals=9)
    point = calibration(given).points[3]
    inside = (given.scores > 0.3) & (given.scores <= 0.4)
    count, n = int(given.truth[inside].sum()), int(inside.sum())
    expected = wilson(count, n, 0.95)
    assert (point.x, point.y) == pytest.approx((given.scores[inside].mean(), count / n), abs=1e-12)
    assert (point.low, point.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"scores": np.linspace(-1, 2, 240)}, "from 0 to 1"),
        ({"truth": np.ones(240, dtype=np.int64)}, "one class only"),
    ],
)
def test_what_has_no_calibration_is_refused(changed, words):
    with pytest.raises(ValueError, match=words):
        calibration(predicted(**changed))


# --- confusion and agreement ----------------------------------------------------------------


def test_a_confusion_matrix_is_that_of_scikit_learn():
    given = predicted()
    found = ANALYSES["confusion"].function(given)
    matrix = peers.confusion_matrix(given.truth, given.labels)
    assert [cell.count for cell in found.cells] == matrix.ravel().tolist()
    shares = matrix / matrix.sum(axis=1, keepdims=True)
    assert [cell.share for cell in found.cells] == pytest.approx(shares.ravel(), abs=1e-14)
    expected = wilson(int(matrix[0, 1]), int(matrix[0].sum()), 0.95)
    assert (found.cells[1].low, found.cells[1].high) == (expected.low, expected.high)


def test_a_label_that_is_none_of_the_classes_has_a_column():
    given = predicted()
    labels = given.labels.copy()
    labels[:5] = -1
    cells = ANALYSES["confusion"].function(predicted(labels=labels)).cells
    assert sum(cell.count for cell in cells if cell.predicted == "") == 5
    assert sum(cell.count for cell in cells) == given.n


def test_a_class_without_examples_has_no_shares():
    given = predicted(classes=("no", "yes", "maybe"))
    last = ANALYSES["confusion"].function(given).cells[-1]
    assert (last.count, last.share, last.low) == (0, None, None)


def test_shares_of_repeated_examples_are_as_uncertain_as_those_of_single_ones():
    single = predicted()
    rows = np.repeat(np.arange(single.n), 5)
    drawn = ANALYSES["confusion"].function(repeated(single, rows, units=rows))
    plain = ANALYSES["confusion"].function(single)
    for one, other in zip(drawn.cells, plain.cells, strict=True):
        assert one.share == pytest.approx(other.share, abs=1e-14)
        assert one.high - one.low == pytest.approx(other.high - other.low, rel=0.15)


def test_agreement_is_that_of_two_rows_of_labels():
    given = predicted()
    rng = np.random.default_rng(1)
    noisy = np.where(rng.random(given.n) < 0.2, 1 - given.labels, given.labels)
    third = np.zeros(given.n, dtype=np.int64)
    together = {"a": given, "b": predicted(labels=noisy), "c": predicted(labels=third)}
    found = ANALYSES["agreement"].function(together)
    assert [pair.models for pair in found.pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    first = found.pairs[0]
    assert first.same == pytest.approx((given.labels == noisy).mean(), abs=1e-14)
    kappa = peers.cohen_kappa_score(given.labels, noisy)
    assert first.kappa == pytest.approx(kappa, abs=1e-12)
    right = np.stack([given.labels, noisy]) == given.truth
    assert (first.both, first.neither) == (right.all(axis=0).sum(), (~right).all(axis=0).sum())
    assert first.first == (right[0] & ~right[1]).sum()
    every = np.stack([given.labels, noisy, third]) == given.truth
    assert found.all_right == every.all(axis=0).sum()
    assert found.all_wrong == (~every).all(axis=0).sum()
    with pytest.raises(ValueError, match="two models or more"):
        ANALYSES["agreement"].function({"a": given})


# --- the band, and the means of folds ---------------------------------------------------------


def test_the_band_of_the_bins_is_clopper_and_pearsons_at_a_level_for_all_of_them():
    given = predicted(decimals=9)
    found = calibration(given)
    assert len(found.points) == 10
    for number, point in enumerate(found.points):
        inside = (given.scores > number / 10) & (given.scores <= (number + 1) / 10)
        count, n = int(given.truth[inside].sum()), int(inside.sum())
        # scipy 1.17, scipy.stats.binomtest, at 1 - 0.05 / 10
        exact = stats.binomtest(count, n).proportion_ci(0.995, "exact")
        assert (point.band_low, point.band_high) == pytest.approx((exact.low, exact.high), abs=1e-9)
        assert point.band_low <= point.low < point.high <= point.band_high


def test_repeated_predictions_do_not_narrow_the_band_of_the_bins():
    single = predicted(decimals=9)
    rows = np.repeat(np.arange(single.n), 5)
    drawn = calibration(repeated(single, rows, units=rows))
    for one, other in zip(drawn.points, calibration(single).points, strict=True):
        low, high = (other.band_low, other.band_high) if one.low is None else (one.low, one.high)
        assert one.band_low == pytest.approx(min(other.band_low, low), abs=1e-12)
        assert one.band_high == pytest.approx(max(other.band_high, high), abs=1e-12)


def test_equal_weights_do_not_change_the_band_of_the_bins():
    plain, weighted = (calibration(predicted(weights=w)) for w in (None, np.full(N, 3.0)))
    for one, other in zip(plain.points, weighted.points, strict=True):
        low = one.band_low if other.low is None else other.low
        assert other.band_low == pytest.approx(min(one.band_low, low), abs=1e-12)


def test_a_bin_of_one_prediction_has_a_band():
    given = predicted(n=5, decimals=9, truth=np.array([0, 1, 0, 1, 1]))
    points = calibration(replace(given, scores=np.array([0.05, 0.35, 0.55, 0.75, 0.95]))).points
    # of one trial, by hand: the bound is where its outcome has a chance of half of 0.05 / 5
    assert [(p.band_low, p.band_high) for p in points[:2]] == [
        pytest.approx((0.0, 0.995), abs=1e-12),
        pytest.approx((0.005, 1.0), abs=1e-12),
    ]


def test_the_means_of_folds_are_the_measures_of_the_same_names():
    given = predicted(folds=4, decimals=9)
    found = calibration(given)
    for name, metric in (
        ("intercept", "calibration_intercept"),
        ("slope", "calibration_slope"),
        ("expected calibration error", "ece"),
    ):
        folds = [
            evaluate(METRICS[metric], {}, given.truth[rows], given.scores[rows], 1, 2)
            for rows in (given.folds == fold for fold in range(4))
        ]
        assert value(found, f"{name}, mean of folds") == pytest.approx(np.mean(folds), abs=1e-12)
    logit = special.logit(given.scores)
    slopes = [
        sm.GLM(given.truth[r], sm.add_constant(logit[r]), family=sm.families.Binomial())
        .fit(tol=1e-13)
        .params[1]
        for r in (given.folds == fold for fold in range(4))
    ]
    assert value(found, "slope, mean of folds") == pytest.approx(np.mean(slopes), abs=1e-8)
    assert found.notes[1:] == ("the curve and its numbers are about all test rows together, except "
                               "the means of folds",)  # fmt: skip


def test_folds_of_one_class_have_no_slope_and_are_counted():
    truth = np.concatenate(
        [np.zeros(60, dtype=np.int64), np.random.default_rng(3).permutation(180) % 2]
    )
    given = predicted(decimals=9, truth=truth, folds=4)
    found = calibration(replace(given, folds=np.repeat(np.arange(4), 60)))
    assert found.notes[-1].startswith(
        "the mean slope of the folds is about the 3 of 4 folds in which"
    )
    assert value(found, "slope, mean of folds") is not None
    ends = np.repeat([0, 1], 120)
    alone = calibration(replace(given, truth=ends, folds=ends))
    assert value(alone, "slope, mean of folds") is None
    assert value(alone, "expected calibration error, mean of folds") is not None
