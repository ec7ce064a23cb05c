"""What another seed, other splits or other rows would change in a score."""

from collections.abc import Sequence
from typing import Any

from evallang.reporting.analyses import (
    Part,
    first_computed,
    in_order_of_models,
    model_of,
    not_drawn,
    notes,
    parts,
    place_before,
    shown_in,
)
from evallang.reporting.context import Context, MetricWords
from evallang.reporting.document import Block, Figure, Panel, Runs, Table, runs
from evallang.reporting.figures.stacks import stacked_bars, strips
from evallang.reporting.long_tables import fits_on_a_page
from evallang.reporting.numbers import NBSP, Scale, count, fixed, scale_of
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.tables import left, number, right, row, table, wide, with_second
from evallang.reporting.wording import sentence

PERCENT = Scale(1, 2)
MOST_ROWS = 12  # models that a figure draws; the table has all
SEEDS, COMPONENTS = "seeds_of_fits", "components_of_variance"
SPREADS = {
    "mean": "Mean",
    "sd": "SD",
    "lowest": "Lowest",
    "highest": "Highest",
    "sd_in_splits": "SD within a split",
    "sd_of_splits": "SD over splits",
}


def _methods(context: Context, section: str, what: str) -> Runs:
    found = first_computed(context, section)
    if found is None:
        return ()
    return runs(f"We report {what}", context.cite("analysis", found.kind), ".")


def _figure(drawn: tuple[Any, str], words: str, part: Part, name: str) -> Figure:
    """Return a figure of the models of a part, of which many are not drawn."""
    n = len(part.items)
    title = "All models" if n <= MOST_ROWS else f"The {part.which} {MOST_ROWS} models"
    rest = not_drawn(n, MOST_ROWS, f"table-{name}-{part.number}", which=part.which)
    panel = Panel(*drawn, runs(title))
    return Figure(f"figure-{name}-{part.number}", runs(sentence(words), rest), (panel,))


@SECTIONS.register(
    SectionDeclaration(
        order=49,
        methods=lambda context: _methods(
            context, SEEDS, "how scores vary over the seeds of their fits"
        ),
        analyses=True,
    ),
    title="Seeds of the fits",
)
def seeds_of_fits(context: Context) -> Sequence[Block]:
    """Return a table and a figure for each data set, protocol and metric."""
    blocks: list[Block] = []
    for part in parts(context, shown_in(context, SEEDS), MOST_ROWS):
        if part.items:
            metric = context.metric(part.items[0].values["metric"])
            spreads, means = ([i.values[key] for i in part.items] for key in ("sd", "mean"))
            scale = scale_of(spreads, means, percent=metric.percent)
            blocks.append(_seeds(context, part, metric, scale))
            rows = [
                (model_of(context, i), [v for v in i.values["values"] if v is not None])
                for i in part.items[:MOST_ROWS]
            ]
            title = f"{metric.heading}{metric.sign}"
            drawing = strips(rows, title, scale, "Each seed", metric.range)
            words = f"{place_before(context, part.items)}{metric.noun} with each seed; "
            blocks.append(_figure(drawing, f"{words}vertical line: their mean", part, "seeds"))
        blocks += part.problems
    return blocks


def _seeds(context: Context, part: Part, metric: MetricWords, scale: Scale) -> Table:
    first = part.items[0].values
    apart = [item.values["differ"] for item in part.items]
    last = "the last column is the share of examples that two seeds predict differently"
    of_differ, head = PERCENT, "Predicted differently (%)"
    if not first["categories"]:
        last = (
            "the last column is the standard deviation over seeds of the prediction of an example"
        )
        of_differ, head = scale_of(apart, apart, percent=False), "SD of a prediction"
    return table(
        f"table-seeds-{part.number}",
        f"{place_before(context, part.items)}{metric.noun} with each seed of the fits",
        [wide("Model"), *(right(f"{one}{metric.sign}") for one in SPREADS.values()), right(head)],
        [
            row(
                model_of(context, item),
                *(number(item.values[name], scale) for name in SPREADS),
                number(item.values["differ"], of_differ),
            )
            for item in part.items
        ],
        f"{count(first['n'])}{NBSP}seeds in each of {count(first['n_splits'])} splits; mean, SD, "
        f"lowest and highest are those of the value of all splits by seed; {last}",
        *notes(context, part.items),
    )


@SECTIONS.register(
    SectionDeclaration(
        order=50,
        methods=lambda context: _methods(
            context, COMPONENTS, "the components of the variance of scores"
        ),
        analyses=True,
    ),
    title="Components of variance",
)
def components_of_variance(context: Context) -> Sequence[Block]:
    """Return a table and a figure for each data set, protocol and metric."""
    blocks: list[Block] = []
    for part in parts(context, shown_in(context, COMPONENTS), MOST_ROWS):
        if part.items:
            metric = context.metric(part.items[0].values["metric"])
            every = [c["sd"] for item in part.items for c in item.values["components"]]
            scale = scale_of(every, every, percent=metric.percent)
            blocks.append(_components(context, part, metric, scale))
            sources = [component["source"] for component in part.items[0].values["components"]]
            rows = [
                (model_of(context, i), [c["share"] or 0.0 for c in i.values["components"]])
                for i in part.items[:MOST_ROWS]
            ]
            title = "Share of the variance (%)"
            drawing = stacked_bars(rows, sources, title, PERCENT, "Components")
            words = f"{place_before(context, part.items)}sources of the variance of the score of a "
            blocks.append(_figure(drawing, f"{words}split", part, "variance"))
        blocks += part.problems
    return blocks


def _components(context: Context, part: Part, metric: MetricWords, scale: Scale) -> Table:
    """Return a row for each model, or where that is too wide one for each source."""
    ordered = [(model_of(context, i), i.values) for i in in_order_of_models(context, part.items)]
    first = ordered[0][1]
    sources = [component["source"] for component in first["components"]]
    rows = []
    for model, values in ordered:
        for k, one in enumerate(values["components"]):
            sd, shared = number(one["sd"], scale), number(one["share"], PERCENT)
            rows.append(row("" if k else model, one["source"], sd, shared))
        rows.append(row("", "together", number(values["total"], scale), ""))
    unit = " points" if metric.percent else ""
    repeats = [
        f"{model} {fixed(values['repeats'], scale)}{unit}"
        for model, values in ordered
        if values["repeats"] is not None
    ]
    n_repeats = next((count(v["n_repeats"]) for _, v in ordered if v["repeats"] is not None), "")
    listed = table(
        f"table-variance-{part.number}",
        f"{place_before(context, part.items)}where the variance of the {metric.noun} of a split "
        "comes from",
        [
            wide("Model"),
            left("Source"),
            right(f"SD{metric.points}"),
            right("Share of the variance (%)"),
        ],
        rows,
        f"shares are percentages of the variance; {count(first['n'])}{NBSP}splits of "
        f"{count(first['n_rows'])} test rows in all",
        f"standard deviation of the estimates of the {n_repeats} repeats: {', '.join(repeats)}"
        if repeats
        else None,
        *notes(context, in_order_of_models(context, part.items)),
    )
    made = table(
        listed.id,
        listed.caption,
        [
            wide("Model"),
            (f"SD{metric.points} (share of the variance)", list(map(right, sources))),
            right("together"),
        ],
        [
            row(
                model,
                *(
                    with_second(one["sd"], scale, one["share"], PERCENT, "%")
                    for one in values["components"]
                ),
                number(values["total"], scale),
            )
            for model, values in ordered
        ],
        *listed.notes,
        one_number_a_column=listed,
    )
    return made if fits_on_a_page(made) else listed
