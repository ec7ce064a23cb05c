"""The report as a page for the screen, and as a PDF."""

from collections.abc import Iterator

from evallang.reporting import html, pdf
from evallang.reporting.formats.attachments import attached_files
from evallang.reporting.formats.format import FORMATS, FormatDeclaration, Writing
from evallang.reporting.formats.paste import copied_forms
from evallang.reporting.output_files import OutputFile


@FORMATS.register(FormatDeclaration(order=1, draws=True), title="HTML", name="html")
def html_page(writing: Writing) -> Iterator[OutputFile]:
    """Write the report as one file for the screen."""
    page = html.render(writing.document, "screen", copied_forms(writing), writing.template)
    _note(writing, page)
    yield OutputFile("report.html", page.html.encode())


@FORMATS.register(FormatDeclaration(order=2, draws=True), title="PDF", name="pdf")
def pdf_pages(writing: Writing) -> Iterator[OutputFile]:
    """Write the report as a tagged PDF with its results and its study attached."""
    page = html.render(writing.document, "print", template=writing.template)
    _note(writing, page)
    try:
        attached = attached_files(writing.results)
        report_id = writing.context.report_id
        data = pdf.write(page.html, report_id, attached)
    except pdf.NotMadeError as error:
        writing.messages.append(str(error))
    except Exception as error:
        if writing.template is None and not writing.context.style_sheet:
            raise
        writing.messages.append(
            "the PDF was not written because WeasyPrint cannot lay out a page with this style "
            f"sheet or template: {type(error).__name__}: {error}"
        )
    else:
        yield OutputFile("report.pdf", data)


def _note(writing: Writing, page: html.Page) -> None:
    writing.missing += page.missing
    writing.objections += [page.objection] if page.objection else []
    writing.shortened |= {table.id.removeprefix("table-"): table for table in page.shortened}
