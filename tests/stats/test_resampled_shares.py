"""Shares of rows whose units are drawn as a whole."""

import warnings

import numpy as np
import pytest

from evallang.stats.row_shares import SharesOfRows
from evallang.stats.score_curves import Predicted


def test_a_row_without_predictions_has_no_share_and_causes_no_warning():
    rng = np.random.default_rng(1)
    n, units = 60, 12
    truth = rng.integers(2, size=n)
    given = Predicted(
        truth=truth, labels=truth, scores=None, probabilities=False, classes=("a", "b", "c"),
        positive=None, folds=None, units=rng.integers(units, size=n), weights=None, level=0.9,
        seed=3,
    )  # fmt: skip
    column = rng.integers(2, size=n)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = SharesOfRows(given, truth, column, 3, 2)
    empty, full = table.cell(2, 0), table.cell(0, 1)
    assert (empty.count, empty.share, empty.low, empty.high) == (0, None, None, None)
    assert full.share == pytest.approx(column[truth == 0].mean())
    assert 0 < full.low < full.share < full.high < 1
