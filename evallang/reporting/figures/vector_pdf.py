"""Sheets as vectors of a PDF with embedded TrueType fonts, and as PDF files of their own.

Text is set glyph by glyph, in visual order. Scripts whose letters need a place that depends on
others are left to WeasyPrint: for them `can_set` is False.
"""

import hashlib
import unicodedata
import zlib
from collections.abc import Mapping, Sequence
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from evallang.reporting import fonts
from evallang.reporting.figures.placing import Mark, Sheet, anchor, characters
from evallang.reporting.figures.right_to_left import base_letters, visual
from evallang.reporting.true_type import TrueType, parsed

KAPPA = 0.5523  # of the four curves of a circle


def can_set(sheet: Sheet) -> bool:
    """Return whether each character of a sheet in visual order has a glyph here of its own."""
    text = characters(sheet)
    return all(
        not unicodedata.combining(c)
        and not unicodedata.category(c).startswith("M")
        and fonts.has_glyph(c)
        for c in text
    )


def in_visual_order(sheet: Sheet) -> Sheet:
    """Return a sheet with its texts in the order in which they are drawn from the left."""
    return replace(
        sheet, marks=tuple(replace(mark, text=visual(mark.text)) for mark in sheet.marks)
    )


def pdf_file(sheet: Sheet, title: str, alt: str) -> bytes:
    """Write a sheet in visual order as a tagged PDF page of exactly its size.

    Its numbers, `alt`, are the alternative text of the figure.
    """
    faces = Faces(characters(sheet))
    drawn = operators(sheet, faces)
    content = "\n".join(
        ["/Figure <</MCID 0>> BDC", f"1 0 0 -1 0 {sheet.height:.2f} cm", drawn, "EMC"]
    )
    made = _Objects()
    page = made.reserve()
    root = made.reserve()
    resources = add_fonts(made, faces)
    stream = made.add_stream(content.encode("ascii"))
    tree = made.reserve()
    figure = made.add(
        f"<</Type/StructElem/S/Figure/P {tree} 0 R/Pg {page} 0 R/K 0/Alt {_words(alt)}>>"
    )
    parents = made.add(f"<</Nums [0 [{figure} 0 R]]>>")
    made.put(tree, f"<</Type/StructTreeRoot/K [{figure} 0 R]/ParentTree {parents} 0 R>>")
    fonts_words = "".join(f"/{name} {number} 0 R" for name, number in resources.items())
    box = f"[0 0 {sheet.width:.3f} {sheet.height:.3f}]"
    pages = made.reserve()
    made.put(
        page,
        f"<</Type/Page/Parent {pages} 0 R/MediaBox {box}/Contents {stream} 0 R"
        f"/Resources <</Font <<{fonts_words}>>>>/StructParents 0>>",
    )
    made.put(pages, f"<</Type/Pages/Kids [{page} 0 R]/Count 1>>")
    made.put(
        root,
        f"<</Type/Catalog/Pages {pages} 0 R/StructTreeRoot {tree} 0 R/MarkInfo <</Marked true>>"
        "/Lang (en)/ViewerPreferences <</DisplayDocTitle true>>>>",
    )
    info = made.add(f"<</Title {_words(title)}/Producer (evallang)>>")
    return made.file(root, info)


class Objects(Protocol):
    """The numbered objects of a PDF, to which fonts are added."""

    def add(self, body: str) -> int:
        """Write an object; gives its number."""

    def add_stream(self, data: bytes, **entries: int) -> int:
        """Write a compressed stream with entries of its dictionary; gives its number."""


