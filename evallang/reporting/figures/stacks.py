"""Parts of a whole as stacked bars, and single values as dots on a line for each row."""

from collections.abc import Sequence

from evallang.reporting import fonts
from evallang.reporting.figures.figure import (
    BLUE,
    COLUMN,
    INK,
    MUTE,
    PAPER,
    RULE,
    SIZE,
    UNBOUNDED,
    Axis,
    Bounds,
    Canvas,
)
from evallang.reporting.letter_case import axis_words
from evallang.reporting.numbers import Scale, fixed

ROW, DOUBLE_ROW = 15.0, 19.0  # of names in one line, and in two
LINE = 7.8
BAR = 8.0  # depth of a bar
HEAD = 4.0
FOOT = 27.0
KEY = 11.0  # depth of a line of the key
LABEL = 90.0  # points for the names; longer ones are shortened
LABEL_OF_PAIR = 132.0  # the same where a row is about two models
GAP = 6.0
RIGHT = 10.0
STYLES = ((BLUE, BLUE), (PAPER, INK), (RULE, MUTE), (MUTE, MUTE))
"""Fill and edge of the parts, in their order."""


def name_of_pair(models: Sequence[str], link: str) -> str:
    """Return the name of a row about two models: in two lines if it is too long for one."""
    first, second = models
    name = f"{first} {link} {second}"
    return name if fonts.width(name, SIZE) <= LABEL_OF_PAIR else f"{first}\n{link} {second}"


def stacked_bars(
    rows: Sequence[tuple[str, Sequence[float]]],
    parts: Sequence[str],
    title: str,
    scale: Scale,
    subject: str,
    label: float = LABEL,
    possible: Bounds = UNBOUNDED,
) -> tuple[Canvas, str]:
    """Draw the parts of each row one after the other; parts below zero go to the left of zero.

    Names have `label` points at most in each of their lines, and the axis has ticks at `possible`
    values. Gives the SVG and its numbers in words.
    """
    lines = [name.split("\n") for name, _ in rows]
    cut = iter(fonts.shorten_names([line for found in lines for line in found], SIZE, label))
    names = [[next(cut) for _ in found] for found in lines]
    deep = DOUBLE_ROW if any(len(found) > 1 for found in names) else ROW
    left = max(fonts.width(line, SIZE) for found in names for line in found) + GAP + 2
    low = min([0.0, *(sum(v for v in values if v < 0) for _, values in rows)])
    high = max([0.0, *(sum(v for v in values if v > 0) for _, values in rows)])
    steps = (high - low) * 10.0 ** min(scale.decimals + scale.power, 9)  # that its numbers show
    axis = Axis(low, high, left, COLUMN - RIGHT, int(min(max(steps, 1), 5)), possible)
    foot = HEAD + deep * len(rows)
    foot = HEAD + deep * len(rows)
    canvas = Canvas(foot + FOOT + KEY * len(parts))
    _ticks(canvas, axis, foot, scale)
    for number, (found, (_, values)) in enumerate(zip(names, rows, strict=True)):
        y = HEAD + deep * (number + 0.5)
        for k, line in enumerate(found):
            canvas.words(left - GAP, y + (k - (len(found) - 1) / 2) * LINE, line, "right")
        above = below = 0.0
        for value, (fill, edge) in zip(values, STYLES, strict=False):
            start = above if value > 0 else below
            ends = sorted((axis(start), axis(start + value)))
            above, below = above + max(value, 0.0), below + min(value, 0.0)
            if value:
                canvas.box(ends[0], y - BAR / 2, ends[1] - ends[0], BAR, fill, edge)
    canvas.line([(axis(0), HEAD), (axis(0), foot)], INK, 0.6)
    canvas.words((left + COLUMN - RIGHT) / 2, foot + 20, title, "center", colour=MUTE)
    for number, (part, (fill, edge)) in enumerate(zip(parts, STYLES, strict=False)):
        at = foot + FOOT + KEY * (number + 0.5)
        canvas.box(left, at - BAR / 2, 12, BAR, fill, edge)
        canvas.words(left + 18, at, part)
    spoken = "; ".join(
        f"{' '.join(name.split())}: "
        + ", ".join(f"{p} {fixed(v, scale)}" for p, v in zip(parts, values, strict=True))
        for name, values in rows
    )
    return canvas, f"{subject}, {axis_words(title)}: {spoken}."


