"""How far predictions order rows: by scikit-learn and scipy, the variance by its definition."""

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score

from evallang.stats.score_counts import count_scores
from evallang.stats.skill import (
    area,
    mean_area,
    rank_correlation,
    skill_of_classes,
    skill_of_counts,
)


def drawn(seed, n=60):
    rng = np.random.default_rng(seed)
    positive = rng.random(n) < 0.4
    return positive, np.round(rng.normal(size=n) + positive, 1)  # with ties


@pytest.mark.parametrize("seed", range(3))
def test_the_area_of_one_part_is_that_of_scikit_learn_with_the_variance_of_delong(seed):
    positive, scores = drawn(seed)
    found = area(positive, scores, np.zeros(60, dtype=np.int64))
    assert found.value == pytest.approx(roc_auc_score(positive, scores), abs=1e-12)
    up, down = scores[positive], scores[~positive]
    wins = (up[:, None] > down) + 0.5 * (up[:, None] == down)
    # DeLong et al. 1988: the variances of the components over their numbers, here over n
    variance = wins.mean(axis=1).var() / len(up) + wins.mean(axis=0).var() / len(down)
    assert found.standard_error(np.arange(60)) == pytest.approx(variance**0.5, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_counted_scores_have_the_area_and_the_error_of_their_rows(seed):
    positive, scores = drawn(seed)
    of_rows, found = area(positive, scores), skill_of_counts(count_scores(scores, positive))
    assert found.value == pytest.approx(roc_auc_score(positive, scores), abs=1e-12)
    expected = of_rows.standard_error(np.arange(60))
    assert found.standard_error(None) == pytest.approx(expected, abs=1e-12)


def test_parts_count_by_their_pairs_and_one_without_both_classes_does_not():
    positive, scores = drawn(5, n=90)
    part = np.repeat([0, 1, 2], [50, 30, 10])
    positive[part == 2] = True
    areas = [roc_auc_score(positive[part == p], scores[part == p]) for p in (0, 1)]
    pairs = [positive[part == p].sum() * (~positive[part == p]).sum() for p in (0, 1)]
    found = area(positive, scores, part)
    assert found.value == pytest.approx(np.average(areas, weights=pairs), abs=1e-12)
    assert not found.influence[part == 2].any()
    assert found.influence.sum() == pytest.approx(0, abs=1e-12)
    assert area(np.ones(4, dtype=bool), scores[:4], part[:4]) is None


def test_the_mean_area_is_that_of_each_class_against_the_rest():
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 3, 80)
    scores = rng.dirichlet([1, 1, 1], 80) + 0.3 * np.eye(3)[truth]
    scores /= scores.sum(axis=1, keepdims=True)
    one = np.zeros(80, dtype=np.int64)
    expected = roc_auc_score(truth, scores, multi_class="ovr", average="macro")
    assert mean_area(truth, scores, one).value == pytest.approx(expected, abs=1e-12)
    four = np.column_stack([scores, np.zeros(80)])  # a class that does not occur
    assert mean_area(truth, four, one).value == pytest.approx(expected, abs=1e-12)
    assert mean_area(np.zeros(3, dtype=int), scores[:3], one[:3]) is None


def test_scores_of_two_classes_are_those_of_the_positive_one_and_labels_are_scores_too():
    positive, scores = drawn(9)
    truth, one = positive.astype(int), np.zeros(60, dtype=np.int64)
    both = np.column_stack([-scores, scores])
    for positive_class, values in ((1, scores), (0, -scores)):
        expected = roc_auc_score(truth == positive_class, values)
        for given in (values, both):
            found = skill_of_classes(truth, None, given, one, n_classes=2, positive=positive_class)
            assert found.value == pytest.approx(expected, abs=1e-12)
    labels = (scores > 0.5).astype(int)
    found = skill_of_classes(truth, labels, None, one, n_classes=2, positive=1)
    assert found.value == pytest.approx(roc_auc_score(truth, labels), abs=1e-12)


def test_rank_correlations_are_those_of_scipy_weighted_by_rows():
    rng = np.random.default_rng(3)
    truth = np.round(rng.normal(size=82), 1)
    predicted = np.round(truth + rng.normal(size=82), 1)
    part = np.repeat([0, 1, 2], [50, 30, 2])
    each = [spearmanr(truth[part == p], predicted[part == p]).statistic for p in (0, 1)]
    found = rank_correlation(truth, predicted, part)
    assert found.value == pytest.approx(np.average(each, weights=[50, 30]), abs=1e-12)
    assert not found.influence[part == 2].any()
    assert rank_correlation(truth, np.ones(82), part).value == 0
    assert rank_correlation(truth[:2], predicted[:2], part[:2]) is None


def test_a_row_that_occurs_twice_in_one_unit_adds_nothing():
    positive, scores = drawn(6)
    once, unit = area(positive, scores, np.zeros(60, dtype=np.int64)), np.arange(60)
    twice = area(np.tile(positive, 2), np.tile(scores, 2), np.zeros(120, dtype=np.int64))
    assert twice.value == pytest.approx(once.value, abs=1e-12)
    together = twice.standard_error(np.tile(unit, 2))
    assert together == pytest.approx(once.standard_error(unit), abs=1e-12)
    assert twice.standard_error(np.arange(120)) == pytest.approx(together / 2**0.5, abs=1e-12)
