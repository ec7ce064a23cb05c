"""The pages of the PDF of every kind of study, measured: holes, margins, captions, last pages."""

import re
from dataclasses import dataclass
from functools import cache

import pdfplumber
import pytest
from kinds import KINDS

from evallang.reporting.figures.figure import LEAST_SIZE

POINTS_PER_MM = 72 / 25.4
SIDE = 20 * POINTS_PER_MM  # the margin left and right
TOP, END = 22 * POINTS_PER_MM, 278 * POINTS_PER_MM  # of the body
FIRST_TOP = 15 * POINTS_PER_MM
HEAD_LINE, FOOT_LINE = (37.3, 46.3), (808.8, 817.8)  # where the running head and foot are
FOOT = re.compile(r"(Data|Study|Predictions) .* S?\d+$")
LARGEST_HOLE = 2 / 3
LEAST_ON_THE_LAST_PAGE = 1 / 4
LEAST_LINES = 6  # of the study file on a last page that is emptier
SLACK = 2.0  # points that a glyph may reach beyond its box
DEEPEST_RULE = 30.0  # points: deeper rectangles are backgrounds, which fill no page
RULES_OF_A_HEAD = 3  # above and below a head, and of a first row
LEAST_RULE = 30.0  # points: a wider rectangle below a caption is a rule of its table
PAGES = dict.fromkeys(
    ("four fitted models", "four fitted models, described", "four models, one metric"), 7
)
"""The most pages of four models, one data set and one metric: three and a supplement of four."""
PAGES_OF_THE_MAIN_PART = {"three long names": 3}


@dataclass(frozen=True)
class Page:
    """What a page has: boxes of its body as top, bottom, left and right, its lines, what is off.

    `drawn` are the boxes of all that is visible, `boxes` those that fill the page: a background
    does not. `rules` are the tops of wide
    rectangles and lines, `stray` is what is neither in the body nor the running head or foot.
    """

    number: int
    width: float
    height: float
    boxes: list[tuple[float, float, float, float]]
    drawn: list[tuple[float, float, float, float]]
    lines: list[tuple[float, str]]
    rules: list[float]
    foot: str
    stray: list[str]

    @property
    def text(self):
        return "\n".join(line for _, line in self.lines)


@cache
def pages(folder):
    with pdfplumber.open(folder / "report.pdf") as document:
        return [_read(page) for page in document.pages]


def _read(page):
    first = page.page_number == 1
    start = FIRST_TOP if first else TOP
    words = page.extract_words()
    foot = [w for w in words if FOOT_LINE[0] < w["top"] and w["bottom"] < FOOT_LINE[1]]
    head = [w for w in words if HEAD_LINE[0] < w["top"] and w["bottom"] < HEAD_LINE[1]]
    running = [*foot, *([] if first else head)]
    rects = [r for r in page.rects if _visible(r)]
    shapes = [*page.images, *page.lines, *page.curves, *rects]
    body = [one for one in [*words, *shapes] if one not in running]
    stray = [
        str(one.get("text", "a shape"))
        for one in body
        if one["top"] < start - SLACK or one["bottom"] > END + SLACK
    ]
    drawn = sorted((one["top"], one["bottom"], one["x0"], one["x1"]) for one in body)
    backgrounds = [r for r in rects if r["bottom"] - r["top"] > DEEPEST_RULE]
    filling = [one for one in body if one not in backgrounds]
    boxes = sorted((one["top"], one["bottom"], one["x0"], one["x1"]) for one in filling)
    lines = [
        (line["bottom"], line["text"])
        for line in page.extract_text_lines()
        if start - SLACK < line["top"] and line["bottom"] < END + SLACK
    ]
    written = " ".join(w["text"] for w in foot)
    wide = [r["top"] for r in [*rects, *page.lines] if r["x1"] - r["x0"] > LEAST_RULE]
    size = page.width, page.height
    return Page(page.page_number, *size, boxes, drawn, lines, wide, written, stray)


def _visible(rect):
    colour = rect["non_stroking_color"]
    white = colour is not None and len(colour) in (1, 3) and all(c == 1 for c in colour)
    inside = rect["x1"] - rect["x0"] > 0 and rect["bottom"] - rect["top"] > 0
    return inside and bool(rect["fill"] or rect["stroke"]) and not (white and not rect["stroke"])


@pytest.mark.parametrize("name", KINDS)
def test_pages_are_filled_and_nothing_leaves_the_margins(rendered, name):
    folder = rendered(name).folder
    faults = []
    found = pages(folder)
    for page in found:
        boxes, number = page.boxes, page.number
        assert boxes, f"page {number} is empty"
        if page.stray:
            faults.append(f"page {number}: outside of the body {page.stray[:3]}")
        if not FOOT.match(page.foot):
            faults.append(f"page {number}: the foot is {page.foot}")
        depth = END - TOP
        end = boxes[0][0]
        for top, bottom, _, _ in boxes:
            if top - end > LARGEST_HOLE * depth:
                faults.append(f"page {number}: nothing from {end:.0f} to {top:.0f}")
            end = max(end, bottom)
        unused = (END - end) / depth
        following = found[number].foot if number < len(found) else ""
        if number == len(found):
            if number > 1 and 1 - unused < LEAST_ON_THE_LAST_PAGE and not _ends_in_the_study(found):
                faults.append(f"the last page is {1 - unused:.0%} full")
        elif unused > LARGEST_HOLE and not following.endswith(" S1"):
            faults.append(f"page {number}: the lower {unused:.0%} is empty")
        left, right = min(box[2] for box in page.drawn), max(box[3] for box in page.drawn)
        if left < SIDE - SLACK or right > page.width - SIDE + SLACK:
            faults.append(f"page {number}: from {left:.0f} to {right:.0f} of {page.width:.0f}")
    assert faults == []
    assert len(found) <= PAGES.get(name, len(found))
    main = sum(not re.search(r"S\d+$", page.foot) for page in found)
    assert main <= PAGES_OF_THE_MAIN_PART.get(name, main)


def _ends_in_the_study(found):
    """Return whether the last page shows the study file, or enough of its last lines."""
    shown = any(text == "Study file" for page in found[-2:] for _, text in page.lines)
    return shown and len(found[-1].lines) >= LEAST_LINES


def is_stranded(page):
    """Return whether the last caption of a table has no table below, however many lines it has."""
    captions = [bottom for bottom, text in page.lines if re.match(r"Table\s\d+\.\s", text)]
    if not captions:
        return False
    return sum(top > captions[-1] - SLACK for top in page.rules) < RULES_OF_A_HEAD


@pytest.mark.parametrize("name", KINDS)
def test_no_caption_is_parted_from_its_table_or_figure(rendered, name):
    for page in pages(rendered(name).folder):
        assert not is_stranded(page), (page.number, "a caption of a table ends the page")
        assert not re.match(r"Figure\s\d+\.", page.lines[0][1]), page.number


@pytest.mark.parametrize("name", KINDS)
def test_text_of_drawings_is_6_points_at_least_on_the_page(rendered, name):
    with pdfplumber.open(rendered(name).folder / "report.pdf") as document:
        letters = [c for page in document.pages for c in page.chars if c["tag"] == "Figure"]
    assert min((c["size"] for c in letters), default=LEAST_SIZE) >= LEAST_SIZE - 0.01


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
