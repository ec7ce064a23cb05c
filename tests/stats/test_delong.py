"""DeLong's test against pROC, double loops over all pairs, and its own level."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats
from sklearn.metrics import roc_auc_score
from stats.reference_values import columns, figures

from evallang.stats.hypothesis_tests.ranking_curves import auc_covariance, delong
from evallang.stats.score_counts import outranked, place_scores

R = figures("from_r")  # pROC 1.18.0
DATA = columns("ranking")
TRUTH, GROUP, FOLD = DATA["truth"], DATA["group"], DATA["fold"]
SCORES = np.column_stack([DATA["a"], DATA["b"], DATA["c"]])
DRAWS = st.lists(
    st.tuples(st.booleans(), st.integers(0, 6), st.integers(0, 6)), min_size=4, max_size=25
)


def order(x, y):
    return float(x > y) + float(x == y) / 2


def components(truth, scores):
    """Rows of comparisons: of each positive with all negatives, and of each negative."""
    up, down = scores[truth == 1], scores[truth == 0]
    psi = np.array([[order(x, y) for y in down] for x in up])
    return psi.mean(axis=1), psi.mean(axis=0), psi.mean()


def test_two_models_get_the_z_and_p_of_proc():
    found = delong(TRUTH, SCORES[:, :2])
    assert found.statistic.value == pytest.approx(R["delong_z"], rel=1e-10)
    assert found.p == pytest.approx(R["delong_p"], rel=1e-10)
    assert found.extra["auc_1"] == pytest.approx(R["delong_auc_a"], rel=1e-12)
    assert found.estimate.value == pytest.approx(R["delong_auc_a"] - R["delong_auc_b"], rel=1e-12)


def test_the_covariance_of_three_models_is_that_of_proc():
    found = auc_covariance(TRUTH, SCORES, None, None)
    expected = np.array(
        [
            [R["delong_var_a"], R["delong_cov_ab"], R["delong_cov_ac"]],
            [R["delong_cov_ab"], R["delong_var_b"], R["delong_cov_bc"]],
            [R["delong_cov_ac"], R["delong_cov_bc"], R["delong_var_c"]],
        ]
    )
    assert found.covariance == pytest.approx(expected, rel=1e-10)


def test_three_models_get_the_chi_squared_of_their_contrasts():
    # DeLong et al. 1988, section 3, with pROC's covariance and numpy's inverse
    s = auc_covariance(TRUTH, SCORES, None, None).covariance
    areas = [R[f"delong_auc_{name}"] for name in "abc"]
    contrast = np.array([[1, -1, 0], [0, 1, -1]])
    gaps = contrast @ areas
    expected = gaps @ np.linalg.inv(contrast @ s @ contrast.T) @ gaps
    found = delong(TRUTH, SCORES)
    assert found.statistic.value == pytest.approx(expected, rel=1e-10)
    assert found.df == (2.0,)
    assert found.p == pytest.approx(stats.chi2.sf(expected, 2), rel=1e-10)


@given(draws=DRAWS)
def test_the_variance_is_that_of_all_comparisons(draws):
    truth, first, second = (np.array(column, dtype=float) for column in zip(*draws, strict=True))
    if min(truth.sum(), (1 - truth).sum()) < 2:
        return
    one, other = components(truth, first), components(truth, second)
    found = delong(truth, np.column_stack([first, second]))
    gap = one[2] - other[2]
    variance = (one[0] - other[0]).var(ddof=1) / len(one[0])
    variance += (one[1] - other[1]).var(ddof=1) / len(one[1])
    if variance > 1e-9:
        assert found.statistic.value == pytest.approx(gap / math.sqrt(variance), rel=1e-9)
        z = stats.norm.ppf(0.975) * math.sqrt(variance)
        assert found.estimate.low == pytest.approx(max(gap - z, -1), rel=1e-9, abs=1e-12)
        assert found.estimate.high == pytest.approx(min(gap + z, 1), rel=1e-9, abs=1e-12)
    elif abs(gap) < 1e-9:
        assert found.p == 1.0
    else:
        assert found.p is None
        assert "permutation" in found.notes[0]


def clustered_covariance(truth, first, second, groups):
    """Obuchowski 1997, sums over groups as printed there, for two models."""
    result = np.zeros((2, 2))
    values = [components(truth, scores) for scores in (first, second)]
    labels = sorted(set(groups))
    up, down = groups[truth == 1], groups[truth == 0]
    many, with_up, with_down = len(labels), len(set(up)), len(set(down))
    m, n = len(up), len(down)
    for r in (0, 1):
        for s in (0, 1):
            total = 0.0
            for g in labels:
                x = [(v[0][up == g] - v[2]).sum() for v in values]
                y = [(v[1][down == g] - v[2]).sum() for v in values]
                total += with_up / ((with_up - 1) * m * m) * x[r] * x[s]
                total += with_down / ((with_down - 1) * n * n) * y[r] * y[s]
                total += many / ((many - 1) * m * n) * (x[r] * y[s] + x[s] * y[r])
            result[r, s] = total
    return result


def test_groups_give_the_covariance_of_obuchowski():
    expected = clustered_covariance(TRUTH, SCORES[:, 0], SCORES[:, 1], GROUP)
    found = delong(TRUTH, SCORES[:, :2], None, GROUP)
    variance = expected[0, 0] + expected[1, 1] - 2 * expected[0, 1]
    gap = R["delong_auc_a"] - R["delong_auc_b"]
    assert found.statistic.value == pytest.approx(gap / math.sqrt(variance), rel=1e-10)
    assert (found.variant, found.estimate.method) == ("clustered", "delong(clustered)")
    assert found.clusters.n == 20
    plain = delong(TRUTH, SCORES[:, :2]).extra["standard_error"] ** 2
    assert found.clusters.design_effect == pytest.approx(variance / plain, rel=1e-10)


def test_a_row_counted_twice_is_no_more_evidence_when_groups_say_so():
    twice = np.repeat(np.arange(80), 2)
    plain = delong(TRUTH[twice], SCORES[twice, :2])
    grouped = delong(TRUTH[twice], SCORES[twice, :2], None, twice)
    once = delong(TRUTH, SCORES[:, :2])
    assert plain.p < once.p
    assert grouped.statistic.value == pytest.approx(once.statistic.value, rel=1e-9)
    # t with the groups of the rarer class, less one, in the place of a normal deviate
    df = min(TRUTH.sum(), (1 - TRUTH).sum()) - 1
    assert grouped.df == (df,)
    assert grouped.p == pytest.approx(2 * stats.t.sf(abs(once.statistic.value), df), rel=1e-9)


def variances(truth, first, second):
    """The classes' shares of the variance of a difference of areas, and their df."""
    one, other = components(truth, first), components(truth, second)
    return [((one[c] - other[c]).var(ddof=1) / len(one[c]), len(one[c]) - 1) for c in (0, 1)]


