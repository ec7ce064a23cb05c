"""Bootstrap intervals against scipy, and the fast resamples against plain ones."""

import threading

import numpy as np
import pytest
from many_cases import for_each
from scipy import stats
from sklearn.metrics import average_precision_score, f1_score, r2_score, roc_auc_score

from evallang.activity import Activity, report_activity, watched
from evallang.metrics.metric import METRICS, Outcome
from evallang.stats import threads
from evallang.stats.column_sums import Column, Columns
from evallang.stats.intervals import bootstrap_bounds, resampling
from evallang.stats.intervals.bootstrap_bounds import _acceleration, bootstrap
from evallang.stats.intervals.drawn_weights import (
    BLOCK,
    LARGEST,
    DrawnCells,
    _ByteTable,
    drawn_weights,
)
from evallang.stats.intervals.grouped_counts import GroupedCounts, GroupedCountSample
from evallang.stats.intervals.resampled_counts import CountSample, PairedCountSample
from evallang.stats.intervals.resampled_scores import MANY_EXAMPLES, ScoreSample, _split_runs
from evallang.stats.intervals.resampling import (
    DifferenceSample,
    LossSample,
    MomentSample,
    WeightSample,
    share_pairs,
    share_resamples,
)
from evallang.stats.validation import labels

RANDOM = np.random.default_rng(12)
LOSSES = RANDOM.exponential(size=35)
TRUTH = RANDOM.random(50) < 0.4
SCORES = np.round(TRUTH + RANDOM.normal(size=50), 1)  # with ties
OTHER = TRUTH + RANDOM.normal(size=50)
GROUPS = RANDOM.integers(0, 9, 50)
MATRIX = np.array([[20, 4, 1], [3, 15, 2], [0, 5, 10]])


def macro_f1(matrix):
    right = np.diagonal(matrix, axis1=-2, axis2=-1)
    total = matrix.sum(-1) + matrix.sum(-2)
    shares = np.divide(2 * right, total, out=np.full(right.shape, np.nan), where=total > 0)
    return shares.mean(-1)


class Given:
    """Replicates and leave-one-out values that were computed elsewhere."""

    limits = (None, None)
    unit = "examples"
    n_groups = None

    def __init__(self, value, drawn, left_out):
        self.value, self.drawn, self.left_out = value, drawn, left_out

    def estimate(self):
        return self.value

    def replicates(self, rng, rounds):
        return self.drawn

    def jackknife(self):
        return self.left_out, np.ones(len(self.left_out))


def test_the_acceleration_of_many_examples_is_a_sixth_of_their_skewness(monkeypatch):
    monkeypatch.setattr(bootstrap_bounds, "AT_ONCE", 7)
    left_out = np.random.default_rng(4).exponential(size=(2, 60))
    left_out[1, :8] = np.nan  # more than the first part, without a value
    known = [row[np.isfinite(row)] for row in left_out]
    expected = [-stats.skew(row) / np.sqrt(len(row)) / 6 for row in known]
    assert _acceleration(left_out, np.ones(60)) == pytest.approx(expected, rel=1e-12)
    repeated = np.repeat(left_out[0], np.arange(60) % 4)
    found = _acceleration(left_out[0], np.arange(60) % 4.0)
    assert found == pytest.approx(-stats.skew(repeated) / np.sqrt(len(repeated)) / 6, rel=1e-12)


@for_each("method", ["BCa", "percentile", "basic"])
@for_each("statistic", [np.mean, np.median, np.std])
def test_an_interval_is_scipys_on_the_same_replicates(method, statistic):
    expected = stats.bootstrap(
        (LOSSES,), statistic, method=method, n_resamples=999, rng=np.random.default_rng(1)
    )
    left_out = np.array([statistic(np.delete(LOSSES, i)) for i in range(len(LOSSES))])
    sample = Given(statistic(LOSSES), expected.bootstrap_distribution, left_out)
    found = bootstrap(sample, 0.95, 0, method=method.lower(), rounds=999)
    assert found.low == pytest.approx(expected.confidence_interval.low, rel=1e-10)
    assert found.high == pytest.approx(expected.confidence_interval.high, rel=1e-10)


