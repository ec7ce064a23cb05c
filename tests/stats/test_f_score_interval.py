"""Takahashi's interval against its authors' formulas, derivatives and its own coverage."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats
from stats.reference_values import figures

from evallang.stats.intervals.proportions import takahashi

R = figures("from_r")  # the formulas of the authors' program
TABLE = np.array([[30, 4, 2], [5, 20, 6], [1, 3, 9]])
Z = stats.norm.ppf(0.975)
TABLES = st.lists(st.lists(st.integers(0, 12), min_size=3, max_size=3), min_size=3, max_size=3)


@pytest.mark.parametrize("average", ["macro", "micro"])
def test_the_plain_form_is_that_of_its_authors(average):
    found = takahashi(TABLE, average, None, 0.95, scale="plain")
    assert found.low == pytest.approx(R[f"f1_{average}_low"], rel=1e-10)
    assert found.high == pytest.approx(R[f"f1_{average}_high"], rel=1e-10)


def f1_of(table, average, positive):
    """F1 of tables (..., k, k), by precision and recall."""
    hits = np.diagonal(table, axis1=-2, axis2=-1)
    truth, named = table.sum(-1), table.sum(-2)
    scores = 2 * hits / (truth + named)
    if average == "binary":
        return scores[..., positive]
    if average == "macro":
        return scores.mean(-1)
    if average == "micro":
        return hits.sum(-1) / truth.sum(-1)
    return (scores * truth).sum(-1) / truth.sum(-1)


@pytest.mark.parametrize("average", ["binary", "macro", "micro", "weighted"])
def test_the_variance_is_that_of_the_jackknife_in_large_tables(average):
    # Infinitesimal jackknife: derivatives by leaving out a hundred-thousandth of a cell
    table = TABLE * 1000.0
    value = f1_of(table, average, 1)
    squares = 0.0
    for i in range(3):
        for j in range(3):
            less = table.copy()
            less[i, j] -= 1e-2
            squares += table[i, j] * ((f1_of(less, average, 1) - value) / 1e-2) ** 2
    # Moving weight 1 from a cell changes F1 by influence/n, as F1 has degree 0
    found = takahashi(TABLE * 1000, average, 1, 0.95, scale="plain")
    assert (found.high - found.low) / 2 == pytest.approx(Z * math.sqrt(squares), rel=1e-5)
    assert (found.high + found.low) / 2 == pytest.approx(float(value), rel=1e-12)


@given(table=TABLES)
def test_the_logit_scale_stays_inside_0_and_1(table):
    for average in ("binary", "macro", "micro", "weighted"):
        found = takahashi(table, average, 0, 0.99)
        if found.low is None:
            assert found.notes
        else:
            assert 0 < found.low < found.high < 1


def test_a_perfect_score_and_an_absent_class_have_no_interval():
    assert "F1 is 1" in takahashi([[5, 0], [0, 5]], "macro", None, 0.95).notes[0]
    assert "F1 is 0" in takahashi([[5, 1], [4, 0]], "binary", 1, 0.95).notes[0]
    absent = takahashi([[5, 1, 0], [2, 3, 0], [0, 0, 0]], "macro", None, 0.95)
    assert absent.notes == ("undefined: a class is neither true nor predicted",)
    assert takahashi([[5, 1, 0], [2, 3, 0], [0, 0, 0]], "weighted", None, 0.95).low is not None


def test_what_is_no_confusion_matrix_is_refused():
    with pytest.raises(ValueError, match="confusion matrix"):
        takahashi([[1, 2]], "macro", None, 0.95)
    with pytest.raises(ValueError, match="none is named"):
        takahashi([[1, 2], [3, 4]], "binary", None, 0.95)
    with pytest.raises(ValueError, match="averaged as"):
        takahashi([[1, 2], [3, 4]], "samples", None, 0.95)
