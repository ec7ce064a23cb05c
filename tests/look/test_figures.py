"""The figures of every kind of study as files for a journal, and what they show."""

import io
import json
import math
import re
from dataclasses import dataclass
from functools import cache
from html import unescape
from itertools import combinations
from pathlib import Path
from statistics import median
from xml.etree import ElementTree

import pdfplumber
import pikepdf
import pytest
from kinds import KINDS
from report_truth import RESULTS, numbers_of, untrue_words

from evallang import reporting
from evallang.reporting.context import Context
from evallang.reporting.figures.figure import COLOURS, LEAST_SIZE
from evallang.reporting.report import alternative_text, figure_files, figures_of, plain
from evallang.reporting.section import build
from evallang.results.codec import to_plain

MM = 72 / 25.4
WIDTHS = {"single": 89, "double": 183}  # millimetres: Nature's guide to figures
LEAST, MOST = LEAST_SIZE, 8.0  # points of text
SLACK = 0.6  # points
SEEN = 6.0  # points: an interval longer than its point is wide
SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Made:
    """The figures of one kind of study, and their files by path."""

    plain: dict
    figures: list
    files: dict


@pytest.fixture(scope="module")
def made(studied):
    @cache
    def make(name):
        record = studied(name).record
        document = build(Context(record))
        made, messages = figure_files(document, ("svg", "pdf"))
        assert messages == []
        files = {f.path: f.content for files in made.values() for f in files}
        return Made(to_plain(record), figures_of(document), files)

    return make


def alternatives(element):
    """Iterate over the alternative texts below an element of the structure of a PDF."""
    if not isinstance(element, pikepdf.Dictionary):
        return
    if "/Alt" in element:
        yield str(element.Alt)
    below = element.get("/K", [])
    for each in below if isinstance(below, pikepdf.Array) else [below]:
        yield from alternatives(each)


@pytest.mark.parametrize("name", KINDS)
def test_files_are_as_wide_as_columns_with_embedded_fonts_and_their_words(made, name):
    found = made(name)
    for figure in found.figures:
        for word, millimetres in WIDTHS.items():
            path = f"figures/{figure.id.removeprefix('figure-')}-{word}"
            root = ElementTree.fromstring(found.files[f"{path}.svg"])
            assert root.get("width") == f"{millimetres}mm"
            assert root.find(f"{SVG}title").text == alternative_text(figure)
            with pikepdf.open(io.BytesIO(found.files[f"{path}.pdf"])) as pdf:
                (page,) = pdf.pages
                assert abs(float(page.mediabox[2]) - millimetres * MM) < 0.01
                # Pango sets names that our fonts lack; its drawings are forms, never pictures
                drawn = page.Resources.get("/XObject", {})
                assert all(each.Subtype == "/Form" for each in drawn.values())
                for font in page.Resources.Font.values():
                    below = font.DescendantFonts[0]
                    assert below.Subtype == "/CIDFontType2"
                    assert (
                        len(below.FontDescriptor.FontFile2.read_bytes()) > 600
                    )  # one letter of the semi-bold face takes 872
                    assert "/ToUnicode" in font
                assert alternative_text(figure) in set(alternatives(pdf.Root.StructTreeRoot))
                assert str(pdf.Root.Lang) == "en"
    assert ("figures/ALT.txt" in found.files) == bool(found.figures)


@pytest.mark.parametrize("name", KINDS)
def test_text_is_6_to_8_points_inside_the_page_and_apart(made, name):
    for path, content in made(name).files.items():
        if not path.endswith(".pdf"):
            continue
        with pdfplumber.open(io.BytesIO(content)) as document:
            (page,) = document.pages
            sizes = {round(c["size"], 2) for c in page.chars}
            assert sizes and min(sizes) >= LEAST and max(sizes) <= MOST, (path, sizes)
            words = page.extract_words(keep_blank_chars=True, x_tolerance=1.5)
            for one in words:
                assert one["x0"] > -SLACK and one["x1"] < page.width + SLACK, (path, one["text"])
                assert one["top"] > -SLACK and one["bottom"] < page.height + SLACK, path
            for one, other in combinations(page.extract_words(x_tolerance=1.5), 2):
                wide = min(one["x1"], other["x1"]) - max(one["x0"], other["x0"])
                deep = min(one["bottom"], other["bottom"]) - max(one["top"], other["top"])
                overlap = wide > 1.0 and deep > 3.0
                assert not overlap, (path, one["text"], other["text"])


