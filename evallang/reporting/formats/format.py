"""What a format is: a function from a report that is being written to files, registered once."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from msgspec import Struct, field

from evallang.registry import Registry
from evallang.reporting.authors_template import AuthorsTemplate
from evallang.reporting.context import Context
from evallang.reporting.document import (
    Block,
    Cite,
    Document,
    NumberedFindings,
    Runs,
    Table,
)
from evallang.reporting.formats.works import CitedWork, works_of
from evallang.reporting.numbering import flat, runs_of_block
from evallang.reporting.section import SECTIONS
from evallang.results.records import ResultsRecord


class FormatDeclaration(Struct, frozen=True):
    """What is to know about a format.

    Attributes
    ----------
    order : the place of the word in lists
    figures : the ending of the files of figures that belong to it; empty without figures
    """

    order: int
    figures: str = ""


FORMATS: Registry[FormatDeclaration] = Registry("format", "evallang.reporting.formats")
"""All formats, by the word that `report` takes; each yields its files."""


def format_names() -> tuple[str, ...]:
    """Return the names of all formats, in their order."""
    return tuple(e.name for e in sorted(FORMATS, key=lambda entry: entry.declaration.order))


class Notes(Struct):
    """What is noted while the files of one format, or of figures, are made.

    `missing` are characters without a glyph, `messages` what could not be done, `objections` why
    the template was not used, `unsaid` the author's sentences that are not used, and `shortened`
    the tables of which a page shows fewer rows.
    """

    missing: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    objections: list[str] = field(default_factory=list)
    unsaid: list[str] = field(default_factory=list)
    shortened: dict[str, Table] = field(default_factory=dict)


class Writing(Struct, dict=True):
    """A report that is being written: its context and document, which is not yet numbered.

    `template` is the author's.
    """

    results: ResultsRecord
    context: Context
    document: Document
    template: AuthorsTemplate | None = None
    notes: Notes = field(default_factory=Notes)

    @cached_property
    def works(self) -> Mapping[str, CitedWork]:
        """The works that can be cited, by the key of their citation."""
        return works_of(self.context.results)

    def blocks(self, section: str) -> tuple[Block, ...]:
        """Return the blocks of a section; none where it is hidden or has nothing to say."""
        sections = self.document.sections
        return tuple(block for one in sections if one.name == section for block in one.blocks)

    def all_findings(self) -> Iterator[Runs]:
        """Iterate over all findings, those too that the first page of the report has no room for.

        The notes below them that hold without the report come last.
        """
        if not self.blocks("findings"):
            return
        for block in SECTIONS["findings"].function(self.context.without_limits()):
            if isinstance(block, NumberedFindings):
                yield from block.items
            elif block.kind == "paragraph" and block.role == "note":
                yield block.runs

    def cited(self) -> tuple[str, ...]:
        """Return the keys of all works that the report or a text for a paper cites."""
        report = (tuple(runs_of_block(b)) for s in self.document.sections for b in s.blocks)
        tables = (row for table in self.tables() for row in runs_of_table(table))
        return cited_keys([*report, *self.all_findings(), *tables])

    def tables(self) -> tuple[Table, ...]:
        """Return the tables of the sections whose tables are files of their own."""
        return tuple(
            block
            for section in self.document.sections
            if SECTIONS[section.name].declaration.tables
            for block in section.blocks
            if isinstance(block, Table)
        )


def cited_keys(rows: Iterable[Runs]) -> tuple[str, ...]:
    """Return the keys of the works that runs cite, in their order."""
    found = (run for row in rows for run in flat(row))
    return tuple(dict.fromkeys(key for run in found if isinstance(run, Cite) for key in run.keys))


def runs_of_table(table: Table) -> Iterator[Runs]:
    """Iterate over the runs of a table: its caption, heads, cells and notes."""
    yield table.caption
    yield from (spanner.head for spanner in table.spanners)
    yield from (column.head for column in table.columns)
    yield from (cell.runs for row in table.rows for cell in row.cells)
    yield from table.notes
