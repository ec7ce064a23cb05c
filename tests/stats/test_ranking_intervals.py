"""DeLong's interval and its cross-validated form against double loops and scikit-learn."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import special, stats
from sklearn.metrics import roc_auc_score

from evallang.stats.intervals.ranking import cv_auc, delong
from evallang.stats.score_counts import place_scores

DRAWS = st.lists(st.tuples(st.booleans(), st.integers(0, 12)), min_size=4, max_size=40)


def order(x, y):
    """1 where x is above y, one half where they tie."""
    return float(x > y) + float(x == y) / 2


def variances_by_pairs(positives, negatives):
    """DeLong's variance of each class from the full table of comparisons, and its df."""
    psi = np.array([[order(x, y) for y in negatives] for x in positives])
    return [
        (psi.mean(axis=axis).var(ddof=1) / size, size - 1)
        for axis, size in ((1, len(positives)), (0, len(negatives)))
    ]


def logit_bounds(auc, classes, level):
    """The interval from the variances of the classes and their df, by Satterthwaite 1946."""
    variance = sum(v for v, _ in classes)
    df = variance**2 / sum(v**2 / df for v, df in classes)
    t, centre = stats.t.ppf((1 + level) / 2, df), math.log(auc / (1 - auc))
    half = t * math.sqrt(variance) / (auc * (1 - auc))
    return tuple(1 / (1 + math.exp(-(centre + side * half))) for side in (-1, 1))


@given(draws=DRAWS)
def test_delongs_variance_is_that_of_all_comparisons(draws):
    truth, scores = (np.array(column) for column in zip(*draws, strict=True))
    positives, negatives = scores[truth], scores[~truth]
    if min(len(positives), len(negatives)) < 2:
        return
    auc = roc_auc_score(truth, scores)
    classes = variances_by_pairs(positives, negatives)
    found = delong(truth, scores, 0.9)
    if 0 < auc < 1 and sum(v for v, _ in classes) > 0:
        low, high = logit_bounds(auc, classes, 0.9)
        assert found.low == pytest.approx(low, rel=1e-9)
        assert found.high == pytest.approx(high, rel=1e-9)


@pytest.mark.parametrize("smaller", [1, 3, 40])
def test_complete_separation_is_bounded_as_so_many_successes_in_a_row(smaller):
    # Clopper & Pearson 1934 for m of m
    truth = np.r_[np.ones(smaller), np.zeros(50)]
    expected = stats.binomtest(smaller, smaller).proportion_ci(0.95).low
    for labels, low, high in [(truth, expected, 1.0), (1 - truth, 0.0, 1 - expected)]:
        found = delong(labels, truth, 0.95)
        assert (found.low, found.high) == pytest.approx((low, high), rel=1e-12)
        assert "complete separation" in found.notes[0]


def test_tied_scores_have_an_area_of_one_half_and_a_note():
    found = delong([1, 1, 0, 0], [0.5] * 4, 0.95)
    assert (found.low, found.high) == (0.5, 0.5)
    assert found.notes


def test_one_positive_gives_no_interval_but_a_note():
    found = delong([1, 0, 0, 0], [0.5, 0.1, 0.7, 0.2], 0.95)
    assert found.low is None
    assert "one example" in found.notes[0]


def test_a_missing_score_is_refused():
    with pytest.raises(ValueError, match="a score is missing"):
        delong([1, 0], [0.5, math.nan], 0.95)
    with pytest.raises(ValueError, match="one score"):
        delong([1, 0], [0.5], 0.95)


def variances_over_folds(truth, scores, folds):
    """The classes' shares of the variance of the mean area, fold by fold and pair by pair."""
    names = sorted(set(folds.tolist()))
    found = [
        variances_by_pairs(
            scores[(folds == fold) & (truth == 1)], scores[(folds == fold) & (truth == 0)]
        )
        for fold in names
    ]
    return [
        (sum(one[c][0] for one in found) / len(names) ** 2, sum(one[c][1] for one in found))
        for c in (0, 1)
    ]


@pytest.mark.parametrize("digits", [0, 8])
@pytest.mark.parametrize("share", [0.2, 0.4])
def test_the_cross_validated_interval_is_that_of_all_pairs_in_each_fold(digits, share):
    random = np.random.default_rng(4)
    truth, folds = np.arange(90) < share * 90, np.arange(90) % 5
    scores = np.round(truth + random.normal(size=90), digits)
    auc = np.mean([roc_auc_score(truth[folds == k], scores[folds == k]) for k in range(5)])
    low, high = logit_bounds(auc, variances_over_folds(truth, scores, folds), 0.95)
    found = cv_auc(truth, scores, folds, 0.95)
    assert found.low == pytest.approx(low, rel=1e-9)
    assert found.high == pytest.approx(high, rel=1e-9)


