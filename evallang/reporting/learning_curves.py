"""Learning curves: training and test scores by the number of rows that models were fitted on."""

from collections.abc import Iterator, Mapping, Sequence
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
from evallang.reporting.document import Block, Cell, Column, Figure, Panel, Row, Runs, Table, runs
from evallang.reporting.figures.score_lines import ScorePoint, Series, score_lines
from evallang.reporting.letter_case import capitalised
from evallang.reporting.long_tables import fits_on_a_page
from evallang.reporting.numbers import NBSP, Scale, count, fixed, scale_of
from evallang.reporting.panels import in_parts
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.tables import (
    heading,
    left,
    number,
    printed,
    right,
    row,
    table,
    wide,
    with_second,
)
from evallang.reporting.wording import number_word, sentence
from evallang.results.records import Analysis

SECTION = "learning_curves"
MOST_PANELS = 12  # models that are drawn; the table has all
PARTS = ("train", "test")


def _methods(context: Context) -> Runs:
    found = first_computed(context, SECTION)
    if found is None:
        return ()
    how = "nested random subsets of each training part"
    if found.values["ordered"]:
        how = "those rows of each training part that are nearest in time to the test rows"
    return runs(
        f"For learning curves, models were fitted on {how}, with all of "
        "their tuning, and measured on the same test rows",
        context.cite("analysis", found.kind),
        ".",
    )


@SECTIONS.register(
    SectionDeclaration(order=48, methods=_methods, analyses=True), title="Learning curves"
)
def learning_curves(context: Context) -> Sequence[Block]:
    """Return a table and a figure for each data set, protocol and metric."""
    blocks: list[Block] = []
    for part in parts(context, shown_in(context, SECTION), MOST_PANELS):
        if part.items:
            metric = context.metric(part.items[0].values["metric"])
            scores = [p[one] for i in part.items for p in i.values["points"] for one in PARTS]
            spreads, values = ([score[key] for score in scores] for key in ("sd", "value"))
            scale = scale_of(spreads, values, percent=metric.percent)
            identifier = f"table-learning-{part.number}"
            blocks.append(_table(context, part.items, metric, scale, identifier))
            blocks += _figures(context, part, metric, scale)
        blocks += part.problems
    return blocks


def _table(
    context: Context, items: Sequence[Analysis], metric: MetricWords, scale: Scale, identifier: str
) -> Table:
    """Return a table with a column for each size, or with a row where sizes are many."""
    ordered = [(model_of(context, i), i.values) for i in in_order_of_models(context, items)]
    sizes = {_rows(p): p["n_train"] for item in items for p in item.values["points"]}
    heads = sorted(sizes, key=sizes.__getitem__)
    failed = (
        (model, sum(point["failed"] for point in values["points"])) for model, values in ordered
    )
    made = table(
        identifier,
        f"{place_before(context, items)}{metric.noun} by the number of training rows",
        [
            wide("Model"),
            right("Training rows"),
            right(f"Training score{metric.sign}"),
            right(f"SD{metric.sign}", f"SD of the training score{metric.sign}"),
            right(f"Test score{metric.sign}"),
            right(f"SD{metric.sign}", f"SD of the test score{metric.sign}"),
        ],
        [
            row(
                "" if k else model,
                printed(_rows(point), point["n_train"]),
                *(number(point[part][key], scale) for part in PARTS for key in ("value", "sd")),
            )
            for model, values in ordered
            for k, point in enumerate(values["points"])
        ],
        _sizes(items[0].values),
        _gains(ordered, metric, scale),
        *notes(context, items),
        *(
            runs(sentence(f"{model}: {count(n)} fit{'' if n == 1 else 's'} failed",
                          context.own_names))
            for model, n in failed
            if n
        ),
    )  # fmt: skip
    by_size = table(
        identifier,
        made.caption,
        [wide("Model"), ("Training rows", list(map(right, heads)))],
        _rows_of_sizes(ordered, metric, scale, heads),
        *made.notes,
        one_number_a_column=made,
    )
    if fits_on_a_page(by_size):
        return by_size
    names = [Column(runs(model), wide=True) for model, _ in ordered]
    unit = ", %" if metric.percent else ""
    deep = table(
        identifier,
        made.caption,
        [
            left("Training rows"),
            (f"Test score{unit} (SD)", list(names)),
            (f"Training score{unit} (SD)", list(names)),
        ],
        [
            row(
                size,
                *(
                    _score(values, size, part, scale)
                    for part in ("test", "train")
                    for _, values in ordered
                ),
            )
            for size in heads
        ],
        *made.notes,
        one_number_a_column=made,
    )
    return deep if fits_on_a_page(deep) else made


