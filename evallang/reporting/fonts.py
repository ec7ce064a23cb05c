"""The report's own fonts: found in their packages, cut to the characters used, embedded.

Body text is Source Serif Pro, everything else Source Sans Pro, code DejaVu Sans Mono; a
character that Source lacks is taken from DejaVu Sans (both DejaVu faces come with
matplotlib). The parts carry other names than the originals, whose licences reserve them.
Never rely on the fonts of the machine: WeasyPrint crashes where there are none.
"""

import base64
import io
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from evallang.frozen import frozen
from evallang.registry import lazy

matplotlib = lazy("matplotlib", away=True)
mpl_font_manager = lazy("matplotlib.font_manager", away=True)
ttlib = lazy("fontTools.ttLib")
subset = lazy("fontTools.subset")

SANS, SERIF, MONO, FALLBACK = "Evallang Sans", "Evallang Serif", "Evallang Mono", "Evallang Rest"
NO_GLYPH_NEEDED = frozenset("\n\r\t\u00ad\u200b\u200d\ufe0f")


@frozen
class Face:
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


@frozen
class Embedded:
    """The style sheet that carries the fonts, and the characters that none of them has."""

    css: str
    missing: tuple[str, ...]


def embed(text: str) -> Embedded:
    """Cut every face to the characters of `text` and write them as `@font-face` rules."""
    characters = set(text) - NO_GLYPH_NEEDED
    own = _characters("SourceSansPro") & _characters("SourceSerifPro")
    rest = {c for c in characters if ord(c) not in own}
    rules = []
    for face in FACES:
        wanted = rest if face.family == FALLBACK else characters
        covered = {c for c in wanted if ord(c) in _characters(face.key)}
        if covered:
            rules.append(_rule(face, _cut(face, "".join(sorted(covered)))))
    missing = {c for c in rest if ord(c) not in _characters("DejaVuSans")}
    return Embedded("\n".join(rules), tuple(sorted(missing)))


def width(text: str, size: float, *, bold: bool = False) -> float:
    """Measure a line of Source Sans Pro in the unit of `size`."""
    advances, units, cmap = _advances("SourceSansProSemibold" if bold else "SourceSansPro")
    total = sum(advances.get(cmap.get(ord(c), ".notdef"), units // 2) for c in text)
    return total * size / units


def shorten(text: str, size: float, limit: float, *, bold: bool = False) -> str:
    """Cut a line to `limit`, with an ellipsis where something is cut."""
    if width(text, size, bold=bold) <= limit:
        return text
    while text and width(text + "…", size, bold=bold) > limit:
        text = text[:-1]
    return text.rstrip() + "…"


def wrap(text: str, size: float, limit: float, lines: int = 2) -> tuple[str, ...]:
    """Break a text at spaces into at most `lines` lines of at most `limit`."""
    made: list[str] = []
    words = text.split(" ")
    while words and len(made) < lines:
        line = words.pop(0)
        while words and width(f"{line} {words[0]}", size) <= limit:
            line += " " + words.pop(0)
        if len(made) == lines - 1 and words:
            line = " ".join([line, *words])
            words = []
        made.append(shorten(line, size, limit))
    return tuple(made)


@cache
def drawing_family() -> str:
    """Make the sans face known to matplotlib; gives the name it goes by there."""
    for key in ("SourceSansPro", "SourceSansProSemibold", "SourceSansProIt"):
        mpl_font_manager.fontManager.addfont(str(_path(key)))
    return str(mpl_font_manager.FontProperties(fname=str(_path("SourceSansPro"))).get_name())


@cache
def _path(key: str) -> Path:
    if key.startswith("DejaVu"):
        return Path(matplotlib.get_data_path()) / "fonts" / "ttf" / f"{key}.ttf"
    package = "font_source_serif_pro" if "Serif" in key else "font_source_sans_pro"
    return Path(import_module(package).font_files_ttf[key])


def _open(key: str) -> Any:
    # Without the time stamp of the moment, so that the same report has the same bytes.
    return ttlib.TTFont(str(_path(key)), lazy=True, recalcTimestamp=False)


@cache
def _characters(key: str) -> frozenset[int]:
    with _open(key) as font:
        return frozenset(font.getBestCmap())


@cache
def _advances(key: str) -> tuple[dict[str, int], int, dict[int, str]]:
    with _open(key) as font:
        advances = {name: advance for name, (advance, _) in font["hmtx"].metrics.items()}
        return advances, int(font["head"].unitsPerEm), dict(font.getBestCmap())


@cache
def _cut(face: Face, characters: str) -> bytes:
    options = subset.Options()
    options.flavor = "woff2"
    options.layout_features = ["kern"]
    options.hinting = False
    # Kerning is all that our text needs; a name table is made below.
    options.drop_tables += ["DSIG", "FFTM", "GDEF", "GSUB", "meta", "name"]
    options.recalc_timestamp = False
    with _open(face.key) as font:
        maker = subset.Subsetter(options)
        maker.populate(unicodes=[ord(c) for c in characters])
        maker.subset(font)
        _name(font, face)
        data = io.BytesIO()
        subset.save_font(font, data, options)
    return data.getvalue()


def _name(font: Any, face: Face) -> None:
    """Return the part a name of its own; the subset has lost the original's."""
    variant = {(400, "normal"): "Regular", (400, "italic"): "Italic"}.get(
        (face.weight, face.style), "Semibold"
    )
    family = f"{face.family} Semibold" if variant == "Semibold" else face.family
    names = {
        1: family,
        2: "Regular" if variant == "Semibold" else variant,
        4: f"{face.family} {variant}",
        6: f"{face.family.replace(' ', '')}-{variant}",
    }
    table = font["name"] = ttlib.newTable("name")
    table.names = []
    for number, text in names.items():
        table.setName(text, number, 3, 1, 0x409)  # Windows, Unicode, English


def _rule(face: Face, data: bytes) -> str:
    encoded = base64.b64encode(data).decode("ascii")
    return (
        f'@font-face{{font-family:"{face.family}";font-weight:{face.weight};'
        f"font-style:{face.style};font-display:block;"
        f'src:url("data:font/woff2;base64,{encoded}") format("woff2")}}'
    )
