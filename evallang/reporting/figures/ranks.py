"""Average ranks as points with the critical difference as a line (Zhou 2021, figure 2.8)."""

from collections.abc import Mapping

from evallang.reporting import fonts
from evallang.reporting.figures.figure import (
    BLUE,
    COLUMN,
    DEEPEST,
    INK,
    MUTE,
    SIZE,
    Axis,
    Canvas,
    depth_of_row,
)
from evallang.reporting.numbers import Scale, fixed

ROW = 13.0
FOOT = 29.0
GAP = 7.0
LABEL = 96.0


def rank_plot(
    labels: Mapping[str, str], ranks: Mapping[str, float], reach: float, worst: float
) -> tuple[Canvas, str]:
    """Draw each average rank with a line as long as the critical difference around it.

    Two models differ significantly where their lines do not overlap. `ranks` are best first, of
    `worst` models in all.
    Gives the SVG and its numbers in words.
    """
    scale = Scale(2)
    names = fonts.shorten_names([labels[m] for m in ranks], SIZE, LABEL)
    texts = [fixed(value, scale) for value in ranks.values()]
    left = max(fonts.width(name, SIZE) for name in names) + GAP
    right = COLUMN - max(fonts.width(text, SIZE) for text in texts) - GAP
    half = reach / 2
    low, high = min(ranks.values()) - half, max(ranks.values()) + half
    axis = Axis(low, high, left + 3, right - 3, 5, (1.0, worst))
    deep = depth_of_row(len(ranks), ROW, DEEPEST)
    depth = deep * len(ranks)
    canvas = Canvas(depth + FOOT)
    canvas.plot = (axis.left, axis.right)
    for tick in axis.ticks:
        if not axis.low <= tick <= axis.high:
            continue
        canvas.gridline((axis(tick), 0), (axis(tick), depth))
        canvas.line([(axis(tick), depth), (axis(tick), depth + 3)], INK, 0.6)
    canvas.ticks(axis, depth + 9)
    canvas.line([(axis.left, depth), (axis.right, depth)], INK, 0.6)
    canvas.words((axis.left + axis.right) / 2, depth + 21, "Average rank", "center", colour=MUTE)
    for i, (name, text, rank) in enumerate(zip(names, texts, ranks.values(), strict=True)):
        y = deep * (i + 0.5)
        canvas.words(left - GAP, y, name, "right")
        canvas.words(COLUMN, y, text, "right")
        canvas.line([(axis(rank - half), y), (axis(rank + half), y)], BLUE, 1.4)
        for end in (rank - half, rank + half):
            canvas.line([(axis(end), y - 2.2), (axis(end), y + 2.2)], BLUE, 0.8)
        canvas.dot(axis(rank), y, filled=True)
    spoken = "; ".join(f"{labels[m]} {text}" for m, text in zip(ranks, texts, strict=True))
    alt = (
        f"Average ranks: {spoken}. Lines as long as the critical difference, {fixed(reach, scale)}."
    )
    return canvas, alt