@pytest.mark.parametrize("name", KINDS)
def test_colours_are_those_of_the_palette(made, name):
    for figure in made(name).figures:
        for panel in figure.panels:
            used = set(re.findall(r"(?:fill|stroke):(#\w+)", panel.svg))
            assert used <= set(COLOURS)


@pytest.mark.parametrize("name", KINDS)
def test_words_of_figures_state_numbers_of_the_results(made, name):
    found = made(name)
    for figure in found.figures:
        for panel in figure.panels:
            assert len(panel.alt) > 20
            assert re.search(r"\d", panel.alt), (figure.id, panel.alt)
            assert untrue_words(panel.alt, found.plain) == [], (figure.id, panel.alt)
            assert untrue_counts(panel.alt, found.plain) == [], (figure.id, panel.alt)
            # Ticks are round numbers: what is drawn next to a point states the results
            drawn = " ".join(re.findall(r">([^<>]+)</text>", panel.svg))
            intervals = " ".join(re.findall(r"[^ ]* ?\[[^\]]*\]", drawn))
            assert untrue_words(intervals, found.plain) == []
        assert untrue_words(plain(figure.caption), found.plain) == [], figure.id


@pytest.mark.parametrize("name", KINDS)
def test_every_number_drawn_in_a_figure_is_of_its_part_of_the_results(made, name):
    found = made(name)
    for figure in found.figures:
        parts = PARTS_OF_FIGURES.get(figure.id.split("-")[1], ("analyses", "estimates"))
        held = {k: v for k, v in found.plain.items() if k not in RESULTS or k in parts}
        for panel in figure.panels:
            drawn = " \N{BULLET} ".join(numbers_drawn(panel.svg))
            assert untrue_words(drawn, held) == [], (figure.id, drawn)
            assert untrue_counts(drawn, found.plain) == [], (figure.id, drawn)


PARTS_OF_FIGURES = {
    "estimates": ("estimates", "comparisons"),
    "folds": ("estimates",),
    "resamples": ("estimates",),
    "comparison": ("estimates", "comparisons"),
    "differences": ("comparisons",),
    "requirements": ("requirements", "estimates"),
}
"""The parts of the results whose numbers a figure shows, by its name; others show analyses."""
TEXT = re.compile(r'<text x="([-\d.]+)" y="([-\d.]+)" style="([^"]*)">([^<]*)</text>')


def numbers_drawn(svg):
    """List the texts of a drawing with a number in them, except the ticks of its axes.

    Ticks are plain numbers in one line or column, evenly spaced by value, or in steps of one
    ratio, and spaced alike on the page.
    """
    texts = [(float(x), float(y), style, unescape(text)) for x, y, style, text in TEXT.findall(svg)]
    ticks = set()
    for axis in (0, 1):  # of one column, and of one line
        lines = {}
        for number, text in enumerate(texts):
            value = plain_number(text[3])
            if value is not None:
                at = round(text[axis], 1), "anchor:end" in text[2], "anchor:middle" in text[2]
                lines.setdefault(at, []).append((text[1 - axis], value, number))
        for found in lines.values():
            if len(found) > 1 and on_one_scale(sorted(found)):
                ticks |= {number for *_, number in found}
    return [
        text for number, (*_, text) in enumerate(texts)
        if number not in ticks and re.search(r"\d", text)
    ]  # fmt: skip


def plain_number(text):
    try:
        return float(text.replace("−", "-").replace(",", ""))
    except ValueError:
        return None


RATES = {0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99}  # ticks of a scale of normal deviates


