"""Rank correlations, quantile losses, thresholds and calibration against other computations."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import sklearn.metrics as theirs
from hypothesis import assume, given, settings, strategies as st
from many_cases import for_each
from scipy import stats

from evallang.metrics.metric import METRICS, Outcome, evaluate
from evallang.stats.score_counts import weights_by_score

many = settings(max_examples=60, deadline=None)
small = st.integers(-3, 3)


def ours(name, truth, output, weights=None, k=0, positive=None, **options):
    truth, output = np.asarray(truth), np.asarray(output)
    return evaluate(METRICS[name], options, truth, output, positive, k, weights)


@st.composite
def repeated(draw, low=-3, high=3):
    """Two columns with ties, and how often each row occurs."""
    n = draw(st.integers(2, 25))
    column = st.lists(st.integers(low, high), min_size=n, max_size=n)
    times = st.lists(st.integers(0, 3), min_size=n, max_size=n)
    return np.array(draw(column), float), np.array(draw(column), float), np.array(draw(times))


# --- rank correlations ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "peer"), [("spearman", stats.spearmanr), ("kendall", stats.kendalltau)]
)
@many
@given(drawn=repeated())
def test_rank_correlations_are_those_of_scipy_with_rows_repeated_by_weight(name, peer, drawn):
    x, y, times = drawn
    rows = np.repeat(np.arange(len(x)), times)
    constant = not len(rows) or np.ptp(x[rows]) == 0 or np.ptp(y[rows]) == 0
    found = ours(name, x, y, times.astype(float))
    if constant:
        assert math.isnan(found)
    else:
        assert found == pytest.approx(peer(x[rows], y[rows]).statistic, abs=1e-12)


@pytest.mark.parametrize("name", ["spearman", "kendall", "break_even_point", "ranking_loss"])
def test_many_weightings_at_once_are_a_loop(name):
    rng = np.random.default_rng(1)
    classes = METRICS[name].declaration.task == "classification"
    truth = rng.integers(0, 2, 50) if classes else rng.normal(size=50)
    output = np.round(rng.random(50), 1)
    outcome = Outcome(truth, output, 2 if classes else 0, 1 if classes else None)
    weights = rng.integers(0, 3, (40, 50)).astype(float)
    weights[0] = 0
    together = METRICS[name].declaration.under_weights(outcome, {})(weights)
    alone = [ours(name, truth, output, w, outcome.k, outcome.positive) for w in weights]
    np.testing.assert_allclose(together, alone, atol=1e-12)


def test_several_classes_are_each_taken_against_the_rest_under_weights_too():
    rng = np.random.default_rng(2)
    truth, output = rng.integers(0, 3, 60), np.round(rng.random((60, 3)), 1)
    weights = rng.integers(0, 3, (5, 60)).astype(float)
    for name in ("average_precision", "roc_auc", "break_even_point"):
        statistic = METRICS[name].declaration.under_weights(Outcome(truth, output, 3), {})
        alone = [ours(name, truth, output, w, 3) for w in weights]
        np.testing.assert_allclose(statistic(weights), alone, atol=1e-12)
    by_pairs = METRICS["roc_auc"].declaration.under_weights(
        Outcome(truth, output, 3), {"multi_class": "ovo"}
    )
    alone = [ours("roc_auc", truth, output, w, 3, multi_class="ovo") for w in weights]
    np.testing.assert_allclose(by_pairs(weights), alone, atol=1e-12)


# --- quantiles and scaled errors --------------------------------------------------------


@many
@given(drawn=repeated(), share=st.sampled_from([0.1, 0.25, 0.5, 0.9]))
def test_quantile_losses_are_those_of_scikit_learn(drawn, share):
    y, f, times = drawn
    rows = np.repeat(np.arange(len(y)), times)
    assume(len(rows) > 1 and np.ptp(y[rows]) > 0)
    weights = times.astype(float)
    known = theirs.mean_pinball_loss(y[rows], f[rows], alpha=share)
    assert ours("pinball", y, f, weights, quantile=share) == pytest.approx(known, abs=1e-12)
    known = theirs.d2_pinball_score(y[rows], f[rows], alpha=share)
    assert ours("d2", y, f, weights, quantile=share) == pytest.approx(known, abs=1e-12)
    known = theirs.d2_absolute_error_score(y[rows], f[rows])
    assert ours("d2", y, f, weights) == pytest.approx(known, abs=1e-12)


def test_d2_of_a_constant_truth_is_undefined():
    assert math.isnan(ours("d2", [2, 2, 2], [1, 2, 3]))


def test_smape_is_0_where_both_are_0_and_2_where_one_is():
    assert ours("smape", [0.0, 0.0, 4.0], [0.0, -3.0, 4.0]) == pytest.approx(2 / 3)


# --- rankings ---------------------------------------------------------------------------


@st.composite
def ranked(draw):
    n = draw(st.integers(0, 12))
    truth = [0, 1, *draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))]
    scores = draw(st.lists(st.integers(0, 4), min_size=n + 2, max_size=n + 2))
    return np.array(truth), np.array(scores, float)


@many
@given(drawn=ranked())
def test_the_ranking_loss_is_zhous_sum_over_pairs(drawn):
    truth, score = drawn
    pairs = [(p, q) for p in score[truth == 1] for q in score[truth == 0]]
    known = sum(Fraction(1) if p < q else Fraction(int(p == q), 2) for p, q in pairs) / len(pairs)
    found = ours("ranking_loss", truth, score, k=2, positive=1)
    assert found == pytest.approx(float(known), abs=1e-12)


@many
@given(drawn=ranked(), seed=st.integers(0, 9))
def test_the_break_even_point_is_the_mean_over_the_orders_of_equal_scores(drawn, seed):
    truth, score = drawn
    found = ours("break_even_point", truth, score, k=2, positive=1)
    rng, positives = np.random.default_rng(seed), int(truth.sum())
    shares = []
    for _ in range(400):
        order = np.lexsort((rng.random(len(score)), -score))
        shares.append(truth[order][:positives].mean())
    assert found == pytest.approx(np.mean(shares), abs=5 * np.std(shares) / 20 + 1e-9)


def lowest_lines(truth, score):
    """Integrate the lowest cost line on a fine grid that holds every crossing of small cases."""
    cuts = [-1.0, *sorted(set(score))]
    lines = []
    for cut in cuts:
        named = score > cut
        fpr, fnr = named[truth == 0].mean(), 1 - named[truth == 1].mean()
        lines.append((fpr, fnr))
    crossings = {0.0, 1.0}
    for fpr, fnr in lines:
        for other_fpr, other_fnr in lines:
            slope = (fnr - fpr) - (other_fnr - other_fpr)
            if slope:
                crossings.add(min(max((other_fpr - fpr) / slope, 0.0), 1.0))
    grid = np.array(sorted(crossings))
    lowest = np.min([fnr * grid + fpr * (1 - grid) for fpr, fnr in lines], axis=0)
    return np.trapezoid(lowest, grid)


@many
@given(drawn=ranked())
def test_the_area_under_the_cost_curve_is_that_of_the_lowest_lines(drawn):
    truth, score = drawn
    found = ours("cost_curve_area", truth, score, k=2, positive=1)
    assert found == pytest.approx(lowest_lines(truth, score), abs=1e-12)


def test_without_one_class_a_ranking_has_no_value():
    for name in ("ranking_loss", "break_even_point", "cost_curve_area"):
        assert math.isnan(ours(name, [0, 0], [0.1, 0.2], k=2, positive=1))


# --- first k, costs, calibration --------------------------------------------------------


def test_top_k_accuracy_without_ties_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    truth, score = rng.integers(0, 5, 200), rng.random((200, 5))
    for k in range(1, 5):
        known = theirs.top_k_accuracy_score(truth, score, k=k)
        assert evaluate(METRICS["top_k_accuracy"], {"k": k}, truth, score, None, 5) == known


def test_top_k_accuracy_does_not_depend_on_the_order_of_classes_with_equal_scores():
    score = np.array([[0.4, 0.4, 0.2]] * 2)
    for truth in ([0, 0], [1, 1]):
        assert evaluate(METRICS["top_k_accuracy"], {"k": 1}, np.array(truth), score, None, 3) == 0.5


def test_k_is_below_the_number_of_classes():
    with pytest.raises(ValueError, match="from 1 to 2"):
        evaluate(METRICS["top_k_accuracy"], {"k": 3}, np.array([0]), np.ones((1, 3)), None, 3)


def test_the_net_benefit_is_vickers_and_elkins_formula():
    rng = np.random.default_rng(3)
    truth, given_ = rng.integers(0, 2, 100), np.round(rng.random(100), 2)
    for threshold in (0.0, 0.1, 0.5, 0.9):
        acted = given_ >= threshold
        right, wrong = (acted & (truth == 1)).sum(), (acted & (truth == 0)).sum()
        known = right / 100 - wrong / 100 * threshold / (1 - threshold)
        found = ours("net_benefit", truth, given_, k=2, positive=1, threshold=threshold)
        assert found == pytest.approx(known, abs=1e-12)


def test_macro_f1_of_mean_precision_and_recall_is_zhous():
    rng = np.random.default_rng(4)
    truth, predicted = rng.integers(0, 4, 300), rng.integers(0, 4, 300)
    p = theirs.precision_score(truth, predicted, average="macro")
    r = theirs.recall_score(truth, predicted, average="macro")
    found = ours("macro_f1_pr", truth, predicted, k=4)
    assert found == pytest.approx(2 * p * r / (p + r), rel=1e-12)
    assert found != pytest.approx(theirs.f1_score(truth, predicted, average="macro"), rel=1e-6)


def test_the_normalized_cost_is_the_cost_of_the_matrix_at_the_shares_in_use():
    # 10 % positives in use, a missed one costs 30 and a false alarm 2
    counts = np.array([[70, 10], [6, 14]])
    share = 0.1 * 30 / (0.1 * 30 + 0.9 * 2)
    in_use = 0.1 * 6 / 20 * 30 + 0.9 * 10 / 80 * 2
    found = METRICS["normalized_cost"].function(counts, 1, share=share)
    assert found == pytest.approx(in_use / (0.1 * 30 + 0.9 * 2), rel=1e-12)


def test_the_calibration_error_is_a_sum_over_bins():
    rng = np.random.default_rng(5)
    truth, given_ = rng.integers(0, 2, 400), np.round(rng.random(400), 2)
    for bins in (1, 5, 15):
        edges = [Fraction(i, bins) for i in range(bins + 1)]
        known = 0.0
        exact = [Fraction(str(value)) for value in given_]
        for low, high in itertools.pairwise(edges):
            rows = [i for i, p in enumerate(exact) if low < p <= high or (p == 0 and low == 0)]
            if rows:
                known += abs(given_[rows].mean() - truth[rows].mean()) * len(rows) / 400
        found = ours("ece", truth, given_, k=2, positive=1, bins=bins)
        assert found == pytest.approx(known, abs=1e-12)


def test_of_several_classes_the_likeliest_one_is_calibrated():
    truth = np.array([0, 1, 2, 1])
    given_ = np.array([[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.5, 0.1, 0.4], [0.1, 0.6, 0.3]])
    # bins of .1: .5 (wrong), .6 (right, right), .7 (right)
    known = (0.5 + 2 * 0.4 + 0.3) / 4
    assert ours("ece", truth, given_, k=3) == pytest.approx(known, abs=1e-12)


@for_each("n", [0, 1, 7, 1500, 200_000])
@for_each("kind", ["distinct", "tied", "signed zeros and infinite"])
def test_weights_add_up_at_each_distinct_score(kind, n):
    rng = np.random.default_rng(n)
    drawn = {
        "distinct": rng.standard_normal(n),
        "tied": np.round(rng.standard_normal(n), 2),
        "signed zeros and infinite": rng.choice([-np.inf, 0.0, -0.0, 2.0, np.inf], n),
    }
    scores, up, weights = drawn[kind], rng.random(n) < 0.3, rng.exponential(size=n)
    found = np.array(weights_by_score(up, scores)(weights[None]))[..., 0]
    distinct, place = np.unique(scores, return_inverse=True)
    expected = np.zeros((2, len(distinct)))
    np.add.at(expected, (np.where(up, 0, 1), place), weights)
    np.testing.assert_allclose(found, expected, rtol=1e-13)
