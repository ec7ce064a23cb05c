"""The drawings of the PDF beside what WeasyPrint draws of the same SVG."""

import base64
import io
import re
import unicodedata

import drawn_regression
import fixture
import pdfplumber
import pikepdf
import pytest

from evallang.reporting import html, pdf
from evallang.reporting.context import Context
from evallang.reporting.document import Figure
from evallang.reporting.figures.figure import Canvas
from evallang.reporting.figures.right_to_left import visual_svg
from evallang.reporting.page_drawings import Drawings
from evallang.reporting.report import figures
from evallang.reporting.section import build

SOURCE = "<html lang=en><title>t</title><style>img{{display:block;width:82mm}}</style>{images}"


PAINTS = (("stroke", "stroking_color"), ("fill", "non_stroking_color"))


def both_ways(*drawings):
    """Make a page of drawings with ours and with WeasyPrint's own vectors."""
    fonts = html.print_fonts()
    named = {f"drawing:{i}": svg for i, svg in enumerate(drawings)}
    address = "data:image/svg+xml;base64,{}"
    own = [address.format(base64.b64encode(svg.encode()).decode()) for svg in drawings]
    return [
        pdf.write(
            SOURCE.format(images="".join(f'<img alt="a" src="{a}">' for a in addresses)),
            "x",
            fonts=fonts,
            drawings=given,
        )
        for addresses, given in ((named, named), (own, {}))
    ]


def marks(data):
    """Return the letters of a PDF with their places, and the boxes of its shapes."""
    with pdfplumber.open(io.BytesIO(data)) as document:
        letters, shapes = [], []
        for page in document.pages:
            letters += [
                (c["text"], (c["x0"], c["x1"], c["bottom"]))
                for c in page.chars
                if c["text"].strip()
            ]
            shapes += [
                (
                    kind,
                    (o["x0"], o["x1"], o["top"], o["bottom"]),
                    [
                        float(part)
                        for way, colour in PAINTS
                        for part in (o[colour] if o[way] else ())
                    ],
                )
                for kind in ("line", "rect", "curve")
                for o in page.objects.get(kind, ())
            ]
    return letters, shapes


def fonts_of(data):
    """Give the fonts of the forms in a PDF."""
    with pikepdf.open(io.BytesIO(data)) as document:
        for page in document.pages:
            for form in page.Resources.get("/XObject", {}).values():
                for font in form.get("/Resources", {}).get("/Font", {}).values():
                    below = font.DescendantFonts[0]
                    yield bytes(below.FontDescriptor.FontFile2.read_bytes()), "/ToUnicode" in font


@pytest.mark.parametrize("results", [fixture.cancer, fixture.holdout, drawn_regression.regression])
def test_letters_and_shapes_are_where_weasyprint_draws_them(results):
    document = build(Context(results()))
    blocks = [b for section in document.sections for b in section.blocks if isinstance(b, Figure)]
    drawings = [panel.svg for block in blocks for panel in block.panels]
    ours, theirs = map(marks, both_ways(*drawings))
    assert [letter for letter, _ in ours[0]] == [letter for letter, _ in theirs[0]]
    assert len(ours[0]) > 100
    for (_, mine), (_, other) in zip(*(found[0] for found in (ours, theirs)), strict=True):
        assert mine == pytest.approx(other, abs=0.6)  # points; WeasyPrint kerns
    assert len(ours[1]) == len(theirs[1]) > 20
    for mine, other in zip(*(found[1] for found in (ours, theirs)), strict=True):
        assert mine[0] == other[0]
        assert mine[1] == pytest.approx(other[1], abs=0.05)
        assert mine[2] == pytest.approx(other[2], abs=0.01)


@pytest.mark.parametrize("results", [fixture.cancer, fixture.holdout, drawn_regression.regression])
def test_no_line_is_a_point_which_is_not_drawn(results):
    for figure in figures(results()).values():
        for panel in figure.panels:
            assert re.search(r' d="M([^LZ"]+)L\1"', panel.svg) is None


def words(text):
    canvas = Canvas(40)
    canvas.words(100, 20, text, "center")
    return visual_svg(canvas.svg())


@pytest.mark.parametrize("text", ["Müller − λ", "שלום 12", "سلام (ab)"])
def test_letters_of_other_scripts_are_in_the_same_order_and_places(text):
    ours, theirs = both_ways(words(text))
    (mine, _), (other, _) = marks(ours), marks(theirs)
    # Arabic is found by its letters in our fonts, by their forms in those of WeasyPrint
    letters = ["".join(letter for letter, _ in found) for found in (mine, other)]
    assert letters[0] == unicodedata.normalize("NFKC", letters[1]) != ""
    for (_, a), (_, b) in zip(mine, other, strict=True):
        assert a == pytest.approx(b, abs=0.6)


def test_fonts_of_drawings_are_embedded_with_their_characters():
    ours, _ = both_ways(words("one"), words("two"))
    found = list(fonts_of(ours))
    assert found
    assert all(file and characters for file, characters in found)
    assert len(set(found)) == 1  # both drawings have one font


def test_text_that_only_pango_can_set_is_left_to_it():
    svg = words("क्षत्रिय")
    ours, _ = both_ways(svg, words("beside"))
    assert set("beside") <= {letter for letter, _ in marks(ours)[0]}
    drawings = Drawings({"a": svg})
    assert set(drawings.files) == {"a"}
    assert drawings.images == {}


def test_a_printed_page_keeps_its_drawings_apart():
    page = html.render(build(Context(fixture.cancer())), "print")
    assert page.drawings
    assert "data:image" not in page.html
    for address, svg in page.drawings.items():
        assert f'src="{address}"' in page.html
        assert svg.startswith("<svg ")
