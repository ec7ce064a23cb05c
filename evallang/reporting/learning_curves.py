"""Learning curves: training and test scores by the number of rows that models were fitted on."""

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
from evallang.reporting.figure_parts import drawn_words, in_parts
from evallang.reporting.figures.score_lines import ScorePoint, Series, score_lines
from evallang.reporting.letter_case import capitalised
from evallang.reporting.long_tables import fits_on_a_page
from evallang.reporting.numbers import NBSP, Scale, count, fixed, scale_of
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.wording import number_word, sentence
from evallang.results.records import Analysis

SECTION = "learning_curves"
MOST_PANELS = 12  # models that are drawn; the table has all


def _methods(context: Context) -> Runs:
    found = [item for item in shown_in(context, SECTION) if computed(item)]
    if not found:
        return ()
    values = found[0].values
    cited = context.cite("analysis", found[0].kind)
    how = "the last rows in time" if values["ordered"] else "nested random subsets"
    return runs(
        f"For learning curves, models were fitted on {how} of each training part, with all of "
        "their tuning, and measured on the same test rows",
        cited,
        ".",
    )


@SECTIONS.register(
    SectionDeclaration(order=48, methods=_methods, analyses=True), title="Learning curves"
)
def learning_curves(context: Context) -> Sequence[Block]:
    """Return a table and a figure for each data set, protocol and metric."""
    blocks: list[Block] = []
    found = shown_in(context, SECTION)
    for number, (_, part) in enumerate(groupby(found, _place), start=1):
        items = list(part)
        done = [item for item in items if computed(item)]
        known, which = best_first(context, done, MOST_PANELS)
        if known:
            metric = context.metric(known[0].values["metric"])
            scale = _scale(known, metric)
            blocks.append(_table(context, known, metric, scale, f"table-learning-{number}"))
            blocks += _figures(context, known, metric, scale, number, which)
        blocks += problems(context, items)
    return blocks


def _place(item: Analysis) -> tuple[str, str | None, str | None]:
    return item.data, item.protocol, item.metric


def _scale(items: Sequence[Analysis], metric: MetricWords) -> Scale:
    scores = [p[part] for item in items for p in item.values["points"] for part in PARTS]
    return scale_of([s["sd"] for s in scores], [s["value"] for s in scores], percent=metric.percent)


PARTS = ("train", "test")


def _table(
    context: Context, items: Sequence[Analysis], metric: MetricWords, scale: Scale, identifier: str
) -> Table:
    """Return a table with a column for each size, or with a row where sizes are many."""
    ordered = in_order_of_models(context, items)
    listed = _list_of_points(context, ordered, metric, scale)
    sizes = {_rows(p): p["n_train"] for item in items for p in item.values["points"]}
    heads = sorted(sizes, key=sizes.__getitem__)
    place = context.place(items[0].data, items[0].protocol)
    caption = sentence(f"{place}{metric.noun} by the number of training rows")
    notes = [_sizes(items[0].values), *_gains(context, ordered, metric, scale)]
    notes += [about(items), *further_notes(context, items), *_failed(context, items)]
    made = Table(identifier, runs(caption), *listed, notes=tuple(notes))
    wide = replace(
        made,
        columns=(Column(runs("Model"), "left", wide=True), *(Column(runs(h)) for h in heads)),
        rows=tuple(_rows_of_sizes(context, ordered, metric, scale, heads)),
        spanners=(Spanner(runs("Training rows"), 1, len(heads)),),
        one_number_a_column=made,
    )
    if fits_on_a_page(wide):
        return wide
    deep = _with_a_row_for_each_size(context, wide, metric, ordered, scale, heads)
    return deep if fits_on_a_page(deep) else made


def _with_a_row_for_each_size(
    context: Context,
    table: Table,
    metric: MetricWords,
    items: Sequence[Analysis],
    scale: Scale,
    sizes: Sequence[str],
) -> Table:
    """Return the table with models in columns, below the heads of the two scores."""
    names = [Column(runs(context.model(item.model or "")), wide=True) for item in items]
    unit = ", %" if metric.percent else ""
    rows = []
    for size in sizes:
        cells = [Cell(runs(size))]
        for part in ("test", "train"):
            for item in items:
                point = next((p for p in item.values["points"] if _rows(p) == size), None)
                cells.append(Cell(runs("–")) if point is None else _score(point[part], scale))
        rows.append(Row(tuple(cells)))
    n = len(names)
    heads = (f"Test score{unit} (SD)", f"Training score{unit} (SD)")
    spanners = (Spanner(runs(heads[0]), 1, n), Spanner(runs(heads[1]), n + 1, 2 * n))
    columns = (Column(runs("Training rows"), "left"), *names, *names)
    return replace(table, columns=columns, rows=tuple(rows), spanners=spanners)


def _rows_of_sizes(
    context: Context,
    items: Sequence[Analysis],
    metric: MetricWords,
    scale: Scale,
    sizes: Sequence[str],
) -> Iterator[Row]:
    """Iterate over the rows of models below the heads of the two scores."""
    unit = ", %" if metric.percent else ""
    for part, name in (("test", "Test score"), ("train", "Training score")):
        spread = any(p[part]["sd"] is not None for item in items for p in item.values["points"])
        yield Row((Cell(runs(f"{name}{unit}{' (SD)' if spread else ''}")),), group=True)
        for item in items:
            known = {_rows(point): point[part] for point in item.values["points"]}
            cells = [Cell(runs(context.model(item.model or "")))]
            for size in sizes:
                score = known.get(size)
                cells.append(Cell(runs("–")) if score is None else _score(score, scale))
            yield Row(tuple(cells))


