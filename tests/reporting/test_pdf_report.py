"""The PDF: tagged, titled, its fonts embedded; and what happens without Pango."""

import errno
import importlib
import io
import re

import drawn_regression
import fixture
import pikepdf
import pypdfium2
import pytest
from conftest import IN_PRINT
from msgspec.structs import replace

from evallang.reporting import html, pdf
from evallang.reporting.context import Context
from evallang.reporting.fonts import print_rules
from evallang.reporting.report import write_report
from evallang.reporting.section import build

pytestmark = pytest.mark.pdf


def elements(document):
    """Give every structure element of a tagged PDF."""
    found, waiting = [], [document.Root.StructTreeRoot]
    while waiting:
        node = waiting.pop()
        if isinstance(node, pikepdf.Array):
            waiting.extend(node)
        elif isinstance(node, pikepdf.Dictionary):
            if "/S" in node and node.get("/Type") == "/StructElem":
                found.append(node)
            if "/K" in node:
                waiting.append(node.K)
    return found


@pytest.mark.parametrize("name", IN_PRINT)
def test_the_pdf_is_tagged_and_says_its_language_and_title(drawn, name):
    study = drawn(name)
    with pikepdf.open(study.pdf) as document:
        assert document.Root.Lang == "en"
        assert bool(document.Root.MarkInfo.Marked)
        assert bool(document.Root.ViewerPreferences.DisplayDocTitle)
        title = Context(study.results).title
        assert str(document.docinfo["/Title"]) == title
        with document.open_metadata() as metadata:
            assert metadata["pdfuaid:part"] == "1"
        kinds = {str(element.S) for element in elements(document)}
        assert {"/H1", "/H2", "/Table", "/TH", "/TD", "/P"} <= kinds


def test_figures_have_the_alternative_text_of_the_page(drawn):
    study = drawn("cancer")
    with pikepdf.open(study.pdf) as document:
        found = {str(e.Alt) for e in elements(document) if e.S == "/Figure" and "/Alt" in e}
    page = study.page.iter("{http://www.w3.org/2000/svg}svg")
    assert {svg.get("aria-label") for svg in page} <= found


def test_data_cells_point_to_their_heads(drawn):
    with pikepdf.open(drawn("cancer").pdf) as document:
        cells = [e for e in elements(document) if e.S == "/TD"]
        heads = {str(e.ID) for e in elements(document) if e.S == "/TH"}
        for cell in cells:
            named = [str(head) for head in cell.A.Headers]
            assert named
            assert set(named) <= heads


def test_all_fonts_are_embedded_and_none_is_the_machines(drawn):
    with pikepdf.open(drawn("cancer").pdf) as document:
        names = set()
        for page in document.pages:
            for font in page.Resources.Font.values():
                descendant = font.DescendantFonts[0]
                names.add(str(descendant.BaseFont))
                assert "/FontFile2" in descendant.FontDescriptor
    assert all(re.match(r"/[A-Z]{6}\+Evallang", name) for name in names), names


def test_the_sections_are_bookmarks(drawn):
    with pikepdf.open(drawn("cancer").pdf) as document, document.open_outline() as outline:
        root = outline.root[0]
        assert root.title == "Four classifiers for breast cancer diagnosis"
        assert [item.title for item in root.children][:2] == ["Key findings", "Estimates"]
        assert root.children[-1].title == "Supplement"
        assert "Protocol" in [item.title for item in root.children[-1].children]


def test_pages_are_labelled_as_they_are_numbered(drawn):
    document = pypdfium2.PdfDocument(drawn("cancer").pdf)
    labels = [document.get_page_label(number) for number in range(len(document))]
    foots = [page.get_textpage().get_text_range().split() for page in document]
    assert labels[0] == "1" and labels.index("S1") <= 3
    assert all(label in foot for label, foot in zip(labels, foots, strict=True))


@pytest.mark.parametrize(("part", "most"), [("main", 3), ("supplement", 4), ("all", 7)])
def test_the_main_part_of_four_models_on_one_data_set_takes_three_pages(drawn, part, most):
    results = drawn("cancer").results
    only = replace(results, report=replace(results.report, part=part))
    page = html.render(build(Context(only)), "print").html
    with pikepdf.open(io.BytesIO(pdf.write(page, "0" * 10))) as document:
        assert 1 <= len(document.pages) <= most
    has = {"main": 'id="findings"' in page, "supplement": 'id="protocol"' in page}
    assert has == {name: part in (name, "all") for name in has}
    assert 'href="#protocol' not in page or has["supplement"]


def test_a_long_table_is_cut_in_print_and_says_so():
    results = drawn_regression.regression()
    (failure,) = results.failures
    many = tuple(replace(failure, message=f"{failure.message} {number}") for number in range(80))
    document = build(Context(replace(results, failures=many)))
    print_ = html.render(document, "print").html
    assert print_.count("LinAlgError: singular matrix") == 50
    assert "30 rows are omitted here" in print_
    assert html.render(document, "screen").html.count("LinAlgError: singular matrix") == 80


def test_the_renderer_reads_nothing_but_data(tmp_path):
    secret = tmp_path / "secret.svg"
    secret.write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    for address in (secret.as_uri(), "http://127.0.0.1:9/x.png"):
        with pytest.raises(pdf.NotMadeError, match=f"it may load nothing .*{address}"):
            pdf.write(f"<img src='{address}' alt=''>", "0" * 10)
    attached = f"<title>t</title><link rel=attachment href='{secret.as_uri()}'><p>x"
    with pytest.raises(pdf.NotMadeError, match=f"it may load nothing .*{secret.as_uri()}"):
        pdf.write(attached, "0" * 10)


def test_without_room_for_its_fonts_the_page_is_written_and_one_message_says_so(
    tmp_path, monkeypatch
):
    def refuse(self, content):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_bytes", refuse)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(pdf.NotMadeError, match=f"temporary files, `{tmp_path}`: no space left"):
        pdf.write(f"<style>{print_rules()}</style><p>text", "a")
    assert list(tmp_path.iterdir()) == []


def test_without_pango_the_page_is_written_and_messages_say_what_to_install(tmp_path, monkeypatch):
    real = importlib.import_module

    def without(name, *rest):
        if name == "weasyprint":
            raise OSError("cannot load library 'libgobject-2.0-0'")
        return real(name, *rest)

    monkeypatch.setattr(pdf.importlib, "import_module", without)
    written, messages = write_report(fixture.cancer(), tmp_path, ("html", "pdf"))
    pages = [path.name for path in written if path.parent == tmp_path]
    assert pages == ["report.html"]
    assert "no PDF of the figures" in messages[1]
    assert "apt-get install libpango-1.0-0" in messages[0]
    assert "brew install pango" in messages[0]


def test_a_report_has_a_date_only_from_the_epoch(monkeypatch):
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    assert Context(fixture.cancer()).created is None
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    assert Context(fixture.cancer()).created == "1970-01-01T00:00:00Z"