def strips(
    rows: Sequence[tuple[str, Sequence[float]]],
    title: str,
    scale: Scale,
    subject: str,
    possible: Bounds = UNBOUNDED,
) -> tuple[Canvas, str]:
    """Draw the values of each row as open dots, their mean as a tick; gives SVG and words.

    The axis has ticks at `possible` values.
    """
    names = fonts.shorten_names([name for name, _ in rows], SIZE, LABEL)
    left = max(fonts.width(name, SIZE) for name in names) + GAP + 2
    every = [value for _, values in rows for value in values]
    axis = Axis(min(every), max(every), left + GAP, COLUMN - RIGHT, 5, possible)
    foot = HEAD + ROW * len(rows)
    canvas = Canvas(foot + FOOT)
    _ticks(canvas, axis, foot, scale)
    canvas.line([(left, HEAD), (left, foot)], INK, 0.6)
    for number, (name, (_, values)) in enumerate(zip(names, rows, strict=True)):
        y = HEAD + ROW * (number + 0.5)
        canvas.words(left - GAP, y, name, "right")
        mean = axis(sum(values) / len(values))
        canvas.line([(mean, y - BAR / 2 - 1), (mean, y + BAR / 2 + 1)], INK, 1.1)
        for value in values:
            canvas.dot(axis(value), y, filled=False, radius=2.0)
    canvas.words((left + COLUMN - RIGHT) / 2, foot + 20, title, "center", colour=MUTE)
    spoken = "; ".join(
        f"{name}: {', '.join(fixed(v, scale) for v in values)}" for name, values in rows
    )
    return canvas, f"{subject}, {axis_words(title)}: {spoken}."


def values_next_to_spans(
    rows: Sequence[tuple[str, float, tuple[float, float, float]]],
    title: str,
    scale: Scale,
    subject: str,
    possible: Bounds = UNBOUNDED,
) -> tuple[Canvas, str]:
    """Draw each value as a point, and a span of others as a bar with a tick at its middle.

    The axis has ticks at `possible` values. Gives the SVG and its numbers in words.
    """
    names = fonts.shorten_names([name for name, *_ in rows], SIZE, LABEL)
    left = max(fonts.width(name, SIZE) for name in names) + GAP + 2
    every = [end for _, value, span in rows for end in (value, *span)]
    axis = Axis(min(every), max(every), left + GAP, COLUMN - RIGHT, 5, possible)
    foot = HEAD + ROW * len(rows)
    canvas = Canvas(foot + FOOT)
    _ticks(canvas, axis, foot, scale)
    canvas.line([(left, HEAD), (left, foot)], INK, 0.6)
    spoken = []
    for number, (name, (label, value, span)) in enumerate(zip(names, rows, strict=True)):
        y = HEAD + ROW * (number + 0.5)
        canvas.words(left - GAP, y, name, "right")
        low, middle, high = map(axis, span)
        canvas.box(low, y - BAR / 2, high - low, BAR, *STYLES[2])
        canvas.line([(middle, y - BAR / 2 - 1), (middle, y + BAR / 2 + 1)], INK, 1.1)
        canvas.dot(axis(value), y, filled=True, radius=2.0)
        low_text, middle_text, high_text = (fixed(end, scale) for end in span)
        words = f"{label}: {fixed(value, scale)}, next to {low_text} to {high_text}"
        spoken.append(f"{words}, middle {middle_text}")
    canvas.words((left + COLUMN - RIGHT) / 2, foot + 20, title, "center", colour=MUTE)
    return canvas, f"{subject}, {axis_words(title)}: {'; '.join(spoken)}."


def _ticks(canvas: Canvas, axis: Axis, foot: float, scale: Scale) -> None:
    for tick in axis.ticks:
        canvas.gridline((axis(tick), HEAD), (axis(tick), foot))
    canvas.line([(axis.left, foot), (axis.right, foot)], INK, 0.6)
    canvas.ticks(axis, foot + 8, scale.power)
