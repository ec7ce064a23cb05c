"""Units with several rows, such as patients, that no `group` keeps together."""

import math

import numpy as np
import polars as pl
from msgspec import Struct
from numpy.typing import NDArray

from evallang.data.column_types import Kind, kind_of
from evallang.data.dataset import CountsSpec, GivenOutcomes, PredictionsSpec, SourceColumn, Table
from evallang.data.findings import Findings, counted, written
from evallang.data.labels import numbered
from evallang.data.row_rules.row_rule import RowDesign, once_read
from evallang.data.row_rules.strengths import target_columns
from evallang.data.source_columns import FEATURE, NOT_USED
from evallang.data.text_forms import names_identifier, names_time, names_unit
from evallang.diagnostics import CODES, Code

FEWEST_UNITS = 10  # fewer values may as well be categories, as those of a ward
LEAST_CORRELATION = 0.3  # in the target; sites and regions, which are categories, have less
LEAST_OF_FEATURES = 0.5  # median over features; half of the spread of most features is of the unit
LEAST_BESIDE = 0.1  # median over features; categories that follow the target share no features
SEED = 20170501
FAR = 6.0  # standard errors beyond chance: one column in 10^9, whatever number is looked at
LEAST_EFFECT = 1.5  # design effect; below, intervals are at most a fifth too narrow
MOST_FEATURES = 20  # looked at for agreement; further ones say the same
MOST_ROWS = 100_000  # looked at, of whole units; a correlation is then known to a hundredth


class Agreement(Struct, frozen=True):
    """How alike the rows of one unit are.

    Attributes
    ----------
    correlation : the intra-class correlation by analysis of variance
    size : the mean number of rows of a unit, weighted for unequal sizes
    z : how far beyond chance it is, in standard errors
    """

    correlation: float
    size: float
    z: float

    @property
    def design_effect(self) -> float:
        """How many times the variance of a mean is that of independent rows (Kish 1965)."""
        return 1 + (self.size - 1) * self.correlation


class Units(Struct, frozen=True):
    """Which rows are of one unit.

    Attributes
    ----------
    codes : int codes (m,) of the units, of numbers in their order
    rows : the rows (m,) that are looked at
    ordered : whether the order of the units may mean something
    """

    codes: "NDArray[np.int64]"
    rows: "NDArray[np.int64]"
    ordered: bool


@once_read("W417", source="Saeb et al. 2017; Kish 1965; Kapoor & Narayanan 2023")
def repeated_units_without_group(
    table: Table, design: RowDesign, findings: Findings, code: Code
) -> None:
    """Several rows belong to one unit, such as a patient, and the study names no `group`.

    Rows of one patient, user or session are alike. A split that separates them tests models on
    what they were trained on, and intervals that count each row are too narrow. The rule looks
    for a column that is named like an identifier or a unit and has several rows per value, and
    for an unused column with at least 10 values, at most half as many as rows, whose rows agree
    far beyond chance: the intra-class correlation of the target is at least .3, or that of the
    median feature at least .5, both at least 6 standard errors above 0 and with a design effect
    of at least 1.5. If there are fewer values than the square root of the number of rows, the
    features must agree as well, because a code that follows from the target is not a unit. For
    numbers, only what neighbouring values do not share counts, because the target may depend on
    an age. A column with fewer than 10 values may also be a category.

    Objects to:

        data recordings from "recordings.csv"
          target diagnosis
          features all except voice

    Accepts:

        data recordings from "recordings.csv"
          target diagnosis
          group voice
    """
    if table.group_codes is not None or table.split is not None:
        return
    if not _report_named_units(table, table.spec.categorical, findings, code):
        _report_agreement(table, design, findings, code)


def repeated_units_of_outcomes(given: GivenOutcomes, findings: Findings) -> None:
    """Report units of predictions by the names of their columns."""
    if given.group_codes is None and not isinstance(given.spec, CountsSpec):
        _report_named_units(given, (), findings, CODES["W417"])


def _report_named_units(
    read: Table | GivenOutcomes,
    meant: tuple[str, ...],
    findings: Findings,
    code: Code,
) -> bool:
    """Report columns named like a unit; return whether one was found."""
    repeated = [
        column
        for column in read.source_columns
        if column.role in (FEATURE, NOT_USED)
        and column.name not in meant
        and column.levels is not None
        and column.levels >= FEWEST_UNITS
        and _names_several_rows(column.name, column.levels, read.n - column.missing)
    ]
    if not repeated:
        return False
    coarsest = min(repeated, key=lambda column: column.levels or 0)
    alike = _agreement_of(read, coarsest)
    if isinstance(read.spec, PredictionsSpec) or alike is None:
        effect = ""
    else:
        effect = f" ({_effect(read, alike)})"
    findings.add(
        code,
        f"`{coarsest.name}` has {coarsest.levels:,} different values in "
        f"{counted(read.n, 'row')}{effect}, and no `group` says that rows of one value belong "
        "together",
        "group",
        "from",
        help=f"write `group {written(coarsest.name)}`"
        + (
            f", or `categorical {written(coarsest.name)}` if its values are categories"
            if coarsest.role == FEATURE
            else ""
        ),
    )
    return True


def _names_several_rows(name: str, levels: int, rows: int) -> bool:
    """Return whether a column is called an identifier, or a unit with two rows on average."""
    return (names_identifier(name) and levels < rows) or (names_unit(name) and 2 * levels <= rows)


def _agreement_of(read: Table | GivenOutcomes, column: SourceColumn) -> Agreement | None:
    """Return the agreement in the target of an unused column that is named like a unit."""
    if not isinstance(read, Table) or column.name not in read.unused:
        return None
    units = units_of(read.unused[column.name])
    if units is None:
        return None
    found = agreement(target_columns(read)[units.rows], units.codes)
    return found if found.z >= FAR else None


