"""Tuning curves: the inner scores of the candidates, and what two rules choose among them."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.analyses.searches import FoldSearch, Searches, identity, searches_of
from evallang.analysis import ANALYSES, AnalysisDeclaration
from evallang.bibliography import cite
from evallang.engine.outcomes import Outcomes
from evallang.engine.tuning import choose
from evallang.reporting.analyses import (
    Part,
    by_place,
    model_of,
    notes,
    place_before,
    shows,
)
from evallang.reporting.context import Context, MetricWords
from evallang.reporting.document import Code, Figure, Panel, Row, Table, runs
from evallang.reporting.figures.score_lines import Mark, ScorePoint, Series, score_lines
from evallang.reporting.letter_case import capitalised
from evallang.reporting.numbers import NBSP, Scale, count, scale_of
from evallang.reporting.panels import drawn_words, in_parts
from evallang.reporting.searches import parameter_words
from evallang.reporting.tables import counted, number, right, row, table, wide
from evallang.reporting.wording import sentence
from evallang.results.records import Analysis
from evallang.results.settings import Value
from evallang.results.shown import Number


class TriedCandidate(Struct, frozen=True):
    """One candidate: its mean inner score, and how many searches choose it by each rule.

    `mean` and `standard_error` are means over the `n` searches in which every inner score of
    the candidate is defined; both are None where there is none.
    """

    params: Mapping[str, Value]
    mean: Number
    standard_error: Number
    n: int
    best: int
    one_standard_error: int


class TuningPoint(Struct, frozen=True):
    """One value of a parameter: in each search the best candidate that has this value."""

    value: Value
    mean: Number
    standard_error: Number
    n: int
    best: int
    one_standard_error: int


class TuningCurve(Struct, frozen=True):
    """The mean inner score along one parameter, its values in the order written or ascending."""

    parameter: str
    written: str
    points: tuple[TuningPoint, ...]


class SearchScores(Struct, frozen=True):
    """The scores of one search: for each candidate those in its inner folds, None if undefined.

    `candidates` are indices of `Tuning.candidates`, as are `best`, `one_standard_error`, which
    are what the two rules choose, and `chosen`.
    """

    repeat: int
    fold: int
    candidates: tuple[int, ...]
    scores: tuple[tuple[Number, ...], ...]
    best: int
    one_standard_error: int
    chosen: int


class Tuning(Struct, frozen=True):
    """The inner scores of all searches of a model."""

    unit: str
    about: str
    n: int
    n_inner: int
    metric: str
    better: str
    rule: str
    curves: tuple[TuningCurve, ...]
    candidates: tuple[TriedCandidate, ...]
    searches: tuple[SearchScores, ...]
    notes: tuple[str, ...]


ABOUT_CANDIDATES = (
    "candidates inside these training parts: the best of many inner scores is optimistic"
)
DEPENDENT = "standard errors treat inner folds as independent, although they share training rows"
ONE_PART = "one validation part has no standard error, so both rules choose the best score"


class _Judged(Struct, frozen=True):
    """A search with the mean and standard error of each candidate, and what the rules choose."""

    search: FoldSearch
    keys: tuple[str, ...]
    means: NDArray[np.float64]
    errors: NDArray[np.float64] | None
    best: int
    one_standard_error: int


@ANALYSES.register(
    AnalysisDeclaration(
        needs="searches",
        shown=Tuning,
        when="a search is to be judged: a flat optimum, an end of the range, a simpler candidate",
        when_not=(
            "the chosen values of the outer folds are of interest: stability; the performance of "
            "a tuned model: measure"
        ),
        formula=(
            "for each candidate the mean of its scores in the inner folds, with the standard "
            "error sd / sqrt(inner folds), both averaged over the searches of the outer folds; "
            "along a parameter, in each search the best candidate with that value; how many "
            "searches choose it by the best mean, and by the one-standard-error rule: the "
            "simplest candidate within one standard error of the best"
        ),
    ),
    title="Tuning curves",
    references=(cite("raschka2018"), cite("breiman1984")),
)
def tuning(outcomes: Outcomes) -> Tuning:
    """The mean inner score of every candidate, with what two rules would choose.

    Raises `ValueError` where no search gave a choice.
    """
    searches = searches_of(outcomes)
    if not searches.folds:
        raise ValueError("no search gave a choice")
    better = searches.better
    judged = [_judge(search, searches) for search in searches.folds]
    params = {
        key: candidate
        for one in reversed(judged)
        for key, candidate in zip(one.keys, one.search.candidates, strict=True)
    }
    order = {key: i for i, key in enumerate(dict.fromkeys(k for one in judged for k in one.keys))}
    n_inner = max(len(search.scores) for search in searches.folds)
    return Tuning(
        unit="searches",
        about=ABOUT_CANDIDATES,
        n=len(judged),
        n_inner=n_inner,
        metric=searches.metric,
        better=better,
        rule=searches.rule,
        curves=tuple(
            TuningCurve(p.name, p.written, tuple(_points(p.name, p.values, judged, better)))
            for p in searches.parameters
        ),
        candidates=tuple(
            TriedCandidate(
                dict(params[key]),
                *_summed(judged, [_places(one.keys, key) for one in judged], better),
            )
            for key in order
        ),
        searches=tuple(_scores(one, order) for one in judged),
        notes=(DEPENDENT if n_inner > 1 else ONE_PART,),
    )


def _judge(search: FoldSearch, searches: Searches) -> _Judged:
    scores = search.scores
    means = scores.mean(axis=0)
    usable = [i for i, mean in enumerate(means) if not np.isnan(mean)]
    k = len(scores)
    errors = np.std(scores, axis=0, ddof=1) / k**0.5 if k > 1 else None
    keys = tuple("\n".join(map(identity, c.values())) for c in search.candidates)
    best = choose(scores, usable, "best", searches.better, search.steps)
    simple = choose(scores, usable, "one_standard_error", searches.better, search.steps)
    return _Judged(search, keys, means, errors, best, simple)


def _places(keys: Sequence[str], key: str) -> list[int]:
    return [place for place, known in enumerate(keys) if known == key]


def _summed(
    judged: Sequence[_Judged], among: Sequence[Sequence[int]], better: str
) -> tuple[Number, Number, int, int, int]:
    """Return of some candidates of each search, by their places, the best one's mean and error.

    Both are averaged over the searches in which one has a score; then come the number of these,
    and how many searches choose one of them by each rule.
    """
    sign, means, errors = -1.0 if better == "higher" else 1.0, list[float](), list[float]()
    for one, places in zip(judged, among, strict=True):
        known = [i for i in places if not np.isnan(one.means[i])]
        if known:
            best = min(known, key=lambda i: sign * one.means[i])
            means.append(float(one.means[best]))
            errors += [] if one.errors is None else [float(one.errors[best])]
    return (
        sum(means) / len(means) if means else None,
        sum(errors) / len(errors) if errors else None,
        len(means),
        sum(one.best in places for one, places in zip(judged, among, strict=True)),
        sum(one.one_standard_error in places for one, places in zip(judged, among, strict=True)),
    )


def _points(
    parameter: str, written: Iterable[Value], judged: Sequence[_Judged], better: str
) -> Iterable[TuningPoint]:
    """Iterate over the values of a parameter; of a distribution those tried, ascending."""
    every = [c[parameter] for one in judged for c in one.search.candidates]
    values = {identity(value): value for value in (tuple(written) or sorted(every))}
    tried = set(map(identity, every))
    for key, value in values.items():
        if key in tried:
            own = [[identity(c[parameter]) for c in one.search.candidates] for one in judged]
            among = [_places(keys, key) for keys in own]
            yield TuningPoint(value, *_summed(judged, among, better))


def _scores(one: _Judged, order: Mapping[str, int]) -> SearchScores:
    columns = one.search.scores.T.tolist()
    places = tuple(order[key] for key in one.keys)
    chosen = "\n".join(identity(value) for value in one.search.chosen.values())
    return SearchScores(
        one.search.repeat,
        one.search.fold,
        places,
        tuple(tuple(None if v != v else v for v in column) for column in columns),
        places[one.best],
        places[one.one_standard_error],
        order[chosen],
    )


# --- the section ---------------------------------------------------------------------------------

MOST_PANELS = 12  # parameters that are drawn; results.json has all
MOST_ROWS = 15  # of the table; more candidates are in its file
LEAST_CANDIDATES, MOST_CHOSEN = 3, 2  # of a model: those with the best means, and others chosen
RULES = {
    "best": "most often the best mean",
    "one_standard_error": "most often the one-standard-error choice",
}


def _scale(metric: MetricWords, items: Sequence[Analysis]) -> Scale:
    every = [c for item in items for c in item.values["candidates"]]
    errors, means = ([c[key] for c in every] for key in ("standard_error", "mean"))
    return scale_of(errors, means, percent=metric.percent)


@shows(
    "tuning",
    order=52,
    title="Tuning curves",
    methods="Tuning curves show the mean inner scores of all candidates",
    key=by_place,
)
def tuning_curves(context: Context, part: Part) -> list[Table | Figure]:
    """Return a table and a figure for each data set and protocol."""
    metric = context.metric(part.items[0].values["metric"])
    scale = _scale(metric, part.items)
    made = _table(context, part.items, metric, scale, f"table-tuning-{part.number}")
    return [made, *_figures(context, part.items, metric, scale, part.number)]


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
    every = [(model_of(context, item), _best_first(item)) for item in items]
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
    curves = [(item, c) for item in items for c in item.values["curves"]]
    panels: list[Panel] = []
    for item, curve in curves[:MOST_PANELS]:
        among = [_series("", each) for each in item.values["curves"]]
        model, look = model_of(context, item), context.look(item.model or "")
        alike = [
            one.x
            for _, each in curves
            if each["parameter"] == curve["parameter"]
            for one in _series("", each).points
        ]
        titles = (curve["parameter"], f"Mean inner {metric.noun}{metric.sign}")
        series, marks = [_series(model, curve)], _marks(curve)
        drawing = score_lines(series, titles, scale, model, marks, metric.range, look, among, alike)
        panels.append(Panel(*drawing, runs(f"{model}: ", Code(curve["parameter"]))))
    place = place_before(context, items)
    words = f"{place}mean inner {metric.noun} by the value of a parameter"
    if items[0].values["n_inner"] > 1:
        words += "; bars: one standard error to each side"
    if any(len(item.values["curves"]) > 1 for item in items):
        words += "; with several parameters, the best candidate at each value"
    if len(items) > 1:
        words += "; each model has its own vertical scale"
    caption = runs(sentence(words))
    caption += drawn_words(len(panels), len(curves), "parameters", runs("results.json"))
    subject = capitalised(f"{place}candidates of the searches")
    return in_parts(f"figure-tuning-{number_}", caption, panels, subject)


def _series(model: str, curve: Mapping[str, Any]) -> Series:
    points = []
    for point in curve["points"]:
        mean, error = point["mean"], point["standard_error"]
        if mean is not None:
            ends = (None, None) if error is None else (mean - error, mean + error)
            points.append(ScorePoint(point["value"], mean, *ends))
    return Series(model, tuple(points))


def _marks(curve: Mapping[str, Any]) -> list[Mark]:
    """Return the values that each rule chose most often."""
    marks, known = [], [p for p in curve["points"] if p["mean"] is not None]
    for rule, words in RULES.items():
        most = max(known, key=lambda p: p[rule], default=None)
        if most is not None and most[rule]:
            marks.append(Mark(words, most["value"]))
    if len(marks) == 2 and marks[0].x == marks[1].x:
        marks = [Mark("most often the choice of both rules", marks[0].x)]
    return marks
