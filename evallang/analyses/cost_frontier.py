"""Cost frontier: which models have the best quality at their cost."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict

from evallang.analysis import ANALYSES, AnalysisDeclaration, Problem
from evallang.bibliography import cite
from evallang.compatibility import metric_entry, own_metric
from evallang.diagnostics import codes
from evallang.engine.estimate_analyses import Estimates
from evallang.reporting import fonts
from evallang.reporting.analyses import Part, not_drawn, notes, place_before, shows, states
from evallang.reporting.context import Context, MetricWords, Setting
from evallang.reporting.document import Figure, Panel, Runs, Table, runs
from evallang.reporting.figures.curves import BOTTOM, RIGHT, TOP, draw_frame
from evallang.reporting.figures.figure import (
    COLUMN,
    INK,
    SIZE,
    Axis,
    Canvas,
    Point,
    draw_numbered_names,
)
from evallang.reporting.figures.score_lines import SPREAD_OF_LOG
from evallang.reporting.numbers import Scale, fixed, percent
from evallang.reporting.sentences import write
from evallang.reporting.tables import bounds, left, number, right, row, table, wide
from evallang.reporting.wording import sentence
from evallang.results.records import Analysis, Estimate
from evallang.results.shown import Number
from evallang.study import AnalysisSpec, Study


class PricedModel(Struct, frozen=True):
    """One model: its value and its cost with their intervals, and what dominates it.

    `dominated_by` is the model of the frontier with the best value among those that are at least
    as good in both, None for a model of the frontier.
    """

    model: str
    value: float
    low: Number
    high: Number
    cost: float
    cost_low: Number
    cost_high: Number
    dominated_by: str | None


class CostFrontier(Struct, frozen=True):
    """The models of one data set by a metric and a cost, which `of_cost` has estimates of.

    Models without a value or a cost are in `unknown`.
    """

    about: str
    metric: str
    cost: str
    of_cost: str
    models: tuple[PricedModel, ...]
    unknown: tuple[str, ...]


class ShownFrontier(CostFrontier, frozen=True, kw_only=True):
    """The values of an analysis of a cost frontier; `level` is the run's."""

    level: float


def _judge(study: Study, spec: AnalysisSpec) -> Iterator[Problem]:
    """Find a study in which nothing has the cost, or nothing else has an estimate."""
    cost = str(spec.method.keywords()["cost"])
    priced = [_is_priced(study, source.name, cost) for source in study.sources]
    if not any(priced) or all(priced):
        lacking = f"`{cost}`" if not any(priced) else "anything else"
        yield (
            codes.analysis_needs_other_data,
            f"`cost_frontier` reads a measure and a cost, and the study does not measure {lacking}",
            f'write a statement for each, that of the cost with `value "{cost}" all`',
        )


def _is_priced(study: Study, name: str, cost: str) -> bool:
    own = next((own_metric(source) for source in study.sources if source.name == name), None)
    return own is not None and own.name == cost


