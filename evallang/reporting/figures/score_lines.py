"""Scores along a quantity: points with bars, joined by a line, for one or several series."""

import math
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from evallang.reporting import fonts
from evallang.reporting.figures.curves import (
    BOTTOM,
    MOST_BARS,
    RIGHT,
    TOP,
    draw_frame,
    draw_key,
)
from evallang.reporting.figures.figure import (
    COLUMN,
    INK,
    LEADING,
    MUTE,
    SIZE,
    Axis,
    Bounds,
    Canvas,
    Look,
    depth_of_names,
)
from evallang.reporting.letter_case import axis_words
from evallang.reporting.numbers import Scale, fixed, is_number, parameter_value

DEPTH = 120.0  # of the plot, in points
PAD = 8.0  # between the plot and its first and last point
OTHER = Look(INK, "4 2")  # of the second series
MARKS = (Look(MUTE), Look(MUTE, "2.5 2"))  # of vertical lines
SPREAD_OF_LOG = 20.0  # ratio of the ends from which positive numbers are on a logarithmic scale
SPOKEN = 12  # points that the alternative text states

Value = float | int | str | bool | None


class ScorePoint(Struct, frozen=True):
    """One point: where it is, its score, and the ends of its bar."""

    x: Value
    y: float | None
    low: float | None = None
    high: float | None = None


class Series(Struct, frozen=True):
    """Points with a name for the key."""

    name: str
    points: tuple[ScorePoint, ...]


class Mark(Struct, frozen=True):
    """A vertical line at a value, with its name for the key."""

    name: str
    x: Value


def score_lines(
    series: Sequence[Series],
    titles: tuple[str, str],
    scale: Scale,
    subject: str,
    marks: Sequence[Mark],
    possible: Bounds,
    look: Look,
    among: Sequence[Series],
    values: Sequence[Value] = (),
) -> tuple[Canvas, str]:
    """Draw series over their values, the first with a `look`; gives the SVG and words.

    The axes have room for the scores of all series `among` which these are, and for `values`; ticks
    are at `possible` scores. Lines join values that are numbers.
    """
    looks = replace(look, dash=""), OTHER
    drawn = [
        (f"{subject}, {one.name}" if len(series) > 1 else subject, it)
        for one, it in zip(series, looks, strict=False)
    ]
    drawn += [(mark.name, it) for mark, it in zip(marks, MARKS, strict=False)]
    foot = TOP + DEPTH
    values = list(dict.fromkeys([*values, *(p.x for s in series for p in s.points)]))
    ends = [
        v for s in among for p in s.points for v in (p.y, p.low, p.high)
        if v is not None and math.isfinite(v)
    ]  # fmt: skip
    y = Axis(min(ends, default=0.0), max(ends, default=1.0), foot, TOP, 5, possible)
    printed = Scale(max(0, y.decimals - scale.power), scale.power)
    texts = [fixed(tick, printed) for tick in y.ticks]
    left, right = fonts.widest(texts, SIZE) + 6, COLUMN - RIGHT
    x = _places(values, left + PAD, right - PAD)
    words: dict[Value, tuple[str, ...]] = {value: (parameter_value(value),) for value in values}
    if not _are_numbers(values):
        room = (right - left) / len(values) - PAD
        names = fonts.name_lines([parameter_value(value) for value in values], SIZE, max(room, PAD))
        words = dict(zip(values, names, strict=True))
    under = depth_of_names(words.values(), 0) - depth_of_names((), 0)
    canvas = Canvas(foot + under + BOTTOM)
    canvas.plot = (left, right)
    up = zip(map(y, y.ticks), texts, strict=True)
    draw_frame(canvas, left, foot, up, titles, under=under)
    _ticks(canvas, x, words, foot)
    for mark, it in zip(marks, MARKS, strict=False):
        canvas.line([(x(mark.x), TOP), (x(mark.x), foot)], it.colour, 0.8, it.dash)
    for one, it in zip(series, looks, strict=False):
        _draw(canvas, one, x, y, it, filled=it is not OTHER, joined=_are_numbers(values))
    draw_key(canvas, left, drawn)
    return canvas, _spoken(series, titles, scale, subject, marks)


def _draw(
    canvas: Canvas,
    series: Series,
    x: Callable[[Value], float],
    y: Axis,
    look: Look,
    *,
    filled: bool,
    joined: bool,
) -> None:
    known = [p for p in series.points if p.y is not None and math.isfinite(p.y)]
    if joined and len(known) <= MOST_BARS:
        places = [(x(p.x), y(p.y)) for p in known if p.y is not None]
        canvas.line(places, look.colour, 1.2, look.dash)
    for point in known:
        assert point.y is not None, "points without a score are skipped"
        if point.low is not None and point.high is not None and len(known) <= MOST_BARS:
            canvas.line([(x(point.x), y(point.low)), (x(point.x), y(point.high))], look.colour, 1.1)
        canvas.dot(x(point.x), y(point.y), filled=filled, radius=2.0, look=look)


def _are_numbers(values: Sequence[Value]) -> bool:
    return all(map(is_number, values))


def _places(values: Sequence[Value], left: float, right: float) -> Callable[[Value], float]:
    """Return where values are: numbers on a straight or logarithmic scale, others evenly spaced."""
    if len(values) > 1 and _are_numbers(values):
        numbers = [float(v) for v in values if isinstance(v, int | float)]
        low, high = min(numbers), max(numbers)
        log = low > 0 and high / low >= SPREAD_OF_LOG
        scaled = math.log if log else float
        start, end = scaled(low), scaled(high)

        def placed(value: Value) -> float:
            assert isinstance(value, int | float), "all values are numbers"
            return left + (scaled(value) - start) / (end - start) * (right - left)

        return placed
    step = (right - left) / max(1, len(values))
    order = {f"{type(v).__name__} {v!r}": left + (i + 0.5) * step for i, v in enumerate(values)}
    return lambda value: order[f"{type(value).__name__} {value!r}"]


def _ticks(
    canvas: Canvas, x: Callable[[Value], float], words: Mapping[Value, Sequence[str]], foot: float
) -> None:
    """Write the values below the plot, from the left those that have room."""
    reached = -math.inf
    for value in sorted(words, key=x):
        half = fonts.widest(words[value], SIZE) / 2
        canvas.line([(x(value), foot), (x(value), foot + 2.5)], INK, 0.6)
        if x(value) - half > reached:
            for row, line in enumerate(words[value]):
                canvas.words(x(value), foot + 8 + LEADING * row, line, "center")
            reached = x(value) + half + 3


def _spoken(
    series: Sequence[Series],
    titles: tuple[str, str],
    scale: Scale,
    subject: str,
    marks: Sequence[Mark],
) -> str:
    parts = []
    for one in series:
        known = [p for p in one.points if p.y is not None]
        step = max(1, math.ceil(len(known) / SPOKEN))
        pairs = ", ".join(f"{fixed(p.y, scale)} at {parameter_value(p.x)}" for p in known[::step])
        name = f"{one.name}, " if len(series) > 1 else ""
        parts.append(f"{name}{axis_words(titles[1])} by {axis_words(titles[0])} {pairs}")
    parts += [f"{mark.name} at {parameter_value(mark.x)}" for mark in marks]
    return f"{subject}: {'; '.join(parts)}."
