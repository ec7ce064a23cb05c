"""Protocols whose parts the data assign: columns, one example or group at a time, pairs."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Annotated

import numpy as np

from evallang.bibliography import cite
from evallang.evidence import FOLD_SCORES, PER_ROW
from evallang.limits import SPLITS
from evallang.protocols.protocol import (
    ALGORITHM,
    FITTED_MODELS,
    FOLDS,
    NEW_GROUPS,
    PROTOCOLS,
    TIMES,
    CannotSplit,
    ProtocolDeclaration,
    Rows,
    Split,
    Whole,
    Yields,
)
from evallang.protocols.splitting import k_folds, keep_groups_whole, shuffled_folds
from evallang.registry import Bounds, Design
from evallang.results.settings import OptionWords

PARTS = ("train", "validation", "test")
FOLD_NUMBER = re.compile(r"(-?\d+)(\.0+)?")


@PROTOCOLS.register(
    ProtocolDeclaration(
        words=("split",),
        forms=("split by COLUMN", 'split from "folds.csv"'),
        # Which of these hold is known from the values: `yields_of_assignment`.
        gives=lambda options: Yields(PER_ROW | {FOLD_SCORES}, Design.KFOLD, validation=True),
        describe=lambda options: "split given by the author",
        short="split",
        about=FITTED_MODELS,
        n_splits=lambda options: None,
        division="in_place",
        dependence="independent",
        training="other",
        inner=shuffled_folds,
        keeps_strata=False,
        of_assignment=lambda values, repeats: yields_of_assignment(values, repeats),
        one_class_fix="put rows of every class among those trained on",
        when=(
            "the split is given, such as a benchmark's official test set or the folds of an "
            "earlier study; add `tune cv=K` to tune inside given outer folds"
        ),
        when_not="no split has been fixed: cv, holdout",
        example=(
            'data houses from "data/houses.csv"\n'
            "  target price\n"
            "  features area, distance_to_station\n"
            "  task regression\n"
            "\n"
            "model linear = SimpleImputer | LinearRegression\n"
            "model mean = DummyRegressor\n"
            "\n"
            "protocol split by rooms  # folds: houses of 1 room, of 2, ...\n"
            "measure mae\n"
        ),
    ),
    title="The author's own split",
    references=(cite("raschka2018"),),
)
def split(rows: Rows) -> Iterator[Split]:
    """Divide the rows as a column or a file says: train and test, or fold numbers.

    `train` and `test`, with or without `validation`, are one split (capitals do not matter).
    Whole numbers are folds, tested in rising order by models trained on all the others;
    each fold's label is its number. A file with a column `repeat` gives one such assignment
    for each repeat. Raises `ValueError` for other values, a missing part, a single fold, or
    a group on both sides.
    """
    if rows.assignment is None:
        raise CannotSplit("split needs a column or a file", "write `split by COL`")
    for repeat, values in enumerate((rows.assignment, *rows.further_assignments)):
        for one in _splits(repeat, _kind(values), values):
            training = one.train if one.validation is None else np.r_[one.train, one.validation]
            keep_groups_whole(rows, training, one.test)
            yield one


def yields_of_assignment(values: Sequence[str], repeats: int = 1) -> Yields:
    """Return what `split` yields for the values of its column, once data are read.

    `repeats` is the number of assignments in the file. Raises `ValueError` as `split` does.
    """
    kind = _kind(values)
    validation = kind == "parts" and "validation" in {_part(value) for value in values}
    if repeats > 1:
        design = Design.REPEATED if kind == "folds" else Design.RESAMPLED
        evidence = frozenset({FOLD_SCORES})
        return Yields(evidence, design, once=False, validation=validation)
    if kind == "folds":
        return Yields(PER_ROW | {FOLD_SCORES}, Design.KFOLD)
    return Yields(PER_ROW, single_fit=True, validation=validation)


def _kind(values: Sequence[str]) -> str:
    distinct = {_part(value) for value in values}
    if distinct <= set(PARTS):
        for needed in ("train", "test"):
            if needed not in distinct:
                raise CannotSplit(
                    f"no row of the split is `{needed}`", "name rows `train` and `test`"
                )
        return "parts"
    for value in values:
        if not FOLD_NUMBER.fullmatch(value.strip()):
            raise CannotSplit(
                f"the split holds `{value}`, which is neither a part nor a fold",
                "write train and test, train, validation and test, or whole numbers for folds",
            )
    if len({_number(value) for value in values}) < 2:
        raise CannotSplit("the split has a single fold", "number at least 2 folds")
    return "folds"


def _splits(repeat: int, kind: str, values: Sequence[str]) -> Iterator[Split]:
    if kind == "parts":
        parts = np.array([_part(value) for value in values])
        train, validation, test = (np.flatnonzero(parts == name) for name in PARTS)
        yield Split(repeat, 0, train, test, validation if len(validation) else None)
        return
    numbers = np.array([_number(value) for value in values])
    for fold, number in enumerate(np.unique(numbers)):
        train, test = np.flatnonzero(numbers != number), np.flatnonzero(numbers == number)
        yield Split(repeat, fold, train, test, label=str(number))


def _part(value: str) -> str:
    return value.strip().lower()


def _number(value: str) -> int:
    return int(value.strip().partition(".")[0])


@PROTOCOLS.register(
    ProtocolDeclaration(
        words=("leave_one_group_out",),
        gives=lambda options: Yields(PER_ROW, grouped=True, one_group_a_fold=True),
        describe=lambda options: "leave-one-group-out cross-validation",
        short="leave one group out",
        about=f"{FITTED_MODELS.partition(', not ')[0]} on {NEW_GROUPS}",
        n_splits=lambda options: None,
        division="in_turn",
        dependence="independent",
        training="other",
        inner=shuffled_folds,
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
        gives=lambda options: Yields(frozenset(), once=options["p"] == 1),
        describe=lambda options: f"leave-{options['p']}-out cross-validation",
        short="leave p out",
        about=ALGORITHM,
        n_splits=lambda options: None,
        division="in_turn",
        dependence="independent",
        training="other",
        inner=shuffled_folds,
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
def leave_p_out(rows: Rows, *, p: Whole = 2) -> Iterator[Split]:
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
        gives=lambda options: Yields(frozenset(), once=False),
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
        dependence="independent",
        training="other",
        inner=shuffled_folds,
        option_words={"folds": FOLDS, "repeats": TIMES},
        folds="folds",
        when="an interval requires it",
        when_not="a study states its own protocol: cv, nested cv",
    ),
    title="Cross-validation without each pair of folds",
    listed=False,
)
def folds_and_pairs(
    rows: Rows, *, folds: Annotated[int, Bounds(least=3)], repeats: Whole
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
