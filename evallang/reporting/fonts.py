"""The report's own fonts: parts of them in pages for the screen, the whole files for the PDF.

Body text is Source Serif Pro, everything else Source Sans Pro, code DejaVu Sans Mono; a
character that Source lacks is taken from DejaVu Sans. A page embeds the parts in
`templates/fonts`, which hold `COMMON`, and other characters of its own. The parts carry other
names than the originals, whose licences reserve them. Never rely on the fonts of the machine:
WeasyPrint crashes where there are none.
"""

import base64
import ctypes
import gzip
import io
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache, partial
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any

from fontTools.ttLib import TTFont, newTable
from msgspec import Struct

from evallang.printable import ISOLATE, ISOLATES, POP_ISOLATE

SANS, SERIF, MONO, FALLBACK = "Evallang Sans", "Evallang Serif", "Evallang Mono", "Evallang Rest"
ADDRESS = "evallang-font:"
"""What the address of a font file begins with, on the page that the PDF is made from."""
COMMON = frozenset(map(chr, (*range(0x20, 0x7F), *range(0x2000, 0x2061)))) | frozenset(
    "\u00a0§©«°±²³µ·»¼½¾×÷ÀÄÅÆÇÉÑÖØÜßàáâäåæçèéêëíîïñóôöøùúûüŠšŽžΔαβγδεηκλμρστχω⁰⁻√∞≈≠≤≥←→−◇○●"
)
"""The characters of the parts in `templates/fonts`, as far as a face has them."""
NO_GLYPH_NEEDED = frozenset("\n\r\t\u00ad\u200b\u200d\ufe0f" + ISOLATES)


SHAPED = frozenset({"R", "AL", "NSM"})
FORMS = ("ccmp", "init", "medi", "fina", "rlig", "liga", "calt", "mark", "mkmk")
"""Features of letters that are joined or carry marks."""


class Face(Struct, frozen=True):
    """One font file: the family the style sheets name, and the key of the file."""

    family: str
    key: str
    weight: int = 400
    style: str = "normal"


FACES = (
    Face(SERIF, "SourceSerifPro"),
    Face(SERIF, "SourceSerifProIt", style="italic"),
    Face(SERIF, "SourceSerifProSemibold", 600),
    Face(SANS, "SourceSansPro"),
    Face(SANS, "SourceSansProIt", style="italic"),
    Face(SANS, "SourceSansProSemibold", 600),
    Face(MONO, "DejaVuSansMono"),
    Face(FALLBACK, "DejaVuSans"),
)
DRAWN = tuple(f for f in FACES if f.family in (SANS, FALLBACK) and f.style == "normal")
"""The faces of drawings."""


def embed(text: str, faces: Sequence[Face] = FACES) -> str:
    """Return the style rules that embed faces, with `COMMON` and what else `text` has."""
    others = frozenset(text) - COMMON - NO_GLYPH_NEEDED
    rules = [_rule(face, _part(face.key), sorted(COMMON)) for face in faces]
    for face in faces if others else ():
        own = frozenset(c for c in _drawn_by(face, others) if ord(c) in _characters(face.key))
        rules += [_rule(face, cut(face, own), sorted(own))] if own else []
    return "\n".join(rules)


def print_rules(faces: Sequence[Face] = FACES) -> str:
    """Return the style rules that load whole faces for WeasyPrint, which cuts them."""
    return "\n".join(
        f"{_descriptors(face)};src:url('{ADDRESS}{face.key}') format('truetype')}}"
        for face in faces
    )


def missing_from(text: str) -> frozenset[str]:
    """Return the characters of a text that neither the faces for text nor the fallback have."""
    known = _characters("SourceSansPro") | _characters("DejaVuSans")
    return frozenset(c for c in set(text) - NO_GLYPH_NEEDED if ord(c) not in known)


def _drawn_by(face: Face, characters: Collection[str]) -> set[str]:
    """Return the characters that a face is asked for: the fallback for what another lacks."""
    if face.family != FALLBACK:
        return set(characters)
    own = frozenset.intersection(*(_characters(f.key) for f in FACES if f.family != FALLBACK))
    return {c for c in characters if ord(c) not in own}


def without_glyph(text: str) -> frozenset[str]:
    """Return the characters of a text that neither the faces nor the fonts of the machine have."""
    return without_system_font(missing_from(text))


def spelled(text: str) -> str:
    """Return a text for a PDF, with the codes of the characters that no font draws: "[U+4E2D]"."""
    return text.translate({ord(c): f"[U+{ord(c):04X}]" for c in without_glyph(text)})


def width(text: str, size: float, *, bold: bool = False) -> float:
    """Measure a line of Source Sans Pro in the unit of `size`."""
    widths = _widths("SourceSansProSemibold" if bold else "SourceSansPro")
    total = 0.0
    for c in text:
        if ord(c) in widths:
            total += widths[ord(c)]
        elif c not in ISOLATES:
            total += _fallback_width(c)
    return total * size


