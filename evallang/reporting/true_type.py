"""TrueType files: read, and cut to the glyphs of a drawing.

A cut by fontTools takes 10 to 20 milliseconds, this one about one: our shipped faces have few
tables, and a drawing of straight text needs the outlines, the widths and the character map.
"""

import struct
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache

COMPOSITE = {0x1: 2, 0x8: 2, 0x40: 4, 0x80: 8}  # flags of a component: bytes that they add
MORE_COMPONENTS = 0x20
NO_NAMES = struct.pack(">IIhhIIIII", 0x30000, 0, -75, 50, 0, 0, 0, 0, 0)
"""A `post` table without names of glyphs."""


class TrueType:
    """The tables of a TrueType file that a PDF needs."""

    def __init__(self, data: bytes) -> None:
        count = struct.unpack(">H", data[4:6])[0]
        self.tables: dict[str, bytes] = {}
        for i in range(count):
            tag, _, start, length = struct.unpack(">4sIII", data[12 + 16 * i : 28 + 16 * i])
            self.tables[tag.decode("latin-1")] = data[start : start + length]
        head, maximum = self.tables["head"], self.tables["maxp"]
        self.units: int = struct.unpack(">H", head[18:20])[0]
        self.box: tuple[int, ...] = struct.unpack(">4h", head[36:44])
        long_places = struct.unpack(">h", head[50:52])[0]
        self.count: int = struct.unpack(">H", maximum[4:6])[0]
        loca = self.tables["loca"]
        form, factor = ("I", 1) if long_places else ("H", 2)
        size = struct.calcsize(form) * (self.count + 1)
        self.places = [factor * n for n in struct.unpack(f">{self.count + 1}{form}", loca[:size])]
        metrics = struct.unpack(">H", self.tables["hhea"][34:36])[0]
        self._advances = struct.unpack(f">{metrics * 2}H", self.tables["hmtx"][: metrics * 4])[::2]
        self.ascent, self.descent = struct.unpack(">2h", self.tables["hhea"][4:8])
        self.glyphs = _character_map(self.tables["cmap"])

    def advance(self, glyph: int) -> int:
        """Return the width of a glyph in units."""
        return int(self._advances[min(glyph, len(self._advances) - 1)])

    def outline(self, glyph: int) -> bytes:
        """Return the outline of a glyph."""
        return self.tables["glyf"][self.places[glyph] : self.places[glyph + 1]]

    def cut(self, glyphs: Iterable[int]) -> bytes:
        """Return the file with the outlines of these glyphs only; glyphs keep their numbers."""
        kept, new = set(), {0, *glyphs}
        while new:
            kept |= new
            new = {part for glyph in new for part in _components(self.outline(glyph))} - kept
        outlines, places = bytearray(), [0]
        for glyph in range(self.count):
            if glyph in kept:
                outlines += self.outline(glyph)
                outlines += bytes(-len(outlines) % 4)
            places.append(len(outlines))
        head = bytearray(self.tables["head"])
        head[8:12] = bytes(4)  # the checksum of the whole, which readers of a PDF ignore
        head[50:52] = struct.pack(">h", 1)
        tables: dict[str, bytes] = {
            name: self.tables[name]
            for name in ("cvt ", "fpgm", "hhea", "hmtx", "maxp", "prep")
            if name in self.tables
        }
        tables["head"] = bytes(head)
        tables["glyf"] = bytes(outlines)
        tables["loca"] = struct.pack(f">{len(places)}I", *places)
        return _joined(tables)

    def web_font(self, characters: Collection[str]) -> bytes:
        """Return a WOFF file with the glyphs of these characters alone."""
        found = {ord(c): glyph for c in characters if (glyph := self.glyphs.get(ord(c), 0))}
        kept, new = set(), {0, *found.values()}
        while new:
            kept |= new
            new = {part for glyph in new for part in _components(self.outline(glyph))} - kept
        order = sorted(kept)
        number = {glyph: i for i, glyph in enumerate(order)}
        outlines, places = bytearray(), [0]
        for glyph in order:
            outlines += _renumbered(self.outline(glyph), number)
            outlines += bytes(-len(outlines) % 4)
            places.append(len(outlines))
        head, hhea, maxp = (bytearray(self.tables[name]) for name in ("head", "hhea", "maxp"))
        head[8:12] = bytes(4)
        head[50:52] = struct.pack(">h", 1)
        hhea[34:36] = maxp[4:6] = struct.pack(">H", len(order))
        widths = b"".join(
            struct.pack(">Hh", self.advance(glyph), self._bearing(glyph)) for glyph in order
        )
        tables = {name: self.tables[name] for name in ("OS/2", "name")}
        tables |= {"head": bytes(head), "hhea": bytes(hhea), "maxp": bytes(maxp)}
        tables |= {"hmtx": widths, "glyf": bytes(outlines), "post": NO_NAMES}
        tables["loca"] = struct.pack(f">{len(places)}I", *places)
        tables["cmap"] = _map_of({code: number[glyph] for code, glyph in found.items()})
        return _compressed(tables)

    def _bearing(self, glyph: int) -> int:
        """Return the left edge of a glyph."""
        outline = self.outline(glyph)
        return int(struct.unpack(">h", outline[2:4])[0]) if outline else 0


