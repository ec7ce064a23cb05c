"""Intervals of sums of shares, and the test of means of recalls, against exact distributions."""

import itertools
import math

import numpy as np
import pytest
from scipy import optimize, stats as peer

from evallang import stats
from evallang.stats.hypothesis_tests.contingency import paired_recalls
from evallang.stats.intervals.ratio_of_sums import sum_of_shares

UNIT = (0.0, 1.0)


def of_recalls(hits, sizes):
    return tuple(
        (1 / len(sizes), h, n, k) for k, (h, n) in enumerate(zip(hits, sizes, strict=True))
    )


@pytest.mark.parametrize(
    ("positives", "negatives", "recall"), [(5, 95, 0.9), (10, 190, 0.9), (20, 80, 0.7)]
)
def test_the_coverage_of_balanced_accuracy_summed_over_all_outcomes(positives, negatives, recall):
    # Both classes have the same recall, which is then the balanced accuracy; exact by binomials
    held = 0.0
    for x, y in itertools.product(range(positives + 1), range(negatives + 1)):
        chance = peer.binom.pmf(x, positives, recall) * peer.binom.pmf(y, negatives, recall)
        if chance > 1e-9:
            terms = of_recalls((x, y), (positives, negatives))
            found = sum_of_shares(terms, UNIT, 0.95)
            held += chance * (found.low <= recall <= found.high)
    assert held >= 0.93


def test_one_share_has_wilsons_interval_and_a_negative_one_is_turned():
    # scipy's Wilson interval of 13 of 16
    low, high = peer.binomtest(13, 16).proportion_ci(0.95, "wilson")
    found = sum_of_shares(((1.0, 13, 16, 0),), UNIT, 0.95)
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-12)
    turned = sum_of_shares(((-1.0, 13, 16, 0),), (-1.0, 0.0), 0.95)
    assert (turned.low, turned.high) == pytest.approx((-high, -low), rel=1e-12)


def test_shares_of_one_set_are_correlated_as_a_multinomial():
    # With many examples the width is that of the delta method: Var(p - w q) of a multinomial
    n, p, q, w = 1_000_000, 0.3, 0.2, 0.25
    terms = ((1.0, int(n * p), n, 0), (-w, int(n * q), n, 0))
    found = sum_of_shares(terms, (None, 1.0), 0.95)
    variance = (p * (1 - p) + w * w * q * (1 - q) + 2 * w * p * q) / n
    half = peer.norm.ppf(0.975) * math.sqrt(variance)
    assert (found.high - found.low) / 2 == pytest.approx(half, rel=1e-5)


@pytest.mark.parametrize("pairs", [((3, 1, 5), (2, 9, 95)), ((9, 1, 30), (1, 2, 40))])
def test_p_is_the_smallest_alpha_whose_interval_leaves_0_out(pairs):
    terms = tuple((0.5, *pair) for pair in pairs)
    found = paired_recalls(terms)
    assert 0 < found.p < 1

    def bound(alpha):
        one = paired_recalls(terms, 1 - alpha).estimate
        return one.low if one.value > 0 else one.high

    # an independent root of the interval's bound
    assert found.p == pytest.approx(optimize.brentq(bound, 1e-6, 1 - 1e-9), rel=1e-6)
    sided = [paired_recalls(terms, alternative=side).p for side in ("greater", "less")]
    assert sum(sided) == pytest.approx(1.0)
    assert 2 * min(sided) == pytest.approx(found.p)


def test_few_examples_are_refused_or_noted_in_the_library_as_in_a_study():
    found = stats.bootstrap([1.0, 2.0, 3.0], [0.0, 0.0, 0.0])
    assert found.p is None
    assert found.estimate.low is None
    assert found.estimate.value == 2.0
    assert found.notes[0].startswith("undefined: only 3 examples; with fewer than 20,")
    one, other = np.random.default_rng(1).normal(size=(2, 20))
    assert stats.bootstrap(one, other, rounds=200).p is not None
    few = stats.intervals.bootstrap(stats.LossSample(one[:15]), 0.95, 1, rounds=200)
    assert few.low is not None
    assert few.notes[0].startswith("only 15 examples; with fewer than 30,")


def test_a_function_that_cannot_know_the_direction_asks_for_it():
    scores = [[0.9, 0.8, 0.7]] * 6
    for call in (
        lambda: stats.nemenyi(scores),
        lambda: stats.average_ranks(scores),
        lambda: stats.rank_models(scores, ("a", "b", "c")),
        lambda: stats.win_tie_loss(scores),
        lambda: stats.bayes_sign([0.9] * 6, [0.8] * 6),
    ):
        with pytest.raises(TypeError, match="better"):
            call()
    for call in (
        lambda: stats.noninferiority([0.9] * 6, [0.8] * 6, margin=0.1),
        lambda: stats.bayes_t([0.9, 0.8], [0.8, 0.8], rope=0.01),
    ):
        with pytest.raises(ValueError, match="`higher` or `lower`"):
            call()
    assert stats.friedman(scores).p == stats.friedman(scores, "lower").p