def widest(texts: Iterable[str], size: float) -> float:
    """Measure the longest of some lines."""
    return max((width(text, size) for text in texts), default=0.0)


@cache
def _fallback_width(c: str) -> float:
    """Measure a character that Source lacks, in em."""
    widths = _widths("DejaVuSans")
    if ord(c) in widths:
        return widths[ord(c)]
    if without_glyph(c):
        return width(spelled(c), 1.0)
    return 1.0 if unicodedata.east_asian_width(c) in "WF" else 0.6


def shorten(text: str, size: float, limit: float) -> str:
    """Cut a line to `limit`, with an ellipsis where something is cut."""
    if width(text, size) <= limit:
        return text
    while text and width(text + "…", size) > limit:
        text = text[:-1]
    return _closed(text.rstrip() + "…")


TAIL = 1 / 3
"""The share of a shortened name that its end has: names of versions differ there."""


def shorten_name(text: str, size: float, limit: float) -> str:
    """Cut a name to `limit` in its middle, so that names with one beginning remain apart."""
    if width(text, size) <= limit:
        return text
    room = limit - width("…", size)
    end = ""
    while text and width(text[-1] + end, size) <= TAIL * room:
        text, end = text[:-1], text[-1] + end
    start = ""
    while text and width(start + text[0], size) <= room - width(end, size):
        text, start = text[1:], start + text[0]
    return _closed(f"{start.rstrip()}…{end.lstrip()}")


def shorten_names(texts: Sequence[str], size: float, limit: float) -> list[str]:
    """Cut names to `limit`, each so that it remains apart from the others.

    Names with one beginning and one end keep the part in which they differ.
    """
    made = [shorten_name(text, size, limit) for text in texts]
    for cut in {line for line in made if made.count(line) > 1}:
        alike = [i for i, line in enumerate(made) if line == cut]
        if len({texts[i] for i in alike}) > 1:
            for i, line in zip(alike, _parts_that_differ([texts[i] for i in alike]), strict=True):
                start, own = line
                room = limit - width(own, size)
                begin = shorten(start, size, room) if room > LEAST_START * size else "…"
                made[i] = _closed(shorten(begin + own, size, limit))
    return made


LEAST_START = 2.0
"""The room, in em, that the beginning of a name needs to be written before what is its own."""


def _parts_that_differ(texts: Sequence[str]) -> list[tuple[str, str]]:
    """Return what texts begin with, and of each the words that are its own with an ellipsis."""
    before = _common_start(texts)
    rest = [text[len(before) :] for text in texts]
    after = _common_start([text[::-1] for text in rest])[::-1]
    made = []
    for text in rest:
        own = text[: len(text) - len(after)].strip(" ,;")
        made.append((before, f" {own}{'…' if after else ''}"))
    return made


def _common_start(texts: Sequence[str]) -> str:
    """Return the whole words that all texts begin with: "1" is not the beginning of "10"."""
    common = texts[0]
    for text in texts[1:]:
        same = (a == b for a, b in zip(common, text, strict=False))
        size = next((i for i, equal in enumerate(same) if not equal), min(len(common), len(text)))
        common = common[:size]
    while common and common[-1].isalnum():
        common = common[:-1]
    return common


def _closed(line: str) -> str:
    """Complete the signs around a name that was broken."""
    more = line.count(ISOLATE) - line.count(POP_ISOLATE)
    return ISOLATE * max(0, -more) + line + POP_ISOLATE * max(0, more)


def wrap(text: str, size: float, limit: float, lines: int = 2) -> tuple[str, ...]:
    """Break a text at spaces, and long words, into at most `lines` lines of at most `limit`."""
    made: list[str] = []
    for glue, part in _parts(text, size, limit):
        whole = f"{made[-1]}{glue}{part}" if made else part
        if made and (len(made) == lines or width(whole, size) <= limit):
            made[-1] = whole
        else:
            made.append(part)
    open_ = 0  # signs around a name that were not closed on the lines before
    for number, line in enumerate(made):
        made[number] = _closed(shorten(ISOLATE * open_ + line, size, limit))
        open_ += line.count(ISOLATE) - line.count(POP_ISOLATE)
    return tuple(made)


def _parts(text: str, size: float, limit: float) -> Iterator[tuple[str, str]]:
    """Iterate over what stays together in a line, each with what is before it in the same line."""
    for word in text.split(" "):
        glue, rest = " ", word
        while width(rest, size) > limit:
            fits = next(n for n in range(1, len(rest) + 1) if width(rest[: n + 1], size) > limit)
            at = max(rest.rfind(sign, 0, fits) + 1 for sign in JOINTS)
            at = at if at > fits / 2 else fits
            while at > 1 and unicodedata.category(rest[at])[0] in "MC":  # part of a letter
                at -= 1
            yield glue, rest[:at]
            glue, rest = "", rest[at:]
        yield glue, rest


JOINTS = "-_/.:+"
MOST_LINES = 4  # of a name in a figure; a longer one is cut


