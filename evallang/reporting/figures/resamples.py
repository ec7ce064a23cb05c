"""Bootstrap distributions: a row for each model or pair, with its estimate and its interval."""

from collections.abc import Sequence

from msgspec import Struct

from evallang.reporting import fonts
from evallang.reporting.figures.figure import (
    BLUE,
    COLUMN,
    INK,
    MUTE,
    SIZE,
    UNBOUNDED,
    Axis,
    Bounds,
    Canvas,
    off_scale,
)
from evallang.reporting.figures.forest import shorten_lines
from evallang.reporting.numbers import Scale, count, fixed, interval
from evallang.results.statistics import Resamples

ROW, CLOSE_ROW = 25.0, 18.0  # of few and of many rows
DEPTH = 200.0  # of the rows together, where neither is reached
FOOT = 29.0
LINE = 7.8
GAP = 7.0
BELOW = 4.0  # points between bars and the interval
OFF = "off the scale"


class Distribution(Struct, frozen=True):
    """The resamples of a model or a pair, with its estimate and its interval."""

    label: tuple[str, ...]
    resamples: Resamples
    value: float | None
    low: float | None
    high: float | None

    @property
    def span(self) -> tuple[float, float]:
        """What the row needs of an axis."""
        known = [v for v in (self.value, self.low, self.high) if v is not None]
        drawn = self.resamples
        return min([drawn.low, *known]), max([drawn.high, *known])


def distributions(
    rows: Sequence[Distribution],
    name: str,
    scale: Scale,
    *,
    signed: bool = False,
    among: Sequence[Distribution] = (),
    possible: Bounds = UNBOUNDED,
) -> tuple[Canvas, str]:
    """Draw the resamples of each row as a histogram; gives the SVG and its numbers in words.

    The line through the bars is the estimate, the one below them its interval. Rows that are
    `signed` are differences, whose axis has zero. The axis has room for all rows `among` which
    these are, except for those far from the others, and ticks at `possible` values.
    """
    every = among or rows
    labels = shorten_lines([row.label for row in rows])
    left = max(fonts.width(line, SIZE) for lines in labels for line in lines) + GAP
    fixed_points = (0.0,) if signed else ()
    beyond = {id(every[i]) for i in off_scale([row.span for row in every], fixed=fixed_points)}
    ends = [end for row in every if id(row) not in beyond for end in row.span]
    ends += fixed_points
    axis = Axis(min(ends), max(ends), left + 3, COLUMN - 6, 5, possible)
    deep = min(ROW, max(CLOSE_ROW, DEPTH / len(rows)))
    foot = deep * len(rows)
    canvas = Canvas(foot + FOOT)
    canvas.plot = (axis.left, axis.right)
    _draw_axis(canvas, axis, foot, name, scale, zero=signed)
    spoken = []
    for i, (lines, row) in enumerate(zip(labels, rows, strict=True)):
        top, base = deep * i, deep * (i + 1) - BELOW - 2
        middle = (top + base) / 2
        for k, line in enumerate(lines):
            place = middle + (k - (len(lines) - 1) / 2) * LINE
            canvas.words(left - GAP, place, line, "right")
        null = 0.0 if signed else None
        value = fixed(row.value, scale, signed=signed, null=null)
        bounds = interval(row.low, row.high, scale, null=null)
        words = f"{' '.join(row.label)} {value} {bounds}"
        if id(row) in beyond:
            above = row.span[0] > axis.high
            text = f"{value} {bounds}" + ("\u2002→" if above else "")
            place = axis.right if above else axis.left
            canvas.words(place, middle, text if above else f"←\u2002{text}",
                         "right" if above else "left", colour=MUTE)  # fmt: skip
            spoken.append(f"{words}, {OFF}")
            continue
        spoken.append(words)
        _draw_bars(canvas, axis, row.resamples, base, base - top - 3)
        if row.low is not None and row.high is not None:
            canvas.line([(axis(row.low), base + BELOW - 1), (axis(row.high), base + BELOW - 1)],
                        BLUE, 2.0)  # fmt: skip
        if row.value is not None:
            x = axis(row.value)
            canvas.line([(x, top + 1), (x, base + BELOW + 1)], INK, 1.1)
    sizes = sorted({row.resamples.n for row in rows})
    number = " to ".join(count(n) for n in dict.fromkeys((sizes[0], sizes[-1])))
    return canvas, f"{name}, {number} resamples: {'; '.join(spoken)}."


def _draw_bars(canvas: Canvas, axis: Axis, found: Resamples, base: float, deep: float) -> None:
    """Draw the counts as bars on a thin line."""
    most = max(found.counts)
    wide = (found.high - found.low) / len(found.counts)
    for k, n in enumerate(found.counts):
        if n:
            start, end = (axis(found.low + wide * at) for at in (k, k + 1))
            space = min(0.4, (end - start) / 5)
            height = deep * n / most
            canvas.box(start + space / 2, base - height, end - start - space, height, BARS)
    canvas.line([(axis(found.low), base), (axis(found.high), base)], MUTE, 0.4)


BARS = MUTE


def _draw_axis(
    canvas: Canvas, axis: Axis, foot: float, name: str, scale: Scale, *, zero: bool
) -> None:
    for tick in axis.ticks:
        if not axis.low <= tick <= axis.high:
            continue
        canvas.gridline((axis(tick), 0), (axis(tick), foot), strong=zero and tick == 0)
    canvas.ticks(axis, foot + 9, scale.power)
    canvas.line([(axis.left, foot), (axis.right, foot)], INK, 0.6)
    half = fonts.width(name, SIZE) / 2
    middle = max(min((axis.left + axis.right) / 2, COLUMN - half), half)
    canvas.words(middle, foot + 21, name, "center", colour=MUTE)
