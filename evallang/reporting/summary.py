"""The summary of a report for a terminal: findings, estimates, decisions and requirements."""

from evallang.frozen_records import frozen
from evallang.reporting.context import Context
from evallang.reporting.document import (
    Cell,
    Cite,
    Document,
    Emphasis,
    Link,
    Mark,
    NumberedFindings,
    Paragraph,
    Ref,
    Row,
    Run,
    Runs,
    Section,
    Stat,
    Strong,
    Table,
)
from evallang.reporting.numbering import Numbering, number
from evallang.reporting.section import SECTIONS
from evallang.results.records import ResultsRecord

SUMMARISED = ("findings", "estimates", "comparisons", "requirements")
"""The sections whose findings and tables the summary shows, in the order of the page."""


@frozen
class SummaryCell:
    """A cell as printed, and the full numbers behind it."""

    text: str
    value: float | None = None
    low: float | None = None
    high: float | None = None


@frozen
class SummaryTable:
    """A table as text; each row has a cell for every column."""

    id: str
    label: str
    caption: str
    columns: tuple[str, ...]
    numeric: tuple[bool, ...]
    rows: tuple[tuple[SummaryCell, ...], ...]
    strong: tuple[bool, ...]
    notes: tuple[str, ...]


@frozen
class Summary:
    """The title, findings and tables of a report."""

    title: str
    findings: tuple[str, ...]
    tables: tuple[SummaryTable, ...]


def summary(results: ResultsRecord) -> Summary:
    """Build the summary of results from the same typed blocks as the report."""
    context = Context(results)
    sections = tuple(
        Section(name, SECTIONS[name].title, tuple(SECTIONS[name].function(context)))
        for name in SUMMARISED
    )
    named = Section("limits", SECTIONS["limits"].title, ())  # findings refer to its page
    plain = Document(
        context.title,
        context.report_id,
        context.created,
        "",
        results.report.page,
        (*sections, named),
    )
    document, numbering = number(plain, most_rows=10**9)
    findings: list[str] = []
    tables: list[SummaryTable] = []
    for section in document.sections:
        for block in section.blocks:
            if isinstance(block, NumberedFindings):
                findings += [_text(item, numbering) for item in block.items]
            elif isinstance(block, Paragraph) and section.id == SUMMARISED[0]:
                findings.append(_text(block.runs, numbering))
            elif isinstance(block, Table):
                tables.append(_table(block, numbering))
    return Summary(context.title, tuple(findings), tuple(tables))


def _table(table: Table, numbering: Numbering) -> SummaryTable:
    heads = [_text(column.head, numbering) for column in table.columns]
    for spanner in table.spanners:
        for i in range(spanner.first, spanner.last + 1):
            heads[i] = " ".join(f"{_text(spanner.head, numbering)} {heads[i]}".split())
    return SummaryTable(
        table.id.removeprefix("table-"),
        numbering.labels[table.id],
        _text(table.caption, numbering),
        tuple(heads),
        tuple(column.align == "right" for column in table.columns),
        tuple(_cells(row, len(heads), numbering) for row in table.rows),
        tuple(row.strong for row in table.rows),
        tuple(_text(note, numbering) for note in table.notes),
    )


def _cells(row: Row, width: int, numbering: Numbering) -> tuple[SummaryCell, ...]:
    cells = [_cell(cell, numbering) for cell in row.cells]
    return (*cells, *[SummaryCell("")] * (width - len(cells)))


def _cell(cell: Cell, numbering: Numbering) -> SummaryCell:
    return SummaryCell(_text(cell.runs, numbering), cell.exact, cell.low, cell.high)


def _text(row: Runs, numbering: Numbering) -> str:
    made = ""
    for run in row:
        if isinstance(run, Ref) and run.page:  # a terminal has no pages
            made = made.rstrip(" ")
        else:
            made += _run(run, numbering)
    return made


def _run(run: Run, numbering: Numbering) -> str:
    if isinstance(run, Strong | Emphasis):
        return _text(run.runs, numbering)
    if isinstance(run, Stat):
        df = f"({', '.join(run.df)})" if run.df else ""
        return f"{run.symbol}{df}\u00a0{run.relation}\u00a0{run.text}"
    if isinstance(run, Cite):
        return ""
    if isinstance(run, Ref):
        return run.words or numbering.labels.get(run.target, "")
    if isinstance(run, Link):
        return run.words
    if isinstance(run, Mark):
        return f" {run.text}"
    lead = getattr(run, "lead", "")
    return f"{lead}\u00a0{run.text}" if lead else run.text
