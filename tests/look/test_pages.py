"""The pages of the PDF of every kind of study, measured: holes, margins, captions, last pages."""

import re
from dataclasses import dataclass
from functools import cache

import pdfplumber
import pytest
from kinds import KINDS

POINTS_PER_MM = 72 / 25.4
SIDE = 20 * POINTS_PER_MM  # the margin left and right
TOP, BOTTOM = 55.0, 47.0  # what running heads and feet take, in points
FIRST_TOP = 30.0
LARGEST_HOLE = 1 / 3
LEAST_ON_THE_LAST_PAGE = 1 / 4
SLACK = 2.0  # points that a glyph may reach beyond its box
LATIN = sorted(set(KINDS) - {"Chinese names", "Arabic names"})
"""Kinds whose letters do not depend on the fonts of the machine."""
PAGES = dict.fromkeys(
    ("four fitted models", "four fitted models, described", "four models, one metric"), 5
)
"""The most pages of four models, one data set and one metric."""


@dataclass(frozen=True)
class Page:
    """What a page has: the boxes of its body as top, bottom, left and right, and its lines."""

    number: int
    width: float
    height: float
    boxes: list[tuple[float, float, float, float]]
    text: str
    lines: list[str]


@cache
def pages(folder):
    with pdfplumber.open(folder / "report.pdf") as document:
        return [_read(page) for page in document.pages]


def _read(page):
    top = FIRST_TOP if page.page_number == 1 else TOP

    def of_body(found):
        return [one for one in found if top < one["top"] and one["bottom"] < page.height - BOTTOM]

    drawn = [*page.extract_words(), *page.images, *page.lines, *page.curves]
    boxes = [(one["top"], one["bottom"], one["x0"], one["x1"]) for one in of_body(drawn)]
    lines = [line["text"] for line in of_body(page.extract_text_lines())]
    text = "\n".join(lines)
    return Page(page.page_number, page.width, page.height, sorted(boxes), text, lines)


@pytest.mark.parametrize("name", LATIN)
def test_pages_are_filled_and_nothing_leaves_the_margins(rendered, name):
    folder = rendered(name).folder
    faults = []
    found = pages(folder)
    for page in found:
        boxes, number = page.boxes, page.number
        assert boxes, f"page {number} is empty"
        depth = page.height - TOP - BOTTOM
        end = boxes[0][0]
        for top, bottom, _, _ in boxes:
            if top - end > LARGEST_HOLE * depth:
                faults.append(f"page {number}: nothing from {end:.0f} to {top:.0f}")
            end = max(end, bottom)
        unused = (page.height - BOTTOM - end) / depth
        if number == len(found):
            if number > 1 and 1 - unused < LEAST_ON_THE_LAST_PAGE and not _ends_whole(page):
                faults.append(f"the last page is {1 - unused:.0%} full")
        elif unused > LARGEST_HOLE:
            faults.append(f"page {number}: the lower {unused:.0%} is empty")
        left, right = min(box[2] for box in boxes), max(box[3] for box in boxes)
        if left < SIDE - SLACK or right > page.width - SIDE + SLACK:
            faults.append(f"page {number}: from {left:.0f} to {right:.0f} of {page.width:.0f}")
    assert faults == []
    assert len(found) <= PAGES.get(name, len(found))


def _ends_whole(page):
    """Return whether the last page begins with the heading of what it shows."""
    return page.lines[0] == "Study file"


@pytest.mark.parametrize("name", LATIN)
def test_no_caption_is_parted_from_its_table_or_figure(rendered, name):
    for page in pages(rendered(name).folder):
        assert not re.match(r"Table\s\d+\.", page.lines[-1]), page.number
        assert not re.match(r"Figure\s\d+\.", page.lines[0]), page.number


def test_names_that_are_read_from_the_right_keep_the_numbers_in_order(rendered):
    done = rendered("Arabic names")
    text = " ".join(page.text for page in pages(done.folder))
    for estimate in done.results.estimates:
        low, high = estimate.interval.low, estimate.interval.high
        assert f"{estimate.value * 100:.1f}" in text
        assert f"[{low * 100:.1f}, {high * 100:.1f}]" in text.replace("\N{NO-BREAK SPACE}", " ")


def test_a_fit_that_failed_is_visible_where_its_number_would_be(rendered):
    done = rendered("a fit that failed")
    text = "\n".join(page.text for page in pages(done.folder))
    table = text[text.index("Table 1.") : text.index("Comparisons")]
    line = next(line for line in table.splitlines() if line.startswith("Naive Bayes"))
    assert not re.search(r"\d\.\d", line), line
    assert "failed" in text
