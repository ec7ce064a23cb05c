"""Long tables: the first and the last rows that a page shows, by the lines that they take.

A table is capped by its height and not by its number of rows: fifty rows whose names are broken
into five lines would fill five pages.
"""

import math
from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from evallang.reporting import fonts
from evallang.reporting.document import Cell, Row, Runs, Table
from evallang.reporting.run_writer import plain

SIZE = 8.0  # points of the text of a table on a page
SHORT_NAME, MOST_OF_NAMES = 90.0, 150.0  # points; longer names are broken
GAP = 0.9 * SIZE  # between columns
PAGE_WIDTH = 170 * 72 / 25.4  # points
BETWEEN = 0.6  # of a line: the gaps above and below the words of a row
LEAST_FIRST, LEAST_LAST = 6, 3  # rows that are shown however deep they are
FEW = 10  # rows that are not capped
LONGEST_WORD = 30  # letters that are kept in one line
ROUNDING = 1e-9


class Room(Struct, frozen=True):
    """What a medium shows of a table: so many rows of one line, on a line as wide, in points.

    Without a width, rows are counted alone: a screen is scrolled.
    """

    rows: int
    width: float | None = None


def has_long_word(row: Runs) -> bool:
    """Return whether a word is so long that a column is better broken inside of it.

    A column that may be broken anywhere is narrowed first, as in "n_neighbors=" above "5".
    """
    return any(len(word) > LONGEST_WORD for word in plain(row).split())


def capped(table: Table, room: Room) -> Table:
    """Keep the first and the last rows of a long table, and count what is excluded."""
    if table.whole or len(table.rows) <= FEW:
        return table
    if room.width is None and len(table.rows) <= room.rows:
        return table
    depths = [1.0] * len(table.rows) if room.width is None else _depths(table, room.width)
    most = room.rows * (1.0 if room.width is None else 1 + BETWEEN)
    if sum(depths) <= most + ROUNDING:
        return table
    last = max(LEAST_LAST, _fitting(depths[::-1], most / 3))
    first = max(LEAST_FIRST, _fitting(depths, most - sum(depths[len(depths) - last :])))
    while first and table.rows[first - 1].group:
        first -= 1
    if first + last >= len(table.rows):
        return table
    tail = table.rows[len(table.rows) - last :]
    omitted = table.rows[first : len(table.rows) - last]
    heading = [row for row in table.rows[: len(table.rows) - last] if row.group]
    if heading and not tail[0].group:
        tail = (heading[-1], *tail)
    elif not tail[0].cells[0].runs:  # the name of its model is in a row above
        named = [row.cells[0] for row in omitted if row.cells[0].runs]
        above = named or [row.cells[0] for row in table.rows[:first] if row.cells[0].runs]
        name = above[-1] if above else Cell(())
        tail = (replace(tail[0], cells=(name, *tail[0].cells[1:])), *tail[1:])
    return replace(
        table,
        rows=(*table.rows[:first], *tail),
        left_out=sum(not row.group for row in omitted),
        gap_after=first,
    )


def keeps_names_of_rows(table: Table) -> bool:
    """Return whether the names of rows are short, next to numbers below long names.

    Their column would be narrowed by what is above the others, and "set 3" be two lines.
    """
    if not any(column.wide and column.align == "right" for column in table.columns):
        return False
    return max((_width(row, 0) for row in table.rows), default=0.0) <= SHORT_NAME


def fits_on_a_page(table: Table) -> bool:
    """Return whether the columns of a table have room next to each other on a page."""
    total = -GAP
    for i, column in enumerate(table.columns):
        head = plain(column.head)
        lines = head.split() if column.wide else [head]  # what a line of it has at least
        widest = max((fonts.width(line, SIZE, bold=True) for line in lines), default=0.0)
        cells = max((_width(row, i) for row in table.rows), default=0.0)
        total += max(widest, min(cells, MOST_OF_NAMES) if column.wide else cells) + GAP
    return total <= PAGE_WIDTH


def _fitting(depths: Sequence[float], most: float) -> int:
    """Return how many of the first rows are together at most so deep."""
    total = 0.0
    for number, depth in enumerate(depths):
        total += depth
        if total > most + ROUNDING:
            return number
    return len(depths)


def _depths(table: Table, width: float) -> list[float]:
    """Return the depth of each row in lines, with the gaps between rows."""
    columns = range(len(table.columns))
    natural = [[_width(row, i) for row in table.rows] for i in columns]
    widest = [max(column, default=0.0) for column in natural]
    broken = [i for i in columns if table.columns[i].align == "left"]
    padding = GAP * (len(widest) - 1)
    rest = width - padding - sum(w for i, w in enumerate(widest) if i not in broken)
    wanted = sum(widest[i] for i in broken)
    if wanted <= rest:
        return [1 + BETWEEN] * len(table.rows)
    share = max(rest, 0.2 * width) / wanted

    def lines(words: float, room: float) -> int:  # those that are broken do not fill theirs
        return max(1, math.ceil(words / room if words <= room else 1.1 * words / room))

    return [
        max((lines(natural[i][k], share * widest[i]) for i in broken), default=1) + BETWEEN
        for k in range(len(table.rows))
    ]


def _width(row: Row, i: int) -> float:
    if row.group or i >= len(row.cells):
        return 0.0
    return fonts.width(plain(row.cells[i].runs), SIZE, bold=row.strong)
