"""Tables at full precision, one file each, as any program reads them."""

import csv
import io
from collections.abc import Iterator

from evallang.printable import inert
from evallang.reporting.document import WHOLE, Cell, Column, Table
from evallang.reporting.formats.format import (
    FORMATS,
    FormatDeclaration,
    Writing,
)
from evallang.reporting.output_files import OutputFile
from evallang.reporting.run_writer import RunWriter

MISSING = "–"
LARGEST_WHOLE = 1e15  # beyond it, a number may not be whole


@FORMATS.register(FormatDeclaration(order=5), title="CSV", name="csv")
def csv_tables(writing: Writing) -> Iterator[OutputFile]:
    """Write every table with all its rows and digits, also one of which the page has some rows."""
    wholes = {f"{table.id}{WHOLE}" for table in writing.tables()}
    found = (*writing.tables(), *writing.document.files)
    yield from (csv_file(table) for table in found if table.id not in wholes)


def csv_file(table: Table) -> OutputFile:
    """Return one table as a file."""
    return OutputFile(f"tables/{table.name}.csv", csv_text(table).encode())


def csv_text(table: Table) -> str:
    """Return a table as CSV: one column per number, and the headings of rows as a column.

    Where a page has the name of a model in its first row alone, each row has it here.
    """
    table = table.one_number_a_column or table
    size = range(len(table.columns))
    body = [[*row.cells, *[Cell(())] * (len(size) - len(row.cells))] for row in table.rows]
    known = [cells for cells, row in zip(body, table.rows, strict=True) if not row.group]
    bounded = [any(c[i].low is not None or c[i].high is not None for c in known) for i in size]
    valued = [not bounded[i] or any(c[i].exact is not None for c in known) for i in size]
    grouped = any(row.group for row in table.rows)
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    first = ["group"] if grouped else []
    for i in size:
        name = _name(table, i)
        first += [name] if valued[i] else []
        first += [f"{name} low", f"{name} high"] if bounded[i] else []
    writer.writerow([inert(name) for name in first])
    group, stub = "", Cell(())
    for cells, row in zip(body, table.rows, strict=True):
        if row.group:
            group = WORDS.line(row.cells[0])
            continue
        made = [inert(group)] if grouped else []
        stub = cells[0] = cells[0] if cells[0].runs else stub
        for i, cell in enumerate(cells):
            words = WORDS.line(cell)
            if bounded[i]:
                made += [exact(cell.exact)] if valued[i] else []
                made += [exact(cell.low), exact(cell.high)]
            elif cell.exact is not None:
                made.append(exact(cell.exact))
            else:
                made.append("" if words == MISSING else inert(words))
        writer.writerow(made)
    return stream.getvalue()


def exact(value: float | None) -> str:
    """Return a number with all its digits; a whole number without a point."""
    if value is None:
        return ""
    whole = float(value).is_integer() and abs(value) < LARGEST_WHOLE
    return str(int(value)) if whole else repr(float(value))


class _Words(RunWriter):
    """The words of a cell, without marks."""

    MARK = ""

    def line(self, cell: Cell) -> str:
        """Return the words of a cell."""
        return " ".join(self.write(cell.runs).split())


WORDS = _Words()


def _name(table: Table, i: int) -> str:
    """Return the name of a column: its stable name, else its heads as printed."""
    column: Column = table.columns[i]
    if column.name:
        return column.name
    words = (WORDS.write(table.above[i]), WORDS.write(column.head))
    return " ".join(" ".join(words).split())
