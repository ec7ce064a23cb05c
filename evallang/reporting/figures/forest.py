"""Forests: estimates, or differences, as points on a scale with their intervals."""

import math
from collections.abc import Sequence

from evallang.frozen_records import frozen
from evallang.reporting import fonts
from evallang.reporting.context import Context, MetricWords
from evallang.reporting.decisions import decided
from evallang.reporting.figures.figure import BLUE, COLUMN, INK, MUTE, RULE, SIZE, Axis, Canvas
from evallang.reporting.numbers import Scale, fixed, interval
from evallang.results.records import Comparison, Estimate, HypothesisTestResult

ROW = 17.0
DOUBLE_ROW = 17.4
LINE = 7.8
LEADING = 5.0  # between the names of two rows
MOST_ROW = 26.0
FOOT = 29.0  # ticks and the name of the scale
LABEL = 96.0  # points for the names; longer ones are shortened
GAP = 7.0


def forest_of_estimates(
    labels: Sequence[str],
    estimates: Sequence[Estimate],
    metric: MetricWords,
    scale: Scale,
    depth: float = 0.0,
    among: Sequence[Estimate] = (),
) -> tuple[str, str]:
    """Draw estimates with their intervals; gives the SVG and its numbers in words.

    The rows are spread to `depth` points where that leaves them close enough to be read. The axis
    has room for all estimates `among` which these are.
    """
    row = min(max(ROW, depth / len(estimates)), MOST_ROW)
    values = [_estimate_words(estimate, scale) for estimate in estimates]
    right = max(fonts.width(text, SIZE) for text in values) + GAP
    names = [fonts.shorten(label, SIZE, LABEL) for label in labels]
    left = max(fonts.width(name, SIZE) for name in names) + GAP
    bounds = [b for e in among or estimates for b in _finite(e.value, *_bounds(e))]
    axis = Axis(min(bounds), max(bounds), left + 3, COLUMN - right - 3, 4)
    canvas = Canvas(row * len(names) + FOOT)
    _draw_axis(canvas, axis, row * len(names), _scale_name(metric, metric.title), scale.power)
    for i, (name, estimate) in enumerate(zip(names, estimates, strict=True)):
        y = row * (i + 0.5)
        canvas.words(left - GAP, y, name, "right")
        low, high = _bounds(estimate)
        if low is not None and high is not None:
            canvas.line([(axis(low), y), (axis(high), y)], BLUE, 2.0)
        if estimate.value is not None:
            canvas.dot(axis(estimate.value), y, filled=True)
        canvas.words(COLUMN, y, values[i], "right")
    unit = " (percent)" if metric.percent else ""
    spoken = "; ".join(f"{a} {b}" for a, b in zip(labels, values, strict=True))
    return canvas.svg(), f"{metric.title}{unit} with intervals: {spoken}."


@frozen
class LineOfForest:
    """A row of a forest of requirements: its value, interval and the lines that decide it."""

    label: tuple[str, ...]
    value: float | None
    low: float | None
    high: float | None
    lines: tuple[float, ...]
    filled: bool


def forest_of_requirements(
    rows: Sequence[LineOfForest], name: str, scale: Scale, *, zero: bool
) -> str:
    """Draw intervals, each with the margins or thresholds that it must be beyond."""
    labels = [[fonts.shorten(text, SIZE, LABEL) for text in row.label] for row in rows]
    height = max(ROW, LINE * max(map(len, labels)) + LEADING)
    left = max(fonts.width(line, SIZE) for lines in labels for line in lines) + GAP
    ends = [b for row in rows for b in _finite(row.value, row.low, row.high, *row.lines)]
    ends += [0.0] if zero else []
    axis = Axis(min(ends), max(ends), left + 3, COLUMN - 6, 5)
    canvas = Canvas(height * len(rows) + FOOT)
    _draw_axis(canvas, axis, height * len(rows), name, scale.power, zero=zero)
    for i, (lines, row) in enumerate(zip(labels, rows, strict=True)):
        y = height * (i + 0.5)
        for k, line in enumerate(lines):
            canvas.words(left - GAP, y + (k - (len(lines) - 1) / 2) * LINE, line, "right")
        for place in row.lines:
            x = axis(place)
            canvas.line([(x, y - height / 2), (x, y + height / 2)], INK, 0.9, dash="2.4 1.6")
        if row.low is not None or row.high is not None:
            low = axis.left if row.low is None else axis(row.low)
            high = axis.right if row.high is None else axis(row.high)
            canvas.line([(low, y), (high, y)], BLUE, 2.0)
        if row.value is not None:
            canvas.dot(axis(row.value), y, filled=row.filled)
    return canvas.svg()


