"""Data sets that share rows, and so are not independent draws for tests over data sets."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from evallang.data.dataset import GivenOutcomes, ScoreTable, Table
from evallang.data.equal_rows import compared_cells
from evallang.data.findings import Findings, written
from evallang.diagnostics import Diagnostic, codes
from evallang.source import Span

LEAST_SHARED = 0.1  # of the rows of the smaller data set
LEAST_DISTINCT = 0.5  # of its rows; coarser tables have equal rows by chance
LEAST_AVERAGED = 4  # data sets with the row of their means
LEAST_DIGITS = 8  # of the scores of a data set together; fewer agree by chance


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
