"""Friedman's, the aligned-ranks and Quade's test against enumeration, R and scipy."""

import csv
import itertools
from fractions import Fraction
from math import factorial
from pathlib import Path

import numpy as np
import pytest
from many_cases import for_each
from scipy import stats

from evallang.stats.hypothesis_tests.datasets import DEMSAR_AUC, friedman, friedman_aligned, quade

REFERENCE = Path(__file__).parent / "reference"
R = {
    row["name"]: float(row["value"])
    for row in csv.DictReader((REFERENCE / "over_data_r.csv").open(encoding="utf-8"))
}
SCORES = np.loadtxt(REFERENCE / "data_sets.csv", delimiter=",", skiprows=1)


def drawn(seed, n, models, digits=2):
    return np.round(np.random.default_rng(seed).random((n, models)), digits)


def all_orders(rows):
    """P(sum of squared column totals >= observed) by listing every order of every row."""
    doubled = (2 * rows).astype(int).tolist()
    observed = sum(total**2 for total in np.sum(doubled, axis=0).tolist())
    hits = count = 0
    for arrangement in itertools.product(*(itertools.permutations(row) for row in doubled)):
        hits += sum(sum(column) ** 2 for column in zip(*arrangement, strict=True)) >= observed
        count += 1
    return float(Fraction(hits, count))


def test_f_is_that_of_the_analysis_of_variance_of_the_ranks():
    # R: friedman.test, and aov(rank ~ model + data set)
    found = friedman(SCORES)
    assert found.variant == "F"
    assert found.statistic.value == pytest.approx(R["friedman_F"], rel=1e-12)
    assert found.df == (4.0, 116.0)
    assert found.p == pytest.approx(R["friedman_p_F"], rel=1e-10)
    assert found.extra["chi2"] == pytest.approx(R["friedman_chi2"], rel=1e-12)
    assert found.extra["p_chi2"] == pytest.approx(R["friedman_p_chi2"], rel=1e-10)
    assert found.extra["df_chi2"] == 4.0


@for_each("seed", range(5))
@for_each(("n", "models"), [(20, 3), (12, 6)])
def test_chi_squared_agrees_with_scipy(seed, n, models):
    scores = drawn(seed, n, models, 1)
    expected = stats.friedmanchisquare(*scores.T)
    found = friedman(scores, method="chi2")
    assert found.statistic.value == pytest.approx(expected.statistic, rel=1e-12)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-10)


def test_demsars_aucs_give_what_they_should():
    # Public figures of Demšar's table 6: 9.857 and 3.987 without, 10.952 and 4.586 with ties
    textbook, corrected = friedman(DEMSAR_AUC, ties="ignore"), friedman(DEMSAR_AUC)
    assert textbook.extra["chi2"] == pytest.approx(9.857, abs=5e-4)
    assert textbook.statistic.value == pytest.approx(3.987, abs=5e-4)
    assert corrected.extra["chi2"] == pytest.approx(10.952, abs=5e-4)
    assert corrected.statistic.value == pytest.approx(4.586, abs=5e-4)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("n", "models"), [(5, 3), (3, 4)])
def test_the_exact_p_is_the_share_of_all_orders(seed, n, models):
    scores = drawn(seed, n, models, 1)
    ranks = stats.rankdata(-scores, axis=1)
    found = friedman(scores)
    assert found.variant == "exact"
    assert found.p == pytest.approx(all_orders(ranks), rel=1e-12)


@pytest.mark.parametrize(("n", "models"), [(15, 3), (8, 4), (5, 5)])
def test_exact_is_the_default_where_it_takes_no_time(n, models):
    # statistics.md, section 4
    assert friedman(drawn(0, n, models)).variant == "exact"
    assert friedman(drawn(0, n + 1, models)).variant == "F"


def test_what_cannot_be_enumerated_falls_back_to_f_and_says_so():
    for n, models in ((200, 6), (5, 30)):
        found = friedman(drawn(1, n, models), method="exact")
        assert found.variant == "F"
        assert "too many to enumerate" in found.notes[0]


@pytest.mark.parametrize(("n", "models"), [(4, 3), (30, 3), (12, 6)])
def test_complete_agreement_has_the_chance_of_one_order_and_not_0(n, models):
    scores = np.tile(np.arange(models), (n, 1))
    for method in ("auto", "F"):
        found = friedman(scores, method=method)
        assert found.statistic.value == float("inf")
        assert found.p == pytest.approx(factorial(models) ** (1.0 - n), rel=1e-12)