def _joined(tables: Mapping[str, bytes]) -> bytes:
    """Write a TrueType file."""
    n = len(tables)
    power = n.bit_length() - 1
    head = struct.pack(">IHHHH", 0x10000, n, 16 << power, power, 16 * n - (16 << power))
    start, rows, body = 12 + 16 * n, b"", b""
    for name, data in sorted(tables.items()):
        padded = data + bytes(-len(data) % 4)
        total = _checksum(data)
        rows += struct.pack(">4sIII", name.encode("latin-1"), total, start + len(body), len(data))
        body += padded
    return head + rows + body


def _components(outline: bytes) -> list[int]:
    """Return the glyphs that a composite glyph consists of."""
    return [glyph for _, glyph in _places_of_components(outline)]


def _places_of_components(outline: bytes) -> list[tuple[int, int]]:
    """Return where an outline has the number of each of its components, and that number."""
    if not outline or struct.unpack(">h", outline[:2])[0] >= 0:
        return []
    found, at = [], 10
    while True:
        flags, glyph = struct.unpack(">2H", outline[at : at + 4])
        found.append((at + 2, int(glyph)))
        at += 4 + (4 if flags & 1 else 2)
        at += sum(size for bit, size in COMPOSITE.items() if bit > 1 and flags & bit)
        if not flags & MORE_COMPONENTS:
            return found


def _character_map(table: bytes) -> dict[int, int]:
    """Read the glyphs of characters from a subtable of format 4 or 12."""
    made: dict[int, int] = {}
    for i in range(struct.unpack(">H", table[2:4])[0]):
        start = struct.unpack(">I", table[8 + 8 * i : 12 + 8 * i])[0]
        form = struct.unpack(">H", table[start : start + 2])[0]
        if form == 12:
            groups = struct.unpack(">I", table[start + 12 : start + 16])[0]
            for k in range(groups):
                at = start + 16 + 12 * k
                first, last, glyph = struct.unpack(">3I", table[at : at + 12])
                made.update((c, glyph + c - first) for c in range(first, last + 1))
        elif form == 4:
            made.update(_segments(table, start))
    return made


def _segments(table: bytes, start: int) -> dict[int, int]:
    made: dict[int, int] = {}
    n = struct.unpack(">H", table[start + 6 : start + 8])[0] // 2

    def read(at: int, form: str = "H") -> Sequence[int]:
        return struct.unpack(f">{n}{form}", table[at : at + 2 * n])

    ends, starts = read(start + 14), read(start + 16 + 2 * n)
    deltas, offsets = read(start + 16 + 4 * n, "h"), read(start + 16 + 6 * n)
    for k, (first, last) in enumerate(zip(starts, ends, strict=True)):
        for c in range(first, min(last, 0xFFFE) + 1):
            glyph = c
            if offsets[k]:
                at = start + 16 + 6 * n + 2 * k + offsets[k] + 2 * (c - first)
                glyph = struct.unpack(">H", table[at : at + 2])[0]
                if not glyph:
                    continue
            made[c] = (glyph + deltas[k]) & 0xFFFF
    return made


@cache
def parsed(data: bytes) -> TrueType:
    """Read a file once."""
    return TrueType(data)


def _renumbered(outline: bytes, number: Mapping[int, int]) -> bytes:
    """Return an outline whose components have other numbers."""
    made = bytearray(outline)
    for at, glyph in _places_of_components(outline):
        made[at : at + 2] = struct.pack(">H", number[glyph])
    return bytes(made)


def _map_of(glyphs: Mapping[int, int]) -> bytes:
    """Write a character map of format 12, which has each character by itself."""
    groups = b"".join(struct.pack(">3I", code, code, glyphs[code]) for code in sorted(glyphs))
    table = struct.pack(">HHIII", 12, 0, 16 + len(groups), 0, len(glyphs)) + groups
    return struct.pack(">HHHHI", 0, 1, 3, 10, 12) + table


def _checksum(data: bytes) -> int:
    padded = data + bytes(-len(data) % 4)
    return int(sum(struct.unpack(f">{len(padded) // 4}I", padded))) & 0xFFFFFFFF


def _compressed(tables: Mapping[str, bytes]) -> bytes:
    """Write a WOFF file, each table as small as zlib makes it."""
    start = 44 + 20 * len(tables)
    rows, body = b"", b""
    for name, data in sorted(tables.items()):
        small = zlib.compress(data, 9)
        small = small if len(small) < len(data) else data
        rows += struct.pack(
            ">4s4I",
            name.encode("latin-1"),
            start + len(body),
            len(small),
            len(data),
            _checksum(data),
        )
        body += small + bytes(-len(small) % 4)
    whole = 12 + 16 * len(tables) + sum(len(data) + -len(data) % 4 for data in tables.values())
    head = struct.pack(
        ">4sIIHHIHH5I", b"wOFF", 0x10000, start + len(body), len(tables), 0, whole, 1, 0, *[0] * 5
    )
    return head + rows + body
