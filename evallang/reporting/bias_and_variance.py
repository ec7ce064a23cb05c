"""Bias and variance: the parts of the expected loss over bootstrap samples."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from msgspec.structs import replace

from evallang.reporting.context import Context
from evallang.reporting.curves import (
    about,
    best_first,
    computed,
    further_notes,
    in_order_of_models,
    problems,
    shown_in,
)
from evallang.reporting.document import (
    Block,
    Column,
    Figure,
    Panel,
    Ref,
    Runs,
    Table,
    runs,
)
from evallang.reporting.figure_parts import drawn_words
from evallang.reporting.figures.figure import UNBOUNDED
from evallang.reporting.figures.stacks import stacked_bars
from evallang.reporting.numbers import NBSP, Scale, count, scale_of
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.wide_tables import Quantities, Quantity, tables_of_quantities
from evallang.reporting.wording import sentence
from evallang.results.records import Analysis

SECTION = "bias_and_variance"
MOST_ROWS = 12  # models that a figure draws; the table has all
PERCENT = Scale(2, 2)


def _methods(context: Context) -> Runs:
    found = [item for item in shown_in(context, SECTION) if computed(item)]
    if not found:
        return ()
    n = count(found[0].values["rounds"])
    words = f"Bias and variance were estimated from out-of-bag predictions of {n} bootstrap samples"
    return runs(words, context.cite("analysis", found[0].kind), ".")


@SECTIONS.register(
    SectionDeclaration(order=50, methods=_methods, analyses=True), title="Bias and variance"
)
def bias_and_variance(context: Context) -> Sequence[Block]:
    """Return a table and a figure for each data set."""
    blocks: list[Block] = []
    found = shown_in(context, SECTION)
    for number, (_, part) in enumerate(groupby(found, lambda item: item.data), start=1):
        items = list(part)
        done = [item for item in items if computed(item)]
        known, which = best_first(context, done, MOST_ROWS)
        if known:
            scale = _scale(known)
            table = f"table-bias-{number}"
            blocks += _tables(context, known, scale, table)
            blocks.append(_figure(context, known, scale, f"figure-bias-{number}", table, which))
        blocks += problems(context, items)
    return blocks


def _is_share(item: Analysis) -> bool:
    return bool(item.values["of_classes"])


def _scale(items: Sequence[Analysis]) -> Scale:
    if _is_share(items[0]):
        return PERCENT
    values = [item.values["value"] for item in items]
    return scale_of([value / 10 for value in values], values, percent=False)


def _tables(
    context: Context, items: Sequence[Analysis], scale: Scale, identifier: str
) -> list[Table]:
    """Return a table for each decomposition, with a column for each of its parts."""
    unit = " (%)" if _is_share(items[0]) else ""
    place = context.place(items[0].data, None)
    ordered = in_order_of_models(context, items)
    notes = [runs(sentence(_sizes(items[0].values))), about(items), *further_notes(context, items)]
    columns = (Column(runs("Model"), "left", wide=True),)
    made: list[Table] = []
    for k, first in enumerate(items[0].values["decompositions"]):
        found = []
        for item in ordered:
            one = item.values["decompositions"][k]
            parts = [Quantity(part["name"], part["value"]) for part in one["parts"]]
            total = Quantity("sum: the expected loss", one["total"])
            found.append(Quantities((context.model(item.model or ""),), (*parts, total)))
        whole = Table(f"{identifier}{LETTERS[k]}", (), columns, ())
        subject = f"{place}parts of the expected {items[0].values['loss']}{unit}, {first['name']}"
        made += tables_of_quantities(whole, subject, found, scale, "")
    return [*made[:-1], replace(made[-1], notes=tuple(notes))]


LETTERS = ("", "b", "c", "d")  # of the tables after the first


def _sizes(values: Mapping[str, Any]) -> str:
    n, unit = count(values["n"]), values["unit"]
    words = f"{n}{NBSP}{unit}, each predicted by {count(round(values['mean']))} of "
    words += f"{count(values['rounds'])} rounds on average (at least {count(values['fewest'])})"
    if values["left_out"]:
        words += (
            f"; {count(values['left_out'])} {unit} with fewer than two predictions are excluded"
        )
    if values["failed"]:
        words += f"; {count(values['failed'])} rounds failed"
    return words


def _figure(
    context: Context,
    items: Sequence[Analysis],
    scale: Scale,
    identifier: str,
    table: str,
    which: str,
) -> Figure:
    unit = " (%)" if _is_share(items[0]) else ""
    panels = []
    for place, first in enumerate(items[0].values["decompositions"]):
        parts = [part["name"] for part in first["parts"]]
        rows = [
            (
                context.model(item.model or ""),
                [part["value"] for part in item.values["decompositions"][place]["parts"]],
            )
            for item in items[:MOST_ROWS]
        ]
        drawing, alt = stacked_bars(
            rows,
            parts,
            f"Expected loss{unit}",
            scale,
            first["name"],
            possible=(None, 1.0) if unit else UNBOUNDED,
        )
        panels.append(Panel(drawing, alt, runs(first["name"])))
    words = f"{context.place(items[0].data, None)}parts of the expected {items[0].values['loss']}"
    every = [one for item in items for one in item.values["decompositions"]]
    if any(part["value"] < 0 for one in every for part in one["parts"]):
        words += "; parts to the left of zero lower the loss"
    caption = runs(sentence(words)) + drawn_words(
        min(len(items), MOST_ROWS), len(items), "models", runs(Ref(table, "the table")), which
    )
    return Figure(identifier, caption, tuple(panels))
