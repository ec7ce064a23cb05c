"""Markdown for READMEs and pull requests: tables, Methods, findings and checklists."""

from collections.abc import Iterable, Iterator, Mapping

from evallang.reporting.document import Caution, Cite, Link, Ref, Runs, Table
from evallang.reporting.formats.checklist_file import checklist_lines
from evallang.reporting.formats.format import (
    FORMATS,
    FormatDeclaration,
    Writing,
    cited_keys,
    file_name,
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
        yield OutputFile(f"tables/{file_name(table)}.md", (text + "\n").encode())
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
    """The runs of a report as Markdown; citations are footnotes."""

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

    def strong(self, row: Runs) -> str:
        """Return words in bold."""
        return f"**{self.write(row)}**"

    def emphasis(self, row: Runs) -> str:
        """Return words in italics."""
        return f"*{self.write(row)}*"

    def letter(self, run: object) -> str:
        """Return the letter of a statistic, a Latin one in italics."""
        symbol, upright = getattr(run, "symbol", ""), getattr(run, "upright", False)
        return self.text(symbol) if upright else f"*{self.text(symbol)}*"

    def subscript(self, text: str) -> str:
        """Return a lowered letter, which GitHub shows by HTML."""
        return f"<sub>{self.text(text)}</sub>"

    def cite(self, run: Cite) -> str:
        """Cite works as footnotes."""
        keys = dict.fromkeys(self.works[key].key for key in run.keys if key in self.works)
        return "".join(f"[^{key}]" for key in keys)

    def ref(self, run: Ref) -> str:
        """Return the words of a reference."""
        return self.text(run.words)

    def link(self, run: Link) -> str:
        """Return a link."""
        href = run.href.replace(" ", "%20").replace("(", "%28").replace(")", "%29")
        href = href.replace("<", "%3C").replace(">", "%3E")
        return f"[{self.text(run.words)}]({href})"

    def code(self, text: str) -> str:
        """Return text of the language as code."""
        ticks = "`" * (1 + max(map(len, _ticks(text)), default=0))
        space = " " if text[:1] == "`" or text[-1:] == "`" else ""
        return f"{ticks}{space}{text}{space}{ticks}"

    def mark(self, text: str) -> str:
        """Return the mark of a footnote."""
        return f"<sup>{self.text(text)}</sup>"


def _ticks(text: str) -> list[str]:
    found, last = [], ""
    for c in text:
        if c == "`":
            last += c
        else:
            found.append(last)
            last = ""
    return [*found, last]


def table_lines(table: Table, writer: MarkdownWriter) -> Iterator[str]:
    """Return the lines of a table with all its rows, its caption above and its notes below."""
    yield f"**{writer.paragraph(table.caption)}**"
    yield ""
    above = [""] * len(table.columns)
    for spanner in table.spanners:
        words = writer.cell(spanner.head)
        above[spanner.first : spanner.last + 1] = [words] * (spanner.last + 1 - spanner.first)
    heads = [
        f"{over}: {writer.cell(column.head)}" if over else writer.cell(column.head)
        for over, column in zip(above, table.columns, strict=True)
    ]
    yield _row(heads)
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
