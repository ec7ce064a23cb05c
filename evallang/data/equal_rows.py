"""Rows that equal others in all that is compared: copies, or different examples that coincide."""

import math
from collections.abc import Iterator

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evallang.data.dataset import Column, GivenOutcomes, Table

TARGET = "y"  # among names that begin with `x.`, `p.` or `s.`
ROW, TIMES = "row", "times"
MOST_OF_CHANCE = 10.0  # equal pairs over those of independent features, which are correlated


def compared_cells(read: Table | GivenOutcomes) -> "pl.DataFrame":
    """Return the features of a table, or the outputs of all models, and the target or truth."""
    if isinstance(read, Table):
        found = [feature_cells(read, column) for column in read.columns]
        target = pl.Series(TARGET, read.y)
    else:
        found, target = [*_outputs(read)], pl.Series(TARGET, read.truth)
    return pl.DataFrame(sorted(found, key=lambda one: one.name)).with_columns(target)


def feature_cells(table: Table, column: Column) -> "pl.Series":
    """Return the cells of a feature, under a name of its own among the features."""
    if column.numeric:
        return pl.Series(f"x.{column.name}", table.numeric[:, column.index])
    texts = table.objects[:, column.index].tolist()
    cells = [text if isinstance(text, str) else None for text in texts]
    return pl.Series(f"x.{column.name}", cells, dtype=pl.String)


def _outputs(given: GivenOutcomes) -> Iterator["pl.Series"]:
    for model, labels in given.predictions.items():
        yield pl.Series(f"p.{model}", labels)
    for model, scores in given.scores.items():
        for place, column in enumerate(scores.reshape(given.n, -1).T):
            yield pl.Series(f"s.{model}.{place}", column)


def first_equal_rows(cells: "pl.DataFrame") -> "NDArray[np.int64]":
    """Return for each row (n,) the place of the first row that equals it, which may be its own."""
    firsts = np.arange(cells.height)
    twice = cells.is_duplicated()
    if twice.any():
        rows = np.flatnonzero(twice.to_numpy())
        some = cells.filter(twice).with_row_index(ROW)
        first = some.select(pl.col(ROW).first().over(cells.columns)).to_series()
        firsts[rows] = rows[first.to_numpy()]
    return firsts


def coincide(cells: "pl.DataFrame", classes: int) -> bool:
    """Return whether different examples explain the equal rows, because columns are coarse.

    Of pairs of rows of one class, the product over features of the chance to agree is the share
    that agrees in all if features are independent; correlation adds to it, and copies exceed it
    by far, since no two measurements with decimals agree by chance. The chance is that of the
    distinct rows, to which copies add nothing. `classes` is 0 for numbers.
    """
    columns = [name for name in cells.columns if name != TARGET or not classes]
    combinations = math.prod(cells[name].n_unique() for name in columns)
    if combinations * max(1, classes) <= cells.height:
        return True
    distinct = cells.group_by(cells.columns).agg(pl.len().cast(pl.Int64).alias(TIMES))
    equal = int((distinct[TIMES] * (distinct[TIMES] - 1) // 2).sum())
    expected = 0.0
    for part in distinct.sort(TARGET).partition_by(TARGET) if classes else [distinct]:
        rows, members = part.height, int(part[TIMES].sum())
        agree = 1.0
        for name in columns:
            counts = part[name].value_counts()["count"].cast(pl.Int64)
            agree *= int((counts * (counts - 1)).sum()) / max(1, rows * (rows - 1))
        expected += agree * members * (members - 1) / 2
    return equal <= MOST_OF_CHANCE * expected