def test_the_standard_error_interval_is_normal():
    drawn = LossSample(LOSSES).replicates(np.random.default_rng(3), 500)
    low, high = stats.norm.interval(0.9, LOSSES.mean(), drawn.std(ddof=1))
    found = bootstrap(LossSample(LOSSES), 0.9, 3, method="se", rounds=500)
    assert found.low == pytest.approx(low, rel=1e-10)
    assert found.high == pytest.approx(high, rel=1e-10)


def plain_resamples(rows, statistic, rounds, seed):
    random = np.random.default_rng(seed)
    return np.array([statistic(random.choice(rows, len(rows))) for _ in range(rounds)])


def test_a_multinomial_of_counts_has_the_distribution_of_resampled_rows():
    # Two-sample Kolmogorov-Smirnov test, fixed seeds
    rows = np.repeat(np.arange(9), MATRIX.ravel())
    plain = plain_resamples(
        rows,
        lambda r: macro_f1(np.bincount(r, minlength=9).reshape(3, 3).astype(float)),
        4000,
        1,
    )
    drawn = CountSample(MATRIX, macro_f1).replicates(np.random.default_rng(2), 4000)
    assert stats.ks_2samp(plain, drawn).pvalue > 0.01


def test_a_joint_multinomial_keeps_the_models_paired():
    # Standard deviation of the paired difference in accuracy, over n: sqrt(b + c - (b - c)²/n)
    joint = np.zeros((2, 2, 2))
    joint[0] = [[40, 6], [2, 5]]
    joint[1] = [[4, 3], [9, 31]]
    n, b, c = joint.sum(), 6 + 9, 2 + 3

    def accuracy(matrix):
        return np.trace(matrix, axis1=-2, axis2=-1) / matrix.sum((-1, -2))

    sample = PairedCountSample(joint, accuracy)
    # First right, second wrong: truth 0 as (0, 1), truth 1 as (1, 0)
    assert sample.estimate() == pytest.approx((b - c) / n, rel=1e-12)
    drawn = sample.replicates(np.random.default_rng(4), 20_000)
    expected = np.sqrt(b + c - (b - c) ** 2 / n) / n
    assert drawn.std() == pytest.approx(expected, rel=0.02)  # standard error .5 %


@pytest.mark.parametrize("units", [1, 2, 257, 70_000])
def test_weights_count_draws_with_replacement(units):
    weights = drawn_weights(np.random.default_rng(0), units, 3)
    assert weights.shape == (3, units)
    assert (weights.sum(axis=1) == units).all()


def test_weights_have_the_moments_of_a_multinomial():
    weights = drawn_weights(np.random.default_rng(0), 10, 50_000)
    assert weights.mean(axis=0) == pytest.approx(np.ones(10), abs=0.02)  # 5 standard errors
    covariance = np.cov(weights.T)
    assert np.diag(covariance) == pytest.approx(np.full(10, 0.9), abs=0.04)
    assert covariance[0, 1:] == pytest.approx(np.full(9, -0.1), abs=0.03)


def left_out_one_by_one(n, statistic):
    return np.array([statistic(np.delete(np.arange(n), i)) for i in range(n)])


def test_leave_one_out_losses_are_those_of_deleted_rows():
    expected = left_out_one_by_one(35, lambda rows: LOSSES[rows].mean())
    for transform, means in [(None, expected), ("sqrt", np.sqrt(expected))]:
        values, times = LossSample(LOSSES, transform).jackknife()
        assert values == pytest.approx(means, rel=1e-12)
        assert (times == 1).all()


def test_leave_one_out_areas_are_those_of_deleted_rows():
    values, times = ScoreSample(TRUTH, SCORES).jackknife()
    expected = left_out_one_by_one(50, lambda rows: roc_auc_score(TRUTH[rows], SCORES[rows]))
    assert values == pytest.approx(expected, rel=1e-12)
    assert (times == 1).all()


def test_leave_one_out_counts_are_those_of_deleted_rows():
    rows = np.repeat(np.arange(9), MATRIX.ravel())
    values, times = CountSample(MATRIX, macro_f1).jackknife()
    expected = left_out_one_by_one(
        len(rows),
        lambda kept: macro_f1(np.bincount(rows[kept], minlength=9).reshape(3, 3).astype(float)),
    )
    assert np.sort(np.repeat(values, times.astype(int))) == pytest.approx(
        np.sort(expected), rel=1e-12
    )


