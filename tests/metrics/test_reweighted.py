"""A metric under many weights at once is the metric under each of them."""

import numpy as np
import pytest
from many_cases import for_each
from sklearn.metrics import average_precision_score, roc_auc_score

from evallang.metrics.aggregation import partition, point_value, reweighted
from evallang.metrics.metric import METRICS, Outcome

N, K = 90, 3


def drawn(rng):
    """Weights as a bootstrap draws them; of one row no positive example is left."""
    return rng.multinomial(N, np.full(N, 1 / N), size=8).astype(np.float64)


@for_each("own", [False, True])
@for_each("folds", [1, 4])
@for_each(
    "name",
    ["accuracy", "f1", "mcc", "roc_auc", "average_precision", "brier", "cost_curve_area"],
)
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


@pytest.mark.parametrize("name", ["mse", "rmse", "mae", "r2", "medae", "d2"])
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


@pytest.mark.parametrize("places", [1, 3, 15])
def test_average_precision_of_many_examples_of_which_the_first_are_not_drawn(places):
    rng = np.random.default_rng(5)
    truth = rng.integers(2, size=600)
    score = np.round(0.3 * truth + rng.random(600), places)  # many ties, few, none
    times = rng.poisson(1, (4, 600)).astype(np.uint8)
    highest = np.argsort(-score)
    for row, undrawn in enumerate((0, 60, 300, 599)):
        times[row, highest[:undrawn]] = 0
    entry, parts = METRICS["average_precision"], partition(600, None, np.zeros(600, int))
    statistic = reweighted(entry, {}, Outcome(truth, score, 2, 1), parts).statistic
    expected = [entry.function(truth, score, 1, row) for row in times]
    for weights in (times, times.astype(np.float64)):
        each = np.concatenate([statistic(row[None]) for row in weights])
        for found in (statistic(weights), each):
            np.testing.assert_allclose(found, expected, rtol=1e-12, equal_nan=True)


@pytest.mark.parametrize("n", [1, 2, 31, 32, 33, 64, 700])
def test_average_precision_under_counts_is_that_of_scikit_learn(n):
    rng = np.random.default_rng(n)
    times = rng.poisson(1, (5, n)).astype(np.uint8)
    times[0] = 255  # the largest count
    for share, places in ((0.5, 15), (0.05, 2), (0.95, 1), (1, 3), (0, 3)):
        truth = (rng.random(n) < share).astype(int)
        score = np.round(rng.random(n), places)
        outcome = Outcome(truth, score, 2, 1)
        statistic = METRICS["average_precision"].declaration.under_weights(outcome, {})
        expected = [
            average_precision_score(truth, score, sample_weight=row) if row @ truth else np.nan
            for row in times.astype(float)
        ]
        for weights in (times, times * 0.3):
            np.testing.assert_allclose(statistic(weights), expected, rtol=1e-12)


RANKED = [
    e
    for e in METRICS
    if e.declaration.form == "scores"
    and e.declaration.under_weights
    and e.declaration.orders is None
]


@for_each("entry", RANKED, ids=lambda entry: entry.name)
def test_scores_that_are_undefined_have_no_value_under_any_weights(entry):
    options = {o.name: 0.5 for o in entry.options if o.required}
    for n, last in ((3, np.nan), (0, 0.5)):
        truth, score = np.array([0, 1, 1])[:n], np.array([0.2, 0.5, last])[:n]
        outcome = Outcome(truth, score, 2, 1)
        statistic = entry.declaration.under_weights(outcome, options)
        assert np.isnan(statistic(np.ones((2, n)))).all()


@pytest.mark.parametrize("name", ["roc_auc", "average_precision", "break_even_point"])
def test_three_classes_with_one_that_is_undefined(name):
    rng = np.random.default_rng(4)
    truth, score = rng.integers(2, size=N), rng.random((N, 3))  # no example of the third class
    one = partition(N, None, np.zeros(N, int))
    found = reweighted(METRICS[name], {}, Outcome(truth, score, 3, None), one)
    expected = point_value(METRICS[name], {}, Outcome(truth, score, 3, None), one)
    np.testing.assert_allclose(found.statistic(np.ones((2, N))), [expected] * 2, rtol=1e-12)


@pytest.mark.parametrize("multi_class", ["ovr", "ovo"])
def test_areas_of_several_classes_are_those_of_scikit_learn_with_weights(multi_class):
    rng = np.random.default_rng(12)
    truth = rng.integers(K, size=N)
    score = rng.dirichlet(np.ones(K), N).round(2)  # with ties
    score /= score.sum(axis=1, keepdims=True)
    options, parts = {"multi_class": multi_class}, partition(N, None, np.zeros(N, int))
    times = drawn(rng)
    times[0, truth == 1] = 0
    made = reweighted(METRICS["roc_auc"], options, Outcome(truth, score, K, None), parts)
    assert made.compiled
    found = made.statistic(times)
    assert np.isnan(found[0])
    for value, row in zip(found[1:], times[1:].astype(int), strict=True):
        drawn_rows = np.repeat(np.arange(N), row)  # scikit-learn's has no weights for ovo
        expected = roc_auc_score(truth[drawn_rows], score[drawn_rows], multi_class=multi_class)
        np.testing.assert_allclose(value, expected, rtol=1e-12)


@pytest.mark.parametrize("decimals", [0, 2, 9])
def test_average_precision_of_many_examples_is_that_of_scikit_learn(decimals):
    rng = np.random.default_rng(11)
    truth = rng.integers(2, size=3000)
    score = np.round(truth + rng.normal(size=3000), decimals)
    truth[score > 3] = 1  # a piece without negatives, and one without positives
    truth[score < -1.5] = 0
    times = rng.poisson(1, (7, 3000)).astype(np.uint8)
    times[0, np.argsort(-score)[:900]] = 0
    times[1, truth == 1] = 0
    statistic = METRICS["average_precision"].declaration.under_weights(
        Outcome(truth, score, 2, 1), {}
    )
    rows = [(row, statistic(times), 1e-7) for row in (0, 2, 3, 4, 5, 6)]
    rows += [(row, statistic(times * 0.5), 1e-12) for row in (0, 2, 3, 4, 5, 6)]
    for row, found, digits in rows:
        expected = average_precision_score(truth, score, sample_weight=times[row])
        assert found[row] == pytest.approx(expected, rel=digits)
        assert np.isnan(found[1])
    separated = METRICS["average_precision"].declaration.under_weights(
        Outcome(truth, score + 100 * truth, 2, 1), {}
    )
    assert (separated(times[2:]) == 1).all()
