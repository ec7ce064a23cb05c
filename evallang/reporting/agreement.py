"""Agreement: how often two models predict the same, and are right on the same examples."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from evallang.reporting.analyses import (
    computed,
    not_drawn,
    notes,
    of_predictions,
    place_after,
    problems,
)
from evallang.reporting.context import Context, Setting
from evallang.reporting.document import Block, Figure, Panel, Table, runs
from evallang.reporting.figures.stacks import LABEL_OF_PAIR, name_of_pair, stacked_bars
from evallang.reporting.letter_case import capitalised
from evallang.reporting.numbers import NBSP, Scale, count, fixed, interval, percent
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.tables import amount_of, number, printed, row, sortable, table, wide
from evallang.reporting.wording import sentence
from evallang.results.records import Analysis

PERCENT, RATIO = Scale(1, 2), Scale(2)
RIGHT = ("both", "first", "second", "neither")
PARTS = ("both are right", "only the first", "only the second", "neither")
MOST_DRAWN = 15  # pairs; the table has all


@SECTIONS.register(SectionDeclaration(order=48, analyses=True), title="Agreement of models")
def agreement_of_models(context: Context) -> Sequence[Block]:
    """Return a table and a figure for each data set and protocol."""
    every = [item for item in of_predictions(context, curves=False) if item.model is None]
    found = [item for item in every if not computed(item) or "pairs" in item.values]
    blocks: list[Block] = []
    for number_, item in enumerate(filter(computed, found), start=1):
        pairs, which = _ordered(context, item)
        blocks.append(_table(context, item, pairs, f"table-agreement-{number_}"))
        blocks.append(_figure(context, item, pairs, which, number_))
    return blocks + problems(context, found)


def _ordered(context: Context, item: Analysis) -> tuple[list[Mapping[str, Any]], str]:
    """Return the pairs, of many those of the best models first, and which the first ones are."""
    pairs = list(item.values["pairs"])
    setting = Setting(item.data, item.protocol)
    metrics = context.metrics(setting)
    if len(pairs) <= MOST_DRAWN or not metrics:
        return pairs, "first"
    order = {m: i for i, m in enumerate(context.models_best_first(setting, metrics[0]))}
    pairs.sort(key=lambda pair: sorted(order.get(name, len(order)) for name in pair["models"]))
    return pairs, "best"


def _figure(
    context: Context, item: Analysis, pairs: Sequence[Mapping[str, Any]], which: str, number_: int
) -> Figure:
    """Draw on how many examples both, one or neither of two models is right."""
    rows = [
        (
            name_of_pair([context.model(m) for m in p["models"]], "and"),
            [p[right] for right in RIGHT],
        )
        for p in pairs[:MOST_DRAWN]
    ]
    whole = all(float(n).is_integer() for _, values in rows for n in values)
    most = max((sum(values) for _, values in rows), default=1.0)
    unit = item.values["unit"]
    drawing = stacked_bars(
        rows, PARTS, capitalised(unit), Scale(0 if whole else 1), "Agreement", LABEL_OF_PAIR,
        (0.0, most),
    )  # fmt: skip
    words = f"{unit} on which two models are right{place_after(context, item)}"
    caption = runs(sentence(words + context.weights_words(item.data)))
    caption += not_drawn(len(pairs), MOST_DRAWN, f"table-agreement-{number_}", "pairs", which)
    return Figure(f"figure-agreement-{number_}", caption, (Panel(*drawing, ()),))


def _table(
    context: Context, item: Analysis, pairs: Sequence[Mapping[str, Any]], identifier: str
) -> Table:
    values, weighted = item.values, context.weights_words(item.data)
    all_right, all_wrong = (count(round(values[key])) for key in ("all_right", "all_wrong"))
    every = f"all models are right on {all_right} and wrong on {all_wrong} of them"
    if weighted:
        every = f"all models are right on examples with a total weight of {all_right}, "
        every += f"wrong on {all_wrong}"
    rows = []
    for pair in pairs:
        same, low, high = pair["same"], pair["low"], pair["high"]
        words = printed(
            fixed(same, PERCENT), same, "" if low is None else f" {interval(low, high, PERCENT)}"
        )
        rows.append(
            row(
                " and ".join(context.model(name) for name in pair["models"]),
                replace(words, low=low, high=high),
                number(pair["kappa"], RATIO),
                *(printed(amount_of(pair[key]), pair[key]) for key in RIGHT),
            )
        )
    return table(
        identifier,
        f"Agreement of two models at a time{place_after(context, item)}",
        [
            wide("Models"),
            sortable("Same prediction (%)"),
            sortable("Kappa"),
            ("Right", [*map(sortable, ("both", "only the first", "only the second", "neither"))]),
        ],
        rows,
        f"{count(values['n'])}{NBSP}{values['unit']}{weighted}; brackets: "
        f"{percent(values['level'])} intervals ({values['method']})",
        every,
        *notes(context, [item]),
    )
