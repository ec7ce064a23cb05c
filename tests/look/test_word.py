"""The report of every kind of study for Word, laid out by LibreOffice: its pages, nothing cut."""

import re
import shutil
import subprocess

import docx
import pdfplumber
import pytest
from docx.shared import Pt
from kinds import KINDS
from programs import missing

MOST_PAGES = 12
UNMEASURED = {"Chinese names", "Arabic names"}  # whose letters are of fonts that may be missing


@pytest.fixture(scope="session")
def office(tmp_path_factory):
    if shutil.which("soffice") is None:
        missing("LibreOffice")
    return f"-env:UserInstallation=file://{tmp_path_factory.mktemp('office')}"


@pytest.mark.parametrize("name", sorted(KINDS))
def test_tables_pictures_and_words_are_whole_on_few_pages(office, rendered, tmp_path, name):
    file = rendered(name).folder / "report.docx"
    command = ["soffice", office, "--headless", "--convert-to", "pdf", "--outdir", tmp_path, file]
    subprocess.run(command, capture_output=True, check=True, timeout=300)
    made = docx.Document(str(file))
    section = made.sections[0]
    left = section.left_margin / Pt(1)
    right = (section.page_width - section.right_margin) / Pt(1)
    with pdfplumber.open(tmp_path / "report.pdf") as printed:
        assert len(printed.pages) <= MOST_PAGES
        assert sum(len(page.images) for page in printed.pages) == len(made.inline_shapes)
        for page in printed.pages:
            bodies = [c for c in page.chars if c["text"].strip()] + page.images
            assert min(b["x0"] for b in bodies) > left - 4
            assert max(b["x1"] for b in bodies) < right + 4
            assert max(b["bottom"] for b in bodies) < page.height
        letters = _letters("".join(c["text"] for page in printed.pages for c in page.chars))
    if name not in UNMEASURED:
        cells = {c.text for table in made.tables for row in table.rows for c in row.cells}
        for words in (*cells, *(p.text for p in made.paragraphs)):
            for word in words.split():
                assert _letters(word) in letters, word


def _letters(text):
    """Return the letters and digits of a text, which no line and no font changes."""
    return re.sub(r"[\W_]+", "", text)