def test_leaving_out_groups_deletes_all_their_rows():
    codes = np.unique(GROUPS)
    expected = [roc_auc_score(TRUTH[code != GROUPS], SCORES[code != GROUPS]) for code in codes]
    values, _ = ScoreSample(TRUTH, SCORES, GROUPS).jackknife()
    assert values == pytest.approx(expected, rel=1e-12)
    losses = SCORES**2
    values, _ = LossSample(losses, groups=GROUPS).jackknife()
    assert values == pytest.approx([losses[code != GROUPS].mean() for code in codes], rel=1e-12)


def test_areas_of_resamples_are_those_of_the_drawn_rows():
    weights = drawn_weights(np.random.default_rng(9), 50, 40)
    expected = [
        roc_auc_score(np.repeat(TRUTH, row.astype(int)), np.repeat(SCORES, row.astype(int)))
        for row in weights
    ]
    found = ScoreSample(TRUTH, SCORES).replicates(np.random.default_rng(9), 40)
    assert found == pytest.approx(expected, rel=1e-12)


def test_groups_are_drawn_as_a_whole():
    seen = []

    def keep(weights):
        seen.append(weights.copy())
        return weights.sum(axis=1)

    WeightSample(50, keep, GROUPS).replicates(np.random.default_rng(1), 20)
    weights = np.vstack(seen)
    for code in np.unique(GROUPS):
        assert (weights[:, code == GROUPS] == weights[:, code == GROUPS][:, :1]).all()
    assert {WeightSample(50, keep, GROUPS).unit, WeightSample(50, keep).unit} == {
        "groups",
        "examples",
    }


def test_models_drawn_with_the_same_seed_share_their_resamples():
    other = RANDOM.exponential(size=35)
    apart = LossSample(LOSSES).replicates(np.random.default_rng(7), 300) - LossSample(
        other
    ).replicates(np.random.default_rng(7), 300)
    together = LossSample(LOSSES - other).replicates(np.random.default_rng(7), 300)
    assert apart == pytest.approx(together, abs=1e-12)


def test_a_difference_of_statistics_is_paired():
    sample = DifferenceSample(ScoreSample(TRUTH, SCORES), ScoreSample(TRUTH, OTHER))
    drawn = sample.replicates(np.random.default_rng(5), 200)
    weights = drawn_weights(np.random.default_rng(5), 50, 200)
    expected = [
        np.subtract(
            *(
                roc_auc_score(np.repeat(TRUTH, w.astype(int)), np.repeat(s, w.astype(int)))
                for s in (SCORES, OTHER)
            )
        )
        for w in weights
    ]
    assert drawn == pytest.approx(np.array(expected), abs=1e-12)


def test_the_paired_interval_of_losses_is_that_of_their_differences():
    other = RANDOM.exponential(size=35)
    found = bootstrap(DifferenceSample(LossSample(LOSSES), LossSample(other)), 0.95, 3, rounds=500)
    expected = bootstrap(LossSample(LOSSES - other), 0.95, 3, rounds=500)
    assert found.low == pytest.approx(expected.low, abs=1e-12)
    assert found.high == pytest.approx(expected.high, abs=1e-12)


def test_leaving_out_pairs_of_an_area_difference_matches_row_by_row():
    sample = DifferenceSample(ScoreSample(TRUTH, SCORES), ScoreSample(TRUTH, OTHER))
    values, times = sample.jackknife()
    expected = left_out_one_by_one(
        50,
        lambda rows: (
            roc_auc_score(TRUTH[rows], SCORES[rows]) - roc_auc_score(TRUTH[rows], OTHER[rows])
        ),
    )
    assert (times == 1).all()
    assert values == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (LossSample(LOSSES), LossSample(LOSSES[:9])),
        (LossSample(LOSSES), LossSample(LOSSES, groups=np.arange(35) % 5)),
        (CountSample(MATRIX, macro_f1), CountSample(MATRIX.T, macro_f1)),
        (CountSample(MATRIX, macro_f1), LossSample(LOSSES)),
    ],
)
def test_statistics_of_different_examples_have_no_paired_difference(first, second):
    with pytest.raises(ValueError, match="not of the same examples"):
        DifferenceSample(first, second)


def test_statistics_of_the_same_patterns_have_a_paired_difference():
    def double(matrix):
        return 2 * macro_f1(matrix)

    sample = DifferenceSample(CountSample(MATRIX, double), CountSample(MATRIX, macro_f1))
    drawn = sample.replicates(np.random.default_rng(1), 100)
    expected = CountSample(MATRIX, macro_f1).replicates(np.random.default_rng(1), 100)
    assert drawn == pytest.approx(expected, rel=1e-12)