class _Objects:
    """The objects of a file that is written here."""

    def __init__(self) -> None:
        self._found: list[bytes] = []

    def reserve(self) -> int:
        """Return the number of an object that is put later."""
        self._found.append(b"")
        return len(self._found)

    def put(self, number: int, body: str) -> None:
        """Write a reserved object."""
        self._found[number - 1] = body.encode("latin-1")

    def add(self, body: str) -> int:
        """Write an object; gives its number."""
        number = self.reserve()
        self.put(number, body)
        return number

    def add_stream(self, data: bytes, **entries: int) -> int:
        """Write a compressed stream with entries of its dictionary; gives its number."""
        packed = zlib.compress(data, 9)
        more = "".join(f"/{name} {value}" for name, value in entries.items())
        head = f"<</Length {len(packed)}/Filter/FlateDecode{more}>>\nstream\n".encode("ascii")
        number = self.reserve()
        self._found[number - 1] = head + packed + b"\nendstream"
        return number

    def file(self, root: int, info: int) -> bytes:
        """Return the bytes of the file."""
        made = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
        places = []
        for number, body in enumerate(self._found, start=1):
            places.append(len(made))
            made += b"%d 0 obj\n%b\nendobj\n" % (number, body)
        start = len(made)
        made += b"xref\n0 %d\n0000000000 65535 f \n" % (len(places) + 1)
        made += b"".join(b"%010d 00000 n \n" % place for place in places)
        digest = hashlib.sha256(bytes(made)).hexdigest()[:32]
        made += (
            f"trailer\n<</Size {len(places) + 1}/Root {root} 0 R/Info {info} 0 R"
            f"/ID [<{digest}> <{digest}>]>>\nstartxref\n{start}\n%%EOF\n"
        ).encode("ascii")
        return bytes(made)


def _words(text: str) -> str:
    """Return a text string in UTF-16."""
    marked = "\ufeff" + text
    return f"<{marked.encode('utf-16-be', 'replace').hex()}>"


def operators(sheet: Sheet, faces: "Faces") -> str:
    """Return the operators that draw a sheet, whose y axis points down."""
    return "\n".join(["1 J", *(_draw(mark, faces) for mark in sheet.marks)])


def add_fonts(objects: Objects, faces: "Faces") -> dict[str, int]:
    """Add the fonts with the glyphs that were set; gives their numbers by their names."""
    return {name: _font(objects, face) for name, face in faces.used.items()}


# --- shapes --------------------------------------------------------------------------------


def _draw(mark: Mark, faces: "Faces") -> str:
    style, n = dict(mark.style), mark.numbers
    if mark.tag == "text":
        return _text(mark, style, faces)
    fill, stroke = style.get("fill", "none"), style.get("stroke", "none")
    if mark.tag == "path":
        points = [f"{n[i]:.2f} {n[i + 1]:.2f}" for i in range(0, len(n), 2)]
        path = f"{points[0]} m " + " ".join(f"{point} l" for point in points[1:])
        path += " h" if mark.closed else ""
    elif mark.tag == "rect":
        path = f"{n[0]:.2f} {n[1]:.2f} {n[2]:.2f} {n[3]:.2f} re"
    else:
        path = _circle(*n)
    made = []
    if fill != "none":
        made.append(f"{_colour(fill)} rg")
    if stroke != "none":
        dash = style.get("stroke-dasharray", "")
        cap = "0" if mark.tag == "path" else "1"
        made.append(f"{_colour(stroke)} RG {style.get('stroke-width', '1')} w [{dash}] 0 d {cap} J")
    paint = {(True, True): "B", (True, False): "f", (False, True): "S"}
    return " ".join([*made, path, paint.get((fill != "none", stroke != "none"), "n")])


def _circle(x: float, y: float, r: float) -> str:
    k = r * KAPPA
    quarters = (
        (x + r, y + k, x + k, y + r, x, y + r),
        (x - k, y + r, x - r, y + k, x - r, y),
        (x - r, y - k, x - k, y - r, x, y - r),
        (x + k, y - r, x + r, y - k, x + r, y),
    )
    curves = " ".join(" ".join(f"{v:.3f}" for v in quarter) + " c" for quarter in quarters)
    return f"{x + r:.3f} {y:.3f} m {curves} h"


def _colour(value: str) -> str:
    return " ".join(f"{int(value[i : i + 2], 16) / 255:.3f}" for i in (1, 3, 5))


def _text(mark: Mark, style: Mapping[str, str], faces: "Faces") -> str:
    size = float(style["font-size"].removesuffix("px"))
    bold = style.get("font-weight") == "600"
    spans = faces.spans(mark.text, bold=bold)
    length = sum(width for _, _, width in spans) * size
    start = {"left": 0.0, "center": length / 2, "right": length}[anchor(mark)]
    x, y = mark.numbers[0] - start, mark.numbers[1]
    made = [f"BT {_colour(style['fill'])} rg 1 0 0 -1 {x:.2f} {y:.2f} Tm"]
    made += [f"/{name} {size:g} Tf <{glyphs}> Tj" for name, glyphs, _ in spans]
    return " ".join([*made, "ET"])


