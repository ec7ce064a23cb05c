"""Intervals of grouped and of weighted proportions against statsmodels, repetition, coverage."""

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score
from statsmodels.stats.proportion import proportion_confint

from evallang.stats.draws import Block
from evallang.stats.intervals.few_groups import (
    clustered_wilson,
    effective_n,
    weighted_loss_sample,
    weighted_wilson,
)
from evallang.stats.intervals.proportions import wilson
from evallang.stats.intervals.resampling import LossSample, ScoreSample, bootstrap


def test_equal_weights_count_every_example():
    assert effective_n([2.0] * 7) == pytest.approx(7, rel=1e-12)
    # Kish 1965: (3 + 1 + 1 + 1)² / (9 + 1 + 1 + 1)
    assert effective_n([3, 1, 1, 1]) == pytest.approx(3.0, rel=1e-12)
    assert effective_n([5, 0, 0]) == 1.0
    assert effective_n([0, 0]) == 0.0
    for weights in ([-1, 2], [np.nan, 1], [np.inf, 1]):
        with pytest.raises(ValueError, match="zero or more"):
            effective_n(weights)


def test_a_weighted_proportion_has_wilsons_interval_with_the_effective_number():
    right, weights = [1, 1, 0, 1], [3.0, 1.0, 1.0, 1.0]
    # 5/6 of an effective 3: statsmodels with 2.5 of 3
    low, high = proportion_confint(2.5, 3, method="wilson")
    found = weighted_wilson(right, weights, 0.95)
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-10)
    same = weighted_wilson([1] * 13 + [0] * 3, [0.5] * 16, 0.95)
    plain = wilson(13, 16, 0.95)
    assert (same.low, same.high) == pytest.approx((plain.low, plain.high), rel=1e-12)


def test_a_weighted_area_without_each_example_and_on_resamples_is_scikit_learns():
    chance = np.random.default_rng(40)
    for n, decimals in ((40, 1), (300, 9)):  # with many ties, and without one
        y = chance.integers(0, 2, n)
        scores = (y * 0.5 + chance.normal(size=n)).round(decimals)
        w = chance.gamma(1.0, 1.0, n).round(2)
        sample = ScoreSample(y, scores, weights=w)
        left_out, sizes = sample.jackknife()
        kept = [np.arange(n) != i for i in range(n)]
        expected = [roc_auc_score(y[k], scores[k], sample_weight=w[k]) for k in kept]
        assert left_out == pytest.approx(expected, rel=1e-11)
        assert (sizes == 1).all()
        times = chance.integers(0, 4, (9, n))
        expected = [roc_auc_score(y, scores, sample_weight=row * w) for row in times]
        assert sample.on(Block(times.T)) == pytest.approx(expected, rel=1e-11)
        assert ScoreSample(y, scores, weights=np.full(n, 0.7)).jackknife()[0] == pytest.approx(
            ScoreSample(y, scores).jackknife()[0], rel=1e-11
        )
    for weights, said in ((np.ones(3), "one weight"), (np.full(300, -1.0), "zero or more")):
        with pytest.raises(ValueError, match=said):
            ScoreSample(y, scores, weights=weights)


def test_weights_of_nothing_give_no_interval():
    assert weighted_wilson([], [], 0.95).low is None
    assert weighted_wilson([1, 0], [0, 0], 0.95).notes
    with pytest.raises(ValueError, match="one weight"):
        weighted_wilson([1], [1, 2], 0.95)


def as_normal(level, df):
    """The level at which a normal quantile is Student's at `level`."""
    return 2 * stats.norm.cdf(stats.t.ppf((1 + level) / 2, df)) - 1


def test_groups_of_copies_count_once():
    # Each example five times: the design effect is 5 times G/(G - 1) (n - 1)/n, by the definition
    right = np.random.default_rng(1).random(60) < 0.7
    found, clusters = clustered_wilson(np.repeat(right, 5), np.repeat(np.arange(60), 5), 0.95)
    assert clusters.n == 60
    assert clusters.design_effect == pytest.approx(5 * (60 / 59) * (299 / 300), rel=1e-12)
    plain = wilson(int(right.sum()), 60, as_normal(0.95, 59))
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high), abs=2e-3)


def test_single_rows_as_groups_give_wilsons_interval():
    right = np.random.default_rng(2).random(80) < 0.6
    found, clusters = clustered_wilson(right, np.arange(80), 0.9)
    plain = wilson(int(right.sum()), 80, as_normal(0.9, 79))
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high), rel=1e-9)
    assert clusters.design_effect == pytest.approx(1.0, rel=1e-12)


def test_groups_that_balance_do_not_narrow_the_interval():
    # Every group has one right and one wrong: no variance over groups
    found, clusters = clustered_wilson([1, 0] * 20, np.repeat(np.arange(20), 2), 0.95)
    assert clusters.design_effect == pytest.approx(0.0, abs=1e-12)
    plain = wilson(20, 40, as_normal(0.95, 19))
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high), rel=1e-9)


def test_a_perfect_model_counts_each_group_once():
    found, clusters = clustered_wilson([1] * 50, np.repeat(np.arange(5), 10), 0.95)
    plain = wilson(5, 5, 0.95)
    assert clusters.design_effect is None
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high), rel=1e-12)


def test_one_group_has_no_interval():
    assert clustered_wilson([1, 0], [3, 3], 0.95)[0].low is None


def test_equal_weights_give_the_plain_bootstrap():
    losses = np.random.default_rng(4).random(50)
    one = bootstrap(weighted_loss_sample(losses, np.full(50, 2.0)), 0.95, 1, rounds=500)
    other = bootstrap(LossSample(losses), 0.95, 1, rounds=500)
    assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-9)


def test_the_weighted_bootstrap_is_about_the_weighted_mean():
    losses, weights = np.array([1.0, 2.0, 4.0]), np.array([1.0, 1.0, 2.0])
    sample = weighted_loss_sample(losses, weights)
    assert sample.estimate() == pytest.approx(11 / 4, rel=1e-12)
    values = sample.replicates(np.random.default_rng(5), 4000)
    # All 27 resamples of three
    drawn = [
        np.average(losses[list(rows)], weights=weights[list(rows)]) for rows in np.ndindex(3, 3, 3)
    ]
    assert set(np.round(values, 9)) == set(np.round(drawn, 9))
    # 4,000 draws: standard error of the mean at most .02
    assert values.mean() == pytest.approx(np.mean(drawn), abs=0.06)


def test_a_weighted_root_of_a_mean_loss_is_the_root_of_the_weighted_mean():
    losses, w = np.array([1.0, 4.0, 9.0]), np.array([1.0, 2.0, 0.5])
    sample = weighted_loss_sample(losses, w, transform="sqrt")
    assert sample.estimate() == pytest.approx(np.average(losses, weights=w) ** 0.5, rel=1e-12)
