"""Averages of data sets: against Welch's test, matrices, loops over resamples, and simulations."""

import numpy as np
import pytest
import scipy.stats

from evallang.stats.corrections.joint_corrections import studentized_p
from evallang.stats.hypothesis_tests.losses import t
from evallang.stats.intervals.stratified import stratified_t
from evallang.stats.strata import Strata, stratified_mean

SIZES = (5, 9, 30)


def samples(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the data set and the value of examples whose spread differs by data set."""
    rng = np.random.default_rng(seed)
    codes = np.repeat(np.arange(len(SIZES)), SIZES)
    return codes, rng.normal(codes, 1 + codes)


def test_two_data_sets_with_shares_of_opposite_signs_are_welchs_test():
    codes, x = samples(1)
    some = codes < 2
    found = stratified_mean(x[some], Strata(codes[some], np.array([1.0, -1.0])))
    welch = scipy.stats.ttest_ind(x[codes == 0], x[codes == 1], equal_var=False)
    assert found.mean / found.error == pytest.approx(welch.statistic, abs=1e-12)
    assert found.df == pytest.approx(welch.df, abs=1e-10)


@pytest.mark.parametrize("shares", [(1 / 3, 1 / 3, 1 / 3), tuple(n / 44 for n in SIZES)])
def test_the_standard_error_is_that_of_independent_means(shares):
    codes, x = samples(2)
    found = stratified_mean(x, Strata(codes, np.array(shares)))
    errors = [scipy.stats.sem(x[codes == one]) for one in range(3)]
    assert found.mean == pytest.approx(
        sum(a * x[codes == one].mean() for one, a in enumerate(shares)), abs=1e-12
    )
    assert found.error == pytest.approx(
        np.sqrt(sum((a * e) ** 2 for a, e in zip(shares, errors, strict=True))), abs=1e-12
    )


def test_groups_of_one_size_have_the_variance_of_their_means():
    rng = np.random.default_rng(3)
    codes, groups = np.repeat([0, 1], [12, 20]), np.repeat(np.arange(8), 4)
    x = rng.normal(size=32) + rng.normal(size=8)[groups]
    found = stratified_mean(x, Strata(codes, np.array([0.5, 0.5])), groups)
    means = x.reshape(8, 4).mean(axis=1)
    errors = scipy.stats.sem(means[:3]), scipy.stats.sem(means[3:])
    assert found.error == pytest.approx(0.5 * np.hypot(*errors), abs=1e-12)
    assert found.clusters is not None and found.clusters.n == 8


def test_one_data_set_is_the_plain_t_test_and_interval():
    _, x = samples(4)
    y = np.roll(x, 1)
    one = Strata(np.zeros(len(x), dtype=int), np.ones(1))
    plain, stratified = t(x, y), t(x, y, None, 0.95, one)
    assert stratified.p == pytest.approx(plain.p, abs=1e-14)
    assert stratified.estimate.low == pytest.approx(plain.estimate.low, abs=1e-12)
    low, high = scipy.stats.ttest_1samp(x, 0).confidence_interval(0.9)
    found = stratified_t(x, None, one, 0.9)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-12)


def test_a_data_set_of_one_example_or_group_is_refused():
    strata = Strata(np.array([0, 0, 1]), np.array([0.5, 0.5]))
    with pytest.raises(ValueError, match="fewer than two examples"):
        stratified_mean((1.0, 2.0, 3.0), strata)
    strata = Strata(np.array([0, 0, 1, 1]), np.array([0.5, 0.5]))
    with pytest.raises(ValueError, match="fewer than two groups"):
        stratified_mean((1.0, 2.0, 3.0, 4.0), strata, (0, 1, 2, 2))


def test_differences_that_vary_in_no_data_set_have_no_standard_error():
    strata = Strata(np.array([0, 0, 1, 1]), np.array([0.5, 0.5]))
    found = stratified_mean((0.1 + 0.2, 0.3, 0.7, 0.7), strata)
    assert (found.error, found.df) == (0.0, 2.0)


def test_groups_whose_values_are_equal_are_the_units_of_the_degrees_of_freedom():
    strata = Strata(np.repeat([0, 1], 6), np.array([0.5, 0.5]))
    found = stratified_mean(np.repeat([1.0, 0.0], 6), strata, np.arange(12) // 2)
    assert (found.mean, found.error) == (0.5, 0.0)
    assert found.df == pytest.approx(2 + 2)


def test_joint_resamples_are_drawn_within_data_sets():
    """The p-values have the distribution of those of a plain loop over resamples."""
    codes, x = samples(5)
    losses = np.column_stack([x, np.roll(x, 3), np.roll(x, 7)])
    pairs, strata = [(0, 1), (0, 2)], Strata(codes, np.full(3, 1 / 3))
    found = studentized_p(losses, pairs, None, 1, 4000, "two_sided", strata)
    rng, expected = np.random.default_rng(9), []
    d = np.column_stack([losses[:, a] - losses[:, b] for a, b in pairs])
    df = [stratified_mean(column, strata).df for column in d.T]
    for _ in range(4000):
        drawn = np.concatenate([
            rng.choice(np.flatnonzero(codes == one), n) for one, n in enumerate(SIZES)
        ])  # fmt: skip
        parts = [d[drawn[codes == one]] - d[codes == one].mean(axis=0) for one in range(3)]
        mean = sum(part.mean(axis=0) for part in parts) / 3
        error = np.sqrt(sum(scipy.stats.sem(part) ** 2 for part in parts)) / 3
        expected.append(2 * scipy.stats.t.sf(np.abs(mean / error), df))
    for ours, theirs in zip(found.T, np.array(expected).T, strict=True):
        assert scipy.stats.ks_2samp(ours, theirs).pvalue > 0.01
    smallest = found.min(axis=1), np.array(expected).min(axis=1)
    assert scipy.stats.ks_2samp(*smallest).pvalue > 0.01


@pytest.mark.parametrize(("rate", "least"), [(0.1, 0.915), (0.5, 0.935)])
def test_intervals_of_averaged_proportions_cover(rate, least):
    """2,000 benchmarks of five tasks with 15 to 60 questions; three standard errors are 1.5 %.

    Like any symmetric interval of proportions it is too narrow where these are near 0.
    """
    rng = np.random.default_rng(11)
    sizes = np.array([15, 20, 30, 40, 60])
    codes = np.repeat(np.arange(5), sizes)
    strata = Strata(codes, np.full(5, 0.2))
    rates = np.clip(rate + np.array([-0.06, -0.03, 0, 0.03, 0.06]), 0, 1)
    covered = 0
    for _ in range(2000):
        right = (rng.random(len(codes)) < rates[codes]).astype(float)
        found = stratified_t(right, None, strata, 0.95)
        covered += found.low <= rates.mean() <= found.high
    assert least < covered / 2000 < 0.97


def test_the_test_of_equal_averages_keeps_its_level_where_data_sets_differ():
    """Differences of opposite signs on two tasks add up to none, which pooled rows would hide."""
    rng = np.random.default_rng(12)
    codes = np.repeat([0, 1], [20, 80])
    shift = np.where(codes == 0, 0.4, -0.4)
    strata, rejected, pooled = Strata(codes, np.array([0.5, 0.5])), 0, 0
    for _ in range(2000):
        d = rng.normal(shift)
        rejected += t(d, np.zeros(100), None, 0.95, strata).p <= 0.05
        pooled += scipy.stats.ttest_1samp(d, 0).pvalue <= 0.05
    assert 0.035 < rejected / 2000 < 0.065
    assert pooled / 2000 > 0.3
