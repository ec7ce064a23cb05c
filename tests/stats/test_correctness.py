"""Counts of right and wrong against plain sums over the matrix."""

import numpy as np
import pytest
from many_cases import for_each

from evallang.stats import correctness
from evallang.stats.correctness import count_columns, count_correct


def by_sums(matrix):
    ones = matrix.astype(np.int64)
    row_sums = np.bincount(ones.sum(axis=1), minlength=matrix.shape[1] + 1)
    return tuple(map(tuple, (ones.T @ ones).tolist())), tuple(row_sums.tolist())


@for_each("n", [0, 1, 7, 1000, 20_000])
@for_each("models", [1, 2, 3, 8, 17])
def test_counts_are_those_of_the_matrix(n, models):
    matrix = np.random.default_rng(n + models).random((n, models)) < 0.7
    for order in ("C", "F"):
        counts = count_correct(np.asarray(matrix, order=order))
        assert (counts.together, counts.row_sums) == by_sums(matrix)


@pytest.mark.parametrize("value", [2, -1, 0.5, np.nan])
def test_other_values_than_0_and_1_are_refused(value):
    with pytest.raises(ValueError, match="1 and 0"):
        count_correct([[0, 1], [1, value]])


@pytest.mark.parametrize("n", [1023, 1024, 1025, 3000])
def test_examples_counted_in_several_parts_are_those_of_the_matrix(n, monkeypatch):
    monkeypatch.setattr(correctness, "ROWS_AT_ONCE", 1024)
    matrix = np.random.default_rng(n).random((n, 5)) < 0.7
    counts = count_correct(matrix)
    assert (counts.n, counts.together, counts.row_sums) == (n, *by_sums(matrix))


@pytest.mark.parametrize("n", [1, 64, 1000, 2**17 + 77])
def test_columns_are_counted_as_their_matrix_is(n):
    rng = np.random.default_rng(n)
    truth = rng.integers(0, 3, n).astype(np.int8)
    labels = np.where(rng.random((4, n)) < 0.6, truth, rng.integers(0, 3, (4, n))).astype(np.int8)
    about = rng.random(n) < 0.4
    assert count_columns(truth, list(labels)) == count_correct((labels == truth).T)
    some = count_columns(truth, list(labels), about)
    assert some == count_correct((labels[:, about] == truth[about]).T)
