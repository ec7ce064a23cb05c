"""The author's own split: train and test, three parts, fold numbers, repeats."""

import numpy as np
import pytest

from evallang.evidence import FOLD_SCORES, ONE_PREDICTION_PER_ROW
from evallang.protocols.assigned import yields_of_assignment
from evallang.protocols.protocol import PROTOCOLS, Rows, subject_of_yields
from evallang.registry import Design


def split(*assignments, groups=None):
    first, *further = [tuple(values.split()) for values in assignments]
    given_rows = Rows(
        len(first),
        None,
        None if groups is None else np.array(groups),
        first,
        lambda repeat: 0,
        tuple(further),
    )
    return list(PROTOCOLS["split"].function(given_rows))


def test_train_and_test_are_one_split():
    (one,) = split("train Test TRAIN test")
    np.testing.assert_array_equal(one.train, [0, 2])
    np.testing.assert_array_equal(one.test, [1, 3])
    assert one.validation is None


def test_three_parts_have_a_validation_part():
    (one,) = split("train validation test train")
    np.testing.assert_array_equal(one.train, [0, 3])
    np.testing.assert_array_equal(one.validation, [1])
    np.testing.assert_array_equal(one.test, [2])


def test_fold_numbers_are_tested_in_rising_order_with_their_numbers_as_labels():
    found = split("10 2 10 -1 2.0")
    assert [(one.fold, one.label, one.test.tolist()) for one in found] == [
        (0, "-1", [3]),
        (1, "2", [1, 4]),
        (2, "10", [0, 2]),
    ]
    assert found[2].train.tolist() == [1, 3, 4]


def test_each_repeat_of_a_file_has_its_own_folds():
    found = split("1 1 2 2", "1 2 1 2")
    assert [(one.repeat, one.fold, one.test.tolist()) for one in found] == [
        (0, 0, [0, 1]),
        (0, 1, [2, 3]),
        (1, 0, [0, 2]),
        (1, 1, [1, 3]),
    ]


@pytest.mark.parametrize(
    ("assignments", "groups", "message"),
    [
        (["train train"], None, "no row of the split is `test`"),
        (["test validation"], None, "no row of the split is `train`"),
        (["train test dev"], None, "the split holds `train`, which is neither a part nor a fold"),
        (["1 2 x"], None, "the split holds `x`"),
        (["1 1.0 1"], None, "single fold"),
        (["train test test"], [0, 0, 1], "1 group has rows on both sides"),
        (["train validation test"], [0, 1, 1], "1 group has rows on both sides"),
        (["1 2 1 2"], [0, 0, 1, 1], "2 groups have rows on both sides"),
    ],
)
def test_an_assignment_that_is_no_split_is_refused_in_words(assignments, groups, message):
    with pytest.raises(ValueError) as caught:
        split(*assignments, groups=groups)
    assert message in str(caught.value)


def test_what_a_split_yields_depends_on_its_values():
    holdout = yields_of_assignment(["train", "test"])
    assert holdout.single_fit
    assert holdout.once
    assert not holdout.validation
    assert FOLD_SCORES not in holdout.evidence
    assert subject_of_yields(holdout) == "this fitted model"

    assert yields_of_assignment(["train", "validation", "test"]).validation

    folds = yields_of_assignment(["1", "2", "3"])
    assert folds.design is Design.KFOLD
    assert folds.once
    assert not folds.single_fit
    assert ONE_PREDICTION_PER_ROW in folds.evidence


@pytest.mark.parametrize(
    ("values", "design"), [(["1", "2"], Design.REPEATED), (["train", "test"], Design.RESAMPLED)]
)
def test_repeats_of_a_split_predict_examples_several_times(values, design):
    found = yields_of_assignment(values, repeats=3)
    assert found.design is design
    assert not found.once
    assert found.evidence == {FOLD_SCORES}


def test_the_static_yields_are_the_union_of_what_is_possible():
    static = PROTOCOLS["split"].declaration.yields({})
    for values in (["train", "test"], ["train", "validation", "test"], ["1", "2"]):
        found = yields_of_assignment(values)
        assert found.evidence <= static.evidence
        assert static.validation or not found.validation