@ANALYSES.register(
    AnalysisDeclaration(
        about="estimates",
        judge=_judge,
        shown=ShownFrontier,
        when="models differ in tokens, seconds or price as well as in quality",
        when_not=(
            "two models should be compared in cost: compare, where costs are paired by example "
            "like any value"
        ),
        formula=(
            "a model is on the frontier if no other model is at least as good in the measure and "
            "in the cost and better in one of them; estimates are compared as observed, and their "
            "intervals are shown"
        ),
        example='predictions answers from "data/answers.csv"\n'
        "  model model\n"
        "  id question\n"
        "  correct all as right\n"
        'predictions tokens from "data/answers.csv"\n'
        "  model model\n"
        "  id question\n"
        '  value "output tokens" all as tokens\n'
        "  lower is better\n"
        "measure accuracy\n"
        'analyze cost_frontier(cost="output tokens")\n',
    ),
    title="Cost frontier",
    references=(cite("kapoor2024"),),
)
def cost_frontier(estimates: Estimates, *, cost: str) -> CostFrontier | None:
    """The models that have the best quality at their cost, and what dominates the others.

    The cost is that of the same task in the statement that reads the same files, or in the only
    other statement. Raises `ValueError` where there is none, or fewer than two models have both.
    """
    study, data = estimates.study, estimates.data
    own = estimates.source(data)
    if _is_priced(study, own.name, cost):
        return None
    priced = [one for one in study.sources if _is_priced(study, one.name, cost)]
    if len(study.sources) > 2 or len(priced) > 1:
        priced = [one for one in priced if one.files == own.files]
    if len(priced) != 1:
        number = "no statement" if not priced else "more than one statement"
        raise ValueError(f"{number} with `{cost}` reads the same files")
    of_cost = "/".join([priced[0].name, *data.split("/")[1:]])
    metric = next(
        e.metric for e in estimates.found if (e.data, e.protocol) == (data, estimates.protocol)
    )
    values, costs = (
        {
            e.model: e
            for e in estimates.found
            if (e.data, e.metric) == (place, name) and e.protocol in (None, estimates.protocol)
        }
        for place, name in ((data, metric), (of_cost, cost))
    )
    models = [name for name in values if not estimates.spec.models or name in estimates.spec.models]
    known = [
        name
        for name in models
        if values[name].value is not None and name in costs and costs[name].value is not None
    ]
    if len(known) < 2:
        raise ValueError(f"fewer than two models have both {metric} and {cost}")
    signs = [
        1 if metric_entry(estimates.metric(some[known[0]])).declaration.better == "higher" else -1
        for some in (values, costs)
    ]
    merits = {
        name: tuple(
            sign * (some[name].value or 0)
            for sign, some in zip(signs, (values, costs), strict=True)
        )
        for name in known
    }
    return CostFrontier(
        about=values[known[0]].about,
        metric=metric,
        cost=cost,
        of_cost=of_cost,
        models=tuple(
            PricedModel(
                name,
                *_with_bounds(values[name]),
                *_with_bounds(costs[name]),
                _best_dominating(name, merits),
            )
            for name in known
        ),
        unknown=tuple(name for name in models if name not in known),
    )


def _with_bounds(found: Estimate) -> tuple[float, Number, Number]:
    assert found.value is not None, "models without a value are skipped"
    between = found.interval
    return found.value, *((None, None) if between is None else (between.low, between.high))


def _best_dominating(name: str, merits: Mapping[str, tuple[float, ...]]) -> str | None:
    """Return the best of the models that dominate one, None where no model does."""
    own = merits[name]
    better = [
        one
        for one, other in merits.items()
        if other != own and all(a >= b for a, b in zip(other, own, strict=True))
    ]
    return max(better, key=lambda one: merits[one], default=None)


# --- the section ---------------------------------------------------------------------------------

DEPTH = 150.0  # of the plot, in points
MOST_DRAWN = 40  # models; the table has all
MOST_NAMED = 8  # models with their names in the plot; of more, names are numbered below
BESIDE = 5.0  # points between a marker and its name


class _Words(Struct, frozen=True):
    """How the two quantities of an analysis are printed."""

    metric: MetricWords
    scale: Scale
    cost: MetricWords
    of_cost: Scale


def _words(context: Context, item: Analysis) -> _Words:
    metric, cost = item.values["metric"], item.values["cost"]
    return _Words(
        context.metric(metric),
        context.scale(Setting(item.data, item.protocol), metric),
        context.metric(cost),
        context.scale(Setting(item.values["of_cost"], None), cost),
    )


def _in_order(context: Context, item: Analysis) -> list[Mapping[str, Any]]:
    """Return the models of an analysis, the best first."""
    order = context.order(Setting(item.data, item.protocol))
    return sorted(item.values["models"], key=lambda one: order.get(one["model"], len(order)))


@states("cost_frontier", key=id)
def _key_findings(context: Context, items: Sequence[Analysis]) -> list[Runs]:
    """State which models are on the frontier, with their values and costs."""
    (item,) = items
    known, words = _in_order(context, item), _words(context, item)
    on = [one for one in known if one["dominated_by"] is None]
    facts = {"item": item, "on": on, "n": len(known), **asdict(words)}
    return [write(context, "analyses", "cost_frontier", **facts)]