def _score(score: Mapping[str, Any], scale: Scale) -> Cell:
    value, sd = score["value"], score["sd"]
    words = runs(Number(fixed(value, scale), value))
    if sd is not None:
        words += runs(f"{NBSP}(", Number(fixed(sd, scale), sd), ")")
    return Cell(words, value)


def _list_of_points(
    context: Context, items: Sequence[Analysis], metric: MetricWords, scale: Scale
) -> tuple[tuple[Column, ...], tuple[Row, ...]]:
    """Return columns and rows with one number in each cell."""
    unit = " (%)" if metric.percent else ""
    columns = (
        Column(runs("Model"), "left", wide=True),
        Column(runs("Training rows")),
        Column(runs(f"Training score{unit}")),
        Column(runs(f"SD{unit}"), name=f"SD of the training score{unit}"),
        Column(runs(f"Test score{unit}")),
        Column(runs(f"SD{unit}"), name=f"SD of the test score{unit}"),
    )
    rows = []
    for item in items:
        name = context.model(item.model or "")
        for point in item.values["points"]:
            cells = [Cell(runs(name)), Cell(runs(_rows(point)), point["n_train"])]
            for part in PARTS:
                for key in ("value", "sd"):
                    value = point[part][key]
                    cells.append(Cell(runs(Number(fixed(value, scale), value)), value))
            rows.append(Row(tuple(cells)))
            name = ""
    return columns, tuple(rows)


def _rows(point: Mapping[str, Any]) -> str:
    low, high = point["smallest"], point["largest"]
    return count(low) if low == high else f"{count(low)}–{count(high)}"


def _sizes(values: Mapping[str, Any]) -> Runs:
    splits, draws = values["n_splits"], values["n_draws"]
    words = f"{count(values['n'])}{NBSP}{values['unit']} tested in {count(splits)} "
    words += "split" if splits == 1 else "splits"
    if draws > 1:
        words += f"; scores are means over {number_word(draws)} draws of subsets"
    if splits > 1:
        words += "; SD: standard deviation over splits"
    return runs(sentence(words))


def _gains(
    context: Context, items: Sequence[Analysis], metric: MetricWords, scale: Scale
) -> list[Runs]:
    """Write what the last step in size did to the test score, for each model."""
    parts: list[str] = []
    for item in items[:MOST_PANELS]:
        gain = item.values["gain"]
        if gain is None:
            continue
        change = fixed(gain["value"], scale, signed=True)
        n = item.values["n_splits"]
        counts = f", better in {count(gain['better'])} and worse in {count(gain['worse'])} of "
        words = f"{context.model(item.model or '')} {change}"
        parts.append(words + (f"{counts}{count(n)} splits" if n > 1 else ""))
    if not parts:
        return []
    first = items[0].values["gain"] or {}
    step = f"{count(round(first['n_from']))} to {count(round(first['n_to']))} training rows"
    unit = " points" if metric.percent else ""
    return [runs(sentence(f"change of the test score{unit and f' in{unit}'} from {step}: "
                          f"{'; '.join(parts)}{_not_written(items)}"))]  # fmt: skip


def _not_written(items: Sequence[Analysis]) -> str:
    rest = len(items) - MOST_PANELS
    return f"; of {count(rest)} further models in results.json" if rest > 0 else ""


def _failed(context: Context, items: Sequence[Analysis]) -> list[Runs]:
    made = []
    for item in items:
        n = sum(point["failed"] for point in item.values["points"])
        if n:
            fits = "1 fit" if n == 1 else f"{count(n)} fits"
            words = f"{context.model(item.model or '')}: {fits} failed"
            made.append(runs(sentence(words, context.own_names)))
    return made


def _figures(
    context: Context,
    items: Sequence[Analysis],
    metric: MetricWords,
    scale: Scale,
    number: int,
    which: str,
) -> list[Figure]:
    unit = " (%)" if metric.percent else ""
    titles = ("Training rows", f"{metric.heading}{unit}")
    panels = []
    for item in items[:MOST_PANELS]:
        model = context.model(item.model or "")
        series = [
            Series(name, tuple(_point(point, part) for point in item.values["points"]))
            for part, name in (("test", "test rows"), ("train", "training rows"))
        ]
        drawing, alt = score_lines(series, titles, scale, model, possible=metric.range)
        panels.append(Panel(drawing, alt, runs(model)))
    place = context.place(items[0].data, items[0].protocol)
    words = f"{place}{metric.noun} on training rows and on test rows by the number of training rows"
    if any(point["test"]["sd"] is not None for i in items for point in i.values["points"]):
        words += "; bars: one standard deviation of the test score over splits to each side"
    where = runs(Ref(f"table-learning-{number}", "the table"))
    caption = runs(sentence(words)) + drawn_words(len(panels), len(items), "models", where, which)
    subject = capitalised(f"{place}{metric.noun} by the number of training rows")
    return in_parts(f"figure-learning-{number}", caption, panels, subject)


def _point(point: Mapping[str, Any], part: str) -> ScorePoint:
    score = point[part]
    value, sd = score["value"], score["sd"] if part == "test" else None
    ends = (None, None) if value is None or sd is None else (value - sd, value + sd)
    return ScorePoint(round(point["n_train"]), value, *ends)
