"""Groups of models on a scale: as bars below it, or as columns of points where bars would mislead.

Bars follow Demšar (2006). They mislead where models share a place, where a bar passes over a model
that does not belong to it, and where a model far off squeezes the others: a table of points, one
column for each group, has one reading. Average ranks with their critical difference are lines too.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from msgspec import Struct

from evallang.reporting import fonts
from evallang.reporting.decisions import are_stretches
from evallang.reporting.figures.figure import (
    COLUMN,
    DEEPEST,
    INK,
    LEADING,
    MUTE,
    PAIR,
    PAPER,
    RULE,
    SIZE,
    Axis,
    Bounds,
    Canvas,
    Look,
    depth_of_names,
    depth_of_row,
    draw_numbered_names,
    lines_with_room,
    numbers_of_names,
    whole_names,
)
from evallang.reporting.numbers import Scale, fixed

SIDES = (40.0, 80.0)  # points left and right of the scale, by the longest name
SCALE_AT = 26.0  # below the name of the scale and its figures
FIRST_BAR = 40.0
BAR_STEP = 12.0
LABEL_STEP, LABEL_LINES = 13.0, 6
REACH_ROOM = 14.0  # above the scale, for the critical difference
LETTERS = "abcdefghijklmnopqrstuvwxyz"
LEAST_APART = 0.05  # share of the scale between two models; closer ones hide each other
MOST_WITH_BARS = 7  # models
HEAD = 13.0
ROW = 13.0
FOOT = 29.0
GAP = 7.0
LABEL = 96.0
GROUP_STEP = 11.0  # between two columns of points
GROUPS_WIDTH = 90.0
LEAST_SCALE = 40.0


class Positions(Struct, frozen=True):
    """Where models are on the scale of a diagram: their values, labels and looks, best first.

    `reverse` puts small values right, as average ranks are drawn; `reach` is the critical
    difference, drawn as a length above the scale; models that are `far` from the others are listed
    beyond its end. The scale has ticks at `possible` values, and bars below it room for its `ends`.
    `intervals` are drawn in rows.
    """

    values: Mapping[str, float]
    labels: Mapping[str, str]
    looks: Mapping[str, Look]
    scale: Scale
    name: str
    reverse: bool
    possible: Bounds
    far: frozenset[str] = frozenset()
    reach: float | None = None
    ends: Sequence[float] = ()
    intervals: Mapping[str, tuple[float, float]] = {}

    @property
    def texts(self) -> list[str]:
        """The values as printed."""
        return [fixed(value, self.scale) for value in self.values.values()]


def grouping_diagram(
    found: Positions, groups: Sequence[Sequence[str]], *, columns: bool
) -> tuple[Canvas, str]:
    """Draw models on a scale with their groups; gives the SVG and its content in words.

    Groups are `columns` of points, or bars below the scale.
    """
    labels, reach = found.labels, found.reach
    spoken = "; ".join(
        f"group {LETTERS[i]}: {', '.join(labels[m] for m in members)}"
        for i, members in enumerate(groups)
        if len(members) > 1
    )
    alone = "Each pair was shown to differ." if groups else ""
    spoken = f"Not shown to differ, {spoken}." if spoken else alone
    places = zip((labels[m] for m in found.values), found.texts, strict=True)
    critical = "" if reach is None else f" Critical difference {fixed(reach, found.scale)}."
    alt = f"Models on the scale of {found.name}: {', '.join(map(' '.join, places))}. "
    return (_columns if columns else _bars)(found, groups), alt + spoken + critical


def drawn_as_columns(found: Positions, groups: Sequence[Sequence[str]]) -> bool:
    """Return whether bars below a scale would have more than one reading."""
    ordered, places = tuple(found.values), sorted(found.values.values())
    length = places[-1] - places[0]
    near = [b - a for a, b in pairwise(places)]
    crowded = not length > 0 or min(near) < LEAST_APART * length
    many = len(ordered) > MOST_WITH_BARS
    return bool(found.far) or crowded or many or not are_stretches(ordered, groups)


def _columns(found: Positions, groups: Sequence[Sequence[str]]) -> Canvas:
    """Draw a row for each model, best first: its place, and a point in each of its groups."""
    values, texts, far = found.values, found.texts, found.far
    step = min(GROUP_STEP, GROUPS_WIDTH / max(len(groups), 1))
    edge = COLUMN - max(step / 2, 3.0)
    places = [edge - step * (len(groups) - 1 - k) for k in range(len(groups))]
    right = COLUMN - step * len(groups) - GAP
    widest = fonts.widest(texts, SIZE)
    most = min(LABEL, right - LEAST_SCALE - widest - 2 * GAP)
    labels = [found.labels[model] for model in values]
    written = whole_names(labels, most, lines_with_room(len(values)))
    names = written or numbers_of_names(labels)
    left = fonts.widest((line for lines in names for line in lines), SIZE) + GAP
    kept = [v for model, v in values.items() if model not in far]
    kept += [end for between in found.intervals.values() for end in between]
    ends = (left + 3, right - widest - GAP - 3)
    axis = Axis(
        min(kept),
        max(kept),
        *(ends[::-1] if found.reverse else ends),
        3,
        found.possible,
        [(values[model], values[model]) for model in far],
    )
    if found.intervals:  # of ranks, which are whole numbers from 1
        axis.ticks, axis.decimals = [1.0, *(t for t in axis.ticks if t > 1 and t % 1 == 0)], 0
    top = HEAD + (REACH_ROOM if found.reach is not None else 0.0)
    deep = depth_of_names(names, depth_of_row(len(values), ROW, DEEPEST))
    rows = {model: top + deep * (i + 0.5) for i, model in enumerate(values)}
    foot = top + deep * len(values)
    canvas = Canvas(foot + FOOT)
    canvas.scale(axis, foot, found.name, found.scale.power, top=top, marked=True)
    for x, letter in zip(places, LETTERS if step >= SIZE else "", strict=False):
        canvas.words(x, top - 6, letter, "center", bold=True)
    _draw_reach(canvas, axis, found)
    for (model, y), lines, text in zip(rows.items(), names, texts, strict=True):
        canvas.names(left - GAP, y, lines)
        canvas.words(right - 2, y, text, "right")
        if model in found.intervals:
            between = [(axis(end), y) for end in found.intervals[model]]
            canvas.line(between, found.looks[model].colour, 2.0)
        canvas.dot(axis(values[model]), y, filled=True, look=found.looks[model])
    if places:
        canvas.cloud([(x, y) for x in places for y in rows.values()], RULE, 0.8)
    for x, members in zip(places, groups, strict=True):
        first, last = rows[members[0]], rows[members[-1]]
        if len(members) > 1:
            canvas.line([(x, first), (x, last)], INK, 1.1)
        for model, y in rows.items():
            if model in members:
                canvas.dot(x, y, filled=True, radius=2.2, look=PAIR)
            elif first < y < last:
                canvas.box(x - 1.6, y - 4, 3.2, 8, PAPER)
                canvas.line([(x - 1.8, y), (x + 1.8, y)], RULE, 1.0)
    if written is None:
        draw_numbered_names(canvas, labels)
    return canvas


def _bars(found: Positions, groups: Sequence[Sequence[str]]) -> Canvas:
    """Draw one bar below the scale for each group, with an open dot on every member."""
    values, room = found.values, SIDES[1] - 8
    lines: dict[str, tuple[str, ...]] = {}  # a name with its value, in two lines where it is long
    names_ = fonts.name_lines([found.labels[m] for m in values], SIZE, room, LABEL_LINES)
    for model, short, value in zip(values, names_, found.texts, strict=True):
        whole = f"{found.labels[model]}\u2002{value}"
        lines[model] = (whole,) if fonts.width(whole, SIZE) <= room else (*short, value)
    longest = fonts.widest((line for each in lines.values() for line in each), SIZE)
    side = min(max(SIDES[0], longest + 8), SIDES[1])
    ends = (side, COLUMN - side)
    span = min(*found.ends, *values.values()), max(*found.ends, *values.values())
    axis = Axis(*span, *(ends[::-1] if found.reverse else ends), 6, found.possible)
    step = depth_of_names(lines.values(), LABEL_STEP)
    rows = (len(values) + 1) // 2
    top = SCALE_AT + (REACH_ROOM if found.reach is not None else 0.0)
    first_bar = top + FIRST_BAR - SCALE_AT
    first_label = first_bar + BAR_STEP * len(groups) + 6
    canvas = Canvas(first_label + step * (rows - 1) + (step - LABEL_STEP) + 8)
    canvas.plot = (side, COLUMN - side)
    canvas.words(canvas.width / 2, 5, found.name, "center", colour=MUTE)
    canvas.line([(axis.left, top), (axis.right, top)], INK, 0.7)
    texts = axis.texts(found.scale.power)
    apart = abs(axis.right - axis.left) / max(1, len(texts) - 1)
    every = 1 if fonts.widest((text for _, text in texts), SIZE) + 3 < apart else 2
    for i, (tick, text) in enumerate(texts):
        canvas.line([(axis(tick), top - 3), (axis(tick), top)], INK, 0.7)
        if i % every == 0:
            canvas.words(axis(tick), top - 9, text, "center")
    _draw_reach(canvas, axis, found)
    ordered = sorted(values, key=lambda model: (axis(values[model]), model))
    left, right = ordered[: len(ordered) // 2], ordered[len(ordered) // 2 :][::-1]
    for names in (left, right):
        for row, model in enumerate(names):
            x, y = axis(values[model]), first_label + step * row
            wide = fonts.widest(lines[model], SIZE)
            end = min(side - 4, wide) if names is left else COLUMN - min(side - 4, wide)
            for k, line in enumerate(lines[model]):
                below = y + (k - (len(lines[model]) - 1) / 2) * LEADING
                canvas.words(end, below, line, "right" if names is left else "left")
            turn = end + 3 if names is left else end - 3
            canvas.line([(x, top), (x, y), (turn, y)], INK, 0.7)
    for i, members in enumerate(groups):
        y, places = first_bar + BAR_STEP * i, [axis(values[m]) for m in members]
        canvas.line([(min(places), y), (max(places), y)], INK, 2.2)
        for model, x in zip(members, places, strict=True):
            canvas.dot(x, y, filled=False, look=found.looks[model])
        canvas.words(min(places) - 6, y, LETTERS[i], "right", bold=True)
    return canvas


def _draw_reach(canvas: Canvas, axis: Axis, found: Positions) -> None:
    """Draw the critical difference, if there is one, as a length at the best end of the scale."""
    if (reach := found.reach) is None:
        return
    y = SCALE_AT - REACH_ROOM + 4
    start, end = axis.left, axis.left + axis(axis.low + reach) - axis(axis.low)
    canvas.line([(start, y), (end, y)], INK, 0.9)
    for x in (start, end):
        canvas.line([(x, y - 2.5), (x, y + 2.5)], INK, 0.9)
    canvas.words(max(start, end) + 4, y, f"CD {fixed(reach, found.scale)}", "left")


def rank_plot(
    labels: Mapping[str, str],
    ranks: Mapping[str, float],
    reach: float,
    worst: float,
    looks: Mapping[str, Look],
) -> tuple[Canvas, str]:
    """Draw each average rank with a line as long as the critical difference around it.

    Two models differ significantly where their lines do not overlap (Zhou 2021, figure 2.8).
    `ranks` are best first, of `worst` models in all.
    Gives the SVG and its numbers in words.
    """
    scale, half = Scale(2), reach / 2
    whole = [labels[model] for model in ranks]
    written = whole_names(whole, LABEL, lines_with_room(len(ranks)))
    names = written or numbers_of_names(whole)
    texts = [fixed(value, scale) for value in ranks.values()]
    left = fonts.widest((line for lines in names for line in lines), SIZE) + GAP
    right = COLUMN - fonts.widest(texts, SIZE) - GAP
    ends = min(ranks.values()) - half, max(ranks.values()) + half
    axis = Axis(*ends, left + 3, right - 3, 5, (1.0, worst))
    deep = depth_of_names(names, depth_of_row(len(ranks), ROW, DEEPEST))
    canvas = Canvas(deep * len(ranks) + FOOT)
    canvas.scale(axis, deep * len(ranks), "Average rank", marked=True)
    for i, (lines, text, model) in enumerate(zip(names, texts, ranks, strict=True)):
        y, rank, look = deep * (i + 0.5), ranks[model], looks[model]
        canvas.names(left - GAP, y, lines)
        canvas.words(COLUMN, y, text, "right")
        places = [axis(rank - half), axis(rank + half)]
        canvas.line([(x, y) for x in places], look.colour, 1.4)
        for x in places:
            canvas.line([(x, y - 2.2), (x, y + 2.2)], look.colour, 0.8)
        canvas.dot(axis(rank), y, filled=True, look=look)
    if written is None:
        draw_numbered_names(canvas, whole)
    spoken = "; ".join(f"{labels[m]} {text}" for m, text in zip(ranks, texts, strict=True))
    critical = f"Lines as long as the critical difference, {fixed(reach, scale)}."
    return canvas, f"Average ranks: {spoken}. {critical}"
