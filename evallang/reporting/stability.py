"""Stability of searches: how often each value was chosen, and how what was chosen scored."""

from collections.abc import Mapping, Sequence
from typing import Any

from evallang.reporting.analyses import (
    Part,
    model_of,
    not_drawn,
    notes,
    parts,
    place_before,
    shown_in,
)
from evallang.reporting.context import Context
from evallang.reporting.document import Block, Code, Figure, Panel, Runs, Table, runs
from evallang.reporting.figures.score_lines import value_words
from evallang.reporting.figures.stacks import bars_of_counts
from evallang.reporting.letter_case import capitalised
from evallang.reporting.numbers import NBSP, Scale, count, fixed, scale_of
from evallang.reporting.panels import in_parts
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.tables import left, number, printed, right, row, share, table, wide
from evallang.reporting.wording import sentence

SECTION = "stability_of_searches"
PERCENT = Scale(0, 2)
MOST_PANELS = 12  # parameters that are drawn; the table has all
MOST_VALUES = 12  # candidates of a parameter that are listed; above, only those that were chosen
PARTS = {"inner": "inside the training parts", "test": "on the test parts"}
SUMMED = ("mean", "sd", "lowest", "highest")


def _methods(context: Context) -> Runs:
    found = shown_in(context, SECTION)
    if not found:
        return ()
    cited = context.cite("analysis", found[0].kind)
    return runs(
        "We counted how often the searches of the outer folds chose each candidate", cited, "."
    )


@SECTIONS.register(
    SectionDeclaration(order=51, methods=_methods, analyses=True),
    title="Stability of hyper-parameters",
)
def stability_of_searches(context: Context) -> Sequence[Block]:
    """Return tables and a figure for each data set and protocol."""
    blocks: list[Block] = []
    found = shown_in(context, SECTION)
    for part in parts(context, found, len(found), lambda item: (item.data, item.protocol)):
        if part.items:
            blocks += [_choices(context, part), *_figures(context, part), _scores(context, part)]
        blocks += part.problems
    return blocks


def _listed(parameter: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    choices = list(parameter["choices"])
    return choices if len(choices) <= MOST_VALUES else [c for c in choices if c["count"]]


def _choices(context: Context, part: Part) -> Table:
    rows = []
    every = [parameter for item in part.items for parameter in item.values["parameters"]]
    for item in part.items:
        name, n = model_of(context, item), item.values["n"]
        for parameter in item.values["parameters"]:
            chance = parameter["by_chance"]
            by_chance = "" if chance is None else f" ({fixed(chance, PERCENT)} by chance)"
            alike = printed(fixed(parameter["alike"], PERCENT), parameter["alike"], by_chance)
            for k, choice in enumerate(_listed(parameter)):
                rows.append(
                    row(
                        name,
                        "" if k else Code(parameter["name"]),
                        Code(value_words(choice["value"])),
                        share(choice["count"], n),
                        number(choice["share"], PERCENT),
                        "" if k else alike,
                    )
                )
                name = ""
    n = part.items[0].values["n"]
    note = (
        f"agreement is the share of the {count(n * (n - 1) // 2)}{NBSP}pairs of outer folds that "
        "chose the same value"
    )
    if any(parameter["by_chance"] is not None for parameter in every):
        note += "; by chance, the share if every candidate were equally likely"
    hidden = any(len(_listed(parameter)) < len(parameter["choices"]) for parameter in every)
    return table(
        f"table-stability-{part.number}",
        f"{place_before(context, part.items)}values that the searches of the outer folds chose",
        [
            wide("Model"),
            left("Parameter"),
            left("Candidate"),
            right("Outer folds"),
            right("Share (%)"),
            right("Pairs that agree (%)"),
        ],
        rows,
        "Where there are many candidates, those never chosen are not listed." if hidden else None,
        note,
        *notes(context, part.items),
    )


def _figures(context: Context, part: Part) -> list[Figure]:
    every = [(item, parameter) for item in part.items for parameter in item.values["parameters"]]
    panels: list[Panel] = []
    for item, parameter in every[:MOST_PANELS]:
        model = model_of(context, item)
        rows = [(value_words(c["value"]), c["count"]) for c in _listed(parameter)]
        subject = f"{model}, {parameter['name']}"
        drawing = bars_of_counts(rows, item.values["n"], "Outer folds", subject)
        panels.append(Panel(*drawing, runs(f"{model}: ", Code(parameter["name"]))))
    place, number_ = place_before(context, part.items), part.number
    caption = runs(sentence(f"{place}number of outer folds whose search chose each candidate"))
    caption += not_drawn(len(every), MOST_PANELS, f"table-stability-{number_}", "parameters")
    subject = capitalised(f"{place}choices of the searches")
    return in_parts(f"figure-stability-{number_}", caption, panels, subject)


def _scores(context: Context, part: Part) -> Table:
    """Return the scores of what was chosen, inside the training parts and on the test parts."""
    metric = context.metric(part.items[0].values["metric"])
    known = [item.values[one] for item in part.items for one in PARTS if item.values[one]]
    widths, means = ([spread[key] for spread in known] for key in ("sd", "mean"))
    scale = scale_of(widths, means, percent=metric.percent)
    return table(
        f"table-stability-scores-{part.number}",
        f"{place_before(context, part.items)}{metric.noun} of what the searches chose, over outer "
        "folds",
        [
            wide("Model"),
            left("Scores of the chosen candidates"),
            *(right(f"{head}{metric.sign}") for head in ("Mean", "SD", "Lowest", "Highest")),
        ],
        [
            row(
                "" if k else model_of(context, item),
                words,
                *(number((item.values[one] or {}).get(key), scale) for key in SUMMED),
            )
            for item in part.items
            for k, (one, words) in enumerate(PARTS.items())
        ],
        "inner scores decided the choice and are optimistic; the test data were not used for it",
    )
