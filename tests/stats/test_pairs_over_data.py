"""Nemenyi, Bonferroni-Dunn, the sign test and effect sizes against R and scikit-posthocs."""

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from many_cases import for_each
from resamples import drawn_weights
from scipy import stats

from evallang.stats.draws import Block
from evallang.stats.effect_sizes import effect_size as effects
from evallang.stats.hypothesis_tests.datasets import bonferroni_dunn, median_of, nemenyi, sign
from evallang.stats.hypothesis_tests.losses import wilcoxon
from evallang.stats.rank_scores import critical_difference

REFERENCE = Path(__file__).parent / "reference"


def values_of(name):
    rows = csv.DictReader((REFERENCE / name).open(encoding="utf-8"))
    return {row["name"]: float(row["value"]) for row in rows}


R = values_of("over_data_r.csv")
PYTHON = values_of("over_data_python.csv")
SCORES = np.loadtxt(REFERENCE / "data_sets.csv", delimiter=",", skiprows=1)
SMALL = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=8)


@pytest.mark.parametrize("other", range(1, 5))
def test_nemenyis_p_is_that_of_r_and_scikit_posthocs(other):
    found = nemenyi(SCORES, "higher", (0, other))
    assert found.p == pytest.approx(R[f"nemenyi_p_1_{other + 1}"], rel=1e-10)
    assert found.p == pytest.approx(PYTHON[f"nemenyi_p_1_{other + 1}"], rel=1e-9)


@pytest.mark.parametrize("other", range(1, 5))
def test_bonferroni_dunn_multiplies_a_normal_p(other):
    found = bonferroni_dunn(SCORES, "higher", (0, other))
    assert found.p == pytest.approx(R[f"dunn_p_1_{other + 1}"], rel=1e-10)


@for_each("test", [nemenyi, bonferroni_dunn])
@for_each("other", range(1, 5))
@for_each("level", [0.2, 0.8, 0.95, 0.999])
def test_the_interval_of_ranks_decides_as_p_does(test, other, level):
    found = test(SCORES, "higher", (0, other), level)
    holds_0 = found.estimate.low <= 0 <= found.estimate.high
    assert holds_0 == (found.p > 1 - level)


def test_the_critical_difference_is_half_the_interval():
    found = nemenyi(SCORES, "higher", (0, 4), 0.95)
    half = (found.estimate.high - found.estimate.low) / 2
    assert half == pytest.approx(critical_difference(5, 30, 0.95), rel=1e-12)
    # R: qtukey(.95, 5, Inf)/sqrt(2), which R iterates to about 1e-8
    assert half == pytest.approx(R["q_5"] * (5 * 6 / (6 * 30)) ** 0.5, rel=1e-7)


@pytest.mark.parametrize("test", [nemenyi, bonferroni_dunn])
def test_a_pair_names_two_columns(test):
    for pair in ((0, 0), (0, 5), (-1, 2)):
        with pytest.raises(ValueError, match="two of the 5 columns"):
            test(SCORES, "higher", pair)


@pytest.mark.parametrize("test", [nemenyi, bonferroni_dunn])
def test_without_a_complete_data_set_there_is_no_p(test):
    found = test([[np.nan, 1.0, 2.0]], "higher")
    assert found.p is None
    assert any("no data set" in note for note in found.notes)
    assert test([[np.nan, 1.0, 2.0]], "higher", missing="worst").p is not None


@pytest.mark.parametrize("other", range(1, 5))
def test_the_sign_test_is_rs_binomial_test(other):
    found = sign(SCORES[:, 0], SCORES[:, other])
    assert found.p == pytest.approx(R[f"sign_p_1_{other + 1}"], rel=1e-12)


def test_direction_turns_wins_and_not_the_difference():
    one, other = sign(SCORES[:, 0], SCORES[:, 4]), sign(SCORES[:, 0], SCORES[:, 4], "lower")
    assert (one.extra["wins"], one.extra["losses"]) == (other.extra["losses"], other.extra["wins"])
    assert one.estimate == other.estimate
    assert one.p == other.p


def test_the_median_has_the_interval_of_order_statistics():
    # Ten values: P(X <= 1) = 11/1024 for a fair coin, so that the second and the ninth hold 97.9 %
    d = np.array([5.0, 1, 9, 3, 7, 2, 8, 4, 6, 10])
    estimate = sign(d, np.zeros(10)).estimate
    assert (estimate.low, estimate.value, estimate.high) == (2.0, 5.5, 9.0)
    # Five values hold 93.75 % at most
    estimate = sign(d[:5], np.zeros(5)).estimate
    assert (estimate.low, estimate.high) == (None, None)


def test_shared_ties_leave_one_of_an_odd_number_out():
    # 3 wins, 1 loss, 3 ties: 4 of 6
    d = [1, 1, 1, -1, 0, 0, 0]
    assert sign(d, np.zeros(7), zeros="split").p == stats.binomtest(4, 6).pvalue
    assert sign(d, np.zeros(7)).p == stats.binomtest(3, 4).pvalue


def test_models_that_tie_everywhere_have_p_1_in_the_sign_test():
    found = sign([0.3, 0.2], [0.1 + 0.2, 0.2])
    assert found.p == 1.0
    assert found.notes


def test_a_missing_score_is_left_out_or_loses():
    first, second = [0.9, np.nan, 0.7], [0.8, 0.5, 0.6]
    assert sign(first, second).extra["n"] == 2
    worst = sign(first, second, "higher", missing="worst")
    assert (worst.extra["wins"], worst.extra["losses"]) == (2, 1)
    with pytest.raises(ValueError, match="both models"):
        sign([1.0], [1.0, 2.0])


