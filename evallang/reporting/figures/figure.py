"""What a figure is: lines, dots, boxes and words in points, written as small SVG.

`Canvas` measures from the top left corner, and keeps its marks until it is written, so that it
can be placed on a wider one. Its SVG has text as text, no ids, no style
sheet, no clip paths and two decimals, so that it can be part of a page; the colours are
those of `COLOURS`, which a page may replace by its own.
"""

import ctypes
import math
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import groupby, pairwise
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from evallang.printable import ISOLATES
from evallang.reporting import fonts
from evallang.reporting.numbers import HUGE, Scale, fixed, in_short

LIBRARIES = ("libfribidi.so.0", "libfribidi.0.dylib", "fribidi-0.dll", "libfribidi-0.dll")
FIRST_STRONG = 0x40  # FRIBIDI_PAR_ON: the first letter decides the direction of a line
FILLER = "\ufeff"  # what FriBidi leaves where two letters became one


def visual(text: str) -> str:
    """Return a line in the order and the forms in which it is drawn from the left."""
    library = fonts.first_library(LIBRARIES)
    reads_left = any(unicodedata.bidirectional(c) in ("R", "AL") for c in text)
    if reads_left and library is not None:
        letters = (ctypes.c_uint32 * len(text))(*map(ord, text))
        drawn = (ctypes.c_uint32 * (len(text) + 1))()
        base = ctypes.c_uint32(FIRST_STRONG)
        library.fribidi_log2vis(letters, len(text), ctypes.byref(base), drawn, None, None, None)
        text = "".join(map(chr, drawn[: len(text)]))
    return "".join(c for c in text if c not in ISOLATES and c != FILLER)


POINTS_PER_MM = 72 / 25.4
COLUMN = 82 * POINTS_PER_MM  # two next to each other on 170 mm
SIZE = 7.5  # points; figures are printed at true size
SMALL_SIZE = 7.0  # where there is little room
LEAST_SIZE = 6.2  # of any text in a column: smaller text is omitted or abbreviated
LEAST_SHARE = 0.82  # of a column, to which drawings are scaled where two are on a narrow page
INK, MUTE, RULE, BLUE, PAPER, SHADE = (
    "#1a1a1a",
    "#5a6068",
    "#c9ccd1",
    "#0072b2",
    "#ffffff",
    "#f1f2f4",
)
ORANGE, GREEN, PURPLE, WINE = "#b87300", "#00a36c", "#b87ca6", "#8e1b58"
"""With blue and ink the colours of models: 3:1 on paper, and apart in colour blindness."""
COLOURS = {
    INK: "var(--ink)",
    MUTE: "var(--mute)",
    RULE: "var(--rule)",
    BLUE: "var(--data)",
    PAPER: "var(--paper)",
    SHADE: "var(--shade)",
    ORANGE: "var(--c2)",
    GREEN: "var(--c3)",
    PURPLE: "var(--c4)",
    WINE: "var(--c6)",
}
TICK = 2.5  # points
TICK_STYLE = f"fill:none;stroke:{INK};stroke-width:0.6"
BREAK_STYLE = f"fill:none;stroke:{INK};stroke-width:0.8"
CAP_HEIGHT = 0.66  # of Source Sans Pro, in em: text next to a marker is centred on its capitals
FAMILY = f"{fonts.SANS},{fonts.FALLBACK}"
SVG = "http://www.w3.org/2000/svg"

Point = tuple[float, float]
Anchor = Literal["left", "center", "right"]
ANCHORS: dict[Anchor, str] = {"left": "start", "center": "middle", "right": "end"}
SHARES: dict[Anchor, float] = {"left": 0.0, "center": 0.5, "right": 1.0}
"""The shares of a text that are left of its place."""


class Look(Struct, frozen=True):
    """How a model is drawn in every figure: its colour, its dashes, and the corners of its marker.

    Corners are in radii from the middle; without them the marker is a circle.
    """

    colour: str
    dash: str = ""
    corners: tuple[Point, ...] = ()


