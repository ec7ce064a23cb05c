"""The author's own assignment of rows to training, validation, test or folds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from evallang.bibliography import cite
from evallang.protocols.protocol import (
    FITTED_MODELS,
    PER_ROW,
    PROTOCOLS,
    CannotSplit,
    ProtocolDeclaration,
    Rows,
    Split,
    Yields,
)
from evallang.protocols.splitting import keep_groups_whole
from evallang.registry import Design, Evidence

PARTS = ("train", "validation", "test")
FOLD_NUMBER = re.compile(r"(-?\d+)(\.0+)?")


@PROTOCOLS.register(
    ProtocolDeclaration(
        words=("split",),
        forms=("split by COLUMN", 'split from "folds.csv"'),
        # Which of these hold is known from the values: `yields_of_assignment`.
        yields=lambda options: Yields(
            PER_ROW | {Evidence.FOLD_SCORES}, Design.KFOLD, validation=True
        ),
        describe=lambda options: "split given by the author",
        short="split",
        about=FITTED_MODELS,
        n_splits=lambda options: None,
        division="in_place",
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
        evidence = frozenset({Evidence.FOLD_SCORES})
        return Yields(evidence, design, once=False, validation=validation)
    if kind == "folds":
        return Yields(PER_ROW | {Evidence.FOLD_SCORES}, Design.KFOLD)
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