def test_over_folds_areas_are_averaged_and_so_are_the_variances_of_the_folds():
    gaps, found = [], []
    for fold in range(5):
        rows = fold == FOLD
        one, other = (components(TRUTH[rows], SCORES[rows, m]) for m in (0, 1))
        gaps.append(one[2] - other[2])
        found.append(variances(TRUTH[rows], SCORES[rows, 0], SCORES[rows, 1]))
    shares = [(sum(f[c][0] for f in found) / 25, sum(f[c][1] for f in found)) for c in (0, 1)]
    variance = sum(v for v, _ in shares)
    df = variance**2 / sum(v**2 / df for v, df in shares)  # Satterthwaite 1946
    result = delong(TRUTH, SCORES[:, :2], FOLD)
    expected = np.mean(gaps) / math.sqrt(variance)
    assert result.statistic.value == pytest.approx(expected, rel=1e-10)
    assert (result.statistic.name, result.df) == ("t", pytest.approx((df,)))
    assert result.p == pytest.approx(2 * stats.t.sf(abs(expected), df), rel=1e-10)
    half = stats.t.ppf(0.975, df) * math.sqrt(variance)
    assert result.estimate.low == pytest.approx(np.mean(gaps) - half, rel=1e-9)
    auc = np.mean([roc_auc_score(TRUTH[k == FOLD], SCORES[k == FOLD, 0]) for k in range(5)])
    assert result.extra["auc_1"] == pytest.approx(auc, rel=1e-12)
    assert result.variant == "cv_auc"


def test_one_fold_has_the_covariance_of_one_test_set():
    one = auc_covariance(TRUTH, SCORES, np.zeros(80, dtype=int), None)
    assert one.covariance == pytest.approx(auc_covariance(TRUTH, SCORES, None, None).covariance)
    grouped = auc_covariance(TRUTH, SCORES, np.zeros(80, dtype=int), GROUP)
    alone = auc_covariance(TRUTH, SCORES, None, GROUP)
    assert grouped.covariance == pytest.approx(alone.covariance)


def test_over_folds_groups_have_the_mean_of_the_folds_covariances():
    truth, first, second = (np.concatenate([x, x]) for x in (TRUTH, SCORES[:, 0], SCORES[:, 1]))
    folds, groups = np.repeat([0, 1], 80), np.concatenate([GROUP, GROUP + 100])
    expected = clustered_covariance(TRUTH, SCORES[:, 0], SCORES[:, 1], GROUP) / 2
    found = auc_covariance(truth, np.column_stack([first, second]), folds, groups)
    assert found.covariance == pytest.approx(expected, rel=1e-10)


def test_a_fold_with_one_member_of_a_class_leaves_the_test_undefined():
    truth, folds = np.arange(40) < 4, np.arange(40) % 4
    scores = np.random.default_rng(1).normal(size=(40, 3))
    for models in (2, 3):
        found = delong(truth, scores[:, :models], folds)
        assert found.p is None
        assert "one example of a class" in found.notes[0]


