"""Curves of models in a square: one with its band, or several without."""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from statistics import NormalDist
from typing import Any

from evallang.reporting import fonts
from evallang.reporting.figures.figure import (
    BAND,
    BLUE,
    COLUMN,
    INK,
    MUTE,
    SIZE,
    Axis,
    Canvas,
)
from evallang.reporting.letter_case import axis_words
from evallang.reporting.numbers import Scale, fixed
from evallang.results.provenance import CurveWords

LEFT, RIGHT, TOP, BOTTOM = 38.0, 8.0, 16.0, 27.0  # above the plot is the title of its height
DEPTH = 128.0  # of the plot, in points
TITLE_AT = 4.0
KEY = 11.0  # depth of a line of the key
SAMPLE = 18.0  # length of a line in the key
MOST_KEYS_IN_A_LINE = 3
KEY_LEFT, KEY_GAP = 8.0, 8.0  # where the key begins, and between two of its entries
STYLES = ((BLUE, ""), (INK, ""), (BLUE, "4 2"), (INK, "4 2"), (BLUE, "1 1.5"), (INK, "1 1.5"))
MOST_TOGETHER = len(STYLES)
REFERENCE_DASH = "2.5 2"
RATES = (0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99)
FURTHEST = 0.002  # rates of the scale of deviates end here, and at 1 minus this
MOST_BELOW = 0.25  # how far below 0 the plot reaches, as a share of its largest value
MOST_BARS = 40  # points that are drawn with bars
SPOKEN = 5  # points of a curve that the alternative text states

Point = Mapping[str, Any]
Scaled = Callable[[float], float]


