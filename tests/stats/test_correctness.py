"""Counts of right and wrong against plain sums over the matrix."""

import numpy as np
import pytest

from evallang.stats.correctness import count_correct


def by_sums(matrix):
    ones = matrix.astype(np.int64)
    row_sums = np.bincount(ones.sum(axis=1), minlength=matrix.shape[1] + 1)
    return tuple(map(tuple, (ones.T @ ones).tolist())), tuple(row_sums.tolist())


# around the 64 examples of a word and the 65,536 that are packed at once
@pytest.mark.parametrize("n", [0, 1, 7, 63, 64, 65, 1000, 65_535, 65_536, 65_537])
@pytest.mark.parametrize("models", [1, 2, 3, 8, 17])
def test_counts_by_bits_are_those_of_the_matrix(n, models):
    matrix = np.random.default_rng(n + models).random((n, models)) < 0.7
    for order in ("C", "F"):
        counts = count_correct(np.asarray(matrix, order=order))
        assert (counts.together, counts.row_sums) == by_sums(matrix)


def test_parts_add_up_to_the_whole():
    matrix = np.random.default_rng(1).random((1000, 4)) < 0.6
    assert count_correct(matrix[:333]) + count_correct(matrix[333:]) == count_correct(matrix)


@pytest.mark.parametrize("value", [2, -1, 0.5, np.nan])
def test_other_values_than_0_and_1_are_refused(value):
    with pytest.raises(ValueError, match="1 and 0"):
        count_correct([[0, 1], [1, value]])
