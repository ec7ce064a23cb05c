"""Faces cut to the characters of one drawing, read back by fontTools."""

import base64
import io
import re

import pytest
from fontTools.pens.recordingPen import DecomposingRecordingPen
from fontTools.ttLib import TTFont

from evallang.reporting import fonts, true_type
from evallang.reporting.figure_files import figure_files
from evallang.reporting.figures.figure import Canvas

LATIN = "Accuracy (%) −0.25 [1, 2] é Ŵ ½ β₂ ≤ Å"
FACE = re.compile(
    r'@font-face\{font-family:"([^"]+)";font-weight:(\d+);.*?data:font/(\w+);base64,([^"]+)"'
)


def faces_of(rules):
    return {
        (family, int(weight)): (kind, base64.b64decode(data))
        for family, weight, kind, data in FACE.findall(rules)
    }


def outline(font, character):
    pen = DecomposingRecordingPen(font.getGlyphSet())
    name = font.getBestCmap()[ord(character)]
    font.getGlyphSet()[name].draw(pen)
    return pen.value, font["hmtx"][name]


@pytest.mark.parametrize("weight", [400, 600])
def test_a_web_font_has_the_outlines_and_widths_of_exactly_its_characters(weight):
    text = LATIN if weight == 400 else "abcdef .001"
    rules = fonts.face_rules(LATIN, "abcdef .001")
    kind, data = faces_of(rules)[fonts.SANS, weight]
    made = TTFont(io.BytesIO(data))
    whole = TTFont(io.BytesIO(fonts.cut_face("", bold=weight == 600)))
    known = {c for c in text if ord(c) in whole.getBestCmap()}
    assert kind == "woff" and made.flavor == "woff"
    assert set(map(chr, made.getBestCmap())) == known
    for character in known:
        assert outline(made, character) == outline(whole, character)
    assert made["name"].getDebugName(1).startswith("Evallang Sans")
    tables = made.keys()
    for table in tables:
        made[table]  # each can be read
    assert len(data) < 6000


@pytest.mark.parametrize("face", fonts.FACES, ids=lambda face: face.key)
def test_the_characters_and_widths_of_a_face_are_those_that_fonttools_reads(face):
    with fonts._open(face.key) as original:
        expected = original.getBestCmap()
        number, metrics = original.getReverseGlyphMap(), original["hmtx"].metrics
    found = fonts._font(face.key)
    assert fonts._characters(face.key) == set(expected)
    for code, name in expected.items():
        assert found.glyphs[code] == number[name]
        assert found.advance(number[name]) == metrics[name][0]


def test_parts_of_composite_letters_are_kept():
    whole = TTFont(io.BytesIO(fonts.cut_face("")))
    composite = next(
        chr(code) for code, name in whole.getBestCmap().items() if whole["glyf"][name].isComposite()
    )
    data = true_type.parsed(fonts.cut_face("")).web_font({composite})
    made = TTFont(io.BytesIO(data))
    assert list(made.getBestCmap()) == [ord(composite)]
    assert len(made.getGlyphOrder()) > 2
    assert outline(made, composite) == outline(whole, composite)


def test_what_is_not_bold_has_no_bold_face_and_arabic_keeps_its_forms():
    assert set(faces_of(fonts.face_rules("Words 1"))) == {(fonts.SANS, 400)}
    faces = faces_of(fonts.face_rules("الغابة 3"))
    assert set(faces) == {(fonts.SANS, 400), (fonts.FALLBACK, 400)}
    made = TTFont(io.BytesIO(faces[fonts.FALLBACK, 400][1]))
    assert "init" in {record.FeatureTag for record in made["GSUB"].table.FeatureList.FeatureRecord}


def test_the_same_characters_are_cut_once():
    before = fonts._of_drawing.cache_info().hits
    for _ in range(3):
        fonts.face_rules("ones of this test: Ωλ")
    assert fonts._of_drawing.cache_info().hits >= before + 2


def test_a_file_of_a_figure_embeds_its_own_characters(drawn_figure):
    document, canvas_words = drawn_figure
    files, _ = figure_files(document)
    (svg,) = [f.content.decode() for f in files if f.path.endswith("single.svg")]
    ((_, data),) = faces_of(svg).values()
    assert set(map(chr, TTFont(io.BytesIO(data)).getBestCmap())) == set(canvas_words)
    assert len(svg) < 8000


@pytest.fixture
def drawn_figure():
    from evallang.reporting.document import Document, Figure, Panel, Section, runs

    canvas = Canvas(40)
    canvas.words(5, 10, "Tree 0.5")
    figure = Figure("figure-x-1", runs("Words"), (Panel(canvas.svg(), "Tree 0.5.", runs("x")),))
    section = Section("s", "S", (figure,))
    return Document("Title", "0" * 10, None, "", "a4", (section,)), "Tree 0.5"
