"""Protocols that leave out examples, groups or pairs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from itertools import combinations
from typing import Annotated

import numpy as np

from evallang.bibliography import cite
from evallang.limits import SPLITS
from evallang.protocols.protocol import (
    ALGORITHM,
    FOLDS,
    NEW_GROUPS,
    PER_ROW,
    PROTOCOLS,
    TIMES,
    CannotSplit,
    ProtocolDeclaration,
    Rows,
    Split,
    Yields,
)
from evallang.protocols.splitting import k_folds
from evallang.registry import Bounds
from evallang.results.settings import OptionWords


@PROTOCOLS.register(
    ProtocolDeclaration(
        words=("leave_one_group_out",),
        yields=lambda options: Yields(PER_ROW, grouped=True, one_group_a_fold=True),
        describe=lambda options: "leave-one-group-out cross-validation",
        short="leave one group out",
        about=NEW_GROUPS,
        n_splits=lambda options: None,
        division="in_turn",
        shared_training="partition",
        keeps_strata=False,
        when=(
            "the model will be used on new groups (patients, sites, batches), and the data "
            "have few groups"
        ),
        when_not=("there are many groups: cv with `group by`, which is faster and less variable"),
        example=(
            'data visits from "data/visits.csv"\n'
            "  target length_of_stay\n"
            "  features age, previous_visits\n"
            "  task regression\n"
            "  where ward is not missing\n"
            "\n"
            "group by ward\n"
            "\n"
            "model linear = LinearRegression\n"
            "model mean = DummyRegressor\n"
            "\n"
            "protocol leave_one_group_out\n"
            "measure mae\n"
        ),
    ),
    title="Leave-one-group-out cross-validation",
    references=(cite("raschka2018"),),
)
def leave_one_group_out(rows: Rows) -> Iterator[Split]:
    """Test each group by the model trained on all other groups, in the order of their codes.

    Strata are not used. Raises `ValueError` without groups, or where there is only one.
    """
    if rows.groups is None:
        raise CannotSplit("leave_one_group_out needs groups", "write `group by COL`")
    groups = np.unique(rows.groups)
    if len(groups) < 2:
        raise CannotSplit("leave_one_group_out needs 2 groups or more, and there is 1")
    for fold, group in enumerate(groups):
        test = rows.groups == group
        yield Split(0, fold, np.flatnonzero(~test), np.flatnonzero(test))


@PROTOCOLS.register(
    ProtocolDeclaration(
        words=("leave_p_out",),
        yields=lambda options: Yields(frozenset(), once=options["p"] == 1),
        describe=lambda options: f"leave-{options['p']}-out cross-validation",
        short="leave p out",
        about=ALGORITHM,
        n_splits=lambda options: None,
        division="in_turn",
        test_rows=lambda options: int(options["p"]),
        option_words={"p": OptionWords("Rows held out", "")},
        keeps_strata=False,
        when="a published leave-p-out estimate is reproduced, on few rows",
        when_not=(
            "in all other cases, because the number of fits explodes and no interval is known: "
            "repeated cv"
        ),
        example=(
            'data houses from "data/houses.csv"\n'
            "  target price\n"
            "  features area, distance_to_station\n"
            "  task regression\n"
            "  where rooms >= 7\n"
            "\n"
            "model linear = LinearRegression\n"
            "model mean = DummyRegressor\n"
            "\n"
            "protocol leave_p_out p=2\n"
            "measure mae\n"
        ),
    ),
    title="Leave-p-out cross-validation",
    references=(cite("raschka2018"), cite("zhou2021")),
)
def leave_p_out(rows: Rows, *, p: int = 2) -> Iterator[Split]:
    """Test every combination of p rows by the model trained on all the others.

    There are n over p of them: 4,950 fits for 100 rows and p = 2. Strata are not used.
    Raises `ValueError` where fewer than p + 1 rows are there, where there are more of
    them than the limit, and for groups.
    """
    if p < 1:
        raise CannotSplit(f"leave_p_out holds out at least 1 row, and p is {p}")
    if rows.groups is not None:
        raise CannotSplit(
            "leave_p_out puts rows of one group on both sides of a split",
            "write `leave_one_group_out`",
        )
    if rows.n <= p:
        raise CannotSplit(f"leave_p_out with p={p} needs {p + 1} rows or more, there are {rows.n}")
    _bounded(rows.n, p)
    everything = np.arange(rows.n, dtype=np.int64)
    for fold, left_out in enumerate(itertools.combinations(range(rows.n), p)):
        yield Split(0, fold, np.delete(everything, left_out), everything[list(left_out)])


def _bounded(n: int, p: int) -> None:
    """Raise `OverLimit` where n over p is too much, without computing the whole number."""
    splits = 1
    for i in range(min(p, n - p)):
        splits = splits * (n - i) // (i + 1)
        if splits > SPLITS.most:
            what = f"leave_p_out with p={p} of {n} rows"
            raise SPLITS.exceeded(what, instead="write a smaller p, or `repeated cv`")


@PROTOCOLS.register(
    ProtocolDeclaration(
        words=("folds", "and", "pairs"),
        yields=lambda options: Yields(frozenset(), once=False),
        describe=lambda options: (
            f"{options['folds']}-fold cross-validation repeated {options['repeats']} times, with "
            "further fits that omit each pair of folds"
        ),
        short="{repeats}×{folds}-fold CV and pairs",
        about=ALGORITHM,
        n_splits=lambda options: (
            options["repeats"] * options["folds"] * (options["folds"] + 1) // 2
        ),
        division="shuffled",
        least={"folds": 3},
        option_words={"folds": FOLDS, "repeats": TIMES},
        folds="folds",
        when="an interval requires it",
        when_not="a study states its own protocol: cv, nested cv",
    ),
    title="Cross-validation without each pair of folds",
    listed=False,
)
def folds_and_pairs(
    rows: Rows, *, folds: int, repeats: Annotated[int, Bounds(least=1)]
) -> Iterator[Split]:
    """Test each fold by a model without it, and each pair of folds by a model without both.

    In every repeat, splits 0 to `folds` - 1 omit one fold; those after them omit two, in the
    order of `pairs_of`, and test the rows of both. One fit without folds i and j serves the
    inner cross-validation of i and that of j (Bates, Hastie & Tibshirani 2024, algorithm 1).
    Raises `ValueError` as `cv` does, and for fewer than three folds.
    """
    if folds < 3:
        raise CannotSplit(
            f"a model without a pair of folds needs at least 3 folds, and folds is {folds}"
        )
    everything = np.arange(rows.n, dtype=np.int64)
    for repeat in range(repeats):
        tested = []
        for fold, (train, test) in enumerate(k_folds(rows, folds, rows.seed(repeat))):
            tested.append(test)
            yield Split(repeat, fold, train, test)
        for number, (one, other) in enumerate(pairs_of(folds), start=folds):
            both = np.sort(np.concatenate([tested[one], tested[other]]))
            yield Split(repeat, number, np.setdiff1d(everything, both), both)


def pairs_of(folds: int) -> tuple[tuple[int, int], ...]:
    """Return the pairs of folds in the order of their splits."""
    return tuple(combinations(range(folds), 2))
