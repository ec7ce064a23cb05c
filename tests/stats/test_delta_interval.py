"""The delta method on confusion matrices against closed forms, statsmodels and its own limits."""

import math

import numpy as np
import pytest
from statsmodels.stats.inter_rater import cohens_kappa

from evallang.metrics.metric import METRICS
from evallang.stats.intervals.proportions import delta, takahashi

TABLE = np.array([[54, 32], [27, 231]])
THREE = np.array([[40, 5, 3], [8, 30, 6], [2, 7, 50]])
Z = 1.959963984540054


def of(name, positive=None, **options):
    return lambda counts: METRICS[name].function(counts, positive, **options)


def found(name, table, limits=(0.0, 1.0), positive=None, **options):
    return delta(table, of(name, positive, **options), limits, 0.95)


def error_of(interval, value, low=0.0, high=1.0):
    """Recover the standard error from the bounds on the scale of artanh."""
    scaled = [
        math.atanh(2 * (end - low) / (high - low) - 1) for end in (interval.low, interval.high)
    ]
    place = 2 * (value - low) / (high - low) - 1
    return (scaled[1] - scaled[0]) / (2 * Z) * (1 - place**2) * (high - low) / 2


@pytest.mark.parametrize("average", ["binary", "macro", "micro", "weighted"])
def test_f1_has_the_interval_of_takahashi(average):
    table = TABLE if average == "binary" else THREE
    positive = 1 if average == "binary" else None
    ours = found("f1", table, positive=positive, average=average)
    theirs = takahashi(table, average, positive, 0.95)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=1e-7)


@pytest.mark.parametrize("table", [TABLE, THREE])
def test_the_error_of_kappa_is_that_of_statsmodels(table):
    theirs = cohens_kappa(table)
    ours = found("cohen_kappa", table, (-1.0, 1.0))
    assert error_of(ours, theirs.kappa, -1.0) == pytest.approx(theirs.std_kappa, rel=1e-6)


def test_the_error_of_a_proportion_is_that_of_the_binomial():
    value = np.trace(THREE) / THREE.sum()
    known = math.sqrt(value * (1 - value) / THREE.sum())
    assert error_of(found("accuracy", THREE), value) == pytest.approx(known, rel=1e-7)


def test_the_error_of_balanced_accuracy_is_that_of_independent_recalls():
    recalls = np.diag(THREE) / THREE.sum(axis=1)
    known = math.sqrt((recalls * (1 - recalls) / THREE.sum(axis=1)).sum()) / 3
    ours = found("balanced_accuracy", THREE)
    assert error_of(ours, recalls.mean()) == pytest.approx(known, rel=1e-6)


def test_a_cost_keeps_to_zero_and_has_no_upper_end():
    costs = {"matrix": ((0, 1), (20, 0))}
    share = (TABLE * costs["matrix"]).sum() / TABLE.sum()
    second = (TABLE * np.square(costs["matrix"])).sum() / TABLE.sum() - share**2
    ours = found("cost", TABLE, (None, None), **costs)
    half = Z * math.sqrt(second / TABLE.sum())
    assert (ours.low, ours.high) == pytest.approx((share - half, share + half), rel=1e-7)
    rare = found("cost", [[50, 1], [0, 9]], (0.0, None), **costs)
    assert rare.low == 0.0 < rare.high


@pytest.mark.parametrize(("table", "reason"), [
    ([[5, 0], [0, 5]], "at 1 the delta method has no variance"),
    ([[0, 5], [5, 0]], "at -1 the delta method has no variance"),
    ([[0, 0], [0, 0]], "no examples"),
])  # fmt: skip
def test_there_is_no_interval_where_nothing_varies(table, reason):
    ours = found("mcc", table, (-1.0, 1.0))
    assert ours.low is None
    assert reason in ours.notes[0]


def test_a_constant_prediction_has_no_interval():
    ours = found("mcc", [[9, 0], [4, 0]], (-1.0, 1.0))
    assert ours.low is None


def test_a_rare_class_is_named():
    (note,) = found("mcc", [[50, 2], [1, 2]], (-1.0, 1.0)).notes
    assert note.startswith("only 3 examples of the rarest class; with fewer than 20,")
    assert found("mcc", TABLE, (-1.0, 1.0)).notes == ()


def test_what_is_no_table_of_counts_is_refused():
    with pytest.raises(ValueError, match="counts of true by predicted"):
        found("mcc", [[1, -1], [2, 3]], (-1.0, 1.0))
