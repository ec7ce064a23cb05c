"""Shares of two models on examples of their own, beside statsmodels."""

import pytest
from hypothesis import given, strategies as st
from statsmodels.stats import proportion

from evallang.stats import Shares, newcombe_independent, proportions_z

SIDES = {"two_sided": "two-sided", "greater": "larger", "less": "smaller"}


@st.composite
def shares(draw):
    """Draw (right, n) for a model, from n = 1 on."""
    n = draw(st.integers(1, 5000))
    return draw(st.integers(0, n)), n


@given(shares(), shares(), st.sampled_from(sorted(SIDES)))
def test_z_with_an_n_of_each_model_is_that_of_statsmodels(one, other, side):
    found = proportions_z(Shares(one, other), alternative=side)
    right, n = zip(one, other, strict=True)
    if sum(right) in (0, sum(n)):
        assert found.statistic.value is None
        assert found.p == 1.0
        return
    z, p = proportion.proportions_ztest(right, n, alternative=SIDES[side])
    assert found.statistic.value == pytest.approx(z, rel=1e-9, abs=1e-12)
    assert found.p == pytest.approx(p, rel=1e-7, abs=1e-15)
    assert found.table is None
    assert (found.extra["n_first"], found.extra["n_second"]) == n


@given(shares(), shares(), st.sampled_from([0.8, 0.95, 0.99]))
def test_newcombes_interval_of_two_samples_is_that_of_statsmodels(one, other, level):
    low, high = proportion.confint_proportions_2indep(
        *one, *other, method="newcomb", compare="diff", alpha=1 - level
    )
    alone = newcombe_independent((one, other), level)
    within = proportions_z(Shares(one, other), level).estimate
    assert (alone.low, alone.high) == (within.low, within.high)
    assert within.method == "newcombe_independent"
    assert alone.low == pytest.approx(low, abs=1e-9)
    assert alone.high == pytest.approx(high, abs=1e-9)
    assert within.value == pytest.approx(one[0] / one[1] - other[0] / other[1], abs=1e-15)


def test_a_table_and_the_shares_of_its_margins_have_one_z():
    of_table = proportions_z(((60, 25), (15, 0)))
    of_shares = proportions_z(Shares((85, 100), (75, 100)))
    assert of_shares.statistic == of_table.statistic
    assert of_shares.p == of_table.p
    assert (of_table.estimate.method, of_table.table) == ("unpaired_wald", ((60, 25), (15, 0)))


@pytest.mark.parametrize("wrong", [(5, 4), (-1, 4), (1.5, 4), (1, 2**54), ("a", 4), (1, 2, 3), 4])
def test_what_is_no_share_is_refused(wrong):
    with pytest.raises(ValueError, match="share"):
        proportions_z(Shares(wrong, (1, 2)))
    with pytest.raises(ValueError, match="share"):
        newcombe_independent(((1, 2), wrong), 0.95)


def test_shares_of_no_examples_say_nothing():
    found = proportions_z(Shares((0, 0), (1, 2)))
    assert (found.p, found.estimate.value, found.estimate.low) == (None, None, None)
    assert found.notes == ("no examples",)
    with pytest.raises(ValueError, match="two models"):
        newcombe_independent(((1, 2),), 0.95)