def test_resamples_without_a_value_are_left_out_and_counted():
    # One positive of 30: about (1 - 1/30)^30 = 36 % of resamples have none
    found = bootstrap(ScoreSample(np.arange(30) == 3, np.arange(30)), 0.95, 1, rounds=1000)
    assert "of 1000 resamples" in found.notes[0]


def test_bounds_stay_inside_the_range_of_the_metric():
    def accuracy(matrix):
        return np.trace(matrix, axis1=-2, axis2=-1) / matrix.sum((-1, -2))

    sample = CountSample([[28, 1], [0, 1]], accuracy, (0.0, 1.0))
    found = bootstrap(sample, 0.99, 1, method="se", rounds=500)
    assert found.high == 1.0
    assert "cut at the end" in found.notes[0]


def test_a_bootstrap_of_one_round_is_refused():
    with pytest.raises(ValueError, match="2 rounds"):
        bootstrap(LossSample(LOSSES), 0.95, 1, rounds=1)


def test_large_samples_leave_out_blocks_with_nearly_the_same_acceleration():
    losses = np.random.default_rng(3).exponential(size=5000)

    def mean(weights):
        return weights @ losses / weights.sum(axis=1)

    values, _ = WeightSample(5000, mean).jackknife()
    assert len(values) == 1000
    found = bootstrap(WeightSample(5000, mean), 0.95, 1, rounds=400)
    expected = bootstrap(LossSample(losses), 0.95, 1, rounds=400)
    assert found.low == pytest.approx(expected.low, abs=2e-3)
    assert found.high == pytest.approx(expected.high, abs=2e-3)


@pytest.mark.parametrize("mean", [0.9, 2.5, 8.0])
def test_random_bytes_give_poisson_counts(mean):
    # Chi-squared goodness of fit, fixed seed
    drawn = _ByteTable(mean).draw(np.random.default_rng(3), (1, 400_000)).ravel()
    seen = np.bincount(drawn)
    expected = stats.poisson.pmf(np.arange(len(seen)), mean) * len(drawn)
    often = expected > 10
    seen = np.append(seen[often], seen[~often].sum())
    expected = np.append(expected[often], len(drawn) - expected[often].sum())
    assert stats.chisquare(seen, expected).pvalue > 0.01


def test_draws_into_cells_have_the_moments_of_a_multinomial():
    # cells drawn as one byte, in parts of eight, and by themselves
    sizes = np.array([1] * 40 + [3] * 30 + [8] * 20 + [9, 17, 40, 64, 65, 200, 1500])
    n, rounds = sizes.sum(), 20_000
    cells = DrawnCells(sizes)
    drawn = cells.draw(np.random.default_rng(5), rounds)
    assert (drawn[-1] == 0).all()
    assert (drawn.sum(axis=0) == n).all()
    times = np.empty((rounds, len(sizes)))
    times[:, cells.order] = drawn[:-1].T
    shares = sizes / n
    error = np.sqrt(n * shares * (1 - shares) / rounds)
    assert (np.abs(times.mean(axis=0) - sizes) < 5 * error).all()
    spread = times.var(axis=0) / (n * shares * (1 - shares))
    assert spread == pytest.approx(np.ones(len(sizes)), abs=0.1)  # standard error 1 % to 2 %
    large = np.corrcoef(times[:, -1], times[:, -2])[0, 1]
    both = np.sqrt(np.prod(shares[-2:] / (1 - shares[-2:])))
    assert large == pytest.approx(-both, abs=5 / np.sqrt(rounds))


@pytest.mark.parametrize("decimals", [9, 1])
def test_the_area_over_runs_has_the_distribution_of_that_over_rows(decimals):
    # Two-sample Kolmogorov-Smirnov test, fixed seeds; with one decimal most scores tie
    random = np.random.default_rng(8)
    truth = random.random(MANY_EXAMPLES) < 0.3
    scores = np.round(truth + random.standard_normal(MANY_EXAMPLES), decimals)
    sample = ScoreSample(truth, scores)
    by_runs = sample.replicates(np.random.default_rng(1), 4000)
    by_rows = WeightSample.replicates(sample, np.random.default_rng(2), 4000)
    assert stats.ks_2samp(by_runs, by_rows).pvalue > 0.01
    assert by_runs.mean() == pytest.approx(sample.estimate(), abs=5 * by_runs.std() / 4000**0.5)


