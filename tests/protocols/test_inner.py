"""Inner splits: inside the training part, of the outer design, the same for all models."""

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold, TimeSeriesSplit

from evallang.protocols.cross_validation import inner_splits, later_periods
from evallang.protocols.protocol import PROTOCOLS, Rows
from evallang.protocols.splitting import shuffled_folds

Y = np.arange(40) % 2
GROUPS = np.arange(40) // 4
SHUFFLED = {"inner": shuffled_folds, "options": {}}
TRAINING = np.setdiff1d(np.arange(40), [0, 1, 2, 3, 20, 21, 22, 23])


def rows(strata=None, groups=None):
    return Rows(40, strata, groups, None, lambda repeat: repeat)


@pytest.mark.parametrize(
    ("strata", "groups", "splitter"),
    [(None, None, KFold), (Y, None, StratifiedKFold), (None, GROUPS, GroupKFold)],
)
def test_inner_folds_are_scikit_learns_on_the_training_part(strata, groups, splitter):
    found = list(inner_splits(rows(strata, groups), TRAINING, folds=4, seed=11, **SHUFFLED))
    theirs = splitter(4, shuffle=True, random_state=11).split(
        TRAINING,
        None if strata is None else strata[TRAINING],
        None if groups is None else groups[TRAINING],
    )
    for fold, (split, (train, test)) in enumerate(zip(found, theirs, strict=True)):
        assert (split.repeat, split.fold) == (0, fold)
        np.testing.assert_array_equal(split.train, TRAINING[train])
        np.testing.assert_array_equal(split.test, TRAINING[test])


def test_no_outer_test_row_is_seen_inside():
    for outer in PROTOCOLS["cv"].function(rows(Y, GROUPS), folds=3):
        for split in inner_splits(rows(Y, GROUPS), outer.train, folds=3, seed=1, **SHUFFLED):
            inside = np.concatenate([split.train, split.test])
            np.testing.assert_array_equal(np.sort(inside), outer.train)
            assert not set(GROUPS[split.train]) & set(GROUPS[split.test])


def test_copies_of_a_row_in_a_bootstrap_sample_stay_together():
    training = np.sort(np.random.default_rng(0).integers(0, 40, 40))
    found = list(inner_splits(rows(Y), training, folds=3, seed=5, **SHUFFLED))
    for split in found:
        assert not set(split.train) & set(split.test)
        both = np.sort(np.concatenate([split.train, split.test]))
        np.testing.assert_array_equal(both, training)
    np.testing.assert_array_equal(np.sort(np.concatenate([s.test for s in found])), training)


def test_inner_folds_of_a_series_never_train_on_the_future():
    training = np.arange(30)
    found = list(inner_splits(rows(), training, folds=3, seed=5, inner=later_periods, options={}))
    for split, (train, test) in zip(found, TimeSeriesSplit(3).split(training), strict=True):
        np.testing.assert_array_equal(split.train, train)
        np.testing.assert_array_equal(split.test, test)


def test_a_training_part_with_too_few_of_a_class_is_refused():
    y = np.array([1, 1, *([0] * 38)])
    with pytest.raises(ValueError, match="smallest stratum has 1 row"):
        list(inner_splits(rows(y), np.arange(1, 40), folds=3, seed=0, **SHUFFLED))
