"""Markdown for READMEs and pull requests: tables, Methods, findings and checklists."""

import re
from collections.abc import Iterable, Iterator, Mapping

from evallang.reporting.checklists import CHECKLISTS, item_places
from evallang.reporting.document import Caution, Cite, Link, Runs, Table
from evallang.reporting.formats.format import (
    FORMATS,
    FormatDeclaration,
    Writing,
    cited_keys,
    runs_of_table,
)
from evallang.reporting.formats.latex import methods_file_rows
from evallang.reporting.formats.markdown_signs import escape_signs
from evallang.reporting.formats.works import CitedWork
from evallang.reporting.output_files import OutputFile
from evallang.reporting.run_writer import RunWriter

SIDES = {"left": ":--", "right": "--:", "center": ":-:"}
STARTS = ("+", "-", "=")


@FORMATS.register(FormatDeclaration(order=4), title="Markdown")
def markdown(writing: Writing) -> Iterator[OutputFile]:
    """Write tables, Methods, findings and checklists as Markdown with footnotes."""
    writer = MarkdownWriter(writing.works)
    for table in writing.tables():
        text = "\n".join(table_lines(table, writer))
        text += _notes_of_works(writer, list(runs_of_table(table)))
        yield OutputFile(f"tables/{table.name}.md", (text + "\n").encode())
    methods = methods_file_rows(writing)
    if methods:
        text = "\n\n".join(writer.paragraph(row) for row in methods)
        yield OutputFile("methods.md", (text + _notes_of_works(writer, methods) + "\n").encode())
    findings = list(writing.all_findings())
    if findings:
        lines = [f"- {writer.paragraph(row)}" for row in findings]
        lines += _limits(writing, writer)
        text = "\n".join(lines) + _notes_of_works(writer, findings)
        yield OutputFile("findings.md", (text + "\n").encode())
    lines = checklist_lines(writing, writer)
    if lines:
        yield OutputFile("CHECKLISTS.md", ("\n".join(lines) + "\n").encode())


def _limits(writing: Writing, writer: "MarkdownWriter") -> list[str]:
    """Return a line with the warnings of the report, so that no finding is read without them."""
    found = [b for b in writing.blocks("limits") if isinstance(b, Caution)]
    if not found:
        return []
    names = "; ".join(writer.text(caution.lead.rstrip(".")) for caution in found)
    return ["", f"Limits, which the report explains: {names}."]


def _notes_of_works(writer: "MarkdownWriter", rows: Iterable[Runs]) -> str:
    """List the cited works as footnotes."""
    works = dict.fromkeys(writer.works[key].key for key in cited_keys(rows) if key in writer.works)
    by_key = {work.key: work for work in writer.works.values()}
    lines = [f"[^{key}]: {writer.write(by_key[key].listed)}" for key in works]
    return "\n\n" + "\n".join(lines) if lines else ""


class MarkdownWriter(RunWriter):
    """The runs of a report as Markdown; citations are footnotes, GitHub shows the HTML."""

    STRONG, EMPHASIS = "**{}**", "*{}*"
    SUBSCRIPT, MARK = "<sub>{}</sub>", "<sup>{}</sup>"

    def __init__(self, works: Mapping[str, CitedWork]) -> None:
        self.works = works

    def paragraph(self, row: Runs) -> str:
        """Return a row of runs as a paragraph that begins no list, heading or quotation."""
        text = self.write(row).strip().replace("\n", " ")
        head = text.split(" ", 1)[0]
        if text.startswith(STARTS) or (head[:-1].isdigit() and head[-1:] in ".)"):
            return f"{head[:-1]}\\{head[-1]}{text[len(head) :]}" if head[:-1] else "\\" + text
        return text

    def cell(self, row: Runs) -> str:
        """Return a row of runs as the cell of a table."""
        return self.write(row).strip().replace("\n", " ")

    def text(self, text: str) -> str:
        """Return words; signs of Markdown lose their meaning."""
        plain = text.replace("\u2060", "").replace("\u00a0", " ").replace("\t", " ")
        return escape_signs(plain, lambda sign: f"\\{sign}")

    def cite(self, run: Cite) -> str:
        """Cite works as footnotes."""
        keys = dict.fromkeys(self.works[key].key for key in run.keys if key in self.works)
        return "".join(f"[^{key}]" for key in keys)

    def link(self, run: Link) -> str:
        """Return a link."""
        href = run.href.replace(" ", "%20").replace("(", "%28").replace(")", "%29")
        href = href.replace("<", "%3C").replace(">", "%3E")
        return f"[{self.text(run.words)}]({href})"

    def code(self, text: str) -> str:
        """Return text of the language as code."""
        ticks = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
        space = " " if text[:1] == "`" or text[-1:] == "`" else ""
        return f"{ticks}{space}{text}{space}{ticks}"


def table_lines(table: Table, writer: MarkdownWriter) -> Iterator[str]:
    """Return the lines of a table with all its rows, its caption above and its notes below."""
    yield f"**{writer.paragraph(table.caption)}**"
    yield ""
    above = [f"{writer.cell(head)}: " if head else "" for head in table.above]
    yield _row([a + writer.cell(c.head) for a, c in zip(above, table.columns, strict=True)])
    yield "|" + "|".join(SIDES[column.align] for column in table.columns) + "|"
    for row in table.rows:
        cells = [writer.cell(cell.runs) for cell in row.cells]
        cells += [""] * (len(table.columns) - len(cells))
        if row.strong or row.group:
            cells = [f"**{cell}**" if cell else "" for cell in cells]
        yield _row(cells)
    if table.notes:
        yield ""
        yield " ".join(writer.paragraph(note) for note in table.notes)


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def checklist_lines(writing: Writing, writer: MarkdownWriter) -> list[str]:
    """Return the lines of the file; none where the section is hidden."""
    if not writing.blocks("checklists"):
        return []
    headings = {section.id: section.heading for section in writing.document.sections}
    further = {section.id for section in writing.document.sections if section.supplement}
    context = writing.context
    context.sections = writing.document.sections
    places = item_places(context)
    title = writer.text(context.title)
    lines = [
        f"# Reporting checklists: {title}",
        "",
        "Where the report of this study answers an item, and what its authors have to add.",
    ]
    for checklist in CHECKLISTS:
        lines += ["", f"## {writer.text(checklist.name)}: short forms of the items", ""]
        size = len(checklist.items)
        source = writer.write(checklist.published)
        lines += [f"Source of the full words: {source}. The {size} items were compared with"]
        lines += [f"{checklist.compared}.", ""]
        lines += ["| Item | About | Where |", "|:--|:--|:--|"]
        for item in checklist.items:
            place = places[checklist.name, item.number]
            where = "for the authors"
            if place is not None:
                where = f"[{writer.text(headings[place])}](report.html#{place})"
                where += " (supplement)" if place in further else ""
                where += ", in part: the authors complete it" if item.partly else ""
            lines.append(f"| {writer.text(item.number)} | {writer.text(item.asks)} | {where} |")
    return lines
