"""What another seed, other splits or other rows would change in a score."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from msgspec.structs import replace

from evallang.reporting.context import Context, MetricWords
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
from evallang.reporting.figure_parts import drawn_words
from evallang.reporting.figures.stacks import stacked_bars, strips
from evallang.reporting.long_tables import fits_on_a_page
from evallang.reporting.numbers import NBSP, Scale, count, fixed, scale_of
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.wording import sentence
from evallang.results.records import Analysis

PERCENT = Scale(1, 2)
MOST_ROWS = 12  # models that a figure draws; the table has all


OVER_SEEDS = "how scores vary over the seeds of their fits"
COMPONENTS = "the components of the variance of scores"


def _methods(context: Context, section: str, what: str) -> Runs:
    found = [item for item in shown_in(context, section) if computed(item)]
    if not found:
        return ()
    return runs(f"We report {what}", context.cite("analysis", found[0].kind), ".")


def _groups(context: Context, section: str) -> Iterator[tuple[int, list[Analysis]]]:
    found = shown_in(context, section)
    for number, (_, part) in enumerate(
        groupby(found, lambda item: (item.data, item.protocol, item.metric)), start=1
    ):
        yield number, list(part)


def _number(value: float | None, scale: Scale) -> Cell:
    return Cell(runs(Number(fixed(value, scale), value)), value)


# --- seeds ------------------------------------------------------------------------------------


@SECTIONS.register(
    SectionDeclaration(
        order=49,
        methods=lambda context: _methods(context, "seeds_of_fits", OVER_SEEDS),
        analyses=True,
    ),
    title="Seeds of the fits",
)
def seeds_of_fits(context: Context) -> Sequence[Block]:
    """Return a table and a figure for each data set, protocol and metric."""
    blocks: list[Block] = []
    for number, items in _groups(context, "seeds_of_fits"):
        done = [item for item in items if computed(item)]
        known, which = best_first(context, done, MOST_ROWS)
        if known:
            metric = context.metric(known[0].values["metric"])
            scale = scale_of(
                [item.values["sd"] for item in known],
                [item.values["mean"] for item in known],
                percent=metric.percent,
            )
            blocks.append(_seeds(context, known, metric, scale, f"table-seeds-{number}"))
            blocks.append(_dots(context, known, metric, scale, number, which))
        blocks += problems(context, items)
    return blocks


SPREADS = ("mean", "sd", "lowest", "highest", "sd_in_splits", "sd_of_splits")


def _seeds(
    context: Context, items: Sequence[Analysis], metric: MetricWords, scale: Scale, identifier: str
) -> Table:
    unit = " (%)" if metric.percent else ""
    categories = items[0].values["categories"]
    heads = ("Mean", "SD", "Lowest", "Highest", "SD within a split", "SD over splits")
    columns = (
        Column(runs("Model"), "left", wide=True),
        *(Column(runs(f"{head}{unit}")) for head in heads),
        Column(runs("Predicted differently (%)" if categories else "SD of a prediction")),
    )
    rows = []
    apart = [item.values["differ"] for item in items]
    of_numbers = scale_of(apart, apart, percent=False)
    for item in items:
        cells = [Cell(runs(context.model(item.model or "")))]
        cells += [_number(item.values[name], scale) for name in SPREADS]
        cells.append(_number(item.values["differ"], PERCENT if categories else of_numbers))
        rows.append(Row(tuple(cells)))
    n, splits = items[0].values["n"], items[0].values["n_splits"]
    words = (
        f"{count(n)}{NBSP}seeds in each of {count(splits)} splits; mean, SD, lowest and highest "
        "are those of the value of all splits by seed"
    )
    last = (
        "the last column is the share of examples that two seeds predict differently"
        if categories
        else "the last column is the standard deviation over seeds of the prediction of an example"
    )
    place = context.place(items[0].data, items[0].protocol)
    caption = runs(sentence(f"{place}{metric.noun} with each seed of the fits"))
    notes = (runs(sentence(f"{words}; {last}")), about(items), *further_notes(context, items))
    return Table(identifier, caption, columns, tuple(rows), notes=notes)


def _left_out(items: Sequence[Analysis], table: str, which: str) -> Runs:
    """State which models a figure does not draw."""
    where = runs(Ref(table, "the table"))
    return drawn_words(min(len(items), MOST_ROWS), len(items), "models", where, which)


def _dots(
    context: Context,
    items: Sequence[Analysis],
    metric: MetricWords,
    scale: Scale,
    number: int,
    which: str,
) -> Figure:
    unit = " (%)" if metric.percent else ""
    rows = [
        (context.model(i.model or ""), [v for v in i.values["values"] if v is not None])
        for i in items[:MOST_ROWS]
    ]
    place = context.place(items[0].data, items[0].protocol)
    caption = sentence(f"{place}{metric.noun} with each seed; vertical line: their mean")
    title = f"{metric.heading}{unit}"
    drawing, alt = strips(rows, title, scale, "Each seed", metric.range)
    words = runs(caption) + _left_out(items, f"table-seeds-{number}", which)
    return Figure(f"figure-seeds-{number}", words, (Panel(drawing, alt, _title(items, which)),))


def _title(items: Sequence[Analysis], which: str) -> Runs:
    return runs("All models" if len(items) <= MOST_ROWS else f"The {which} {MOST_ROWS} models")


# --- components -------------------------------------------------------------------------------


@SECTIONS.register(
    SectionDeclaration(
        order=50,
        methods=lambda context: _methods(context, "components_of_variance", COMPONENTS),
        analyses=True,
    ),
    title="Components of variance",
)
def components_of_variance(context: Context) -> Sequence[Block]:
    """Return a table and a figure for each data set, protocol and metric."""
    blocks: list[Block] = []
    for number, items in _groups(context, "components_of_variance"):
        done = [item for item in items if computed(item)]
        known, which = best_first(context, done, MOST_ROWS)
        if known:
            metric = context.metric(known[0].values["metric"])
            spreads = [c["sd"] for item in known for c in item.values["components"]]
            scale = scale_of(spreads, spreads, percent=metric.percent)
            blocks.append(_components(context, known, metric, scale, f"table-variance-{number}"))
            blocks.append(_shares(context, known, number, which))
        blocks += problems(context, items)
    return blocks


def _components(
    context: Context, items: Sequence[Analysis], metric: MetricWords, scale: Scale, identifier: str
) -> Table:
    unit = " (points)" if metric.percent else ""
    columns = (
        Column(runs("Model"), "left", wide=True),
        Column(runs("Source"), "left"),
        Column(runs(f"SD{unit}")),
        Column(runs("Share of the variance (%)")),
    )
    rows = []
    items = in_order_of_models(context, items)
    for item in items:
        name = context.model(item.model or "")
        for component in item.values["components"]:
            cells = [Cell(runs(name)), Cell(runs(component["source"]))]
            cells.append(_number(component["sd"], scale))
            cells.append(_number(component["share"], PERCENT))
            rows.append(Row(tuple(cells)))
            name = ""
        cells = [Cell(runs("")), Cell(runs("together"))]
        cells += [_number(item.values["total"], scale), Cell(runs(""))]
        rows.append(Row(tuple(cells)))
    place = context.place(items[0].data, items[0].protocol)
    caption = runs(
        sentence(f"{place}where the variance of the {metric.noun} of a split comes from")
    )
    notes = [runs(sentence(f"{SHARES}; {_design(items[0].values)}"))]
    repeats = _repeats(context, items, metric, scale)
    notes += [runs(sentence(repeats))] if repeats else []
    notes += [about(items), *further_notes(context, items)]
    listed = Table(identifier, caption, columns, tuple(rows), notes=tuple(notes))
    sources = [component["source"] for component in items[0].values["components"]]
    made = replace(
        listed,
        columns=(columns[0], *(Column(runs(source)) for source in (*sources, "together"))),
        rows=tuple(_row_of_components(context, item, scale) for item in items),
        spanners=(Spanner(runs(f"SD{unit} (share of the variance)"), 1, len(sources)),),
        one_number_a_column=listed,
    )
    return made if fits_on_a_page(made) else listed


SHARES = "shares are percentages of the variance"


def _row_of_components(context: Context, item: Analysis, scale: Scale) -> Row:
    cells = [Cell(runs(context.model(item.model or "")))]
    for component in item.values["components"]:
        sd, share = component["sd"], component["share"]
        words = runs(Number(fixed(sd, scale), sd))
        if share is not None:
            words += runs(f"{NBSP}(", Number(fixed(share, PERCENT), share), "%)")
        cells.append(Cell(words, sd))
    return Row((*cells, _number(item.values["total"], scale)))


def _design(values: Mapping[str, Any]) -> str:
    return f"{count(values['n'])}{NBSP}splits of {count(values['n_rows'])} test rows in all"


def _repeats(context: Context, items: Sequence[Analysis], metric: MetricWords, scale: Scale) -> str:
    """Write how far the estimates of whole repeats lie apart."""
    known = [item for item in items if item.values["repeats"] is not None]
    if not known:
        return ""
    unit = " points" if metric.percent else ""
    parts = [f"{context.model(i.model or '')} {fixed(i.values['repeats'], scale)}{unit}"
             for i in known]  # fmt: skip
    n = count(known[0].values["n_repeats"])
    return f"standard deviation of the estimates of the {n} repeats: {', '.join(parts)}"


def _shares(context: Context, items: Sequence[Analysis], number: int, which: str) -> Figure:
    parts = [component["source"] for component in items[0].values["components"]]
    rows = [
        (context.model(i.model or ""), [c["share"] or 0.0 for c in i.values["components"]])
        for i in items[:MOST_ROWS]
    ]
    drawing, alt = stacked_bars(rows, parts, "Share of the variance (%)", PERCENT, "Components")
    place = context.place(items[0].data, items[0].protocol)
    caption = sentence(f"{place}sources of the variance of the score of a split")
    words = runs(caption) + _left_out(items, f"table-variance-{number}", which)
    return Figure(f"figure-variance-{number}", words, (Panel(drawing, alt, _title(items, which)),))
