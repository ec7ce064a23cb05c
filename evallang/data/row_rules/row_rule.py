"""What a rule about rows is: a function that finds evidence of a leak in a table.

A rule's docstring says what is wrong, what the evidence is and why its threshold is where it
is, then shows a study it objects to and one it accepts. It declares when it runs: once a table
is read, or for each protocol once the splits of a table are drawn.
"""

import importlib
import pkgutil
from collections.abc import Callable, Collection, Sequence
from functools import cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from evallang.data.dataset import Column, Table
from evallang.data.findings import Findings
from evallang.diagnostics import Changes, Code, Diagnostic
from evallang.diagnostics.documented import declare_documented
from evallang.protocols.protocol import Split, Training
from evallang.source import Span


class RowDesign(Struct, frozen=True):
    """What a study does with the rows of its tables.

    Attributes
    ----------
    features : the features that models get, None for all
    mixed : the first protocol, as written, whose training parts are not all before their test
        parts because rows are dealt at random or each in turn; None where there is none
    mixed_span : the place of that protocol
    neighbours : whether a protocol takes rows next to each other for alike, as in time
    mixed_name : the name of that protocol with ` = `, where the study gives it one
    """

    features: Collection[str] | None = None
    mixed: str | None = None
    mixed_span: Span | None = None
    neighbours: bool = False
    mixed_name: str = ""

    def columns(self, table: Table) -> tuple[Column, ...]:
        """Return the columns of a table that models get."""
        return tuple(c for c in table.columns if self.features is None or c.name in self.features)

    def numbers(self, table: Table) -> "tuple[tuple[str, ...], NDArray[np.float64]]":
        """Return the numeric columns that models get, by name and as (n, p)."""
        columns = [column for column in self.columns(table) if column.numeric]
        names = tuple(column.name for column in columns)
        if len(columns) == table.numeric.shape[1]:
            return names, table.numeric
        return names, table.numeric[:, [column.index for column in columns]]


class DrawnSplits(Struct, frozen=True):
    """The splits of one protocol on one table; `protocol` is worded as the author wrote it."""

    protocol: str
    span: Span | None
    splits: "Sequence[Split]"
    training: Training


TableRule = Callable[[Table, RowDesign, Findings, Code], None]
SplitRule = Callable[[Table, DrawnSplits, Findings, Code], None]


class RowRules(Struct, frozen=True):
    """The rules by the moment at which they run, each with its code."""

    of_tables: dict[str, tuple[Code, TableRule]]
    of_splits: dict[str, tuple[Code, SplitRule]]


ROW_RULES = RowRules({}, {})


def once_read(code: str, *, source: str) -> Callable[[TableRule], TableRule]:
    """Register the decorated function as a rule that runs once a table is read."""

    def decorate(function: TableRule) -> TableRule:
        declared = declare_documented(code, function, source=source, changes=Changes.SCORES)
        ROW_RULES.of_tables[declared.name] = (declared, function)
        return function

    return decorate


def once_split(code: str, *, source: str) -> Callable[[SplitRule], SplitRule]:
    """Register the decorated function as a rule that runs once splits are drawn."""

    def decorate(function: SplitRule) -> SplitRule:
        declared = declare_documented(code, function, source=source, changes=Changes.SCORES)
        ROW_RULES.of_splits[declared.name] = (declared, function)
        return function

    return decorate


@cache
def load_row_rules() -> None:
    """Import every module of this folder, so that `ROW_RULES` is complete."""
    package = importlib.import_module(__package__ or "")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")


def check_rows(table: Table, design: RowDesign, findings: Findings) -> None:
    """Ask every rule that runs once a table is read."""
    load_row_rules()
    for code, find in ROW_RULES.of_tables.values():
        find(table, design, findings, code)


def check_drawn(table: Table, drawn: DrawnSplits) -> tuple[Diagnostic, ...]:
    """Ask every rule that runs once splits are drawn."""
    load_row_rules()
    findings = Findings(table.spec.places)
    for code, find in ROW_RULES.of_splits.values():
        find(table, drawn, findings, code)
    return findings.diagnostics