def test_the_area_over_runs_is_that_of_the_rows_drawn():
    # Every run has one example or a few of one class, so that a resample of runs is one of rows
    random = np.random.default_rng(8)
    n = 40_000
    truth = random.random(n) < 0.3
    scores = truth + random.standard_normal(n)
    scores[:300] = np.where(truth[:300], 9.0, -9.0) + np.arange(300) * 1e-3  # long runs
    scores[300:500] = 0.5  # one long tie
    runs = ScoreSample(truth, scores)._alternation
    drawn = runs._cells.draw(np.random.default_rng(4), runs.batch)
    areas = runs.areas(np.random.default_rng(4), runs.batch)
    for times, area in zip(drawn.T[:3], areas, strict=False):
        negatives, positives = times[runs._negatives], times[runs._positives]
        below = np.cumsum(negatives.astype(np.int64))
        won = (below * positives).sum() - (negatives * positives)[runs._tied].sum() / 2
        assert area == pytest.approx(won / below[-1] / positives.sum(dtype=np.int64), abs=1e-14)
    assert drawn.sum(axis=0).tolist() == [n] * runs.batch


@pytest.mark.parametrize("long", [64, 65, 200, 5000])
def test_long_runs_are_cut_without_a_change_of_their_order(long):
    # Pairs of negatives and of positives above them; the tied pair is not cut
    sizes = np.array([[long, 2, 0, 300, 1], [3, long, 70, 300, 0]])
    tied = np.array([False, False, False, True, False])
    made, places = _split_runs(sizes, tied)
    assert made[:, places].tolist() == [[300], [300]]
    assert np.delete(made, places, axis=1).max() <= LARGEST
    assert made.sum(axis=1).tolist() == sizes.sum(axis=1).tolist()
    won = [(np.cumsum(negatives) * positives).sum() for negatives, positives in (sizes, made)]
    assert won[0] == won[1]


@pytest.mark.parametrize("share", [0.5, 0.003])
def test_runs_of_a_rare_class_are_drawn_whole(share):
    # Two-sample Kolmogorov-Smirnov test, fixed seeds
    random = np.random.default_rng(9)
    truth = random.random(20_000) < share
    sample = ScoreSample(truth, truth + random.standard_normal(20_000))
    runs = sample._alternation
    assert (max(np.bincount(runs._cells._cell)) > LARGEST) == (share < 0.5)
    by_runs = sample.replicates(np.random.default_rng(1), 1000)
    by_rows = WeightSample.replicates(sample, np.random.default_rng(2), 1000)
    assert stats.ks_2samp(by_runs, by_rows).pvalue > 0.01


def test_the_area_over_runs_is_whole_for_separated_classes_and_half_for_equal_scores():
    truth = np.arange(4000) >= 3000
    assert (ScoreSample(truth, truth).replicates(np.random.default_rng(1), 50) == 1).all()
    equal = ScoreSample(truth, np.zeros(4000))
    assert (equal.replicates(np.random.default_rng(1), 50) == 0.5).all()


def test_both_statistics_of_a_difference_see_the_same_resamples():
    random = np.random.default_rng(8)
    truth = random.random(3000) < 0.3
    scores = truth + random.standard_normal(3000)
    first, second = ScoreSample(truth, scores), ScoreSample(truth, 2 * scores + 1)
    drawn = DifferenceSample(first, second).replicates(np.random.default_rng(1), 20)
    assert (drawn == 0).all()


@pytest.mark.parametrize("groups", [None, GROUPS])
def test_statistics_drawn_together_have_the_values_that_they_have_alone(groups):
    def made():
        return [
            LossSample(np.arange(50.0), None, groups),
            LossSample(np.arange(50.0) ** 2, "sqrt", groups),
            ScoreSample(TRUTH, SCORES, groups),
            WeightSample(50, lambda weights: weights @ np.sin(np.arange(50.0)), groups),
        ]

    alone = [sample.replicates(np.random.default_rng(3), 400) for sample in made()]
    samples = made()
    share_resamples(samples)
    for sample, values in zip(samples, alone, strict=True):
        np.testing.assert_array_equal(sample.replicates(np.random.default_rng(3), 400), values)
    both = DifferenceSample(samples[0], samples[2]).replicates(np.random.default_rng(3), 400)
    np.testing.assert_array_equal(both, alone[0] - alone[2])
    other = samples[0].replicates(np.random.default_rng(4), 400)
    assert (other != alone[0]).any()


