"""Predicted numbers next to what was observed, series over time, and survival by risk groups."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from evallang.reporting.context import Context, Setting
from evallang.reporting.document import Block, Column, Figure, Panel, Runs, Table, further, runs
from evallang.reporting.figures.figure import Canvas
from evallang.reporting.figures.predictions import (
    names_of_groups,
    observed_by_predicted,
    residuals_by_predicted,
    series,
    survival_curves,
)
from evallang.reporting.letter_case import capitalised
from evallang.reporting.numbers import Scale, scale_of
from evallang.reporting.panels import in_parts
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.sentences import notes, write
from evallang.reporting.tables import counted, left, number, right, row, table, wide
from evallang.results.records import PredictedValues, RiskGroups

Item = TypeVar("Item", PredictedValues, RiskGroups)
TOPIC = "predictions"
MOST_PANELS = 6  # the best models; the tables and results.json have all
RESIDUALS = ("Minimum", "First quartile", "Median", "Third quartile", "Maximum")


def _methods(context: Context) -> Runs:
    """Write the sentence of the methods text about groups by risk, where there are some."""
    groups = context.results.risk_groups
    return write(context, TOPIC, "methods", level=groups[0].level) if groups else ()


@SECTIONS.register(SectionDeclaration(order=22, methods=_methods), title="Predictions")
def predictions(context: Context) -> Sequence[Block]:
    """Return for each data set and protocol what was predicted next to what was observed.

    A series over time and curves of survival are in the main part, the rest in the supplement.
    """
    blocks: list[Block] = []
    for place, setting in enumerate(context.settings, start=1):
        if numbers := _of(context, setting, context.results.predictions):
            blocks += _numbers(context, setting, numbers, place)
        if groups := _of(context, setting, context.results.risk_groups):
            blocks += _survival(context, setting, groups, place)
    return blocks


def _of(context: Context, setting: Setting, every: Iterable[Item]) -> list[Item]:
    """Return those of a setting, the best models first, without those that read no feature."""
    found = [one for one in every if Setting(one.data, one.protocol) == setting]
    reading = {m.name for m in context.results.models if not m.baseline}
    order = context.order(setting)
    found.sort(key=lambda one: order.get(one.model, len(order)))
    return [one for one in found if one.model in reading] or found


def _figures(
    context: Context, setting: Setting, place: int, found: Sequence[PredictedValues | RiskGroups],
    name: str, draw: Callable[..., tuple[Canvas, str]], *words: str,
) -> list[Figure]:  # fmt: skip
    """Return a panel for each of the best models, on common scales."""
    if not context.draws:
        return []
    shown, panels = found[:MOST_PANELS], []
    for one in shown:
        label = context.model(one.model)
        drawn = draw(label, *words, one, shown, context.look(one.model))
        panels.append(Panel(*drawn, runs(label)))
    facts = {"setting": setting, "drawn": len(shown), "models": len(found), "first": shown[0]}
    return in_parts(
        f"figure-{name}-{place}", write(context, TOPIC, name, of=words[0], **facts), panels, ""
    )


def _heads(*words: str) -> Iterator[Column]:
    return (right(word, word.lower()) for word in words)


def _numbers(
    context: Context, setting: Setting, found: Sequence[PredictedValues], place: int
) -> list[Block]:
    """Return the series, the clouds of points and the table of residuals of one setting."""
    record, unit = context.data(setting.data), context.cases(setting.data)
    of = (record.target if record is not None else None) or "value"
    draw = partial(_figures, context, setting, place, found)
    timed = all(len(one.moments) > 1 for one in found)
    figures = draw("series", series, of, unit) if timed else []
    clouds = draw("predictions", observed_by_predicted, of)
    clouds += draw("residuals", residuals_by_predicted, of)
    spreads = [(one.residuals[3] - one.residuals[1]) / 2 for one in found]
    scale = scale_of(spreads, [v for one in found for v in one.residuals], percent=False)
    points = table(
        f"table-residuals-{place}",
        (),
        [left("Model"), *_heads(*(["Position"] if timed else []), "Observed", "Predicted")],
        [
            row(
                context.model(one.model),
                counted(one.moments[i]) if timed else None,
                *(number(v, scale) for v in pair),
            )
            for one in found
            for i, pair in enumerate(zip(one.observed, one.predicted, strict=True))
        ],
    )
    whole = table(
        points.id,
        write(context, TOPIC, "caption_of_residuals", setting=setting),
        [wide("Model"), right(capitalised(unit), "n"), *_heads(*RESIDUALS)],
        [
            row(context.model(e.model), counted(e.n), *(number(v, scale) for v in e.residuals))
            for e in found
        ],
        *notes(context, TOPIC, "notes_of_residuals", setting=setting),
        one_number_a_column=points,
    )
    return [*figures[:1], *further([*figures[1:], *clouds, whole])]


def _survival(
    context: Context, setting: Setting, found: Sequence[RiskGroups], place: int
) -> list[Block]:
    """Return the curves of groups by risk, and their table."""
    record = context.data(setting.data)
    time = (record.target if record is not None else None) or "time"
    figures = _figures(context, setting, place, found, "survival", survival_curves, time)
    groups = [group for one in found for group in one.groups]
    risks = scale_of([], [max(max(abs(g.low), abs(g.high)) for g in groups)], percent=False)
    moments = scale_of([], [max(one.times[-1] for one in groups)], percent=False)
    rows, every = [], []
    for one in found:
        for group, name in zip(one.groups, names_of_groups(one.groups), strict=True):
            stub = context.model(one.model), name
            unbounded = (None,) * len(group.times)
            bounds = group.share_low or unbounded, group.share_high or unbounded
            lists = group.times, group.at_risk, group.events, group.share, *bounds
            steps = list(zip(*lists, strict=True))
            half = next((at for at, _, _, share, *_ in steps if share <= 0.5), None)
            ends = (number(end, risks) for end in (group.low, group.high))
            sizes = map(counted, (group.n, sum(group.events)))
            rows.append(row(*stub, *ends, *sizes, number(half, moments)))
            for at, n, events, *shares in steps:
                numbers = number(at, moments), counted(n), counted(events)
                every.append(row(*stub, *numbers, *(number(s, Scale(3)) for s in shares)))
    heads = [left("Model"), left("Risk")]
    steps_ = table(
        f"table-survival-{place}",
        (),
        [*heads, *_heads("Time", "At risk", "Events", "Share", "Low", "High")],
        every,
    )
    unit = capitalised(context.cases(setting.data))
    whole: Table = table(
        steps_.id,
        write(context, TOPIC, "caption_of_survival", setting=setting),
        [*heads, *_heads("Lowest", "Highest", unit, "Events", "Median")],
        rows,
        *notes(context, TOPIC, "notes_of_survival", time=time),
        one_number_a_column=steps_,
    )
    return [*figures[:1], *further([*figures[1:], whole])]
