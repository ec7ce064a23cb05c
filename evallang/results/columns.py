"""The columns of a source as text: a line for each column or for each group of similar ones."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from evallang.results.records import ColumnRecord

MOST_SINGLE = 20  # a source with more columns groups similar ones
MOST_GROUPS = 12  # with more lines, columns are grouped only by role and kind
MOST_NAMES = 5  # the columns that a line names before "and N more"


class ColumnLine(Struct, frozen=True):
    """A line on one or more columns: names, role, kind, values, and their use in the models."""

    names: tuple[str, ...]
    n: int
    role: str
    kind: str
    holds: str
    becomes: str

    @property
    def facts(self) -> str:
        """The number of columns, their role, kind and values, and their use in the models."""
        many = f"{self.n:,} columns" if self.n > 1 else ""
        facts = ", ".join(filter(None, (many, self.role, self.kind, self.holds)))
        return facts + (f"; {self.becomes}" if self.becomes else "")

    @property
    def title(self) -> str:
        """The names of the columns; of many columns only the first."""
        more = self.n - len(self.names)
        return ", ".join(self.names) + (f" and {more:,} more" if more else "")


def column_lines(
    columns: Sequence[ColumnRecord], most_single: int = MOST_SINGLE
) -> tuple[ColumnLine, ...]:
    """Return a line for each column or, above 20 columns, for each group of similar columns.

    The number of roles and kinds, not that of columns, bounds the number of lines.
    """
    if len(columns) <= most_single:
        groups: list[list[ColumnRecord]] = [[column] for column in columns]
    else:
        alike: dict[tuple[Any, ...], list[ColumnRecord]] = {}
        for column in columns:
            role = column.role_kind or column.role
            alike.setdefault((role, column.kind, column.becomes), []).append(column)
        if len(alike) > MOST_GROUPS:
            alike = {}
            for column in columns:
                alike.setdefault((column.role_kind or column.role, column.kind), []).append(column)
        groups = list(alike.values())
    return tuple(map(_line, groups))


def _line(members: Sequence[ColumnRecord]) -> ColumnLine:
    ways = dict.fromkeys(column.becomes for column in members)
    words = next(iter(ways)) or ""
    if len(ways) > 1:
        words = f"in {len(ways):,} ways: results.json has each column"
    return ColumnLine(
        names=tuple(column.name for column in members[:MOST_NAMES]),
        n=len(members),
        role=members[0].role if len(members) == 1 else members[0].role_kind or members[0].role,
        kind=members[0].kind,
        holds=_holds(members),
        becomes=words,
    )


def _holds(members: Sequence[ColumnRecord]) -> str:
    """Return the range, the number of levels or of distinct numbers, and of missing values."""
    parts = []
    if len(members) == 1 and members[0].range is not None:
        parts.append(shown_range(*members[0].range))
    levels = [column.levels for column in members if column.levels is not None]
    if len(levels) == len(members):
        low, high = min(levels), max(levels)
        noun = "distinct value" if members[0].kind == "number" else "level"
        size = f"{low:,}" if low == high else f"{low:,} to {high:,}"
        parts.append(f"{size} {noun if high == 1 else noun + 's'}")
    missing = sum(column.missing for column in members)
    if missing:
        parts.append(f"{missing:,} missing")
    return ", ".join(parts)


def shown_range(*ends: object) -> str:
    """Return a range with six significant digits at most, or as many as its ends differ in."""
    for digits in (6, 15):
        shown = [f"{end:,.{digits}g}" if isinstance(end, float) else str(end) for end in ends]
        if len({*shown}) == len({*ends}):
            break
    return " to ".join(shown)
