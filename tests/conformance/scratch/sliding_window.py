"""A window of fixed length that moves forward in time."""

from collections.abc import Iterator

import numpy as np

from evallang.bibliography import cite
from evallang.evidence import LOSSES_PER_ROW, ONE_PREDICTION_PER_ROW
from evallang.protocols.cross_validation import later_periods
from evallang.protocols.protocol import (
    FITTED_MODELS,
    PROTOCOLS,
    CannotSplit,
    ProtocolDeclaration,
    Rows,
    Several,
    Split,
    Whole,
    Yields,
)
from evallang.protocols.splitting import keep_groups_whole
from evallang.results.settings import OptionWords


@PROTOCOLS.register(
    ProtocolDeclaration(
        words=("sliding_window",),
        gives=lambda options: Yields(frozenset({ONE_PREDICTION_PER_ROW, LOSSES_PER_ROW})),
        describe=lambda options: (
            f"a window of {options['window']} rows moved over {options['folds']} test periods"
        ),
        short="{folds} windows of {window} rows",
        about=FITTED_MODELS,
        n_splits=lambda options: int(options["folds"]),
        division="in_place",
        dependence="neighbours",
        training="past",
        inner=later_periods,
        keeps_strata=False,
        option_words={
            "folds": OptionWords("Test periods", "each row of a period is tested once"),
            "window": OptionWords("Training window", "rows before a period to train on"),
        },
        one_class_fix="write a longer `window`",
        when="rows follow one another in time, and old rows no longer describe what follows",
        when_not="old rows still help: time_series; rows are independent of one another: cv",
        example=(
            'data visits from "data/visits.csv"  # rows in the order of time\n'
            "  target length_of_stay\n"
            "  features age, previous_visits\n"
            "  task regression\n"
            "\n"
            "model linear = LinearRegression\n"
            "model mean = DummyRegressor\n"
            "\n"
            "protocol sliding_window folds=5 window=60\n"
            "measure mae\n"
        ),
    ),
    title="Sliding window",
    references=(cite("raschka2018"),),
)
def sliding_window(rows: Rows, *, folds: Several = 5, window: Whole = 50) -> Iterator[Split]:
    """Test on consecutive periods, each by the model trained on the `window` rows before it.

    Rows are in the order of the file, and the rows after the first window are divided into
    `folds` periods. Raises `ValueError` where a period would be empty.
    """
    size = (rows.n - window) // folds
    if window < 1 or size < 1:
        raise CannotSplit(f"{rows.n} rows leave no test periods", "write a shorter `window`")
    everything = np.arange(rows.n, dtype=np.int64)
    for fold in range(folds):
        start = rows.n - (folds - fold) * size
        train, test = everything[start - window : start], everything[start : start + size]
        keep_groups_whole(rows, train, test)
        yield Split(0, fold, train, test)
