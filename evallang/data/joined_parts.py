"""Why the parts of a table are joined in memory although counts of their rows would take little."""

from msgspec import Struct

from evallang.activity import Activity, report_activity


class RowsAsked(Struct, frozen=True):
    """What asks for single rows: a reason in words, and what to write so that counts suffice.

    `instead` is None where nothing else gives the same quantity.
    """

    reason: str
    instead: str | None = None


class Rankings(Struct, frozen=True):
    """What a study asks of the order of scores: of parts, their counts.

    `most` is how many scores of a model may be distinct before they are rounded, None for any
    number; `compared` has one such number for each metric by which areas of models are compared.
    """

    most: int | None = None
    compared: tuple[int | None, ...] = ()


class JoinedParts(Struct, frozen=True):
    """The parts of a source that are joined, with the memory of their rows and the reasons."""

    source: str
    parts: int
    bytes: int
    reasons: tuple[RowsAsked, ...]

    @property
    def text(self) -> str:
        """What is joined, how much memory that takes, why, and what avoids it."""
        reasons = list(dict.fromkeys(one.reason for one in self.reasons))
        size = f"about {_size(self.bytes)}"
        found = f"the {self.parts:,} parts of `{self.source}` are joined in memory, {size}"
        if reasons:
            more = len(reasons) - MOST_SHOWN
            found += f": {', '.join(reasons[:MOST_SHOWN])}"
            found += f" and {more:,} more" if more > 0 else ""
        fixes = [one.instead for one in self.reasons]
        if reasons and None not in fixes:
            instead = " and ".join(dict.fromkeys(filter(None, fixes)))
            found += f"; to count their rows instead, {instead}"
        return found


MOST_SHOWN = 3  # reasons in a line


def report_joining(joined: JoinedParts) -> None:
    """Report that parts are joined, before the rest of them is read."""
    report_activity(Activity("reading", f"all rows of {joined.source}", notice=joined.text))


def _size(number: int) -> str:
    for unit, length in (("GB", 1e9), ("MB", 1e6)):
        if number >= length:
            return f"{number / length:.2g} {unit}" if number < 100 * length else (
                f"{number / length:.0f} {unit}"
            )  # fmt: skip
    return f"{max(number, 1000) / 1e3:.0f} kB"
