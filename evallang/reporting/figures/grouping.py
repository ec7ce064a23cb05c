"""Groups of models on a scale: as bars below it, or as columns of points where bars would mislead.

Bars follow Demšar (2006). They mislead where models share a place, where a bar passes over a model
that does not belong to it, and where a model far off squeezes the others: a table of points, one
column for each group, has one reading.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

from evallang.reporting import fonts
from evallang.reporting.figures.figure import (
    BLUE,
    COLUMN,
    DEEPEST,
    INK,
    MUTE,
    PAPER,
    RULE,
    SIZE,
    UNBOUNDED,
    Axis,
    Bounds,
    Canvas,
    depth_of_row,
)
from evallang.reporting.groups import are_stretches
from evallang.reporting.numbers import Scale, fixed

SIDES = (40.0, 66.0)  # points left and right of the scale, by the longest name
SCALE_AT = 26.0  # below the name of the scale and its figures
FIRST_BAR = 40.0
BAR_STEP = 12.0
LABEL_STEP = 13.0
DOUBLE_LABEL_STEP = 19.0
LINE = 7.8
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


def grouping_diagram(
    labels: Mapping[str, str],
    values: Mapping[str, float],
    groups: Sequence[Sequence[str]],
    scale: Scale,
    name: str,
    *,
    reverse: bool = False,
    reach: float | None = None,
    far: frozenset[str] = frozenset(),
    possible: Bounds = UNBOUNDED,
) -> tuple[Canvas, str]:
    """Draw models on a scale with their groups; gives the SVG and its content in words.

    `values` are best first. `reverse` puts small values right, as average ranks are drawn;
    `reach` is the critical difference, drawn as a length above the scale; models that are `far`
    from the others are listed beyond its end. The scale has ticks at `possible` values.
    """
    ordered = tuple(values)
    if drawn_as_columns(values, groups, far):
        svg = _columns(labels, values, groups, scale, name, reverse, reach, far, possible)
    else:
        svg = _bars(labels, values, groups, scale, name, reverse, reach, possible)
    spoken = "; ".join(
        f"group {LETTERS[i]}: {', '.join(labels[m] for m in members)}"
        for i, members in enumerate(groups)
    )
    places = ", ".join(f"{labels[m]} {fixed(values[m], scale)}" for m in ordered)
    critical = "" if reach is None else f" Critical difference {fixed(reach, scale)}."
    alt = f"Models on the scale of {name}: {places}. Not shown to differ, {spoken}.{critical}"
    return svg, alt


def drawn_as_columns(
    values: Mapping[str, float], groups: Sequence[Sequence[str]], far: frozenset[str] = frozenset()
) -> bool:
    """Return whether bars below a scale would have more than one reading."""
    ordered = tuple(values)
    places = sorted(values.values())
    length = places[-1] - places[0]
    near = [b - a for a, b in pairwise(places)]
    crowded = not length > 0 or min(near) < LEAST_APART * length
    many = len(ordered) > MOST_WITH_BARS
    return bool(far) or crowded or many or not are_stretches(ordered, groups)


def _columns(
    labels: Mapping[str, str],
    values: Mapping[str, float],
    groups: Sequence[Sequence[str]],
    scale: Scale,
    name: str,
    reverse: bool,
    reach: float | None,
    far: frozenset[str],
    possible: Bounds,
) -> Canvas:
    """Draw a row for each model, best first: its place, and a point in each of its groups."""
    ordered = tuple(values)
    texts = [fixed(values[m], scale) for m in ordered]
    step = min(GROUP_STEP, GROUPS_WIDTH / len(groups))
    first_group = COLUMN - step * (len(groups) - 0.5)
    right = COLUMN - step * len(groups) - GAP
    room = COLUMN - (COLUMN - right) - LEAST_SCALE
    widest = max(fonts.width(text, SIZE) for text in texts)
    most = min(LABEL, room - widest - 2 * GAP)
    names = fonts.shorten_names([labels[m] for m in ordered], SIZE, most)
    left = max(fonts.width(text, SIZE) for text in names) + GAP
    right -= widest + GAP
    kept = [v for model, v in values.items() if model not in far]
    low, high = min(kept), max(kept)
    ends = (left + 3, right - 3)
    axis = Axis(low, high, *(ends[::-1] if reverse else ends), 3, possible)
    top = HEAD + (REACH_ROOM if reach is not None else 0.0)
    deep = depth_of_row(len(ordered), ROW, DEEPEST)
    depth = top + deep * len(ordered)
    canvas = Canvas(depth + FOOT)
    canvas.plot = (min(ends), max(ends))
    for tick in axis.ticks:
        if axis.low <= tick <= axis.high:
            canvas.gridline((axis(tick), top), (axis(tick), depth))
    for k in range(len(groups)):
        canvas.words(first_group + step * k, top - 6, LETTERS[k], "center", bold=True)
    if reach is not None:
        _draw_reach(canvas, axis, reach, scale)
    for i, model in enumerate(ordered):
        y = top + deep * (i + 0.5)
        canvas.words(left - GAP, y, names[i], "right")
        canvas.words(right + GAP + widest - 2, y, texts[i], "right")
        if model in far:
            _draw_beyond(canvas, axis, y, values[model])
        else:
            canvas.dot(axis(values[model]), y, filled=True)
        for k in range(len(groups)):
            canvas.box(first_group + step * k - 0.8, y - 0.8, 1.6, 1.6, RULE)
    for k, members in enumerate(groups):
        x = first_group + step * k
        rows = [top + deep * (ordered.index(m) + 0.5) for m in members]
        if len(rows) > 1:
            canvas.line([(x, rows[0]), (x, rows[-1])], BLUE, 1.1)
        for i, model in enumerate(ordered):
            y = top + deep * (i + 0.5)
            if model in members:
                canvas.dot(x, y, filled=True, radius=2.2)
            elif rows[0] < y < rows[-1]:
                canvas.box(x - 1.6, y - 4, 3.2, 8, PAPER)
                canvas.line([(x - 1.8, y), (x + 1.8, y)], RULE, 1.0)
    _draw_foot(canvas, axis, depth, name, scale.power)
    return canvas


def _draw_beyond(canvas: Canvas, axis: Axis, y: float, value: float) -> None:
    """Point to a model beyond the end of the scale, whose value is listed at the right."""
    lower = value < axis.low
    end = axis.left if lower else axis.right
    sign = 1 if (end > (axis.left + axis.right) / 2) else -1
    canvas.line([(end - sign * 8, y), (end, y)], BLUE, 1.1)
    tip = end + sign * 3
    canvas.area([(tip, y), (end, y - 2.2), (end, y + 2.2)], BLUE)


def _draw_foot(canvas: Canvas, axis: Axis, depth: float, name: str, power: int) -> None:
    """Draw the ticks and the name of the scale below the rows."""
    canvas.line([(axis.left, depth), (axis.right, depth)], INK, 0.6)
    for tick in axis.ticks:
        if axis.low <= tick <= axis.high:
            canvas.line([(axis(tick), depth), (axis(tick), depth + 3)], INK, 0.6)
    canvas.ticks(axis, depth + 9, power)
    half = fonts.width(name, SIZE) / 2
    middle = max((axis.left + axis.right) / 2, half)
    canvas.words(middle, depth + 21, name, "center", colour=MUTE)


def _bars(
    labels: Mapping[str, str],
    values: Mapping[str, float],
    groups: Sequence[Sequence[str]],
    scale: Scale,
    name: str,
    reverse: bool,
    reach: float | None,
    possible: Bounds,
) -> Canvas:
    """Draw one bar below the scale for each group, with an open dot on every member."""
    low, high = min(values.values()), max(values.values())
    short = fonts.shorten_names([labels[m] for m in values], SIZE, SIDES[1] - 8)
    lines = {
        m: _label_lines(labels[m], cut, fixed(values[m], scale))
        for m, cut in zip(values, short, strict=True)
    }
    longest = max(fonts.width(line, SIZE) for found in lines.values() for line in found)
    side = min(max(SIDES[0], longest + 8), SIDES[1])
    ends = (side, COLUMN - side)
    axis = Axis(low, high, *(ends[::-1] if reverse else ends), 6, possible)
    step = DOUBLE_LABEL_STEP if any(len(found) > 1 for found in lines.values()) else LABEL_STEP
    rows = (len(values) + 1) // 2
    top = SCALE_AT + (REACH_ROOM if reach is not None else 0.0)
    first_bar = top + FIRST_BAR - SCALE_AT
    first_label = first_bar + BAR_STEP * len(groups) + 6
    canvas = Canvas(first_label + step * (rows - 1) + (step - LABEL_STEP) + 8)
    canvas.plot = (side, COLUMN - side)
    _draw_scale(canvas, axis, name, scale.power, top)
    if reach is not None:
        _draw_reach(canvas, axis, reach, scale)
    ordered = sorted(values, key=lambda model: (axis(values[model]), model))
    left, right = ordered[: len(ordered) // 2], ordered[len(ordered) // 2 :][::-1]
    for at_left, names in ((True, left), (False, right)):
        for row, model in enumerate(names):
            place = (axis(values[model]), first_label + step * row)
            _draw_label(canvas, place, lines[model], side, top, at_left=at_left)
    for i, members in enumerate(groups):
        _draw_group(canvas, [axis(values[m]) for m in members], first_bar + BAR_STEP * i, i)
    return canvas


def _label_lines(label: str, short: str, value: str) -> tuple[str, ...]:
    """Set a name with its value in one line where that is short, else in two."""
    whole = f"{label}\u2002{value}"
    if fonts.width(whole, SIZE) <= SIDES[1] - 8:
        return (whole,)
    return (short, value)


def _draw_scale(canvas: Canvas, axis: Axis, name: str, power: int, top: float) -> None:
    canvas.words(canvas.width / 2, 5, name, "center", colour=MUTE)
    canvas.line([(axis.left, top), (axis.right, top)], INK, 0.7)
    decimals = max(0, axis.decimals - power)
    texts = [fixed(tick, Scale(decimals, power)) for tick in axis.ticks]
    room = abs(axis.right - axis.left) / max(1, len(texts) - 1)
    every = 1 if max(fonts.width(text, SIZE) for text in texts) + 3 < room else 2
    for i, (tick, text) in enumerate(zip(axis.ticks, texts, strict=True)):
        x = axis(tick)
        canvas.line([(x, top - 3), (x, top)], INK, 0.7)
        if i % every == 0:
            canvas.words(x, top - 9, text, "center")


def _draw_reach(canvas: Canvas, axis: Axis, reach: float, scale: Scale) -> None:
    """Draw the critical difference as a length, at the best end of the scale."""
    y = SCALE_AT - REACH_ROOM + 4
    start = axis.left
    size = abs(axis(axis.low + reach) - axis(axis.low))
    end = start - size if axis.right < axis.left else start + size
    canvas.line([(start, y), (end, y)], INK, 0.9)
    for x in (start, end):
        canvas.line([(x, y - 2.5), (x, y + 2.5)], INK, 0.9)
    canvas.words(max(start, end) + 4, y, f"CD {fixed(reach, scale)}", "left")


def _draw_label(
    canvas: Canvas,
    place: tuple[float, float],
    lines: Sequence[str],
    side: float,
    top: float,
    *,
    at_left: bool,
) -> None:
    """Lead a line from the scale down to a name at the side."""
    x, y = place
    longest = max(fonts.width(line, SIZE) for line in lines)
    end = (
        min(side - 4, longest) if at_left else max(canvas.width - side + 4, canvas.width - longest)
    )
    for k, line in enumerate(lines):
        below = y + k * LINE - (len(lines) - 1) * LINE / 2
        canvas.words(end, below, line, "right" if at_left else "left")
    canvas.line([(x, top), (x, y), (end + 3 if at_left else end - 3, y)], INK, 0.7)


def _draw_group(canvas: Canvas, places: Sequence[float], y: float, number: int) -> None:
    letter = LETTERS[number]
    canvas.line([(min(places), y), (max(places), y)], BLUE, 2.2)
    for x in places:
        canvas.dot(x, y, filled=False)
    canvas.words(min(places) - 6, y, letter, "right", bold=True)
