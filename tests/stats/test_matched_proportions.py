"""Cochran's Q and Looney's F against enumeration, statsmodels and analysis of variance."""

import itertools
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from many_cases import for_each
from mlxtend.evaluate import ftest
from scipy import stats
from statsmodels.stats.anova import AnovaRM
from statsmodels.stats.contingency_tables import cochrans_q

from evallang.stats.correctness import count_correct, count_patterns
from evallang.stats.hypothesis_tests.contingency import cochran, looney_f, mcnemar


def drawn(seed, n, models, right=0.8):
    return np.random.default_rng(seed).random((n, models)) < right


def all_permutations_within_rows(matrix):
    """P(sum of squared column totals >= observed) by listing every arrangement."""
    totals = np.zeros((1, matrix.shape[1]), dtype=int)
    for row in matrix.astype(int).tolist():
        orders = np.array(list(itertools.permutations(row)))
        totals = (totals[:, None, :] + orders).reshape(-1, matrix.shape[1])
    hits = (totals**2).sum(axis=1) >= (matrix.sum(axis=0) ** 2).sum()
    return float(Fraction(int(hits.sum()), len(hits)))


@for_each("seed", range(5))
@for_each("models", [3, 5, 17])
def test_q_agrees_with_statsmodels(seed, models):
    matrix = drawn(seed, 120, models)
    expected = cochrans_q(matrix.astype(int))
    found = cochran(matrix, method="chi2")
    assert found.statistic.value == pytest.approx(expected.statistic, rel=1e-12)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-10)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("n", "models"), [(6, 3), (4, 4)])
def test_the_exact_p_is_the_share_of_all_permutations_within_examples(seed, n, models):
    matrix = drawn(seed, n, models, 0.5)
    expected = all_permutations_within_rows(matrix)
    assert cochran(matrix, method="exact").p == pytest.approx(expected, rel=1e-12)


def test_exact_is_the_default_where_informative_examples_times_models_stay_below_24():
    # Tate & Brown 1970
    informative = np.tile([[True, False, True]], (7, 1))
    agreed = np.ones((500, 3), dtype=bool)
    assert cochran(np.vstack([informative, agreed])).variant == "exact"
    assert cochran(np.vstack([informative, informative[:1], agreed])).variant == "chi2"


def test_examples_on_which_all_agree_do_not_change_the_test():
    matrix = drawn(1, 30, 4, 0.6)
    more = np.vstack([matrix, np.ones((50, 4), dtype=bool), np.zeros((9, 4), dtype=bool)])
    for method in ("chi2", "exact"):
        one, other = cochran(matrix, method=method), cochran(more, method=method)
        assert other.p == pytest.approx(one.p, rel=1e-12)


def test_what_cannot_be_enumerated_falls_back_to_chi_squared_and_says_so():
    found = cochran(drawn(2, 3000, 6), method="exact")
    assert found.variant == "chi2"
    assert "too many to enumerate" in found.notes[0]
    assert found.df == (5.0,)


@pytest.mark.parametrize("seed", range(4))
def test_with_two_models_the_exact_p_is_the_exact_mcnemar_p(seed):
    matrix = drawn(seed, 60, 2, 0.7)
    expected = mcnemar(count_correct(matrix).pair(0, 1), method="exact").p
    assert cochran(matrix, method="exact").p == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_chance_corrected_r_is_one_minus_observed_over_expected_distance(seed):
    # Distances between answers of one model to two examples; expected over all pairs of models
    matrix = drawn(seed, 15, 3, 0.6).astype(int)
    pairs = list(itertools.combinations(range(15), 2))
    observed = np.mean([abs(matrix[i] - matrix[j]).mean() for i, j in pairs])
    expected = np.mean([abs(matrix[i][:, None] - matrix[j][None, :]).mean() for i, j in pairs])
    effect = cochran(matrix).effects[1]
    assert effect.name == "chance-corrected R"
    assert effect.value == pytest.approx(1 - observed / expected, rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_looneys_f_is_the_repeated_measures_analysis_of_variance(seed):
    matrix = drawn(seed, 40, 4).astype(float)
    long = pd.DataFrame(
        [(i, m, matrix[i, m]) for i in range(40) for m in range(4)],
        columns=["example", "model", "right"],
    )
    table = AnovaRM(long, "right", "example", within=["model"]).fit().anova_table
    found = looney_f(matrix)
    assert found.statistic.value == pytest.approx(table["F Value"].iloc[0], rel=1e-9)
    assert found.df == (table["Num DF"].iloc[0], table["Den DF"].iloc[0])
    assert found.p == pytest.approx(table["Pr > F"].iloc[0], rel=1e-8)


def test_looneys_f_has_the_statistic_of_mlxtend():
    matrix = drawn(9, 80, 3)
    truth = np.zeros(80, dtype=int)
    expected, _ = ftest(truth, *(1 - matrix.astype(int)).T)
    assert looney_f(matrix).statistic.value == pytest.approx(expected, rel=1e-9)


def test_f_is_infinite_where_nothing_varies_within_examples():
    found = looney_f(np.tile([True, False, True], (6, 1)))
    assert found.statistic.value == float("inf")
    assert found.p == 0.0
    assert found.notes


def test_counts_of_patterns_stand_for_the_rows_they_count():
    matrix = drawn(4, 300, 4, 0.7)
    patterns, times = np.unique(matrix, axis=0, return_counts=True)
    assert count_patterns(patterns, times) == count_correct(matrix)
    assert cochran(count_patterns(patterns, times)) == cochran(matrix)


def test_the_counts_are_those_of_the_products():
    matrix = drawn(6, 1001, 5).astype(int)
    counts = count_correct(matrix)
    assert counts.together == tuple(map(tuple, (matrix.T @ matrix).tolist()))
    assert counts.row_sums == tuple(np.bincount(matrix.sum(axis=1), minlength=6).tolist())
    table = stats.contingency.crosstab(matrix[:, 0], matrix[:, 1]).count[::-1, ::-1]
    assert counts.pair(0, 1) == tuple(map(tuple, table.tolist()))


def test_what_is_not_right_or_wrong_is_refused():
    with pytest.raises(ValueError, match="1 and 0"):
        cochran([[0, 1, 2]])
    with pytest.raises(ValueError, match="examples by models"):
        cochran([0, 1, 1])