def depth_of_differences(context: Context, comparison: Comparison) -> float:
    """Return the points that the rows of a forest of differences take."""
    known = [p for p in comparison.pairwise if p.estimate is not None]
    two = any(len(_pair_lines(context, pair)) > 1 for pair in known)
    return (DOUBLE_ROW if two else ROW) * len(known)


def forest_of_differences(context: Context, comparison: Comparison) -> tuple[str, str] | None:
    """Draw the differences of all pairs; None where no pair has one.

    Thick: the interval of the pair; thin: the simultaneous one; filled: rejected.
    """
    pairs = [p for p in comparison.pairwise if p.estimate is not None]
    known = [p for p in pairs if p.estimate is not None and p.estimate.value is not None]
    if not known:
        return None
    metric, scale = context.difference_words(comparison), context.difference_scale(comparison)
    confidence = context.results.study.confidence
    names = [_pair_lines(context, pair) for pair in known]
    row = DOUBLE_ROW if any(len(lines) > 1 for lines in names) else ROW
    left = max(fonts.width(line, SIZE) for lines in names for line in lines) + GAP
    bounds = [0.0]
    for pair in known:
        bounds += _finite(*_difference_bounds(pair))
    axis = Axis(min(bounds), max(bounds), left + 3, COLUMN - 6, 5)
    canvas = Canvas(row * len(known) + FOOT)
    unit = "points" if metric.percent else ""
    name = f"Difference in {metric.noun}" + (f" ({unit})" if unit else "")
    _draw_axis(canvas, axis, row * len(known), name, scale.power, zero=True)
    for i, (lines, pair) in enumerate(zip(names, known, strict=True)):
        y = row * (i + 0.5)
        for k, line in enumerate(lines):
            canvas.words(left - GAP, y + (k - (len(lines) - 1) / 2) * LINE, line, "right")
        _draw_pair(canvas, axis, y, pair, filled=decided(pair, confidence))
    spoken = "; ".join(_pair_words(context, pair, scale) for pair in known)
    return canvas.svg(), f"{name}, first minus second: {spoken}."


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
    decimals = max(0, axis.decimals - power)
    for tick in axis.ticks:
        if not axis.low <= tick <= axis.high:
            continue
        x = axis(tick)
        strong = zero and tick == 0
        canvas.line([(x, 0), (x, depth)], INK if strong else RULE, 0.7 if strong else 0.5)
        canvas.line([(x, depth), (x, depth + 3)], INK, 0.6)
        text = fixed(tick, Scale(decimals, power))
        inside = canvas.width - fonts.width(text, SIZE) / 2
        canvas.words(min(x, inside), depth + 9, text, "center")
    canvas.line([(axis.left, depth), (axis.right, depth)], INK, 0.6)
    middle = (axis.left + axis.right) / 2
    half = fonts.width(name, SIZE) / 2
    canvas.words(min(middle, canvas.width - half), depth + 21, name, "center", colour=MUTE)


def _pair_lines(context: Context, pair: HypothesisTestResult) -> tuple[str, ...]:
    first, second = (context.model(name) for name in pair.models)
    line = f"{first} − {second}"
    if fonts.width(line, SIZE) <= LABEL:
        return (line,)
    return (fonts.shorten(first, SIZE, LABEL), fonts.shorten(f"− {second}", SIZE, LABEL))


def _pair_words(context: Context, pair: HypothesisTestResult, scale: Scale) -> str:
    found = pair.estimate
    words = " minus ".join(context.model(name) for name in pair.models)
    if found is None:
        return words
    text = f"{words} {fixed(found.value, scale, signed=True)}"
    if found.low is not None or found.high is not None:
        text += f" {interval(found.low, found.high, scale, null=0.0)}"
    return text + (", rejected" if pair.reject else "")


def _difference_bounds(pair: HypothesisTestResult) -> list[float | None]:
    found, wide = pair.estimate, pair.simultaneous
    made = [found.value, found.low, found.high] if found is not None else []
    return made + ([wide.low, wide.high] if wide is not None else [])


def _bounds(estimate: Estimate) -> tuple[float | None, float | None]:
    if estimate.interval is None:
        return None, None
    return estimate.interval.low, estimate.interval.high


def _finite(*values: float | None) -> list[float]:
    return [value for value in values if value is not None and math.isfinite(value)]


def _estimate_words(estimate: Estimate, scale: Scale) -> str:
    low, high = _bounds(estimate)
    text = fixed(estimate.value, scale)
    return text if low is None and high is None else f"{text} {interval(low, high, scale)}"


def _scale_name(metric: MetricWords, name: str) -> str:
    return f"{name} (%)" if metric.percent else name
