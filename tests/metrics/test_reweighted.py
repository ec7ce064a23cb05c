"""A metric under many weights at once is the metric under each of them."""

import numpy as np
import pytest

from evallang.metrics.aggregation import partition, point_value
from evallang.metrics.metric import METRICS, Outcome
from evallang.metrics.reweighted import reweighted

N, K = 90, 3


def drawn(rng):
    """Weights as a bootstrap draws them; of one row no positive example is left."""
    return rng.multinomial(N, np.full(N, 1 / N), size=8).astype(np.float64)


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("folds", [1, 4])
@pytest.mark.parametrize("name", ["accuracy", "f1", "mcc", "roc_auc", "average_precision", "brier"])
def test_two_classes_over_folds_and_repeats(name, folds, own):
    rng = np.random.default_rng(7)
    entry = METRICS[name]
    truth = rng.integers(2, size=N)
    score = np.round(np.clip(0.3 * truth + rng.random(N), 0, 1), 1)  # with ties
    labels = entry.declaration.needs == "labels"
    output = (score > 0.6).astype(int) if labels else np.stack([1 - score, score], axis=1)
    weights = rng.random(N) if own else None
    outcome = Outcome(truth, output, 2, 1, weights)
    fold, repeat = rng.integers(folds, size=N), np.arange(N) % K
    parts = partition(N, fold, repeat)
    times = drawn(rng)
    times[0, truth == 1] = 0
    base = np.ones(N) if weights is None else weights
    one_by_one = [
        point_value(entry, {}, Outcome(truth, output, 2, 1, base * row), parts) for row in times
    ]
    for weights in (times, times.astype(np.uint8)):
        found = reweighted(entry, {}, outcome, parts).statistic(weights)
        np.testing.assert_allclose(found, one_by_one, rtol=1e-12, equal_nan=True)


@pytest.mark.parametrize("name", ["mse", "rmse", "mae", "r2"])
def test_regression_over_repeats(name):
    rng = np.random.default_rng(8)
    truth = rng.normal(size=N)
    output = truth + rng.normal(size=N)
    parts = partition(N, None, np.arange(N) % K)
    times = drawn(rng)
    entry = METRICS[name]
    one_by_one = [
        point_value(entry, {}, Outcome(truth, output, 0, None, row), parts) for row in times
    ]
    found = reweighted(entry, {}, Outcome(truth, output, 0, None), parts).statistic(times)
    np.testing.assert_allclose(found, one_by_one, rtol=1e-12)


def test_a_label_that_is_no_class_and_several_classes():
    rng = np.random.default_rng(9)
    truth, output = rng.integers(K, size=N), rng.integers(-1, K, size=N)
    parts = partition(N, None, np.arange(N) % 2)
    times = drawn(rng)
    for options in ({"average": "macro"}, {"average": "weighted"}):
        one_by_one = [
            point_value(METRICS["f1"], options, Outcome(truth, output, K, None, row), parts)
            for row in times
        ]
        found = reweighted(
            METRICS["f1"], options, Outcome(truth, output, K, None), parts
        ).statistic(times)
        np.testing.assert_allclose(found, one_by_one, rtol=1e-12)
