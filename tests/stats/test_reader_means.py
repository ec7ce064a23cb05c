"""Means of readers with models: their covariance by its definition, and what has none."""

import numpy as np
import pytest

from evallang.stats.intervals.readers import score_means


def test_the_covariance_is_that_of_means():
    values = np.random.default_rng(2).normal(size=(30, 2, 3))
    found = score_means(values)
    expected = np.cov(values.reshape(30, 6), rowvar=False) / 30
    np.testing.assert_allclose(found.covariance.reshape(6, 6), expected, rtol=1e-12)
    np.testing.assert_allclose(found.of_models, values.mean(axis=0))


def test_one_example_or_one_group_has_no_covariance():
    one = score_means(np.ones((1, 2, 2)))
    assert one.covariance is None
    assert one.notes == ("undefined: it takes two examples",)
    grouped = score_means(np.ones((4, 2, 2)), groups=[7, 7, 7, 7])
    assert (grouped.covariance, grouped.n_groups) == (None, 1)
    assert grouped.notes == ("undefined: it takes two groups",)


@pytest.mark.parametrize("values", [np.ones((3, 2)), np.full((3, 2, 2), np.nan)])
def test_values_of_another_shape_or_none_are_refused(values):
    with pytest.raises(ValueError, match="a finite value of each reader"):
        score_means(values)
