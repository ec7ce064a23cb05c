"""Agreement: how often two models predict the same, and are right on the same examples."""

from collections.abc import Mapping, Sequence
from typing import Any

from evallang.reporting.context import Context, Setting
from evallang.reporting.curves import about, asked_for, computed, further_notes, problems
from evallang.reporting.document import (
    Block,
    Cell,
    Column,
    Figure,
    Number,
    Panel,
    Ref,
    Row,
    Spanner,
    Table,
    runs,
)
from evallang.reporting.figure_parts import drawn_words
from evallang.reporting.figures.figure import Bounds
from evallang.reporting.figures.stacks import LABEL_OF_PAIR, name_of_pair, stacked_bars
from evallang.reporting.letter_case import capitalised
from evallang.reporting.numbers import NBSP, Scale, count, fixed, interval, percent
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.wording import sentence
from evallang.results.records import Analysis

PERCENT, RATIO = Scale(1, 2), Scale(2)
RIGHT = ("both", "first", "second", "neither")
PARTS = ("both are right", "only the first", "only the second", "neither")
MOST_DRAWN = 15  # pairs; the table has all


@SECTIONS.register(SectionDeclaration(order=48, analyses=True), title="Agreement of models")
def agreement_of_models(context: Context) -> Sequence[Block]:
    """Return a table and a figure for each data set and protocol."""
    every = [item for item in asked_for(context, curves=False) if item.model is None]
    found = [item for item in every if not computed(item) or "pairs" in item.values]
    blocks: list[Block] = []
    for number, item in enumerate((i for i in found if computed(i)), start=1):
        table = f"table-agreement-{number}"
        blocks += [_table(context, item, table), _figure(context, item, number, table)]
    return blocks + problems(context, found)


def _ordered(context: Context, item: Analysis) -> tuple[list[Mapping[str, Any]], str]:
    """Return the pairs, of many those of the best models first, and which the first ones are."""
    pairs = list(item.values["pairs"])
    setting = Setting(item.data, item.protocol)
    metrics = context.metrics(setting)
    if len(pairs) <= MOST_DRAWN or not metrics:
        return pairs, "first"
    order = context.models_best_first(setting, metrics[0])
    places = {model: place for place, model in enumerate(order)}
    last = len(places)
    pairs.sort(key=lambda pair: sorted(places.get(name, last) for name in pair["models"]))
    return pairs, "best"


def _pair_name(context: Context, pair: Mapping[str, Any]) -> str:
    return " and ".join(context.model(name) for name in pair["models"])


def _all_examples(rows: Sequence[tuple[str, Sequence[float]]]) -> Bounds:
    """Return the range of the numbers of examples, of which no bar has more than all."""
    return 0.0, max((sum(numbers) for _, numbers in rows), default=1.0)


def _figure(context: Context, item: Analysis, number: int, table: str) -> Figure:
    """Draw on how many examples both, one or neither of two models is right."""
    (pairs, which), unit = _ordered(context, item), item.values["unit"]
    rows = [
        (
            name_of_pair([context.model(m) for m in p["models"]], "and"),
            [p[right] for right in RIGHT],
        )
        for p in pairs[:MOST_DRAWN]
    ]
    whole = all(float(n).is_integer() for _, values in rows for n in values)
    title = capitalised(f"{item.values['unit']}")
    scale = Scale(0 if whole else 1)
    drawing, alt = stacked_bars(
        rows, PARTS, title, scale, "Agreement", LABEL_OF_PAIR, _all_examples(rows)
    )
    place = context.place_words(item.data, item.protocol)
    words = f"{unit} on which two models are right{f' {place}' if place else ''}"
    words += context.weights_words(item.data)
    where = runs(Ref(table, "the table"))
    caption = runs(sentence(words)) + drawn_words(len(rows), len(pairs), "pairs", where, which)
    return Figure(f"figure-agreement-{number}", caption, (Panel(drawing, alt, ()),))


def _table(context: Context, item: Analysis, identifier: str) -> Table:
    values = item.values
    level = percent(values["level"])
    columns = (
        Column(runs("Models"), "left", wide=True),
        Column(runs("Same prediction (%)"), sortable=True),
        Column(runs("Kappa"), sortable=True),
        Column(runs("both"), sortable=True),
        Column(runs("only the first"), sortable=True),
        Column(runs("only the second"), sortable=True),
        Column(runs("neither"), sortable=True),
    )
    rows = []
    for pair in _ordered(context, item)[0]:
        same, low, high = pair["same"], pair["low"], pair["high"]
        bounds = "" if low is None else f" {interval(low, high, PERCENT)}"
        cells = [
            Cell(runs(_pair_name(context, pair))),
            Cell(runs(Number(f"{fixed(same, PERCENT)}", same), bounds), same, low, high),
            Cell(runs(Number(fixed(pair["kappa"], RATIO), pair["kappa"])), pair["kappa"]),
        ]
        for right in RIGHT:
            number = pair[right]
            whole = float(number).is_integer()
            text = count(int(number)) if whole else f"{number:,.1f}"
            cells.append(Cell(runs(Number(text, number)), number))
        rows.append(Row(tuple(cells)))
    place = context.place_words(item.data, item.protocol)
    on = f" {place}" if place else ""
    method = values["method"]
    size = f"{count(values['n'])}{NBSP}{values['unit']}"
    weighted = context.weights_words(item.data)
    size += f"{weighted}; brackets: {level} intervals ({method})"
    right, wrong = (count(round(values[key])) for key in ("all_right", "all_wrong"))
    every = f"all models are right on {right} and wrong on {wrong} of them"
    if weighted:
        every = f"all models are right on examples with a total weight of {right}, wrong on {wrong}"
    notes = [runs(sentence(size)), runs(sentence(every)), about([item])]
    return Table(
        identifier,
        runs(sentence(f"Agreement of two models at a time{on}")),
        columns,
        tuple(rows),
        (Spanner(runs("Right"), 3, 6),),
        (*notes, *further_notes(context, [item])),
    )