def test_differences_of_many_scores_are_drawn_together_as_they_are_alone(
    monkeypatch,
):
    n = MANY_EXAMPLES + 10
    truth = RANDOM.random(n) < 0.4
    scores = [truth + RANDOM.normal(size=n) for _ in range(3)]

    def pairs():
        a, b, c = (ScoreSample(truth, one) for one in scores)
        return [DifferenceSample(a, b), DifferenceSample(a, c), DifferenceSample(b, c)]

    alone = [pair.replicates(np.random.default_rng(4), 60) for pair in pairs()]
    joined, passes = pairs(), []
    share_pairs(joined)

    def counted(samples, rng, rounds):
        passes.append(len(samples))
        return replicates_of(samples, rng, rounds)

    replicates_of = resampling._replicates_of
    monkeypatch.setattr(resampling, "_replicates_of", counted)
    together = [pair.replicates(np.random.default_rng(4), 60) for pair in joined]
    assert passes == [3]
    np.testing.assert_array_equal(together, alone)
    # An area by itself is still that over runs
    area = ScoreSample(truth, scores[0]).replicates(np.random.default_rng(4), 60)
    np.testing.assert_array_equal(joined[0]._first.replicates(np.random.default_rng(4), 60), area)


def test_statistics_of_other_examples_are_not_drawn_together():
    samples = [LossSample(np.arange(30.0)), LossSample(np.arange(31.0))]
    alone = [LossSample(np.arange(n)).replicates(np.random.default_rng(1), 50) for n in (30.0, 31)]
    share_resamples(samples)
    for sample, values in zip(samples, alone, strict=True):
        np.testing.assert_array_equal(sample.replicates(np.random.default_rng(1), 50), values)


def test_counts_of_groups_add_up_to_those_of_the_examples_drawn(monkeypatch):
    rng = np.random.default_rng(6)
    truth, label = rng.integers(0, 3, 50), rng.integers(0, 3, 50)

    def one_by_one(weights):
        tables = np.zeros((len(weights), 3, 3))
        for table, row in zip(tables, weights, strict=True):
            np.add.at(table, (truth, label), row)
        return macro_f1(tables)

    plain = WeightSample(50, one_by_one, GROUPS)
    # Above the first limit, groups are counted by a product, above the second by examples
    for limit in (None, "MOST_CELLS_SUMMED", "MOST_GROUP_COUNTS"):
        if limit is not None:
            monkeypatch.setattr(f"evallang.stats.intervals.grouped_counts.{limit}", 0)
        counts = GroupedCounts(truth * 3 + label, (3, 3), GROUPS)
        sample = GroupedCountSample(counts, macro_f1)
        drawn = [s.replicates(np.random.default_rng(2), 200) for s in (sample, plain)]
        np.testing.assert_array_equal(*drawn)
        np.testing.assert_array_equal(sample.jackknife()[0], plain.jackknife()[0])
        assert sample.estimate() == plain.estimate()


def test_each_of_many_groups_is_left_out_by_itself():
    groups = np.repeat(np.arange(1200), 3)
    truth, label = RANDOM.integers(0, 3, (2, 3600))
    counts = GroupedCounts(truth * 3 + label, (3, 3), groups)
    found, times = GroupedCountSample(counts, macro_f1).jackknife()
    assert (times == 1).all()
    for group in (0, 700, 1199):
        rest = groups != group
        assert found[group] == pytest.approx(f1_score(truth[rest], label[rest], average="macro"))
    assert len(found) == 1200


def test_sums_of_columns_are_exact_and_depend_on_no_other_column():
    rng = np.random.default_rng(6)
    times = rng.poisson(1, (13, 5001)).astype(np.uint8)
    columns = [Column(rng.standard_normal(5001)) for _ in range(11)]
    found = Columns(columns, 5001).sums(times)
    for column in columns:
        (alone,) = Columns([column], 5001).sums(times).values()
        np.testing.assert_array_equal(alone, found[column.key])
        assert alone == pytest.approx(times.astype(float) @ column.values, abs=1e-10)
    twice = Columns([columns[0], Column(columns[0].values.copy())], 5001)
    assert len(twice.sums(times)) == 1


