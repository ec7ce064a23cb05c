"""`stratify by`: one stratum for each combination of levels, a regression target in bins."""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from evallang.data.dataset import Table
from evallang.data.findings import Findings, Refused, counted, quoted, unknown_column
from evallang.diagnostics import Diagnostic, codes
from evallang.source import Span

TARGET = "target"  # the word of the language for the target, whatever its column is called
MOST_RARE = 0.5  # share of rows in strata that are too small from which a column was a slip


class Strata(Struct, frozen=True):
    """The stratum of each row: int codes (n,) without gaps, in the order of their levels.

    `notes` state how a numeric target was cut and what was merged.
    """

    codes: "NDArray[np.int64]"
    notes: tuple[str, ...] = ()

    @property
    def n(self) -> int:
        """The number of strata."""
        return int(self.codes.max()) + 1


def strata_codes(
    table: Table,
    columns: Sequence[str],
    bins: int | None = None,
    *,
    least: int = 2,
    span: Span | None = None,
) -> tuple[Strata | None, tuple[Diagnostic, ...]]:
    """Return the stratum of each row, for `stratify by COLUMNS bins=BINS`.

    `columns` holds `target` (or the target's own name) and names of `table.strata`; `least`
    is the number of members that a stratum needs, the folds of the protocol. Rows of rarer
    combinations give up the level of the last column, then of the one before it, and are
    merged; a pool that is still too small joins the largest stratum with the same
    level of the first column. A class that is too small itself stays as it is: that is for
    the rule `class_smaller_than_folds` to report. With an error among the diagnostics there are
    no strata; without columns there are none either.
    """
    findings = Findings(table.spec.places, span)
    if not columns:
        return None, ()
    notes: list[str] = []
    levels = []
    for column in dict.fromkeys(TARGET if name == table.target else name for name in columns):
        with findings.catching():
            levels.append(_levels(table, column, bins, least, notes))
    if findings.failed:
        return None, findings.diagnostics
    strata = findings.tried(_merged, np.column_stack(levels), columns, least, notes, findings)
    made = None if strata is None else Strata(strata, tuple(notes))
    return made, findings.diagnostics


def _levels(
    table: Table,
    column: str,
    bins: int | None,
    least: int,
    notes: list[str],
) -> "NDArray[np.int64]":
    if column == TARGET:
        return _target_levels(table, bins, least, notes)
    if column not in table.strata:
        raise unknown_column(codes.unknown_column, column, table.strata, table.source, "stratify")
    _, coded = np.unique(np.array(table.strata[column], dtype=str), return_inverse=True)
    return coded.astype(np.int64)


def _target_levels(
    table: Table,
    bins: int | None,
    least: int,
    notes: list[str],
) -> "NDArray[np.int64]":
    if table.task == "classification":
        if bins is None:
            return table.y.astype(np.int64)
        message = f"`{table.target}` contains classes, which cannot be cut into bins"
        raise Refused(codes.bins_do_not_fit, message, "stratify", help="remove `bins`")
    most = table.n // max(least, 1)
    if bins is None or not 2 <= bins <= most:
        if bins is None:
            message = f"`{table.target}` contains numbers, which are strata only in bins"
        elif bins < 2:
            message = (
                f"{counted(bins, 'bin')} of `{table.target}` "
                f"{'divides' if bins == 1 else 'divide'} nothing"
            )
        else:
            message = (
                f"{bins} bins of `{table.target}` have fewer than {counted(least, 'row')} each: "
                f"there are {table.n:,}"
            )
        help_text = f"write `bins={min(5, most)}`" if most >= 2 else "write `stratify none`"
        raise Refused(codes.bins_do_not_fit, message, "stratify", help=help_text)
    coded, edges = quantile_bins(table.y, bins)
    made = len(edges) + 1
    if made < 2:
        message = f"`{table.target}` has one value in most rows, and its quantiles are all the same"
        raise Refused(codes.bins_do_not_fit, message, "stratify", help="write `stratify none`")
    shown = ", ".join(f"{edge:.6g}" for edge in edges.tolist())
    fewer = "" if made == bins else f", fewer than {bins} because of equal values"
    notes.append(f"{table.target} in {made} bins, cut after {shown}{fewer}")
    return coded


def quantile_bins(
    values: "NDArray[np.float64]", bins: int
) -> "tuple[NDArray[np.int64], NDArray[np.float64]]":
    """Cut numbers at their quantiles into at most `bins` bins, each closed above.

    Returns the bin of each number and the largest number of each bin but the last. Equal
    numbers are in one bin, so that there may be fewer bins. Places are counted in whole
    numbers: the k-th cut is behind place (n - 1) k / bins of the sorted numbers, as the linear
    quantile has it.
    """
    ordered = np.sort(values)
    last = (len(values) - 1) * np.arange(1, bins) // bins
    edges = np.unique(ordered[last])
    edges = edges[edges < ordered[-1]]
    return np.searchsorted(edges, values, side="left").astype(np.int64), edges


# --- rare combinations ---------------------------------------------------------------------


def _merged(
    levels: "NDArray[np.int64]",
    columns: Sequence[str],
    least: int,
    notes: list[str],
    findings: Findings,
) -> "NDArray[np.int64]":
    """Number the combinations of levels (n, k), rare ones merged."""
    coded = _numbered(levels)
    if levels.shape[1] == 1:
        return coded
    rare = np.bincount(coded)[coded] < least
    if not rare.any():
        return coded
    n, combinations = int(rare.sum()), len(np.unique(coded[rare]))
    what = (
        f"{counted(combinations, 'combination')} of {quoted(columns, len(columns))} "
        f"{'has' if combinations == 1 else 'have'} fewer than {counted(least, 'row')}, {n:,} of "
        f"{len(rare):,} rows in all"
    )
    if n > MOST_RARE * len(rare):
        help_text = f"remove columns with many levels, or write `stratify by {columns[0]}`"
        raise Refused(codes.strata_too_fine, what, "stratify", help=help_text)
    merged = levels.copy()
    free = rare.copy()
    for place in range(levels.shape[1] - 1, 0, -1):
        merged[free, place:] = -1
        pool = _numbered(merged)
        free &= np.bincount(pool)[pool] < least
        if not free.any():
            break
    _join_largest(merged, free)
    message = f"{what}, and {'is' if combinations == 1 else 'are'} merged"
    notes.append(message)
    fix = f"remove `{columns[-1]}`, or write fewer folds, if strata must not be merged"
    findings.add(codes.rare_strata_merged, message, "stratify", help=fix)
    return _numbered(merged)


def _join_largest(merged: "NDArray[np.int64]", free: "NDArray[np.bool_]") -> None:
    """Merge pools that are still too small into the largest stratum of the same first level."""
    for level in np.unique(merged[free, 0]).tolist():
        own = (merged[:, 0] == level) & free
        others = np.flatnonzero((merged[:, 0] == level) & ~free)
        if len(others):
            kinds, sizes = np.unique(merged[others], axis=0, return_counts=True)
            merged[own] = kinds[int(np.argmax(sizes))]


def _numbered(levels: "NDArray[np.int64]") -> "NDArray[np.int64]":
    _, coded = np.unique(levels, axis=0, return_inverse=True)
    return coded.reshape(-1).astype(np.int64)
