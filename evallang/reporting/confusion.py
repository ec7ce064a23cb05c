"""Confusion matrices: the counts of true by predicted classes, and the shares of their rows."""

from collections.abc import Sequence
from itertools import groupby

from msgspec.structs import replace

from evallang.reporting.context import Context
from evallang.reporting.curves import about, asked_for, best_first, further_notes
from evallang.reporting.document import (
    Block,
    Cell,
    Code,
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
from evallang.reporting.long_tables import fits_on_a_page
from evallang.reporting.numbers import NBSP, Scale, count, fixed, interval, percent
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.wording import sentence
from evallang.results.records import Analysis

PERCENT = Scale(1, 2)
MOST_PANELS = 12  # models that are drawn; the table has all
MOST_WITH_INTERVALS = 4  # classes whose shares are printed with intervals
MOST_MISTAKES = 3  # of a class that are listed


@SECTIONS.register(SectionDeclaration(order=47, analyses=True), title="Confusion matrices")
def confusion_matrices(context: Context) -> Sequence[Block]:
    """Return a table and figures for each data set and protocol, with all of its models."""
    found = [item for item in asked_for(context, curves=False) if "cells" in item.values]
    blocks: list[Block] = []
    places = groupby(found, lambda i: (i.data, i.protocol, i.values["classes"]))
    for number, (_, part) in enumerate(places, start=1):
        items, which = best_first(context, list(part), MOST_PANELS)
        table = f"table-confusion-{number}"
        blocks.append(_table(context, items, table))
        if len(items[0].values["classes"]) <= MOST_CLASSES:
            blocks += _figures(context, items, number, table, which)
    return blocks


def _figures(
    context: Context, items: Sequence[Analysis], number: int, table: str, which: str
) -> Sequence[Figure]:
    panels = []
    for item in items[:MOST_PANELS]:
        name = context.model(item.model or "")
        cells = {(cell["truth"], cell["predicted"]): cell for cell in item.values["cells"]}
        drawing, alt = matrix_of_classes(name, list(item.values["classes"]), cells)
        panels.append(Panel(drawing, alt, runs(name)))
    place = context.place_words(items[0].data, items[0].protocol)
    subject = "Predictions by true class" + (f" {place}" if place else "")
    words = f"{subject}: the area of a square is the share of the true class; blue, right"
    caption = runs(sentence(words))
    where = runs(Ref(table, "the table"))
    caption += drawn_words(len(panels), len(items), "models", where, which)
    return in_parts(f"figure-confusion-{number}", caption, panels, subject)


def _table(context: Context, items: Sequence[Analysis], identifier: str) -> Table:
    """Return the counts of some models, each below its name where there are several."""
    classes = items[0].values["classes"]
    strange = any(cell["predicted"] == "" for item in items for cell in item.values["cells"])
    heads = [*classes, *([""] if strange else [])]
    short = len(heads) > MOST_WITH_INTERVALS
    columns = [Column(runs("True class"), "left")]
    columns += [Column(runs(head or "no class"), sortable=True) for head in heads]
    rows: list[Row] = []
    for item in items:
        rows += _named(context, item, items)
        rows += _rows(item, heads, short=short)
    place = context.place_words(items[0].data, items[0].protocol)
    words = f"predictions by true class{f' {place}' if place else ''}"
    if len(items) == 1:
        on = f" {place}" if place else ""
        words = f"{context.model(items[0].model or '')}{on}: predictions by true class"
    level = percent(items[0].values["level"])
    shares = "percentages are shares of a row"
    methods = " or ".join(dict.fromkeys(item.values["method"] for item in items))
    note = shares if short else f"{shares}, with {level} intervals ({methods})"
    whole = Table(
        identifier,
        runs(sentence(words, context.own_names)),
        tuple(columns),
        tuple(rows),
        (Spanner(runs("Predicted class"), 1, len(heads)),),
        whole=len(items) == 1,
    )
    whole = replace(whole, one_number_a_column=_list_of_counts(context, items, whole))
    made = whole
    if not fits_on_a_page(whole):
        made = _list_of_mistakes(context, items, whole)
        note = shares
    sizes = " to ".join(dict.fromkeys(count(item.values["n"]) for item in items))
    of_each = " of each model" if len(items) > 1 else ""
    weighted = context.weights_words(items[0].data)
    notes = [runs(sentence(f"{sizes}{NBSP}predictions{of_each}{weighted}; {note}")), about(items)]
    if made is not whole:
        file = f"tables/{identifier.removeprefix('table-')}.csv"
        notes.insert(1, runs(Code(file), " has the counts of all predicted classes."))
    return replace(made, notes=(*notes, *further_notes(context, items)))


def _named(context: Context, item: Analysis, items: Sequence[Analysis]) -> list[Row]:
    """Return the row that heads those of a model, where there are several models."""
    if len(items) == 1:
        return []
    return [Row((Cell(runs(context.model(item.model or ""))),), group=True)]


def _list_of_mistakes(context: Context, items: Sequence[Analysis], whole: Table) -> Table:
    """Return a row for each class, with its most frequent mistakes, where a matrix is too wide."""
    columns = (
        Column(runs("True class"), "left"),
        Column(runs("Right"), sortable=True),
        Column(runs("Most frequent mistakes: predicted class and count"), "left", wide=True),
    )
    rows: list[Row] = []
    for item in items:
        rows += _named(context, item, items)
        cells = {(cell["truth"], cell["predicted"]): cell for cell in item.values["cells"]}
        for truth in item.values["classes"]:
            own = [c for (of, _), c in cells.items() if of == truth and c["count"]]
            wrong = sorted((c for c in own if c["predicted"] != truth), key=lambda c: -c["count"])
            right = cells[truth, truth]
            mistakes = [
                runs(", " if k else "", f"{cell['predicted'] or 'no class'} ",
                     *_words(cell, short=True))
                for k, cell in enumerate(wrong[:MOST_MISTAKES])
            ]  # fmt: skip
            rows.append(Row((
                Cell(runs(truth)),
                Cell(_words(right, short=True), right["count"]),
                Cell(sum(mistakes, ()) or runs("–")),
            )))  # fmt: skip
    return replace(
        whole,
        columns=columns,
        rows=tuple(rows),
        spanners=(),
        left_out=len(rows),
        gap_after=len(rows),
    )


def _list_of_counts(context: Context, items: Sequence[Analysis], whole: Table) -> Table:
    """Return a row for each count of each model, for a file."""
    columns = [Column(runs(head)) for head in ("Model", "True class", "Predicted class", "Count")]
    columns += [Column(runs("Share of the true class")), Column(runs("Share"))]
    rows = [
        Row((
            Cell(runs(context.model(item.model or ""))),
            Cell(runs(cell["truth"])),
            Cell(runs(cell["predicted"])),
            Cell((), cell["count"]),
            Cell((), cell["share"]),
            Cell((), None, cell["low"], cell["high"]),
        ))
        for item in items
        for cell in item.values["cells"]
    ]  # fmt: skip
    return replace(whole, columns=tuple(columns), rows=tuple(rows), spanners=())


def _rows(item: Analysis, heads: Sequence[str], *, short: bool) -> list[Row]:
    cells = {(cell["truth"], cell["predicted"]): cell for cell in item.values["cells"]}
    rows = []
    for truth in item.values["classes"]:
        row = [Cell(runs(truth))]
        for head in heads:
            cell = cells.get((truth, head))
            if cell is None:  # only another model predicts labels of no class
                row.append(Cell(runs(Number("0", 0)), 0))
                continue
            row.append(Cell(_words(cell, short=short), cell["count"], cell["low"], cell["high"]))
        rows.append(Row(tuple(row)))
    return rows


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
