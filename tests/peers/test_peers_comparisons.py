"""Comparisons of two models that packages get wrong (design/peers.md): ours, and which one."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from evallang.stats.hypothesis_tests.bayesian import bayes_t
from evallang.stats.hypothesis_tests.contingency import mcnemar
from evallang.stats.hypothesis_tests.folds import corrected_t
from evallang.stats.hypothesis_tests.losses import t as t_test, wilcoxon
from evallang.stats.hypothesis_tests.ranking_curves import delong
from evallang.stats.hypothesis_tests.resampling_tests import bootstrap, permutation
from evallang.stats.hypothesis_tests.swapping import LossSwapper, OutputSwapper
from evallang.stats.intervals.proportions import takahashi
from evallang.stats.intervals.resampling import DifferenceSample, LossSample
from evallang.stats.power_of_pairs import mcnemar_power

RANDOM = np.random.default_rng(41)
SCORES = RANDOM.normal(0.8, 0.03, (2, 10))


def test_the_signed_rank_test_does_not_choose_its_tail_from_the_data():
    # autorank rank_two, aeon's critical-difference diagram: one-sided in the direction of the
    # data, type I error .08 to .097 at .05; 1,000 rounds have a Monte Carlo error of .007
    random = np.random.default_rng(1)
    p = [wilcoxon(*random.normal(size=(2, 15))).p for _ in range(1000)]
    assert np.mean(np.array(p) <= 0.05) == pytest.approx(0.05, abs=0.02)


def test_swapping_the_models_does_not_change_the_p_of_the_signed_ranks():
    # autorank: always larger median first, alternative="greater"
    assert wilcoxon(*SCORES).p == wilcoxon(*SCORES[::-1]).p
    tails = [stats.wilcoxon(*SCORES, alternative=side).pvalue for side in ("greater", "less")]
    assert wilcoxon(*SCORES).p == pytest.approx(2 * min(tails), rel=1e-12)


def test_signed_ranks_with_ties_are_exact():
    # scipy 1.17.1 with method="exact" takes the distribution for ranks without ties
    d = np.array([1.0, 1.0, 1.0, 1.0, -1.0, -2.0, 2.0, 2.0, 2.0, 2.0])
    ranks = stats.rankdata(np.abs(d))
    sums = np.array(list(itertools.product([-1, 1], repeat=10))) @ ranks
    expected = np.mean(np.abs(sums) >= abs(ranks @ np.sign(d)) - 1e-9)
    assert wilcoxon(d, np.zeros(10)).p == pytest.approx(expected, rel=1e-12)
    assert abs(stats.wilcoxon(d, method="exact").pvalue - expected) > 0.002


def test_a_test_for_paired_losses_is_paired():
    # autorank's Tukey intervals take no notice of the pairing: p = 5.7e-22 for the omnibus, and
    # no difference found in the same report
    blocks = np.linspace(0, 10, 30)
    found = t_test(blocks + 0.05 + RANDOM.normal(0, 0.01, 30), blocks)
    assert found.p < 1e-15
    assert found.estimate.low > 0


@pytest.mark.parametrize("rounds", [500])
def test_the_same_seed_gives_the_same_resamples_and_another_seed_others(rounds):
    # rliable: three runs with RandomState(42) give three intervals
    np.random.seed(1)  # rliable draws from this one
    losses = RANDOM.normal(size=(2, 60))
    sample = DifferenceSample(LossSample(losses[0]), LossSample(losses[1]))
    one = bootstrap(sample, 0.95, 42, rounds=rounds)
    np.random.seed(2)
    assert bootstrap(sample, 0.95, 42, rounds=rounds) == one
    assert bootstrap(sample, 0.95, 43, rounds=rounds).estimate != one.estimate
    swapper = LossSwapper(*losses)
    drawn = permutation(swapper, 0.95, 42, rounds=rounds)
    assert permutation(swapper, 0.95, 42, rounds=rounds) == drawn
    assert permutation(swapper, 0.95, 43, rounds=rounds).p != drawn.p


def test_a_p_from_random_draws_is_never_0_and_has_its_error():
    # MLstatkit, deep-significance: a count over rounds, which can be 0; mlxtend: no error
    swapper = LossSwapper(RANDOM.normal(5, 1, 60), np.zeros(60))
    found = permutation(swapper, rounds=999)
    assert found.p == 1 / 1000
    assert found.extra["mc_se"] == pytest.approx(math.sqrt(0.001 * 0.999 / 1000))
    sample = DifferenceSample(LossSample(RANDOM.normal(5, 1, 60)), LossSample(np.zeros(60)))
    assert bootstrap(sample, rounds=999).p == 2 / 1000


def test_resampling_keeps_the_outputs_of_an_example_together():
    # rliable resamples the two algorithms independently, which loses the pairing
    shared = RANDOM.normal(0, 10, 80)
    first, second = shared + 0.05, shared + RANDOM.normal(0, 0.01, 80)
    sample = DifferenceSample(LossSample(first), LossSample(second))
    found = bootstrap(sample, rounds=1000)
    assert found.estimate.high - found.estimate.low < 0.01


def test_the_correlation_of_folds_follows_from_their_sizes():
    # baycomp #3: 1/folds only; for thirty holdouts of 1/3 that is 1/30 instead of 1/3
    d = RANDOM.normal(0.01, 0.03, (2, 30))
    found = bayes_t(*d, np.full(30, 200), np.full(30, 100), rope=0.0, better="higher")
    assert found.extra["correlation"] == pytest.approx(1 / 3, rel=1e-12)
    assert found.extra["scale"] == pytest.approx(
        (d[0] - d[1]).std(ddof=1) * math.sqrt(1 / 30 + 1 / 2), rel=1e-12
    )


def test_the_posterior_of_folds_needs_no_draws():
    # baycomp samples it from numpy's global generator, whatever the seed
    options = {"bounded": True, "better": "higher", "test_train_ratio": 1 / 2}
    assert bayes_t(*SCORES, **options) == bayes_t(*SCORES, **options)
    assert "seed" not in bayes_t.__annotations__


def test_a_region_on_the_wrong_scale_is_not_taken_for_granted():
    # baycomp #7: a rope of .01 on scores in percent, or on errors in thousands
    with pytest.raises(ValueError, match="in the unit of this metric"):
        bayes_t(1000 * SCORES[0], 1000 * SCORES[1], better="higher")


def test_both_tails_of_the_corrected_t_count():
    # scikit-learn's gallery example plot_grid_search_stats gives one tail without saying so
    sizes = np.full(10, 90), np.full(10, 10)
    found = corrected_t(*SCORES, *sizes)
    assert found.p == pytest.approx(2 * stats.t.sf(abs(found.statistic.value), 9), rel=1e-12)


def test_the_p_of_delong_is_a_p_and_its_z_has_a_sign():
    # roc_comparison: log10(p) in a 1 x 1 array, and |z|
    truth = np.arange(60) < 25
    scores = truth[:, None] * [0.5, 2.0] + RANDOM.normal(size=(60, 2))
    found = delong(truth, scores)
    assert found.statistic.value < 0
    assert found.p == pytest.approx(2 * stats.norm.sf(-found.statistic.value), rel=1e-12)
    assert isinstance(found.p, float)
    assert delong(truth, scores[:, ::-1]).statistic.value == -found.statistic.value


def test_delong_compares_areas_that_differ_in_the_seventh_digit():
    # confidenceinterval, MLstatkit's ancestor: float32 mid-ranks err by 6e-8 at a million rows
    n = 400_000
    truth = np.arange(n) % 2 == 1
    first = np.arange(n, dtype=float)
    second = first.copy()
    second[[0, 1]] = second[[1, 0]]  # one pair out of order
    found = delong(truth, np.column_stack([first, second]))
    assert found.estimate.value == pytest.approx(1 / (n / 2) ** 2, rel=1e-3)


def test_two_equal_models_do_not_divide_by_their_variance_of_0():
    # roc_comparison: division by zero; MLstatkit: another method, silently
    scores = np.column_stack([np.arange(10.0)] * 2)
    found = delong(np.arange(10) > 4, scores)
    assert (found.p, found.variant) == (1.0, "delong")


def test_a_separating_model_does_not_make_p_0_by_a_variance_of_0():
    # MLstatkit falls back on a bootstrap without a word; others give p = 0
    found = delong([1, 1, 0, 0], [[4, 1], [3, 2], [2, 3], [1, 4]])
    assert found.p is None
    assert found.notes


def test_delong_takes_more_than_two_models():
    # No Python package does; R's pROC does not either
    truth = np.arange(90) < 40
    scores = truth[:, None] * [1.0, 1.0, 2.0] + RANDOM.normal(size=(90, 3))
    assert delong(truth, scores).df == (2.0,)


def test_one_class_in_a_resample_is_counted_not_dropped_in_silence():
    # MLstatkit's bootstrap drops such resamples without saying so
    labels = np.array([0, 0, 0, 0, 0, 0, 0, 1])

    def share_of_named(output):
        named = output == 1
        return float((named & (labels == 1)).sum() / named.sum()) if named.any() else math.nan

    first, second = labels.copy(), np.roll(labels, 1)
    second[0], second[1] = 0, 1
    found = permutation(OutputSwapper(first, second, share_of_named))
    assert "undefined in some permutations" in found.notes[0]


def test_macro_f1_has_the_width_of_its_paper_and_stays_below_1():
    # confidenceinterval 1.0.5: [.5598, .8555] for this table; the authors' own program [.6014,
    # .8139] (tests/stats/reference/from_r.R); and (.548, 1.113) for a smaller one
    table = [[30, 4, 2], [5, 20, 6], [1, 3, 9]]
    found = takahashi(table, "macro", None, 0.95, scale="plain")
    assert (found.low, found.high) == pytest.approx((0.601445, 0.813881), abs=1e-6)
    small = takahashi([[6, 1], [0, 1]], "macro", None, 0.95)
    assert 0 < small.low < small.high < 1


def test_power_of_mcnemar_is_for_a_difference_stated_beforehand():
    # lm-evaluation-harness #4017 asks for it after the fact; Hoenig & Heisey 2001
    with pytest.raises(ValueError, match="nothing to the p-value"):
        mcnemar_power("observed", 0.1, 500)


def test_raw_predictions_are_not_what_ranks_are_made_of():
    # Hugging Face evaluate's wilcoxon takes raw predictions: two biased regressors with equal
    # losses "differ" there; losses do not
    truth = RANDOM.normal(size=40)
    high, low = truth + 1, truth - 1
    assert wilcoxon(np.abs(high - truth), np.abs(low - truth)).p == 1.0
    assert stats.wilcoxon(high, low).pvalue < 1e-6


def test_paired_accuracies_are_not_compared_as_if_they_were_independent():
    # lm-evaluation-harness model_comparator.py: an unpaired z gives .080 where the pairs give .008
    table = ((820, 50), (26, 104))
    n = 1000
    first, second = 870 / n, 846 / n
    z = (first - second) / math.sqrt((first * (1 - first) + second * (1 - second)) / n)
    assert 2 * stats.norm.sf(z) > 0.1
    assert mcnemar(table).p < 0.01
