"""Bias and variance: the parts of the expected loss over bootstrap samples."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from evallang.reporting.analyses import (
    Part,
    first_computed,
    in_order_of_models,
    model_of,
    not_drawn,
    notes,
    parts,
    shown_in,
)
from evallang.reporting.context import Context
from evallang.reporting.document import Block, Figure, Panel, Runs, Table, runs
from evallang.reporting.figures.figure import UNBOUNDED
from evallang.reporting.figures.stacks import stacked_bars
from evallang.reporting.numbers import NBSP, Scale, count, scale_of
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.tables import wide
from evallang.reporting.wide_tables import Quantities, Quantity, tables_of_quantities
from evallang.reporting.wording import sentence

SECTION = "bias_and_variance"
MOST_ROWS = 12  # models that a figure draws; the table has all
LETTERS = ("", "b", "c", "d")  # of the tables after the first


def _methods(context: Context) -> Runs:
    found = first_computed(context, SECTION)
    if found is None:
        return ()
    n = count(found.values["rounds"])
    words = f"Bias and variance were estimated from out-of-bag predictions of {n} bootstrap samples"
    return runs(words, context.cite("analysis", found.kind), ".")


@SECTIONS.register(
    SectionDeclaration(order=50, methods=_methods, analyses=True), title="Bias and variance"
)
def bias_and_variance(context: Context) -> Sequence[Block]:
    """Return a table and a figure for each data set."""
    blocks: list[Block] = []
    for part in parts(context, shown_in(context, SECTION), MOST_ROWS, key=lambda item: item.data):
        if part.items:
            blocks += _tables_and_figure(context, part)
        blocks += part.problems
    return blocks


def _tables_and_figure(context: Context, part: Part) -> list[Table | Figure]:
    """Return a table for each decomposition, with a column for each of its parts, and a figure."""
    items, first = part.items, part.items[0].values
    shares, identifier = bool(first["of_classes"]), f"table-bias-{part.number}"
    every = [item.values["value"] for item in items]
    scale = Scale(2, 2) if shares else scale_of([v / 10 for v in every], every, percent=False)
    unit = " (%)" if shares else ""
    subject = f"{context.place(items[0].data, None)}parts of the expected {first['loss']}"
    tables: list[Table] = []
    panels = []
    for k, (letter, one) in enumerate(zip(LETTERS, first["decompositions"], strict=False)):
        found = []
        for item in in_order_of_models(context, items):
            own = item.values["decompositions"][k]
            values = [Quantity(part["name"], part["value"]) for part in own["parts"]]
            values.append(Quantity("sum: the expected loss", own["total"]))
            found.append(Quantities((model_of(context, item),), tuple(values)))
        whole = Table(f"{identifier}{letter}", (), (wide("Model"),), ())
        tables += tables_of_quantities(whole, f"{subject}{unit}, {one['name']}", found, scale, "")
        drawing = stacked_bars(
            [
                (
                    model_of(context, item),
                    [part["value"] for part in item.values["decompositions"][k]["parts"]],
                )
                for item in items[:MOST_ROWS]
            ],
            [part["name"] for part in one["parts"]],
            f"Expected loss{unit}",
            scale,
            one["name"],
            possible=(None, 1.0) if shares else UNBOUNDED,
        )
        panels.append(Panel(*drawing, runs(one["name"])))
    said = (runs(sentence(_sizes(first))), *notes(context, items))
    tables[-1] = replace(tables[-1], notes=said)
    decomposed = [one for item in items for one in item.values["decompositions"]]
    if any(part["value"] < 0 for one in decomposed for part in one["parts"]):
        subject += "; parts to the left of zero lower the loss"
    caption = runs(sentence(subject))
    caption += not_drawn(len(items), MOST_ROWS, identifier, which=part.which)
    return [*tables, Figure(f"figure-bias-{part.number}", caption, tuple(panels))]


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
