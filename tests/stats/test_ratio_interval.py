"""The delta-method interval of a ratio of sums against regressions of two other kinds."""

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

from evallang.stats.intervals.ratio_of_sums import ratio

RANDOM = np.random.default_rng(5)
WORDS = RANDOM.integers(1, 30, 50)
ERRORS = RANDOM.binomial(WORDS, RANDOM.beta(2, 12, 50))
SUMS = np.column_stack((ERRORS, WORDS))
GROUPS = np.repeat(np.arange(12), [1, 2, 3, 4, 5, 6, 2, 3, 8, 4, 5, 7])


def by_matrices(sums, groups, level=0.95):
    """Compute CR2 and its degrees of freedom as Bell and McCaffrey write them, with matrices.

    A regression of each example's own ratio on a constant, weighted by its denominator.
    """
    numerators, denominators = np.asarray(sums, dtype=float).T
    root = np.sqrt(denominators)
    x, y = root[:, None], numerators / root
    n = len(x)
    inverse = np.linalg.inv(x.T @ x)
    value = float((inverse @ x.T @ y).item())
    residual_maker = np.eye(n) - x @ inverse @ x.T
    residuals = residual_maker @ y
    scores, columns = [], []
    for group in np.unique(groups):
        rows = np.flatnonzero(groups == group)
        block = np.eye(len(rows)) - x[rows] @ inverse @ x[rows].T
        values, vectors = np.linalg.eigh(block)
        adjusted = vectors @ np.diag(values**-0.5) @ vectors.T @ x[rows] @ inverse
        scores.append((adjusted.T @ residuals[rows]).item())
        columns.append(residual_maker[:, rows] @ adjusted[:, 0])
    eigenvalues = np.linalg.eigvalsh(np.array(columns) @ np.array(columns).T)
    df = eigenvalues.sum() ** 2 / (eigenvalues**2).sum()
    half = stats.t.ppf((1 + level) / 2, df) * np.sqrt(np.square(scores).sum())
    return value - half, value + half


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_error_of_independent_examples_is_hc2_of_statsmodels(level):
    ours = ratio(SUMS, None, level)
    fitted = sm.WLS(ERRORS / WORDS, np.ones(50), weights=WORDS).fit(cov_type="HC2")
    assert (ours.low + ours.high) / 2 == pytest.approx(fitted.params[0], rel=1e-12)
    expected = by_matrices(SUMS, np.arange(50), level)
    assert (ours.low, ours.high) == pytest.approx(expected, rel=1e-10)
    shares = WORDS / WORDS.sum()
    across = (shares**2 / (1 - shares)).sum() ** 2 - ((shares**2 / (1 - shares)) ** 2).sum()
    df = 1 / ((shares**2).sum() + across)
    half = stats.t.ppf((1 + level) / 2, df) * fitted.bse[0]
    assert (ours.high - ours.low) / 2 == pytest.approx(half, rel=1e-10)


def test_of_groups_it_is_cr2_with_the_degrees_of_bell_and_mccaffrey():
    ours = ratio(SUMS, GROUPS, 0.95)
    sums = np.array([SUMS[group == GROUPS].sum(axis=0) for group in range(12)])
    # Whole groups as examples: the residuals of a group enter as their sum
    assert (ours.low, ours.high) == pytest.approx(by_matrices(sums, np.arange(12)), rel=1e-10)
    # and so does the matrix form on the rows themselves, whose weights are their denominators
    assert (ours.low, ours.high) == pytest.approx(by_matrices(SUMS, GROUPS), rel=1e-10)
    assert ours.clusters.n == 12


def test_with_equal_denominators_it_is_students_interval_of_the_mean():
    sums = np.column_stack((ERRORS, np.full(50, 7.0)))
    known = stats.ttest_1samp(ERRORS / 7, 0).confidence_interval(0.9)
    ours = ratio(sums, None, 0.9)
    assert (ours.low, ours.high) == pytest.approx((known.low, known.high), rel=1e-12)


def test_it_does_not_depend_on_the_unit_of_either_sum():
    plain, scaled = ratio(SUMS, GROUPS, 0.95), ratio(SUMS * (1000, 0.001), GROUPS, 0.95)
    assert (scaled.low, scaled.high) == pytest.approx((plain.low * 1e6, plain.high * 1e6))


def test_examples_without_a_denominator_add_to_the_numerator_alone():
    # insertions where nothing was spoken
    more = np.vstack((SUMS, [[3, 0], [0, 0]]))
    ours = ratio(more, None, 0.95)
    value = (ERRORS.sum() + 3) / WORDS.sum()
    assert (ours.low + ours.high) / 2 == pytest.approx(value, rel=1e-12)
    assert ours.high - ours.low > ratio(SUMS, None, 0.95).high - ratio(SUMS, None, 0.95).low


@pytest.mark.parametrize(
    ("sums", "groups", "reason"),
    [
        ([[1, 2]], None, "fewer than two examples have a denominator"),
        ([[1, 2], [1, 0]], None, "fewer than two examples have a denominator"),
        ([[1, 2], [2, 3]], [0, 0], "fewer than two groups have a denominator"),
        ([[1, 2], [2, 4], [3, 6]], None, "each example has the same ratio"),
        ([[0, 2], [0, 5]], None, "each example has the same ratio"),
    ],
)
def test_where_nothing_varies_there_is_no_interval_but_a_reason(sums, groups, reason):
    found = ratio(sums, groups, 0.95)
    assert (found.low, found.high) == (None, None)
    assert reason in found.notes[0]


@pytest.mark.parametrize("sums", [[1, 2], [[1, -2], [1, 3]], [[1, np.inf], [1, 3]], [[1], [2]]])
def test_what_is_no_table_of_sums_is_refused(sums):
    with pytest.raises(ValueError, match="ratio of sums"):
        ratio(sums, None, 0.95)
