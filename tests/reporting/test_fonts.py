"""The shipped fonts are the originals, cut: same widths, every common character."""

import base64
import io
import re

import pytest
from fontTools.ttLib import TTFont

from evallang.reporting import fonts
from evallang.reporting.fonts import COMMON, FACES, FALLBACK, embed


def embedded(css: str) -> dict[tuple[str, str, str], TTFont]:
    rule = re.compile(r'font-family:"([^"]+)";font-weight:(\d+);font-style:(\w+).*?base64,([^"]+)"')
    return {
        found[:3]: TTFont(io.BytesIO(base64.b64decode(found[3]))) for found in rule.findall(css)
    }


def face_of(found: dict[tuple[str, str, str], TTFont], face: fonts.Face) -> TTFont:
    return found[face.family, str(face.weight), face.style]


@pytest.fixture(scope="module", params=["woff2", "truetype"])
def common(request) -> dict[tuple[str, str, str], TTFont]:
    return embedded(embed("a report", request.param).css)


@pytest.mark.parametrize("face", FACES, ids=lambda face: face.key)
def test_a_shipped_face_has_what_the_original_has_at_its_width(common, face):
    cut = face_of(common, face)
    with fonts._open(face.key) as original:
        known = original.getBestCmap()
        widths = original["hmtx"].metrics
        shipped = cut.getBestCmap()
        if face.family != FALLBACK:
            assert set(shipped) == {ord(c) for c in COMMON if ord(c) in known}
        for code, glyph in shipped.items():
            assert cut["hmtx"].metrics[glyph][0] == widths[known[code]][0]


def test_every_common_character_has_a_glyph_in_each_style(common):
    *faces, rest = (set(face_of(common, face).getBestCmap()) for face in FACES)
    for found in faces:
        assert {ord(c) for c in COMMON} <= found | rest


def test_a_page_with_another_character_embeds_it_for_each_style():
    page = embed("Лондон")
    *faces, rest = (set(face_of(embedded(page.css), face).getBestCmap()) for face in FACES)
    for found in faces:
        assert {ord(c) for c in "Лондон"} <= found | rest
    assert page.missing == ()


def test_a_character_that_no_font_has_is_reported():
    assert embed("a \u4e2d b").missing == ("\u4e2d",)
