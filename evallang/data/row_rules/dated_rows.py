"""Rows of a series whose neighbours in time are dealt to training and test parts at random."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evallang.data.dataset import GivenOutcomes, Moments, Table
from evallang.data.findings import Findings, written
from evallang.data.row_rules.row_rule import (
    ROW_RULES,
    DrawnSplits,
    RowDesign,
    once_read,
    once_split,
)
from evallang.data.row_rules.strengths import indicators, target_columns
from evallang.data.time_columns import time_column
from evallang.diagnostics import Code

LEAST_AGREEMENT = 0.2  # autocorrelation; a neighbour then explains 4% of the target by itself
FAR = 4.0  # standard errors beyond chance; one series of independent rows in 30,000
LEAST_LATER = 0.05  # share of training rows; a few late entries decide nothing
SEED = 20230804  # orders rows of one moment, whose order in the file may be that of the target


@once_read("W444", source="Roberts et al. 2017; Kapoor & Narayanan 2023")
def dated_rows_at_random(table: Table, design: RowDesign, findings: Findings, code: Code) -> None:
    """The targets of neighbours in time agree, and the rows are split at random.

    The neighbours of a test row are then among the training rows, so the estimate describes
    how well gaps of a series are filled, not how well later rows are predicted. The rule needs a
    column of dates, or a column named like a unit of time by which the file is sorted, and an
    autocorrelation of the target of at least .2 that is at least 4 standard errors above 0. Rows
    of the same moment are put in a random order with a fixed seed, so that their order in the
    file does not count. Below .2 a neighbour explains less than 4% of the spread of the target.

    Of predictions it looks at the truth and at the errors of each model where such a column has no
    role: intervals and tests then take rows as independent that are not.

    Objects to:

        data load from "load.csv"
          target load
          features all except day
        protocol cv folds=5

    Accepts:

        data load from "load.csv"
          target load
          features all except day
        protocol time_series folds=5 gap=1
    """
    if design.mixed is None or table.group_codes is not None or table.split is not None:
        return
    column = time_column(table)
    if column is None:
        return
    agreement = neighbour_correlation(target_columns(table), column.ranks)
    if agreement < LEAST_AGREEMENT or agreement * math.sqrt(table.n) < FAR:
        return
    findings.add(
        code,
        f"targets of neighbours in the order of `{column.name}` agree (autocorrelation "
        f"{agreement:.2f}), and `{design.mixed}` puts neighbours on both sides of a split",
        "target",
        span=design.mixed_span,
        help=f"write `protocol {design.mixed_name}time_series folds=5 gap=1`",
    )


def predictions_in_time(made: GivenOutcomes, moments: Moments, findings: Findings) -> None:
    """Report predictions whose truth or outcomes agree with those of neighbours in time."""
    truth = made.truth
    series: dict[str, NDArray[Any]] = {}
    if truth is not None and made.task == "classification":
        series["true labels"] = indicators(truth, len(made.classes))
    elif truth is not None:
        series["true values"] = truth
    for model, given in made.predictions.items():
        series[f"errors of `{model}`"] = (
            given - truth if made.task == "regression" else given != truth
        )
    for model, given in {**(made.correct or {}), **(made.values or {})}.items():
        series[f"outcomes of `{model}`"] = given
    for what, values in series.items():
        matrix = np.asarray(values, dtype=float).reshape(made.n, -1)
        agreement = neighbour_correlation(matrix, moments.ranks)
        if agreement < LEAST_AGREEMENT or agreement * math.sqrt(made.n) < FAR:
            continue
        column = written(moments.column)
        findings.add(
            ROW_RULES.of_tables["dated_rows_at_random"][0],
            f"{what} of neighbours in the order of `{moments.column}` agree (autocorrelation "
            f"{agreement:.2f}), and intervals and tests take the rows as independent",
            "from",
            help=f"write `time {column}` below it, or `time none` if one row says nothing about "
            "the next",
        )
        return


@once_split("W447", source="Kapoor & Narayanan 2023; Kaufman et al. 2012")
def training_rows_later_than_test_rows(
    table: Table, drawn: DrawnSplits, findings: Findings, code: Code
) -> None:
    """Models were trained on rows that are later than the rows they were tested on.

    A model that is used tomorrow has no rows of the day after. The rule needs a column of dates,
    or a column named like a unit of time by which the file is sorted. It looks at the splits of
    `time_series` where `time none` takes the order of the file for time, and at a split of the
    author's own if the targets of neighbours in time correlate by at least .2. It reports splits
    in which at least 5% of the training rows are later than the first test row, so that single late
    entries do not count.

    Objects to:

        data load from "load-shuffled.csv"
          target load
          features all except day
          time none
        protocol time_series folds=5 gap=1

    Accepts:

        data load from "load.csv"
          target load
          features all except day
        protocol time_series folds=5 gap=1
    """
    column = time_column(table) if table.group_codes is None else None
    if column is None:
        return
    if drawn.training == "around":  # later rows are trained on by design
        return
    if drawn.training == "other":
        agreement = neighbour_correlation(target_columns(table), column.ranks)
        if agreement < LEAST_AGREEMENT or agreement * math.sqrt(table.n) < FAR:
            return
    shares = [
        float((column.ranks[split.train] > column.ranks[split.test].min()).mean())
        for split in drawn.splits
        if len(split.train) and len(split.test)
    ]
    late = [share for share in shares if share >= LEAST_LATER]
    if not late:
        return
    one = len(shares) == 1
    falling = bool((np.diff(column.ranks) <= 0).all())
    findings.add(
        code,
        f"in {len(late):,} of {len(shares):,} split{'' if one else 's'} of `{drawn.protocol}`, up "
        f"to {max(late):.0%} of the training rows are later by `{column.name}` than the first test "
        "row",
        "from",
        span=drawn.span,
        help=f"write `time {written(column.name)}` in place of `time none`"
        if drawn.training == "past"
        else f"put the rows of the file in the order of `{column.name}`, earliest first"
        if falling
        else f"test on the latest rows by `{column.name}`, or write `protocol time_series folds=5 "
        "gap=1`",
    )


def neighbour_correlation(values: "NDArray[np.float64]", ranks: "NDArray[Any]") -> float:
    """Return the correlation of values (n, c) of neighbours in time, the columns together.

    Rows of one moment are in random order, drawn with a fixed seed. O(n log n).
    """
    shuffled = np.random.default_rng(SEED).permutation(len(ranks))
    order = shuffled[np.argsort(ranks[shuffled], kind="stable")]
    arranged = values[order] - values.mean(axis=0)
    spread = float((arranged * arranged).sum())
    return float((arranged[1:] * arranged[:-1]).sum()) / spread if spread else 0.0
