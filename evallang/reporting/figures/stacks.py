"""Rows on one scale: parts of a whole as stacked bars, counts, single values, and spans."""

from collections.abc import Sequence

from evallang.reporting import fonts
from evallang.reporting.figures.curves import draw_key
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
    Look,
    depth_of_names,
)
from evallang.reporting.figures.forest import lines_of_rows
from evallang.reporting.letter_case import axis_words
from evallang.reporting.numbers import Scale, count, fixed

ROW = 15.0
BAR = 8.0  # depth of a bar
HEAD = 4.0
FOOT = 27.0
KEY = 11.0  # depth of a line of the key
LABEL = 90.0  # points for the names; longer ones are shortened
LABEL_OF_PAIR = 132.0  # the same where a row is about two models
GAP = 6.0
RIGHT = 10.0
COUNTS = 24.0  # points for the figures behind bars of counts
STYLES = ((BLUE, BLUE), (PAPER, INK), (RULE, MUTE), (MUTE, MUTE))
"""Fill and edge of the parts, in their order."""


def name_of_pair(models: Sequence[str], link: str) -> str:
    """Return the name of a row about two models: in two lines if it is too long for one."""
    first, second = models
    name = f"{first} {link} {second}"
    return name if fonts.width(name, SIZE) <= LABEL_OF_PAIR else f"{first}\n{link} {second}"


class _Rows:
    """Rows below each other: their names at the left, and the scale below them."""

    def __init__(
        self,
        names: Sequence[str],
        title: str,
        power: int,
        ends: tuple[float, float],
        possible: Bounds,
        *,
        label: float = LABEL,
        deep: float = ROW,
        inset: float = 0.0,
        right: float = RIGHT,
        most_ticks: int = 5,
    ) -> None:
        lines = lines_of_rows([name.split("\n") for name in names], label)
        self.deep = depth_of_names(lines, deep)
        self.left = fonts.widest((line for found in lines for line in found), SIZE) + GAP + 2
        self.foot = HEAD + self.deep * len(names)
        self.axis = axis = Axis(*ends, self.left + inset, COLUMN - right, most_ticks, possible)
        self.canvas = canvas = Canvas(self.foot + FOOT)
        for tick in axis.ticks:
            canvas.gridline((axis(tick), HEAD), (axis(tick), self.foot))
        canvas.line([(axis.left, self.foot), (axis.right, self.foot)])
        canvas.ticks(axis, self.foot + 8, power)
        middle = (self.left + COLUMN - right) / 2
        canvas.words(middle, self.foot + 20, title, "center", colour=MUTE)
        self.places = [HEAD + self.deep * (i + 0.5) for i in range(len(lines))]
        for y, found in zip(self.places, lines, strict=True):
            canvas.names(self.left - GAP, y, found)

    def upright(self, x: float) -> None:
        """Draw a line along all rows."""
        self.canvas.line([(x, HEAD), (x, self.foot)])

    def tick(self, value: float, y: float) -> None:
        """Mark a value in a row."""
        x = self.axis(value)
        self.canvas.line([(x, y - BAR / 2 - 1), (x, y + BAR / 2 + 1)], INK, 1.1)


def stacked_bars(
    rows: Sequence[tuple[str, Sequence[float]]],
    parts: Sequence[str],
    title: str,
    scale: Scale,
    subject: str,
    label: float = LABEL,
    possible: Bounds = UNBOUNDED,
    among: Sequence[Sequence[float]] = (),
) -> tuple[Canvas, str]:
    """Draw the parts of each row one after the other; parts below zero go to the left of zero.

    Names have `label` points at most in each of their lines, and the axis has room for the rows
    `among` which these are, and ticks at `possible` values. Gives the SVG and its numbers in words.
    """
    every = among or [values for _, values in rows]
    low = min([0.0, *(sum(v for v in values if v < 0) for values in every)])
    high = max([0.0, *(sum(v for v in values if v > 0) for values in every)])
    steps = (high - low) * 10.0 ** min(scale.decimals + scale.power, 9)  # that its numbers show
    most, names = int(min(max(steps, 1), 5)), [name for name, _ in rows]
    made = _Rows(names, title, scale.power, (low, high), possible, label=label, most_ticks=most)
    canvas, axis = made.canvas, made.axis
    for y, (_, values) in zip(made.places, rows, strict=True):
        above = below = 0.0
        for value, (fill, edge) in zip(values, STYLES, strict=False):
            start = above if value > 0 else below
            ends = sorted((axis(start), axis(start + value)))
            above, below = above + max(value, 0.0), below + min(value, 0.0)
            if value:
                canvas.box(ends[0], y - BAR / 2, ends[1] - ends[0], BAR, fill, edge)
    made.upright(axis(0))
    for part, (fill, edge) in zip(parts, STYLES, strict=False):
        canvas.box(made.left, canvas.height + (KEY - BAR) / 2, 12, BAR, fill, edge)
        for line in fonts.wrap(part, SIZE, COLUMN - made.left - 18, fonts.MOST_LINES):
            canvas.words(made.left + 18, canvas.height + KEY / 2, line)
            canvas.height += KEY
    spoken = "; ".join(
        f"{' '.join(name.split())}: "
        + ", ".join(f"{p} {fixed(v, scale)}" for p, v in zip(parts, values, strict=True))
        for name, values in rows
    )
    return canvas, f"{subject}, {axis_words(title)}: {spoken}."


