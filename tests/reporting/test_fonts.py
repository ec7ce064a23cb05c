"""The fonts of a page are the originals, cut: same widths, every character of the page."""

import base64
import io
import re
import shutil
import subprocess

import pikepdf
import pytest
from fontTools.ttLib import TTFont
from programs import missing

import evallang as ev
from evallang.reporting import fonts, html, missing_glyphs
from evallang.reporting.fonts import ALWAYS, FACES, FALLBACK, embed
from evallang.reporting.missing_glyphs import font_of_codes

pytestmark = pytest.mark.pdf


def embedded(css: str) -> dict[tuple[str, str, str], TTFont]:
    rule = re.compile(r'font-family:"([^"]+)";font-weight:(\d+);font-style:(\w+).*?base64,([^"]+)"')
    return {
        found[:3]: TTFont(io.BytesIO(base64.b64decode(found[3]))) for found in rule.findall(css)
    }


def face_of(found: dict[tuple[str, str, str], TTFont], face: fonts.Face) -> TTFont:
    return found[face.family, str(face.weight), face.style]


def test_a_page_embeds_the_letters_that_it_has():
    cut = embedded(embed("Šimůnek × Ω").css)
    for face in FACES:
        with fonts._open(face.key) as original:
            known, widths = original.getBestCmap(), original["hmtx"].metrics
        glyphs = face_of(cut, face).getBestCmap()
        if face.family != FALLBACK:
            assert set(glyphs) == {ord(c) for c in ALWAYS | set("Šimůnek × Ω")} & set(known)
        for code, glyph in glyphs.items():
            assert face_of(cut, face)["hmtx"].metrics[glyph][0] == widths[known[code]][0]
    rest = face_of(cut, FACES[-1]).getBestCmap()
    assert ord("Ω") in rest and ord("Š") not in rest  # the serif italic has no Greek


def test_a_page_with_another_character_embeds_it_for_each_style():
    page = embed("Лондон")
    *faces, rest = (set(face_of(embedded(page.css), face).getBestCmap()) for face in FACES)
    for found in faces:
        assert {ord(c) for c in "Лондон"} <= found | rest
    assert page.missing == ()


def test_a_character_that_no_font_has_is_reported():
    assert embed("a \u4e2d b").missing == ("\u4e2d",)


def test_a_character_that_no_font_has_becomes_a_box_of_its_own():
    characters = "\u4e2d\u6587\U00020000"
    data = font_of_codes(characters)
    assert font_of_codes(characters) == data
    font = TTFont(io.BytesIO(data))
    glyphs = font.getBestCmap()
    assert set(glyphs) == set(map(ord, characters))
    drawn = [font["glyf"][name].getCoordinates(font["glyf"])[0] for name in glyphs.values()]
    # A frame and its hole, of four corners each, and the squares of four digits or six
    assert all(len(points) > 8 + 4 * 4 * 7 for points in drawn)
    assert len({tuple(points) for points in drawn}) == len(characters)
    widths = {font["hmtx"][name][0] for name in glyphs.values()}
    assert widths == {font["head"].unitsPerEm}
    for points in drawn:
        xs, ys = zip(*points, strict=True)
        assert min(xs) >= 0 and max(xs) <= font["head"].unitsPerEm
        assert min(ys) >= font["hhea"].descent and max(ys) <= font["hhea"].ascent


def test_the_fonts_of_the_machine_are_asked_before_a_box_is_drawn(monkeypatch):
    monkeypatch.setattr(missing_glyphs, "_coverages", lambda: (lambda code: code == 0x4E2D,))
    assert missing_glyphs.without_system_font("\u4e2d\u6587") == {"\u6587"}
    monkeypatch.setattr(missing_glyphs, "_coverages", lambda: ())
    assert missing_glyphs.without_system_font("\u4e2d") == {"\u4e2d"}


def test_fontconfig_agrees_with_its_own_list():
    lister = shutil.which("fc-list")
    if lister is None:
        missing("fc-list")
    for character in "a\u0416\u4e2d\u0e01":
        listed = subprocess.run(
            [lister, f":charset={ord(character):x}"], capture_output=True, check=True
        ).stdout
        assert (character in missing_glyphs.without_system_font(character)) == (not listed)


def test_a_name_without_a_font_is_printed_as_boxes_and_the_run_says_what_to_install(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(html, "without_system_font", frozenset)
    monkeypatch.setattr(missing_glyphs, "without_system_font", frozenset)
    text = (
        'evallang 1\nstudy\n  seed 1\ncounts trial\n  models a "\u903b\u8f91", b\n'
        "  table [[60, 20], [9, 11]]\ncompare a vs b with mcnemar\n"
    )
    results = ev.run(ev.parse(text), store="off")
    (message,) = results.render("pdf", folder=tmp_path)
    assert "\u903b (U+903B)" in message and "fonts-noto-cjk" in message
    with pikepdf.open(tmp_path / "report.pdf") as document:
        names = {
            str(item.BaseFont)
            for item in document.objects
            if isinstance(item, pikepdf.Dictionary) and "/BaseFont" in item
        }
    assert any("Evallang-Codes" in name for name in names), names
    assert results.render("html", folder=tmp_path) == (message,)  # its figures are files too