def test_sums_of_whole_numbers_are_exact_whatever_their_size():
    rng = np.random.default_rng(7)
    times = drawn_weights(rng, 3001, 130)
    # Sums of the first three are exact in float32, those of the others are not
    made = [rng.integers(-low, low + 1, 3001) for low in (1, 40, 5000, 6000, 1 << 40)]
    columns = [Column(values) for values in made]
    found = Columns([Column(rng.random(3001)), *columns], 3001).sums(times)
    for values, column in zip(made, columns, strict=True):
        np.testing.assert_array_equal(found[column.key], times.astype(int) @ values)


def test_sums_over_bits_are_those_over_bytes():
    rng = np.random.default_rng(8)
    kept = rng.integers(0, 2, (70, 5003), dtype=np.uint8)
    columns = Columns([Column(rng.standard_normal(5003)) for _ in range(6)], 5003)
    by_bits = columns.sums(np.packbits(kept, axis=1), bits=True)
    for key, values in columns.sums(kept).items():
        np.testing.assert_array_equal(by_bits[key], values)


def test_a_column_of_one_whole_number_is_not_added_up_where_all_rows_have_as_many_draws():
    times = drawn_weights(np.random.default_rng(9), 400, 7)
    columns = [Column(np.full(400, value)) for value in (1.0, -3.0, 0.3)]
    added = Columns(columns, 400).sums(times)
    known = Columns(columns, 400, drawn=400).sums(times)
    assert known.keys() == added.keys()
    for key, values in added.items():
        np.testing.assert_array_equal(known[key], values)


def test_resamples_of_no_example_have_no_mean():
    with np.errstate(invalid="ignore"):
        assert np.isnan(LossSample([]).replicates(np.random.default_rng(1), 7)).all()


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int64, np.uint64])
def test_labels_of_every_kind_of_whole_number_are_numbered(dtype):
    codes = np.random.default_rng(2).integers(-100, 101, 500)
    given = codes.astype(dtype) if dtype != np.uint64 else codes.astype(dtype) + np.uint64(2**63)
    assert np.array_equal(labels(given, 500, "group"), np.unique(codes, return_inverse=True)[1])


@pytest.mark.parametrize("codes", [[3, -2, 3, 0], [7, 10**12, 7, -5], ["b", "a", "b", "c"]])
def test_labels_are_numbered_in_sorted_order(codes):
    assert labels(codes, 4, "group").tolist() == [sorted(set(codes)).index(c) for c in codes]


@pytest.mark.parametrize("groups", [None, GROUPS])
def test_r2_by_sums_is_that_of_the_rows_drawn(groups):
    truth, output = SCORES.copy(), OTHER
    truth[7] = 1e9  # a resample without it has lost its digits in the sums
    entry = METRICS["r2"]
    moments = entry.declaration.moments(Outcome(truth, output))

    def exact(weights):
        return entry.function(truth, output, None, weights)

    sample = MomentSample(moments.columns, moments.function, exact, groups)
    drawn = sample.replicates(np.random.default_rng(9), 60)
    units = 50 if groups is None else groups.max() + 1
    times = drawn_weights(np.random.default_rng(9), units, 60).astype(int)
    rows = times if groups is None else times[:, groups]
    expected = [r2_score(np.repeat(truth, row), np.repeat(output, row)) for row in rows]
    assert drawn == pytest.approx(expected, rel=1e-8)
    assert 5 < (rows[:, 7] == 0).sum() < 55
    left_out, _ = sample.jackknife()
    kept = [np.arange(50) != i if groups is None else groups != i for i in range(units)]
    assert left_out == pytest.approx([r2_score(truth[k], output[k]) for k in kept], rel=1e-8)


@pytest.mark.parametrize("threads_used", [1, 2])
def test_a_long_interval_reports_how_far_it_is(threads_used, monkeypatch):
    monkeypatch.setattr(threads, "THREADS", threads_used)
    monkeypatch.setattr("evallang.stats.intervals.drawn_weights.BLOCK", 1 << 9)
    seen = []
    with watched(seen.append):
        bootstrap(LossSample(LOSSES), 0.95, 1, rounds=1000)
        assert seen == []  # nobody said what it is
        report_activity(Activity("computing", "mae of net", 3, 12))
        bootstrap(LossSample(LOSSES), 0.95, 1, rounds=1000)
    assert {(one.subject, one.done, one.total) for one in seen} == {("mae of net", 3, 12)}
    shares = [one.share for one in seen]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0, 1)
    assert len(shares) > 5


