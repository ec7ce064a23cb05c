"""Tables of several quantities of each model: a row for each model, a column for each quantity.

Few models with many quantities have a row for each quantity instead, and many of both make several
tables, so that no table has a row for each number.
"""

from collections.abc import Collection, Sequence

from msgspec import Struct

from evallang.reporting import fonts
from evallang.reporting.document import Cell, Column, Table, runs
from evallang.reporting.letter_case import capitalised
from evallang.reporting.long_tables import GAP, MOST_OF_NAMES, PAGE_WIDTH, SIZE
from evallang.reporting.numbers import Scale
from evallang.reporting.panels import name_of_part
from evallang.reporting.tables import Over, bounds, dash, number, row, sortable, table, wide

NUMBER, INTERVAL = 30.0, 66.0  # points of their columns
FEW_MODELS = 3


class Quantity(Struct, frozen=True):
    """A number with its interval."""

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None


class Quantities(Struct, frozen=True):
    """The quantities of one row: those of a model, or of a model and a class."""

    heads: tuple[str, ...]
    values: tuple[Quantity, ...]


def tables_of_quantities(
    whole: Table, subject: str, found: Sequence[Quantities], scale: Scale, interval_head: str
) -> list[Table]:
    """Fill tables with quantities.

    `whole` has the notes and the columns of the heads of rows; captions state the `subject`.
    """
    every = [{q.name: q for q in row.values} for row in found]
    names = list(dict.fromkeys(name for row in every for name in row))
    bounded = {q.name for row in found for q in row.values if q.low is not None}
    heads = [
        fonts.widest((row.heads[i] for row in found), SIZE) + GAP for i in range(len(whole.columns))
    ]
    parts = _parts(names, bounded, PAGE_WIDTH - sum(min(head, MOST_OF_NAMES) for head in heads))
    if len(parts) > 1 and len(found) <= FEW_MODELS and len(whole.columns) == 1:
        with_bounds = [any(q.low is not None for q in row.values) for row in found]
        columns = [
            _column(one.heads[0], interval_head, bounded=has)
            for one, has in zip(found, with_bounds, strict=True)
        ]
        rows = [
            row(capitalised(name), *(
                cell
                for known, has in zip(every, with_bounds, strict=True)
                for cell in _cells(known.get(name), scale, bounded=has)
            ))
            for name in names
        ]  # fmt: skip
        return [table(whole.id, subject, [wide("Quantity"), *columns], rows, *whole.notes)]
    rows_of = []
    for k, one in enumerate(found):
        named = k > 0 and found[k - 1].heads[0] == one.heads[0]
        rows_of.append(("" if named else one.heads[0], *one.heads[1:]))
    return [
        table(
            name_of_part(whole.id, k),
            f"{subject}, continued" if k else subject,
            [
                *whole.columns,
                *(_column(name, interval_head, bounded=name in bounded) for name in part),
            ],
            [
                row(*names_, *(
                    cell
                    for name in part
                    for cell in _cells(known.get(name), scale, bounded=name in bounded)
                ))
                for names_, known in zip(rows_of, every, strict=True)
            ],
            *(whole.notes if k == len(parts) - 1 else ()),
        )
        for k, part in enumerate(parts)
    ]  # fmt: skip


def _parts(names: Sequence[str], bounded: Collection[str], room: float) -> list[list[str]]:
    """Divide quantities among tables that have room for their columns."""
    parts: list[list[str]] = [[]]
    taken = 0.0
    for name in names:
        numbers = NUMBER + (INTERVAL if name in bounded else 0.0)
        size = max(numbers, fonts.width(name, SIZE, bold=True)) + GAP
        if parts[-1] and taken + size > room:
            parts.append([])
            taken = 0.0
        parts[-1].append(name)
        taken += size
    return parts


def _column(name: str, interval_head: str, *, bounded: bool) -> Column | Over:
    if not bounded:
        return sortable(capitalised(name), name)
    return capitalised(name), [
        sortable("Value", name),
        Column(runs(interval_head), muted=True, name=name),
    ]


def _cells(found: Quantity | None, scale: Scale, *, bounded: bool) -> list[Cell]:
    """Return the cells of a quantity, also of one that a model does not have."""
    if found is None:
        return [dash()] * (2 if bounded else 1)
    of_bounds = [bounds(found.low, found.high, scale)] if bounded else []
    return [number(found.value, scale), *of_bounds]
