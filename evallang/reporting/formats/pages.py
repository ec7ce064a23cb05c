"""The report as a page for the screen, and as a PDF."""

from collections.abc import Iterator, Mapping
from typing import Any

from evallang.printable import printable_json, without_isolates
from evallang.reporting import html, pdf
from evallang.reporting.document import Cite, NumberedFindings, Runs, Table
from evallang.reporting.formats.bibtex import bibliography
from evallang.reporting.formats.csv_tables import csv_text
from evallang.reporting.formats.format import FORMATS, FormatDeclaration, Writing
from evallang.reporting.formats.latex import methods_rows, prose_source, table_source
from evallang.reporting.formats.latex_tables import FULL
from evallang.reporting.formats.works import CitedWork
from evallang.reporting.output_files import OutputFile
from evallang.reporting.run_writer import RunWriter
from evallang.results.codec import to_plain
from evallang.results.records import ResultsRecord

MOST_ROWS = 500
"""Rows of a table that is copied from the page; a longer one is a file."""


CITED = "\0"  # before and after a citation, which no text has


class _Sentence(RunWriter):
    """Words with citations by author and year."""

    def __init__(self, works: Mapping[str, CitedWork]) -> None:
        self.works = works

    def line(self, row: Runs) -> str:
        """Return runs as one line; inside parentheses a citation has none of its own."""
        text = ""
        for i, part in enumerate(self.write(row).split(CITED)):
            inside = text.count("(") > text.count(")")
            text += part if i % 2 == 0 else f"; {part}" if inside else f" ({part})"
        return " ".join(text.replace("\u2060", "").split())

    def cite(self, run: Cite) -> str:
        """Cite works by authors and year."""
        shorts = dict.fromkeys(self.works[key].short for key in run.keys if key in self.works)
        return f"{CITED}{'; '.join(shorts)}{CITED}" if shorts else ""


def copied_forms(writing: Writing) -> dict[str, Any]:
    """Return sentences, tables and bibliography as a JSON object for the script of the page."""
    findings = [
        item
        for block in writing.blocks("findings")
        if isinstance(block, NumberedFindings)
        for item in block.items
    ]
    words, own = _Sentence(writing.works), writing.tables()
    shown = writing.document.shown()
    # of a table that the supplement has whole, the whole one is copied
    tables = [table for table in shown.every(Table) if not table.left_out or shown.part != "all"]

    def both(row: Runs) -> dict[str, str]:
        return {"text": without_isolates(words.line(row)), "latex": prose_source(writing, row)}

    return {
        "findings": [both(row) for row in findings],
        "methods": [both(row) for row in methods_rows(writing)],
        "tables": {
            table.id: {
                "csv": csv_text(table),
                **({"latex": table_source(writing, table, FULL)} if table in own else {}),
            }
            for table in tables
            if len(table.rows) <= MOST_ROWS
        },
        "bibtex": bibliography(writing.works, writing.cited()),
    }


RESULTS_NAME, STUDY_NAME = "results.json", "study.eval"


@FORMATS.register(FormatDeclaration(order=1, figures="svg"), title="HTML", name="html")
def html_page(writing: Writing) -> Iterator[OutputFile]:
    """Write the report as one file for the screen."""
    page = html.render(writing.document, "screen", copied_forms(writing), _page(writing))
    _note(writing, page)
    yield OutputFile("report.html", page.html.encode())


@FORMATS.register(FormatDeclaration(order=2, figures="pdf"), title="PDF", name="pdf")
def pdf_pages(writing: Writing) -> Iterator[OutputFile]:
    """Write the report as a tagged PDF with its results and its study attached."""
    page = html.render(writing.document, "print", template=_page(writing))
    _note(writing, page)
    try:
        attached = attached_files(writing.results)
        report_id = writing.context.report_id
        data = pdf.write(page.html, report_id, attached)
    except pdf.NotMadeError as error:
        writing.notes.messages.append(str(error))
    except Exception as error:
        if writing.template is None and not writing.context.style_sheet:
            raise
        writing.notes.messages.append(
            "the PDF was not written because WeasyPrint cannot lay out a page with this style "
            f"sheet or template: {type(error).__name__}: {error}"
        )
    else:
        yield OutputFile("report.pdf", data)


def _page(writing: Writing) -> str | None:
    return writing.template.page if writing.template is not None else None


def _note(writing: Writing, page: html.Page) -> None:
    writing.notes.missing += page.missing
    writing.notes.objections += [page.objection] if page.objection else []
    writing.notes.shortened |= {table.name: table for table in page.shortened}


def attached_files(results: ResultsRecord) -> tuple[pdf.AttachedFile, ...]:
    """Return the results and the study as the PDF carries them, for readers and `verify`.

    When, how long and with which command a study ran, what came from the store, and the shortcuts
    of the other fits are omitted: two runs of one study give the same bytes.
    """
    plain = to_plain(results)
    made = dict(plain["provenance"])
    for name in ("started", "seconds", "command", "fast_paths"):
        made.pop(name)
    made["fits"] = {name: made["fits"][name] for name in ("planned", "failed")}
    text = printable_json({**plain, "provenance": made}, indent=1) + "\n"
    study = results.spec.canonical.encode("utf-8", "backslashreplace")
    return (
        pdf.AttachedFile(RESULTS_NAME, "The results that this report shows", text.encode()),
        pdf.AttachedFile(STUDY_NAME, "The study in its canonical format", study),
    )
