"""Rows that equal others in all that is compared: copies, or different examples that coincide.

Data sets that share rows are not independent draws for tests over data sets.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evallang.data.dataset import Column, GivenOutcomes, ScoreTable, Table
from evallang.data.findings import Findings, written
from evallang.diagnostics import Diagnostic, codes
from evallang.source import Span

TARGET = "y"  # among names that begin with `x.`, `p.` or `s.`
ROW, TIMES = "row", "times"
MOST_OF_CHANCE = 10.0  # equal pairs over those of independent features, which are correlated
LEAST_SHARED = 0.1  # of the rows of the smaller data set
LEAST_DISTINCT = 0.5  # of its rows; coarser tables have equal rows by chance
LEAST_AVERAGED = 4  # data sets with the row of their means
LEAST_DIGITS = 8  # of the scores of a data set together; fewer agree by chance


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


# --- data sets -----------------------------------------------------------------------------


def check_related(
    tables: Sequence[Table | GivenOutcomes], *, span: Span | None = None
) -> tuple[Diagnostic, ...]:
    """Report pairs of data sets with the same columns and classes that share rows.

    The columns of predictions are the outputs of the models.

    `span` is the place of the line that compares across data sets, else that of the second
    data set.
    """
    alike: dict[tuple[object, ...], list[Table | GivenOutcomes]] = {}
    for table in tables:
        if isinstance(table, GivenOutcomes):
            if table.truth is None or table.times is not None:
                continue
            columns: tuple[object, ...] = (*sorted(table.predictions), *sorted(table.scores))
        else:
            columns = tuple(sorted((column.name, column.numeric) for column in table.columns))
        alike.setdefault((table.task, table.classes, columns), []).append(table)
    related: list[tuple[str, str, str, Mapping[str, Span]]] = []
    for group in alike.values():
        if len(group) == 1:
            continue
        rows = [compared_cells(table).unique() for table in group]
        for (one, mine), (other, theirs) in combinations(zip(group, rows, strict=True), 2):
            smaller, larger = sorted((mine, theirs), key=lambda frame: frame.height)
            least = min(mine.height / one.n, theirs.height / other.n)
            shared = smaller.join(larger, on=smaller.columns, how="semi", nulls_equal=True).height
            share = shared / smaller.height
            if share < LEAST_SHARED or (least < LEAST_DISTINCT and share < 1):
                continue
            words = "hold the same rows" if share == 1 and mine.height == theirs.height else (
                f"share {shared:,} rows, {share:.0%} of the smaller"
            )  # fmt: skip
            related.append((one.spec.name, other.spec.name, words, other.spec.places))
    return _report_first(related, span) if related else ()


def check_equal_scores(table: ScoreTable, *, span: Span | None = None) -> tuple[Diagnostic, ...]:
    """Report pairs of data sets with the same scores of all models, and a row of means of all.

    Of few or coarse scores, which agree by chance, neither is reported.
    """
    findings = Findings(table.spec.places)
    for i, name in enumerate(table.datasets):
        if _is_mean(table.values, i) and _digits(table.values[i]) >= LEAST_DIGITS:
            findings.add(
                codes.related_data_sets,
                f"`{table.spec.name}/{name}` has the mean scores of the other "
                f"{len(table.datasets) - 1} data sets, but counts as a data set",
                span=span,
                help=f"remove this row, or write `where {written(table.spec.dataset or '')} != "
                f'"{name}"`',
            )
    related = [
        (f"{table.spec.name}/{one}", f"{table.spec.name}/{other}", "have the same scores")
        for (i, one), (j, other) in combinations(enumerate(table.datasets), 2)
        if (table.values[i] == table.values[j]).all() and _digits(table.values[i]) >= LEAST_DIGITS
    ]
    pairs = [(*pair, table.spec.places) for pair in related]
    return (*findings.diagnostics, *(_report_first(pairs, span) if pairs else ()))


def _is_mean(values: "NDArray[np.float64]", row: int) -> bool:
    """Return whether the scores of a data set are the means of all others, as far as written."""
    if len(values) < LEAST_AVERAGED:
        return False
    others = np.delete(values, row, axis=0).mean(axis=0)
    written_as = (f"{value:.9f}".rstrip("0").partition(".")[2] for value in values[row].flat)
    half = 0.5 * 10.0 ** -max(map(len, written_as))
    return bool((np.abs(values[row] - others) <= half * (1 + 1e-6)).all())


def _digits(scores: "NDArray[np.float64]") -> int:
    """Count the digits of scores that differ from one another, without zeros at either end."""
    return sum(len(f"{value:.6f}".replace(".", "").strip("0")) for value in set(scores.flat))


def _report_first(
    related: Sequence[tuple[str, str, str, Mapping[str, Span]]], span: Span | None
) -> tuple[Diagnostic, ...]:
    """Report the first pair; the pairs of a suite made from one table all share rows."""
    one, other, words, places = related[0]
    further = len(related) - 1
    more = f"; {further:,} more pairs do so too" if further > 1 else "; 1 more pair does so too"
    findings = Findings(places)
    findings.add(
        codes.related_data_sets,
        f"`{one}` and `{other}` {words}, but count as two data sets{more if further else ''}",
        span=span,
        help="compare data sets that were not made from one another",
    )
    return findings.diagnostics
