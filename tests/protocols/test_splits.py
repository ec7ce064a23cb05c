"""Who is trained and who is tested, under every protocol."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings, strategies as st
from many_cases import for_each
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    train_test_split,
)

from evallang.protocols.protocol import PROTOCOLS, Rows


def rows(n, strata=None, groups=None, assignment=None, further=(), seed=17):
    return Rows(
        n,
        None if strata is None else np.asarray(strata),
        None if groups is None else np.asarray(groups),
        assignment,
        lambda repeat: (seed + repeat) % 2**32,
        further,
    )


def splits(name, given_rows, **options):
    return list(PROTOCOLS[name].function(given_rows, **options))


def same(ours, theirs):
    theirs = list(theirs)
    assert len(ours) == len(theirs)
    for split, (train, test) in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(split.train, np.sort(train))
        np.testing.assert_array_equal(split.test, np.sort(test))


STRATA = np.repeat([0, 1, 2], [30, 20, 13])[np.random.default_rng(0).permutation(63)]
GROUPS = np.random.default_rng(1).integers(0, 20, 63)
X = np.zeros(63)

codes = st.lists(st.integers(0, 2), min_size=12, max_size=60)


# --- folds ------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(codes, st.integers(2, 4), st.booleans(), st.integers(0, 2**32 - 1))
def test_every_row_is_tested_once_by_a_model_that_did_not_see_it(y, folds, stratified, seed):
    y = np.array([*y, *([0, 1, 2] * 4)])
    found = splits("cv", rows(len(y), y if stratified else None, seed=seed), folds=folds)
    tested = np.concatenate([split.test for split in found])
    assert sorted(tested) == list(range(len(y)))
    for split in found:
        assert sorted([*split.train, *split.test]) == list(range(len(y)))


@settings(max_examples=60, deadline=None)
@given(codes, st.integers(2, 4), st.integers(0, 2**32 - 1))
def test_folds_of_a_stratum_differ_by_at_most_one_row(y, folds, seed):
    y = np.array([*y, *([0, 1, 2] * 4)])
    found = splits("cv", rows(len(y), y, seed=seed), folds=folds)
    for stratum in range(3):
        sizes = [int((y[split.test] == stratum).sum()) for split in found]
        assert max(sizes) - min(sizes) <= 1


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(0, 9), min_size=30, max_size=60),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_a_group_never_stands_on_both_sides(groups, stratified, seed):
    groups = np.array([*groups, *range(10)])
    y = (np.arange(len(groups)) % 2) if stratified else None
    given_rows = rows(len(groups), y, groups, seed=seed)
    found = [
        *splits("cv", given_rows, folds=3),
        *splits("repeated_holdout", given_rows, times=3, test=Fraction(1, 4)),
        *splits("holdout", given_rows, test=0.2, validation=0.2),
        *splits("nested_cv", given_rows, outer=3),
        *splits("5x2cv", given_rows),
        *splits("leave_one_group_out", given_rows),
        *splits("bootstrap", given_rows, rounds=3)[1:],
    ]
    for split in found:
        sides = [split.train, split.test]
        if split.validation is not None:
            sides.append(split.validation)
        for one, other in itertools.combinations(sides, 2):
            assert not set(groups[one]) & set(groups[other])


@pytest.mark.parametrize(
    ("strata", "groups", "splitter"),
    [
        (None, None, KFold),
        (STRATA, None, StratifiedKFold),
        (None, GROUPS, GroupKFold),
        (STRATA, GROUPS, StratifiedGroupKFold),
    ],
)
def test_folds_are_those_of_a_plain_scikit_learn_loop(strata, groups, splitter):
    given_rows = rows(63, strata, groups, seed=5)

    def theirs(folds, seed):
        return splitter(folds, shuffle=True, random_state=seed).split(X, strata, groups)

    same(splits("cv", given_rows, folds=5), theirs(5, 5))
    same(splits("nested_cv", given_rows, outer=4), theirs(4, 5))
    repeated = splits("repeated_cv", given_rows, folds=4, times=3)
    same(repeated, [pair for repeat in range(3) for pair in theirs(4, 5 + repeat)])
    halves = splits("5x2cv", given_rows)
    same(halves, [pair for repeat in range(5) for pair in theirs(2, 5 + repeat)])


@settings(max_examples=120, deadline=None)
@given(
    st.lists(st.integers(-2, 3), min_size=12, max_size=70),
    st.sampled_from(["rows", "strata", "groups"]),
    st.integers(2, 5),
    st.integers(0, 2**32 - 2),
)
def test_folds_computed_here_are_those_of_scikit_learn(codes, kind, folds, seed):
    counts = np.unique(codes, return_counts=True)[1]
    assume(kind != "strata" or counts.min() >= folds)
    assume(kind != "groups" or len(counts) >= folds)
    splitter = {"rows": KFold, "strata": StratifiedKFold, "groups": GroupKFold}[kind]
    given_rows = rows(len(codes), **({} if kind == "rows" else {kind: codes}), seed=seed)
    loop = splitter(folds, shuffle=True, random_state=seed)
    same(
        splits("cv", given_rows, folds=folds),
        loop.split(codes, codes, codes if kind == "groups" else None),
    )


def test_the_second_fold_of_a_5x2_repeat_swaps_the_halves():
    found = splits("5x2cv", rows(63, STRATA))
    for first, second in zip(found[::2], found[1::2], strict=True):
        assert (first.fold, second.fold) == (0, 1)
        np.testing.assert_array_equal(first.train, second.test)
        np.testing.assert_array_equal(first.test, second.train)


def test_leave_one_out_is_scikit_learns_and_takes_no_notice_of_strata():
    same(splits("leave_one_out", rows(7, [0, 0, 0, 0, 0, 0, 1])), LeaveOneOut().split(X[:7]))


def test_leave_one_group_out_is_scikit_learns():
    theirs = LeaveOneGroupOut().split(X, None, GROUPS)
    same(splits("leave_one_group_out", rows(63, STRATA, GROUPS)), theirs)


def test_leave_p_out_tests_every_combination_once():
    found = splits("leave_p_out", rows(6), p=3)
    tested = {tuple(split.test.tolist()) for split in found}
    assert tested == set(itertools.combinations(range(6), 3))
    assert len(found) == math.comb(6, 3)
    assert all(len(split.train) == 3 for split in found)


# --- seeds ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["repeated_cv", "repeated_holdout", "nested_cv", "5x2cv"])
@pytest.mark.parametrize("groups", [None, GROUPS])
def test_the_same_seed_gives_the_same_splits_and_another_repeat_others(name, groups):
    options = {} if name == "5x2cv" else {"times": 4}
    first = splits(name, rows(63, STRATA, groups), **options)
    again = splits(name, rows(63, STRATA, groups), **options)
    same(first, [(split.train, split.test) for split in again])
    by_repeat = {}
    for split in first:
        by_repeat.setdefault(split.repeat, []).append(tuple(split.test.tolist()))
    assert len({tuple(tests) for tests in by_repeat.values()}) == len(by_repeat)


@pytest.mark.parametrize("name", ["cv", "holdout", "repeated_holdout", "bootstrap"])
def test_another_seed_gives_other_splits(name):
    one = splits(name, rows(63, STRATA, seed=1))
    other = splits(name, rows(63, STRATA, seed=1000))
    assert any(
        len(a.test) != len(b.test) or (a.test != b.test).any()
        for a, b in zip(one, other, strict=True)
    )


# --- holdout ----------------------------------------------------------------------------


@settings(max_examples=80, deadline=None)
@given(
    st.integers(20, 400),
    st.sampled_from([Fraction(1, 3), Fraction(2, 7), 0.1, 0.2, 0.25, 0.3, 0.5]),
    st.booleans(),
    st.integers(0, 2**32 - 1),
)
def test_a_holdout_is_scikit_learns_train_test_split(n, share, stratified, seed):
    y = np.arange(n) % 2 if stratified else None
    train, test = train_test_split(
        np.arange(n), test_size=float(share), stratify=y, random_state=seed
    )
    same(splits("holdout", rows(n, y, seed=seed), test=share), [(train, test)])


def test_a_share_is_taken_as_written_and_rounded_up():
    # 0.07 * 100 is 7.000000000000001 in binary floating point
    assert len(splits("holdout", rows(100), test=0.07)[0].test) == 7
    assert len(splits("holdout", rows(100))[0].test) == 34
    assert len(splits("holdout", rows(99))[0].test) == 33


@pytest.mark.parametrize("strata", [None, STRATA])
def test_three_parts_of_a_holdout_are_shares_of_all_rows(strata):
    (split,) = splits("holdout", rows(63, strata), test=0.2, validation=0.3)
    assert len(split.test) == 13  # ceil(12.6)
    assert len(split.validation) == 19  # ceil(18.9)
    everyone = np.concatenate([split.train, split.validation, split.test])
    assert sorted(everyone) == list(range(63))


def test_every_part_of_a_stratified_holdout_keeps_the_shares():
    (split,) = splits("holdout", rows(63, STRATA), test=0.2, validation=0.3)
    for part in (split.train, split.validation, split.test):
        counts = np.bincount(STRATA[part], minlength=3)
        expected = np.array([30, 20, 13]) * len(part) / 63
        assert np.abs(counts - expected).max() <= 1


def test_a_grouped_holdout_is_scikit_learns_and_a_share_of_groups():
    theirs = GroupShuffleSplit(1, test_size=0.25, random_state=17).split(X, None, GROUPS)
    same(splits("holdout", rows(63, None, GROUPS), test=0.25), theirs)


def test_a_stratified_grouped_holdout_is_some_folds_of_a_stratified_group_k_fold():
    (split,) = splits("holdout", rows(63, STRATA, GROUPS), test=0.25)
    folds = StratifiedGroupKFold(4, shuffle=True, random_state=17).split(X, STRATA, GROUPS)
    assert tuple(split.test) in {tuple(test) for _, test in folds}


def test_the_validation_part_of_groups_is_a_share_of_all_of_them():
    (split,) = splits("holdout", rows(63, STRATA, GROUPS), test=0.2, validation=0.2)
    rest = np.setdiff1d(np.arange(63), split.test)
    quarters = StratifiedGroupKFold(4, shuffle=True, random_state=18).split(
        rest, STRATA[rest], GROUPS[rest]
    )
    assert tuple(split.validation) in {tuple(rest[test]) for _, test in quarters}


def test_no_group_is_in_every_stratified_grouped_test_part():
    # StratifiedGroupKFold always puts the most unequal group into its first fold
    groups = np.array([0] * 12 + [i // 4 + 1 for i in range(48)])
    y = np.array([0] * 12 + [0, 1, 1, 1] * 12)
    found = splits("repeated_holdout", rows(60, y, groups), times=30, test=0.25)
    share = np.mean([0 in groups[split.test] for split in found])
    assert 0 < share < 0.7  # 1/4 expected; 30 draws


def test_each_repeat_of_a_repeated_holdout_is_a_holdout():
    found = splits("repeated_holdout", rows(63, STRATA, seed=3), times=4, test=0.2)
    for repeat, split in enumerate(found):
        assert (split.repeat, split.fold) == (repeat, 0)
        (alone,) = splits("holdout", rows(63, STRATA, seed=3 + repeat), test=0.2)
        np.testing.assert_array_equal(split.test, alone.test)


# --- bootstrap and series ---------------------------------------------------------------


def test_a_bootstrap_round_trains_on_n_draws_and_tests_the_rest():
    full, *rounds = splits("bootstrap", rows(40), rounds=25)
    assert full.fold == -1
    np.testing.assert_array_equal(full.train, np.arange(40))
    np.testing.assert_array_equal(full.test, np.arange(40))
    for split in rounds:
        assert len(split.train) == 40
        assert set(split.test) == set(range(40)) - set(split.train)
        assert len(split.test) > 0
    # a row is excluded with probability (1 - 1/40)^40 = .363; sd of the mean of 1000 < .01
    share = np.mean([len(split.test) for split in rounds]) / 40
    assert abs(share - (1 - 1 / 40) ** 40) < 0.05


def test_two_rows_always_leave_one_out():
    for split in splits("bootstrap", rows(2), rounds=30)[1:]:
        assert len(split.test) == 1
        assert len(set(split.train)) == 1


def test_more_bootstrap_rounds_only_add_to_those_there_are():
    few, many = splits("bootstrap", rows(20), rounds=3), splits("bootstrap", rows(20), rounds=6)
    same(few, [(split.train, split.test) for split in many[:4]])


@pytest.mark.parametrize(("gap", "test"), [(0, None), (3, None), (0, 4), (2, 5)])
def test_a_time_series_is_scikit_learns(gap, test):
    theirs = TimeSeriesSplit(5, gap=gap, test_size=test).split(X)
    same(splits("time_series", rows(63), folds=5, gap=gap, test=test), theirs)


# --- what the rows do not allow ------------------------------------------------------------


@for_each(
    ("name", "given_rows", "options", "message"),
    [
        ("cv", rows(6), {"folds": 10}, "6 rows cannot make 10 folds"),
        ("cv", rows(6), {"folds": 1}, "folds must be at least 2, not 1"),
        ("cv", rows(9, [0] * 7 + [1] * 2), {"folds": 3}, "smallest stratum has 2 rows"),
        ("cv", rows(9, None, [0] * 5 + [1] * 4), {"folds": 3}, "2 groups cannot make 3 folds"),
        ("repeated_cv", rows(9), {"folds": 3, "times": 0}, "times must be at least 1, not 0"),
        ("nested_cv", rows(9), {"inner": 1}, "inner must be at least 2, not 1"),
        ("5x2cv", rows(5, [0, 0, 0, 0, 1]), {}, "smallest stratum has 1 row,"),
        ("leave_one_out", rows(1), {}, "there is 1"),
        ("leave_one_out", rows(4, None, [0, 0, 1, 1]), {}, "leave_one_group_out"),
        ("leave_p_out", rows(4, None, [0, 0, 1, 1]), {}, "leave_one_group_out"),
        ("leave_p_out", rows(2), {}, "needs 3 rows or more, there are 2"),
        ("leave_p_out", rows(2), {"p": 0}, "p must be at least 1, not 0"),
        ("leave_one_group_out", rows(4), {}, "write `group by COL`"),
        ("leave_one_group_out", rows(2, None, [3, 3]), {}, "there is 1"),
        ("holdout", rows(9), {"test": 1}, "test must be above 0 and below 1, not 1"),
        ("holdout", rows(9), {"test": 0.5, "validation": 0.5}, "nothing to train on"),
        ("holdout", rows(1), {}, "leaves nothing for the other part"),
        ("holdout", rows(9, [0] * 8 + [1]), {}, "stratum with one row"),
        ("holdout", rows(12, [0, 1, 2] * 4), {"test": 0.1}, "cannot hold all 3 strata"),
        ("holdout", rows(4, [0, 0, 0, 1], [0, 1, 2, 3]), {}, "stratum with one row"),
        ("repeated_holdout", rows(9), {"times": 0}, "times must be at least 1, not 0"),
        ("resubstitution", rows(0), {}, "there is none"),
        ("bootstrap", rows(9), {"rounds": 0}, "rounds must be at least 1, not 0"),
        ("bootstrap", rows(4, None, [0] * 4), {}, "2 rows (or groups) or more"),
        ("time_series", rows(5), {"folds": 5}, "leave none to train on"),
        ("time_series", rows(50), {"folds": 1}, "folds must be at least 2, not 1"),
        ("time_series", rows(50), {"gap": -1}, "gap must be at least 0, not -1"),
        ("time_series", rows(12, None, [0] * 12), {}, "1 group has rows on both sides"),
        ("split", rows(4), {}, "write `split by COL`"),
    ],
)
def test_rows_that_do_not_allow_the_splits_are_refused_in_words(name, given_rows, options, message):
    with pytest.raises(ValueError) as caught:
        splits(name, given_rows, **options)
    assert message in str(caught.value)
    assert not str(caught.value).endswith(".")
    assert str(caught.value)[0] == str(caught.value)[0].lower()


def test_a_model_without_a_pair_of_folds_tests_the_rows_of_both():
    found = splits("folds_and_pairs", rows(12), folds=4, repeats=2)
    assert [(s.repeat, s.fold) for s in found] == [(r, f) for r in (0, 1) for f in range(10)]
    for repeat in (0, 1):
        alone = [set(s.test) for s in found if s.repeat == repeat and s.fold < 4]
        both = [set(s.test) for s in found if s.repeat == repeat and s.fold >= 4]
        assert both == [one | other for one, other in itertools.combinations(alone, 2)]
    assert all(set(s.train) == set(range(12)) - set(s.test) for s in found)


def test_authors_cannot_write_a_protocol_that_an_interval_implies():
    assert "folds_and_pairs" in PROTOCOLS
    assert "folds_and_pairs" not in PROTOCOLS.names()
    with pytest.raises(ValueError, match="folds must be at least 3"):
        splits("folds_and_pairs", rows(12), folds=2, repeats=1)