def test_folds_with_one_class_are_left_out_with_a_note():
    folds = np.where(TRUTH == 1, FOLD, np.where(FOLD == 4, 0, FOLD))
    found = delong(TRUTH, SCORES[:, :2], folds)
    assert "1 fold with one class only" in found.notes[0]


@pytest.mark.parametrize("scores", [[5, 4, 2, 1], [1, 1, 1, 1]])
def test_models_that_rank_alike_do_not_differ(scores):
    found = delong([1, 1, 0, 0], np.column_stack([scores, np.multiply(scores, 10)]))
    assert (found.p, found.estimate.value) == (1.0, 0.0)
    assert found.notes
    many = delong([1, 1, 0, 0], np.column_stack([scores, np.multiply(scores, 10), scores]))
    assert many.p == 1.0


def test_a_variance_of_0_with_a_difference_is_no_certainty():
    found = delong([1, 1, 0, 0], [[4, 1], [3, 2], [2, 3], [1, 4]])
    assert found.p is None
    assert found.estimate.value == 1.0
    assert "use permutation" in found.notes[0]


def test_too_few_of_a_class_give_a_note():
    assert "only one class" in delong([1, 1], [[1, 2], [3, 4]]).notes[0]
    assert "one example" in delong([1, 0, 0], [[1, 2], [3, 4], [0, 1]]).notes[0]
    assert "one group only" in delong([1, 1, 0, 0], SCORES[:4, :2], None, [0, 0, 1, 2]).notes[0]


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="a score is missing"):
        delong([1, 0], [[1, math.nan], [0, 1]])
    with pytest.raises(ValueError, match="two or more models"):
        delong([1, 0], [[1], [0]])
    with pytest.raises(ValueError, match="needs its group"):
        delong([1, 0], [[1, 2], [0, 1]], None, [1])


@pytest.mark.parametrize(
    ("positives", "folds", "models", "told"),
    [(20, 10, 3, True), (20, 1, 5, True), (40, 10, 5, True), (40, 10, 3, False),
     (100, 10, 5, False), (10, 5, 2, False)],
)  # fmt: skip
def test_a_chi_squared_of_many_models_says_where_a_class_is_too_small(
    positives, folds, models, told
):
    random = np.random.default_rng(5)
    truth = np.arange(200) < positives
    scores = truth[:, None] + random.normal(size=(200, models))
    found = delong(truth, scores, np.arange(200) % folds if folds > 1 else None)
    assert any("as known" in note for note in found.notes) == told


def test_scores_placed_once_for_all_pairs_give_the_same_result():
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 90)
    scores = np.round(truth[:, None] + rng.standard_normal((90, 3)), 1)  # with ties
    placed = place_scores(truth == 1, scores.T)
    for pair in ((0, 1), (0, 2), (2, 1), (0, 1, 2)):
        found, expected = (delong(truth, x) for x in (placed.of(pair), scores[:, pair]))
        assert found.p == pytest.approx(expected.p, rel=1e-12)
        assert found.extra == pytest.approx(expected.extra, rel=1e-12)


@pytest.mark.parametrize("models", [3, 8])
@pytest.mark.parametrize("decimals", [2, 16])
def test_many_examples_have_the_covariance_of_mid_ranks(decimals, models):
    # Sun & Xu 2014, with the mid-ranks of scipy
    rng = np.random.default_rng(11)
    up = rng.random(200_000) < 0.2
    scores = (up[:, None] + rng.standard_normal((len(up), models))).round(decimals)
    m, n = np.count_nonzero(up), np.count_nonzero(~up)
    whole, above, below = (stats.rankdata(x, axis=0) for x in (scores, scores[up], scores[~up]))
    v01, v10 = (whole[up] - above) / n, 1 - (whole[~up] - below) / m
    found = auc_covariance(up, scores, None, None)
    assert found.areas == pytest.approx(v01.mean(axis=0), rel=1e-13)
    expected = np.cov(v01.T) / m + np.cov(v10.T) / n
    assert found.covariance == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("n", [30, 3000])
def test_a_missing_score_among_many_is_found(n):
    scores = np.random.default_rng(2).standard_normal((n, 2))
    scores[n // 3, 1] = np.nan
    for folds in (None, np.arange(n) % 3):
        with pytest.raises(ValueError, match="a score is missing"):
            delong(np.arange(n) % 2, scores, folds)


@pytest.mark.parametrize("levels", [1, 3, 40, 10**9])
@pytest.mark.parametrize("share", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("n", [0, 1, 120])
def test_what_a_score_outranks_is_what_counting_gives(n, levels, share):
    rng = np.random.default_rng(n)
    scores, positive = rng.integers(0, levels, n).astype(float), rng.random(n) < share
    found = outranked(positive, scores)
    for row in range(n):
        other = scores[positive != positive[row]]
        ahead = other < scores[row] if positive[row] else other > scores[row]
        assert found[row] == ahead.sum() + (other == scores[row]).sum() / 2
