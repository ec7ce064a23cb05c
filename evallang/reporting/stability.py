"""Stability of searches: how often each value was chosen, and how what was chosen scored."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from evallang.reporting.context import Context
from evallang.reporting.curves import about, computed, further_notes, problems, shown_in
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
    Table,
    runs,
)
from evallang.reporting.figure_parts import drawn_words, in_parts
from evallang.reporting.figures.stacks import bars_of_counts
from evallang.reporting.letter_case import capitalised
from evallang.reporting.numbers import NBSP, Scale, count, fixed, scale_of
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.wording import sentence
from evallang.results.records import Analysis

PERCENT = Scale(0, 2)
MOST_PANELS = 12  # parameters that are drawn; the table has all
MOST_VALUES = 12  # candidates of a parameter that are listed; above, only those that were chosen


def _methods(context: Context) -> Runs:
    found = shown_in(context, "stability_of_searches")
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
    found = shown_in(context, "stability_of_searches")
    for number, (_, part) in enumerate(groupby(found, lambda i: (i.data, i.protocol)), start=1):
        items = list(part)
        known = [item for item in items if computed(item)]
        if known:
            blocks.append(_choices(context, known, f"table-stability-{number}"))
            blocks += _figures(context, known, number)
            blocks.append(_scores(context, known, f"table-stability-scores-{number}"))
        blocks += problems(context, items)
    return blocks


def _listed(parameter: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    choices = list(parameter["choices"])
    return choices if len(choices) <= MOST_VALUES else [c for c in choices if c["count"]]


def _words(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _choices(context: Context, items: Sequence[Analysis], identifier: str) -> Table:
    columns = (
        Column(runs("Model"), "left", wide=True),
        Column(runs("Parameter"), "left"),
        Column(runs("Candidate"), "left"),
        Column(runs("Outer folds")),
        Column(runs("Share (%)")),
        Column(runs("Pairs that agree (%)")),
    )
    rows, hidden = [], False
    for item in items:
        name = context.model(item.model or "")
        for parameter in item.values["parameters"]:
            shown = _listed(parameter)
            hidden = hidden or len(shown) < len(parameter["choices"])
            for index, choice in enumerate(shown):
                first = index == 0
                alike = parameter["alike"]
                rows.append(
                    Row(
                        (
                            Cell(runs(name if first else "")),
                            Cell(runs(Code(parameter["name"])) if first else runs("")),
                            Cell(runs(Code(_words(choice["value"])))),
                            Cell(_of(choice["count"], item.values["n"]), choice["count"]),
                            Cell(_percent(choice["share"]), choice["share"]),
                            Cell(_agreement(parameter), alike) if first else Cell(runs("")),
                        )
                    )
                )
                name = ""
    place = context.place(items[0].data, items[0].protocol)
    caption = runs(sentence(f"{place}values that the searches of the outer folds chose"))
    notes = [_pairs_note(items), about(items), *further_notes(context, items)]
    if hidden:
        notes.insert(0, runs("Where there are many candidates, those never chosen are not listed."))
    return Table(identifier, caption, columns, tuple(rows), notes=tuple(notes))


def _of(n: int, total: int) -> Runs:
    return runs(Number(count(n), float(n)), f" of {count(total)}")


def _percent(share: float) -> Runs:
    return runs(Number(fixed(share, PERCENT), share))


def _agreement(parameter: Mapping[str, Any]) -> Runs:
    made = _percent(parameter["alike"])
    chance = parameter["by_chance"]
    return made if chance is None else runs(made, f" ({fixed(chance, PERCENT)} by chance)")


def _pairs_note(items: Sequence[Analysis]) -> Runs:
    n = items[0].values["n"]
    pairs = n * (n - 1) // 2
    chance = any(
        parameter["by_chance"] is not None
        for item in items
        for parameter in item.values["parameters"]
    )
    words = (
        f"agreement is the share of the {count(pairs)}{NBSP}pairs of outer folds that chose the "
        "same value"
    )
    if chance:
        words += "; by chance, the share if every candidate were equally likely"
    return runs(sentence(words))


def _figures(context: Context, items: Sequence[Analysis], number: int) -> list[Figure]:
    panels: list[Panel] = []
    for item in items:
        model = context.model(item.model or "")
        for parameter in item.values["parameters"][: MOST_PANELS - len(panels)]:
            rows = [(_words(c["value"]), c["count"]) for c in _listed(parameter)]
            subject = f"{model}, {parameter['name']}"
            drawing, alt = bars_of_counts(rows, item.values["n"], "Outer folds", subject)
            panels.append(Panel(drawing, alt, runs(f"{model}: ", Code(parameter["name"]))))
    place = context.place(items[0].data, items[0].protocol)
    caption = f"{place}number of outer folds whose search chose each candidate"
    known = sum(len(item.values["parameters"]) for item in items)
    where = runs(Ref(f"table-stability-{number}", "the table"))
    words = runs(sentence(caption)) + drawn_words(len(panels), known, "parameters", where)
    subject = capitalised(f"{place}choices of the searches")
    return in_parts(f"figure-stability-{number}", words, panels, subject)


def _scores(context: Context, items: Sequence[Analysis], identifier: str) -> Table:
    """Return the scores of what was chosen, inside the training parts and on the test parts."""
    metric = context.metric(items[0].values["metric"])
    spreads = [item.values[part] for item in items for part in PARTS]
    known = [spread for spread in spreads if spread is not None]
    widths = [s["sd"] for s in known]
    scale = scale_of(widths, [s["mean"] for s in known], percent=metric.percent)
    rows = []
    for item in items:
        name = context.model(item.model or "")
        for part, words in PARTS.items():
            spread = item.values[part]
            values = [None] * 4 if spread is None else [spread[k] for k in SUMMED]
            cells = [Cell(runs(name)), Cell(runs(words))]
            cells += [Cell(runs(Number(fixed(v, scale), v)), v) for v in values]
            rows.append(Row(tuple(cells)))
            name = ""
    unit = " (%)" if metric.percent else ""
    columns = (
        Column(runs("Model"), "left", wide=True),
        Column(runs("Scores of the chosen candidates"), "left"),
        *(Column(runs(f"{head}{unit}")) for head in ("Mean", "SD", "Lowest", "Highest")),
    )
    place = context.place(items[0].data, items[0].protocol)
    caption = runs(sentence(f"{place}{metric.noun} of what the searches chose, over outer folds"))
    note = "inner scores decided the choice and are optimistic; the test data were not used for it"
    return Table(identifier, caption, columns, tuple(rows), notes=(runs(sentence(note)),))


PARTS = {"inner": "inside the training parts", "test": "on the test parts"}
SUMMED = ("mean", "sd", "lowest", "highest")
