"""Tables from columns and rows of words and numbers, in the one form that every format writes."""

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from evallang.reporting.context import Context
from evallang.reporting.document import (
    Cell,
    Column,
    Interval,
    Mark,
    Number,
    Row,
    Run,
    Runs,
    Spanner,
    Table,
    runs,
)
from evallang.reporting.numbers import NBSP, Scale, count, fixed, interval
from evallang.reporting.wording import p_cell, sentence
from evallang.results import records

Words = str | Run | Runs
Over = tuple[Words, list[Column | None]]
"""A head over some columns."""


def table(
    identifier: str,
    caption: Words,
    columns: Iterable[Column | Over | None],
    rows: Iterable[Row],
    *notes: Words | None,
    **more: Any,
) -> Table:
    """Make a table; captions and notes that are texts become sentences, what is None is omitted."""
    every: list[Column] = []
    spanners = []
    for one in columns:
        head, group = one if isinstance(one, tuple) else ("", [one])
        known = [column for column in group if column is not None]
        if head and known:
            spanners.append(Spanner(runs(head), len(every), len(every) + len(known) - 1))
        every += known
    said = tuple(made for note in notes if note and (made := _sentence(note)))
    return Table(
        identifier, _sentence(caption), tuple(every), tuple(rows), tuple(spanners), said, **more
    )


def _sentence(words: Words) -> Runs:
    return runs(sentence(words) if isinstance(words, str) else words)


def left(head: Words, *, muted: bool = False, name: str = "") -> Column:
    """Return a column of words that are short."""
    return Column(runs(head), "left", muted, name=name)


def wide(head: Words, *, muted: bool = False, name: str = "") -> Column:
    """Return a column of words, which may be broken into lines."""
    return Column(runs(head), "left", muted, name=name, wide=True)


def right(head: Words, name: str = "", *, muted: bool = False) -> Column:
    """Return a column of numbers."""
    return Column(runs(head), muted=muted, name=name)


def sortable(head: Words, name: str = "") -> Column:
    """Return a column of numbers that sorts the rows of a page for the screen."""
    return Column(runs(head), sortable=True, name=name)


def row(*cells: Cell | Words | None, strong: bool = False) -> Row:
    """Return a row of cells; one that is None is omitted."""
    made = (
        cell if isinstance(cell, Cell) else Cell(runs(cell)) for cell in cells if cell is not None
    )
    return Row(tuple(made), strong)


def heading(words: Words) -> Row:
    """Return the row that heads those after it."""
    return Row((Cell(runs(words)),), group=True)


def number(
    value: float | None, scale: Scale, *, signed: bool = False, null: float | None = None
) -> Cell:
    """Return the cell of a number with the decimals of its column."""
    return printed(fixed(value, scale, signed=signed, null=null), value)


def printed(text: str, value: float | None, *after: Words) -> Cell:
    """Return the cell of a number as printed, and what is written after it."""
    return Cell(runs(Number(text, value), *after), None if value is None else float(value))


def with_second(
    value: float | None, scale: Scale, second: float | None, of_second: Scale, sign: str = ""
) -> Cell:
    """Return the cell of a number, with another one in brackets where there is one."""
    after = runs(f"{NBSP}(", *number(second, of_second).runs, f"{sign})")
    return printed(fixed(value, scale), value, after if second is not None else "")


def counted(value: int | None, *after: Words) -> Cell:
    """Return the cell of a count."""
    return dash() if value is None else printed(count(value), value, *after)


def share(n: int, total: int) -> Cell:
    """Return the cell of a part of a number: "3 of 5"."""
    return counted(n, f" of {count(total)}")


def amount_of(value: float) -> str:
    """Print a count that may be a sum of weights."""
    return count(int(value)) if float(value).is_integer() else f"{value:,.1f}"


def bounds(low: float | None, high: float | None, scale: Scale, null: float | None = None) -> Cell:
    """Return the cell of an interval; a dash where it has no bound."""
    if low is None and high is None:
        return dash()
    return Cell(runs(Interval(interval(low, high, scale, null=null), low, high)), None, low, high)


def interval_cell(
    found: records.Interval | records.Difference | records.SimultaneousInterval | records.Effect
    | tuple[float, float] | None,
    scale: Scale,
    null: float | None = None,
) -> Cell:  # fmt: skip
    """Return the cell of an interval; a dash where there is none."""
    if found is None:
        return dash()
    ends = found if isinstance(found, tuple) else (found.low, found.high)
    return bounds(*ends, scale, null)


def p_of(context: Context, p: float | None, alpha: float, error: float | None = None) -> Cell:
    """Return the cell of a p-value; `error` is its Monte Carlo error."""
    return Cell(p_cell(context, p, alpha, error), p)


def dash(mark: str | None = None) -> Cell:
    """Return the cell of what is undefined or was not computed, with the mark of its footnote."""
    text = fixed(None, Scale(0))
    return Cell(runs(text, Mark(mark)) if mark else runs(text))


def lettered(table: Table) -> Table:
    """Replace the names of the marks of a table by letters, and list the marked notes last.

    The letters are in the order in which a reader meets them. A note loses a mark that nothing in
    the table bears, because its cells are not shown.
    """
    met = [
        part.text
        for row in (
            *(spanner.head for spanner in table.spanners),
            *(column.head for column in table.columns),
            *(cell.runs for row in table.rows for cell in row.cells),
        )
        for part in row
        if isinstance(part, Mark)
    ]
    letters = {name: chr(ord("a") + i) for i, name in enumerate(dict.fromkeys(met))}

    def shown(runs: Runs) -> Runs:
        made = (Mark(letters.get(p.text, "")) if isinstance(p, Mark) else p for p in runs)
        return tuple(part for part in made if part != Mark(""))

    def letter(row: Runs) -> str:
        return next((part.text for part in row if isinstance(part, Mark)), "")

    return replace(
        table,
        columns=tuple(replace(column, head=shown(column.head)) for column in table.columns),
        spanners=tuple(replace(spanner, head=shown(spanner.head)) for spanner in table.spanners),
        rows=tuple(
            replace(row, cells=tuple(replace(cell, runs=shown(cell.runs)) for cell in row.cells))
            for row in table.rows
        ),
        notes=tuple(sorted(map(shown, table.notes), key=letter)),
    )