def test_the_share_of_a_bootstrap_of_groups_is_reported_block_by_block():
    groups = np.arange(6000) % 1500
    scores = np.random.default_rng(6).normal(size=6000)
    sample = ScoreSample(scores > 0.3, scores[::-1], groups)
    seen = []
    with watched(seen.append):
        report_activity(Activity("computing", "roc_auc of net", 0, 1))
        values = sample.replicates(np.random.default_rng(1), 4000)
    block = BLOCK // 1500
    assert len([one for one in seen if one.share]) == -(-4000 // block)
    times = drawn_weights(np.random.default_rng(1), 1500, 4000)[[0, block, 3999]]
    truth = scores > 0.3
    expected = [roc_auc_score(truth, scores[::-1], sample_weight=row[groups]) for row in times]
    assert values[[0, block, 3999]] == pytest.approx(expected, rel=1e-12)


def test_an_interruption_does_not_wait_for_what_the_threads_compute(monkeypatch):
    monkeypatch.setattr(threads, "processors", lambda: 2)
    begun, go_on, ended = threading.Event(), threading.Event(), []

    def work(number):
        if number:
            begun.set()
            go_on.wait(5)
            ended.append(number)

    numbers = threads.run_in_threads(work, range(4))
    assert next(numbers) == 0
    assert begun.wait(60)
    with pytest.raises(KeyboardInterrupt):
        numbers.throw(KeyboardInterrupt)
    assert ended == []
    go_on.set()


def test_resamples_of_few_groups_are_worked_on_few_at_a_time():
    n, seen = 5000, []

    def function(weights):
        seen.append(weights.shape)
        return weights @ np.ones(n)

    sample = WeightSample(n, function, np.arange(n) % 5, compiled=True)
    drawn = sample.replicates(np.random.default_rng(1), 2000)
    assert (drawn == n).all()  # five groups of as many rows, drawn five times
    assert max(rows * columns for rows, columns in seen) <= 1 << 20
    assert sum(rows for rows, _ in seen) == 2000


def test_weights_side_by_side_for_each_example_give_the_same_values():
    rng = np.random.default_rng(2)
    truth, score = rng.integers(0, 2, 3000), rng.integers(0, 400, 3000)
    statistic = METRICS.get("average_precision").declaration.under_weights(
        Outcome(truth, score, 2, 1), {}
    )
    plain, ordered = (
        WeightSample(3000, statistic, compiled=True, example_by_example=flag).replicates(
            np.random.default_rng(3), 1100
        )
        for flag in (False, True)
    )
    assert (plain == ordered).all()
    times = drawn_weights(np.random.default_rng(3), 3000, 1100)
    expected = [average_precision_score(truth, score, sample_weight=row) for row in times[::100]]
    assert ordered[::100] == pytest.approx(expected, abs=1e-7)  # quotients of single precision


@pytest.mark.parametrize("mean", [0.1, 0.75, 0.97, 1.0, 2.0, 7.8])
def test_the_levels_of_a_table_of_bytes_mix_to_the_poisson_distribution(mean):
    table = _ByteTable(mean)
    chances = np.diff(table._sums, prepend=0.0)
    for steps, places in reversed(table._levels):
        cells = np.iinfo(steps.dtype).max + 1
        drawn = np.diff([0, *steps.tolist(), cells])
        shares = np.pad(drawn, (0, len(chances) - len(drawn))) / cells
        rest = -np.expm1(-places)  # of values at which at least one random place falls
        chances = (1 - rest) * shares + rest * chances
    assert chances == pytest.approx(stats.poisson.pmf(np.arange(len(chances)), mean), abs=1e-15)


def test_the_acceleration_omits_undefined_values_and_is_a_skewness():
    values, times = np.random.default_rng(2).gamma(2, size=200), np.full(200, 3.0)
    expected = -stats.skew(values) / 6 / np.sqrt(600)
    assert _acceleration(values, times) == pytest.approx(expected, rel=1e-12)
    with_gaps = np.concatenate([values, [np.nan, np.nan]])
    assert _acceleration(with_gaps, np.full(202, 3.0)) == pytest.approx(expected, rel=1e-12)
