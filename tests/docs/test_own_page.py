"""The worked example of `docs/guide/own-page.md`: rendered, and looked into."""

from pathlib import Path
from xml.etree import ElementTree

import pdfplumber
import pikepdf
import pytest
import tinyhtml5
from blocks import blocks_of
from calling import call

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "own-page.md"
PLUM, GOLD = "#7a1f5c", "#c9a227"
OURS = ("#0072b2", "#b87300")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """The folder of the example with its files."""
    folder = tmp_path_factory.mktemp("lab")
    for block in blocks_of(PAGE.read_text(encoding="utf-8")):
        for name in (word[5:] for word in block.words if word.startswith("file=")):
            (folder / name).write_text(block.text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def results(written):
    done = call("run", "trial.eval", "--trust", "--quiet", folder=written)
    assert (done.returncode, done.stderr) == (0, "")
    return written / "trial-results"


@pytest.mark.pdf
def test_the_page_has_the_logo_the_section_and_the_sentence(results):
    page = tinyhtml5.parse(
        (results / "report.html").read_text(encoding="utf-8"), namespace_html_elements=False
    )
    assert "Example Lab" in "".join(page.find(".//header[@class='header']").itertext())
    assert "Example Laboratory · internal" in "".join(page.find(".//footer").itertext())
    contents = ["".join(link.itertext()) for link in page.find(".//nav").iter("a")]
    at = contents.index("Internal review")
    assert contents[at - 1 : at + 2] == ["Warnings and limits", "Internal review", "Methods text"]
    assert "two statisticians" in "".join(page.find(".//section[@id='review']").itertext())
    assert "Internal benchmark of 2 models" in "".join(page.itertext())


@pytest.mark.pdf
def test_every_page_of_the_pdf_has_the_logo_and_the_foot(results):
    with pdfplumber.open(results / "report.pdf") as document:
        texts = [page.extract_text() for page in document.pages]
        colours = {
            tuple(round(255 * part) for part in mark["stroking_color"] or ())
            for page in document.pages
            for mark in (*page.curves, *page.lines)
        }
    assert all("Example Lab" in text and "· internal ·" in text for text in texts)
    assert any("Internal benchmark of 2 models" in text for text in texts)
    assert (0x7A, 0x1F, 0x5C) in colours and (0x00, 0x72, 0xB2) not in colours
    with pikepdf.open(results / "report.pdf") as document, document.open_outline() as outline:
        (title,) = outline.root
        *main, supplement = title.children
        assert "Internal review" in [item.title for item in main]
        assert supplement.title == "Supplement" and supplement.children


@pytest.mark.pdf
def test_files_of_figures_have_the_colours_of_the_page(results):
    drawings = sorted((results / "figures").glob("*.svg"))
    texts = [drawing.read_text(encoding="utf-8") for drawing in drawings]
    assert any(PLUM in text and GOLD in text for text in texts)
    assert not [text for text in texts if any(colour in text for colour in OURS)]
    assert all(ElementTree.fromstring(text) is not None for text in texts)


def test_a_fault_names_the_line_and_what_exists_and_the_report_is_written(written):
    template = written / "lab.html.j2"
    sound = template.read_text(encoding="utf-8")
    line = next(i for i, text in enumerate(sound.split("\n"), 1) if "section.name" in text)
    try:
        template.write_text(sound.replace("section.name", "section.titel"), encoding="utf-8")
        done = call("run", "trial.eval", "--trust", "-o", "again", "--format=html", folder=written)
    finally:
        template.write_text(sound, encoding="utf-8")
    said = " ".join(done.stderr.split())
    assert done.returncode == 1
    assert f"the template `lab.html.j2` is not used: line {line}: `Section` has no `titel`" in said
    assert "it has `blocks`, `heading`" in said
    page = (written / "again" / "report.html").read_text(encoding="utf-8")
    assert "Key findings" in page and "Internal review" not in page
