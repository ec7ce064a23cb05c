"""Metrics of counts on shared resamples, against each model and each pair drawn on its own."""

import numpy as np
import pytest
from evallang.stats.intervals.joint_counts import JointCounts
from scipy import stats

from evallang.stats.intervals.bootstrap_bounds import bootstrap
from evallang.stats.intervals.resampling import CountSample, PairedCountSample

RANDOM = np.random.default_rng(14)
N, K, MODELS = 400, 3, 3
TRUTH = RANDOM.integers(0, K, N)
LABELS = np.where(RANDOM.random((N, MODELS)) < 0.7, TRUTH[:, None], RANDOM.integers(0, K, (N, 3)))


def accuracy(matrix):
    return np.trace(matrix, axis1=-2, axis2=-1) / matrix.sum((-1, -2))


def recall_of_the_first(matrix):
    return matrix[..., 0, 0] / matrix.sum(-1)[..., 0]


def table(*columns):
    counts = np.zeros((K,) * len(columns), dtype=int)
    np.add.at(counts, columns, 1)
    return counts


def samples():
    """Pairs of a statistic of joint counts and of the same drawn on its own."""
    joint = JointCounts(TRUTH, LABELS)
    for metric in (accuracy, recall_of_the_first):
        alone = CountSample(table(TRUTH, LABELS[:, 1]), metric)
        yield joint.metric(1, metric), alone
        alone = PairedCountSample(table(TRUTH, LABELS[:, 2], LABELS[:, 0]), metric)
        yield joint.difference(2, 0, metric), alone


@pytest.mark.parametrize(("shared", "alone"), list(samples()))
def test_a_statistic_of_joint_counts_is_that_of_its_own_table(shared, alone):
    assert shared.estimate() == pytest.approx(alone.estimate(), rel=1e-12)
    # Two-sample Kolmogorov-Smirnov test, fixed seeds
    together = shared.replicates(np.random.default_rng(1), 4000)
    apart = alone.replicates(np.random.default_rng(2), 4000)
    assert stats.ks_2samp(together, apart).pvalue > 0.01


@pytest.mark.parametrize(("shared", "alone"), list(samples()))
def test_leaving_one_out_gives_the_values_of_its_own_table(shared, alone):
    (values, times), (expected, how_often) = shared.jackknife(), alone.jackknife()
    assert times.sum() == how_often.sum() == N
    found = np.repeat(values, times.astype(int))
    assert np.sort(found) == pytest.approx(
        np.sort(np.repeat(expected, how_often.astype(int))), rel=1e-12
    )


def test_a_difference_is_that_of_the_two_models_on_the_same_resamples():
    joint = JointCounts(TRUTH, LABELS)
    first, second = (
        joint.metric(m, accuracy).replicates(np.random.default_rng(3), 200) for m in (0, 1)
    )
    difference = joint.difference(0, 1, accuracy).replicates(np.random.default_rng(3), 200)
    assert (difference == first - second).all()


def test_draws_that_were_kept_are_those_of_their_seed():
    joint, other = JointCounts(TRUTH, LABELS), JointCounts(TRUTH, LABELS)
    metric = joint.metric(0, accuracy)
    first = bootstrap(metric, 0.95, 7, rounds=300)
    bootstrap(metric, 0.95, 8, rounds=300)
    assert bootstrap(metric, 0.95, 7, rounds=300) == first
    assert bootstrap(other.metric(0, accuracy), 0.95, 7, rounds=300) == first
    used, fresh = np.random.default_rng(7), np.random.default_rng(7)
    metric.replicates(used, 300)
    metric.replicates(np.random.default_rng(7), 300)
    other.metric(1, accuracy).replicates(fresh, 300)
    assert used.random() == fresh.random()


@pytest.mark.parametrize("classes", [30, 200])
def test_many_classes_are_drawn_model_by_model(classes):
    truth = RANDOM.integers(0, classes, 500)
    labels = RANDOM.integers(0, classes, (500, 4))
    joint = JointCounts(truth, labels, classes)
    metric, difference = joint.metric(0, accuracy), joint.difference(0, 3, accuracy)
    assert isinstance(metric, CountSample)
    assert isinstance(difference, PairedCountSample)
    right = labels == truth[:, None]
    assert metric.estimate() == pytest.approx(right[:, 0].mean(), rel=1e-12)
    expected = right[:, 0].mean() - right[:, 3].mean()
    assert difference.estimate() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("truth", "labels", "classes", "sentence"),
    [
        ([0, 1], [0, 1], None, "one label of each model"),
        ([0, 1], [[0], [1], [1]], None, "one label of each model"),
        ([0, 2], [[0], [1]], 2, "whole numbers from 0 on to 1"),
        ([0, -1], [[0], [1]], None, "whole numbers"),
        (["a", "b"], [["a"], ["a"]], None, "whole numbers"),
        (np.empty(0, int), np.empty((0, 2), int), None, "need an example"),
    ],
)
def test_what_are_no_classes_are_refused(truth, labels, classes, sentence):
    with pytest.raises(ValueError, match=sentence):
        JointCounts(truth, labels, classes)


def test_a_model_that_there_is_not_is_refused():
    with pytest.raises(ValueError, match="there are 3 models, from 0 on"):
        JointCounts(TRUTH, LABELS).metric(3, accuracy)
