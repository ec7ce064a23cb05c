"""Confusion matrices: the counts of true by predicted classes, and the shares of their rows."""

from collections.abc import Sequence
from itertools import groupby

from evallang.reporting.context import Context
from evallang.reporting.curves import about, asked_for, further_notes
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
    Spanner,
    Table,
    runs,
)
from evallang.reporting.figure_parts import drawn_words, in_parts
from evallang.reporting.figures.class_matrix import MOST_CLASSES, matrix_of_classes
from evallang.reporting.numbers import NBSP, Scale, count, fixed, interval, percent
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.wording import sentence
from evallang.results.records import Analysis

PERCENT = Scale(1, 2)
MOST_PANELS = 12  # models that are drawn; the tables have all
MOST_WITH_INTERVALS = 4  # classes whose shares are printed with intervals


@SECTIONS.register(SectionDeclaration(order=47, analyses=True), title="Confusion matrices")
def confusion_matrices(context: Context) -> Sequence[Block]:
    """Return one table for each model, data set and protocol, and figures of their models."""
    found = [item for item in asked_for(context, curves=False) if "cells" in item.values]
    blocks: list[Block] = []
    number = 0
    for place, (_, part) in enumerate(groupby(found, lambda i: (i.data, i.protocol)), start=1):
        items = list(part)
        first = f"table-confusion-{number + 1}"
        for item in items:
            number += 1
            blocks.append(_matrix(context, item, f"table-confusion-{number}"))
        if len(items[0].values["classes"]) <= MOST_CLASSES:
            blocks += _figures(context, items, place, first)
    return blocks


def _figures(
    context: Context, items: Sequence[Analysis], number: int, table: str
) -> Sequence[Figure]:
    panels = []
    for item in items[:MOST_PANELS]:
        name = context.model(item.model or "")
        cells = {(cell["truth"], cell["predicted"]): cell for cell in item.values["cells"]}
        svg, alt = matrix_of_classes(name, list(item.values["classes"]), cells)
        panels.append(Panel(svg, alt, runs(name)))
    place = context.place_words(items[0].data, items[0].protocol)
    subject = "Predictions by true class" + (f" {place}" if place else "")
    words = f"{subject}: the area of a square is the share of the true class; blue, right"
    caption = runs(sentence(words))
    in_tables = runs("the tables from ", Ref(table), " on")
    caption += drawn_words(len(panels), len(items), "models", in_tables)
    return in_parts(f"figure-confusion-{number}", caption, panels, subject)


def _matrix(context: Context, item: Analysis, identifier: str) -> Table:
    values = item.values
    classes = list(values["classes"])
    cells = {(cell["truth"], cell["predicted"]): cell for cell in values["cells"]}
    heads = [*classes, *([""] if any(predicted == "" for _, predicted in cells) else [])]
    short = len(heads) > MOST_WITH_INTERVALS
    columns = [Column(runs("True class"), "left")]
    columns += [Column(runs(head or "no class"), sortable=True) for head in heads]
    rows = []
    for truth in classes:
        row = [Cell(runs(truth))]
        for head in heads:
            cell = cells[truth, head]
            row.append(Cell(_words(cell, short=short), cell["count"], cell["low"], cell["high"]))
        rows.append(Row(tuple(row)))
    place = context.place_words(item.data, item.protocol)
    on = f" {place}" if place else ""
    caption = runs(sentence(f"{context.model(item.model or '')}{on}: predictions by true class"))
    level = percent(values["level"])
    shares = "percentages are shares of a row"
    note = shares if short else f"{shares}, with {level} intervals ({values['method']})"
    size = f"{count(values['n'])}{NBSP}predictions"
    notes = [runs(sentence(f"{size}; {note}")), about([item]), *further_notes(context, [item])]
    spanner = Spanner(runs("Predicted class"), 1, len(heads))
    return Table(
        identifier, caption, tuple(columns), tuple(rows), (spanner,), tuple(notes), whole=True
    )


def _words(cell: dict[str, object], *, short: bool) -> Runs:
    number, share = cell["count"], cell["share"]
    assert isinstance(number, float | int), "a count is a number"
    text = count(int(number)) if float(number).is_integer() else f"{number:,.1f}"
    if not isinstance(share, float | int):
        return runs(Number(text, number))
    made = runs(Number(text, number), f" ({fixed(share, PERCENT)}%)")
    low, high = cell["low"], cell["high"]
    if short or not isinstance(low, float | int) or not isinstance(high, float | int):
        return made
    return runs(made, " ", interval(low, high, PERCENT))
