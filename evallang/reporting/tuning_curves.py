"""Tuning curves: the inner scores of the candidates, and what two rules choose among them."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from msgspec.structs import replace

from evallang.reporting.context import Context, MetricWords
from evallang.reporting.curves import (
    about,
    computed,
    further_notes,
    in_order_of_models,
    problems,
    shown_in,
)
from evallang.reporting.document import (
    Block,
    Cell,
    Code,
    Column,
    Figure,
    Number,
    Panel,
    Row,
    Runs,
    Table,
    runs,
)
from evallang.reporting.figure_parts import drawn_words, in_parts
from evallang.reporting.figures.figure import Canvas
from evallang.reporting.figures.score_lines import Mark, ScorePoint, Series, score_lines
from evallang.reporting.letter_case import capitalised
from evallang.reporting.numbers import NBSP, Scale, count, fixed, scale_of
from evallang.reporting.searches import parameter_words
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.wording import sentence
from evallang.results.records import Analysis

SECTION = "tuning_curves"
MOST_PANELS = 12  # parameters that are drawn; results.json has all
MOST_ROWS = 15  # of the table; more candidates are in its file
LEAST_CANDIDATES, MOST_CHOSEN = 3, 2  # of a model: those with the best means, and others chosen


def _methods(context: Context) -> Runs:
    found = shown_in(context, SECTION)
    if not found:
        return ()
    cited = context.cite("analysis", found[0].kind)
    return runs("Tuning curves show the mean inner scores of all candidates", cited, ".")


@SECTIONS.register(
    SectionDeclaration(order=52, methods=_methods, analyses=True), title="Tuning curves"
)
def tuning_curves(context: Context) -> Sequence[Block]:
    """Return a table and a figure for each data set and protocol."""
    blocks: list[Block] = []
    found = shown_in(context, SECTION)
    for number, (_, part) in enumerate(groupby(found, lambda i: (i.data, i.protocol)), start=1):
        items = list(part)
        known = [item for item in items if computed(item)]
        if known:
            metric = context.metric(known[0].values["metric"])
            scale = _scale(known, metric)
            blocks.append(_table(context, known, metric, scale, f"table-tuning-{number}"))
            blocks += _figures(context, known, metric, scale, number)
        blocks += problems(context, items)
    return blocks


def _scale(items: Sequence[Analysis], metric: MetricWords) -> Scale:
    candidates = [c for item in items for c in item.values["candidates"]]
    errors = [c["standard_error"] for c in candidates]
    return scale_of(errors, [c["mean"] for c in candidates], percent=metric.percent)


def _best_first(item: Analysis) -> list[Mapping[str, Any]]:
    sign = -1.0 if item.values["better"] == "higher" else 1.0

    def rank(candidate: Mapping[str, Any]) -> float:
        return math.inf if candidate["mean"] is None else sign * candidate["mean"]

    return sorted(item.values["candidates"], key=rank)


def _shown(candidates: Sequence[Mapping[str, Any]], most: int) -> list[Mapping[str, Any]]:
    """Return the first candidates, and of the others those that a rule chooses most often."""
    if len(candidates) <= most:
        return list(candidates)
    others = sorted(candidates[most:], key=lambda c: max(c[rule] for rule in RULES), reverse=True)
    chosen = [c for c in others[:MOST_CHOSEN] if any(c[rule] for rule in RULES)]
    return [c for c in candidates if c in candidates[:most] or c in chosen]


def _table(
    context: Context, items: Sequence[Analysis], metric: MetricWords, scale: Scale, identifier: str
) -> Table:
    unit = " (%)" if metric.percent else ""
    columns = (
        Column(runs("Model"), "left", wide=True),
        Column(runs("Candidate"), "left", wide=True),
        Column(runs(f"Mean inner score{unit}")),
        Column(runs(f"Standard error{unit}")),
        Column(runs("Best")),
        Column(runs("One-standard-error rule")),
    )
    every = [(item, _best_first(item)) for item in in_order_of_models(context, items)]
    n = sum(len(candidates) for _, candidates in every)
    most = n if n <= MOST_ROWS else max(LEAST_CANDIDATES, MOST_ROWS // len(every))
    rows: list[Row] = []
    full: list[Row] = []
    for item, candidates in every:
        name = context.model(item.model or "")
        full += _rows(name, candidates, scale)
        rows += _rows(name, _shown(candidates, most), scale)
    values = items[0].values
    place = context.place(items[0].data, items[0].protocol)
    caption = sentence(f"{place}{metric.noun} of the candidates inside the training parts")
    left_out = len(full) - len(rows)
    notes = [_sizes(values)]
    if left_out:
        file = f"tables/{identifier.removeprefix('table-')}.csv"
        notes.insert(0, runs(
            f"The best {most} candidates of each model, and others that a rule chooses; ",
            Code(file), f" has all {count(len(full))}.",
        ))  # fmt: skip
    notes += [about(items), *further_notes(context, items)]
    made = Table(identifier, runs(caption), columns, tuple(rows), notes=tuple(notes))
    if not left_out:
        return made
    return replace(
        made,
        left_out=left_out,
        gap_after=len(rows),
        one_number_a_column=replace(made, rows=tuple(full)),
    )


def _rows(name: str, candidates: Sequence[Mapping[str, Any]], scale: Scale) -> Iterator[Row]:
    for candidate in candidates:
        mean, error = candidate["mean"], candidate["standard_error"]
        cells = [
            Cell(runs(name)),
            Cell(runs(Code(parameter_words(candidate["params"])))),
            Cell(runs(Number(fixed(mean, scale), mean)), mean),
            Cell(runs(Number(fixed(error, scale), error)), error),
        ]
        for rule in RULES:
            n = candidate[rule]
            cells.append(Cell(runs(Number(count(n), float(n))), n))
        yield Row(tuple(cells))
        name = ""


def _sizes(values: Mapping[str, Any]) -> Runs:
    n, inner = values["n"], values["n_inner"]
    searches = f"{count(n)}{NBSP}{'search' if n == 1 else 'searches'}"
    folds = f"{count(inner)} inner folds each" if inner > 1 else "one validation part"
    words = f"{searches} with {folds}; means and standard errors are averaged over searches"
    counts = "the last columns count the searches whose rule chooses the candidate"
    return runs(sentence(f"{words}; {counts}"))


def _figures(
    context: Context, items: Sequence[Analysis], metric: MetricWords, scale: Scale, number: int
) -> list[Figure]:
    panels: list[Panel] = []
    for item in items:
        model = context.model(item.model or "")
        for curve in item.values["curves"][: MOST_PANELS - len(panels)]:
            drawing, alt = _panel(model, curve, metric, scale)
            panels.append(Panel(drawing, alt, runs(f"{model}: ", Code(curve["parameter"]))))
    place = context.place(items[0].data, items[0].protocol)
    several = any(len(item.values["curves"]) > 1 for item in items)
    words = f"{place}mean inner {metric.noun} by the value of a parameter"
    if items[0].values["n_inner"] > 1:
        words += "; bars: one standard error to each side"
    if several:
        words += "; of several parameters, at each value the best candidate with it"
    known = sum(len(item.values["curves"]) for item in items)
    caption = runs(sentence(words))
    caption += drawn_words(len(panels), known, "parameters", runs("results.json"))
    subject = capitalised(f"{place}candidates of the searches")
    return in_parts(f"figure-tuning-{number}", caption, panels, subject)


def _panel(
    model: str, curve: Mapping[str, Any], metric: MetricWords, scale: Scale
) -> tuple[Canvas, str]:
    points, known = [], [p for p in curve["points"] if p["mean"] is not None]
    for point in known:
        mean, error = point["mean"], point["standard_error"]
        ends = (None, None) if error is None else (mean - error, mean + error)
        points.append(ScorePoint(point["value"], mean, *ends))
    marks = []
    for rule, words in RULES.items():
        most = max(known, key=lambda p: p[rule], default=None)
        if most is not None and most[rule]:
            marks.append(Mark(words, most["value"]))
    if len(marks) == 2 and marks[0].x == marks[1].x:
        marks = [Mark("most often the choice of both rules", marks[0].x)]
    unit = " (%)" if metric.percent else ""
    titles = (curve["parameter"], f"Mean inner {metric.noun}{unit}")
    return score_lines([Series(model, tuple(points))], titles, scale, model, marks, metric.range)


RULES = {
    "best": "most often the best mean",
    "one_standard_error": "most often the one-standard-error choice",
}
