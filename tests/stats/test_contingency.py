"""McNemar's test and the z test against enumeration, scipy and statsmodels."""

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats
from statsmodels.stats import contingency_tables, proportion

from evallang.stats.hypothesis_tests.contingency import mcnemar, proportions_z

COUNTS = st.integers(0, 60)


def binomial_half(b, c):
    """Exact and mid p of a table with b and c, by adding up every outcome in fractions."""
    n = b + c
    weight = [Fraction(comb(n, i), 2**n) for i in range(n + 1)]
    exact = min(Fraction(1), 2 * sum(weight[max(b, c) :]))
    midp = 1 - weight[b] / 2 if b == c else exact - weight[b]
    return float(exact), float(midp)


@given(a=COUNTS, b=COUNTS, c=COUNTS, d=COUNTS)
def test_exact_and_mid_p_are_sums_over_all_outcomes(a, b, c, d):
    extra = mcnemar(((a, b), (c, d))).extra
    if b + c:
        exact, midp = binomial_half(b, c)
        assert extra["p_exact"] == pytest.approx(exact, rel=1e-12)
        assert extra["p_midp"] == pytest.approx(midp, rel=1e-12)


@given(b=COUNTS, c=COUNTS)
def test_exact_p_is_scipys_binomial_test(b, c):
    if b + c:
        expected = stats.binomtest(b, b + c, 0.5).pvalue
        assert mcnemar(((3, b), (c, 4)), method="exact").p == pytest.approx(expected, rel=1e-10)


@given(b=COUNTS, c=COUNTS)
def test_chi_squared_variants_agree_with_statsmodels(b, c):
    table = ((3, b), (c, 4))
    if b + c == 0:
        return
    expected = contingency_tables.mcnemar(table, exact=False, correction=False)
    found = mcnemar(table, method="chi2")
    assert found.statistic.value == pytest.approx(expected.statistic, rel=1e-12)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-10)
    if b != c:  # statsmodels does not stop the correction at 0
        expected = contingency_tables.mcnemar(table, exact=False, correction=True)
        found = mcnemar(table, method="corrected")
        assert found.statistic.value == pytest.approx(expected.statistic, rel=1e-12)
        assert found.p == pytest.approx(expected.pvalue, rel=1e-10)


@given(b=COUNTS, c=COUNTS)
def test_no_outcome_with_as_many_discordant_pairs_has_a_smaller_p(b, c):
    for method in ("midp", "exact", "chi2", "corrected"):
        smallest = mcnemar(((0, b), (c, 0)), method=method).extra["p_smallest"]
        outcomes = [mcnemar(((0, i), (b + c - i, 0)), method=method).p for i in range(b + c + 1)]
        assert smallest == pytest.approx(min(outcomes), rel=1e-12)


@pytest.mark.parametrize(("b", "c", "variant"), [(12, 12, "exact"), (13, 12, "corrected")])
def test_the_textbook_rule_is_exact_below_25_discordant_pairs(b, c, variant):
    # Raschka 2018, 4.4
    found = mcnemar(((50, b), (c, 5)), method="textbook")
    assert found.variant == variant
    assert found.p == found.extra[f"p_{variant}"]
    assert str(b + c) in found.notes[0]


def test_without_discordant_pairs_p_is_1_in_every_variant_and_a_note_says_why():
    for method in ("midp", "exact", "chi2", "corrected", "textbook"):
        found = mcnemar(((10, 0), (0, 10)), method=method)
        assert found.p == 1.0
        assert "both models were right on the same examples" in found.notes
        assert all(effect.value is None for effect in found.effects)
        assert found.estimate.value == 0.0


def test_equal_discordant_counts_are_corrected_to_0_and_not_below():
    # Edwards 1948 lowers the absolute difference by one; of 0 nothing is left to lower
    found = mcnemar(((10, 5), (5, 10)), method="corrected")
    assert found.statistic.value == 0.0
    assert found.p == 1.0


def test_mid_p_of_ten_million_examples_keeps_its_digits():
    # Against the exact sum in whole numbers: 2 P(X > b) + P(X = b) for b = 5200 of 10,000
    n, b = 10_000, 5_200
    tables, beyond = comb(n, b), 0
    for i in range(b, n):
        tables = tables * (n - i) // (i + 1)
        beyond += tables
    expected = float(Fraction(2 * beyond + comb(n, b), 2**n))
    found = mcnemar(((9_980_000, b), (n - b, 10_000)))
    assert found.p == pytest.approx(expected, rel=1e-11)


def test_the_odds_ratio_has_the_interval_of_the_binomial_share():
    low, high = proportion.proportion_confint(25, 27, method="beta")
    odds = mcnemar(((5, 25), (2, 5))).effects[0]
    assert odds.name == "odds ratio"
    assert odds.low == pytest.approx(low / (1 - low), rel=1e-10)
    assert odds.high == pytest.approx(high / (1 - high), rel=1e-10)


def test_an_odds_ratio_may_be_infinite():
    odds = mcnemar(((5, 7), (0, 5))).effects[0]
    assert odds.value == odds.high == float("inf")
    assert odds.low == pytest.approx((0.025 ** (1 / 7)) / (1 - 0.025 ** (1 / 7)), rel=1e-10)


@pytest.mark.parametrize("table", [((1, 2), (3, -1)), ((1, 2.5), (3, 4))])
def test_what_is_no_table_of_counts_is_refused(table):
    with pytest.raises(ValueError, match="whole numbers"):
        mcnemar(table)


def test_a_numpy_table_is_a_table():
    assert mcnemar(np.array([[5, 7], [1, 5]])) == mcnemar(((5, 7), (1, 5)))


@given(a=COUNTS, b=COUNTS, c=COUNTS, d=COUNTS)
def test_the_z_test_agrees_with_statsmodels(a, b, c, d):
    n = a + b + c + d
    if n == 0 or a + b + c == 0 or b + c + d == 0:
        return
    z, p = proportion.proportions_ztest([a + b, a + c], [n, n])
    found = proportions_z(((a, b), (c, d)), 0.9)
    assert found.statistic.value == pytest.approx(z, rel=1e-10, abs=1e-12)
    assert found.p == pytest.approx(p, rel=1e-10)
    low, high = proportion.confint_proportions_2indep(a + b, n, a + c, n, method="wald", alpha=0.1)
    assert found.estimate.low == pytest.approx(max(low, -1), rel=1e-10, abs=1e-12)
    assert found.estimate.high == pytest.approx(min(high, 1), rel=1e-10, abs=1e-12)
