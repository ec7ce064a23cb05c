"""Against chance: the scores of models next to those on shuffled targets."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from evallang.reporting.context import Context
from evallang.reporting.curves import (
    best_first,
    computed,
    further_notes,
    problems,
    shown_in,
)
from evallang.reporting.document import (
    Block,
    Cell,
    Column,
    Figure,
    Number,
    Panel,
    Ref,
    Row,
    Runs,
    Table,
    runs,
)
from evallang.reporting.figure_parts import drawn_words
from evallang.reporting.figures.stacks import values_next_to_spans
from evallang.reporting.numbers import Scale, count, fixed, interval, scale_of
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.wording import number_word, p_cell, p_letter, sentence
from evallang.results.records import Analysis

SECTION = "against_chance"
MOST_ROWS = 12  # models that a figure draws; the table has all


def _methods(context: Context) -> Runs:
    found = [item for item in shown_in(context, SECTION) if computed(item)]
    if not found:
        return ()
    models: dict[int, list[str]] = {}
    for item in found:
        models.setdefault(item.values["rounds"], []).append(context.model(item.model or ""))
    numbers = [
        count(n) if len(models) == 1 else f"{count(n)} ({', '.join(dict.fromkeys(names))})"
        for n, names in sorted(models.items(), reverse=True)
    ]
    words = (
        "To test whether a score can be due to chance, the models were fitted again to shuffled "
        f"targets with new splits, using {' and '.join(numbers)} permutations"
    )
    return runs(words, context.cite("analysis", found[0].kind), ".")


@SECTIONS.register(
    SectionDeclaration(order=44, methods=_methods, analyses=True), title="Against chance"
)
def against_chance(context: Context) -> Sequence[Block]:
    """Return a table and a figure for each data set, protocol and metric."""
    blocks: list[Block] = []
    groups = groupby(
        shown_in(context, SECTION), lambda item: (item.data, item.protocol, item.metric)
    )
    for number, (_, part) in enumerate(groups, start=1):
        items = list(part)
        done = [item for item in items if computed(item)]
        known, which = best_first(context, done, MOST_ROWS)
        if known:
            table = f"table-chance-{number}"
            blocks.append(_table(context, known, table))
            where = runs(Ref(table, "the table"))
            words = drawn_words(min(len(known), MOST_ROWS), len(known), "models", where, which)
            blocks.append(_figure(context, known, f"figure-chance-{number}", words))
        blocks += problems(context, items)
    return blocks


def _table(context: Context, items: Sequence[Analysis], identifier: str) -> Table:
    metric, scale = context.metric(items[0].values["metric"]), _scale(context, items)
    unit = " (%)" if metric.percent else ""
    first, *_, last = [quantile["level"] for quantile in items[0].values["quantiles"]]
    columns: tuple[Column, ...] = (
        Column(runs("Model"), "left", wide=True),
        Column(runs(f"{metric.title}{unit}"), sortable=True),
        Column(runs(f"Shuffled, mean{unit}"), sortable=True),
        Column(runs(f"{100 * first:g}% to {100 * last:g}%")),
        Column(runs("Difference"), sortable=True),
        Column(runs("As good"), sortable=True),
        Column((p_letter(context),), sortable=True),
    )
    adjusted = any(item.values.get("p_adjusted") is not None for item in items)
    if adjusted:
        columns = (*columns, Column((*runs("Adjusted "), p_letter(context)), sortable=True))
    rows = []
    for item in items:
        found = item.values
        cells = [Cell(runs(context.model(item.model or ""))), _cell(found["value"], scale)]
        cells.append(_cell(found["mean"], scale))
        low, *_, high = [quantile["value"] for quantile in found["quantiles"]]
        cells.append(Cell(runs(interval(low, high, scale)), low=low, high=high))
        cells.append(_cell(found["difference"], scale))
        share = f"{count(found['as_good'])} of {count(found['rounds'])}"
        cells.append(Cell(runs(Number(share, found["as_good"])), found["as_good"]))
        cells.append(Cell(p_cell(context, found["p"], context.results.study.alpha), found["p"]))
        if adjusted:
            p = found.get("p_adjusted")
            cells.append(Cell(p_cell(context, p, context.results.study.alpha), p))
        rows.append(Row(tuple(cells)))
    words = f"{context.place(items[0].data, items[0].protocol)}{metric.noun} on the target as it is"
    words += ", and on shuffled targets"
    notes = [
        runs(sentence(_rounds(items[0].values, len(items)))),
        runs(f"These results show {items[0].values['about']}."),
    ]
    return Table(
        identifier,
        runs(sentence(words)),
        columns,
        tuple(rows),
        notes=(*notes, *further_notes(context, items)),
    )


def _scale(context: Context, items: Sequence[Analysis]) -> Scale:
    spreads = [item.values["sd"] for item in items if item.values["sd"] is not None]
    values = [item.values["value"] for item in items]
    percent = context.metric(items[0].values["metric"]).percent
    return scale_of(spreads or values, values, percent=percent)


def _figure(
    context: Context, items: Sequence[Analysis], identifier: str, not_drawn: Runs
) -> Figure:
    metric = context.metric(items[0].values["metric"])
    rows = []
    for item in items[:MOST_ROWS]:
        low, middle, high = (quantile["value"] for quantile in item.values["quantiles"])
        rows.append((context.model(item.model or ""), item.values["value"], (low, middle, high)))
    title = f"{metric.heading}{' (%)' if metric.percent else ''}"
    subject = "The target as it is (point) and shuffled targets (bar)"
    scale = _scale(context, items)
    drawing, alt = values_next_to_spans(rows, title, scale, subject, metric.range)
    place = context.place(items[0].data, items[0].protocol)
    caption = sentence(
        f"{place}{metric.noun} on the target as it is (point) and on shuffled targets (bar "
        "from the 5% to the 95% quantile, with their median)"
    )
    drawn = runs("All models" if not not_drawn else f"{MOST_ROWS} models")
    return Figure(identifier, runs(caption, not_drawn), (Panel(drawing, alt, drawn),))


def _cell(value: float | None, scale: Scale) -> Cell:
    return Cell(runs(Number(fixed(value, scale), value)), value)


def _rounds(values: Any, models: int) -> str:
    """State what was shuffled and counted, and what p is of several models."""
    words = "as good: shuffled targets"
    if values["within"]:
        words += f", within the levels of {' and '.join(values['within'])}"
    if values["groups"] is not None:
        words += f", exchanged between {count(values['groups'])} whole groups"
    words += (
        ", on which the score was at least as good; p counts the target as it is as one of them"
    )
    if values.get("p_adjusted") is not None:
        words += (
            f"; the adjusted p is the share of targets on which any of the "
            f"{number_word(values['models'])} models has as small a p"
        )
    elif models > 1:
        words += f", and is not adjusted for the {number_word(models)} models"
    return words