@shows(
    "cost_frontier",
    order=52,
    title="Cost frontier",
    methods="Models that no other model dominates in quality and cost were listed",
    key=id,
)
def frontier_of_cost(context: Context, part: Part) -> tuple[Table, Figure]:
    """Return a table and a figure for each data set."""
    (item,) = part.items
    known, words = _in_order(context, item), _words(context, item)
    values, metric, cost = item.values, words.metric, words.cost
    level = f"{percent(values['level'])} CI"
    unknown = ", ".join(map(context.model, values["unknown"]))
    made = table(
        f"table-frontier-{part.number}",
        f"{place_before(context, part.items)}{metric.noun} and {cost.noun} of models",
        [
            wide("Model"),
            (f"{metric.heading}{metric.sign}", [right("Est."), right(level)]),
            (f"{cost.heading}{cost.sign}", [right("Est."), right(level)]),
            left("Frontier"),
        ],
        [
            row(
                context.model(one["model"]),
                number(one["value"], words.scale),
                bounds(one["low"], one["high"], words.scale),
                number(one["cost"], words.of_cost),
                bounds(one["cost_low"], one["cost_high"], words.of_cost),
                "on the frontier"
                if one["dominated_by"] is None
                else f"dominated by {context.model(one['dominated_by'])}",
            )
            for one in known
        ],
        write(context, "analyses", "note_of_frontier", metric=metric, cost=cost),
        f"without {metric.noun} or {cost.noun}: {unknown}" if unknown else None,
        *notes(context, part.items),
    )
    drawn = sorted(known, key=lambda one: one["dominated_by"] is not None)[:MOST_DRAWN]
    canvas = _drawing(context, drawn, words)
    caption = f"{place_before(context, part.items)}{metric.noun} by {cost.noun} with "
    caption += f"{percent(values['level'])} intervals; dashed line: frontier; open markers: "
    caption += "dominated models"
    rest = not_drawn(len(known), MOST_DRAWN, made.id, which=part.which)
    panel = Panel(canvas, _spoken(context, drawn, words), ())
    return made, Figure(f"figure-frontier-{part.number}", runs(sentence(caption)) + rest, (panel,))


def _drawing(context: Context, known: Sequence[Mapping[str, Any]], words: _Words) -> Canvas:
    """Draw models as crosses of two intervals, and the frontier as steps."""
    foot, end = TOP + DEPTH, COLUMN - RIGHT
    ends = [v for one in known for v in (one["value"], one["low"], one["high"]) if v is not None]
    y = Axis(min(ends), max(ends), foot, TOP, 5, words.metric.range)
    up = y.texts(words.scale.power)
    start = fonts.widest((text for _, text in up), SIZE) + 6
    costs = [v for one in known for v in (one["cost"], one["cost_low"], one["cost_high"])]
    x, across = _scale([v for v in costs if v is not None], start, end, words)
    canvas = Canvas(foot + BOTTOM)
    canvas.plot = (start, end)
    titles = [f"{one.heading}{one.sign}" for one in (words.cost, words.metric)]
    draw_frame(canvas, start, foot, ((y(tick), text) for tick, text in up), titles)
    reached = -math.inf
    for place, text in across:
        canvas.line([(place, foot), (place, foot + 2.5)], INK, 0.6)
        half = fonts.width(text, SIZE) / 2
        middle = min(place, canvas.width - half)
        if middle - half > reached:
            canvas.words(middle, foot + 8, text, "center")
            reached = middle + half + 3
    cheap = 1 if words.cost.better == "lower" else -1
    on = sorted(
        (cheap * one["cost"], (x(one["cost"]), y(one["value"])))
        for one in known
        if one["dominated_by"] is None
    )
    steps = [on[0][1]]
    for (_, before), (_, after) in pairwise(on):
        steps += [(after[0], before[1]), after]
    canvas.line([*steps, (end if cheap > 0 else start, steps[-1][1])], INK, 0.7, "2.5 2")
    places = [(x(one["cost"]), y(one["value"])) for one in known]
    taken = [(cx - 3, cy - 3, cx + 3, cy + 3) for cx, cy in places]
    for one, (cx, cy) in zip(known, places, strict=True):
        look = context.look(one["model"])
        for low, high, axis in (
            (one["low"], one["high"], y),
            (one["cost_low"], one["cost_high"], x),
        ):
            if low is not None and high is not None:
                first, last = axis(low), axis(high)
                bar = [(cx, first), (cx, last)] if axis is y else [(first, cy), (last, cy)]
                canvas.line(bar, look.colour, 1.0)
                ends_x, ends_y = (sorted(at) for at in zip(*bar, strict=True))
                taken.append((ends_x[0] - 1, ends_y[0] - 1, ends_x[1] + 1, ends_y[1] + 1))
        canvas.dot(cx, cy, filled=one["dominated_by"] is None, look=look)
    names = [context.model(one["model"]) for one in known]
    _write_names(canvas, names, places, taken, (start, end), foot)
    return canvas


