"""Losses of probabilities that are looked up part by part are those of plain formulas."""

import numpy as np
import pytest

from evallang.metrics import probability


@pytest.mark.parametrize("n", [0, 1, 6, 7, 8, 50])
def test_losses_in_parts_are_those_of_the_formulas(n, monkeypatch):
    monkeypatch.setattr(probability, "AT_ONCE", 7)
    rng = np.random.default_rng(n)
    chances, truth = rng.dirichlet((1, 1, 1), n).reshape(n, 3), rng.integers(0, 3, n)
    given = chances[np.arange(n), truth]
    distances = ((chances - np.eye(3)[truth]) ** 2).sum(axis=1)
    kept = chances.copy()
    assert probability.log_loss(truth, chances, None) == pytest.approx(-np.log(given), rel=1e-15)
    assert probability.brier(truth, chances, None) == pytest.approx(distances, rel=1e-15)
    assert np.array_equal(chances, kept)
