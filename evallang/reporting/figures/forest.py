"""Forests: estimates, or differences, as points on a scale with their intervals."""

import math
from collections.abc import Sequence

from msgspec import Struct

from evallang.reporting import fonts
from evallang.reporting.context import Context, MetricWords
from evallang.reporting.decisions import decided, is_about_equivalence, margin_of
from evallang.reporting.figures.figure import (
    COLUMN,
    FIRST,
    INK,
    PAIR,
    SHADE,
    SIZE,
    Axis,
    Bounds,
    Canvas,
    Look,
    Span,
    depth_of_names,
    lines_with_room,
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
MOST_ROW = 26.0
FOOT = 29.0  # ticks and the name of the scale
LABEL = 96.0  # points for the names; longer ones are shortened
MOST_IN_A_PANEL = 12  # models, or pairs; more are in further panels
LEAST_AXIS = 50.0  # points between names and numbers
GAP = 7.0
TRACK = 10.0  # depth of the band of what an interval excludes
MINUS = "− "
LINES_OF_PAIR = 3  # of each of the two names


class ForestRow(Struct, frozen=True):
    """A row: its name in lines, its value and interval, and what they are read against.

    Attributes
    ----------
    low, high : bounds of the interval, None at an end of the scale; both None without an interval
    wide : the interval of the family, drawn thin
    filled : whether the point is
    lines : margins, or the estimate of all rows
    shaded : what remains possible; what is beyond it is shaded
    text, short : what is printed at the right, and where that has no room
    look : how the model is drawn, where the row is about one
    """

    label: Sequence[str]
    value: float | None
    low: float | None = None
    high: float | None = None
    filled: bool = True
    lines: tuple[float, ...] = ()
    wide: Bounds = (None, None)
    shaded: Bounds = (None, None)
    text: str = ""
    short: str = ""
    look: Look = FIRST


def forest(
    rows: Sequence[ForestRow],
    name: str,
    scale: Scale,
    ends: Sequence[float],
    possible: Bounds,
    *,
    depth: float,
    zero: bool = False,
    far: Sequence[Span] = (),
) -> Canvas:
    """Draw rows of `depth` points on a scale that has room for `ends` and ticks at `possible`.

    The scale is broken where spans are `far` from its ends.
    """
    left = fonts.widest((line for row in rows for line in row.label), SIZE) + GAP
    texts = [row.text for row in rows]
    right = fonts.widest(texts, SIZE) + GAP if any(texts) else 3.0
    if COLUMN - left - right < LEAST_AXIS and any(texts) and not scale.power:
        texts = [row.short for row in rows]
        right = fonts.widest(texts, SIZE) + GAP
    most = 4 if any(texts) else 5
    axis = Axis(min(ends), max(ends), left + 3, COLUMN - right - 3, most, possible, far)
    canvas = Canvas(depth * len(rows) + FOOT)
    for i, row in enumerate(rows):
        if row.shaded != (None, None):
            low, high = _placed(axis, row.shaded)
            for start, end in ((axis.left, low), (high, axis.right)):
                if end - start > 0.3:
                    y = depth * (i + 0.5)
                    canvas.box(start, y - TRACK / 2, end - start, TRACK, SHADE)
    canvas.scale(axis, depth * len(rows), name, scale.power, marked=True, zero=zero)
    for i, (row, text) in enumerate(zip(rows, texts, strict=True)):
        y = depth * (i + 0.5)
        canvas.names(left - GAP, y, row.label)
        if text:
            canvas.words(COLUMN, y, text, "right")
        for line in row.lines:
            x = axis(line)
            canvas.line([(x, depth * i), (x, depth * (i + 1))], INK, 0.9, dash="2.4 1.6")
        for bounds, weight in ((row.wide, 0.8), ((row.low, row.high), 2.0)):
            if bounds != (None, None):
                canvas.line([(x, y) for x in _placed(axis, bounds)], row.look.colour, weight)
        if row.value is not None:
            canvas.dot(axis(row.value), y, filled=row.filled, look=row.look)
    return canvas


def _placed(axis: Axis, bounds: Bounds) -> tuple[float, float]:
    """Return the places of bounds; a missing one is an end of the axis."""
    low, high = bounds
    return (axis.left if low is None else axis(low)), (axis.right if high is None else axis(high))


def forest_of_estimates(
    labels: Sequence[str],
    estimates: Sequence[Estimate],
    metric: MetricWords,
    scale: Scale,
    among: Sequence[Estimate],
    looks: Sequence[Look],
    *,
    depth: float = 0.0,
    whole: Sequence[Estimate | None] = (),
) -> tuple[Canvas, str]:
    """Draw estimates with their intervals; gives the SVG and its numbers in words.

    The rows are spread to `depth` points where that leaves them close enough to be read. The axis
    has room for all estimates `among` which these are, and is broken before those so far from the
    others that no interval could be seen. Levels have a line at the estimate of the `whole`.
    """
    least = ROW if len(estimates) <= MOST_WIDE_ROWS else CLOSE_ROW
    spans = [_span(*_numbers(e)) for e in among]
    far = frozenset() if whole else off_scale(spans)
    ends = [b for i, e in enumerate(among) if i not in far for b in _finite(*_numbers(e))]
    lines = [_finite(None if one is None else one.value) for one in whole] or [[]] * len(labels)
    ends += [line for found in lines for line in found]
    beyond = [span for i in far if (span := spans[i])]
    rows, spoken = [], []
    names = fonts.name_lines(labels, SIZE, LABEL)
    for name, label, estimate, look, line in zip(
        names, labels, estimates, looks, lines, strict=True
    ):
        value, low, high = _numbers(estimate)
        text = fixed(value, scale)
        text += "" if low is None and high is None else f" {interval(low, high, scale)}"
        short = _short_words(value, low, high, text)
        row = ForestRow(
            name, value, *_whole(low, high), lines=tuple(line), text=text, short=short, look=look
        )
        rows.append(row)
        spoken.append(f"{label} {text}" + "".join(f", all {fixed(x, scale)}" for x in line))
    drawing = forest(
        rows,
        metric.title + (" (%)" if metric.percent else ""),
        scale,
        ends,
        metric.range,
        depth=depth_of_names(names, min(max(least, depth / len(estimates)), MOST_ROW)),
        far=beyond,
    )
    unit = " (percent)" if metric.percent else ""
    return drawing, f"{metric.title}{unit} with intervals: {'; '.join(spoken)}."


def far_estimates(estimates: Sequence[Estimate]) -> frozenset[str]:
    """Return the models whose estimates are beyond a break of the axis, far from the rest."""
    found = off_scale([_span(*_numbers(e)) for e in estimates])
    return frozenset(estimates[i].model for i in found)


def depth_of_differences(context: Context, rows: Sequence[HypothesisTestResult]) -> float:
    """Return the points that the rows of a forest of differences take."""
    panels = -(-len(rows) // MOST_IN_A_PANEL)
    return _row(context, rows) * -(-len(rows) // panels) if rows else 0.0


def _row(context: Context, rows: Sequence[HypothesisTestResult]) -> float:
    return depth_of_names((pair_lines(context, pair) for pair in rows), ROW)


def forest_of_differences(
    context: Context,
    comparison: Comparison,
    known: Sequence[HypothesisTestResult],
    among: Sequence[HypothesisTestResult],
) -> tuple[Canvas, str]:
    """Draw the differences of pairs and what remains possible; gives the SVG and its words.

    Thick: the interval of the pair; thin: the simultaneous one; filled: decided; shaded: what
    the widest interval excludes; dashed: the margin of a test of one. All of `known` have an
    estimate; the axis has room for all pairs `among` which these are.
    """
    metric, scale = context.difference_words(comparison), context.difference_scale(comparison)
    confidence, firm = context.results.study.confidence, not comparison.family.exploratory
    beyond, spans = far_pairs(among), list[Span]()
    ends = [0.0]
    for i, pair in enumerate(among):
        if i in beyond:
            spans += [span] if (span := _span(*_difference_bounds(pair))) else []
        else:
            ends += _finite(*_difference_bounds(pair), *margins_of(context, comparison, pair))
    rows, spoken = [], []
    for pair in known:
        found, wide = pair.estimate, pair.simultaneous
        assert found is not None and found.value is not None, "it is known"
        widest = next((i for i in (wide, found) if i is not None and _has_bound(i)), None)
        value = fixed(found.value, scale, signed=True, null=0.0)
        low, high = (None, None) if widest is None else (widest.low, widest.high)
        text = value if widest is None else interval(low, high, scale, null=0.0)
        row = ForestRow(
            pair_lines(context, pair),
            found.value,
            *_whole(found.low, found.high),
            filled=firm and decided(pair, confidence),
            lines=margins_of(context, comparison, pair),
            wide=(None, None) if wide is None else _whole(wide.low, wide.high),
            shaded=(low, high),
            text=text,
            short=_short_words(None, low, high, text),
            look=PAIR,
        )
        rows.append(row)
        words = _pair_words(context, pair, row.lines, scale)
        spoken.append(words + (", rejected" if firm and pair.reject else ""))
    name = f"Difference in {metric.noun}{' (points)' if metric.percent else ''}"
    possible = metric.range_of_differences
    depth = _row(context, known)
    drawing = forest(rows, name, scale, ends, possible, depth=depth, zero=True, far=spans)
    return drawing, f"{name}, {order_words(known)}: {'; '.join(spoken)}."


def far_pairs(known: Sequence[HypothesisTestResult]) -> frozenset[int]:
    """Return the pairs whose differences are beyond a break of the axis, far from the rest."""
    return off_scale([_span(*_difference_bounds(pair)) for pair in known], fixed=(0.0,))


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


def pair_lines(
    context: Context, pair: HypothesisTestResult, room: float = LABEL
) -> tuple[str, ...]:
    """Return the name of a pair in one line, or in several where it is long."""
    first, second = (context.model(name) for name in pair.models)
    line = f"{first} − {second}"
    if fonts.width(line, SIZE) <= room:
        return (line,)
    lines = fonts.name_lines([first, f"{MINUS}{second}"], SIZE, room, LINES_OF_PAIR)
    return lines[0] + lines[1]


def lines_of_rows(rows: Sequence[Sequence[str]], limit: float = LABEL) -> list[list[str]]:
    """Break the parts of the names of rows into lines."""
    lines = lines_with_room(len(rows), max(map(len, rows), default=1))
    made = iter(fonts.name_lines([part for parts in rows for part in parts], SIZE, limit, lines))
    return [[line for _ in parts for line in next(made)] for parts in rows]


def _pair_words(
    context: Context, pair: HypothesisTestResult, margins: Sequence[float], scale: Scale
) -> str:
    """State the difference of a pair, its intervals and its margins."""
    found, wide = pair.estimate, pair.simultaneous
    assert found is not None, "it is known"
    text = " minus ".join(context.model(name) for name in pair.models)
    text += f" {fixed(found.value, scale, signed=True)}"
    if _has_bound(found):
        text += f" {interval(found.low, found.high, scale, null=0.0)}"
    if wide is not None and _has_bound(wide):
        text += f", simultaneous {interval(wide.low, wide.high, scale, null=0.0)}"
    if margins:
        text += f", margin {' and '.join(fixed(m, scale, null=0.0) for m in margins)}"
    return text


def _has_bound(found: Difference | SimultaneousInterval) -> bool:
    return found.low is not None or found.high is not None


def _difference_bounds(pair: HypothesisTestResult) -> list[float | None]:
    found, wide = pair.estimate, pair.simultaneous
    made = [found.value, found.low, found.high] if found is not None else []
    return made + ([wide.low, wide.high] if wide is not None else [])


def _numbers(estimate: Estimate) -> tuple[float | None, float | None, float | None]:
    """Return an estimate and the bounds of its interval."""
    found = estimate.interval
    return estimate.value, *((None, None) if found is None else (found.low, found.high))


def _whole(low: float | None, high: float | None) -> Bounds:
    """Return the bounds of an interval that has both."""
    return (None, None) if low is None or high is None else (low, high)


def _span(*values: float | None) -> Span | None:
    found = _finite(*values)
    return (min(found), max(found)) if found else None


def _finite(*values: float | None) -> list[float]:
    return [value for value in values if value is not None and math.isfinite(value)]


def _short_words(value: float | None, low: float | None, high: float | None, text: str) -> str:
    """Return a value and its interval in three digits each, as far as the text has them."""
    parts = [] if value is None else [in_short(value)]
    if low is not None or high is not None:
        bounds = [in_short(end) for end in (low, high)]
        if bounds[0] == bounds[1]:
            return text
        parts.append(f"[{bounds[0]},{NBSP}{bounds[1]}]")
    return " ".join(parts) or text
