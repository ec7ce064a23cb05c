"""The summary of a report for a terminal: findings, estimates, decisions and requirements."""

from msgspec import Struct
from msgspec.structs import replace

from evallang.reporting.context import Context
from evallang.reporting.document import (
    Cite,
    Document,
    NumberedFindings,
    Paragraph,
    Ref,
    References,
    Row,
    Runs,
    Section,
    Table,
    Work,
)
from evallang.reporting.numbering import Numbering, number
from evallang.reporting.numbers import NBSP
from evallang.reporting.run_writer import RunWriter
from evallang.reporting.section import SECTIONS, blocks_of, shown_sections
from evallang.results.records import ResultsRecord

FINDINGS, ESTIMATES = "findings", "estimates"
SUMMARISED = (FINDINGS, ESTIMATES, "comparisons", "requirements")
"""The sections whose findings and tables the summary shows, in the order of the page."""

REFERENCES = "references"


class SummaryCell(Struct, frozen=True):
    """A cell as printed, and the full numbers behind it."""

    text: str
    value: float | None = None
    low: float | None = None
    high: float | None = None


class SummaryColumn(Struct, frozen=True):
    """A column: its own head, and the head that it shares with its neighbours."""

    head: str
    shared: str
    numeric: bool

    @property
    def name(self) -> str:
        """The whole head on one line."""
        return f"{self.shared} {self.head}".strip()


class SummaryRow(Struct, frozen=True):
    """A row with a cell for every column; a `heading` has only its first, and heads the next."""

    cells: tuple[SummaryCell, ...]
    strong: bool
    heading: bool


class SummaryTable(Struct, frozen=True):
    """A table as text."""

    id: str
    label: str
    caption: str
    columns: tuple[SummaryColumn, ...]
    rows: tuple[SummaryRow, ...]
    notes: tuple[str, ...]


class Summary(Struct, frozen=True):
    """The title, findings and tables of a report, and the works that these cite."""

    title: str
    findings: tuple[str, ...]
    tables: tuple[SummaryTable, ...]
    references: tuple[str, ...]


def summary(results: ResultsRecord, *, isolates: bool = True, analyses: bool = False) -> Summary:
    """Build the summary of results from the same typed blocks as the report, without figures.

    With `analyses` it has the tables of the `analyze` lines too.
    """
    context = Context(results, draws=False, isolates=isolates)
    sections = tuple(
        Section(name, SECTIONS[name].title, tuple(blocks_of(context, name)))
        for name in shown_sections(context)
        if name in (*SUMMARISED, REFERENCES) or (analyses and SECTIONS[name].declaration.analyses)
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
    document, numbering = number(plain, 10**9)
    return _Writer(numbering).summary(context.title, document)


class _Writer(RunWriter):
    """The runs of one document as text; it notes which works they cite."""

    def __init__(self, numbering: Numbering) -> None:
        self.numbering = numbering
        self.cited: set[str] = set()

    def summary(self, title: str, document: Document) -> Summary:
        """Return findings and tables.

        A paragraph about estimates is a note of the table before it; one of an analysis is a note
        of the first table after it, and a finding where there is no such table.
        """
        findings: list[str] = []
        tables: list[SummaryTable] = []
        works: tuple[Work, ...] = ()
        for section in document.sections:
            pending: list[str] = []
            for block in section.blocks:
                if isinstance(block, NumberedFindings):
                    findings += [self.line(item) for item in block.items]
                elif isinstance(block, Paragraph) and section.id == FINDINGS:
                    findings.append(self.line(block.runs))
                elif isinstance(block, Paragraph) and section.id == ESTIMATES and tables:
                    notes = (*tables[-1].notes, self.line(block.runs))
                    tables[-1] = replace(tables[-1], notes=notes)
                elif isinstance(block, Paragraph) and SECTIONS[section.name].declaration.analyses:
                    pending.append(self.line(block.runs))
                elif isinstance(block, Table) and not block.left_out:  # the supplement has it whole
                    made = self.table(block)
                    tables.append(replace(made, notes=(*pending, *made.notes)))
                    pending = []
                elif isinstance(block, References):
                    works = block.works
            findings += pending
        references = [
            f"[{self.numbering.citations[work.key]}] {self.line(work.runs)}"
            for work in works
            if work.key in self.cited
        ]
        return Summary(title, tuple(findings), tuple(tables), tuple(references))

    def table(self, table: Table) -> SummaryTable:
        """Return a table as text."""
        columns = tuple(
            SummaryColumn(self.line(column.head), self.line(head), column.align == "right")
            for column, head in zip(table.columns, table.above, strict=True)
        )
        return SummaryTable(
            table.name,
            self.numbering.labels[table.id],
            self.line(table.caption),
            columns,
            tuple(self.row(row, len(columns)) for row in table.rows),
            tuple(self.line(note) for note in table.notes),
        )

    def row(self, row: Row, width: int) -> SummaryRow:
        """Return a row as text, with a cell for every column."""
        cells = [SummaryCell(self.line(c.runs), c.exact, c.low, c.high) for c in row.cells]
        cells += [SummaryCell("")] * (width - len(cells))
        return SummaryRow(tuple(cells), row.strong, row.group)

    def line(self, row: Runs) -> str:
        """Return runs as text; a terminal has no pages."""
        made = ""
        for run in row:
            made = made.rstrip(" ") if isinstance(run, Ref) and run.page else made + self.run(run)
        return made.strip(" ")

    def cite(self, run: Cite) -> str:
        """Return the numbers of works, which are listed below."""
        known = [key for key in run.keys if key in self.numbering.citations]
        self.cited.update(known)
        numbers = sorted(self.numbering.citations[key] for key in known)
        return f"{NBSP}[{', '.join(map(str, numbers))}]" if known else ""

    def ref(self, run: Ref) -> str:
        """Return the words of a reference, or the label of its target."""
        return run.words or self.numbering.labels.get(run.target, "")