def bars_of_counts(
    rows: Sequence[tuple[str, int]], most: int, title: str, subject: str, look: Look
) -> tuple[Canvas, str]:
    """Draw a bar for each count out of `most`; gives the SVG and its numbers in words."""
    ticks = min(5, most)
    made = _Rows([name for name, _ in rows], title, 0, (0, most), (0, most), label=110.0,
                 deep=ROW - 2, right=COUNTS, most_ticks=ticks)  # fmt: skip
    made.canvas.plot = (made.left, COLUMN - COUNTS)
    for y, (_, n) in zip(made.places, rows, strict=True):
        if n:
            made.canvas.box(made.left, y - 3.5, made.axis(n) - made.left, 7.0, look.colour)
        made.canvas.words(made.axis(n) + 4, y, count(n), colour=INK if n else MUTE)
    made.upright(made.left)
    draw_key(made.canvas, made.left, [(subject, Look(look.colour))])
    spoken = ", ".join(f"{name} {count(n)}" for name, n in rows)
    return made.canvas, f"{subject}, {axis_words(title)} of {count(most)}: {spoken}."


def strips(
    rows: Sequence[tuple[str, Sequence[float]]],
    title: str,
    scale: Scale,
    subject: str,
    possible: Bounds,
    looks: Sequence[Look],
) -> tuple[Canvas, str]:
    """Draw the values of each row as open dots, their mean as a tick; gives SVG and words."""
    every = [value for _, values in rows for value in values]
    ends = min(every), max(every)
    made = _Rows([name for name, _ in rows], title, scale.power, ends, possible, inset=GAP)
    made.upright(made.left)
    for y, (_, values), look in zip(made.places, rows, looks, strict=True):
        made.tick(sum(values) / len(values), y)
        for value in values:
            made.canvas.dot(made.axis(value), y, filled=False, radius=2.0, look=look)
    spoken = "; ".join(
        f"{name}: {', '.join(fixed(v, scale) for v in values)}" for name, values in rows
    )
    return made.canvas, f"{subject}, {axis_words(title)}: {spoken}."


def values_next_to_spans(
    rows: Sequence[tuple[str, float, tuple[float, float, float]]],
    title: str,
    scale: Scale,
    subject: str,
    possible: Bounds,
    looks: Sequence[Look],
) -> tuple[Canvas, str]:
    """Draw each value as a point, and a span of others as a bar with a tick at its middle.

    Gives the SVG and its numbers in words.
    """
    every = [end for _, value, span in rows for end in (value, *span)]
    ends = min(every), max(every)
    made = _Rows([name for name, *_ in rows], title, scale.power, ends, possible, inset=GAP)
    made.upright(made.left)
    spoken = []
    for y, (label, value, span), look in zip(made.places, rows, looks, strict=False):
        low, _, high = map(made.axis, span)
        made.canvas.box(low, y - BAR / 2, high - low, BAR, *STYLES[2])
        made.tick(span[1], y)
        made.canvas.dot(made.axis(value), y, filled=True, radius=2.0, look=look)
        low_text, middle, high_text = (fixed(end, scale) for end in span)
        words = f"{label}: {fixed(value, scale)}, next to {low_text} to {high_text}"
        spoken.append(f"{words}, middle {middle}")
    return made.canvas, f"{subject}, {axis_words(title)}: {'; '.join(spoken)}."