def name_lines(
    names: Sequence[str], size: float, limit: float, lines: int = MOST_LINES
) -> list[tuple[str, ...]]:
    """Break names into lines of at most `limit`; those that need more lines are cut."""
    made = [wrap(name, size, limit, lines) for name in names]
    if any("…" in line[-1] and "…" not in name for line, name in zip(made, names, strict=True)):
        cut = shorten_names(names, size, max(1, lines - 1) * limit)
        made = [wrap(name, size, limit, lines) for name in cut]
    return made


@cache
def font_file(key: str) -> bytes:
    """Return a whole TrueType file."""
    if key.startswith("DejaVu"):
        return gzip.decompress(
            (files("evallang.templates") / "fonts" / f"{key}.ttf.gz").read_bytes()
        )
    package = "font_source_serif_pro" if "Serif" in key else "font_source_sans_pro"
    return Path(import_module(package).font_files_ttf[key]).read_bytes()


def _open(key: str) -> Any:
    # Without the time stamp of the moment, so that the same report has the same bytes.
    return TTFont(io.BytesIO(font_file(key)), lazy=True, recalcTimestamp=False)


@cache
def _widths(key: str) -> dict[int, float]:
    """Return the width in em of each character of a face."""
    with _open(key) as font:
        advances, em = font["hmtx"].metrics, font["head"].unitsPerEm
        return {code: advances[glyph][0] / em for code, glyph in font.getBestCmap().items()}


@cache
def _characters(key: str) -> frozenset[int]:
    return frozenset(_widths(key))


@cache
def _part(key: str) -> bytes:
    """Return the part of a face that holds `COMMON`."""
    return (files("evallang.templates") / "fonts" / f"{key}.woff2").read_bytes()


def common_part(face: Face) -> bytes:
    """Make the part of a face that `templates/fonts` holds."""
    common = _drawn_by(face, COMMON)
    return cut(face, frozenset(c for c in common if ord(c) in _characters(face.key)))


@cache
def cut(face: Face, characters: frozenset[str]) -> bytes:
    """Cut a face to characters that it has, packed as WOFF2."""
    from fontTools import subset  # a tenth of a second that no check needs

    options = subset.Options()
    options.flavor = "woff2"
    shaped = any(unicodedata.bidirectional(c) in SHAPED for c in characters)
    options.layout_features = ["kern", *(FORMS if shaped else ())]
    options.hinting = False
    # Kerning is all that our text needs; a name table is made below.
    options.drop_tables += ["DSIG", "FFTM", "meta", "name"]
    options.drop_tables += [] if shaped else ["GDEF", "GSUB"]
    options.recalc_timestamp = False
    with _open(face.key) as font:
        maker = subset.Subsetter(options)
        maker.populate(unicodes=sorted(map(ord, characters)))
        maker.subset(font)
        _name(font, face)
        data = io.BytesIO()
        subset.save_font(font, data, options)
    return data.getvalue()


def _name(font: Any, face: Face) -> None:
    """Write into the part a name of its own; the subset has lost the original's."""
    variant = "Italic" if face.style == "italic" else "Regular"
    bold = face.weight == 600
    names = {
        1: f"{face.family} Semibold" if bold else face.family,
        2: variant,
        4: f"{face.family} {'Semibold' if bold else variant}",
        6: f"{face.family.replace(' ', '')}-{'Semibold' if bold else variant}",
    }
    table = font["name"] = newTable("name")
    table.names = []
    for number, text in names.items():
        table.setName(text, number, 3, 1, 0x409)  # Windows, Unicode, English


def _descriptors(face: Face) -> str:
    return (
        f'@font-face{{font-family:"{face.family}";font-weight:{face.weight};'
        f"font-style:{face.style};font-display:block"
    )


def _rule(face: Face, data: bytes, characters: Sequence[str]) -> str:
    encoded = base64.b64encode(data).decode("ascii")
    return (
        f"{_descriptors(face)};unicode-range:{_ranges(characters)};"
        f'src:url("data:font/woff2;base64,{encoded}") format("woff2")}}'
    )


def _ranges(characters: Sequence[str]) -> str:
    """Write sorted characters as ranges of code points, as CSS has them."""
    runs: list[list[int]] = []
    for code in map(ord, characters):
        if runs and code == runs[-1][1] + 1:
            runs[-1][1] = code
        else:
            runs.append([code, code])
    return ",".join(f"U+{a:X}" + (f"-{b:X}" if b > a else "") for a, b in runs)


# --- the fonts of the machine, from which a PDF takes a character that ours lack ---------------

LIBRARIES = ("libfontconfig.so.1", "libfontconfig.1.dylib", "libfontconfig-1.dll")
MOST_FONTS = 100_000


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


@cache
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
            made.append(partial(library.FcCharSetHasChar, characters))
    return tuple(made)


@cache
def first_library(names: tuple[str, ...]) -> Any:
    """Load the first of some C libraries that is installed; None where none is."""
    for name in names:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None