def test_a_median_between_two_infinities_is_undefined():
    assert median_of(np.array([-np.inf, np.inf])) is None
    assert median_of(np.array([np.inf, np.inf])) == np.inf
    assert median_of(np.array([])) is None


@given(pairs=SMALL)
def test_the_rank_biserial_correlation_is_the_balance_of_signed_ranks(pairs):
    x, y = np.array(pairs, dtype=float).T
    d = (x - y)[x != y]
    found = effects.rank_biserial(x, y).value
    if not len(d):
        assert found is None
        return
    ranks = stats.rankdata(abs(d))
    expected = (ranks[d > 0].sum() - ranks[d < 0].sum()) / ranks.sum()
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)


@given(pairs=SMALL)
def test_cliffs_delta_counts_all_pairs(pairs):
    x, y = np.array(pairs, dtype=float).T
    expected = np.sign(x[:, None] - y[None, :]).mean()
    found = effects.cliffs_delta(x, y).value
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)


@given(pairs=SMALL)
def test_akinshins_gamma_is_the_median_difference_over_the_pooled_deviation(pairs):
    x, y = np.array(pairs, dtype=float).T
    a, b = (stats.median_abs_deviation(v) * 1.4826 for v in (x, y))
    found = effects.akinshins_gamma(x, y).value
    if a == b == 0:
        assert found is None
        return
    expected = (np.median(x) - np.median(y)) / ((a * a + b * b) / 2) ** 0.5
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)


def plain_rank_biserial(x, y):
    d = (x - y).round(11)
    d = d[d != 0]
    ranks = stats.rankdata(abs(d))
    return (ranks[d > 0].sum() - ranks[d < 0].sum()) / ranks.sum() if len(d) else np.nan


def plain_delta(x, y):
    return np.sign(x[:, None] - y[None, :]).mean()


def plain_gamma(x, y):
    squares = [(stats.median_abs_deviation(v) * 1.4826) ** 2 for v in (x, y)]
    pooled = np.mean(squares) ** 0.5
    return (np.median(x) - np.median(y)) / pooled if pooled else np.nan


@pytest.mark.parametrize("n", [9, 40, 1203])
@pytest.mark.parametrize("decimals", [0, 1, 9])
def test_an_effect_on_resamples_is_that_of_the_scores_that_were_drawn(n, decimals):
    rng = np.random.default_rng(4)
    x = rng.normal(0.3, 1, n).round(decimals)
    values = np.column_stack([x, (x + rng.normal(-0.3, 0.8, n)).round(decimals)])
    times = drawn_weights(rng, n, 30)
    times[0], times[1] = 1, np.arange(n) > 0
    for make, plain in (
        (effects._rank_biserial, plain_rank_biserial),
        (effects._cliffs_delta, plain_delta),
        (effects._akinshins_gamma, plain_gamma),
    ):
        found = make(values)[1].on(Block(times.T))
        for row, value in zip(times, found, strict=True):
            each = np.repeat(values, row, axis=0).T
            assert value == pytest.approx(plain(*each), rel=1e-11, abs=1e-12, nan_ok=True)


def test_effects_that_are_computed_together_are_those_of_each_alone():
    rng = np.random.default_rng(7)
    x, y = rng.normal(0.2, 1, (2, 25)).round(1)
    x[3] = np.inf  # Cliff's delta alone counts it
    together = effects.effects_over_data(x, y, 0.9, 5)
    alone = (effects.rank_biserial, effects.akinshins_gamma, effects.cliffs_delta)
    assert together == tuple(effect(x, y, 0.9, 5) for effect in alone)


def test_average_ranks_have_the_interval_of_resampled_data_sets():
    ranks = stats.rankdata(-SCORES, axis=1)
    for effect, column in zip(
        effects.average_rank_effects(SCORES, better="higher"), ranks.T, strict=True
    ):
        # scipy's BCa of a mean; 2,000 and 5,000 resamples err by a few hundredths of the width
        found = stats.bootstrap(
            (column,), np.mean, n_resamples=5000, rng=np.random.default_rng(2)
        ).confidence_interval
        width = found.high - found.low
        assert effect.value == pytest.approx(column.mean(), rel=1e-12)
        assert effect.low == pytest.approx(found.low, abs=0.1 * width)
        assert effect.high == pytest.approx(found.high, abs=0.1 * width)
    assert effects.average_rank_effects([[np.nan, 1.0]], better="higher") == ()


def test_few_data_sets_and_resamples_that_agree_give_no_interval():
    found = effects.rank_biserial([1, 2, 3, 4], [2, 1, 1, 1])
    assert found.value is not None and found.low is None
    found = effects.rank_biserial(np.arange(20) + 1.0, np.zeros(20))
    assert found.value == 1.0 and found.low is None


def test_effects_of_nothing_are_undefined():
    for effect in (effects.rank_biserial, effects.cliffs_delta, effects.akinshins_gamma):
        assert effect([], []).value is None
    assert effects.kendalls_w(np.zeros((0, 3))).value is None
    assert effects.kendalls_w(np.zeros((6, 3))).value is None


def test_an_interval_that_few_differences_cannot_give_is_said():
    # of n differences the widest interval leaves out 2 / 2^n: 5 give 93.75 %, 6 give 96.875 %
    few = wilcoxon([0.8, 0.6, 0.7, 0.9, 0.5], [0.7, 0.5, 0.55, 0.7, 0.3])
    assert few.estimate.low is None
    assert "no 95% interval: 5 differences are too few to bound it" in few.notes
    six = wilcoxon([0.8, 0.6, 0.7, 0.9, 0.5, 0.4], [0.7, 0.5, 0.55, 0.7, 0.3, 0.1])
    assert six.estimate.low is not None
    assert not any("interval" in note for note in six.notes)
