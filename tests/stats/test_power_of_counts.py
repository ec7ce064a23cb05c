"""Power of the bootstrap and permutation tests of F1, against the tests on drawn samples."""

import numpy as np
import pytest
from many_cases import for_each
from scipy import stats
from sklearn.metrics import f1_score, matthews_corrcoef
from stats.powers import counts_power, counts_width

from evallang.metrics.metric import METRICS
from evallang.stats.hypothesis_tests.resampling_tests import bootstrap, permutation
from evallang.stats.hypothesis_tests.swapping import CountSwapper
from evallang.stats.intervals.resampling import PairedCountSample
from evallang.stats.power_of_metrics import Labels


def f1(matrices):
    hits = matrices[..., 1, 1]
    return 2 * hits / (2 * hits + matrices[..., 0, 1] + matrices[..., 1, 0])


def mcc(matrices):
    return METRICS["mcc"].function(matrices, 1)


def drawn_labels(rng, n, recalls, positives, correlation):
    """Draw truth and both labels: scores of a class are bivariate normal, cut at the recall."""
    truth = rng.random(n) < positives
    scores = rng.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]], n)
    labels = []
    for recall, score in zip(recalls, scores.T, strict=True):
        alarms = positives * (1 - recall) / (1 - positives)
        cut = np.where(truth, stats.norm.ppf(recall), stats.norm.ppf(alarms))
        labels.append(score < cut)
    return truth, *labels


def joint(truth, first, second):
    cells = truth * 4 + first * 2 + second
    return np.bincount(cells, minlength=8).reshape(2, 2, 2)


@pytest.mark.parametrize(
    ("n", "positives", "weaker", "gap", "correlation"),
    [(200, 0.5, 0.7, 0.1, 0.5), (500, 0.15, 0.6, 0.1, 0.3)],
)
def test_power_and_width_are_those_of_the_tests_on_drawn_examples(
    n, positives, weaker, gap, correlation
):
    rng, drawn, swapped, widths = np.random.default_rng(7), 0, 0, []
    for seed in range(120):
        # As many positives as there are: F1 is the recall
        labels = drawn_labels(rng, n, (weaker + gap, weaker), positives, correlation)
        table = joint(*labels)
        found = bootstrap(PairedCountSample(table, f1, (-1, 1)), seed=seed, rounds=400)
        drawn += found.p <= 0.05
        widths.append(found.estimate.high - found.estimate.low)
        swapped += permutation(CountSwapper(table, f1), seed=seed, rounds=400).p <= 0.05
    assumed = {"measure": f1, "positives": positives, "correlation": correlation}
    # 120 samples have an error of 4.6 points at most; docs/validation.md has thousands
    power = counts_power(gap, weaker, n, **assumed).power
    assert power == pytest.approx(drawn / 120, abs=0.14)
    power = counts_power(gap, weaker, n, resampled="swapped", **assumed).power
    assert power == pytest.approx(swapped / 120, abs=0.14)
    assert counts_width(n, weaker, gap, **assumed) == pytest.approx(np.mean(widths), rel=0.04)


@pytest.mark.parametrize(
    ("metric", "peer", "weaker"), [(f1, f1_score, 0.65), (mcc, matthews_corrcoef, 0.5)]
)
def test_large_samples_have_the_value_of_the_weaker_model_and_the_difference(metric, peer, weaker):
    # One sample of what is assumed, by scikit-learn; the chances are those of its power
    chances = Labels(metric, weaker, 0.3, 0.4).chances(0.1)
    table = np.rint(chances * 200_000).astype(int)
    cells = np.repeat(np.arange(8), table.ravel())
    truth, better, other = cells // 4, cells // 2 % 2, cells % 2
    assert peer(truth, other) == pytest.approx(weaker, abs=1e-3)
    assert peer(truth, better) == pytest.approx(weaker + 0.1, abs=1e-3)
    assert other.mean() == pytest.approx(0.3, abs=1e-4)
    # Labels with this tetrachoric correlation agree as scipy's bivariate normal has it
    among = truth == 1
    rates = better[among].mean(), other[among].mean()
    both = stats.multivariate_normal([0, 0], [[1, 0.4], [0.4, 1]]).cdf(stats.norm.ppf(rates))
    assert (better & other)[among].mean() == pytest.approx(both, abs=1e-4)


def test_for_a_metric_where_lower_is_better_the_weaker_model_has_more():
    def errors(matrices):
        return 1 - f1(matrices)

    higher = counts_power(0.1, 0.6, 300, measure=f1)
    lower = counts_power(0.1, 0.4, 300, measure=errors)
    assert lower.power == higher.power


def test_the_detectable_difference_and_the_size_have_the_power_aimed_at():
    found = counts_power(None, 0.7, 400, 0.05, 0.7, measure=f1, positives=0.3)
    assert found.power == pytest.approx(0.7, abs=0.01)
    needed = counts_power(0.08, 0.7, None, 0.05, 0.8, measure=f1, positives=0.3)
    assert needed.power >= 0.8
    assert counts_power(0.08, 0.7, round(needed.n * 0.95), measure=f1, positives=0.3).power < 0.8


@for_each(
    ("call", "message"),
    [
        (lambda: counts_power("observed", 0.7, 100, measure=f1), "observed difference"),
        (lambda: counts_power(0.4, 0.7, 100, measure=f1), "has the value 1.1"),
        (lambda: counts_power(0.1, 0.2, 100, measure=f1, positives=0.9), "has the value 0.3"),
        (lambda: counts_power(0.1, 0.7, 100, measure=f1, positives=1.0), "share of positives"),
        (lambda: counts_power(0.1, 0.7, 100, measure=f1, correlation=1.0), "correlation"),
        (lambda: counts_power(0.1, 0.7, 100, 1.0, measure=f1), "a level"),
        (lambda: counts_power(0.1, 0.7, 0, measure=f1), "an example or more"),
        (lambda: counts_power(0.1, 0.7, 100, measure=f1, resampled="other"), "resampled"),
        (lambda: counts_power(0.1, 0.7, None, 0.05, 0.0, measure=f1), "a power"),
    ],
)
def test_what_cannot_be_true_of_two_models_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
