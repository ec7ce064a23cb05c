"""Long tables: the first and the last rows that a page shows."""

from msgspec.structs import replace

from evallang.reporting import fonts
from evallang.reporting.document import Cell, Row, Runs, Table
from evallang.reporting.run_writer import plain

SIZE = 8.0  # points of the text of a table on a page
SHORT_NAME, MOST_OF_NAMES = 90.0, 150.0  # points; longer names are broken
GAP = 0.9 * SIZE  # between columns
PAGE_WIDTH = 170 * 72 / 25.4  # points
LONGEST_WORD = 30  # letters that are kept in one line


def has_long_word(row: Runs) -> bool:
    """Return whether a word is so long that a column is better broken inside of it.

    A column that may be broken anywhere is narrowed first, as in "n_neighbors=" above "5".
    """
    return any(len(word) > LONGEST_WORD for word in plain(row).split())


def capped(table: Table, most: int) -> Table:
    """Keep the first and the last rows of a long table, and count what is excluded."""
    if table.whole or len(table.rows) <= most:
        return table
    last = most // 3
    first = most - last
    while first and table.rows[first - 1].group:
        first -= 1
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


def _width(row: Row, i: int) -> float:
    if row.group or i >= len(row.cells):
        return 0.0
    return fonts.width(plain(row.cells[i].runs), SIZE, bold=row.strong)
