"""The figures of every kind of study as files for a journal, and what they show."""

import io
import json
import re
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path
from statistics import median
from xml.etree import ElementTree

import pdfplumber
import pikepdf
import pytest
from drawings import ungrouped
from kinds import KINDS
from report_truth import numbers_of, untrue_words

from evallang import reporting
from evallang.reporting.context import Context
from evallang.reporting.figures.figure import COLOURS, LEAST_SIZE
from evallang.reporting.report import alternative_text, figure_files, figures_of, plain
from evallang.reporting.section import build
from evallang.results.codec import to_plain

MM = 72 / 25.4
WIDTHS = {"single": 89, "double": 183}  # millimetres: Nature's guide to figures
TALLEST = 240
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
        both = [figure_files(document, ending) for ending in ("svg", "pdf")]
        assert not any(messages for _, messages in both)
        files = {f.path: f.content for made, _ in both for f in made}
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
            assert float(root.get("height").removesuffix("mm")) <= TALLEST
            if f"{path}-2.svg" in found.files:  # the figure is in several files
                continue
            assert root.find(f"{SVG}title").text == alternative_text(figure)
            with pikepdf.open(io.BytesIO(found.files[f"{path}.pdf"])) as pdf:
                (page,) = pdf.pages
                assert abs(float(page.mediabox[2]) - millimetres * MM) < 0.01
                # Pango sets names that our fonts lack; its drawings are forms, never pictures
                drawn = page.Resources.get("/XObject", {})
                assert all(each.Subtype == "/Form" for each in drawn.values())
                for font in page.Resources.Font.values():
                    below = font.DescendantFonts[0]
                    if "Evallang" not in str(below.BaseFont):  # a font of the machine, of any kind
                        assert {"/FontFile2", "/FontFile3"} & set(below.FontDescriptor.keys())
                        continue
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
            style = r'style="fill:none;stroke:#\w+;stroke-width:2"'
            lines = re.findall(
                rf'<path d="M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)" {style}', ungrouped(panel.svg)
            )
            lengths = [float(x1) - float(x0) for x0, y0, x1, y1 in lines if y0 == y1]
            if "with intervals" in panel.alt and len(lengths) > 1:
                assert median(lengths) > SEEN, (figure.id, panel.alt)