def _rows_of_sizes(
    ordered: Sequence[tuple[str, Any]], metric: MetricWords, scale: Scale, sizes: Sequence[str]
) -> Iterator[Row]:
    """Iterate over the rows of models below the heads of the two scores."""
    unit = ", %" if metric.percent else ""
    for part, name in (("test", "Test score"), ("train", "Training score")):
        spread = any(p[part]["sd"] is not None for _, v in ordered for p in v["points"])
        yield heading(f"{name}{unit}{' (SD)' if spread else ''}")
        for model, values in ordered:
            yield row(model, *(_score(values, size, part, scale) for size in sizes))


def _score(values: Mapping[str, Any], size: str, part: str, scale: Scale) -> Cell | str:
    """Return the cell of a score with its spread at a size."""
    score = next((p[part] for p in values["points"] if _rows(p) == size), None)
    return "–" if score is None else with_second(score["value"], scale, score["sd"], scale)


def _rows(point: Mapping[str, Any]) -> str:
    low, high = point["smallest"], point["largest"]
    return count(low) if low == high else f"{count(low)}–{count(high)}"


def _sizes(values: Mapping[str, Any]) -> str:
    splits, draws = values["n_splits"], values["n_draws"]
    words = f"{count(values['n'])}{NBSP}{values['unit']} tested in {count(splits)} "
    words += "split" if splits == 1 else "splits"
    if draws > 1:
        words += f"; scores are means over {number_word(draws)} draws of subsets"
    return words + ("; SD: standard deviation over splits" if splits > 1 else "")


def _gains(ordered: Sequence[tuple[str, Any]], metric: MetricWords, scale: Scale) -> str:
    """Write what the last step in size did to the test score, for each model."""
    said = []
    for model, values in ordered[:MOST_PANELS]:
        gain, n = values["gain"], values["n_splits"]
        if gain is not None:
            words = f"{model} {fixed(gain['value'], scale, signed=True)}"
            if n > 1:
                words += f", better in {count(gain['better'])} and worse in {count(gain['worse'])}"
                words += f" of {count(n)} splits"
            said.append(words)
    if not said:
        return ""
    rest = len(ordered) - MOST_PANELS
    first = ordered[0][1]["gain"] or {}
    step = f"{count(round(first['n_from']))} to {count(round(first['n_to']))} training rows"
    unit = " in points" if metric.percent else ""
    words = f"change of the test score{unit} from {step}: {'; '.join(said)}"
    return words + (f"; of {count(rest)} further models in results.json" if rest > 0 else "")


def _figures(context: Context, part: Part, metric: MetricWords, scale: Scale) -> list[Figure]:
    titles = ("Training rows", f"{metric.heading}{metric.sign}")
    panels = []
    for item in part.items[:MOST_PANELS]:
        model = model_of(context, item)
        series = [
            Series(name, tuple(_point(point, one) for point in item.values["points"]))
            for one, name in (("test", "test rows"), ("train", "training rows"))
        ]
        drawing = score_lines(series, titles, scale, model, possible=metric.range)
        panels.append(Panel(*drawing, runs(model)))
    place = place_before(context, part.items)
    words = f"{place}{metric.noun} on training rows and on test rows by the number of training rows"
    if any(p["test"]["sd"] is not None for i in part.items for p in i.values["points"]):
        words += "; bars: one standard deviation of the test score over splits to each side"
    table_ = f"table-learning-{part.number}"
    caption = runs(sentence(words))
    caption += not_drawn(len(part.items), MOST_PANELS, table_, which=part.which)
    subject = capitalised(f"{place}{metric.noun} by the number of training rows")
    return in_parts(f"figure-learning-{part.number}", caption, panels, subject)


def _point(point: Mapping[str, Any], part: str) -> ScorePoint:
    value, sd = point[part]["value"], point[part]["sd"] if part == "test" else None
    ends = (None, None) if value is None or sd is None else (value - sd, value + sd)
    return ScorePoint(round(point["n_train"]), value, *ends)