SQUARE = ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9))
MARKERS: tuple[tuple[Point, ...], ...] = (
    (),
    SQUARE,
    ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)),
    ((-1.15, 0.9), (0, -1.2), (1.15, 0.9)),
    ((-1.15, -0.9), (0, 1.2), (1.15, -0.9)),
)
DASHES = ("", "5 1.5", "2.5 1.5", "6 1.5 1.5 1.5", "1 1.2", "9 2")
LOOKS = tuple(
    Look(colour, DASHES[i % len(DASHES)], MARKERS[i % len(MARKERS)])
    for i, colour in enumerate((BLUE, ORANGE, GREEN, PURPLE, INK, WINE) * len(MARKERS))
)
"""Of the models in the order of the study."""
FIRST = LOOKS[0]
PAIR = Look(INK)
"""Of a pair of models, and of groups."""


class Mark(Struct, frozen=True):
    """A path, circle, box or text: its points, its style, and what its kind has.

    The points of a box are two corners, those of a circle and a text their places. A path with a
    radius is a marker, and one that is `apart` has a dot at each point.
    """

    tag: Literal["path", "circle", "rect", "text"]
    points: tuple[Point, ...]
    style: str
    text: str = ""
    anchor: Anchor = "left"
    size: float = 0.0
    bold: bool = False
    radius: float = 0.0
    closed: bool = False
    hairline: bool = False
    apart: bool = False

    def from_left(self) -> "Mark":
        """Return a text as it is printed: its letters in their order from the left.

        WeasyPrint clips the first letter of a text that ends at its place or is centred there.
        """
        if self.tag != "text":
            return self
        text, ((x, y),) = visual(self.text), self.points
        x -= SHARES[self.anchor] * fonts.width(text, self.size, bold=self.bold)
        return replace(self, text=text, points=((x, y),), anchor="left")

    @property
    def css(self) -> str:
        """The whole style."""
        style = self.style
        if self.tag == "text":
            style = f"font-size:{_short(self.size)}px;{style}"
        if self.anchor != "left":
            style += f";text-anchor:{ANCHORS[self.anchor]}"
        return escape(style)

    def svg(self, style: str = "") -> str:
        """Write the element, its style as an attribute."""
        (x, y) = self.points[0]
        if self.tag == "path":
            link = "h0M" if self.apart else "L"
            path = link.join(f"{_short(x)} {_short(y)}" for x, y in self.points)
            path += "h0" if self.apart else ""
            return f'<path d="M{path}{"Z" if self.closed else ""}"{style}/>'
        if self.tag == "circle":
            return f'<circle cx="{_short(x)}" cy="{_short(y)}" r="{_short(self.radius)}"{style}/>'
        place = f'x="{_short(x)}" y="{_short(y)}"'
        if self.tag == "text":
            return f"<text {place}{style}>{escape(self.text, quote=False)}</text>"
        (right, foot) = self.points[1]
        return f'<rect {place} width="{_short(right - x)}" height="{_short(foot - y)}"{style}/>'


