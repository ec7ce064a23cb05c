"""Predicted numbers next to what was observed, series over time, and survival by risk groups."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from evallang.reporting.context import Context, Setting
from evallang.reporting.document import Block, Figure, Panel, Runs, Table, further, runs
from evallang.reporting.figures.figure import Canvas
from evallang.reporting.figures.predictions import (
    names_of_groups,
    observed_by_predicted,
    residuals_by_predicted,
    series,
    survival_curves,
)
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
    return write(context, TOPIC, "methods") if context.results.risk_groups else ()


@SECTIONS.register(SectionDeclaration(order=22, methods=_methods), title="Predictions")
def predictions(context: Context) -> Sequence[Block]:
    """Return for each data set and protocol what was predicted next to what was observed.

    A series over time and curves of survival are in the main part, the rest in the supplement.
    """
    blocks: list[Block] = []
    for number_, setting in enumerate(context.settings, start=1):
        numbers = _of(context, setting, context.results.predictions)
        if numbers:
            blocks += _numbers(context, setting, numbers, str(number_))
        groups = _of(context, setting, context.results.risk_groups)
        if groups:
            blocks += _survival(context, setting, groups, str(number_))
    return blocks


def _of(context: Context, setting: Setting, every: Iterable[Item]) -> list[Item]:
    """Return those of a setting, the best models first, without those that read no feature."""
    found = [one for one in every if Setting(one.data, one.protocol) == setting]
    reading = {m.name for m in context.results.models if not m.baseline}
    metrics = context.metrics(setting)
    order = context.models_best_first(setting, metrics[0]) if metrics else ()
    place = {name: i for i, name in enumerate(order)}
    found.sort(key=lambda one: place.get(one.model, len(place)))
    return [one for one in found if one.model in reading] or found


def _figures(
    context: Context, setting: Setting, identifier: str, caption: str, found: Sequence[
        PredictedValues | RiskGroups
    ], draw: Callable[..., tuple[Canvas, str]], *words: str,
) -> list[Figure]:  # fmt: skip
    """Return a panel for each of the best models, on common scales."""
    if not context.draws:
        return []
    shown = found[:MOST_PANELS]
    panels = []
    for one in shown:
        name = context.model(one.model)
        drawn = draw(name, *words, one, shown, context.look(one.model))
        panels.append(Panel(*drawn, runs(name)))
    facts = {"setting": setting, "drawn": len(shown), "models": len(found), "first": shown[0]}
    said = write(context, TOPIC, caption, of=words[0], **facts)
    return in_parts(f"figure-{identifier}", said, panels, "")


def _numbers(
    context: Context, setting: Setting, found: Sequence[PredictedValues], number_: str
) -> list[Block]:
    """Return the series, the clouds of points and the table of residuals of one setting."""
    record = context.data(setting.data)
    of = (record.target if record is not None else None) or "value"
    blocks: list[Block] = []
    if all(len(one.moments) > 1 for one in found):
        unit = context.cases(setting.data)
        blocks += _figures(context, setting, f"series-{number_}", "series", found, series, of, unit)
    rest: list[Block] = []
    for name, draw in (
        ("predictions", observed_by_predicted), ("residuals", residuals_by_predicted),
    ):  # fmt: skip
        rest += _figures(context, setting, f"{name}-{number_}", name, found, draw, of)
    spreads = [(one.residuals[3] - one.residuals[1]) / 2 for one in found]
    scale = scale_of(spreads, [v for one in found for v in one.residuals], percent=False)
    rows = [
        row(context.model(one.model), counted(one.n), *(number(v, scale) for v in one.residuals))
        for one in found
    ]
    heads = [right(head, head.lower()) for head in RESIDUALS]
    every = [
        row(
            context.model(one.model),
            counted(one.moments[i]) if one.moments else None,
            number(one.observed[i], scale),
            number(one.predicted[i], scale),
        )
        for one in found
        for i in range(len(one.observed))
    ]
    timed = right("Position", "position") if found[0].moments else None
    points = table(
        f"table-residuals-{number_}",
        (),
        [left("Model"), timed, right("Observed", "observed"), right("Predicted", "predicted")],
        every,
    )
    rest.append(
        table(
            points.id,
            write(context, TOPIC, "caption_of_residuals", setting=setting),
            [wide("Model"), right(context.cases(setting.data).capitalize(), "n"), *heads],
            rows,
            *notes(context, TOPIC, "notes_of_residuals", setting=setting),
            one_number_a_column=points,
        )
    )
    return [*blocks[:1], *further([*blocks[1:], *rest])]


def _survival(
    context: Context, setting: Setting, found: Sequence[RiskGroups], number_: str
) -> list[Block]:
    """Return the curves of groups by risk, and their table."""
    record = context.data(setting.data)
    time = (record.target if record is not None else None) or "time"
    figures = _figures(
        context, setting, f"survival-{number_}", "survival", found, survival_curves, time
    )
    rows, every = [], []
    groups = [group for one in found for group in one.groups]
    largest = max(abs(end) for one in groups for end in (one.low, one.high))
    risks = scale_of([], [largest], percent=False)
    moments = scale_of([], [max(one.times[-1] for one in groups)], percent=False)
    for one in found:
        for group, name in zip(one.groups, names_of_groups(one.groups), strict=True):
            model = context.model(one.model)
            steps = list(zip(group.times, group.at_risk, group.events, group.share, strict=True))
            half = next((at for at, *_, share in steps if share <= 0.5), None)
            numbers = (number(group.low, risks), number(group.high, risks))
            died = counted(sum(group.events))
            rows.append(row(model, name, *numbers, counted(group.n), died, number(half, moments)))
            for at, n, events, share in steps:
                cells = (number(at, moments), counted(n), counted(events))
                every.append(row(model, name, *cells, number(share, Scale(3))))
    stub = [left("Model"), left("Risk")]
    heads = ("Lowest", "Highest", context.cases(setting.data).capitalize(), "Events", "Median")
    numbers_ = ("Time", "At risk", "Events", "Share")
    steps_ = table(
        f"table-survival-{number_}", (), [*stub, *(right(h, h.lower()) for h in numbers_)], every
    )
    whole: Table = table(
        steps_.id,
        write(context, TOPIC, "caption_of_survival", setting=setting),
        [*stub, *(right(head, head.lower()) for head in heads)],
        rows,
        *notes(context, TOPIC, "notes_of_survival", time=time),
        one_number_a_column=steps_,
    )
    return [*figures[:1], *further([*figures[1:], whole])]
