"""Bayesian tests over data sets against baycomp, closed forms and plain loops."""

import csv
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from evallang.stats.hypothesis_tests.bayesian import bayes_sign, bayes_signed_rank

REFERENCE = Path(__file__).parent / "reference"
BAYCOMP = {
    row["name"]: float(row["value"])
    for row in csv.DictReader((REFERENCE / "over_data_python.csv").open(encoding="utf-8"))
}
SCORES = np.loadtxt(REFERENCE / "data_sets.csv", delimiter=",", skiprows=1)
CASES = ("first", "rope", "second")


@pytest.mark.parametrize("rope", [0.005, 0.02])
@pytest.mark.parametrize("other", [1, 2, 4])
def test_the_signed_rank_test_agrees_with_baycomp(rope, other):
    # 400,000 samples there and 200,000 here: standard error of the difference at most .0014
    found = bayes_signed_rank(
        SCORES[:, 0], SCORES[:, other], seed=3, rope=rope, samples=200_000, better="higher"
    ).extra
    for case in CASES:
        expected = BAYCOMP[f"signed_rank_{rope:g}_1_{other + 1}_{case}"]
        assert found[f"p_{case}"] == pytest.approx(expected, abs=0.006)
    assert sum(found[f"p_{case}"] for case in CASES) == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize("rope", [0.005, 0.02])
@pytest.mark.parametrize("other", [1, 2, 4])
def test_the_sign_test_agrees_with_baycomp(rope, other):
    # 400,000 samples: standard error at most .0008; baycomp adds .0001 to each count
    found = bayes_sign(SCORES[:, 0], SCORES[:, other], rope=rope, better="higher").extra
    for case in CASES:
        expected = BAYCOMP[f"sign_{rope:g}_1_{other + 1}_{case}"]
        assert found[f"p_{case}"] == pytest.approx(expected, abs=0.004)


@pytest.mark.parametrize(("wins", "ties"), [(1, 0), (7, 3), (40, 20), (0, 4)])
def test_two_shares_have_a_beta_distribution(wins, ties):
    # P(share of the first > 1/2) where no data set speaks for the second
    d = [1.0] * wins + [0.0] * ties
    found = bayes_sign(d, np.zeros(len(d)), rope=0.5, better="higher").extra
    expected = stats.beta.sf(0.5, wins, ties + 0.5) if wins else 0.0
    assert found["p_first"] == pytest.approx(expected, rel=1e-10)
    assert found["p_second"] == 0.0


def test_three_equal_counts_have_about_a_third_each():
    d = [1.0] * 100 + [-1.0] * 100 + [0.0] * 100
    found = bayes_sign(d, np.zeros(300), better="higher").extra
    assert found["p_first"] == pytest.approx(found["p_second"], rel=1e-10)
    # The prior is half a data set more in the region, a twentieth of a standard deviation
    assert 1 / 3 < found["p_rope"] < 1 / 3 + 0.05


def test_weights_and_pairs_are_those_of_a_plain_loop():
    # The definition of Benavoli et al. 2014, eq. 12 with a region: all pairs, one by one
    d, rope, samples = np.array([0.03, 0.01, -0.02, 0.05, 0.0]), 0.01, 4000
    rng = np.random.default_rng(5)
    z = np.concatenate([[0.0], d])
    sums = np.round(z[:, None] + z[None, :], 12)
    wins = np.zeros(3)
    for w in rng.dirichlet([0.5, 1, 1, 1, 1, 1], samples):
        products = np.outer(w, w)
        shares = [
            products[sums > 2 * rope].sum(),
            products[abs(sums) <= 2 * rope].sum(),
            products[sums < -2 * rope].sum(),
        ]
        wins[np.argmax(shares)] += 1
    found = bayes_signed_rank(d, np.zeros(5), rope=rope, seed=1, better="higher").extra
    for case, expected in zip(CASES, wins / samples, strict=True):
        # Standard error of the loop: at most .008
        assert found[f"p_{case}"] == pytest.approx(expected, abs=0.03)


@pytest.mark.parametrize("test", [bayes_sign, bayes_signed_rank])
def test_direction_and_order_swap_the_two_sides(test):
    x, y = SCORES[:, 0], SCORES[:, 1]
    one, lower = (test(x, y, better).extra for better in ("higher", "lower"))
    swapped = test(y, x, "higher").extra
    for other in (lower, swapped):
        assert other["p_first"] == pytest.approx(one["p_second"], rel=1e-9)
        assert other["p_rope"] == pytest.approx(one["p_rope"], rel=1e-9)


@pytest.mark.parametrize("test", [bayes_sign, bayes_signed_rank])
def test_a_difference_at_the_end_of_the_region_is_inside(test):
    # .31 - .3 is a little more than .01 as a float
    found = test([0.31] * 10, [0.3] * 10, "higher", rope=0.01).extra
    assert found["p_rope"] == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("test", [bayes_sign, bayes_signed_rank])
def test_a_region_is_needed_outside_of_0_to_1(test):
    with pytest.raises(ValueError, match="rope="):
        test([1.0], [2.0], "higher", bounded=False)
    assert test([1.0], [2.0], "higher", bounded=False, rope=0.5).extra["p_rope"] < 0.5


@pytest.mark.parametrize("test", [bayes_sign, bayes_signed_rank])
def test_no_data_set_gives_no_probability(test):
    found = test([np.nan], [1.0], "higher")
    assert found.p is None
    assert found.extra["p_first"] is None
    assert any("undefined" in note for note in found.notes)


def test_the_pseudo_median_is_the_middle_of_all_means():
    # 1, 3, 8: means of pairs 1, 2, 4.5, 3, 5.5, 8
    found = bayes_signed_rank([1.0, 3.0, 8.0], [0.0] * 3, rope=0.0, better="higher")
    assert found.estimate.value == pytest.approx(3.75, rel=1e-12)