class Frame:
    """The square of a curve: two scales, their ticks and titles."""

    def __init__(
        self, words: CurveWords, curves: Sequence[Mapping[str, Any]], keys: Sequence[str] = ()
    ) -> None:
        self._lowest = -math.inf
        self._right, self._foot = COLUMN - RIGHT, TOP + DEPTH
        self._in_a_line = self._keys_in_a_line(keys)
        self.canvas = Canvas(TOP + DEPTH + BOTTOM + KEY * -(-len(keys) // self._in_a_line))
        ticks = RATES if words.scale == "deviate" else (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
        self.x = _place(words.scale, LEFT, self._right)
        self.y = _place(words.scale, self._foot, TOP)
        rows = [(tick, _tick(tick)) for tick in ticks]
        if words.scale == "free":
            heights = [
                value
                for values in curves
                for point in values["points"]
                for value in (point["y"], point["low"], point["high"])
                if value is not None
            ]
            lines = [y for values in curves for y in _reference_heights(values)]
            highest = max([*heights, *lines])
            lowest = max(min([0.0, *heights]), -MOST_BELOW * highest)
            axis = Axis(lowest, highest, self._foot, TOP, 5)
            self.y, self._lowest = axis, axis.low
            scale = Scale(axis.decimals)
            rows = [(t, fixed(t, scale)) for t in axis.ticks if axis.low <= t <= axis.high]
        self._draw([(tick, _tick(tick)) for tick in ticks], rows, words)

    def _draw(
        self, across: list[tuple[float, str]], up: list[tuple[float, str]], titles: CurveWords
    ) -> None:
        canvas = self.canvas
        for value, text in up:
            y = self.y(value)
            canvas.gridline((LEFT, y), (self._right, y))
            canvas.words(LEFT - 4, y, text, "right")
        for value, text in across:
            x = self.x(value)
            canvas.gridline((x, TOP), (x, self._foot))
            canvas.words(x, self._foot + 8, text, "center")
        canvas.line([(LEFT, TOP), (LEFT, self._foot), (self._right, self._foot)], INK, 0.6)
        middle = (LEFT + self._right) / 2
        canvas.words(middle, self._foot + 20, titles.x, "center", colour=MUTE)
        canvas.words(LEFT, TITLE_AT, titles.y, colour=MUTE)

    def curve(self, points: Sequence[Sequence[float]], style: tuple[str, str]) -> None:
        """Draw a line through points, in values; it ends where it leaves the plot below."""
        self._line(points, style[0], 1.2, style[1])

    def reference(self, points: Sequence[Sequence[float]]) -> None:
        """Draw a line that curves are read against."""
        self._line(points, MUTE, 0.7, REFERENCE_DASH)

    def _line(
        self, points: Sequence[Sequence[float]], colour: str, weight: float, dash: str
    ) -> None:
        for inside, part in groupby(points, lambda point: point[1] >= self._lowest):
            placed = [(self.x(x), self.y(y)) for x, y in part]
            if inside and len(placed) > 1:
                self.canvas.line(placed, colour, weight, dash)

    def band(self, points: Sequence[Point], low: str, high: str) -> None:
        """Shade between two bounds, where there are both."""
        for known, part in groupby(points, lambda p: p[low] is not None and p[high] is not None):
            rows = list(part)
            if known and len(rows) > 1:
                edge = [(self.x(p["x"]), self.y(p[high])) for p in rows]
                edge += [(self.x(p["x"]), self.y(p[low])) for p in reversed(rows)]
                self.canvas.area(edge, BAND)

    def bounds(self, points: Sequence[Point]) -> None:
        """Draw the pointwise bounds: as lines, or as bars where there are few points."""
        if len(points) <= MOST_BARS:
            for point in points:
                if point["low"] is not None and point["high"] is not None:
                    x = self.x(point["x"])
                    ends = [(x, self.y(point["low"])), (x, self.y(point["high"]))]
                    self.canvas.line(ends, BLUE, 0.9)
            return
        for side in ("low", "high"):
            for known, part in groupby(points, lambda p: p["low"] is not None):
                row = [(self.x(p["x"]), self.y(p[side])) for p in part if known]
                if len(row) > 1:
                    self.canvas.line(row, BLUE, 0.5, "1.5 1.5")

    def _keys_in_a_line(self, names: Sequence[str]) -> int:
        """Return how many entries of the key fit next to each other, at most a few."""
        widest = max((fonts.width(name, SIZE) for name in names), default=0.0)
        fit = int((self._right - KEY_LEFT + KEY_GAP) / (SAMPLE + 5 + widest + KEY_GAP))
        return max(1, min(fit, MOST_KEYS_IN_A_LINE))

    def key(self, number: int, name: str, style: tuple[str, str]) -> None:
        """Write one entry of the key below the plot."""
        row, column = divmod(number, self._in_a_line)
        room = (self._right - KEY_LEFT + KEY_GAP) / self._in_a_line
        x, y = KEY_LEFT + room * column, self._foot + BOTTOM + KEY * (row + 0.5)
        self.canvas.line([(x, y), (x + SAMPLE, y)], style[0], 1.2, style[1])
        start = x + SAMPLE + 5
        self.canvas.words(start, y, fonts.shorten_name(name, SIZE, room - SAMPLE - 5 - KEY_GAP))


def _reference_heights(values: Mapping[str, Any]) -> list[float]:
    return [y for line in values["references"] for _, y in line["points"]]


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


def curve_with_band(words: CurveWords, name: str, values: Mapping[str, Any]) -> tuple[Canvas, str]:
    """Draw the curve of one model with its bounds and band; gives the SVG and its words."""
    points = values["points"]
    frame = Frame(words, [values])
    frame.band(points, "band_low", "band_high")
    for line in values["references"]:
        frame.reference(line["points"])
    frame.bounds(points)
    frame.curve([(p["x"], p["y"]) for p in points if p["y"] is not None], STYLES[0])
    if len(points) <= MOST_BARS:
        for point in points:
            if point["y"] is not None:
                frame.canvas.dot(frame.x(point["x"]), frame.y(point["y"]), filled=True, radius=1.8)
    return frame.canvas, f"{name}: {_spoken(words, points)}."


def curves_together(
    words: CurveWords, named: Sequence[tuple[str, Mapping[str, Any]]]
) -> tuple[Canvas, str]:
    """Draw the curves of several models without their bands, with a key."""
    frame = Frame(words, [values for _, values in named], [name for name, _ in named])
    for line in named[0][1]["references"]:
        frame.reference(line["points"])
    spoken = []
    for number, (name, values) in enumerate(named):
        style = STYLES[number % len(STYLES)]
        frame.curve([(p["x"], p["y"]) for p in values["points"] if p["y"] is not None], style)
        frame.key(number, name, style)
        spoken.append(f"{name}: {_spoken(words, values['points'])}")
    return frame.canvas, f"{'; '.join(spoken)}."


def _spoken(words: CurveWords, points: Sequence[Point]) -> str:
    known = [point for point in points if point["y"] is not None]
    step = max(1, (len(known) - 1) // (SPOKEN - 1))
    scale = Scale(2)
    pairs = ", ".join(f"{fixed(p['y'], scale)} at {fixed(p['x'], scale)}" for p in known[::step])
    return f"{axis_words(words.y)} by {axis_words(words.x)} {pairs}"
