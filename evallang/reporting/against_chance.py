"""Against chance: the scores of models next to those on shuffled targets."""

from collections.abc import Sequence
from typing import Any

from evallang.reporting.analyses import (
    Part,
    computed,
    further_notes,
    model_of,
    not_drawn,
    parts,
    place_before,
    shown_in,
)
from evallang.reporting.context import Context
from evallang.reporting.document import Block, Figure, Panel, Runs, Table, runs
from evallang.reporting.figures.stacks import values_next_to_spans
from evallang.reporting.numbers import count, scale_of
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.tables import (
    bounds,
    number,
    p_of,
    right,
    row,
    share,
    sortable,
    table,
    wide,
)
from evallang.reporting.wording import number_word, p_letter, sentence

SECTION = "against_chance"
MOST_ROWS = 12  # models that a figure draws; the table has all


def _methods(context: Context) -> Runs:
    found = [item for item in shown_in(context, SECTION) if computed(item)]
    if not found:
        return ()
    models: dict[int, list[str]] = {}
    for item in found:
        models.setdefault(item.values["rounds"], []).append(model_of(context, item))
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
    for part in parts(context, shown_in(context, SECTION), MOST_ROWS):
        if part.items:
            blocks += _table_and_figure(context, part)
        blocks += part.problems
    return blocks


def _table_and_figure(context: Context, part: Part) -> tuple[Table, Figure]:
    items, identifier = part.items, f"table-chance-{part.number}"
    metric, alpha = context.metric(items[0].values["metric"]), context.results.study.alpha
    values = [item.values for item in items]
    scores = [v["value"] for v in values]
    spreads = [v["sd"] for v in values if v["sd"] is not None]
    scale = scale_of(spreads or scores, scores, percent=metric.percent)
    first, *_, last = [quantile["level"] for quantile in values[0]["quantiles"]]
    adjusted = any(v.get("p_adjusted") is not None for v in values)
    spans = [tuple(quantile["value"] for quantile in v["quantiles"]) for v in values]
    names = [model_of(context, item) for item in items]
    letter = p_letter(context)
    made = table(
        identifier,
        f"{place_before(context, items)}{metric.noun} on the target as it is, and on shuffled "
        "targets",
        [
            wide("Model"),
            sortable(f"{metric.title}{metric.sign}"),
            sortable(f"Shuffled, mean{metric.sign}"),
            right(f"{100 * first:g}% to {100 * last:g}%"),
            sortable("Difference"),
            sortable("As good"),
            sortable(letter),
            sortable(runs("Adjusted ", letter)) if adjusted else None,
        ],
        [
            row(
                name,
                number(v["value"], scale),
                number(v["mean"], scale),
                bounds(span[0], span[-1], scale),
                number(v["difference"], scale),
                share(v["as_good"], v["rounds"]),
                p_of(context, v["p"], alpha),
                p_of(context, v.get("p_adjusted"), alpha) if adjusted else None,
            )
            for name, v, span in zip(names, values, spans, strict=True)
        ],
        _rounds(values[0], len(items)),
        f"These results show {values[0]['about']}.",
        *further_notes(context, items),
    )
    drawing = values_next_to_spans(
        [
            (name, value, (low, middle, high))
            for name, value, (low, middle, high) in zip(names, scores, spans, strict=True)
        ][:MOST_ROWS],
        f"{metric.heading}{metric.sign}",
        scale,
        "The target as it is (point) and shuffled targets (bar)",
        metric.range,
    )
    caption = sentence(
        f"{place_before(context, items)}{metric.noun} on the target as it is (point) and on "
        "shuffled targets (bar from the 5% to the 95% quantile, with their median)"
    )
    rest = not_drawn(len(items), MOST_ROWS, identifier, which=part.which)
    title = runs(f"{MOST_ROWS} models" if rest else "All models")
    panel = Panel(*drawing, title)
    return made, Figure(f"figure-chance-{part.number}", runs(caption, rest), (panel,))


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