# --- fonts ---------------------------------------------------------------------------------


class _Face(Struct, frozen=True):
    """A font file cut for text, its names of glyphs, their widths and what is used of it."""

    family: str
    font: "TrueType"
    used: tuple[tuple[int, str], ...]


class Faces:
    """The faces that a text needs, by the names of a page's resources."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._glyphs: dict[str, dict[int, str]] = {}
        self._fonts: dict[str, tuple[str, TrueType]] = {}

    def spans(self, text: str, *, bold: bool) -> list[tuple[str, str, float]]:
        """Return runs of one face: its name, the glyphs in hexadecimal and their width in em."""
        made: list[tuple[str, str, float]] = []
        for c in text:
            name, font = self._face_of(c, bold=bold)
            glyph = font.glyphs.get(ord(c), 0)
            self._glyphs[name].setdefault(glyph, c)
            width = font.advance(glyph) / font.units
            if made and made[-1][0] == name:
                made[-1] = (name, f"{made[-1][1]}{glyph:04x}", made[-1][2] + width)
            else:
                made.append((name, f"{glyph:04x}", width))
        return made

    def _face_of(self, c: str, *, bold: bool) -> tuple[str, "TrueType"]:
        order = ("B", "F") if bold else ("R", "F")
        for name in order:
            if name not in self._fonts:
                family = {"R": "EvallangSans", "B": "EvallangSans-Semibold", "F": "EvallangRest"}
                data = fonts.cut_face(self._text, bold=name == "B", fallback=name == "F")
                self._fonts[name] = (family[name], parsed(data))
                self._glyphs[name] = {}
            if ord(c) in self._fonts[name][1].glyphs:
                break
        else:
            name = order[0]
        return name, self._fonts[name][1]

    @property
    def used(self) -> dict[str, _Face]:
        """The faces with glyphs that were set."""
        return {
            name: _Face(self._fonts[name][0], self._fonts[name][1], tuple(sorted(glyphs.items())))
            for name, glyphs in sorted(self._glyphs.items())
            if glyphs
        }


def _font(made: Objects, face: _Face) -> int:
    """Write a face with its glyphs; gives the number of its object."""
    font = face.font
    glyphs = [glyph for glyph, _ in face.used]
    data = font.cut(glyphs)
    tag = "".join(chr(65 + b % 26) for b in hashlib.sha256(data).digest()[:6])
    name = f"{tag}+{face.family}"

    def scaled(value: float) -> int:
        return round(value * 1000 / font.units)

    file = made.add_stream(data, Length1=len(data))
    box = " ".join(str(scaled(n)) for n in font.box)
    described = made.add(
        f"<</Type/FontDescriptor/FontName/{name}/Flags 32/FontBBox [{box}]/ItalicAngle 0"
        f"/Ascent {scaled(font.ascent)}/Descent {scaled(font.descent)}/CapHeight 660/StemV 80"
        f"/FontFile2 {file} 0 R>>"
    )
    widths = " ".join(f"{glyph} [{scaled(font.advance(glyph))}]" for glyph in glyphs)
    below = made.add(
        f"<</Type/Font/Subtype/CIDFontType2/BaseFont/{name}/CIDSystemInfo <</Registry (Adobe)"
        f"/Ordering (Identity)/Supplement 0>>/FontDescriptor {described} 0 R/W [{widths}]"
        "/CIDToGIDMap/Identity>>"
    )
    lines = "\n".join(
        f"<{glyph:04x}> <{base_letters(c).encode('utf-16-be').hex()}>" for glyph, c in face.used
    )
    unicode = made.add_stream(
        (
            "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /U def "
            "/CMapType 2 def 1 begincodespacerange <0000> <ffff> endcodespacerange\n"
            + "".join(
                f"{len(part)} beginbfchar\n{chr(10).join(part)}\nendbfchar\n"
                for part in _hundreds(lines.split("\n"))
            )
            + "endcmap CMapName currentdict /CMap defineresource pop end end"
        ).encode("ascii")
    )
    return made.add(
        f"<</Type/Font/Subtype/Type0/BaseFont/{name}/Encoding/Identity-H"
        f"/DescendantFonts [{below} 0 R]/ToUnicode {unicode} 0 R>>"
    )


def _hundreds(lines: Sequence[str]) -> list[Sequence[str]]:
    return [lines[i : i + 100] for i in range(0, len(lines), 100)]
