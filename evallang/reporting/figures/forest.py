"""Forests: estimates, or differences, as points on a scale with their intervals."""

import math
from collections.abc import Sequence

from msgspec import Struct

from evallang.reporting import fonts
from evallang.reporting.context import Context, MetricWords
from evallang.reporting.decisions import decided, is_about_equivalence, margin_of
from evallang.reporting.figures.figure import (
    BLUE,
    COLUMN,
    INK,
    MUTE,
    PAPER,
    SHADE,
    SIZE,
    SMALL_SIZE,
    Axis,
    Bounds,
    Canvas,
    Span,
    off_scale,
)
from evallang.reporting.numbers import NBSP, Scale, fixed, in_short, interval
from evallang.reporting.orientation import order_words
from evallang.results.records import (
    Comparison,
    Difference,
    Estimate,
    HypothesisTestResult,
    SimultaneousInterval,
)

ROW = 17.0
CLOSE_ROW, MOST_WIDE_ROWS = 14.0, 10  # of more rows, which are set closer
DOUBLE_ROW = 16.6
LINE = 7.4
LEADING = 5.0  # between the names of two rows
MOST_ROW = 26.0
FOOT = 29.0  # ticks and the name of the scale
LABEL = 96.0  # points for the names; longer ones are shortened
MOST_IN_A_PANEL = 12  # models, or pairs; more are in further panels
OFF_THE_LINE = 2.0  # points from the left end of the axis, which is often a line at 0
NAMES_APART = 4.0  # points between the names of two lines
LEAST_AXIS = 50.0  # points between names and numbers
GAP = 7.0
TRACK = 10.0  # depth of the band of what an interval excludes
ARROW = 3.4
OFF = "off the scale"
MINUS = "− "
DASH = "2.4 1.6"


def forest_of_estimates(
    labels: Sequence[str],
    estimates: Sequence[Estimate],
    metric: MetricWords,
    scale: Scale,
    depth: float = 0.0,
    among: Sequence[Estimate] = (),
) -> tuple[Canvas, str]:
    """Draw estimates with their intervals; gives the SVG and its numbers in words.

    The rows are spread to `depth` points where that leaves them close enough to be read. The axis
    has room for all estimates `among` which these are, except for those so far from the others
    that no interval could be seen: an arrow points to them.
    """
    least = ROW if len(estimates) <= MOST_WIDE_ROWS else CLOSE_ROW
    row = min(max(least, depth / len(estimates)), MOST_ROW)
    values = [_estimate_words(estimate, scale) for estimate in estimates]
    names = fonts.shorten_names(labels, SIZE, LABEL)
    left = max(fonts.width(name, SIZE) for name in names) + GAP
    shown, right = _at_the_right(values, [(e.value, *_bounds(e)) for e in estimates], left, scale)
    everything = among or estimates
    far = far_estimates(everything)
    bounds = [b for e in everything if e.model not in far for b in _finite(e.value, *_bounds(e))]
    axis = Axis(min(bounds), max(bounds), left + 3, COLUMN - right - 3, 4, metric.range)
    canvas = Canvas(row * len(names) + FOOT)
    _draw_axis(canvas, axis, row * len(names), _scale_name(metric, metric.title), scale.power)
    for i, (name, estimate) in enumerate(zip(names, estimates, strict=True)):
        y = row * (i + 0.5)
        canvas.words(left - GAP, y, name, "right")
        low, high = _bounds(estimate)
        if estimate.model in far and estimate.value is not None:
            _draw_off(canvas, axis, y, OFF, above=estimate.value > axis.high)
        else:
            if low is not None and high is not None:
                canvas.line([(axis(low), y), (axis(high), y)], BLUE, 2.0)
            if estimate.value is not None:
                canvas.dot(axis(estimate.value), y, filled=True)
        canvas.words(COLUMN, y, shown[i], "right")
    unit = " (percent)" if metric.percent else ""
    spoken = "; ".join(
        f"{label} {text}" + (f", {OFF}" if estimate.model in far else "")
        for label, text, estimate in zip(labels, values, estimates, strict=True)
    )
    return canvas, f"{metric.title}{unit} with intervals: {spoken}."


def far_estimates(estimates: Sequence[Estimate]) -> frozenset[str]:
    """Return the models whose estimates are listed as text, because they are far from the rest."""
    found = off_scale([_span(e.value, *_bounds(e)) for e in estimates])
    return frozenset(estimates[i].model for i in found)


class LineOfForest(Struct, frozen=True):
    """A row of a forest of requirements: its value, interval and the lines that decide it.

    `names` are the words at each line, such as "margin −2".
    """

    label: tuple[str, ...]
    value: float | None
    low: float | None
    high: float | None
    lines: tuple[float, ...]
    filled: bool
    names: tuple[str, ...] = ()


