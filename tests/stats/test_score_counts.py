"""Scores counted for each class, against scikit-learn and DeLong's covariance of all rows."""

import numpy as np
import pytest
from many_cases import for_each
from sklearn.metrics import roc_auc_score

from evallang.stats.hypothesis_tests.ranking_curves import auc_covariance
from evallang.stats.score_counts import (
    PlacementSums,
    ScoreCounts,
    coarse_scores,
    count_scores,
    merged,
    placement_products,
    rank,
)

N = 4000
RNG = np.random.default_rng(11)
UP = RNG.random(N) < 0.3
SCORES = {
    "ties": np.round(RNG.normal(size=N) + UP, 1),
    "distinct": RNG.normal(size=N) + 2 * UP,
    "near 1": 1 - 10.0 ** (-8 * RNG.random(N)) / (1 + UP),
    "with an outlier": np.where(np.arange(N) == 7, 1e300, RNG.normal(size=N) + UP),
    "tiny": 1e-310 * RNG.random(N),
    "negative": -RNG.random(N) - UP,
}
PARTS = np.array_split(np.arange(N), [1, 2, 700, 701, 3999])


def same(one: ScoreCounts, other: ScoreCounts) -> bool:
    """Return whether two counts agree in everything."""
    return one.digits == other.digits and all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("scores", "negatives", "positives")
    )


@for_each("kind", SCORES)
@for_each("most", [None, 2, 3, 50, 1000])
def test_counts_of_parts_add_up_to_those_of_the_whole(kind: str, most: int | None) -> None:
    scores = SCORES[kind]
    whole = count_scores(scores, UP, most)
    parts = [count_scores(scores[rows], UP[rows], most) for rows in PARTS]
    assert same(merged(parts, most), whole)
    # And in any order, some of them together first
    assert same(merged([merged(parts[3:], most), *parts[2::-1]], most), whole)
    assert whole.members == (int((~UP).sum()), int(UP.sum()))
    if most is not None:
        assert len(whole.scores) <= most
        assert np.array_equal(np.unique(coarse_scores(scores, most)), whole.scores)


@pytest.mark.parametrize("kind", SCORES)
def test_the_area_of_counts_is_that_of_scikit_learn(kind: str) -> None:
    found = rank(count_scores(SCORES[kind], UP)).area
    assert found == pytest.approx(roc_auc_score(UP, SCORES[kind]), abs=1e-14)


@for_each("kind", SCORES)
@for_each("most", [2, 10, 300, N])
def test_rounding_moves_an_area_by_no_more_than_is_stated(kind: str, most: int) -> None:
    counts = count_scores(SCORES[kind], UP, most)
    rounded = coarse_scores(SCORES[kind], most)
    assert rank(counts).area == pytest.approx(roc_auc_score(UP, rounded), abs=1e-14)
    error = abs(rank(counts).area - roc_auc_score(UP, SCORES[kind]))
    assert error <= counts.area_error + 1e-14
    if counts.digits is None:
        assert counts.area_error == 0


def test_the_stated_error_is_reached_where_rounding_hides_all_order() -> None:
    up = np.arange(64) >= 32
    counts = count_scores(np.arange(64.0) / 1024, up, 2)
    # All are in [0, 1/16): halves of them, in order, remain apart
    assert rank(counts).area == 1.0
    mixed = np.where(np.arange(64) % 32 < 16, up, ~up)
    counts = count_scores(np.arange(64.0) / 1024, mixed, 2)
    assert counts.area_error == pytest.approx(2 * 16 * 16 / 2 / 32 / 32)


def test_sums_over_parts_give_delongs_covariance() -> None:
    columns = list(SCORES.values())
    ranks = [rank(count_scores(scores, UP)) for scores in columns]
    areas = [one.area for one in ranks]
    totals = [np.zeros((len(ranks), len(ranks))) for _ in range(2)]
    for rows in PARTS:
        found = placement_products(ranks, areas, [scores[rows] for scores in columns], UP[rows])
        totals = [total + own for total, own in zip(totals, found, strict=True)]
    sums = PlacementSums(np.array(areas), int((~UP).sum()), int(UP.sum()), *totals)
    expected = auc_covariance(UP.astype(int), np.stack(columns, 1), None, None)
    assert sums.areas == pytest.approx(expected.areas, abs=1e-14)
    assert sum(sums.of_classes) == pytest.approx(expected.covariance, rel=1e-12)
    some = auc_covariance(UP.astype(int), np.stack([columns[4], columns[1]], 1), None, None)
    assert sum(sums.of([4, 1]).of_classes) == pytest.approx(some.covariance, rel=1e-12)
    assert sum(ranks[0].sums().of_classes) == pytest.approx(expected.covariance[:1, :1], rel=1e-12)


def test_whole_numbers_beyond_64_bits_have_an_area() -> None:
    many = np.array([1 << 32, 1 << 32])
    counts = ScoreCounts(np.array([0.0, 1.0]), many, many[::-1])
    assert rank(counts).area == 0.5
    assert rank(ScoreCounts(np.array([0.0, 1.0]), many * [1, 0], many * [0, 1])).area == 1.0


def test_classes_of_one_and_of_none_have_no_spread() -> None:
    one = rank(count_scores(np.array([1.0, 2.0]), np.array([False, True]))).sums()
    assert (one.areas.tolist(), one.smaller) == ([1.0], 1)
    assert one.of_classes is None
    none = rank(count_scores(np.array([1.0, 2.0]), np.array([True, True]))).sums()
    assert np.isnan(none.areas).all()


@pytest.mark.parametrize("gap", [np.nan, np.inf])
def test_scores_that_are_not_finite_are_refused(gap: float) -> None:
    with pytest.raises(ValueError, match="missing or infinite"):
        count_scores(np.array([1.0, gap]), np.array([True, False]))
