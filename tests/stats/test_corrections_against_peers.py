"""Adjusted p-values against statsmodels, scipy and closed tests by enumeration."""

import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from evallang.stats.corrections import correction as family
from evallang.stats.corrections.correction import CORRECTIONS, simultaneous_level

P_VALUES = st.lists(st.floats(1e-12, 1), min_size=1, max_size=15)
FEW = st.lists(st.floats(1e-6, 1), min_size=1, max_size=6)


@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        ("bonferroni", "bonferroni"),
        ("sidak", "sidak"),
        ("holm", "holm"),
        ("holm_sidak", "holm-sidak"),
        ("hochberg", "simes-hochberg"),
        ("hommel", "hommel"),
        ("fdr_bh", "fdr_bh"),
        ("fdr_by", "fdr_by"),
    ],
)
@given(p=P_VALUES)
def test_a_correction_agrees_with_statsmodels(name, theirs, p):
    expected = multipletests(p, method=theirs)[1]
    assert CORRECTIONS[name].function(p) == pytest.approx(tuple(expected), rel=1e-9)


@pytest.mark.parametrize(("name", "theirs"), [("fdr_bh", "bh"), ("fdr_by", "by")])
@given(p=P_VALUES)
def test_false_discovery_corrections_agree_with_scipy(name, theirs, p):
    expected = stats.false_discovery_control(p, method=theirs)
    assert CORRECTIONS[name].function(p) == pytest.approx(tuple(expected), rel=1e-10)


def closed(p, local):
    """Adjust by the largest local p over all intersections that hold a hypothesis."""
    sets = [
        chosen
        for size in range(1, len(p) + 1)
        for chosen in itertools.combinations(range(len(p)), size)
    ]
    tested = {chosen: min(local([p[i] for i in chosen]), 1.0) for chosen in sets}
    return tuple(max(v for chosen, v in tested.items() if i in chosen) for i in range(len(p)))


@given(p=FEW)
def test_holm_is_the_closed_test_of_bonferroni(p):
    expected = closed(p, lambda ps: len(ps) * min(ps))
    assert family.holm(p) == pytest.approx(expected, rel=1e-12)


@given(p=FEW)
def test_hommel_is_the_closed_test_of_simes(p):
    expected = closed(p, lambda ps: min(len(ps) * x / (i + 1) for i, x in enumerate(sorted(ps))))
    assert family.hommel(p) == pytest.approx(expected, rel=1e-12)


@given(p=P_VALUES, alpha=st.floats(0.001, 0.5))
def test_finner_rejects_as_his_step_down_critical_values_do(p, alpha):
    # Finner 1993: reject from the smallest on while p(i) <= 1 - (1 - alpha)^(i/m)
    m, ascending = len(p), np.sort(p)
    critical = 1 - (1 - alpha) ** (np.arange(1, m + 1) / m)
    if (abs(ascending - critical) < 1e-9).any():
        return
    passed = ascending <= critical
    rejected = m if passed.all() else int(np.argmin(passed))
    adjusted = family.finner(p)
    assert sum(value <= alpha for value in adjusted) == rejected


@given(p=P_VALUES, alpha=st.floats(0.001, 0.5))
def test_li_rejects_as_his_two_steps_do(p, alpha):
    # Li 2008: all if the largest p <= alpha, else those with p <= alpha (1 - p_max)/(1 - alpha)
    largest = max(p)
    line = alpha * (1 - largest) / (1 - alpha)
    if abs(largest - alpha) < 1e-9 or any(abs(x - line) < 1e-9 for x in p):
        return
    expected = [largest <= alpha or x <= line for x in p]
    assert [value <= alpha for value in family.li(p)] == expected


def test_matching_intervals_decide_as_the_adjusted_p_does():
    # Normal tests of 20 differences: the interval at the simultaneous level holds 0 or not
    z = np.random.default_rng(1).normal(1, 2, 20)
    p = 2 * stats.norm.sf(abs(z))
    for name in ("bonferroni", "sidak"):
        half = stats.norm.ppf((1 + simultaneous_level(name, 0.95, 20)) / 2)
        rejected = np.array(CORRECTIONS[name].function(p)) <= 0.05
        assert (rejected == (abs(z) >= half)).all()


def test_a_false_coverage_rate_counts_the_selected():
    # Benjamini & Yekutieli 2005: 1 - R q/m
    assert simultaneous_level("fdr_bh", 0.95, 10, 4) == pytest.approx(0.98, rel=1e-12)
    assert simultaneous_level("fdr_bh", 0.95, 10, 0) is None
    harmonic = sum(1 / i for i in range(1, 11))
    assert simultaneous_level("fdr_by", 0.95, 10, 4) == pytest.approx(
        1 - 0.02 / harmonic, rel=1e-12
    )
    with pytest.raises(ValueError, match="number of rejected"):
        simultaneous_level("fdr_bh", 0.95, 10)


def test_step_wise_corrections_take_bonferronis_level():
    for name in ("holm", "hochberg", "hommel", "finner", "li", "holm_sidak"):
        assert simultaneous_level(name, 0.95, 10) == pytest.approx(0.995, rel=1e-12)


def test_a_family_is_not_empty():
    with pytest.raises(ValueError, match="at least one"):
        simultaneous_level("holm", 0.95, 0)
