"""Tables of several quantities of each model: a row for each model, a column for each quantity.

Few models with many quantities have a row for each quantity instead, and many of both make several
tables, so that no table has a row for each number.
"""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from evallang.reporting import fonts
from evallang.reporting.document import Cell, Column, Number, Row, Runs, Spanner, Table, runs
from evallang.reporting.figure_parts import name_of_part
from evallang.reporting.long_tables import GAP, MOST_OF_NAMES, PAGE_WIDTH, SIZE
from evallang.reporting.numbers import Scale, fixed, interval
from evallang.reporting.wording import sentence

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
    names = list(dict.fromkeys(q.name for row in found for q in row.values))
    bounded = {q.name for row in found for q in row.values if q.low is not None}
    heads = [max((fonts.width(row.heads[i], SIZE) for row in found), default=0.0) + GAP
             for i in range(len(whole.columns))]  # fmt: skip
    parts = _parts(names, bounded, PAGE_WIDTH - sum(min(head, MOST_OF_NAMES) for head in heads))
    if len(parts) > 1 and len(found) <= FEW_MODELS and len(whole.columns) == 1:
        return [_with_rows_of_quantities(whole, subject, found, names, scale, interval_head)]
    made = []
    for number, part in enumerate(parts):
        rows, before = [], ""
        for row in found:
            head = "" if row.heads[0] == before else row.heads[0]
            before = row.heads[0]
            known = {q.name: q for q in row.values}
            cells = [Cell(runs(each)) for each in (head, *row.heads[1:])]
            for name in part:
                cells += _cells(known.get(name), scale, bounded=name in bounded)
            rows.append(Row(tuple(cells)))
        columns, spanners = list(whole.columns), []
        for name in part:
            new = _columns(name, runs(name), interval_head, bounded=name in bounded)
            if len(new) > 1:
                spanners.append(Spanner(runs(name), len(columns), len(columns) + 1))
            columns += new
        made.append(
            replace(
                whole,
                id=name_of_part(whole.id, number),
                caption=runs(sentence(subject if number == 0 else f"{subject}, continued")),
                columns=tuple(columns),
                rows=tuple(rows),
                spanners=tuple(spanners),
                notes=whole.notes if number == len(parts) - 1 else (),
            )
        )
    return made


def _parts(names: Sequence[str], bounded: set[str], room: float) -> list[list[str]]:
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


def _columns(name: str, head: Runs, interval_head: str, *, bounded: bool) -> list[Column]:
    if not bounded:
        return [Column(head, name=name, sortable=True)]
    return [
        Column(runs("Value"), name=name, sortable=True),
        Column(runs(interval_head), muted=True, name=name),
    ]


def _cells(found: Quantity | None, scale: Scale, *, bounded: bool) -> list[Cell]:
    if found is None:
        return [Cell(runs("–"))] * (2 if bounded else 1)
    value = found.value
    cells = [Cell(runs(Number("–" if value is None else fixed(value, scale), value)), value)]
    if bounded:
        bounds = "–" if found.low is None else interval(found.low, found.high, scale)
        cells.append(Cell(runs(bounds), None, found.low, found.high))
    return cells


def _with_rows_of_quantities(
    whole: Table,
    subject: str,
    found: Sequence[Quantities],
    names: Sequence[str],
    scale: Scale,
    interval_head: str,
) -> Table:
    """Fill a table with a row for each quantity, next to each other those of the models."""
    columns, spanners = [Column(runs("Quantity"), "left", wide=True)], []
    bounded = [any(q.low is not None for q in row.values) for row in found]
    for row, wide in zip(found, bounded, strict=True):
        model = row.heads[0]
        new = _columns(model, runs(model), interval_head, bounded=wide)
        if len(new) > 1:
            spanners.append(Spanner(runs(model), len(columns), len(columns) + 1))
        columns += new
    rows = []
    for name in names:
        cells = [Cell(runs(name))]
        for row, wide in zip(found, bounded, strict=True):
            known = next((q for q in row.values if q.name == name), None)
            cells += _cells(known, scale, bounded=wide)
        rows.append(Row(tuple(cells)))
    return replace(
        whole,
        caption=runs(sentence(subject)),
        columns=tuple(columns),
        rows=tuple(rows),
        spanners=tuple(spanners),
    )
