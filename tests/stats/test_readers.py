"""Several readers: the Obuchowski-Rockette test and interval against published figures."""

import numpy as np
import pytest
from scipy import stats

from evallang.metrics.ranking import roc_auc
from evallang.stats.hypothesis_tests.ranking_curves import delong
from evallang.stats.hypothesis_tests.readers import obuchowski_rockette
from evallang.stats.intervals.readers import (
    ReaderScores,
    obuchowski_rockette as interval,
    score_areas,
    score_means,
)

# Van Dyke et al. 1993, two modalities of five readers on 114 patients, as OR-DBM MRMC 2.51 of
# the University of Iowa prints it (areas, jackknife covariances; file of 30 April 2020)
AREAS = np.array(
    [
        [0.91964573, 0.85877617, 0.90386473, 0.97310789, 0.82979066],
        [0.94782609, 0.90531401, 0.92173913, 0.99935588, 0.92995169],
    ]
)
VARIANCE, COV1, COV2, COV3 = 0.00080229, 0.00034661, 0.00034407, 0.00023903
OF_ONE = {0: (0.00101410, 0.00048396), 1: (0.00059047, 0.00020419)}  # variance and Cov2
LEVEL = 0.95


def covariances(m, j, variance, cov1, cov2, cov3):
    model, reader = np.eye(m, dtype=bool), np.eye(j, dtype=bool)
    same_model, same_reader = model[:, None, :, None], reader[None, :, None, :]
    return np.select(
        [same_model & same_reader, ~same_model & same_reader, same_model & ~same_reader],
        [variance, cov1, cov2],
        cov3,
    )


VAN_DYKE = ReaderScores(AREAS, covariances(2, 5, VARIANCE, COV1, COV2, COV3))


def test_the_difference_is_that_of_the_program_of_iowa():
    found = obuchowski_rockette(VAN_DYKE, LEVEL)
    assert found.estimate.value == pytest.approx(-0.04380032, abs=1e-8)
    assert found.extra["ms_models"] == pytest.approx(0.00479617, abs=1e-8)
    assert found.extra["ms_models_by_readers"] == pytest.approx(0.00055103, abs=1e-8)
    assert found.extra["standard_error"] == pytest.approx(0.02075, abs=1e-5)
    assert found.df == (pytest.approx(15.26, abs=0.005),)
    assert found.statistic.value == pytest.approx(-2.11, abs=0.005)
    assert found.statistic.value**2 == pytest.approx(4.46, abs=0.005)
    assert found.p == pytest.approx(0.0517, abs=5e-5)
    bounds = (found.estimate.low, found.estimate.high)
    assert bounds == pytest.approx((-0.08796, 0.00036), abs=1e-5)


@pytest.mark.parametrize(
    ("model", "df", "low", "high"),
    [(0, 12.74, 0.82522360, 0.96885048), (1, 12.71, 0.89413783, 0.98753689)],
)
def test_the_interval_of_one_model_is_that_of_the_program_of_iowa(model, df, low, high):
    variance, cov2 = OF_ONE[model]
    one = ReaderScores(AREAS[[model]], covariances(1, 5, variance, 0, cov2, 0))
    found = interval(one, (0.0, 1.0), LEVEL)
    assert (found.low, found.high) == pytest.approx((low, high), abs=2e-6)
    half = (found.high - found.low) / 2
    spread = AREAS[model].var(ddof=1)
    assert half == pytest.approx(stats.t.ppf(0.975, df) * np.sqrt(spread / 5 + cov2), rel=2e-4)


def test_of_three_models_it_is_the_f_of_the_analysis_of_variance():
    scores = np.vstack((AREAS, AREAS[0] * 0.98))
    # Without a covariance of examples that is the repeated-measures analysis of variance
    alone = obuchowski_rockette(ReaderScores(scores, np.zeros((3, 5, 3, 5))), LEVEL)
    rest = scores - scores.mean(1, keepdims=True) - scores.mean(0) + scores.mean()
    f = (5 * ((scores.mean(1) - scores.mean()) ** 2).sum() / 2) / ((rest**2).sum() / 8)
    assert alone.statistic.value == pytest.approx(f, rel=1e-12)
    assert alone.df == pytest.approx((2, 8))
    assert alone.p == pytest.approx(stats.f.sf(f, 2, 8), rel=1e-10)
    more = ReaderScores(scores, covariances(3, 5, VARIANCE, COV1, COV2, COV3))
    assert obuchowski_rockette(more, LEVEL).p > alone.p


def test_two_models_without_a_covariance_of_examples_are_the_paired_t_test_of_readers():
    none = ReaderScores(AREAS, np.zeros((2, 5, 2, 5)))
    known = stats.ttest_rel(*AREAS)
    found = obuchowski_rockette(none, LEVEL)
    assert (found.statistic.value, found.p) == pytest.approx((known.statistic, known.pvalue))
    sides = [obuchowski_rockette(none, LEVEL, alternative=side).p for side in ("greater", "less")]
    assert sides == pytest.approx([1 - known.pvalue / 2, known.pvalue / 2])