def test_missing_scores_are_left_out_or_the_worst():
    scores = SCORES.copy()
    scores[3, 1] = np.nan
    left_out = friedman(scores)
    assert left_out.extra["n"] == 29
    assert left_out.p == friedman(np.delete(SCORES, 3, axis=0)).p
    worst = friedman(scores, "higher", missing="worst")
    with pytest.raises(ValueError, match="`better` states"):
        friedman(scores, missing="worst")
    scores[3, 1] = -1
    assert worst.p == friedman(scores).p
    assert worst.notes and left_out.notes


def test_the_aligned_ranks_statistic_is_the_permutation_chi_squared_of_r():
    # R coin: symmetry_test of the aligned mid-ranks, with ties
    found = friedman_aligned(SCORES)
    assert found.statistic.value == pytest.approx(R["aligned_T"], rel=1e-12)
    assert found.p == pytest.approx(R["aligned_p"], rel=1e-10)


def test_the_exact_aligned_p_is_the_share_of_all_permutations_within_data_sets():
    scores = np.array([[3.0, 5.0, 4.0], [10.0, 15.0, 17.0], [18.0, 25.0, 29.0], [4, 4, 7]])
    aligned = scores - scores.mean(axis=1, keepdims=True)
    ranks = stats.rankdata(np.round(aligned, 9)).reshape(scores.shape)
    found = friedman_aligned(scores, method="exact")
    assert found.p == pytest.approx(all_orders(ranks), rel=1e-12)


def test_quade_agrees_with_r():
    found = quade(SCORES)
    assert found.statistic.value == pytest.approx(R["quade_F"], rel=1e-12)
    assert found.p == pytest.approx(R["quade_p"], rel=1e-10)


def test_quade_of_data_sets_that_agree_has_the_chance_of_one_order():
    assert quade([[1, 2, 3]] * 5).p == pytest.approx(6.0**-4, rel=1e-12)
    # Ranges differ, so the agreement is not complete in Quade's weights
    assert 0 < quade([[1, 2, 3], [10, 20, 30], [1, 2, 4]]).p < 1


@pytest.mark.parametrize("test", [friedman, friedman_aligned, quade])
def test_models_that_never_differ_have_p_1(test):
    # The second row ties in decimals, not in floats
    found = test([[0.5, 0.5, 0.5], [0.3, 0.1 + 0.2, 0.3]])
    assert found.p == 1.0
    assert "differ" in found.notes[0]


def test_kendalls_w_is_chi_squared_over_its_maximum():
    found = friedman(SCORES)
    effect = found.effects[0]
    assert effect.name == "Kendall's W"
    assert effect.value == pytest.approx(R["friedman_chi2"] / (30 * 4), rel=1e-12)
    assert effect.low < effect.value < effect.high


def test_the_average_aligned_ranks_are_those_of_scipy():
    scores = np.random.default_rng(4).normal(size=(9, 4))
    aligned = scores - scores.mean(axis=1, keepdims=True)
    expected = stats.rankdata(-aligned).reshape(scores.shape).mean(axis=0)
    assert friedman_aligned(scores, "higher").extra["average_aligned_ranks"] == pytest.approx(
        expected
    )
    lower = friedman_aligned(-scores, "lower").extra["average_aligned_ranks"]
    assert lower == pytest.approx(expected)


def test_chi2_is_kept_where_all_data_sets_agree():
    table = np.tile([1.0, 2.0, 3.0], (5, 1))
    expected = stats.friedmanchisquare(*table.T)
    found = friedman(table, method="chi2")
    assert (found.variant, found.statistic.name) == ("chi2", "chi2")
    assert found.statistic.value == pytest.approx(expected.statistic)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-9)  # .0067
    assert friedman(table).p == pytest.approx((1 / 6) ** 4)


def test_without_correction_for_ties_the_statistic_is_0_where_everything_is_tied():
    ignored = friedman(np.ones((5, 3)), ties="ignore")
    assert (ignored.statistic.value, ignored.extra["chi2"], ignored.p) == (0.0, 0.0, 1.0)
    corrected = friedman(np.ones((5, 3)))  # 0/0
    assert (corrected.statistic.value, corrected.p) == (None, 1.0)
