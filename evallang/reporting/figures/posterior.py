"""Posteriors of pairs: densities, and three probabilities as bars or as places in a triangle."""

import math
from collections.abc import Sequence

from evallang.reporting import fonts
from evallang.reporting.context import Context
from evallang.reporting.decisions import favoured
from evallang.reporting.figures.figure import (
    BLUE,
    COLUMN,
    INK,
    MUTE,
    PAIR,
    PAPER,
    RULE,
    SHADE,
    SIZE,
    SMALL_SIZE,
    Axis,
    Canvas,
    Point,
    depth_of_names,
    off_scale,
)
from evallang.reporting.figures.forest import pair_lines
from evallang.reporting.numbers import fixed, in_ranges, probability
from evallang.results.records import Comparison, HypothesisTestResult
from evallang.results.statistics import POSTERIOR

POSTERIORS_DRAWN = 15  # pairs; more are read from the table
ROW = 19.0
FOOT = 29.0
LINE = 7.8
GAP = 7.0
BAR = 11.0
KEY = 12.0
RIDGE = 17.0  # the depth of a density
POINTS = 60  # of a density
REACH = 4.5  # scales left and right of the mean
SIDE = 132.0  # of the triangle
CASES = ("first better", "in the region", "second better")


def _spoken(context: Context, pair: HypothesisTestResult) -> str:
    first, second = (context.model(name) for name in pair.models)
    error = pair.mc_se
    found = [probability(pair.extra.get(key), context.style, error) for key in POSTERIOR]
    return f"{first} better {found[0]}, in the region {found[1]}, {second} better {found[2]}"


def shares(
    context: Context, pairs: Sequence[HypothesisTestResult], confidence: float
) -> tuple[Canvas, str]:
    """Draw the three probabilities of each pair as the parts of a bar."""
    names = [pair_lines(context, pair) for pair in pairs]
    left = fonts.widest((line for lines in names for line in lines), SIZE) + GAP
    wide, deep = COLUMN - left - 2, depth_of_names(names, ROW)
    canvas = Canvas(KEY + deep * len(pairs) + 2)
    canvas.plot = (left, left + wide)
    fills = ((BLUE, BLUE), (SHADE, RULE), (PAPER, BLUE))
    x = max(0.0, min(left, COLUMN - sum(fonts.width(case, SMALL_SIZE) + 13 for case in CASES)))
    for (fill, edge), case in zip(fills, CASES, strict=True):
        canvas.box(x, 2.5, 6, 6, fill, edge)
        canvas.words(x + 8.5, 5.5, case, size=SMALL_SIZE)
        x += fonts.width(case, SMALL_SIZE) + 13
    for i, (lines, pair) in enumerate(zip(names, pairs, strict=True)):
        y, x = KEY + deep * (i + 0.5), left
        canvas.names(left - GAP, y, lines)
        decided = favoured(pair, confidence)
        for key, (fill, edge) in zip(POSTERIOR, fills, strict=True):
            value = pair.extra.get(key) or 0.0
            size = wide * value
            if size > 0.2:
                canvas.box(x, y - BAR / 2, size, BAR, fill, edge)
            text = probability(value, context.style, pair.mc_se)
            if fonts.width(text, SMALL_SIZE, bold=True) + 4 < size:
                colour = PAPER if fill == BLUE else INK
                canvas.words(x + size / 2, y, text, "center", colour=colour, size=SMALL_SIZE,
                             bold=key == decided)  # fmt: skip
            x += size
    spoken = "; ".join(_spoken(context, pair) for pair in pairs)
    return canvas, f"Posterior probabilities: {spoken}."