def forest_of_requirements(
    rows: Sequence[LineOfForest], name: str, scale: Scale, possible: Bounds, *, zero: bool
) -> Canvas:
    """Draw intervals, each with the margins or thresholds that it must be beyond.

    The axis has ticks at `possible` values.
    """
    labels = shorten_lines([row.label for row in rows])
    height = max(ROW, LINE * max(map(len, labels)) + LEADING)
    named = any(row.names for row in rows)
    if named:
        height = max(height, ROW + LINE)
    left = max(fonts.width(line, SIZE) for lines in labels for line in lines) + GAP
    ends = [b for row in rows for b in _finite(row.value, row.low, row.high, *row.lines)]
    ends += [0.0] if zero else []
    axis = Axis(min(ends), max(ends), left + 3, COLUMN - 6, 5, possible)
    canvas = Canvas(height * len(rows) + FOOT)
    _draw_axis(canvas, axis, height * len(rows), name, scale.power, zero=zero)
    for i, (lines, row) in enumerate(zip(labels, rows, strict=True)):
        y = height * (i + 0.5)
        for k, line in enumerate(lines):
            canvas.words(left - GAP, y + (k - (len(lines) - 1) / 2) * LINE, line, "right")
        if named:
            y += LINE / 2
        for place in row.lines:
            x = axis(place)
            top = height * i + (LINE + 1 if named else 0)
            canvas.line([(x, top), (x, height * (i + 1))], INK, 0.9, dash=DASH)
        _name_lines(canvas, axis, height * i + LINE / 2, row)
        if row.low is not None or row.high is not None:
            low = axis.left if row.low is None else axis(row.low)
            high = axis.right if row.high is None else axis(row.high)
            canvas.line([(low, y), (high, y)], BLUE, 2.0)
        if row.value is not None:
            canvas.dot(axis(row.value), y, filled=row.filled)
    return canvas


def _name_lines(canvas: Canvas, axis: Axis, y: float, row: LineOfForest) -> None:
    """Write the names of lines above them: next to each other where they are close."""
    widths = [fonts.width(text, SMALL_SIZE) for text in row.names]
    starts = [
        min(max(axis(place) - wide / 2, axis.left + OFF_THE_LINE), canvas.width - wide)
        for place, wide in zip(row.lines, widths, strict=False)
    ]
    for k in sorted(range(1, len(starts)), key=starts.__getitem__):
        over = starts[k - 1] + widths[k - 1] + NAMES_APART - starts[k]
        if over > 0:
            starts[k - 1] -= over / 2
            starts[k] += over / 2
    for start, text in zip(starts, row.names, strict=False):
        if text:
            canvas.words(start, y, text, size=SMALL_SIZE)


