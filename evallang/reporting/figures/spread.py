"""The values of folds or bootstrap rounds: a row for each model, as points or as a histogram."""

import math
from collections.abc import Sequence

from msgspec import Struct

from evallang.reporting import fonts
from evallang.reporting.figures.figure import (
    BLUE,
    COLUMN,
    INK,
    SIZE,
    UNBOUNDED,
    Axis,
    Bounds,
    Canvas,
    off_scale,
)
from evallang.reporting.numbers import Scale, between, fixed

ROW = 15.0
DEEP_ROW = 22.0
FOOT = 29.0
LABEL = 96.0
GAP = 7.0
MOST_POINTS = 30  # of a row; more are a histogram
BINS = 30


class Spread(Struct, frozen=True):
    """The values of one model, and its estimate."""

    label: str
    values: tuple[float, ...]
    estimate: float | None


def spread(
    rows: Sequence[Spread],
    name: str,
    subject: str,
    scale: Scale,
    among: Sequence[Spread] = (),
    possible: Bounds = UNBOUNDED,
) -> tuple[Canvas, str]:
    """Draw the values of each model with its estimate; gives the SVG and its numbers in words.

    `subject` is what the values are of: "folds". The axis has room for all rows `among` which
    these are, except for those far from the others, and ticks at `possible` values.
    """
    every = among or rows
    histogram = max(len(row.values) for row in every) > MOST_POINTS
    depth = DEEP_ROW if histogram else ROW
    names = fonts.shorten_names([row.label for row in rows], SIZE, LABEL)
    left = fonts.widest(names, SIZE) + GAP
    beyond = off_scale([(min(row.values), max(row.values)) for row in every])
    near = [row for i, row in enumerate(every) if i not in beyond]
    ends = [end for row in near for end in (*row.values, row.estimate) if end is not None]
    axis = Axis(min(ends), max(ends), left + 3, COLUMN - 6, 5, possible)
    canvas = Canvas(depth * len(rows) + FOOT)
    canvas.scale(axis, depth * len(rows), name, scale.power)
    spoken = []
    for i, (text, row) in enumerate(zip(names, rows, strict=True)):
        y = depth * (i + 0.5)
        canvas.words(left - GAP, y, text, "right")
        low, high = (fixed(end, scale) for end in (min(row.values), max(row.values)))
        words = f"{row.label} {low} to {high}, estimate {fixed(row.estimate, scale)}"
        spoken.append(words + (", off the scale" if row not in near else ""))
        if row not in near:
            ends_ = low if low == high else f"{low} to {high}"
            canvas.beyond(axis, y, ends_, above=min(row.values) > axis.high)
            continue
        if histogram:
            wide = (axis.right - axis.left) / BINS
            counts = [0] * BINS
            for value in row.values:
                place = math.floor((axis(value) - axis.left) / wide)
                counts[min(BINS - 1, max(0, place))] += 1
            foot = depth * (i + 1) - 2
            canvas.histogram(axis.left, wide, counts, foot, depth - 5, 0.4, BLUE)
        else:
            for value in row.values:
                canvas.dot(axis(value), y, filled=False, radius=1.7)
        if row.estimate is not None:
            x = axis(row.estimate)
            canvas.line([(x, y - depth / 2 + 2), (x, y + depth / 2 - 2)], INK, 1.3)
    number = between([len(row.values) for row in rows])
    return canvas, f"{name}, values of {number} {subject}: {'; '.join(spoken)}."