def simplex(
    context: Context, pairs: Sequence[HypothesisTestResult], confidence: float
) -> tuple[Canvas, str]:
    """Draw each pair as a point in a triangle whose corners are the three cases."""
    height = SIDE * math.sqrt(3) / 2
    top, left = 16.0, (COLUMN - SIDE) / 2
    foot = top + height
    corners = ((left, foot), (left + SIDE / 2, top), (left + SIDE, foot))  # first, region, second
    numbered = len(pairs) > 1
    key = LINE * 1.3
    canvas = Canvas(foot + 16 + (key * len(pairs) if numbered else 0))

    def place(weights: Sequence[float]) -> tuple[float, float]:
        return (
            sum(w * x for w, (x, _) in zip(weights, corners, strict=True)),
            sum(w * y for w, (_, y) in zip(weights, corners, strict=True)),
        )

    for i in range(3):
        corner = [confidence * (k == i) for k in range(3)]
        parts = [
            place([w + (1 - confidence) * (k == other) for k, w in enumerate(corner)])
            for other in range(3)
        ]
        canvas.area(parts, SHADE)
        canvas.line([part for k, part in enumerate(parts) if k != i], RULE, 0.7)
    canvas.line([*corners, corners[0]], INK, 0.7)
    middle = place((1 / 3, 1 / 3, 1 / 3))
    for half in ((0.5, 0.5, 0.0), (0.0, 0.5, 0.5), (0.5, 0.0, 0.5)):
        canvas.line([place(half), middle], RULE, 0.5, "2 2")
    for (x, y), case in zip(corners, CASES, strict=True):
        below = y + 8 if y == foot else y - 7
        canvas.words(x, below, case.capitalize(), "center", colour=MUTE)
    places = [place([pair.extra.get(key_) or 0.0 for key_ in POSTERIOR]) for pair in pairs]
    for i, (pair, (x, y)) in enumerate(zip(pairs, places, strict=True)):
        canvas.dot(x, y, filled=favoured(pair, confidence) is not None, look=PAIR)
        if numbered:
            below = foot + 16 + key * (i + 0.5)
            line = " ".join(pair_lines(context, pair, (COLUMN - 30) / 2))
            canvas.words(5, below, f"{i + 1}\u2002{line}")
    if numbered:
        numbers: dict[Point, list[int]] = {}  # by the first of places where they would overlap
        for number, (x, y) in enumerate(places, start=1):
            near = (each for each in numbers if abs(each[0] - x) < 9 and abs(each[1] - y) < 8)
            numbers.setdefault(next(near, (x, y)), []).append(number)
        for (x, y), found in numbers.items():
            canvas.words(x + 6, y - 5, in_ranges(found), size=SMALL_SIZE)
    spoken = "; ".join(_spoken(context, pair) for pair in pairs)
    return canvas, f"Posterior probabilities in a triangle: {spoken}."


def densities(
    context: Context, comparison: Comparison, pairs: Sequence[HypothesisTestResult]
) -> tuple[Canvas, str] | None:
    """Draw the posterior of each difference with its region; None where it has no density."""
    curves = [curve for pair in pairs if (curve := _curve(pair)) is not None]
    if len(curves) < len(pairs):
        return None
    metric, scale = context.difference_words(comparison), context.difference_scale(comparison)
    names = [pair_lines(context, pair) for pair in pairs]
    left = fonts.widest((line for lines in names for line in lines), SIZE) + GAP
    rope = max(pair.extra.get("rope") or 0.0 for pair in pairs)
    spans = [(mean - 2.2 * size, mean + 2.2 * size) for mean, size, _ in curves]
    far = off_scale(spans, fixed=(-rope, rope) if rope else (0.0,))
    kept = [curve for i, curve in enumerate(curves) if i not in far]
    low = min([-rope, *(mean - REACH * size for mean, size, _ in kept)])
    high = max([rope, *(mean + REACH * size for mean, size, _ in kept)])
    beyond = [spans[i] for i in far]
    axis = Axis(low, high, left + 3, COLUMN - 6, 5, metric.range_of_differences, beyond)
    deep = depth_of_names(names, ROW)
    depth = deep * len(pairs)
    canvas = Canvas(depth + FOOT)
    canvas.box(axis(-rope), 0, max(axis(rope) - axis(-rope), 0.6), depth, SHADE)
    name = f"Difference in {metric.noun}" + (" (points)" if metric.percent else "")
    canvas.scale(axis, depth, name, scale.power, zero=True)
    for i, (lines, (mean, size, df)) in enumerate(zip(names, curves, strict=True)):
        foot = deep * (i + 1) - 1.5
        canvas.names(left - GAP, deep * (i + 0.5), lines)
        start, end = mean - REACH * size, mean + REACH * size
        steps = [start + (end - start) * k / POINTS for k in range(POINTS + 1)]
        path = [
            (axis(x), foot - RIDGE * (1 + ((x - mean) / size) ** 2 / df) ** (-(df + 1) / 2))
            for x in steps
        ]
        canvas.line(path, INK, 1.1)
        canvas.dot(axis(mean), foot, filled=True, radius=1.8, look=PAIR)
    spoken = "; ".join(
        f"{' minus '.join(context.model(m) for m in pair.models)} mean "
        f"{fixed(mean, scale, signed=True, null=0.0)}"
        for pair, (mean, _, _) in zip(pairs, curves, strict=True)
    )
    region = fixed(rope, scale, null=0.0)
    return canvas, f"Posterior of each difference, region ±{region}: {spoken}."


def _curve(pair: HypothesisTestResult) -> tuple[float, float, float] | None:
    """Return mean, scale and degrees of freedom of a t-distributed posterior."""
    size, mean = pair.extra.get("scale"), pair.estimate.value if pair.estimate else None
    if not isinstance(size, float) or not size > 0 or mean is None or not pair.df:
        return None
    return mean, size, pair.df[0]
