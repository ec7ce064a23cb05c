"""Swapping outputs against brute force, exact McNemar, R and mlxtend; the bootstrap test."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats
from sklearn.metrics import average_precision_score, roc_auc_score
from stats.reference_values import columns, figures

from evallang.stats.draws import draw_together
from evallang.stats.hypothesis_tests.contingency import mcnemar
from evallang.stats.hypothesis_tests.resampling_tests import NO_INVERSION, bootstrap, permutation
from evallang.stats.hypothesis_tests.swapping import (
    CountSwapper,
    LossSwapper,
    OutputSwapper,
    ScoreSwapper,
    SignSwapper,
    answer_swapper,
    ranked,
)
from evallang.stats.intervals.resampling import (
    DifferenceSample,
    LossSample,
)

R = figures("from_r")
RANDOM = np.random.default_rng(17)


def accuracy(matrix):
    return np.trace(matrix, axis1=-2, axis2=-1) / matrix.sum((-1, -2))


def f1(matrix):
    hits, sums = matrix[..., 1, 1], matrix[..., 1, :].sum(-1) + matrix[..., :, 1].sum(-1)
    return np.divide(2 * hits, sums, out=np.full(np.shape(sums), np.nan), where=sums > 0)


def joint_counts(truth, first, second, k):
    counts = np.zeros((k, k, k), dtype=int)
    np.add.at(counts, (truth, first, second), 1)
    return counts


def area(truth, scores):
    up, down = scores[truth][:, None], scores[~truth][None, :]
    return np.mean((up > down) + (up == down) / 2)


def brute_force(first, second, metric):
    """Share of all swaps within examples whose difference is at least as large."""
    observed = abs(metric(first) - metric(second))
    found = []
    for swap in itertools.product([False, True], repeat=len(first)):
        chosen = np.array(swap)
        one, other = np.where(chosen, second, first), np.where(chosen, first, second)
        found.append(abs(metric(one) - metric(other)) >= observed - 1e-12)
    return np.mean(found)


def test_swapping_the_right_and_wrong_of_two_models_is_the_exact_mcnemar_test():
    for table in ([[10, 5], [1, 4]], [[700, 60], [85, 100]], [[3, 0], [7, 0]]):
        (a, b), (c, d) = table
        # truth 1 throughout: right is a prediction of 1
        joint = np.array([[[0, 0], [0, 0]], [[d, c], [b, a]]])
        found = permutation(CountSwapper(joint, accuracy))
        assert found.p == pytest.approx(mcnemar(table, method="exact").p, rel=1e-9)
        assert found.estimate.value == pytest.approx((b - c) / (a + b + c + d), rel=1e-12)
        assert found.variant == "swapped examples, exact"


def test_whole_losses_get_the_exact_p_of_r():
    whole = columns("whole")
    found = permutation(LossSwapper(whole["first"], whole["second"]))
    assert found.p == pytest.approx(R["permutation_exact"], rel=1e-9)
    assert found.extra["mc_se"] == 0.0


@given(
    rows=st.lists(
        st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=9
    )
)
def test_counts_of_patterns_give_the_p_of_all_swaps(rows):
    truth, first, second = (np.array(column) for column in zip(*rows, strict=True))

    def metric(labels):
        return float(np.mean(truth == labels) + np.mean((labels == 2) & (truth == 1)) / 3)

    def of_matrix(matrix):
        n = matrix.sum((-1, -2))
        return (np.trace(matrix, axis1=-2, axis2=-1) + matrix[..., 1, 2] / 3) / n

    found = permutation(CountSwapper(joint_counts(truth, first, second, 3), of_matrix))
    assert found.p == pytest.approx(brute_force(first, second, metric), rel=1e-9)


@given(
    rows=st.lists(
        st.tuples(st.booleans(), st.integers(0, 4), st.integers(0, 4)), min_size=3, max_size=8
    )
)
def test_areas_by_ranks_give_the_p_of_all_swaps(rows):
    truth, first, second = (np.array(column) for column in zip(*rows, strict=True))
    if truth.all() or not truth.any():
        return
    ranks = stats.rankdata(first), stats.rankdata(second)
    swapper = ScoreSwapper(truth, first, second)
    assert swapper.estimate() == pytest.approx(
        roc_auc_score(truth, first) - roc_auc_score(truth, second), abs=1e-12
    )
    expected = brute_force(*ranks, lambda scores: area(truth, scores))
    assert permutation(swapper).p == pytest.approx(expected, rel=1e-9)


def test_any_metric_of_outputs_gives_the_p_of_all_swaps():
    truth = np.arange(8) % 3 == 0
    first, second = RANDOM.normal(size=(2, 8))

    def metric(scores):
        return average_precision_score(truth, scores)

    found = permutation(OutputSwapper(first, second, metric, by_ranks=True))
    expected = brute_force(stats.rankdata(first), stats.rankdata(second), metric)
    assert found.p == pytest.approx(expected, rel=1e-9)
    assert found.variant == "swapped examples, exact"


def test_random_signs_are_fair_coins_that_all_differences_share(monkeypatch):
    monkeypatch.setattr("evallang.stats.draws.BLOCK", 1 << 12)
    first, second = np.random.default_rng(5).normal(size=(2, 203))
    drawn = [
        s.replicates(np.random.default_rng(1), 4000)
        for s in (SignSwapper(first), SignSwapper(second), SignSwapper(first + second))
    ]
    np.testing.assert_allclose(drawn[0] + drawn[1], drawn[2], atol=1e-12)
    # A sum of fair signs has mean 0, variance of the sum of squares, and covariance likewise
    squares = np.sum(first**2)
    assert abs(drawn[0].mean()) < 4 * math.sqrt(squares / 4000)
    assert drawn[0].var() == pytest.approx(squares, rel=4 * math.sqrt(2 / 4000))
    assert np.corrcoef(drawn[:2])[0, 1] == pytest.approx(
        first @ second / math.sqrt(squares * np.sum(second**2)), abs=4 / math.sqrt(4000)
    )
    # Each unit by itself keeps its sign half of the time, and no two go together
    units = np.array(
        [SignSwapper(row).replicates(np.random.default_rng(1), 4000) for row in np.eye(20)]
    )
    assert set(np.unique(units)) == {-1.0, 1.0}
    assert np.abs(np.corrcoef(units) - np.eye(20)).max() < 5 / math.sqrt(4000)
    np.testing.assert_allclose(
        (first[:20] @ units), SignSwapper(first[:20]).replicates(np.random.default_rng(1), 4000)
    )


@pytest.mark.parametrize("transform", [None, "sqrt"])
def test_differences_in_one_pass_have_their_own_values(monkeypatch, transform):
    monkeypatch.setattr("evallang.stats.draws.BLOCK", 1 << 10)
    losses = np.random.default_rng(8).exponential(size=(11, 61))
    losses[1] = losses[0]
    losses[2] = losses[0] * (1 + 1e-15)
    pairs = list(itertools.combinations(losses, 2))  # more than one product holds
    own = [LossSwapper(*pair, transform).replicates(np.random.default_rng(3), 90) for pair in pairs]
    together = [LossSwapper(*pair, transform) for pair in pairs]
    undefined = LossSwapper([math.inf] * 61, losses[0])
    draw_together([undefined, *together, OutputSwapper([1, 2], [2, 1], np.mean)])
    for swapper, expected in zip(together, own, strict=True):
        drawn = swapper.replicates(np.random.default_rng(3), 90)
        np.testing.assert_allclose(drawn, expected, rtol=0, atol=1e-13)
        assert (drawn[expected == 0.0] == 0.0).all()
    assert (own[0] == 0.0).all() and (own[1] == 0.0).all()


def test_counts_too_many_to_enumerate_are_drawn():
    truth, first, second = RANDOM.integers(0, 4, (3, 900))
    swapper = CountSwapper(joint_counts(truth, first, second, 4), accuracy)
    found = permutation(swapper, rounds=20_000, seed=9)
    right, wrong = (truth == first) & (truth != second), (truth != first) & (truth == second)
    exact = mcnemar([[0, int(right.sum())], [int(wrong.sum()), 0]], method="exact").p
    assert "exact" not in found.variant
    assert abs(found.p - exact) < 4 * found.extra["mc_se"]


def test_the_difference_of_roots_has_the_p_of_the_difference_of_means():
    first, second = RANDOM.exponential([[1.0], [1.5]], (2, 12))
    mean, root = LossSwapper(first, second), LossSwapper(first, second, "sqrt")
    assert permutation(root).p == pytest.approx(permutation(mean).p, rel=1e-9)
    assert root.estimate() == pytest.approx(
        math.sqrt(first.mean()) - math.sqrt(second.mean()), rel=1e-12
    )


def test_blocks_are_swapped_as_a_whole():
    first, second = RANDOM.normal(size=(2, 30))
    found = permutation(LossSwapper(first, second), block=4)
    # Eight blocks, the last with two examples
    d = first - second
    sums = np.array([d[i : i + 4].sum() for i in range(0, 30, 4)])
    signs = np.array(list(itertools.product([-1, 1], repeat=8)))
    expected = np.mean(np.abs(signs @ sums) >= abs(sums.sum()) - 1e-12)
    assert found.p == pytest.approx(expected, rel=1e-9)
    assert found.variant == "swapped blocks, exact"
    any_metric = OutputSwapper(first, second, lambda x: float(np.mean(x)))
    assert permutation(any_metric, block=4).p == pytest.approx(expected, rel=1e-9)


def test_groups_are_swapped_as_a_whole():
    first, second = RANDOM.normal(size=(2, 12))
    groups = np.arange(12) // 3
    found = permutation(LossSwapper(first, second, groups=groups))
    assert found.p * 16 == pytest.approx(round(found.p * 16), abs=1e-9)
    assert found.variant == "swapped groups, exact"
    by_rows = OutputSwapper(first, second, lambda x: float(np.mean(x)), groups)
    assert permutation(by_rows).p == pytest.approx(found.p, rel=1e-9)


def test_equal_outputs_have_p_1_and_a_note():
    for swapper in (
        LossSwapper([0.1 + 0.2, 1.0], [0.3, 1.0]),
        ScoreSwapper([1, 0, 1], [3, 1, 2], [30, 10, 20]),
        CountSwapper([[[3, 0], [0, 1]], [[0, 0], [0, 2]]], accuracy),
        OutputSwapper([1, 2], [1, 2], np.mean),
    ):
        found = permutation(swapper)
        assert found.p == 1.0
        assert "do not differ" in found.notes[0]


def test_swaps_that_leave_the_metric_undefined_count_against_the_difference():
    def precision(matrix):
        named = matrix[..., :, 1].sum(-1)
        return np.divide(
            matrix[..., 1, 1], named, out=np.full(np.shape(named), np.nan), where=named > 0
        )

    # One example each on which just one model says 1: swaps may leave a model without any
    found = permutation(CountSwapper([[[5, 1], [0, 0]], [[0, 0], [1, 0]]], precision))
    assert found.p == 1.0
    assert "undefined in some permutations" in found.notes[0]


def test_what_cannot_be_swapped_is_refused():
    with pytest.raises(ValueError, match="order of the examples"):
        permutation(CountSwapper(np.ones((2, 2, 2)), accuracy), block=3)
    with pytest.raises(ValueError, match="in groups or in blocks"):
        permutation(LossSwapper([1.0, 2.0], [2.0, 1.0], groups=[0, 1]), block=2)
    with pytest.raises(ValueError, match="every fold"):
        permutation(LossSwapper([1.0], [2.0, 3.0]))
    with pytest.raises(ValueError, match="a score is missing"):
        ScoreSwapper([1, 0], [1, math.nan], [2, 1])


@pytest.mark.parametrize(
    "swapper",
    [
        LossSwapper([math.inf, 1.0], [math.inf, 2.0]),
        LossSwapper([], []),
        ScoreSwapper([1, 1], [1, 2], [2, 1]),
        CountSwapper(np.zeros((2, 2, 2)), f1),
    ],
)
def test_a_metric_that_is_undefined_has_no_p(swapper):
    found = permutation(swapper)
    assert found.p is None
    assert found.estimate.value is None
    assert "no finite value" in found.notes[0]


def test_a_metric_without_inversion_moves_its_swaps_to_the_difference_and_says_so():
    truth = np.repeat([0, 1], 20)
    first, second = RANDOM.normal(size=(2, 40)) + truth
    swapper = ScoreSwapper(truth, first, second)
    found = permutation(swapper, 0.9, 4, rounds=999)
    drawn = np.sort(np.abs(swapper.replicates(np.random.default_rng(4), 999)))[::-1]
    # p = (1 + count)/1000 is above .1 where 100 or more of the swaps are as large
    assert found.estimate.high - found.estimate.value == pytest.approx(drawn[99], rel=1e-12)
    assert NO_INVERSION in found.notes


def p_of_shift(d, groups, shift):
    """Share of all sign changes of whole groups under which the mean of d - shift is as far out."""
    sums = np.bincount(groups, d - shift) / len(d)
    signs = np.array(list(itertools.product([-1, 1], repeat=len(sums))))
    return np.mean(np.abs(signs @ sums) >= abs(sums.sum()) - 1e-12)


@given(st.integers(0, 10_000), st.sampled_from([0.05, 0.1, 0.3]))
def test_the_interval_of_means_is_the_inversion_of_the_test(seed, alpha):
    rng = np.random.default_rng(seed)
    d = np.round(rng.normal(0.5, 1, 12), rng.integers(0, 9))
    groups = np.arange(12) // rng.integers(1, 3)
    found = permutation(LossSwapper(d, np.zeros(12), groups=groups), level=1 - alpha).estimate
    if found.low is None:
        assert p_of_shift(d, groups, 1e6) > alpha
        return
    for bound, side in ((found.low, -1), (found.high, 1)):
        assert p_of_shift(d, groups, bound + side * 1e-7) <= alpha + 1e-12
        assert p_of_shift(d, groups, bound - side * 1e-7) > alpha or bound == found.value


@given(st.integers(0, 10_000), st.integers(30, 90), st.floats(0.02, 0.98))
def test_p_and_inversion_decide_alike_at_every_level(seed, n, level):
    d = np.random.default_rng(seed).normal(0.2, 1, n)
    found = permutation(LossSwapper(d, np.zeros(n)), level, seed, rounds=199)
    low, high = found.estimate.low, found.estimate.high
    assert (found.p <= 1 - level) == (not low <= 0 <= high)


def test_the_inversion_of_right_answers_rests_on_three_counts():
    d = np.repeat([1.0, -1.0, 0.0], [4, 1, 9])
    by_counts = permutation(answer_swapper([[6, 4], [1, 3]])).estimate
    by_rows = permutation(LossSwapper(d, np.zeros(14))).estimate
    assert (by_counts.low, by_counts.high) == pytest.approx((by_rows.low, by_rows.high), abs=1e-12)
    errors = permutation(answer_swapper([[6, 4], [1, 3]], -1.0)).estimate
    assert (errors.low, errors.high) == pytest.approx((-by_counts.high, -by_counts.low), abs=1e-12)


def test_too_few_examples_have_no_inversion():
    found = permutation(LossSwapper([1.0, 2.0, 3.0], [0.0, 0.0, 0.0]))
    assert found.p == 0.25
    assert found.estimate.low is None
    assert "too few" in found.notes[-1]


def test_ranks_are_mid_ranks():
    values = RANDOM.integers(0, 5, 30)
    assert ranked(values) == pytest.approx(stats.rankdata(values))
    both = np.column_stack([values, -values])
    assert ranked(both)[:, 1] == pytest.approx(stats.rankdata(-values))
    for missing in (np.array([1.0, np.nan, 2.0]), np.array([[1.0, 2.0], [np.nan, 0.0]])):
        with pytest.raises(ValueError, match="missing"):
            ranked(missing)


# --- bootstrap ---------------------------------------------------------------------------


def differences_of_means(n, shift, seed):
    first, second = np.random.default_rng(seed).normal([[shift], [0.0]], 1, (2, n))
    return DifferenceSample(LossSample(first), LossSample(second))


@pytest.mark.parametrize("method", ["bca", "percentile"])
def test_p_and_interval_agree(method):
    for shift in np.linspace(-0.8, 0.8, 9):
        found = bootstrap(differences_of_means(40, shift, 3), 0.95, 7, method=method, rounds=2000)
        holds_zero = found.estimate.low <= 0 <= found.estimate.high
        assert holds_zero == (found.p > 0.05)


def test_the_percentile_p_is_twice_the_share_of_resamples_beyond_0():
    sample = differences_of_means(40, 0.3, 3)
    drawn = sample.replicates(np.random.default_rng(7), 4000)
    expected = 2 * min(np.mean(drawn <= 0), np.mean(drawn >= 0))
    found = bootstrap(sample, 0.95, 7, method="percentile", rounds=4000)
    assert found.p == pytest.approx(expected, abs=2 / 4000)


def test_the_bca_p_is_the_closed_form_of_efron_and_tibshirani():
    # The alpha whose corrected percentile is 0: ndtr((w - z)/(1 + a (w - z)) - z), w = ndtri(share)
    first = np.random.default_rng(3).exponential(1.3, 40)
    second = np.random.default_rng(4).exponential(1.0, 40)
    sample = DifferenceSample(LossSample(first), LossSample(second))
    drawn = sample.replicates(np.random.default_rng(7), 4000)
    left_out, _ = sample.jackknife()
    gaps = left_out.mean() - left_out
    a = (gaps**3).sum() / (6 * (gaps**2).sum() ** 1.5)
    z = stats.norm.ppf(np.mean(drawn < sample.estimate()))
    w = stats.norm.ppf(np.mean(drawn < 0))
    tail = stats.norm.cdf((w - z) / (1 + a * (w - z)) - z)
    found = bootstrap(sample, 0.95, 7, rounds=4000)
    assert found.p == pytest.approx(2 * min(tail, 1 - tail), abs=2 / 4000)


def test_a_large_difference_has_the_smallest_p_that_the_rounds_allow():
    found = bootstrap(differences_of_means(60, 5.0, 3), 0.95, 7, rounds=999)
    assert found.p == 2 / 1000