RANDOM = np.random.default_rng(8)
TRUTH = np.arange(80) % 3 == 0
SCORES = RANDOM.normal(size=(80, 2, 4)) + TRUTH[:, None, None] + RANDOM.normal(size=(80, 1, 1))


def test_areas_and_their_covariance_are_those_of_delong():
    found = score_areas(TRUTH, SCORES)
    areas = [[roc_auc(TRUTH, SCORES[:, m, j], 1) for j in range(4)] for m in (0, 1)]
    assert found.scores == pytest.approx(np.array(areas))
    for j in range(4):
        pair = delong(TRUTH, SCORES[:, :, j], None, None, LEVEL)
        block = found.covariance[:, j, :, j]
        variance = block[0, 0] + block[1, 1] - 2 * block[0, 1]
        assert pair.extra["standard_error"] == pytest.approx(np.sqrt(variance))


def test_the_covariance_of_means_is_that_of_numpy_and_over_groups_that_of_their_sums():
    values = (SCORES > 0.5).astype(float)
    found = score_means(values)
    flat = values.reshape(80, 8)
    assert found.scores.ravel() == pytest.approx(flat.mean(0))
    assert found.covariance.reshape(8, 8) == pytest.approx(np.cov(flat.T) / 80)
    groups = np.arange(80) % 20  # of one size: the mean of the groups' means
    clustered = score_means(values, groups)
    of_groups = np.array([flat[groups == g].mean(0) for g in range(20)])
    assert clustered.covariance.reshape(8, 8) == pytest.approx(np.cov(of_groups.T) / 20)
    assert clustered.n_groups == 20


def test_where_readers_agree_on_the_difference_the_error_is_that_of_the_examples():
    scores = np.array([[0.9, 0.8, 0.7], [0.85, 0.75, 0.65]])
    parts = covariances(2, 3, 4e-4, 3e-4, 2e-4, 1e-4)
    found = obuchowski_rockette(ReaderScores(scores, parts), LEVEL)
    assert found.statistic.name == "z" or found.df[0] > 1e6
    assert found.p == pytest.approx(2 * stats.norm.sf(0.05 / np.sqrt(2 * 1e-4)), rel=1e-6)
    flat = obuchowski_rockette(ReaderScores(scores, np.zeros((2, 3, 2, 3))), LEVEL)
    assert (flat.p, flat.estimate.low) == (None, None)
    same = ReaderScores(scores[[0, 0]], np.zeros((2, 3, 2, 3)))
    assert obuchowski_rockette(same, LEVEL).p == 1.0


def test_what_cannot_be_computed_has_no_bounds_but_a_reason():
    one_class = score_areas(np.zeros(80), SCORES)
    found = obuchowski_rockette(one_class, LEVEL)
    assert (found.p, found.estimate) == (None, None)
    assert "only one class" in found.notes[0]
    assert interval(score_areas(np.zeros(80), SCORES[:, :1]), (0.0, 1.0), LEVEL).low is None
    with pytest.raises(ValueError, match="two or more readers"):
        obuchowski_rockette(ReaderScores(AREAS[:, :1], np.zeros((2, 1, 2, 1))), LEVEL)
    three = ReaderScores(np.vstack((AREAS, AREAS[:1])), np.zeros((3, 5, 3, 5)))
    with pytest.raises(ValueError, match="one-sided"):
        obuchowski_rockette(three, LEVEL, alternative="less")
    with pytest.raises(ValueError, match="of one model"):
        interval(VAN_DYKE, (0.0, 1.0), LEVEL)


def test_few_readers_are_noted():
    few = ReaderScores(AREAS[:1, :3], covariances(1, 3, VARIANCE, 0, COV2, 0))
    assert interval(few, (0.0, 1.0), LEVEL).notes == (
        "only 3 readers; with fewer than 10, coverage of 95% intervals was 91 to 93% in "
        "simulations",
    )


def test_one_example_or_one_group_has_no_covariance():
    one = score_means(np.ones((1, 2, 2)))
    assert one.covariance is None
    assert one.notes == ("undefined: it takes two examples",)
    grouped = score_means(np.ones((4, 2, 2)), groups=[7, 7, 7, 7])
    assert (grouped.covariance, grouped.n_groups) == (None, 1)
    assert grouped.notes == ("undefined: it takes two groups",)


def test_values_of_another_shape_are_refused_and_undefined_ones_have_no_covariance():
    with pytest.raises(ValueError, match="a value of each reader"):
        score_means(np.ones((3, 2)))
    found = score_means(np.full((3, 2, 2), np.nan))
    assert found.covariance is None
    assert found.notes == ("undefined for one reader, or without one of its examples",)
