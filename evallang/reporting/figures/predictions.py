"""Numbers next to what was observed: clouds of points, series over time, and survival curves."""

from collections.abc import Iterator, Sequence
from itertools import chain, groupby, pairwise

from msgspec import Struct

from evallang.reporting import fonts
from evallang.reporting.figures.curves import (
    BOTTOM,
    DEPTH,
    KEY,
    KEY_LEFT,
    RIGHT,
    SHADED,
    SIDE,
    TOP,
    draw_frame,
    draw_key,
)
from evallang.reporting.figures.figure import COLUMN, INK, MUTE, SIZE, Axis, Canvas, Look
from evallang.reporting.numbers import Scale, count, fixed, in_short, scale_of
from evallang.results.records import PredictedValues, RiskGroup, RiskGroups

Ends = tuple[float, float]
GROUP_DASHES = ("1 1.2", "4 1.5", "")
CENSORED = 2.0  # points of a mark above and below the curve
OBSERVED = Look(INK)


class _Plot(Struct):
    """A plot with straight axes: its canvas, and the axes that place values."""

    canvas: Canvas
    x: Axis
    y: Axis

    def points(self, xs: Sequence[float], ys: Sequence[float]) -> list[tuple[float, float]]:
        """Return the places of points."""
        return [(self.x(x), self.y(y)) for x, y in zip(xs, ys, strict=True)]


def _plot(
    xs: Ends, ys: Ends, titles: tuple[str, str], *, square: bool = False, names: Sequence[str] = (),
    most: float | None = None,
) -> _Plot:  # fmt: skip
    """Draw the axes, with room at the left for `names`."""
    foot = TOP + (SIDE if square else DEPTH)
    up = Axis(*ys, foot, TOP, 5, (None, most))
    rows = [(up(tick), text) for tick, text in up.texts()]
    left = max(fonts.widest((text for _, text in rows), SIZE), fonts.widest(names, SIZE) + 6) + 8
    right = left + SIDE if square else COLUMN - RIGHT
    across = Axis(*xs, left, right, 5)
    canvas = Canvas(foot + BOTTOM)
    canvas.plot = None if square else (left, right)
    for tick in across.ticks:
        canvas.gridline((across(tick), TOP), (across(tick), foot))
    canvas.ticks(across, foot + 8)
    short = [fonts.shorten_names([title], SIZE, right - left)[0] for title in titles]
    draw_frame(canvas, left, foot, rows, short, right)
    return _Plot(canvas, across, up)


def _span(values: Sequence[Sequence[float]]) -> Ends:
    return min(map(min, values)), max(map(max, values))


def _about(found: PredictedValues) -> str:
    low, lower, middle, upper, high = map(in_short, found.residuals)
    text = f"residuals from {low} to {high}, quartiles {lower}, {middle} and {upper}"
    return f"{text}, {count(len(found.observed))} points of {count(found.n)}"


def observed_by_predicted(
    name: str, of: str, found: PredictedValues, every: Sequence[PredictedValues], look: Look
) -> tuple[Canvas, str]:
    """Draw observed by predicted values in a square with the line on which they are equal."""
    ends = _span([values for one in every for values in (one.observed, one.predicted)])
    plot = _plot(ends, ends, (f"Predicted {of} ({name})", f"Observed {of}"), square=True)
    low, high = plot.x.low, plot.x.high
    plot.canvas.line(plot.points((low, high), (low, high)), MUTE, 0.7, "2.5 2")
    plot.canvas.cloud(plot.points(found.predicted, found.observed), look.colour)
    return plot.canvas, f"{name}, observed by predicted {of}: {_about(found)}."


