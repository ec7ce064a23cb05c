"""Characters that no font has: which they are, and a font that draws a box with their code.

A PDF takes a character that the report's fonts lack from the fonts of the machine. Where those
lack it too, a blank would be printed, and a name would silently disappear from every table. The
font of codes is made for these characters alone, and its text can be copied as it was written.
"""

import ctypes
import functools
import io
from collections.abc import Collection
from typing import Any

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen

FAMILY = "Evallang Codes"
LIBRARIES = ("libfontconfig.so.1", "libfontconfig.1.dylib", "libfontconfig-1.dll")
MOST_FONTS = 100_000
EM, BASE, SIDE, FRAME = 1000, -120, 40, 45
"""The square of a box: its size, its foot, the space at its sides, the width of its frame."""
PIXELS = {
    "0": (7, 5, 5, 5, 7), "1": (2, 6, 2, 2, 7), "2": (7, 1, 7, 4, 7), "3": (7, 1, 7, 1, 7),
    "4": (5, 5, 7, 1, 1), "5": (7, 4, 7, 1, 7), "6": (7, 4, 7, 5, 7), "7": (7, 1, 2, 2, 2),
    "8": (7, 5, 7, 5, 7), "9": (7, 5, 7, 1, 7), "A": (2, 5, 7, 5, 5), "B": (6, 5, 6, 5, 6),
    "C": (7, 4, 4, 4, 7), "D": (6, 5, 5, 5, 6), "E": (7, 4, 6, 4, 7), "F": (7, 4, 6, 4, 4),
}  # fmt: skip
"""Digits of three columns by five rows; a bit is a square, the highest at the left."""


def without_system_font(characters: Collection[str]) -> frozenset[str]:
    """Return the characters that no font of the machine has.

    All of them where the fonts cannot be asked.
    """
    left = set(characters)
    for has in _coverages() if left else ():
        left = {c for c in left if not has(ord(c))}
        if not left:
            break
    return frozenset(left)


class _FontSet(ctypes.Structure):
    _fields_ = (("count", ctypes.c_int), ("size", ctypes.c_int),
                ("fonts", ctypes.POINTER(ctypes.c_void_p)))  # fmt: skip


@functools.cache
def _coverages() -> tuple[Any, ...]:
    """Return for each font of the machine a function that knows its characters."""
    library = first_library(LIBRARIES)
    if library is None:
        return ()
    library.FcInitLoadConfigAndFonts.restype = ctypes.c_void_p
    library.FcConfigGetFonts.restype = ctypes.POINTER(_FontSet)
    library.FcConfigGetFonts.argtypes = (ctypes.c_void_p, ctypes.c_int)
    library.FcPatternGetCharSet.argtypes = (
        ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.POINTER(ctypes.c_void_p),
    )  # fmt: skip
    library.FcCharSetHasChar.argtypes = (ctypes.c_void_p, ctypes.c_uint32)
    found = library.FcConfigGetFonts(library.FcInitLoadConfigAndFonts(), 0)
    if not found:
        return ()
    made = []
    for i in range(min(found.contents.count, MOST_FONTS)):
        characters = ctypes.c_void_p()
        if library.FcPatternGetCharSet(
            found.contents.fonts[i], b"charset", 0, ctypes.byref(characters)
        ) == 0:  # fmt: skip
            made.append(functools.partial(library.FcCharSetHasChar, characters))
    return tuple(made)


@functools.cache
def first_library(names: tuple[str, ...]) -> Any:
    """Load the first of some C libraries that is installed; None where none is."""
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def font_of_codes(characters: Collection[str]) -> bytes:
    """Make a TrueType font whose glyph of a character is a box with its code point."""
    order = sorted(set(characters))
    names = {ord(c): f"u{ord(c):05X}" for c in order}
    builder = FontBuilder(EM, isTTF=True)
    builder.setupGlyphOrder([".notdef", *names.values()])
    builder.setupCharacterMap(names)
    glyphs = {".notdef": TTGlyphPen(None).glyph()}
    glyphs |= {name: _box(f"{code:04X}") for code, name in names.items()}
    builder.setupGlyf(glyphs)
    builder.setupHorizontalMetrics(dict.fromkeys(builder.font.getGlyphOrder(), (EM, SIDE)))
    builder.setupHorizontalHeader(ascent=EM + BASE, descent=BASE)
    builder.setupNameTable({"familyName": FAMILY, "styleName": "Regular"})
    builder.setupOS2(sTypoAscender=EM + BASE, sTypoDescender=BASE, usWinAscent=EM + BASE,
                     usWinDescent=-BASE)  # fmt: skip
    builder.setupPost()
    builder.font["head"].created = builder.font["head"].modified = 0  # the same bytes each time
    builder.font.recalcTimestamp = False
    data = io.BytesIO()
    builder.save(data)
    return data.getvalue()


def _box(code: str) -> Any:
    """Draw a frame and the digits of a code in two rows."""
    pen = TTGlyphPen(None)
    low, high = SIDE, EM - SIDE
    _rectangle(pen, low, low + BASE, high, high + BASE)
    inner_low, inner_high = low + FRAME, high - FRAME
    _rectangle(pen, inner_low, inner_low + BASE, inner_high, inner_high + BASE, hole=True)
    columns = -(-len(code) // 2)
    code = code.rjust(2 * columns, "0")
    room = inner_high - inner_low
    wide, deep = room // (4 * columns + 1), room // 13
    for place, digit in enumerate(code):
        row, column = divmod(place, columns)
        left = inner_low + wide * (1 + 4 * column)
        top = inner_high + BASE - deep * (1 + 6 * row)
        for line, bits in enumerate(PIXELS[digit]):
            for i in range(3):
                if bits >> (2 - i) & 1:
                    x, y = left + wide * i, top - deep * line
                    _rectangle(pen, x, y - deep, x + wide, y)
    return pen.glyph()


def _rectangle(pen: Any, x0: int, y0: int, x1: int, y1: int, *, hole: bool = False) -> None:
    corners = [(x0, y0), (x0, y1), (x1, y1), (x1, y0)]
    first, *rest = corners[::-1] if hole else corners
    pen.moveTo(first)
    for corner in rest:
        pen.lineTo(corner)
    pen.closePath()
