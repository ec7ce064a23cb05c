"""Decisions of all pairs drawn twice: models in groups on a scale, and a matrix of p-values."""

from collections.abc import Mapping, Sequence

from evallang.reporting import fonts
from evallang.reporting.context import Context, printed_p
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
from evallang.reporting.wording import contrast
from evallang.results.records import Comparison, HypothesisTestResult

SIDES = (60.0, 90.0)  # points left and right of the scale, by the longest name
SCALE_AT = 26.0  # below the name of the scale and its figures
FIRST_BAR = 40.0
BAR_STEP = 12.0
LABEL_STEP = 13.0
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
) -> tuple[str, str]:
    """Draw models on a scale, one bar for each group with an open dot on every member.

    `reverse` puts small values right, as average ranks are drawn. Gives the SVG and its
    content in words.
    """
    low, high = min(values.values()), max(values.values())
    longest = max(fonts.width(f"{labels[m]}  {fixed(values[m], scale)}", SIZE) for m in values)
    side = min(max(SIDES[0], longest + 8), SIDES[1])
    ends = (side, COLUMN - side)
    axis = Axis(low, high, *(ends[::-1] if reverse else ends), 6)
    rows = (len(values) + 1) // 2
    first_label = FIRST_BAR + BAR_STEP * len(groups) + 4
    canvas = Canvas(first_label + LABEL_STEP * (rows - 1) + 8)
    _draw_scale(canvas, axis, name, scale.power)
    ordered = sorted(values, key=lambda model: (axis(values[model]), model))
    left, right = ordered[: len(ordered) // 2], ordered[len(ordered) // 2 :][::-1]
    for at_left, names in ((True, left), (False, right)):
        for row, model in enumerate(names):
            y = first_label + LABEL_STEP * row
            text = (labels[model], fixed(values[model], scale))
            _draw_label(canvas, axis(values[model]), y, text, at_left=at_left)
    for i, members in enumerate(groups):
        _draw_group(canvas, [axis(values[m]) for m in members], FIRST_BAR + BAR_STEP * i, i)
    spoken = "; ".join(
        f"group {'abcdefghijklmnopqrstuvwxyz'[i]}: {', '.join(labels[m] for m in members)}"
        for i, members in enumerate(groups)
    )
    places = ", ".join(f"{labels[m]} {fixed(values[m], scale)}" for m in ordered)
    return canvas.svg(), f"Models on the scale of {name}: {places}. Not separated, {spoken}."


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


def _draw_scale(canvas: Canvas, axis: Axis, name: str, power: int) -> None:
    canvas.words(canvas.width / 2, 5, name, "center", colour=MUTE)
    canvas.line([(axis.left, SCALE_AT), (axis.right, SCALE_AT)], INK, 0.7)
    decimals = max(0, axis.decimals - power)
    texts = [fixed(tick, Scale(decimals, power)) for tick in axis.ticks]
    room = abs(axis.right - axis.left) / max(1, len(texts) - 1)
    every = 1 if max(fonts.width(text, SIZE) for text in texts) + 3 < room else 2
    for i, (tick, text) in enumerate(zip(axis.ticks, texts, strict=True)):
        x = axis(tick)
        canvas.line([(x, SCALE_AT - 3), (x, SCALE_AT)], INK, 0.7)
        if i % every == 0:
            canvas.words(x, SCALE_AT - 9, text, "center")


def _draw_label(
    canvas: Canvas, x: float, y: float, text: tuple[str, str], *, at_left: bool
) -> None:
    """Lead a line from the scale down to a name at the side."""
    label, value = text
    room = (x if at_left else canvas.width - x) - 8
    space = fonts.width(f"  {value}", SIZE)
    label = fonts.shorten(label, SIZE, room - space)
    whole = fonts.width(label, SIZE) + space
    if at_left:
        end = whole
        canvas.words(end, y, value, "right")
        canvas.words(end - space, y, label, "right")
        canvas.line([(x, SCALE_AT), (x, y), (min(end + 3, x), y)], INK, 0.7)
    else:
        start = canvas.width - whole
        canvas.words(start, y, value, "left")
        canvas.words(start + space, y, label, "left")
        canvas.line([(x, SCALE_AT), (x, y), (max(start - 3, x), y)], INK, 0.7)


def _draw_group(canvas: Canvas, places: Sequence[float], y: float, number: int) -> None:
    letter = "abcdefghijklmnopqrstuvwxyz"[number]
    canvas.line([(min(places), y), (max(places), y)], BLUE, 2.2)
    for x in places:
        canvas.dot(x, y, filled=False)
    canvas.words(min(places) - 6, y, letter, "right", bold=True)