def _scale(
    ends: Sequence[float], start: float, end: float, words: _Words
) -> tuple[Callable[[float], float], list[tuple[float, str]]]:
    """Return the scale of costs and its ticks, logarithmic where the range asks for it."""
    low, high = min(ends), max(ends)
    if low <= 0 or high / low < SPREAD_OF_LOG:
        axis = Axis(low, high, start, end, 5, words.cost.range)
        return axis, [(axis(tick), text) for tick, text in axis.texts(words.of_cost.power)]
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    round_ = [float(f"{m}e{power}") for power in powers for m in (1, 2, 5)]
    least = max(tick for tick in round_ if tick <= low)
    most = min(tick for tick in round_ if tick >= high)

    def place(value: float) -> float:
        share = math.log(value / least) / math.log(most / least)
        return start + (end - start) * share

    power = words.of_cost.power
    return place, [
        (place(tick), fixed(tick, Scale(max(0, -math.floor(math.log10(tick)) - power), power)))
        for tick in round_
        if least <= tick <= most
    ]


def _write_names(
    canvas: Canvas,
    names: Sequence[str],
    places: Sequence[Point],
    drawn: Sequence[tuple[float, float, float, float]],
    plot: Point,
    foot: float,
) -> None:
    """Write each name next to its marker, or numbers with the names below where one has no room.

    `drawn` are the boxes of markers and intervals, which names leave free.
    """
    for texts in (names, [str(place) for place, _ in enumerate(names, 1)]):
        taken = list(drawn)
        found = []
        for text, (x, y) in zip(texts, places, strict=True):
            wide_ = fonts.width(text, SIZE)
            boxes = [
                (left_, middle - 3.5, left_ + wide_, middle + 3.5)
                for middle in (y - 6, y + 6)
                for left_ in (x + BESIDE, x - BESIDE - wide_)
            ]
            inside = [b for b in boxes if b[0] >= plot[0] and b[2] <= plot[1] and b[3] <= foot]
            free = [
                b
                for b in inside
                if not any(
                    b[0] < o[2] and o[0] < b[2] and b[1] < o[3] and o[1] < b[3] for o in taken
                )
            ]
            found.append((free or inside or boxes)[0])
            taken.append(found[-1])
            if texts is names and (not free or len(names) > MOST_NAMED):
                break
        else:
            for text, box in zip(texts, found, strict=True):
                canvas.words(box[0], (box[1] + box[3]) / 2, text)
            break
    if texts is not names:
        draw_numbered_names(canvas, names)


def _spoken(context: Context, known: Sequence[Mapping[str, Any]], words: _Words) -> str:
    said = []
    for one in known:
        value = f"{fixed(one['value'], words.scale)}{'%' if words.metric.percent else ''}"
        of = one["dominated_by"]
        where = "on the frontier" if of is None else f"dominated by {context.model(of)}"
        said.append(
            f"{context.model(one['model'])} {value} at {fixed(one['cost'], words.of_cost)}, {where}"
        )
    return f"{words.metric.heading} by {words.cost.noun}: {'; '.join(said)}."
