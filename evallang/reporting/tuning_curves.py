"""Tuning curves: the inner scores of the candidates, and what two rules choose among them."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from evallang.reporting.analyses import (
    in_order_of_models,
    model_of,
    notes,
    parts,
    place_before,
    shown_in,
)
from evallang.reporting.context import Context, MetricWords
from evallang.reporting.document import Block, Code, Figure, Panel, Row, Runs, Table, runs
from evallang.reporting.figures.figure import Canvas
from evallang.reporting.figures.score_lines import Mark, ScorePoint, Series, score_lines
from evallang.reporting.letter_case import capitalised
from evallang.reporting.numbers import NBSP, Scale, count, scale_of
from evallang.reporting.panels import drawn_words, in_parts
from evallang.reporting.searches import parameter_words
from evallang.reporting.section import SECTIONS, SectionDeclaration
from evallang.reporting.tables import counted, number, right, row, table, wide
from evallang.reporting.wording import sentence
from evallang.results.records import Analysis

SECTION = "tuning_curves"
MOST_PANELS = 12  # parameters that are drawn; results.json has all
MOST_ROWS = 15  # of the table; more candidates are in its file
LEAST_CANDIDATES, MOST_CHOSEN = 3, 2  # of a model: those with the best means, and others chosen
RULES = {
    "best": "most often the best mean",
    "one_standard_error": "most often the one-standard-error choice",
}


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
    for part in parts(context, found, len(found), lambda item: (item.data, item.protocol)):
        if part.items:
            metric = context.metric(part.items[0].values["metric"])
            tried = [c for item in part.items for c in item.values["candidates"]]
            errors, means = ([c[key] for c in tried] for key in ("standard_error", "mean"))
            scale = scale_of(errors, means, percent=metric.percent)
            identifier = f"table-tuning-{part.number}"
            blocks.append(_table(context, part.items, metric, scale, identifier))
            blocks += _figures(context, part.items, metric, scale, part.number)
        blocks += part.problems
    return blocks


def _best_first(item: Analysis) -> list[Mapping[str, Any]]:
    sign = -1.0 if item.values["better"] == "higher" else 1.0
    tried = item.values["candidates"]
    return sorted(tried, key=lambda c: math.inf if c["mean"] is None else sign * c["mean"])


def _shown(candidates: Sequence[Mapping[str, Any]], most: int) -> list[Mapping[str, Any]]:
    """Return the first candidates, and of the others those that a rule chooses most often."""
    others = sorted(candidates[most:], key=lambda c: max(c[rule] for rule in RULES), reverse=True)
    chosen = [c for c in others[:MOST_CHOSEN] if any(c[rule] for rule in RULES)]
    return [c for c in candidates if c in candidates[:most] or c in chosen]


def _table(
    context: Context, items: Sequence[Analysis], metric: MetricWords, scale: Scale, identifier: str
) -> Table:
    every = [
        (model_of(context, item), _best_first(item)) for item in in_order_of_models(context, items)
    ]
    n = sum(len(found) for _, found in every)
    most = n if n <= MOST_ROWS else max(LEAST_CANDIDATES, MOST_ROWS // len(every))
    full = [r for model, found in every for r in _rows(model, found, scale)]
    shown = [r for model, found in every for r in _rows(model, _shown(found, most), scale)]
    values, left_out = items[0].values, len(full) - len(shown)
    file = Code(f"tables/{identifier.removeprefix('table-')}.csv")
    inner = values["n_inner"]
    searches = f"{count(values['n'])}{NBSP}{'search' if values['n'] == 1 else 'searches'}"
    folds = f"{count(inner)} inner folds each" if inner > 1 else "one validation part"
    made = table(
        identifier,
        f"{place_before(context, items)}{metric.noun} of the candidates inside the training parts",
        [
            wide("Model"),
            wide("Candidate"),
            right(f"Mean inner score{metric.sign}"),
            right(f"Standard error{metric.sign}"),
            right("Best"),
            right("One-standard-error rule"),
        ],
        shown,
        runs(
            f"The best {most} candidates of each model, and others that a rule chooses; ",
            file,
            f" has all {count(len(full))}.",
        )
        if left_out
        else None,
        f"{searches} with {folds}; means and standard errors are averaged over searches; the last "
        "columns count the searches whose rule chooses the candidate",
        *notes(context, items),
    )
    if not left_out:
        return made
    whole = replace(made, rows=tuple(full))
    return replace(made, left_out=left_out, gap_after=len(shown), one_number_a_column=whole)


def _rows(name: str, candidates: Sequence[Mapping[str, Any]], scale: Scale) -> Iterator[Row]:
    for k, candidate in enumerate(candidates):
        yield row(
            "" if k else name,
            Code(parameter_words(candidate["params"])),
            number(candidate["mean"], scale),
            number(candidate["standard_error"], scale),
            *(counted(candidate[rule]) for rule in RULES),
        )


def _figures(
    context: Context, items: Sequence[Analysis], metric: MetricWords, scale: Scale, number_: int
) -> list[Figure]:
    curves = [(model_of(context, item), c) for item in items for c in item.values["curves"]]
    panels = [
        Panel(*_panel(model, curve, metric, scale), runs(f"{model}: ", Code(curve["parameter"])))
        for model, curve in curves[:MOST_PANELS]
    ]
    place = place_before(context, items)
    words = f"{place}mean inner {metric.noun} by the value of a parameter"
    if items[0].values["n_inner"] > 1:
        words += "; bars: one standard error to each side"
    if any(len(item.values["curves"]) > 1 for item in items):
        words += "; of several parameters, at each value the best candidate with it"
    caption = runs(sentence(words))
    caption += drawn_words(len(panels), len(curves), "parameters", runs("results.json"))
    subject = capitalised(f"{place}candidates of the searches")
    return in_parts(f"figure-tuning-{number_}", caption, panels, subject)


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
    titles = (curve["parameter"], f"Mean inner {metric.noun}{metric.sign}")
    return score_lines([Series(model, tuple(points))], titles, scale, model, marks, metric.range)
