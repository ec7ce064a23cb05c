"""Decisions of all pairs drawn twice: models in groups on a scale, and a matrix of p-values."""

from collections.abc import Mapping, Sequence

from evallang.reporting import fonts
from evallang.reporting.context import Context, printed_p
from evallang.reporting.contrasts import contrast
from evallang.reporting.figures.figure import (
    BLUE,
    COLUMN,
    INK,
    MUTE,
    PAPER,
    RULE,
    SHADE,
    SIZE,
    Axis,
    Canvas,
)
from evallang.reporting.numbers import Scale, fixed, p_value
from evallang.results.records import Comparison, HypothesisTestResult

SIDES = (40.0, 66.0)  # points left and right of the scale, by the longest name
SCALE_AT = 26.0  # below the name of the scale and its figures
FIRST_BAR = 40.0
BAR_STEP = 12.0
LABEL_STEP = 13.0
DOUBLE_LABEL_STEP = 19.0
LINE = 7.8
REACH_ROOM = 14.0  # above the scale, for the critical difference
CELL = 21.0
MOST_NAMED_COLUMNS = 5  # more models are numbered


def grouping_diagram(
    labels: Mapping[str, str],
    values: Mapping[str, float],
    groups: Sequence[Sequence[str]],
    scale: Scale,
    name: str,
    *,
    reverse: bool = False,
    reach: float | None = None,
) -> tuple[str, str]:
    """Draw models on a scale, one bar for each group with an open dot on every member.

    `reverse` puts small values right, as average ranks are drawn; `reach` is the critical
    difference, drawn as a length above the scale. Gives the SVG and its content in words.
    """
    low, high = min(values.values()), max(values.values())
    lines = {m: _label_lines(labels[m], fixed(values[m], scale)) for m in values}
    longest = max(fonts.width(line, SIZE) for found in lines.values() for line in found)
    side = min(max(SIDES[0], longest + 8), SIDES[1])
    ends = (side, COLUMN - side)
    axis = Axis(low, high, *(ends[::-1] if reverse else ends), 6)
    step = DOUBLE_LABEL_STEP if any(len(found) > 1 for found in lines.values()) else LABEL_STEP
    rows = (len(values) + 1) // 2
    top = SCALE_AT + (REACH_ROOM if reach is not None else 0.0)
    first_bar = top + FIRST_BAR - SCALE_AT
    first_label = first_bar + BAR_STEP * len(groups) + 6
    canvas = Canvas(first_label + step * (rows - 1) + (step - LABEL_STEP) + 8)
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
    spoken = "; ".join(
        f"group {'abcdefghijklmnopqrstuvwxyz'[i]}: {', '.join(labels[m] for m in members)}"
        for i, members in enumerate(groups)
    )
    places = ", ".join(f"{labels[m]} {fixed(values[m], scale)}" for m in ordered)
    critical = "" if reach is None else f" Critical difference {fixed(reach, scale)}."
    alt = f"Models on the scale of {name}: {places}. Not shown to differ, {spoken}.{critical}"
    return canvas.svg(), alt


def decision_matrix(
    context: Context, comparison: Comparison, ordered: Sequence[str]
) -> tuple[str, str]:
    """Draw p-values below the diagonal, filled where rejected, and differences above it."""
    numbered = len(ordered) > MOST_NAMED_COLUMNS
    labels = [context.model(model) for model in ordered]
    heads = [str(i + 1) for i in range(len(ordered))] if numbered else labels
    names = [f"{i + 1} {name}" if numbered else name for i, name in enumerate(labels)]
    names = [fonts.shorten(name, SIZE, 86.0) for name in names]
    left = max(fonts.width(name, SIZE) for name in names) + 6
    wide = (COLUMN - left) / len(ordered)
    top = 13.0 if numbered else 22.0
    canvas = Canvas(top + CELL * len(ordered) + 1)
    scale = context.difference_scale(comparison)
    pairs = {frozenset(pair.models): pair for pair in comparison.pairwise}
    size = SIZE if wide > 26 else 5.5
    for i, head in enumerate(heads):
        lines = fonts.wrap(head, SIZE - 0.5, wide - 3)
        for k, line in enumerate(lines):
            y = top - 6 - 8.2 * (len(lines) - 1 - k)
            canvas.words(left + wide * (i + 0.5), y, line, "center", size=SIZE - 0.5)
    spoken = []
    for i, row in enumerate(ordered):
        y = top + CELL * i
        canvas.words(left - 5, y + CELL / 2, names[i], "right")
        for k, column in enumerate(ordered):
            x = left + wide * k
            if i == k:
                canvas.box(x + 1, y + 1, wide - 2, CELL - 2, SHADE)
                continue
            pair = pairs[frozenset((row, column))]
            middle = (x + wide / 2, y + CELL / 2)
            if k > i:
                found = contrast(pair, row)
                text = fixed(found.value, scale, signed=True, null=0.0)
                canvas.words(*middle, text, "center", colour=MUTE, size=size)
                continue
            text = _draw_decision(context, canvas, comparison, pair, (x, y, wide), size)
            spoken.append(f"{labels[i]} and {labels[k]} {text}")
    return canvas.svg(), f"Adjusted p of each pair: {'; '.join(spoken)}."


def _draw_decision(
    context: Context,
    canvas: Canvas,
    comparison: Comparison,
    pair: HypothesisTestResult,
    place: tuple[float, float, float],
    size: float,
) -> str:
    x, y, wide = place
    p = printed_p(pair)
    text = "–" if p is None else p_value(p, comparison.alpha, context.style).cell
    rejected = bool(pair.reject)
    canvas.box(x + 1, y + 1, wide - 2, CELL - 2, BLUE if rejected else PAPER,
               BLUE if rejected else RULE)  # fmt: skip
    canvas.words(x + wide / 2, y + CELL / 2, text, "center",
                 colour=PAPER if rejected else INK, bold=rejected, size=size)  # fmt: skip
    return text + (" (rejected)" if rejected else "")


def _label_lines(label: str, value: str) -> tuple[str, ...]:
    """Set a name with its value in one line where that is short, else in two."""
    whole = f"{label}\u2002{value}"
    if fonts.width(whole, SIZE) <= SIDES[1] - 8:
        return (whole,)
    room = SIDES[1] - 8
    if fonts.width(label, SIZE) <= room:
        return (label, value)
    first, *rest = fonts.wrap(label, SIZE, room, 2)
    second = rest[0] if rest else ""
    space = fonts.width(f"\u2002{value}", SIZE)
    return (first, f"{fonts.shorten(second, SIZE, room - space)}\u2002{value}".strip("\u2002"))


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
    letter = "abcdefghijklmnopqrstuvwxyz"[number]
    canvas.line([(min(places), y), (max(places), y)], BLUE, 2.2)
    for x in places:
        canvas.dot(x, y, filled=False)
    canvas.words(min(places) - 6, y, letter, "right", bold=True)