class Canvas:
    """One drawing of a given size in points."""

    def __init__(self, height: float, width: float = COLUMN) -> None:
        self.width, self.height = width, height
        self.plot: tuple[float, float] | None = None
        """The part that is stretched where the drawing is set wider; None to keep its shape."""
        self.marks: list[Mark] = []

    def line(
        self,
        points: Sequence[Point],
        colour: str = INK,
        weight: float = 0.6,
        dash: str = "",
    ) -> None:
        """Draw a line through points; `dash` has the lengths of dashes and gaps in points."""
        style = f"fill:none;stroke:{colour};stroke-width:{_short(weight)}"
        style += f";stroke-dasharray:{dash}" if dash else ""
        self.marks.append(Mark("path", tuple(points), style))

    def gridline(self, start: Point, end: Point, *, strong: bool = False) -> None:
        """Draw a hairline at a tick, which a figure for a journal has no room for.

        The line at zero is `strong`, and part of every figure.
        """
        if strong:
            self.line([start, end], INK, 0.7)
            return
        style = f"fill:none;stroke:{RULE};stroke-width:0.4"
        self.marks.append(Mark("path", (start, end), style, hairline=True))

    def area(self, points: Sequence[Point], fill: str, opacity: float = 1.0) -> None:
        """Fill the polygon through points."""
        style = f"fill:{fill}" + (f";fill-opacity:{_short(opacity)}" if opacity < 1 else "")
        self.marks.append(Mark("path", tuple(points), style, closed=True))

    def dot(
        self, x: float, y: float, *, filled: bool, radius: float = 2.4, look: Look = FIRST
    ) -> None:
        """Draw a marker: filled, or open with the paper showing through."""
        style = f"fill:{look.colour if filled else PAPER};stroke:{look.colour};stroke-width:1.1"
        if look.corners:
            points = tuple((x + radius * a, y + radius * b) for a, b in look.corners)
            self.marks.append(Mark("path", points, style, closed=True, radius=radius))
        else:
            self.marks.append(Mark("circle", ((x, y),), style, radius=radius))

    def cloud(self, points: Sequence[Point], colour: str, radius: float = 1.1) -> None:
        """Draw many dots as one path."""
        style = f"fill:none;stroke:{colour};stroke-width:{_short(2 * radius)};stroke-linecap:round"
        self.marks.append(Mark("path", tuple(points), style, apart=True))

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: str,
        edge: str | None = None,
        opacity: float = 1.0,
    ) -> None:
        """Draw a rectangle from its top left corner."""
        style = f"fill:{fill}" + (f";stroke:{edge};stroke-width:0.6" if edge else "")
        style += f";fill-opacity:{_short(opacity)}" if opacity < 1 else ""
        self.marks.append(Mark("rect", ((x, y), (x + width, y + height)), style))

    def words(
        self,
        x: float,
        y: float,
        text: str,
        anchor: Anchor = "left",
        *,
        colour: str = INK,
        size: float = SIZE,
        bold: bool = False,
    ) -> None:
        """Write a line whose capitals are centred on `y`."""
        style = f"{'font-weight:600;' if bold else ''}fill:{colour}"
        place = (x, y + CAP_HEIGHT * size / 2)
        self.marks.append(Mark("text", (place,), style, text, anchor, size, bold))

    def ticks(self, axis: "Axis", y: float, power: int = 0) -> None:
        """Write the values of the ticks of an axis, from the left those that have room."""
        texts = axis.texts(power)
        reached = -math.inf
        for x, text in sorted((axis(tick), text) for tick, text in texts):
            half = fonts.width(text, SIZE) / 2
            place = max(min(x, self.width - half), half)
            if place - half > reached:
                self.words(place, y, text, "center")
                reached = place + half + 3

    def names(self, right: float, y: float, lines: Sequence[str]) -> None:
        """Write the lines of a name, which end at `right`, around `y`."""
        for k, line in enumerate(lines):
            self.words(right, y + (k - (len(lines) - 1) / 2) * LEADING, line, "right")

    def scale(
        self,
        axis: "Axis",
        depth: float,
        name: str,
        power: int = 0,
        *,
        top: float = 0.0,
        marked: bool = False,
        zero: bool = False,
    ) -> None:
        """Draw hairlines from `top` to `depth`, and below them the values of a scale and its name.

        Ticks that are `marked` have short lines below the scale; `zero` is a strong line.
        """
        self.plot = (min(axis.left, axis.right), max(axis.left, axis.right))
        for tick in axis.ticks:
            x = axis(tick)
            self.gridline((x, top), (x, depth), strong=zero and tick == 0)
            if marked:
                self.line([(x, depth), (x, depth + 3)])
        self.ticks(axis, depth + 9, power)
        for *_, start, end in axis.parts:
            self.line([(start, depth), (end, depth)])
        for before, after in pairwise(axis.parts):
            for x in (before[3], after[2]):
                ends = (x - 1, depth + 3), (x + 1, depth - 3)
                self.marks.append(Mark("path", ends, BREAK_STYLE, radius=3.0))
        half = fonts.width(name, SIZE) / 2
        middle = max(min((axis.left + axis.right) / 2, self.width - half), half)
        self.words(middle, depth + 21, name, "center", colour=MUTE)

    def histogram(
        self, left: float, wide: float, counts: Sequence[float], foot: float, deep: float, fill: str
    ) -> None:
        """Draw counts as bars that touch, the largest `deep`, from `left` and each `wide`."""
        points = [(left, foot)]
        for k, n in enumerate(counts):
            top = foot - deep * n / max(counts)
            points += [(left + wide * k, top), (left + wide * (k + 1), top)]
        self.area([*points, (left + wide * len(counts), foot)], fill)

    def place(
        self, other: "Canvas", left: float, top: float, width: float, *, grid: bool = True
    ) -> None:
        """Draw another drawing as a part of this one, with its plot stretched to `width`.

        Names, numbers and markers keep their size. Without a grid, as journals want it,
        hairlines are short ticks outside of the axes. Where there is less room, it is scaled.
        """
        if width < other.width:
            other = other.scaled(width / other.width)
        more = width - other.width
        start, end = other.plot or (0.0, other.width)

        def across(x: float) -> float:
            if other.plot is None:
                return left + x + more / 2
            return left + x + more * (min(max(x, start), end) - start) / (end - start)

        for mark in other.marks:
            if mark.hairline and not grid:  # below its foot, or left of its start
                (x, y), (right, foot) = mark.points
                below = ((x, max(y, foot)), (x, max(y, foot) + TICK))
                ends = below if x == right else ((x - TICK, y), (x, y))
                mark = replace(mark, points=ends, style=TICK_STYLE)
            moved = [across(x) - x for x, _ in mark.points]
            if mark.radius and mark.tag == "path":  # a marker keeps its shape
                middle = sum(x for x, _ in mark.points) / len(mark.points)
                moved = [across(middle) - middle] * len(moved)
            points = ((x + more, top + y) for (x, y), more in zip(mark.points, moved, strict=True))
            self.marks.append(replace(mark, points=tuple(points)))

    def scaled(self, share: float) -> "Canvas":
        """Return the drawing in a smaller size, with its texts and markers."""
        made = Canvas(self.height * share, self.width * share)
        made.plot = None if self.plot is None else (self.plot[0] * share, self.plot[1] * share)
        for mark in self.marks:
            points = tuple((x * share, y * share) for x, y in mark.points)
            size, radius = mark.size * share, mark.radius * share
            made.marks.append(replace(mark, points=points, size=size, radius=radius))
        return made

    def svg(self) -> str:
        """Return the drawing as SVG without its alternative text."""
        width, height = f"{self.width:.2f}", f"{self.height:.2f}"
        size = f'width="{width}pt" height="{height}pt" viewBox="0 0 {width} {height}"'
        return f'<svg xmlns="{SVG}" {size} font-family="{FAMILY}">{self.body()}</svg>'

    def body(self) -> str:
        """Write the marks; those that follow each other in one style have it once."""
        made = ""
        for css, same in groupby(self.marks, lambda mark: mark.css):
            first, *rest = same
            if not rest:
                made += first.svg(f' style="{css}"')
            else:
                made += f'<g style="{css}">{"".join(mark.svg() for mark in (first, *rest))}</g>'
        return made

    def printed(self) -> "Canvas":
        """Return the drawing for WeasyPrint, with every text set from the left."""
        made = Canvas(self.height, self.width)
        made.marks = [mark.from_left() for mark in self.marks]
        return made


