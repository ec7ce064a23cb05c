"""Protocols that leave out every group, or every combination of p rows, in turn."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from evallang.bibliography import cite
from evallang.limits import SPLITS
from evallang.protocols.protocol import (
    ALGORITHM,
    NEW_GROUPS,
    PER_ROW,
    PROTOCOLS,
    CannotSplit,
    ProtocolDeclaration,
    Rows,
    Split,
    Yields,
)
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
