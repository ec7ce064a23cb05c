"""Curves of models in a square: one with its band, or several without."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from statistics import NormalDist
from typing import Any

from msgspec import Struct

from evallang.reporting import fonts
from evallang.reporting.figures.figure import (
    COLUMN,
    FIRST,
    LEAST_SIZE,
    MUTE,
    SIZE,
    Axis,
    Canvas,
    Look,
)
from evallang.reporting.letter_case import axis_words
from evallang.reporting.numbers import Scale, fixed
from evallang.results.provenance import CurveWords

LEFT, RIGHT, TOP, BOTTOM = 38.0, 8.0, 16.0, 27.0  # above the plot is the title of its height
STRIP = 24.0  # points below a square, for a histogram
DEPTH, SIDE = 128.0, 160.0  # of the plot in points, and of a square
TITLE_AT = 4.0
KEY = 11.0  # depth of a line of the key
SAMPLE = 18.0  # length of a line in the key
KEY_LEFT = 8.0  # where the key begins
MOST_TOGETHER = 6
REFERENCES = ("2.5 2", "1 2")  # dashes of the lines that curves are read against
SHADED = 0.18  # opacity of a band
RATES = (0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99)
FURTHEST = 0.002  # rates of the scale of deviates end here, and at 1 minus this
MOST_BELOW = 0.1  # how far below 0 the plot reaches, as a share of its largest value
MOST_TICKS = 7  # of a height other than a rate
MOST_BARS = 40  # points that are drawn with bars
SPOKEN = 5  # points of a curve that the alternative text states

Point = Mapping[str, Any]
Scaled = Callable[[float], float]


def draw_frame(
    canvas: Canvas,
    left: float,
    foot: float,
    up: Iterable[tuple[float, str]],
    titles: Sequence[str],
    right: float = COLUMN - RIGHT,
    under: float = 0.0,
) -> None:
    """Draw hairlines at the places `up` with their texts, the two axes, and their titles.

    The lower title leaves points `under` the plot for a strip.
    """
    for y, text in up:
        canvas.gridline((left, y), (right, y))
        canvas.words(left - 4, y, text, "right")
    canvas.line([(left, TOP), (left, foot), (right, foot)])
    canvas.words((left + right) / 2, foot + under + 20, titles[0], "center", colour=MUTE)
    canvas.words(left, TITLE_AT, titles[1], colour=MUTE)


def draw_key(canvas: Canvas, left: float, entries: Iterable[tuple[str, Look]]) -> None:
    """Write what the lines of a drawing mean below it, which becomes as deep as that needs."""
    text = left + SAMPLE + 5
    for words, look in entries:
        y = canvas.height + KEY / 2
        canvas.line([(left, y), (left + SAMPLE, y)], look.colour, 1.2, look.dash)
        lines = fonts.wrap(words, SIZE, COLUMN - text, fonts.MOST_LINES)
        for row, line in enumerate(lines):
            canvas.words(text, y + KEY * row, line)
        canvas.height += KEY * len(lines)


class Drawn(Struct, frozen=True):
    """A curve: the name of its model, or class, its values, look, and numbers for the key."""

    name: str
    values: Mapping[str, Any]
    look: Look = FIRST
    numbers: str = ""

    @property
    def key(self) -> str:
        """The words of the key."""
        return ", ".join(filter(None, (self.name, self.numbers)))

    @property
    def known(self) -> list[tuple[float, float]]:
        """The places of the curve, in values: of the smooth one where there is one."""
        points = self.values.get("smooth") or self.values["points"]
        return [(p["x"], p["y"]) for p in points if p["y"] is not None]


class Frame:
    """The plot of curves: two scales, their ticks and titles, and the key below.

    Rates are in a square, below which a strip has room for a histogram. The scales have room for
    the curves of `every` model, so that those of several figures are the same.
    """

    def __init__(
        self,
        words: CurveWords,
        every: Sequence[Mapping[str, Any]],
        named: Sequence[Drawn],
        *,
        strip: bool = False,
    ) -> None:
        free = words.scale == "free"
        self._lowest = -math.inf
        deep = DEPTH if free else SIDE
        self._right, self._foot = COLUMN - RIGHT if free else LEFT + SIDE, TOP + deep
        self._below = self._foot + (STRIP if strip else 0.0)
        self._references = [
            (line, Look(MUTE, dash))
            for line, dash in zip(named[0].values["references"], REFERENCES, strict=False)
        ]
        keys = [(drawn.key, drawn.look) for drawn in named]
        keys += [(line["name"], look) for line, look in self._references]
        self.canvas = Canvas(self._below + BOTTOM)
        draw_key(self.canvas, KEY_LEFT, keys)
        ticks = RATES if words.scale == "deviate" else (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
        self.x = _place(words.scale, LEFT, self._right)
        self.y = _place(words.scale, self._foot, TOP)
        points = [point for values in every for point in values["points"]]
        smooth = [point for values in every for point in values.get("smooth", ())]
        rows = [(self.y(tick), _tick(tick)) for tick in ticks]
        texts = [(tick, _tick(tick)) for tick in ticks]
        if words.scale == "risk":
            ends = [p[key] for p in points for key in ("x", "y", "high") if p[key] is not None]
            most = max([*ends, *(p["x"] for p in smooth), *(p["y"] for p in smooth)])
            across = Axis(0.0, most, LEFT, self._right, 5, (0.0, 1.0))
            up = Axis(0.0, most, self._foot, TOP, 5, (0.0, 1.0))
            self.x, self.y = across, up
            texts = across.texts()
            rows = [(up(tick), text) for tick, text in up.texts()]
        if free:
            heights = [p[key] for p in points for key in ("y", "low", "high") if p[key] is not None]
            lines = [y for c in every for line in c["references"] for _, y in line["points"]]
            highest = max([*heights, *lines])
            lowest = max(min([0.0, *heights]), -MOST_BELOW * highest)
            self.y = up = Axis(lowest, highest, self._foot, TOP, MOST_TICKS)
            self._lowest = up.low
            rows = [(up(tick), text) for tick, text in up.texts()]
            places = [p["x"] for p in points]
            self.x = across = Axis(min(places), max(places), LEFT, self._right, 5, (0.0, 1.0))
            texts = across.texts()
        for tick, text in texts:
            x = self.x(tick)
            self.canvas.gridline((x, TOP), (x, self._foot))
            self.canvas.words(x, self._below + 8, text, "center")
        under = self._below - self._foot
        draw_frame(self.canvas, LEFT, self._foot, rows, (words.x, words.y), self._right, under)

    def line(self, points: Sequence[Sequence[float]], *style: Any) -> None:
        """Draw a line through points, in values; it ends where it leaves the plot below."""
        for inside, part in groupby(points, lambda point: point[1] >= self._lowest):
            placed = [(self.x(x), self.y(y)) for x, y in part]
            if inside and len(placed) > 1:
                self.canvas.line(placed, *style)

    def edge(self, points: Sequence[Point], side: str) -> list[tuple[float, float]]:
        """Return the places of points on one side: "y", or a bound."""
        return [(self.x(p["x"]), self.y(p[side])) for p in points]

    def band(self, points: Sequence[Point], low: str, high: str, look: Look) -> None:
        """Shade what is between two sides of points."""
        for rows in _stretches(points, low, high):
            places = self.edge(rows, high) + self.edge(rows[::-1], low)
            self.canvas.area(places, look.colour, SHADED)

    def references(self) -> None:
        """Draw the lines that curves are read against."""
        for line, look in self._references:
            self.line(line["points"], look.colour, 0.7, look.dash)

    def curve(self, drawn: Drawn) -> None:
        """Draw a curve, and a marker at the place of the predicted classes."""
        look, chosen = drawn.look, drawn.values.get("chosen")
        self.line(drawn.known, look.colour, 1.2, look.dash)
        if chosen is not None:
            self.canvas.dot(self.x(chosen[0]), self.y(chosen[1]), filled=True, look=look)

    def strip(self, values: Mapping[str, Any], look: Look) -> None:
        """Draw the numbers of examples in bins, those that have room, and their histogram."""
        bars = values["histogram"]
        wide = self.x(1 / len(bars)) - self.x(0.0)
        self.canvas.histogram(self.x(0.0), wide, bars, self._below, STRIP - 10, look.colour)
        reached = -math.inf
        for point, n in zip(values["points"], values["counts"], strict=True):
            text, x = fixed(n, Scale(0)), self.x(point["x"])
            half = fonts.width(text, LEAST_SIZE) / 2
            if x - half > reached:
                self.canvas.words(x, self._foot + 5, text, "center", colour=MUTE, size=LEAST_SIZE)
                reached = x + half + 1


def _place(scale: str, start: float, end: float) -> Scaled:
    """Return the scale of rates: even, or in normal deviates."""
    if scale != "deviate":
        return lambda value: start + min(max(value, 0.0), 1.0) * (end - start)
    deviate = NormalDist().inv_cdf
    low, high = deviate(FURTHEST), deviate(1 - FURTHEST)

    def place(value: float) -> float:
        inside = min(max(value, FURTHEST), 1 - FURTHEST)
        return start + (deviate(inside) - low) / (high - low) * (end - start)

    return place


def _tick(value: float) -> str:
    return f"{value:g}" if value < 0.1 or value > 0.9 else f"{value:.1f}"


def _stretches(points: Sequence[Point], *keys: str) -> Iterator[list[Point]]:
    """Iterate over the stretches of several points that have all of some numbers."""
    for known, part in groupby(points, lambda p: all(p[key] is not None for key in keys)):
        if known and len(rows := list(part)) > 1:
            yield rows


def curve_with_band(
    words: CurveWords, drawn: Drawn, every: Sequence[Mapping[str, Any]]
) -> tuple[Canvas, str]:
    """Draw the curve of one model with its bounds and band; gives the SVG and its words.

    The bounds at points are lines, or bars where there are few points.
    """
    values, look = drawn.values, drawn.look
    points = values["points"]
    smooth = values.get("smooth", ())
    frame = Frame(words, every, [drawn], strip=bool(smooth))
    few = len(points) <= MOST_BARS
    if smooth:
        frame.band(smooth, "low", "high", look)
        frame.strip(values, look)
    else:
        frame.band(points, "band_low", "band_high", look)
    frame.references()
    for side in () if few else ("low", "high"):
        for rows in _stretches(points, "low", "high"):
            frame.canvas.line(frame.edge(rows, side), look.colour, 0.5, "1.5 1.5")
    for point in points if few else ():
        if point["low"] is not None and point["high"] is not None:
            ends = frame.edge([point], "low") + frame.edge([point], "high")
            frame.canvas.line(ends, look.colour, 0.9)
    frame.curve(drawn)
    for x, y in frame.edge([p for p in points if p["y"] is not None], "y") if few else ():
        frame.canvas.dot(x, y, filled=True, radius=1.8, look=look)
    return frame.canvas, f"{_described(words, drawn)}."


def curves_together(
    words: CurveWords, named: Sequence[Drawn], every: Sequence[Mapping[str, Any]]
) -> tuple[Canvas, str]:
    """Draw the curves of several models without their bands, with a key."""
    frame = Frame(words, every, named)
    frame.references()
    for drawn in named:
        frame.curve(drawn)
    return frame.canvas, f"{'; '.join(_described(words, drawn) for drawn in named)}."


def _described(words: CurveWords, drawn: Drawn) -> str:
    """State the numbers of a curve."""
    said = f"{drawn.name}: {_spoken(words, drawn.values['points'])}"
    said += f"; {drawn.numbers}" if drawn.numbers else ""
    if (chosen := drawn.values.get("chosen")) is not None:
        x, y = (fixed(value, Scale(2)) for value in chosen)
        said += f"; predicted classes {y} at {x}"
    if counts := drawn.values.get("counts"):
        said += f"; examples of the bins {', '.join(fixed(n, Scale(0)) for n in counts)}"
    return said


def _spoken(words: CurveWords, points: Sequence[Point]) -> str:
    known = [point for point in points if point["y"] is not None]
    step = max(1, (len(known) - 1) // (SPOKEN - 1))
    scale = Scale(2)
    pairs = ", ".join(f"{fixed(p['y'], scale)} at {fixed(p['x'], scale)}" for p in known[::step])
    return f"{axis_words(words.y)} by {axis_words(words.x)} {pairs}"
