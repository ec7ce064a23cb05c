"""Curves of models in a square: one with its band, or several without."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
REFERENCE = (MUTE, 0.7, "2.5 2")  # lines that curves are read against
RATES = (0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99)
FURTHEST = 0.002  # rates of the scale of deviates end here, and at 1 minus this
MOST_BELOW = 0.25  # how far below 0 the plot reaches, as a share of its largest value
MOST_BARS = 40  # points that are drawn with bars
SPOKEN = 5  # points of a curve that the alternative text states

Point = Mapping[str, Any]
Scaled = Callable[[float], float]


def draw_frame(
    canvas: Canvas, left: float, foot: float, up: Iterable[tuple[float, str]], titles: Sequence[str]
) -> None:
    """Draw hairlines at the places `up` with their texts, the two axes, and their titles."""
    right = COLUMN - RIGHT
    for y, text in up:
        canvas.gridline((left, y), (right, y))
        canvas.words(left - 4, y, text, "right")
    canvas.line([(left, TOP), (left, foot), (right, foot)])
    canvas.words((left + right) / 2, foot + 20, titles[0], "center", colour=MUTE)
    canvas.words(left, TITLE_AT, titles[1], colour=MUTE)


class Frame:
    """The square of a curve: two scales, their ticks and titles."""

    def __init__(
        self, words: CurveWords, curves: Sequence[Mapping[str, Any]], keys: Sequence[str] = ()
    ) -> None:
        self._lowest = -math.inf
        self._right, self._foot = COLUMN - RIGHT, TOP + DEPTH
        room = self._right - KEY_LEFT + KEY_GAP
        fit = int(room / (SAMPLE + 5 + fonts.widest(keys, SIZE) + KEY_GAP))
        self._in_a_line = max(1, min(fit, MOST_KEYS_IN_A_LINE))
        self.canvas = Canvas(TOP + DEPTH + BOTTOM + KEY * -(-len(keys) // self._in_a_line))
        ticks = RATES if words.scale == "deviate" else (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
        self.x = _place(words.scale, LEFT, self._right)
        self.y = _place(words.scale, self._foot, TOP)
        rows = [(self.y(tick), _tick(tick)) for tick in ticks]
        if words.scale == "free":
            points = [point for values in curves for point in values["points"]]
            heights = [p[key] for p in points for key in ("y", "low", "high") if p[key] is not None]
            lines = [y for c in curves for line in c["references"] for _, y in line["points"]]
            highest = max([*heights, *lines])
            lowest = max(min([0.0, *heights]), -MOST_BELOW * highest)
            self.y = axis = Axis(lowest, highest, self._foot, TOP, 5)
            self._lowest = axis.low
            rows = [(axis(t), fixed(t, Scale(axis.decimals))) for t in axis.ticks]
        for tick in ticks:
            x = self.x(tick)
            self.canvas.gridline((x, TOP), (x, self._foot))
            self.canvas.words(x, self._foot + 8, _tick(tick), "center")
        draw_frame(self.canvas, LEFT, self._foot, rows, (words.x, words.y))

    def line(self, points: Sequence[Sequence[float]], *style: Any) -> None:
        """Draw a line through points, in values; it ends where it leaves the plot below."""
        for inside, part in groupby(points, lambda point: point[1] >= self._lowest):
            placed = [(self.x(x), self.y(y)) for x, y in part]
            if inside and len(placed) > 1:
                self.canvas.line(placed, *style)

    def edge(self, points: Sequence[Point], side: str) -> list[tuple[float, float]]:
        """Return the places of points on one side: "y", or a bound."""
        return [(self.x(p["x"]), self.y(p[side])) for p in points]

    def key(self, number: int, name: str, style: tuple[str, str]) -> None:
        """Write one entry of the key below the plot."""
        row, column = divmod(number, self._in_a_line)
        room = (self._right - KEY_LEFT + KEY_GAP) / self._in_a_line
        x, y = KEY_LEFT + room * column, self._foot + BOTTOM + KEY * (row + 0.5)
        self.canvas.line([(x, y), (x + SAMPLE, y)], style[0], 1.2, style[1])
        start = x + SAMPLE + 5
        self.canvas.words(start, y, fonts.shorten_name(name, SIZE, room - SAMPLE - 5 - KEY_GAP))


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


def curve_with_band(words: CurveWords, name: str, values: Mapping[str, Any]) -> tuple[Canvas, str]:
    """Draw the curve of one model with its bounds and band; gives the SVG and its words.

    The bounds at points are lines, or bars where there are few points.
    """
    points = values["points"]
    frame, few = Frame(words, [values]), len(points) <= MOST_BARS
    for rows in _stretches(points, "band_low", "band_high"):
        frame.canvas.area(frame.edge(rows, "band_high") + frame.edge(rows[::-1], "band_low"), BAND)
    for line in values["references"]:
        frame.line(line["points"], *REFERENCE)
    for side in () if few else ("low", "high"):
        for rows in _stretches(points, "low", "high"):
            frame.canvas.line(frame.edge(rows, side), BLUE, 0.5, "1.5 1.5")
    for point in points if few else ():
        if point["low"] is not None and point["high"] is not None:
            ends = frame.edge([point], "low") + frame.edge([point], "high")
            frame.canvas.line(ends, BLUE, 0.9)
    known = [p for p in points if p["y"] is not None]
    frame.line([(p["x"], p["y"]) for p in known], BLUE, 1.2)
    for x, y in frame.edge(known, "y") if few else ():
        frame.canvas.dot(x, y, filled=True, radius=1.8)
    return frame.canvas, f"{name}: {_spoken(words, points)}."


def curves_together(
    words: CurveWords, named: Sequence[tuple[str, Mapping[str, Any]]]
) -> tuple[Canvas, str]:
    """Draw the curves of several models without their bands, with a key."""
    frame = Frame(words, [values for _, values in named], [name for name, _ in named])
    for line in named[0][1]["references"]:
        frame.line(line["points"], *REFERENCE)
    spoken = []
    for number, (name, values) in enumerate(named):
        style = STYLES[number % len(STYLES)]
        known = [(p["x"], p["y"]) for p in values["points"] if p["y"] is not None]
        frame.line(known, style[0], 1.2, style[1])
        frame.key(number, name, style)
        spoken.append(f"{name}: {_spoken(words, values['points'])}")
    return frame.canvas, f"{'; '.join(spoken)}."


def _spoken(words: CurveWords, points: Sequence[Point]) -> str:
    known = [point for point in points if point["y"] is not None]
    step = max(1, (len(known) - 1) // (SPOKEN - 1))
    scale = Scale(2)
    pairs = ", ".join(f"{fixed(p['y'], scale)} at {fixed(p['x'], scale)}" for p in known[::step])
    return f"{axis_words(words.y)} by {axis_words(words.x)} {pairs}"
