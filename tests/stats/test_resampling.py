"""Bootstrap intervals against scipy, and the fast resamples against plain ones."""

import numpy as np
import pytest
from many_cases import for_each
from resamples import drawn_weights
from scipy import stats
from sklearn.metrics import r2_score, roc_auc_score

from evallang.activity import Activity, report_activity, watched
from evallang.metrics.metric import METRICS, Outcome
from evallang.stats import draws
from evallang.stats.basics import labels
from evallang.stats.draws import Resamples, draw_together
from evallang.stats.intervals.resampling import (
    CountSample,
    DifferenceSample,
    LossSample,
    PairedCountSample,
    ResampledBounds,
    ScoreSample,
    SumSample,
    WeightSample,
    bootstrap,
    spread_out,
    table_sample,
)

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


def test_large_samples_leave_out_blocks_with_nearly_the_same_acceleration():
    losses = np.random.default_rng(3).exponential(size=5000)

    def mean(weights):
        return weights @ losses / weights.sum(axis=1)

    values, _ = WeightSample(5000, mean).jackknife()
    assert len(values) == 200
    found = bootstrap(WeightSample(5000, mean), 0.95, 1, rounds=400)
    expected = bootstrap(LossSample(losses), 0.95, 1, rounds=400)
    assert found.low == pytest.approx(expected.low, abs=2e-3)
    assert found.high == pytest.approx(expected.high, abs=2e-3)


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
    draw_together(samples)
    for sample, values in zip(samples, alone, strict=True):
        np.testing.assert_array_equal(sample.replicates(np.random.default_rng(3), 400), values)
    both = DifferenceSample(samples[0], samples[2]).replicates(np.random.default_rng(3), 400)
    np.testing.assert_array_equal(both, alone[0] - alone[2])
    other = samples[0].replicates(np.random.default_rng(4), 400)
    assert (other != alone[0]).any()


def test_statistics_of_other_examples_are_not_drawn_together():
    samples = [LossSample(np.arange(30.0)), LossSample(np.arange(31.0))]
    alone = [LossSample(np.arange(n)).replicates(np.random.default_rng(1), 50) for n in (30.0, 31)]
    draw_together(samples)
    for sample, values in zip(samples, alone, strict=True):
        np.testing.assert_array_equal(sample.replicates(np.random.default_rng(1), 50), values)


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int64, np.uint64])
def test_labels_of_every_kind_of_whole_number_are_numbered(dtype):
    codes = np.random.default_rng(2).integers(-100, 101, 500)
    given = codes.astype(dtype) if dtype != np.uint64 else codes.astype(dtype) + np.uint64(2**63)
    assert np.array_equal(labels(given, 500, "group"), np.unique(codes, return_inverse=True)[1])


@pytest.mark.parametrize("groups", [None, GROUPS])
def test_r2_by_sums_is_that_of_the_rows_drawn(groups):
    truth, output = SCORES.copy(), OTHER
    truth[7] = 1e9  # a resample without it has lost its digits in the sums
    entry = METRICS["r2"]
    moments = entry.declaration.moments(Outcome(truth, output))
    sample = SumSample(moments.columns, moments.function, groups)
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


def test_the_acceleration_omits_undefined_values_and_is_a_skewness():
    values = np.random.default_rng(2).gamma(2, size=200)
    expected = -stats.skew(values) / 6 / np.sqrt(600)

    class Tripled(Given):
        def jackknife(self):
            return self.left_out, np.full(len(self.left_out), 3.0)

    for left_out in (values, np.concatenate([values, [np.nan, np.nan]])):
        found = ResampledBounds(Tripled(0.0, np.ones(9), left_out), 1, "bca", 9)
        assert found._acceleration == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("units", [1, 9, 60, 3000])
def test_draws_one_by_one_have_the_distribution_of_a_multinomial(units):
    # Chi-squared goodness of fit of all counts to the binomial, fixed seed
    drawn = np.concatenate(
        [b.times for b in Resamples(np.ones(units)).blocks(np.random.default_rng(3), 2000)], axis=1
    )
    assert (drawn.sum(axis=0) == units).all()
    seen = np.bincount(drawn[: max(1, units // 10)].ravel())  # nearly independent of each other
    expected = stats.binom.pmf(np.arange(len(seen)), units, 1 / units) * seen.sum()
    often = expected > 10
    if often.sum() > 1:
        counts = [np.append(x[often], x[~often].sum()) for x in (seen, expected)]
        counts[1][-1] = seen.sum() - counts[1][:-1].sum()
        kept = counts[1] > 1
        ratio = counts[0][kept].sum() / counts[1][kept].sum()
        assert stats.chisquare(counts[0][kept], counts[1][kept] * ratio).pvalue > 0.01


def test_counts_of_groups_add_up_to_those_of_the_examples_drawn():
    rng = np.random.default_rng(6)
    truth, label = rng.integers(0, 3, 50), rng.integers(0, 3, 50)

    def one_by_one(weights):
        tables = np.zeros((len(weights), 3, 3))
        for table, row in zip(tables, weights, strict=True):
            np.add.at(table, (truth, label), row)
        return macro_f1(tables)

    def of_cells(truth, label):
        return spread_out(truth * 3 + label, (3, 3), macro_f1)

    for groups in (GROUPS, None):
        sample = table_sample(truth, label, of_cells, groups)
        plain = WeightSample(50, one_by_one, groups)
        drawn = [s.replicates(np.random.default_rng(2), 200) for s in (sample, plain)]
        np.testing.assert_array_equal(*drawn)
        np.testing.assert_array_equal(sample.jackknife()[0], plain.jackknife()[0])
        assert sample.estimate() == plain.estimate()


def test_a_long_interval_reports_how_far_it_is(monkeypatch):
    monkeypatch.setattr(draws, "BLOCK", 1 << 9)
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
