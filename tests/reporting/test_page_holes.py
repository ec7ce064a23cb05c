"""Holes at the foot of a page are filled by what comes next, set smaller or broken."""

import io
import re

import pdfplumber
import pytest

from evallang.reporting import page_holes, pdf

DRAWING = (
    "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' width='200' height='360' "
    "viewBox='0 0 200 360'><rect width='200' height='360' fill='blue'/></svg>"
)
STYLE = """<style>@page { size: 400px 1000px; margin: 0 } body { margin: 0; font: 10px sans-serif }
figure { margin: 0; break-inside: avoid } img { display: block; width: 100% }
.panel { width: 200px } tr { height: 40px }</style>"""
FIGURE = (
    f'<figure class="drawing" id="f"><div class="panel"><img alt="Blue" src="{DRAWING}"></div>Words'
)
TABLE = f'<figure class="table" id="t"><table>{"<tr><td>Words</td></tr>" * 9}</table></figure>'


def pages(filler, what):
    html = f"""<html lang="en">{STYLE}<div style="line-height:{filler}px">Before</div>{what}"""
    with pdfplumber.open(io.BytesIO(pdf.write(html, "x"))) as document:
        return [page.extract_text() for page in document.pages], [
            [(round(r["width"] / 0.75), round(r["height"] / 0.75)) for r in page.rects]
            for page in document.pages
        ]


@pytest.mark.parametrize(
    ("filler", "count", "height"),
    [
        (600, 1, 360),  # has room
        (640, 1, 318),  # 360 left, of which 30 are spared and 12 are words
        (690, 2, 360),  # the hole is below a third
        (660, 1, None),
    ],
)
def test_a_figure_without_room_is_set_smaller(filler, count, height):
    texts, drawn = pages(filler, FIGURE)
    assert len(texts) == count
    ((wide, deep),) = drawn[-1]
    assert wide / deep == pytest.approx(200 / 360, abs=0.01)
    if height is not None:
        assert deep == pytest.approx(height, abs=3)
    assert deep >= page_holes.LEAST_SCALE * 360 - 1


def test_a_drawing_whose_text_would_be_too_small_stays_as_it_is():
    deep = DRAWING.replace("360", "640")
    texts, drawn = pages(640, FIGURE.replace(DRAWING, deep))
    assert len(texts) == 2 and drawn[1] == [(200, 640)]


def test_a_short_table_is_broken_where_it_would_leave_a_hole():
    texts, _ = pages(650, TABLE)
    assert [len(re.findall("Words", text)) for text in texts] == [8, 1]
    texts, _ = pages(700, TABLE)
    assert [len(re.findall("Words", text)) for text in texts] == [0, 9]


def test_words_before_a_figure_stay_where_it_cannot_be_small_enough():
    deep = FIGURE.replace(DRAWING, DRAWING.replace("360", "640"))
    lead = '<p class="plain" style="break-after:avoid;line-height:60px;margin:0">Lead</p>'
    texts, drawn = pages(640, lead + deep)
    assert ["Lead" in text for text in texts] == [True, False]
    assert drawn == [[], [(200, 640)]]


@pytest.mark.parametrize(("count", "rows"), [(30, [8, 1]), (31, [0, 9])])
def test_the_last_hole_of_a_very_long_report_stays(count, rows):
    before = '<p style="break-after:page">Page</p>' * (count - 2)
    texts, _ = pages(10, f'{before}<div style="line-height:650px">Before</div>{TABLE}')
    assert len(texts) == count
    assert [len(re.findall("Words", text)) for text in texts[-2:]] == rows


@pytest.mark.parametrize("pages_of", [[object(), object()], [type("P", (), {"_page_box": 1})()]])
def test_without_the_boxes_of_pages_nothing_is_changed(pages_of):
    assert page_holes.rules_against_holes(pages_of, []) == ""


def test_a_report_is_written_where_a_hole_cannot_be_measured(monkeypatch):
    monkeypatch.setattr(page_holes, "READ", ("a name that boxes do not have",))
    texts, drawn = pages(640, FIGURE)
    assert len(texts) == 2 and drawn[1] == [(200, 360)]


@pytest.mark.parametrize(("filler", "count"), [(600, 1), (620, 1), (675, 2)])
def test_a_listing_too_short_to_be_broken_is_set_smaller(filler, count):
    style = "<style>pre { font: 6.6pt monospace; line-height: 1.8; margin: 0; widows: 21 }</style>"
    listed = f'{style}<figure class="listing"><pre>{"Words<br>" * 23}</pre></figure>'
    texts, _ = pages(filler, listed)
    assert len(texts) == count
    assert sum(text.count("Words") for text in texts) == 23