def on_one_scale(found):
    """Return whether places and values of texts have one straight or logarithmic scale."""
    values = [value for _, value, _ in found]
    if set(values) <= RATES:
        return True
    if len(found) == 2:
        return values[0] != values[1]
    for scaled in (float, lambda v: math.log(v) if v > 0 else math.nan):
        made = [scaled(value) for value in values]
        if made[0] == made[-1]:
            continue
        (first, *_), (last, *_) = found[0], found[-1]
        per_point = (made[-1] - made[0]) / (last - first)
        room = abs(made[-1] - made[0]) * 0.02
        if all(
            abs(made[0] + per_point * (place - first) - value) <= room
            for (place, *_), value in zip(found, made, strict=True)
        ):
            return True
    return False


def test_numbers_beside_points_are_told_from_ticks():
    def text(x, y, words, anchor="middle"):
        return f'<text x="{x}" y="{y}" style="text-anchor:{anchor}">{words}</text>'

    ticks = "".join(text(10 + 20 * i, 90, f"{0.2 * i:.1f}") for i in range(5))
    beside = "".join(text(99, 10 * i, words, "end") for i, words in enumerate(("0.5", "0.7", "9")))
    assert numbers_drawn(ticks + beside) == ["0.5", "0.7", "9"]
    odd = text(30, 90, "0.9")
    assert len(numbers_drawn(ticks.replace(text(30, 90, "0.2"), odd))) == 5
    assert numbers_drawn(text(1, 2, "Tree 3") + text(1, 9, "0.81 [0.7, 0.9]")) == [
        "Tree 3",
        "0.81 [0.7, 0.9]",
    ]


def untrue_counts(text, plain):
    """List the whole numbers of a text that no number of the results rounds to."""
    labels = " ".join(
        model[key] for model in plain["models"] for key in ("name", "label") if model.get(key)
    )
    known = {abs(n) for n in numbers_of(plain) if abs(n) < 1e12}
    rounded = {round(m) for n in known for m in (n, 100 * n, 100 * (1 - n))}
    inside = set(re.findall(r"\d+", labels + json.dumps(plain["data"])))
    sizes = {len(value) for value in lists_of(plain)}
    shown = re.findall(r"(?<![\w.,])\d+(?:,\d{3})*(?![\d.]*\.\d)(?!\w)", text)
    return [n for n in shown if n not in inside and int(n.replace(",", "")) not in rounded | sizes]


def lists_of(plain):
    """Iterate over the lists of the results, whose lengths are numbers of models or folds."""
    if isinstance(plain, list | tuple):
        yield plain
    values = plain.values() if isinstance(plain, dict) else plain
    if isinstance(plain, dict | list | tuple):
        for value in values:
            yield from lists_of(value)


FULL_OF_FIGURES = (
    "power and sensitivity",
    "analyses of fits",
    "gates failed",
    "judged outcomes",
    "all curves of predictions",
    "seeds and components of variance",
    "curves",
)
"""Kinds that have every figure between them, so that the others need not be run again."""


def test_every_figure_of_the_report_is_among_the_kinds(studied):
    written, seen = set(), set()
    for path in Path(reporting.__file__).parent.glob("*.py"):
        written |= set(re.findall(r'"figure-(\w+)', path.read_text()))
        written |= set(re.findall(r'f"figure-(\w+)-', path.read_text()))
    for name in dict.fromkeys((*FULL_OF_FIGURES, *KINDS)):
        if not written <= seen:
            figures = figures_of(build(Context(studied(name).record)))
            seen |= {figure.id.split("-")[1] for figure in figures}
    assert written <= seen, written - seen


@pytest.mark.parametrize("name", KINDS)
def test_intervals_of_a_forest_can_be_seen(made, name):
    for figure in made(name).figures:
        for panel in figure.panels:
            style = r'style="fill:none;stroke:#0072b2;stroke-width:2"'
            lines = re.findall(
                rf'<path d="M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)" {style}', panel.svg
            )
            lengths = [float(x1) - float(x0) for x0, y0, x1, y1 in lines if y0 == y1]
            if "with intervals" in panel.alt and len(lengths) > 1:
                assert median(lengths) > SEEN, (figure.id, panel.alt)