def depth_of_differences(context: Context, rows: Sequence[HypothesisTestResult]) -> float:
    """Return the points that the rows of a forest of differences take."""
    if not rows:
        return 0.0
    panels = -(-len(rows) // MOST_IN_A_PANEL)
    two = any(len(pair_lines(context, pair)) > 1 for pair in rows)
    return (DOUBLE_ROW if two else ROW) * -(-len(rows) // panels)


def forest_of_differences(
    context: Context,
    comparison: Comparison,
    known: Sequence[HypothesisTestResult],
    among: Sequence[HypothesisTestResult] = (),
) -> tuple[Canvas, str]:
    """Draw the differences of pairs and what remains possible; gives the SVG and its words.

    Thick: the interval of the pair; thin: the simultaneous one; filled: decided; shaded: what
    the widest interval excludes; dashed: the margin of a test of one. All of `known` have an
    estimate; the axis has room for all pairs `among` which these are.
    """
    metric, scale = context.difference_words(comparison), context.difference_scale(comparison)
    confidence, firm = context.results.study.confidence, not comparison.family.exploratory
    names = [pair_lines(context, pair) for pair in known]
    texts = [widest_text(pair, scale) for pair in known]
    ends = [(None, *_ends(pair)) for pair in known]
    row = DOUBLE_ROW if any(len(lines) > 1 for lines in names) else ROW
    left = max(fonts.width(line, SIZE) for lines in names for line in lines) + GAP
    texts, right = _at_the_right(texts, ends, left, scale)
    every = among or known
    far_of_every = far_pairs(every)
    beyond = {id(every[i]) for i in far_of_every}
    far = frozenset(i for i, pair in enumerate(known) if id(pair) in beyond)
    bounds = [0.0]
    for i, pair in enumerate(every):
        if i not in far_of_every:
            bounds += _finite(*_difference_bounds(pair), *margins_of(context, comparison, pair))
    possible = metric.range_of_differences
    axis = Axis(min(bounds), max(bounds), left + 3, COLUMN - right - 3, 4, possible)
    canvas = Canvas(row * len(known) + FOOT)
    unit = "points" if metric.percent else ""
    name = f"Difference in {metric.noun}" + (f" ({unit})" if unit else "")
    for i, pair in enumerate(known):
        if i not in far:
            _draw_excluded(canvas, axis, row * (i + 0.5), pair)
    _draw_axis(canvas, axis, row * len(known), name, scale.power, zero=True)
    for i, (lines, pair) in enumerate(zip(names, known, strict=True)):
        y = row * (i + 0.5)
        for k, line in enumerate(lines):
            canvas.words(left - GAP, y + (k - (len(lines) - 1) / 2) * LINE, line, "right")
        canvas.words(COLUMN, y, texts[i], "right")
        if i in far:
            assert pair.estimate is not None and pair.estimate.value is not None, "it is known"
            value = fixed(pair.estimate.value, scale, signed=True, null=0.0)
            _draw_off(canvas, axis, y, value, above=pair.estimate.value > axis.high)
            continue
        for margin in margins_of(context, comparison, pair):
            x = axis(margin)
            canvas.line([(x, y - row / 2), (x, y + row / 2)], INK, 0.9, dash=DASH)
        _draw_pair(canvas, axis, y, pair, filled=firm and decided(pair, confidence))
    spoken = "; ".join(
        _pair_words(context, comparison, pair, scale) + (f", {OFF}" if i in far else "")
        for i, pair in enumerate(known)
    )
    return canvas, f"{name}, {order_words(known)}: {spoken}."


def far_pairs(known: Sequence[HypothesisTestResult]) -> frozenset[int]:
    """Return the pairs whose differences are listed as text, because they are far from the rest."""
    spans = []
    for pair in known:
        ends = _finite(*_difference_bounds(pair))
        spans.append((min(ends), max(ends)) if ends else None)
    return off_scale(spans, fixed=(0.0,))


def widest(pair: HypothesisTestResult) -> Difference | SimultaneousInterval | None:
    """Return the interval that says what remains possible: the simultaneous one if there is one."""
    for item in (pair.simultaneous, pair.estimate):
        if item is not None and (item.low is not None or item.high is not None):
            return item
    return None


def widest_text(pair: HypothesisTestResult, scale: Scale) -> str:
    """Print the interval of what remains possible, or the difference otherwise."""
    found = widest(pair)
    if found is not None:
        return interval(found.low, found.high, scale, null=0.0)
    value = pair.estimate.value if pair.estimate is not None else None
    return fixed(value, scale, signed=True, null=0.0)


def margins_of(
    context: Context, comparison: Comparison, pair: HypothesisTestResult
) -> tuple[float, ...]:
    """Return the margins or the ends of the region of equivalence that a test was about."""
    margin, rope = margin_of(pair), pair.extra.get("rope")
    if rope is not None:
        return (-rope, rope) if rope > 0 else ()
    if margin is None:
        return ()
    if is_about_equivalence(pair):
        return (-margin, margin)
    return (-margin if context.difference_words(comparison).higher_is_better else margin,)


def _draw_excluded(canvas: Canvas, axis: Axis, y: float, pair: HypothesisTestResult) -> None:
    """Shade what the widest interval excludes."""
    found = widest(pair)
    if found is None:
        return
    low = axis.left if found.low is None else axis(found.low)
    high = axis.right if found.high is None else axis(found.high)
    for start, end in ((axis.left, low), (high, axis.right)):
        if end - start > 0.3:
            canvas.box(start, y - TRACK / 2, end - start, TRACK, SHADE)


def _draw_off(canvas: Canvas, axis: Axis, y: float, text: str, *, above: bool) -> None:
    """Point to a value beyond an end of the axis, and state it."""
    end, sign = (axis.right, 1) if above else (axis.left, -1)
    tip = end + sign * 3
    back = tip - sign * ARROW
    canvas.area([(tip, y), (back, y - ARROW * 0.65), (back, y + ARROW * 0.65)], BLUE)
    canvas.line([(back, y), (back - sign * 7, y)], BLUE, 1.1)
    width = fonts.width(text, SMALL_SIZE) + 4
    place = back - sign * 9
    canvas.box(place - width if above else place, y - 4.6, width, 9.2, PAPER)
    canvas.words(place - sign * 2, y, text, "right" if above else "left", colour=MUTE,
                 size=SMALL_SIZE)  # fmt: skip


def _draw_pair(
    canvas: Canvas, axis: Axis, y: float, pair: HypothesisTestResult, *, filled: bool
) -> None:
    found, wide = pair.estimate, pair.simultaneous
    if found is None or found.value is None:
        return
    for item, weight in ((wide, 0.8), (found, 2.0)):
        if item is None or item.low is None or item.high is None:
            continue
        ends = [min(max(bound, axis.low), axis.high) for bound in (item.low, item.high)]
        canvas.line([(axis(ends[0]), y), (axis(ends[1]), y)], BLUE, weight)
    canvas.dot(axis(found.value), y, filled=filled)


def _draw_axis(
    canvas: Canvas, axis: Axis, depth: float, name: str, power: int, *, zero: bool = False
) -> None:
    """Draw hairlines, ticks and the name of the scale below the rows."""
    canvas.plot = (axis.left, axis.right)
    for tick in axis.ticks:
        if not axis.low <= tick <= axis.high:
            continue
        x = axis(tick)
        strong = zero and tick == 0
        canvas.gridline((x, 0), (x, depth), strong=strong)
        canvas.line([(x, depth), (x, depth + 3)], INK, 0.6)
    canvas.ticks(axis, depth + 9, power)
    canvas.line([(axis.left, depth), (axis.right, depth)], INK, 0.6)
    middle = (axis.left + axis.right) / 2
    half = fonts.width(name, SIZE) / 2
    place = max(min(middle, canvas.width - half), half)
    canvas.words(place, depth + 21, name, "center", colour=MUTE)


def pair_lines(context: Context, pair: HypothesisTestResult) -> tuple[str, ...]:
    """Return the name of a pair in one line, or in two where it is long."""
    first, second = (context.model(name) for name in pair.models)
    line = f"{first} − {second}"
    if fonts.width(line, SIZE) <= LABEL:
        return (line,)
    room = LABEL - fonts.width(MINUS, SIZE)
    first, second = context.short_models(pair.models, SIZE, room)
    return first, f"{MINUS}{second}"


def shorten_lines(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Cut the lines of the names of rows, which stay apart."""
    cut = iter(fonts.shorten_names([line for lines in rows for line in lines], SIZE, LABEL))
    return [[next(cut) for _ in lines] for lines in rows]


def _pair_words(
    context: Context, comparison: Comparison, pair: HypothesisTestResult, scale: Scale
) -> str:
    found = pair.estimate
    words = " minus ".join(context.model(name) for name in pair.models)
    if found is None:
        return words
    text = f"{words} {fixed(found.value, scale, signed=True)}"
    if found.low is not None or found.high is not None:
        text += f" {interval(found.low, found.high, scale, null=0.0)}"
    wide = pair.simultaneous
    if wide is not None and (wide.low is not None or wide.high is not None):
        text += f", possible {interval(wide.low, wide.high, scale, null=0.0)}"
    margins = margins_of(context, comparison, pair)
    if margins:
        text += f", margin {' and '.join(fixed(m, scale, null=0.0) for m in margins)}"
    firm = not comparison.family.exploratory
    return text + (", rejected" if firm and pair.reject else "")


def _difference_bounds(pair: HypothesisTestResult) -> list[float | None]:
    found, wide = pair.estimate, pair.simultaneous
    made = [found.value, found.low, found.high] if found is not None else []
    return made + ([wide.low, wide.high] if wide is not None else [])


def _bounds(estimate: Estimate) -> tuple[float | None, float | None]:
    if estimate.interval is None:
        return None, None
    return estimate.interval.low, estimate.interval.high


def _span(*values: float | None) -> Span | None:
    found = _finite(*values)
    return (min(found), max(found)) if found else None


def _finite(*values: float | None) -> list[float]:
    return [value for value in values if value is not None and math.isfinite(value)]


def _ends(pair: HypothesisTestResult) -> tuple[float | None, float | None]:
    found = widest(pair)
    return (None, None) if found is None else (found.low, found.high)


Ends = tuple[float | None, float | None, float | None]
"""A value, None where none is printed, and the bounds of its interval."""


def _at_the_right(
    texts: Sequence[str], numbers: Sequence[Ends], left: float, scale: Scale
) -> tuple[list[str], float]:
    """Return the numbers at the right and their room, in three digits where they need too much."""
    found = list(texts)
    for shorter in (True, False):
        right = max(fonts.width(text, SIZE) for text in found) + GAP
        if COLUMN - left - right >= LEAST_AXIS or scale.power or not shorter:
            break
        found = [_short_words(*each, text) for each, text in zip(numbers, texts, strict=True)]
    return found, right


def _short_words(value: float | None, low: float | None, high: float | None, text: str) -> str:
    parts = [] if value is None else [in_short(value)]
    if low is not None or high is not None:
        bounds = [in_short(end) for end in (low, high)]
        if bounds[0] == bounds[1]:
            return text
        parts.append(f"[{bounds[0]},{NBSP}{bounds[1]}]")
    return " ".join(parts) or text


def _estimate_words(estimate: Estimate, scale: Scale) -> str:
    low, high = _bounds(estimate)
    text = fixed(estimate.value, scale)
    return text if low is None and high is None else f"{text} {interval(low, high, scale)}"


def _scale_name(metric: MetricWords, name: str) -> str:
    return f"{name} (%)" if metric.percent else name
