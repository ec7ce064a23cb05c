"""Blocks of neighbours in time, with a gap on both sides of the tested one."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Annotated, Any

import numpy as np

from evallang.bibliography import cite
from evallang.evidence import FOLD_SCORES, PER_ROW
from evallang.protocols.protocol import (
    FITTED_MODELS,
    FOLDS,
    PROTOCOLS,
    CannotSplit,
    ProtocolDeclaration,
    Rows,
    Several,
    Split,
    Yields,
)
from evallang.protocols.splitting import Numbers, keep_groups_whole
from evallang.registry import Bounds, Design
from evallang.results.settings import OptionWords


def runs(
    rows: Rows, options: Mapping[str, Any], folds: int, seed: int = 0
) -> Iterator[tuple[Numbers, Numbers]]:
    """Divide rows into blocks of neighbours; each is tested by the rows beyond the gap."""
    places = np.arange(rows.n, dtype=np.int64) if rows.moments is None else rows.moments
    edges = np.linspace(0, int(places.max()) + 1, folds + 1).round()
    gap = options["gap"]
    for start, end in pairwise(edges):
        test = np.flatnonzero((places >= start) & (places < end))
        train = np.flatnonzero((places < start - gap) | (places >= end + gap))
        if not len(test) or not len(train):
            raise CannotSplit(f"{rows.n} rows are too few for {folds} blocks", "write fewer folds")
        yield train, test


@PROTOCOLS.register(
    ProtocolDeclaration(
        words=("blocks",),
        gives=lambda options: Yields(PER_ROW | {FOLD_SCORES}, Design.KFOLD),
        describe=lambda options: f"{options['folds']} blocks with a gap of {options['gap']} rows",
        short="{folds} blocks",
        about=FITTED_MODELS,
        n_splits=lambda options: int(options["folds"]),
        division="in_place",
        dependence="neighbours",
        training="around",
        inner=runs,
        keeps_strata=False,
        option_words={
            "folds": FOLDS,
            "gap": OptionWords("Gap", "rows on each side that nothing uses"),
        },
        folds="folds",
        when="rows follow one another, and gaps between them are to be filled",
        when_not="later rows are predicted: time_series; rows are independent of one another: cv",
        example=(
            'data visits from "data/visits.csv"  # rows in the order of time\n'
            "  target length_of_stay\n"
            "  features age, previous_visits\n"
            "  task regression\n"
            "\n"
            "model linear = LinearRegression\n"
            "model mean = DummyRegressor\n"
            "\n"
            "protocol blocks folds=5 gap=2\n"
            "measure mae\n"
        ),
    ),
    title="Blocks",
    references=(cite("raschka2018"),),
)
def blocks(
    rows: Rows, *, folds: Several = 5, gap: Annotated[int, Bounds(least=0)] = 2
) -> Iterator[Split]:
    """Test each of `folds` blocks of neighbours by the model trained on all the others.

    `gap` rows on each side of a block are neither trained on nor tested with it. Raises
    `ValueError` where a part would be empty, or where a group has rows on both sides.
    """
    for fold, (train, test) in enumerate(runs(rows, {"gap": gap}, folds)):
        keep_groups_whole(rows, train, test)
        yield Split(0, fold, train, test)
