"""Cells of tables: a printed number with its full value, a dash where there is none."""

from evallang.reporting.document import Cell, Interval, Mark, Number, runs
from evallang.reporting.numbers import Scale, count, fixed, interval
from evallang.results import records


def number_cell(text: str, value: float | None) -> Cell:
    """Return the cell of a number as printed."""
    return Cell(runs(Number(text, value)), None if value is None else float(value))


def count_cell(value: int | None) -> Cell:
    """Return the cell of a count."""
    return dash() if value is None else number_cell(count(value), value)


def interval_cell(
    found: records.Interval
    | records.Difference
    | records.SimultaneousInterval
    | records.Effect
    | None,
    scale: Scale,
    *,
    null: float | None = None,
) -> Cell:
    """Return the cell of an interval; a dash where it has no bound."""
    if found is None or (found.low is None and found.high is None):
        return dash()
    text = interval(found.low, found.high, scale, null=null)
    return Cell(runs(Interval(text, found.low, found.high)), low=found.low, high=found.high)


def dash(mark: str | None = None) -> Cell:
    """Return the cell of what is undefined or was not computed, with the mark of its footnote."""
    text = fixed(None, Scale(0))
    return Cell(runs(text, Mark(mark)) if mark else runs(text))
