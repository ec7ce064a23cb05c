"""Bootstrap distributions: a row for each model or pair, with its estimate and its interval."""

from collections.abc import Sequence

from msgspec import Struct

from evallang.reporting import fonts
from evallang.reporting.figures.figure import (
    COLUMN,
    FIRST,
    INK,
    MUTE,
    SIZE,
    UNBOUNDED,
    Axis,
    Bounds,
    Canvas,
    Look,
    depth_of_names,
    off_scale,
)
from evallang.reporting.figures.forest import lines_of_rows
from evallang.reporting.numbers import Scale, between, fixed, interval
from evallang.results.statistics import Resamples

ROW, CLOSE_ROW = 25.0, 18.0  # of few and of many rows
DEPTH = 200.0  # of the rows together, where neither is reached
FOOT = 29.0
GAP = 7.0
BELOW = 4.0  # points between bars and the interval


class Distribution(Struct, frozen=True):
    """The resamples of a model or a pair, with its estimate and its interval."""

    label: tuple[str, ...]
    resamples: Resamples
    value: float | None
    low: float | None
    high: float | None
    look: Look = FIRST

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
    these are, is broken before those far from the others, and has ticks at `possible` values.
    """
    every = among or rows
    labels = lines_of_rows([row.label for row in rows])
    left = fonts.widest((line for lines in labels for line in lines), SIZE) + GAP
    fixed_points = (0.0,) if signed else ()
    beyond = off_scale([row.span for row in every], fixed=fixed_points)
    ends = [end for i, row in enumerate(every) if i not in beyond for end in row.span]
    ends += fixed_points
    axis = Axis(
        min(ends), max(ends), left + 3, COLUMN - 6, 5, possible, [every[i].span for i in beyond]
    )
    deep = depth_of_names(labels, min(ROW, max(CLOSE_ROW, DEPTH / len(rows))))
    canvas = Canvas(deep * len(rows) + FOOT)
    canvas.scale(axis, deep * len(rows), name, scale.power, zero=signed)
    null = 0.0 if signed else None
    spoken = []
    for i, (lines, row) in enumerate(zip(labels, rows, strict=True)):
        top, base = deep * i, deep * (i + 1) - BELOW - 2
        middle = (top + base) / 2
        canvas.names(left - GAP, middle, lines)
        text = f"{fixed(row.value, scale, signed=signed, null=null)} "
        text += interval(row.low, row.high, scale, null=null)
        spoken.append(f"{' '.join(row.label)} {text}")
        found = row.resamples
        start, end = axis(found.low), axis(found.high)
        wide = (end - start) / len(found.counts)
        canvas.histogram(start, wide, found.counts, base, base - top - 3, MUTE)
        canvas.line([(start, base), (end, base)], MUTE, 0.4)
        if row.low is not None and row.high is not None:
            places = [(axis(end), base + BELOW - 1) for end in (row.low, row.high)]
            canvas.line(places, row.look.colour, 2.0)
        if row.value is not None:
            x = axis(row.value)
            canvas.line([(x, top + 1), (x, base + BELOW + 1)], INK, 1.1)
    number = between([row.resamples.n for row in rows])
    return canvas, f"{name}, {number} resamples: {'; '.join(spoken)}."
