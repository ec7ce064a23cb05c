"""The fonts of a page are the originals, cut: same widths, every character of the page."""

import base64
import io
import re
import shutil
import subprocess

import pdfplumber
import pytest
from fontTools.ttLib import TTFont
from programs import missing

import evallang as ev
from evallang.reporting import fonts
from evallang.reporting.fonts import COMMON, FACES, FALLBACK, embed, missing_from

pytestmark = pytest.mark.pdf


def embedded(css: str, face: fonts.Face) -> list[TTFont]:
    """Return the files that rules embed for a face: the common part, then others."""
    name = f'font-family:"{face.family}";font-weight:{face.weight};font-style:{face.style};'
    rules = [rule for rule in css.split("@font-face") if name in rule]
    return [
        TTFont(io.BytesIO(base64.b64decode(re.search(r'base64,([^"]+)"', rule)[1])))
        for rule in rules
    ]


def test_a_page_embeds_the_letters_that_it_has():
    page = embed("Ěśťek × Ω")
    for face in FACES:
        with fonts._open(face.key) as original:
            known, widths = original.getBestCmap(), original["hmtx"].metrics
        files = embedded(page, face)
        for file in files:
            assert file.getBestCmap()
            for code, glyph in file.getBestCmap().items():
                assert file["hmtx"].metrics[glyph][0] == widths[known[code]][0]
        found = set().union(*(file.getBestCmap() for file in files))
        if face.family != FALLBACK:
            asked = {ord(c) for c in COMMON | set("Ěśť")} & set(known)
            assert asked <= found and len(found - asked) < 3  # and signs that mirror others
        else:
            assert ord("Ω") in found and ord("Ě") not in found  # the serif italic has no Greek


def test_a_part_that_pages_embed_is_what_its_original_gives():
    for face in FACES:
        found, made = fonts._part(face.key), fonts.common_part(face)
        ours, fresh = TTFont(io.BytesIO(found)), TTFont(io.BytesIO(made))
        assert ours.getBestCmap() == fresh.getBestCmap()
        assert ours["hmtx"].metrics == fresh["hmtx"].metrics
        assert str(ours["name"].names[0]).startswith("Evallang")


def test_a_character_of_a_page_is_in_the_range_of_one_rule_for_each_face():
    page = embed("Лондон, Ěśťek")
    for face in FACES[:3]:
        name = f'font-family:"{face.family}";font-weight:{face.weight};font-style:{face.style};'
        ranges = re.findall(re.escape(name) + r"[^}]*unicode-range:([^;]+);", page)
        for character in "LondЛоĚ→−":
            holds = 0
            for text in ranges:
                for part in text.split(","):
                    low, _, high = part.removeprefix("U+").partition("-")
                    holds += int(low, 16) <= ord(character) <= int(high or low, 16)
            known = ord(character) in fonts._characters(face.key) or character in COMMON
            assert holds == (1 if known else 0), (face, character)


def test_a_page_with_another_character_embeds_it_for_each_style():
    page = embed("Лондон")
    *faces, rest = (set().union(*(f.getBestCmap() for f in embedded(page, face))) for face in FACES)
    for found in faces:
        assert {ord(c) for c in "Лондон"} <= found | rest
    assert not missing_from("Лондон")


def test_a_character_that_no_font_has_is_reported():
    assert missing_from("a \u4e2d b") == {"\u4e2d"}


def test_the_fonts_of_the_machine_are_asked_before_a_code_is_printed(monkeypatch):
    monkeypatch.setattr(fonts, "_coverages", lambda: (lambda code: code == 0x4E2D,))
    assert fonts.without_system_font("\u4e2d\u6587") == {"\u6587"}
    monkeypatch.setattr(fonts, "_coverages", lambda: ())
    assert fonts.without_system_font("\u4e2d") == {"\u4e2d"}


def test_fontconfig_agrees_with_its_own_list():
    lister = shutil.which("fc-list")
    if lister is None:
        missing("fc-list")
    for character in "a\u0416\u4e2d\u0e01":
        listed = subprocess.run(
            [lister, f":charset={ord(character):x}"], capture_output=True, check=True
        ).stdout
        assert (character in fonts.without_system_font(character)) == (not listed)


def test_a_name_without_a_font_is_printed_as_codes_and_the_run_says_what_to_install(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(fonts, "without_system_font", frozenset)
    text = (
        'evallang 1\nstudy\n  seed 1\ncounts trial\n  models a "\u903b\u8f91", b\n'
        "  table [[60, 20], [9, 11]]\ncompare a vs b with mcnemar\n"
    )
    results = ev.run(ev.parse(text), store="off")
    (message,) = results.render("pdf", folder=tmp_path)
    assert "\u903b (U+903B)" in message and "fonts-noto-cjk" in message
    with pdfplumber.open(tmp_path / "report.pdf") as document:
        assert "[U+903B]" in document.pages[0].extract_text()
    assert results.render("html", folder=tmp_path) == (message,)  # its figures are files too


@pytest.mark.parametrize("mark", sorted(fonts.NO_GLYPH_NEEDED))
def test_a_mark_that_needs_no_glyph_has_a_width(mark):
    assert 0 <= fonts.width(mark, 1.0) < 1
