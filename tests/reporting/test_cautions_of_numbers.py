"""How much training sets share, and what McNemar's test could see."""

import itertools

import numpy as np
import pytest
from sklearn.model_selection import KFold, LeaveOneOut, RepeatedKFold, ShuffleSplit

from evallang.reporting.limits import _said_by_numbers, shared_training
from evallang.results.records import FoldValue


def counted(splits):
    """Give the folds and the mean share of a training set in another, by counting rows."""
    splits = [(set(train.tolist()), len(test)) for train, test in splits]
    folds = [FoldValue(0, i, None, 0.5, len(t), n) for i, (t, n) in enumerate(splits)]
    shares = [len(a & b) / len(a) for (a, _), (b, _) in itertools.permutations(splits, 2)]
    return folds, float(np.mean(shares))


@pytest.mark.parametrize(
    ("splitter", "n", "design", "tolerance"),
    [
        # Unequal folds differ by one row, so that the mean of ratios is not the ratio of means.
        (KFold(10, shuffle=True, random_state=1), 103, "partition", 1e-3),
        (KFold(2), 20, "partition", 0),
        (LeaveOneOut(), 30, "partition", 1e-12),
        (ShuffleSplit(40, test_size=0.25, random_state=3), 400, "drawn", 0.01),
    ],
)
def test_folds_share_what_counting_their_rows_gives(splitter, n, design, tolerance):
    folds, share = counted(splitter.split(np.zeros(n)))
    assert shared_training(design, folds) == pytest.approx(share, abs=tolerance)


def test_splits_of_different_repeats_share_rows_by_chance():
    splits = list(RepeatedKFold(n_splits=3, n_repeats=20, random_state=5).split(np.zeros(600)))
    _, share = counted(splits)
    folds = [FoldValue(i // 3, i % 3, None, 0.5, len(t), len(v)) for i, (t, v) in enumerate(splits)]
    assert shared_training("partition", folds) == pytest.approx(share, abs=0.002)


def test_nothing_is_said_without_sizes_or_of_other_designs():
    folds = [FoldValue(0, i, None, 0.5, None, 20) for i in range(5)]
    assert shared_training("partition", folds) is None
    known = [FoldValue(0, i, None, 0.5, 80, 20) for i in range(5)]
    assert shared_training(None, known) is None
    assert shared_training("partition", known[:1]) is None


def test_what_the_check_said_is_not_repeated_where_the_numbers_say_it():
    said = {"training_sets_overlap"}
    hint = {"name": "pooled_predictions_of_several_models", "allowed_because": None}
    assert _said_by_numbers(hint, said)
    assert not _said_by_numbers(hint, set())
    assert not _said_by_numbers({**hint, "allowed_because": "of the old results"}, said)
    assert not _said_by_numbers({**hint, "name": "no_baseline"}, said)
