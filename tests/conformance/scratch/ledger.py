"""A section of the report: how many rows each data set has."""

from collections.abc import Sequence

from evallang.reporting.context import Context
from evallang.reporting.document import Block, Cell, Column, Number, Row, Table, runs
from evallang.reporting.numbers import count
from evallang.reporting.section import SECTIONS, SectionDeclaration


@SECTIONS.register(SectionDeclaration(order=46), title="Ledger of rows")
def ledger(context: Context) -> Sequence[Block]:
    """Return one table with a row for each data set."""
    columns = (Column(runs("Data set"), "left"), Column(runs("Rows")))
    rows = tuple(
        Row((Cell(runs(context.data_label(data.name))), Cell(runs(Number(count(data.n), data.n)))))
        for data in context.results.data
    )
    return [Table("table-ledger", runs("Rows of each data set."), columns, rows)]