def test_one_fold_has_the_interval_of_one_test_set():
    random = np.random.default_rng(5)
    truth = np.arange(60) < 12
    scores = truth + random.normal(size=60)
    found, one = cv_auc(truth, scores, np.zeros(60), 0.95), delong(truth, scores, 0.95)
    assert (found.low, found.high) == pytest.approx((one.low, one.high), rel=1e-12)


@pytest.mark.parametrize("turned", [False, True])
def test_a_fold_with_one_member_of_a_class_leaves_the_variance_undefined(turned):
    random = np.random.default_rng(7)
    folds = np.arange(40) % 4
    truth = (np.arange(40) < 4) ^ turned
    found = cv_auc(truth, truth + random.normal(size=40), folds, 0.95)
    assert (found.low, found.high) == (None, None)
    assert "one example of a class" in found.notes[0]


@pytest.mark.parametrize(
    ("positives", "gap", "told"), [(25, 1.0, False), (19, 1.0, True), (25, 3.0, True)]
)
def test_few_of_a_class_for_an_area_so_near_1_are_reported(positives, gap, told):
    truth = np.arange(400) < positives
    scores = gap * truth + np.random.default_rng(2).normal(size=400)
    assert bool(delong(truth, scores, 0.95).notes) == told


def test_folds_with_one_class_are_left_out_with_a_note():
    random = np.random.default_rng(6)
    truth = np.r_[random.random(60) < 0.5, np.ones(10, dtype=bool)]
    scores, folds = random.normal(size=70), np.r_[np.arange(60) % 3, np.full(10, 3)]
    found = cv_auc(truth, scores, folds, 0.95)
    without = cv_auc(truth[:60], scores[:60], folds[:60], 0.95)
    assert (found.low, found.high) == (without.low, without.high)
    assert "1 fold with one class only" in found.notes[0]


def test_an_infinite_score_is_a_score():
    assert delong([1, 1, 0, 0], [math.inf, 1, 0, 2], 0.95) == delong(
        [1, 1, 0, 0], [3, 1, 0, 2], 0.95
    )


# --- rows in groups, over folds --------------------------------------------------------------


def _grouped(rng, groups=40, size=4, folds=4):
    group = np.repeat(np.arange(groups), size)
    effect = rng.normal(size=groups)[group]
    truth = (rng.random(groups * size) < 0.4).astype(int)
    scores = truth + 0.7 * effect + rng.normal(size=groups * size)
    return truth, scores, group % folds, group


def test_over_folds_of_groups_the_variance_is_obuchowskis_of_each_fold():
    truth, scores, folds, groups = _grouped(np.random.default_rng(6))
    variance, areas = 0.0, []
    for fold in range(4):
        rows = folds == fold
        y, s, g = truth[rows], scores[rows], groups[rows]
        up, down = s[y == 1], s[y == 0]
        x = np.array([((v > down) + (v == down) / 2).mean() for v in up])
        z = np.array([((up > v) + (up == v) / 2).mean() for v in down])
        area = x.mean()
        known = np.unique(g)
        a = np.array([(x[g[y == 1] == k] - area).sum() for k in known]) / len(up)
        b = np.array([(z[g[y == 0] == k] - area).sum() for k in known]) / len(down)
        # Obuchowski 1997: divisors are the groups in which a class occurs, and all groups
        i10, i01 = len(np.unique(g[y == 1])), len(np.unique(g[y == 0]))
        variance += i10 / (i10 - 1) * (a * a).sum() + i01 / (i01 - 1) * (b * b).sum()
        variance += 2 * len(known) / (len(known) - 1) * (a * b).sum()
        areas.append(area)
    found = cv_auc(truth, scores, folds, 0.95, groups)
    area = np.mean(areas)
    half = (special.logit(found.high) - special.logit(found.low)) / 2
    error = np.sqrt(variance) / 4
    quantile = half * area * (1 - area) / error
    assert special.logit(area) == pytest.approx(
        (special.logit(found.high) + special.logit(found.low)) / 2
    )
    # t of Satterthwaite: above the normal quantile, below that of the groups of one fold
    assert stats.norm.ppf(0.975) < quantile < stats.t.ppf(0.975, 8)


def test_over_folds_of_groups_nothing_is_claimed_of_complete_separation():
    truth = np.array([0, 0, 1, 1] * 6)
    found = cv_auc(truth, truth.astype(float), np.arange(24) // 12, 0.95, np.arange(24) // 2)
    assert (found.low, found.high) == (None, None)
    assert "in order" in found.notes[-1]


@pytest.mark.parametrize("n", [2, 5, 400])
def test_summed_placements_have_the_interval_of_the_scores(n):
    rng = np.random.default_rng(n)
    up = np.arange(n) % 2 == 0
    scores = (up + rng.standard_normal(n)).round(1)
    sums = place_scores(up, [scores])
    assert delong(None, sums, 0.9) == delong(up, scores, 0.9)
