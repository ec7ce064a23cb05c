"""Counts as bars: how often each of several values occurred."""

from collections.abc import Sequence

from evallang.reporting import fonts
from evallang.reporting.figures.figure import BLUE, COLUMN, INK, MUTE, SIZE, Axis, Canvas
from evallang.reporting.letter_case import axis_words
from evallang.reporting.numbers import count

ROW = 13.0
BAR = 7.0  # depth of a bar
HEAD = 4.0
FOOT = 27.0
LABEL = 110.0  # points for the names; longer ones are shortened
GAP = 6.0
COUNTS = 24.0  # points for the figures behind the bars


def bars_of_counts(
    rows: Sequence[tuple[str, int]], most: int, title: str, subject: str
) -> tuple[Canvas, str]:
    """Draw a bar for each count out of `most`; gives the SVG and its numbers in words."""
    names = fonts.shorten_names([name for name, _ in rows], SIZE, LABEL)
    left = max(fonts.width(name, SIZE) for name in names) + GAP + 2
    axis = Axis(0, most, left, COLUMN - COUNTS, min(5, most), (0, most))
    foot = HEAD + ROW * len(rows)
    canvas = Canvas(foot + FOOT)
    canvas.plot = (left, COLUMN - COUNTS)
    for tick in axis.ticks:
        canvas.gridline((axis(tick), HEAD), (axis(tick), foot))
        canvas.words(axis(tick), foot + 8, f"{tick:g}", "center")
    for number, (name, (_, n)) in enumerate(zip(names, rows, strict=True)):
        y = HEAD + ROW * (number + 0.5)
        canvas.words(left - GAP, y, name, "right")
        if n:
            canvas.box(left, y - BAR / 2, axis(n) - left, BAR, BLUE)
        canvas.words(axis(n) + 4, y, count(n), colour=INK if n else MUTE)
    canvas.line([(left, HEAD), (left, foot), (COLUMN - COUNTS, foot)], INK, 0.6)
    canvas.words((left + COLUMN - COUNTS) / 2, foot + 20, title, "center", colour=MUTE)
    spoken = ", ".join(f"{name} {count(n)}" for name, n in rows)
    return canvas, f"{subject}, {axis_words(title)} of {count(most)}: {spoken}."