def _report_agreement(table: Table, design: RowDesign, findings: Findings, code: Code) -> None:
    """Report the unused column whose rows agree most, if they do so far beyond chance."""
    best: tuple[str, str, Agreement] | None = None
    target = target_columns(table)
    for name, column in table.unused.items():
        units = None if names_time(name) else units_of(column)
        if units is None:
            continue
        found = _evidence(table, target, design, units)
        if found is not None and (best is None or found[1].correlation > best[2].correlation):
            best = (name, *found)
    if best is None:
        return
    name, what, alike = best
    findings.add(
        code,
        f"rows with the same value of `{name}` ({table.unused[name].n_unique():,} values in "
        f"{counted(table.n, 'row')}) are alike in {what}: {_effect(table, alike)}, and no `group` "
        "keeps them together",
        "group",
        "features",
        "from",
        help=f"write `group {written(name)}`",
    )


def _effect(read: Table | GivenOutcomes, found: Agreement) -> str:
    worth = max(1, round(read.n / found.design_effect))
    return (
        f"intra-class correlation {found.correlation:.2f}, design effect "
        f"{found.design_effect:.1f}, so they count as about {worth:,} independent rows"
    )


def _evidence(
    table: Table, target: "NDArray[np.float64]", design: RowDesign, units: Units
) -> tuple[str, Agreement] | None:
    """Return in what the rows of a unit agree far beyond chance."""
    of_target = agreement(target[units.rows], units.codes, ordered=units.ordered)
    every = _agreement_in_features(table, design, units)
    every.sort(key=lambda one: one.correlation)
    middle = every[(len(every) - 1) // 2] if len(every) >= 2 else None
    beside = 0.0 if middle is None else middle.correlation
    many = (int(units.codes.max()) + 1) ** 2 >= len(units.codes)
    if _is_far(of_target, LEAST_CORRELATION) and (many or beside >= LEAST_BESIDE):
        return f"`{table.target}`", of_target
    if middle is not None and _is_far(middle, LEAST_OF_FEATURES):
        return "most features", middle
    return None


def _agreement_in_features(table: Table, design: RowDesign, units: Units) -> list[Agreement]:
    """Return the agreement of units in each of the first features."""
    columns = [column for column in design.columns(table) if column.numeric][:MOST_FEATURES]
    found = []
    for column in columns:
        values = table.numeric[units.rows, column.index]
        if not np.isnan(values).any() and values.min() < values.max():
            found.append(agreement(values[:, None], units.codes, ordered=units.ordered))
    return found


def _is_far(found: Agreement, least: float) -> bool:
    return found.correlation >= least and found.z >= FAR and found.design_effect >= LEAST_EFFECT


def units_of(column: "pl.Series") -> Units | None:
    """Return the units that a column names; None where it does not name any.

    Units are named by text or whole numbers, in 10 to half as many values as rows. Of more than
    100,000 rows, those of a part of the units are looked at, as the hash of their value falls.
    """
    kind = kind_of(column)
    if kind not in (Kind.TEXT, Kind.NUMBER) or column.null_count():
        return None
    if kind is Kind.NUMBER and not column.dtype.is_integer() and (column != column.floor()).any():
        return None
    rows = np.arange(len(column))
    if len(column) > MOST_ROWS:
        some = np.flatnonzero(column.hash(SEED).to_numpy() / 2.0**64 < MOST_ROWS / len(column))
        part = column[some]
        if part.n_unique() >= 10 * FEWEST_UNITS:
            column, rows = part, some
    if not FEWEST_UNITS <= column.n_unique() <= len(column) / 2:
        return None
    if kind is Kind.TEXT:  # in the order of their first rows
        codes = numbered(column)[1]
    else:
        codes = np.asarray((column.rank("dense") - 1).to_numpy(), dtype=np.int64)
    return Units(codes, rows, kind is Kind.NUMBER)


def agreement(
    values: "NDArray[np.float64]", codes: "NDArray[np.int64]", *, ordered: bool = False
) -> Agreement:
    """Compute the intra-class correlation of values (n, c) in units (n,), by variance analysis.

    With `ordered`, the part of a unit's mean that its neighbours in order predict is first
    taken away, so that a smooth trend is not agreement. O(n c).
    """
    n, sizes = len(codes), np.bincount(codes)
    k = len(sizes)
    between = within = total = 0.0
    for place in range(values.shape[1]):
        column = values[:, place] - values[:, place].mean()
        means = np.bincount(codes, weights=column) / sizes
        inside = column - means[codes]
        if ordered:
            means = means - _neighbours(means)
        between += float((sizes * means * means).sum())
        within += float(inside @ inside)
        total += float(column @ column)
    size = (n - float((sizes.astype(float) ** 2).sum()) / n) / (k - 1)
    if ordered:
        between /= 1.5  # a mean less that of two neighbours has 1.5 times the variance
    if total == 0 or between == 0:
        return Agreement(0.0, size, 0.0)
    share = between / total if ordered else 1.0  # one step between neighbours is not a unit
    if within == 0:
        return Agreement(min(1.0, share), size, math.inf)
    ratio = (between / (k - 1)) / (within / (n - k))
    spread = math.sqrt(2 * (n - 1) / ((k - 1) * (n - k)))
    return Agreement(min((ratio - 1) / (ratio + size - 1), share), size, (ratio - 1) / spread)


def _neighbours(means: "NDArray[np.float64]") -> "NDArray[np.float64]":
    """Return the mean of the two neighbours of each unit in order; ends have one and a further."""
    padded = np.r_[means[2], means, means[-3]]
    found: NDArray[np.float64] = (padded[:-2] + padded[2:]) / 2
    return found