def residuals_by_predicted(
    name: str, of: str, found: PredictedValues, every: Sequence[PredictedValues], look: Look
) -> tuple[Canvas, str]:
    """Draw observed minus predicted values by predicted ones, with their local mean."""
    rests = [residuals(one) for one in every]
    ends = _span([one.predicted for one in every]), _span(rests)
    plot = _plot(*ends, (f"Predicted {of} ({name})", "Observed − predicted"))
    plot.canvas.line(plot.points((plot.x.low, plot.x.high), (0, 0)), MUTE, 0.7, "2.5 2")
    plot.canvas.cloud(plot.points(found.predicted, residuals(found)), look.colour)
    if found.smooth:
        plot.canvas.line(plot.points(*zip(*found.smooth, strict=True)), INK, 1.2)
    places = found.smooth[:: max(1, len(found.smooth) // 4)]
    spoken = ", ".join(f"{in_short(y)} at {in_short(x)}" for x, y in places)
    text = f"{name}, {_about(found)}"
    return plot.canvas, f"{text}; local mean by predicted {of} {spoken}." if spoken else f"{text}."


def residuals(found: PredictedValues) -> list[float]:
    """Return observed minus predicted values."""
    return [y - x for y, x in zip(found.observed, found.predicted, strict=True)]


def series(
    name: str, of: str, unit: str, found: PredictedValues, every: Sequence[PredictedValues],
    look: Look,
) -> tuple[Canvas, str]:  # fmt: skip
    """Draw observed and predicted values over time, with a line where each new fit begins."""
    ys = _span([values for one in every for values in (one.observed, one.predicted)])
    ends = _span([one.moments for one in every])
    plot = _plot(ends, ys, (f"Position in time ({unit})", of))
    starts = [at for at in found.fits if at >= found.moments[0]]
    for at in starts:
        plot.canvas.line([(plot.x(at), TOP), (plot.x(at), TOP + DEPTH)], MUTE, 0.7, "2.5 2")
    drawn = ((found.observed, OBSERVED, 0.7), (found.predicted, look, 1.1))
    breaks = [i + 1 for i, (a, b) in enumerate(pairwise(found.moments)) if b > a + 1]
    for values, one, weight in drawn:
        for start, end in pairwise([0, *breaks, len(values)]):
            points = plot.points(found.moments[start:end], values[start:end])
            plot.canvas.line(points, one.colour, weight)
    keys = ((f"Observed {of}", OBSERVED), (name, Look(look.colour)))
    draw_key(plot.canvas, KEY_LEFT, keys)
    text = f"{name}, observed and predicted {of} at positions {found.moments[0]} to "
    text += f"{found.moments[-1]}: {_about(found)}"
    text += f"; fits begin at {', '.join(map(str, starts))}" if starts else ""
    return plot.canvas, f"{text}."


def names_of_groups(groups: Sequence[RiskGroup]) -> list[str]:
    """Return the names of groups by risk, the lowest first."""
    return ["Low", "Middle", "High"] if len(groups) == 3 else ["Low", "High"]


def at_risk(group: RiskGroup, time: float) -> int:
    """Return how many examples of a group are at risk just before a time."""
    later = (n for at, n in zip(group.times, group.at_risk, strict=True) if at >= time)
    return next(later, 0)


def share_at(group: RiskGroup, time: float) -> float:
    """Return the share of a group without an event up to a time."""
    upto = [share for at, share in zip(group.times, group.share, strict=True) if at <= time]
    return upto[-1] if upto else 1.0


def _bands(group: RiskGroup) -> Iterator[list[tuple[float, float]]]:
    """Iterate over the outlines of the intervals of the shares, which are steps, in percent."""
    lists = group.times, [*group.times[1:], group.times[-1]], group.share_low, group.share_high
    steps = zip(*lists, strict=True) if group.share_low else ()
    for _, part in groupby(steps, lambda step: step[2] is None):
        below, above = [], []
        for start, end, low, high in part:
            if low is not None and high is not None:
                below += [(start, 100 * low), (end, 100 * low)]
                above += [(start, 100 * high), (end, 100 * high)]
        if above:
            yield [*above, *below[::-1]]


def survival_curves(
    name: str, time: str, found: RiskGroups, every: Sequence[RiskGroups], look: Look
) -> tuple[Canvas, str]:
    """Draw the curve of each group by risk, its censored times, and the numbers at risk below."""
    last = max(group.times[-1] for one in every for group in one.groups)
    names = names_of_groups(found.groups)
    limits = [end for group in found.groups for end in (group.low, group.high)]
    whole = all(map(float.is_integer, limits))
    risks = Scale(0) if whole else scale_of([], [max(map(abs, limits))], percent=False)
    titles = (time[:1].upper() + time[1:], f"Share without an event (%), {name}")
    plot = _plot((0.0, last), (0.0, 100.0), titles, names=names, most=100.0)
    canvas = plot.canvas
    keys: list[tuple[str, Look]] = []
    spoken = []
    foot = TOP + DEPTH + BOTTOM
    canvas.words(plot.x.left, foot + KEY / 2, "At risk", "left", colour=MUTE)
    for edges in chain.from_iterable(map(_bands, found.groups)):
        canvas.area(plot.points(*zip(*edges, strict=True)), look.colour, SHADED)
    for row, (group, label) in enumerate(zip(found.groups[::-1], names[::-1], strict=True)):
        drawn = Look(look.colour, GROUP_DASHES[::-1][row])
        steps = [(plot.x(0.0), plot.y(100.0))]
        left = [*group.at_risk[1:], 0]
        for at, n, died, after, share in zip(
            group.times, group.at_risk, group.events, left, group.share, strict=True
        ):
            x, y = plot.x(at), plot.y(100 * share)
            steps += [(x, steps[-1][1]), (x, y)]
            if n - died > after:
                canvas.line([(x, y - CENSORED), (x, y + CENSORED)], drawn.colour, 0.6)
        canvas.line(steps, drawn.colour, 1.2, drawn.dash)
        y = foot + KEY * (row + 1.5)
        canvas.words(plot.x.left - 12, y, label, "right")
        for tick in plot.x.ticks:
            canvas.words(plot.x(tick), y, count(at_risk(group, tick)), "center")
        died = sum(group.events)
        ends = dict.fromkeys(fixed(end, risks) for end in (group.low, group.high))
        text = (
            f"{label}: risk {' to '.join(ends)}, {count(died)} of {count(group.n)} with the event"
        )
        keys.append((text, drawn))
        places = ", ".join(
            f"{fixed(share_at(group, tick), Scale(1, 2))}% at {tick:g}" for tick in plot.x.ticks[1:]
        )
        spoken.append(f"{text}; without an event {places}")
    canvas.height += KEY * (len(keys) + 1)
    draw_key(canvas, KEY_LEFT, keys)
    return canvas, f"{name}, shares without an event by predicted risk: {'. '.join(spoken)}."
