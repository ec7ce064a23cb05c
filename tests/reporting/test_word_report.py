"""The report for Word, opened as its readers' programs do."""

import io
import re
import sys
import zipfile

import docx
import fixture
import fixture_variants
import pytest
from msgspec.structs import replace
from PIL import Image

from evallang.reporting.context import Context
from evallang.reporting.document import Figure, Table
from evallang.reporting.report import alternative_text, write_report
from evallang.reporting.section import build

pytestmark = pytest.mark.pdf

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("word")
    assert write_report(fixture.cancer(), folder, ("docx",), figures=False)[1] == ()
    return folder / "report.docx"


def main_sections():
    document = build(Context(fixture.cancer()))
    return [section for section in document.sections if not section.supplement]


def blocks(kind):
    return [b for section in main_sections() for b in section.blocks if isinstance(b, kind)]


def test_sections_tables_and_pictures_of_the_main_part_are_in_their_places(file):
    made = docx.Document(str(file))
    heads = [p.text for p in made.paragraphs if p.style.name == "Heading 1"]
    assert heads == [section.heading for section in main_sections() if section.heading]
    tables, figures = blocks(Table), blocks(Figure)
    assert len(made.tables) == len(tables) > 0
    assert len(made.inline_shapes) == len(figures) > 0
    captions = [p.text for p in made.paragraphs if p.style.name == "Caption"]
    assert len(captions) == len(tables) + len(figures)
    described = [e.get("descr") for e in made.element.iter() if e.tag.endswith("}docPr")]
    assert described == [alternative_text(figure) for figure in figures]


def test_rows_of_heads_are_repeated_and_no_row_is_divided(file):
    made = docx.Document(str(file))
    for table in made.element.iter(f"{W}tbl"):
        rows = list(table.iter(f"{W}tr"))
        repeated = [row.find(f"{W}trPr/{W}tblHeader") is not None for row in rows]
        assert repeated[0] and repeated == sorted(repeated, reverse=True)
        assert all(row.find(f"{W}trPr/{W}cantSplit") is not None for row in rows)


def test_estimates_in_the_table_are_those_of_the_results(file):
    results = fixture.cancer()
    table = docx.Document(str(file)).tables[0]
    metric = results.estimates[0].metric
    rows = {row.cells[0].text: [cell.text for cell in row.cells] for row in table.rows}
    checked = 0
    for estimate in results.estimates:
        if estimate.metric == metric and estimate.subgroup is None:
            printed = rows[fixture.LABELS[estimate.model]]
            numbers = [float(text) for text in printed if re.fullmatch(r"\d+\.\d", text)]
            assert numbers[0] == pytest.approx(100 * estimate.value, abs=0.05 + 1e-9)
            checked += 1
    assert checked == len(results.models)


def test_citations_lead_to_the_references(file):
    made = docx.Document(str(file)).element
    targets = {e.get(f"{W}anchor") for e in made.iter(f"{W}hyperlink")} - {None}
    places = [e.get(f"{W}name") for e in made.iter(f"{W}bookmarkStart")]
    assert targets and targets <= set(places)
    assert len(set(places)) == len(places)


def test_properties_and_bytes_are_the_same_from_run_to_run(file, tmp_path, monkeypatch):
    properties = docx.Document(str(file)).core_properties
    assert properties.title == Context(fixture.cancer()).title
    assert properties.created.year == 2000
    monkeypatch.setattr("time.time", lambda: 2e9)
    write_report(fixture.cancer(), tmp_path, ("docx",), figures=False)
    assert (tmp_path / "report.docx").read_bytes() == file.read_bytes()
    with zipfile.ZipFile(file) as archive:
        assert {entry.date_time[0] for entry in archive.infolist()} == {1980}


def test_hostile_names_are_words(tmp_path):
    write_report(fixture_variants.hostile(), tmp_path, ("docx",), figures=False)
    content = (tmp_path / "report.docx").read_bytes()
    made = docx.Document(io.BytesIO(content))
    cells = (cell.text for table in made.tables for row in table.rows for cell in row.cells)
    words = " ".join(" ".join(cells).split())
    names = (
        fixture_variants.HOSTILE.partition("\x1b")[0],
        "随机森林 🌲 {{ 7*7 }}",
        "<img src=x onerror=alert(1)>",
    )
    assert all(" ".join(name.split()) in words for name in names)


def test_without_its_package_a_message_states_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "docx", None)
    written, messages = write_report(fixture.cancer(), tmp_path, ("docx",), figures=False)
    assert written == ()
    assert messages == (
        "report.docx was not written because python-docx is not installed: "
        "pip install 'evallang[word]'",
    )


def test_pictures_have_the_colours_of_the_author(file, tmp_path):
    theirs = replace(fixture.cancer(), style_sheet=":root { --data: #ff0000 }")
    write_report(theirs, tmp_path, ("docx",), figures=False)
    red = []
    for one in (file, tmp_path / "report.docx"):
        with zipfile.ZipFile(one) as made:
            (name,) = (n for n in made.namelist() if n.startswith("word/media"))
            picture = Image.open(io.BytesIO(made.read(name))).convert("RGB")
        red.append((255, 0, 0) in {colour for _, colour in picture.getcolors(1 << 24)})
    assert red == [False, True]
