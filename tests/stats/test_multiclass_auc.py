"""The interval of mean areas: influences by scikit-learn's weights, DeLong's and R's variance."""

import itertools
import math

import numpy as np
import pytest
from scipy.special import expit, logit
from sklearn.metrics import roc_auc_score

from evallang.stats.intervals.ranking import area_and_influences, cv_auc, delong, multiclass_auc

STEP = 1e-5


def drawn(seed, n=80, k=4, decimals=1):
    """Draw classes and scores with ties."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, k, n)
    scores = rng.standard_normal((n, k))
    scores[np.arange(n), codes] += 0.8
    return codes, np.round(scores, decimals)


def weighted_area(codes, scores, weights, by_pairs):
    """Return the mean area by scikit-learn's weighted areas of two classes."""
    k = scores.shape[1]
    if not by_pairs:
        each = [roc_auc_score(codes == c, scores[:, c], sample_weight=weights) for c in range(k)]
        return np.mean(each)
    each = []
    for a, b in itertools.permutations(range(k), 2):
        rows = np.isin(codes, (a, b))
        each.append(roc_auc_score(codes[rows] == a, scores[rows, a], sample_weight=weights[rows]))
    return np.mean(each)


@pytest.mark.parametrize("by_pairs", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_influences_are_the_derivatives_by_the_weights_of_scikit_learn(by_pairs, seed):
    codes, scores = drawn(seed)
    area, influence = area_and_influences(codes, scores, by_pairs=by_pairs)
    ones = np.ones(len(codes))
    assert area == pytest.approx(weighted_area(codes, scores, ones, by_pairs), abs=1e-12)
    for i in range(0, len(codes), 7):
        up, down = ones.copy(), ones.copy()
        up[i] += STEP
        down[i] -= STEP
        slope = weighted_area(codes, scores, up, by_pairs)
        slope -= weighted_area(codes, scores, down, by_pairs)
        assert influence[i] == pytest.approx(slope / (2 * STEP), abs=1e-8)


@pytest.mark.parametrize("by_pairs", [False, True])
def test_probabilities_give_the_areas_of_scikit_learn(by_pairs):
    codes, scores = drawn(9, decimals=3)
    p = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    area, _ = area_and_influences(codes, p, by_pairs=by_pairs)
    expected = roc_auc_score(codes, p, multi_class="ovo" if by_pairs else "ovr", average="macro")
    assert area == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_of_two_classes_it_is_delongs_and_that_of_cross_validation(seed):
    rng = np.random.default_rng(seed)
    truth = rng.permutation(60) % 3 == 0
    score = np.round(rng.standard_normal(60) + truth, 1)
    both = np.column_stack([-score, score])
    fold = rng.permutation(60) % 3
    for by_pairs in (False, True):
        one = multiclass_auc(truth.astype(int), both, by_pairs, np.zeros(60), None, 0.9)
        expected = delong(truth, score, 0.9)
        assert (one.low, one.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
        over = multiclass_auc(truth.astype(int), both, by_pairs, fold, None, 0.95)
        expected = cv_auc(truth, score, fold, 0.95)
        assert (over.low, over.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_rows_of_a_group_count_as_one():
    """Copies of each row in a group of its own give the interval of single rows, but for df."""
    codes, scores = drawn(3, n=120, k=3)
    alone = multiclass_auc(codes, scores, False, np.zeros(120), np.arange(120), 0.95)
    twice = multiclass_auc(
        np.repeat(codes, 2),
        np.repeat(scores, 2, axis=0),
        False,
        np.zeros(240),
        np.repeat(np.arange(120), 2),
        0.95,
    )
    assert (twice.low, twice.high) == pytest.approx((alone.low, alone.high), abs=1e-12)
    assert twice.clusters.n == 120
    area, influence = area_and_influences(codes, scores, by_pairs=False)
    error = math.sqrt((influence**2).sum() * 120 / 119)
    half = 1.9800998764569544 * error / (area * (1 - area))  # t(119), 97.5 %: scipy 1.17
    expected = expit(logit(area) - half), expit(logit(area) + half)
    assert (alone.low, alone.high) == pytest.approx(expected, rel=1e-6)


def test_areas_of_one_get_a_bound_and_folds_without_a_class_are_skipped():
    codes = np.array([0, 0, 1, 1, 2, 2])
    perfect = np.eye(3)[codes]
    found = multiclass_auc(codes, perfect, False, np.zeros(6), None, 0.95)
    assert (found.low, found.high) == pytest.approx((0.025 ** (1 / 2), 1.0))
    assert "complete separation" in found.notes[0]
    scores = np.array([[3, 1, 0], [1, 2, 1], [0, 3, 1], [2, 1, 0], [0, 1, 2], [1, 0, 1.5]])
    lost = multiclass_auc(
        [*codes, 0, 1], [*scores, [1, 0, 0], [0, 1, 0]], False, [0] * 6 + [1, 1], None, 0.95
    )
    assert lost.notes[0] == "1 fold that lacks a class is skipped"
    one = multiclass_auc(codes[:5], scores[:5], False, np.zeros(5), None, 0.95)
    assert one.low is None
    assert "one example of a class" in one.notes[0]
    none = multiclass_auc([0, 1], np.eye(3)[:2], False, [0, 0], None, 0.95)
    assert none.low is None
    with pytest.raises(ValueError, match="score is missing"):
        multiclass_auc(codes, np.full((6, 3), np.nan), False, np.zeros(6), None, 0.95)
