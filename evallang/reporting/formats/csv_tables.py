"""Tables at full precision, one file each, as any program reads them."""

import csv
import io
import math
from collections.abc import Iterator

from evallang.printable import inert
from evallang.reporting.document import Cell, Cite, Column, Ref, Row, Table
from evallang.reporting.formats.format import (
    FORMATS,
    FormatDeclaration,
    Writing,
    file_name,
)
from evallang.reporting.output_files import OutputFile
from evallang.reporting.run_writer import RunWriter

MISSING = "–"
LARGEST_WHOLE = 1e15  # beyond it, a number may not be whole


@FORMATS.register(FormatDeclaration(order=5), title="CSV", name="csv")
def csv_tables(writing: Writing) -> Iterator[OutputFile]:
    """Write every table with all its rows and digits."""
    for table in writing.tables():
        yield csv_file(table)


def csv_file(table: Table) -> OutputFile:
    """Return one table as a file."""
    return OutputFile(f"tables/{file_name(table)}.csv", csv_text(table).encode())


def csv_text(table: Table) -> str:
    """Return a table as CSV: one column per number, and the headings of rows as a column.

    Where a page has the name of a model in its first row alone, each row has it here.
    """
    table = table.one_number_a_column or table
    body = [row for row in table.rows if not row.group]
    heads = [_name(table, i) for i in range(len(table.columns))]
    bounded = [any(_has_bounds(_cell(row, i)) for row in body) for i in range(len(heads))]
    grouped = any(row.group for row in table.rows)
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    first = ["group"] if grouped else []
    valued = [not wide or any(_cell(row, i).exact is not None for row in body)
              for i, wide in enumerate(bounded)]  # fmt: skip
    for name, wide, has_value in zip(heads, bounded, valued, strict=True):
        first += [name] if has_value else []
        first += [f"{name} low", f"{name} high"] if wide else []
    writer.writerow([inert(name) for name in first])
    group, stub = "", Cell(())
    for row in table.rows:
        if row.group:
            group = WORDS.line(row.cells[0])
            continue
        made = [inert(group)] if grouped else []
        stub = _cell(row, 0) if _cell(row, 0).runs else stub
        for i, wide in enumerate(bounded):
            cell = _cell(row, i) if i else stub
            made += [_value(cell)] if valued[i] and not wide else []
            made += [exact(cell.exact)] if valued[i] and wide else []
            made += [exact(cell.low), exact(cell.high)] if wide else []
        writer.writerow(made)
    return stream.getvalue()


def exact(value: float | None) -> str:
    """Return a number with all its digits; a whole number without a point."""
    if value is None:
        return ""
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return (
        str(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))
    )


class _Words(RunWriter):
    """The words of a cell, without marks and citations."""

    def line(self, cell: Cell) -> str:
        """Return the words of a cell."""
        return " ".join(self.write(cell.runs).split())

    def text(self, text: str) -> str:
        return text

    def cite(self, run: Cite) -> str:
        return ""

    def ref(self, run: Ref) -> str:
        return run.words

    def mark(self, text: str) -> str:
        return ""


WORDS = _Words()


def _value(cell: Cell) -> str:
    if cell.exact is not None:
        return exact(cell.exact)
    words = WORDS.line(cell)
    return "" if words == MISSING else inert(words)


def _cell(row: Row, i: int) -> Cell:
    return row.cells[i] if i < len(row.cells) else Cell(())


def _has_bounds(cell: Cell) -> bool:
    return cell.low is not None or cell.high is not None


def _name(table: Table, i: int) -> str:
    """Return the name of a column: its stable name, else its heads as printed."""
    column: Column = table.columns[i]
    if column.name:
        return column.name
    above = next((s.head for s in table.spanners if s.first <= i <= s.last), ())
    words = (WORDS.write(above), WORDS.write(column.head))
    return " ".join(" ".join(words).split())