def smallest_text(drawings: Iterable[Canvas]) -> float:
    """Return the size of the smallest text of drawings in points; `SIZE` without any text."""
    marks = (mark for drawing in drawings for mark in drawing.marks)
    return min((mark.size for mark in marks if mark.text), default=SIZE)


def depth_of_row(n: int, most: float, together: float) -> float:
    """Return the depth of each of `n` rows: of many, so that they are `together` at most as deep.

    Their names stay apart.
    """
    return max(CLOSEST_ROW, min(most, together / n))


def depth_of_names(names: Iterable[Sequence[str]], least: float) -> float:
    """Return the depth of rows of at least `least` that have room for the lines of names."""
    return max(least, LEADING * max(map(len, names), default=1) + APART)


def lines_with_room(n: int, parts: int = 1) -> int:
    """Return how many lines each of the parts of a name may have in a figure of `n` rows."""
    lines = int((DEEPEST_NAMES / max(n, 1) - APART) / LEADING)
    return max(1, min(lines // parts, fonts.MOST_LINES))


DEEPEST_NAMES = 590.0  # points of the rows of a panel whose names have several lines
LEADING, APART = 7.4, 4.0  # points between the lines of a name, and between two names
CLOSEST_ROW = 9.5  # points: lines of text as close as they can be read
DEEPEST = 190.0  # points of the rows of many models together, where a page may have that room


def numbered_names(names: Sequence[str]) -> list[str]:
    """Write the number of each name before it."""
    return [f"{number}\u2002{name}" for number, name in enumerate(names, start=1)]


def whole_names(names: Sequence[str], limit: float, lines: int) -> list[tuple[str, ...]] | None:
    """Break names into at most so many lines of at most `limit`; None where one would be cut."""
    made = fonts.name_lines(names, SIZE, limit, lines)
    return None if any("…" in line for found in made for line in found) else made


def numbers_of_names(names: Sequence[str]) -> list[tuple[str, ...]]:
    """Return the numbers of names that are in a key."""
    return [(str(number),) for number in range(1, len(names) + 1)]


def draw_numbered_names(canvas: Canvas, names: Sequence[str]) -> None:
    """Write whole names with their numbers below a drawing, in two columns."""
    room, top, foot = COLUMN / 2 - 3, canvas.height + 6, canvas.height
    lines = [fonts.wrap(name, SIZE, room, len(name)) for name in numbered_names(names)]
    for column, start in enumerate((0, -(-len(lines) // 2))):
        y = top
        for whole in lines[start:] if column else lines[: -(-len(lines) // 2)]:
            for line in whole:
                canvas.words(column * (room + 6), y + LEADING / 2, line)
                y += LEADING
            y += 2
        foot = max(foot, y)
    canvas.height = foot


FAR_APART = 1.0
"""An axis is broken at a gap that is longer than this share of the rest of the scale."""
ENOUGH = 0.2
"""The share of the axis that the middle one of the intervals has where all can be read."""

Span = tuple[float, float]
Bounds = tuple[float | None, float | None]
"""The least and the largest possible value; None where there is no bound."""
UNBOUNDED: Bounds = (None, None)


def off_scale(spans: Sequence[Span | None], fixed: Sequence[float] = ()) -> frozenset[int]:
    """Return the rows that would squeeze the intervals of all others to a point.

    `spans` are the ends of each row, None without an interval; `fixed` must be on the main part of
    the axis. A row is off this part where the gap to the others is longer than the axis they need.
    At least half of the rows remain, or as many where `fixed` is among them.
    """
    kept = {i: span for i, span in enumerate(spans) if span is not None}
    if not fixed and len(kept) < 3:
        return frozenset()
    far: set[int] = set()
    while len(kept) > 1:
        low = min([*fixed, *(span[0] for span in kept.values())])
        high = max([*fixed, *(span[1] for span in kept.values())])
        widths = sorted(span[1] - span[0] for span in kept.values())
        if not widths[-1] > 0 or widths[(len(widths) - 1) // 2] >= ENOUGH * (high - low):
            break
        part = _beyond_a_gap(kept, fixed)
        if not part or (not fixed and 2 * (len(far) + len(part)) > len(spans)):
            break
        far |= part
        kept = {i: span for i, span in kept.items() if i not in far}
    return frozenset(far)


def _beyond_a_gap(kept: Mapping[int, Span], fixed: Sequence[float]) -> set[int]:
    """Return the smaller part on one side of the widest gap, where the gap is wide enough."""
    items = [(low, high, i) for i, (low, high) in kept.items()]
    items = sorted([*items, *((value, value, -1) for value in fixed)])
    best: tuple[float, set[int]] = (0.0, set())
    for at in range(1, len(items)):
        below, above = items[:at], items[at:]
        gap = above[0][0] - max(item[1] for item in below)
        part, rest = sorted(
            (below, above), key=lambda part: (any(i < 0 for *_, i in part), len(part))
        )
        length = max(item[1] for item in rest) - min(item[0] for item in rest)
        found = {item[2] for item in part}
        if -1 not in found and gap > max(FAR_APART * length, best[0]) and len(rest) > 1:
            best = (gap, found)
    return best[1]


WIDEST = 1e300
"""Where a scale ends at the latest: the distance of its ends is a finite number."""

TINIEST = 1e-290
"""The least length of a scale: powers of ten far below it are not exact."""


MOST_SIGNS_OF_A_TICK = 9  # longer numbers get a power of ten


BESIDE, BREAK = 0.16, 6.0  # the share of an axis that is beyond a break, and points of the break


class Axis:
    """A straight scale from values to points, with round ticks at values that are `possible`.

    It is broken where spans are `far` from its values, which have a short part of their own.
    """

    def __init__(
        self,
        low: float,
        high: float,
        left: float,
        right: float,
        most_ticks: int = 5,
        possible: Bounds = UNBOUNDED,
        far: Sequence[Span] = (),
    ) -> None:
        self.left, self.right = left, right
        inward, room = math.copysign(BREAK, right - left), BESIDE * (right - left)
        below, above = [s for s in far if s[1] < low], [s for s in far if s[0] > high]
        start = left + (room + inward if below else 0.0)
        end = right - (room + inward if above else 0.0)
        low, high = (min(max(bound, -WIDEST), WIDEST) for bound in (low, high))
        largest = max(abs(low), abs(high))
        if high - low <= max(largest * 1e-12, TINIEST):  # no decimals would tell its ticks apart
            pad = largest * 0.01 if largest > TINIEST else 0.5
            low, high = low - pad, high + pad
        every = round_ticks(low, high, most_ticks)
        step = every[1] - every[0]
        least = -math.inf if possible[0] is None else possible[0] - EDGE * step
        most = math.inf if possible[1] is None else possible[1] + EDGE * step
        ticks = [tick for tick in every if least <= tick <= most] or every
        self.ticks = [float(f"{t:.12g}") for t in ticks]
        self.low, self.high = min(low, self.ticks[0]), max(high, self.ticks[-1])
        self.decimals = next((d for d in range(9) if abs(step - round(step, d)) < step / 1e6), 9)
        if self.decimals == 9 or step >= HUGE:  # its ticks get a power of ten
            self.decimals = 1 - math.floor(math.log10(step))
        self.parts = [(self.low, self.high, start, end)]
        for spans, place in ((below, left), (above, right - room)):
            if spans:
                ends = min(s[0] for s in spans), max(s[1] for s in spans)
                tick = float(f"{round(sum(ends) / 2, self.decimals):.12g}")
                self.parts.append((min(*ends, tick), max(*ends, tick), place, place + room))
                self.ticks.append(tick)
        self.parts.sort()
        self.ticks.sort()

    def texts(self, power: int = 0) -> list[tuple[float, str]]:
        """Return the ticks as they are printed with a power of ten."""
        scale = Scale(max(0, self.decimals - power), power)
        texts = [fixed(tick, scale) for tick in self.ticks]
        if max(map(len, texts)) > MOST_SIGNS_OF_A_TICK:
            short = [in_short(tick) for tick in self.ticks]
            texts = short if len(set(short)) == len(short) else texts
        return list(zip(self.ticks, texts, strict=True))

    def __call__(self, value: float) -> float:
        """Return the place of a value."""
        low, high, start, end = min(self.parts, key=lambda p: max(p[0] - value, value - p[1], 0.0))
        share = (min(max(value, low), high) - low) / (high - low) if high > low else 0.5
        return start + share * (end - start)


ROUND = (1.0, 2.0, 2.5, 5.0)
EDGE = 1e-10
"""How near to a tick, in steps, an end of a scale counts as being on it."""


def round_ticks(low: float, high: float, most: int) -> list[float]:
    """Return ticks around `low` and `high` at most `most` round steps apart; two at least.

    The step is the smallest of 1, 2, 2.5, 5 times a power of ten that divides the scale
    into at most `most` parts, and a smaller one where fewer than two ticks would be on it.
    """
    power = math.floor(math.log10((high - low) / most))
    steps = [r * 10.0**p for p in range(power - 1, power + 3) for r in ROUND]
    wide = next(i for i, step in enumerate(steps) if step >= (high - low) / most * (1 - EDGE))
    found: list[float] = []
    for step in reversed(steps[: wide + 1]):
        first, last = math.floor(low / step + EDGE), math.ceil(high / step - EDGE)
        found = [number * step for number in range(first, last + 1)]
        if sum(low - EDGE * step <= tick <= high + EDGE * step for tick in found) > 1:
            break
    return found


def _short(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
