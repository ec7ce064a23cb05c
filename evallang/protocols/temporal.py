"""Protocols of time, and of folds inside training parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from evallang.bibliography import cite
from evallang.protocols.protocol import (
    FITTED_MODELS,
    FOLDS,
    PROTOCOLS,
    CannotSplit,
    ProtocolDeclaration,
    Rows,
    Split,
    Yields,
)
from evallang.protocols.splitting import k_folds, keep_groups_whole, part
from evallang.registry import Evidence
from evallang.results.settings import OptionWords


def _rows(number: int) -> str:
    return "one row" if number == 1 else f"{number} rows"


@PROTOCOLS.register(
    ProtocolDeclaration(
        words=("time_series",),
        yields=lambda options: Yields(
            frozenset({Evidence.ONE_PREDICTION_PER_ROW, Evidence.LOSSES_PER_ROW}), ordered=True
        ),
        describe=lambda options: (
            f"forward chaining over {options['folds']} test periods"
            + (f" with a gap of {_rows(options['gap'])}" if options["gap"] else "")
        ),
        short="{folds} steps forward",
        about=FITTED_MODELS,
        n_splits=lambda options: int(options["folds"]),
        division="in_place",
        keeps_strata=False,
        least={"folds": 2, "gap": 0},
        option_words={
            "folds": FOLDS,
            "gap": OptionWords("Gap", ""),
            "test": OptionWords("Test part", "rows of each test period"),
        },
        one_class_fix="write fewer folds, if the rows are in the order of time",
        when=("rows are ordered in time, and the model will predict later rows from earlier ones"),
        when_not="rows are independent: cv",
        differs={
            "scikit-learn": (
                "TimeSeriesSplit makes the same parts for the same number of folds, gap and "
                "test size"
            ),
        },
        example=(
            'data visits from "data/visits.csv"  # rows in the order of time\n'
            "  target length_of_stay\n"
            "  features age, previous_visits\n"
            "  task regression\n"
            "\n"
            "model linear = LinearRegression\n"
            "model mean = DummyRegressor\n"
            "\n"
            "protocol time_series folds=5\n"
            "measure mae\n"
        ),
    ),
    title="Time series: forward chaining",
    references=(cite("tashman2000"),),
)
def time_series(
    rows: Rows, *, folds: int = 5, gap: int = 0, test: int | None = None
) -> Iterator[Split]:
    """Test on consecutive periods, each by the model trained on all rows before it.

    Rows are in the order of their column of time, else of the file. The last `folds` periods of
    `test` rows (by default n // (folds + 1)) are tested; `gap` rows before each are omitted from
    training. Rows of one moment stay together, and then periods and gap count moments. The first
    rows are never tested, and strata are not used. Raises `ValueError` where too few rows
    are left to train on, or where a group has rows on both sides.
    """
    yield from forward_chaining(rows, folds, gap, test)


def forward_chaining(
    rows: Rows, folds: int, gap: int = 0, test: int | None = None
) -> Iterator[Split]:
    """Yield the splits of `time_series`, as scikit-learn's TimeSeriesSplit does."""
    if folds < 2:
        raise CannotSplit(f"time_series needs at least 2 folds, and folds is {folds}")
    if gap < 0 or (test is not None and test < 1):
        raise CannotSplit("gap must be 0 rows or more, and test 1 row or more")
    places = np.arange(rows.n, dtype=np.int64) if rows.moments is None else rows.moments
    n = int(places.max()) + 1
    size = n // (folds + 1) if test is None else test
    first = n - folds * size
    if size < 1 or first - gap < 1:
        unit = "rows" if n == rows.n else "moments"
        raise CannotSplit(
            f"{n} {unit} leave none to train on before the first of {folds} test periods",
            "write fewer folds, a smaller gap or a smaller test",
        )
    for fold in range(folds):
        start = first + fold * size
        train = np.flatnonzero(places < start - gap)
        tested = np.flatnonzero((places >= start) & (places < start + size))
        keep_groups_whole(rows, train, tested)
        yield Split(0, fold, train, tested)


def inner_splits(
    rows: Rows,
    training: NDArray[np.int64],
    *,
    folds: int,
    seed: int,
    ordered: bool = False,
) -> Iterator[Split]:
    """Divide a training part as the rows are divided outside: strata kept, groups whole.

    `training` are sorted row numbers of `rows` (an outer split's `train`), and so are those
    of the splits; `seed` is derived from the outer repeat and fold, never from a model, so
    that all models are tuned on the same folds. Folds of rows `ordered` in time train on the
    past alone. Copies of a row in a bootstrap sample stay together (Janitza et al. 2016).
    Raises `ValueError` where rows, groups or members of a stratum are fewer than folds.
    """
    distinct, copies = np.unique(training, return_counts=True)
    inside = part(rows, distinct)
    pairs: Iterable[tuple[NDArray[np.int64], NDArray[np.int64]]]
    if ordered:
        pairs = ((one.train, one.test) for one in forward_chaining(inside, folds))
    else:
        pairs = k_folds(inside, folds, seed)
    for fold, sides in enumerate(pairs):
        train, test = (np.repeat(distinct[side], copies[side]) for side in sides)
        yield Split(0, fold, train, test)
