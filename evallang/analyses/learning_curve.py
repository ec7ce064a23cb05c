"""Learning curves: training and test scores by the number of training rows."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import floor
from typing import Annotated, Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.analysis import ANALYSES, AnalysisDeclaration, Fits, Problem, Subset, options_of
from evallang.bibliography import cite
from evallang.data import dataset
from evallang.diagnostics import codes
from evallang.engine.outcomes import Outcomes
from evallang.planning.plan import SubsetPlace
from evallang.planning.seeds import rows_hash, seed
from evallang.protocols.protocol import PROTOCOLS, CannotSplit, Rows, Split
from evallang.protocols.splitting import exact, nested_subsets
from evallang.registry import Bounds
from evallang.reporting.analyses import (
    Part,
    by_metric,
    figures_of_models,
    model_of,
    notes,
    place_before,
    shows,
    states,
    told,
)
from evallang.reporting.context import Context, MetricWords
from evallang.reporting.document import Block, Cell, Column, Figure, Panel, Row, Runs, Table, runs
from evallang.reporting.figures.score_lines import ScorePoint, Series, score_lines
from evallang.reporting.letter_case import capitalised
from evallang.reporting.long_tables import fits_on_a_page
from evallang.reporting.numbers import Scale, count, scale_of
from evallang.reporting.sentences import write
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
from evallang.reporting.wording import sentence
from evallang.results.records import Analysis
from evallang.results.shown import Number
from evallang.stats.basics import standard_deviation
from evallang.study import AnalysisSpec, Protocol, Study

TENTH, QUARTER, HALF = Fraction(1, 10), Fraction(1, 4), Fraction(1, 2)
FRACTIONS = (TENTH, QUARTER, HALF, Fraction(3, 4), Fraction(1))


class LearningScore(Struct, frozen=True):
    """A score at one size: its mean over draws, and its spread.

    `sd` is the standard deviation over splits of the means over draws, and `sd_draws` that of the
    value of all splits over draws; None where there are fewer than two.
    """

    value: Number
    sd: Number
    sd_draws: Number


class LearningPoint(Struct, frozen=True):
    """The scores of the fits on subsets of one size, on their own rows and on the test rows."""

    fraction: Number
    n_train: float
    smallest: int
    largest: int
    train: LearningScore
    test: LearningScore
    failed: int


class LearningGain(Struct, frozen=True):
    """What the last step in size added to the test score, and in how many splits it helped."""

    n_from: float
    n_to: float
    value: float
    better: int
    worse: int


class LearningCurve(Struct, frozen=True):
    """Training and test scores by the number of training rows."""

    unit: str
    about: str
    n: int
    n_splits: int
    n_draws: int
    ordered: bool
    metric: str
    better: str
    points: tuple[LearningPoint, ...]
    gap: Number
    gain: LearningGain | None
    notes: tuple[str, ...]


ABOUT = (
    "the algorithm on parts of these training parts, which share rows; the spread over splits is "
    "not an interval"
)
IN_TIME = "each part has the training rows that are nearest in time to the test rows"


def _objection(options: Mapping[str, Any]) -> Problem | None:
    """Return what is wrong with sizes as they were written."""
    wrong = _wrong_sizes(options)
    return wrong and (codes.option_value, f"`learning_curve`: {wrong[0]}", wrong[1])


def _wrong_sizes(options: Mapping[str, Any]) -> tuple[str, str] | None:
    if "fractions" in options and "sizes" in options:
        return "`fractions` and `sizes` both state the sizes", "remove one of them"
    for name in ("fractions", "sizes"):
        values = options.get(name)
        if values is None:
            continue
        if not all(
            isinstance(v, int | float | Fraction) and not isinstance(v, bool) for v in values
        ):
            return f"`{name}` is a list of numbers", f"write {_SUCH[name]}"
        if len(set(values)) < 2:
            return "a learning curve needs two sizes or more", f"write {_SUCH[name]}"
        if len(set(values)) < len(values):
            return f"`{name}` has a value twice", "write each size once"
        if name == "fractions" and not all(0 < v <= 1 for v in values):
            return "a fraction is above 0 and at most 1", f"write {_SUCH[name]}"
        if name == "sizes" and not all(isinstance(v, int) and v >= 2 for v in values):
            return "a size is a whole number of rows, 2 or more", f"write {_SUCH[name]}"
    return None


_SUCH = {
    "fractions": "`fractions=[10%, 50%, 100%]`",
    "sizes": "`sizes=[50, 100, 200]`",
}


# --- the fits ------------------------------------------------------------------------------------


def _option_of_sizes(spec: AnalysisSpec) -> str:
    """Return the option that states how large the parts are."""
    return "fractions" if options_of(spec)["sizes"] is None else "sizes"


def _subsets(
    study: Study,
    table: dataset.Table,
    protocol: Protocol,
    rows: Rows,
    splits: Sequence[Split],
    spec: AnalysisSpec,
) -> list[Subset]:
    """Draw the parts of every training part that a learning curve asks for.

    A validation part is cut to the same share. The largest part may be the training part itself,
    which every draw shares. Raises `CannotSplit` where a part would have no row of a class, or
    more rows than there are.
    """
    options, made = options_of(spec), list[Subset]()
    neighbours = PROTOCOLS[protocol.kind].declaration.neighbours
    times = 1 if neighbours else options["repeats"]
    for split in splits:
        whole = len(split.train) + (0 if split.validation is None else len(split.validation))
        near = split.test if neighbours else None
        sizes = _sizes(options, whole)
        for draw in range(times):
            parts: list[list[NDArray[np.int64]]] = []
            for name in ("train", "validation"):
                own = getattr(split, name)
                if own is None:
                    continue
                drawn = seed(study.seed, "subset", rows_hash(own), draw)
                wanted = [_share(size, whole, len(own)) for size in sizes]
                found = nested_subsets(rows, own, wanted, drawn, near=near)
                parts.append(list(found))
            for size in range(len(sizes)):
                train, validation = (*(part[size] for part in parts), None)[:2]
                assert train is not None, "every split has training rows"
                y = table.y[train]
                if table.task == "classification" and (y == y[0]).all():
                    size_words = "1 row" if len(train) == 1 else f"{len(train):,} rows"
                    raise CannotSplit(
                        f"a part of {size_words} of a training part has rows of one class alone, "
                        f"`{table.classes[int(y[0])]}`",
                        f"write larger `{_option_of_sizes(spec)}`",
                    )
                made.append(Subset(draw, size, replace(split, train=train, validation=validation)))
    return made


def _sizes(options: Mapping[str, Any], whole: int) -> list[int]:
    """Return the ascending numbers of rows, from fractions rounded to the nearest whole one."""
    if options["sizes"] is not None:
        sizes = sorted(set(options["sizes"]))
        if sizes[-1] > whole:
            raise CannotSplit(
                f"`sizes` has {sizes[-1]:,}, and a training part has {whole:,} rows",
                f"write sizes up to {whole:,}".replace(",", "_"),
            )
        return sizes
    return [max(1, floor(exact(f) * whole + Fraction(1, 2))) for f in sorted(options["fractions"])]


def _share(size: int, whole: int, own: int) -> int:
    return own if size >= whole else max(1, floor(Fraction(size * own, whole) + Fraction(1, 2)))


# --- the numbers ---------------------------------------------------------------------------------


Measured = tuple[LearningPoint, NDArray[np.float64], int]


def _measured(outcomes: Outcomes, places: Sequence[SubsetPlace], share: float | None) -> Measured:
    """Measure the fits on subsets of one size.

    Also returned are the mean test score of each split (splits,), and the number of draws.
    """
    splits = sorted({(place.split.repeat, place.split.fold) for place in places})
    draws = sorted({place.times for place in places})
    if len({place.key for place in places}) <= len(splits):  # all draws are one and the same
        draws = draws[:1]
    scores, of_splits = [], np.zeros(0)
    for on_training in (True, False):
        values = np.full(len(draws), np.nan)
        by_split = np.full((len(draws), len(splits)), np.nan)
        for nth, draw in enumerate(draws):
            good = [p for p in places if p.times == draw and outcomes.is_good(p)]
            values[nth], each = outcomes.score(good, on_training=on_training)
            for at, one in each.items():
                by_split[nth, splits.index(at)] = one
        known, defined = values[~np.isnan(values)], ~np.isnan(by_split)
        counts = defined.sum(axis=0)
        sums = np.where(defined, by_split, 0.0).sum(axis=0)
        of_splits = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
        mean = float(known.mean()) if len(known) else None
        spread = standard_deviation(of_splits)
        scores.append(LearningScore(mean, spread, standard_deviation(known)))
    sizes = [len(outcomes.tasks[place.key].refit) for place in places]
    failed = len({place.key for place in places if not outcomes.is_good(place)})
    of_rows = (share, float(np.mean(sizes)), min(sizes), max(sizes))
    point = LearningPoint(*of_rows, scores[0], scores[1], failed)
    return point, of_splits, len(draws)


@ANALYSES.register(
    AnalysisDeclaration(
        by_metric=True,
        fits=Fits(
            _subsets,
            "on parts of each training part",
            part="a part of a training part",
            size=_option_of_sizes,
            training=True,
        ),
        shown=LearningCurve,
        objection=_objection,
        when=(
            "the question is whether more data would help, or whether a model fits its training "
            "rows too closely"
        ),
        when_not=(
            "models are compared at the size at hand: compare; bias and variance of one size: "
            "bias_variance"
        ),
        formula=(
            "subsets of each training part are drawn without replacement, each within the next "
            "larger one, with the shares of the strata and whole groups; hyper-parameters are "
            "chosen inside each subset, and each fit is measured on its own training rows and on "
            "the test rows of the split. The value at a size is the metric over all splits, as "
            "the estimate of the protocol has it, averaged over draws; the bar is the standard "
            "deviation over splits of the means over draws. Rows whose neighbours in time are "
            "alike are not drawn: a subset has the training rows nearest to the test rows"
        ),
        differs={
            "scikit-learn": (
                "`learning_curve` takes the first rows of a training part (or shuffles them, "
                "without strata), draws once, and averages the scores of folds, also those of "
                "counts such as F1; here subsets are stratified, drawn `repeats` times, and the "
                "last point of the curve is the estimate of the protocol"
            ),
        },
        example="learning_curve(fractions=[20%, 50%, 100%], repeats=2)",
    ),
    title="Learning curve",
    references=(cite("raschka2018"),),
)
def learning_curve(
    outcomes: Outcomes,
    *,
    fractions: tuple[Fraction, ...] = FRACTIONS,
    sizes: tuple[int, ...] | None = None,
    repeats: Annotated[int, Bounds(least=1)] = 5,
) -> LearningCurve:
    """Training and test scores by the number of rows that a model was fitted on.

    The options are those of the plan, which draws the subsets. Raises `ValueError` where no fit
    gave a test score.
    """
    places = outcomes.places_of(outcomes.models[0])
    better = outcomes.evaluation.entry(outcomes.metric).declaration.better
    every = []
    for size in sorted({place.size for place in places}):
        share = float(sorted(fractions)[size]) if sizes is None else None
        every.append(_measured(outcomes, [p for p in places if p.size == size], share))
    points = tuple(point for point, _, _ in every)
    if all(point.test.value is None for point in points):
        raise ValueError("no fit gave a test score")
    train, test = points[-1].train.value, points[-1].test.value
    ordered = outcomes.evaluation.yields.neighbours
    return LearningCurve(
        unit="examples",
        about=ABOUT,
        n=len(np.unique(np.concatenate([place.split.test for place in places]))),
        n_splits=len({(place.split.repeat, place.split.fold) for place in places}),
        n_draws=max(draws for _, _, draws in every),
        ordered=ordered,
        metric=outcomes.metric.written,
        better=better,
        points=points,
        gap=None if train is None or test is None else train - test,
        gain=_gain(better, *every[-2:]),
        notes=(IN_TIME,) if ordered else (),
    )


def _gain(better: str, smaller: Measured, larger: Measured) -> LearningGain | None:
    """Compare the two largest sizes, split by split, by a metric that has a direction."""
    (before, of_before, _), (last, of_last, _) = smaller, larger
    if better == "nearest" or before.test.value is None or last.test.value is None:
        return None
    steps = (1.0 if better == "higher" else -1.0) * (of_last - of_before)
    steps = np.round(steps[~np.isnan(steps)], 12)
    return LearningGain(
        before.n_train,
        last.n_train,
        last.test.value - before.test.value,
        int((steps > 0).sum()),
        int((steps < 0).sum()),
    )


# --- the section ---------------------------------------------------------------------------------

TOPIC = "analyses"
MOST_PANELS = 12  # models that are drawn; the table has all
PARTS = ("train", "test")


def _last_step(item: Analysis) -> object:
    gain = item.values["gain"] or {}
    return *by_metric(item), gain.get("n_from"), gain.get("n_to")


def _methods(context: Context, found: Sequence[Analysis]) -> Runs:
    tuned = any(model.tuned for model in context.results.models)
    facts = {"ordered": found[0].values["ordered"], "tuned": tuned}
    return write(context, TOPIC, "methods_of_learning", **facts)


@states("learning_curve", key=_last_step)
def _key_findings(context: Context, items: Sequence[Analysis]) -> list[Runs]:
    """State the change of the test score from the last step in size."""
    known = [item for item in items if item.values["gain"] is not None]
    return told(context, "learning_curve", known, scale=_scale(context, items))


def _scale(context: Context, items: Sequence[Analysis]) -> Scale:
    """Choose the decimals of scores by their spread over splits, and of their changes too."""
    scores = [p[one] for i in items for p in i.values["points"] for one in PARTS]
    spreads, values = ([score[key] for score in scores] for key in ("sd", "value"))
    return scale_of(spreads, values, percent=context.metric(items[0].values["metric"]).percent)


@shows("learning_curve", order=48, title="Learning curves", methods=_methods)
def learning_curves(context: Context, part: Part) -> Sequence[Block]:
    """Return a table and a figure for each data set, protocol and metric."""
    metric = context.metric(part.items[0].values["metric"])
    scale = _scale(context, part.items)
    identifier = f"table-learning-{part.number}"
    made = _table(context, part.items, metric, scale, identifier)
    return [made, *_figures(context, part, metric, scale)]


def _table(
    context: Context, items: Sequence[Analysis], metric: MetricWords, scale: Scale, identifier: str
) -> Table:
    """Return a table with a column for each size, or with a row where sizes are many."""
    ordered = [(model_of(context, i), i.values) for i in items]
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
        write(context, TOPIC, "sizes_of_learning", item=items[0]),
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
                    _score_at(values, size, part, scale)
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
            yield row(model, *(_score_at(values, size, part, scale) for size in sizes))


def _score_at(values: Mapping[str, Any], size: str, part: str, scale: Scale) -> Cell | str:
    """Return the cell of a score with its spread at a size."""
    score = next((p[part] for p in values["points"] if _rows(p) == size), None)
    return "–" if score is None else with_second(score["value"], scale, score["sd"], scale)


def _rows(point: Mapping[str, Any]) -> str:
    low, high = point["smallest"], point["largest"]
    return count(low) if low == high else f"{count(low)}–{count(high)}"


def _figures(context: Context, part: Part, metric: MetricWords, scale: Scale) -> list[Figure]:
    titles = ("Training rows", f"{metric.heading}{metric.sign}")
    panels = []
    every = [
        [
            Series(name, tuple(_drawn(point, one) for point in item.values["points"]))
            for one, name in (("test", "test rows"), ("train", "training rows"))
        ]
        for item in part.items[:MOST_PANELS]
    ]
    for item, series in zip(part.items, every, strict=False):
        model, look = model_of(context, item), context.look(item.model or "")
        among = [one for each in every for one in each]
        drawing = score_lines(series, titles, scale, model, (), metric.range, look, among)
        panels.append(Panel(*drawing, runs(model)))
    place = place_before(context, part.items)
    words = f"{place}{metric.noun} on training rows and on test rows by the number of training rows"
    if any(p["test"]["sd"] is not None for i in part.items for p in i.values["points"]):
        words += "; bars: one standard deviation of the test score over splits to each side"
    subject = capitalised(f"{place}{metric.noun} by the number of training rows")
    return figures_of_models(part, "learning", panels, words, subject, MOST_PANELS)


def _drawn(point: Mapping[str, Any], part: str) -> ScorePoint:
    value, sd = point[part]["value"], point[part]["sd"] if part == "test" else None
    ends = (None, None) if value is None or sd is None else (value - sd, value + sd)
    return ScorePoint(round(point["n_train"]), value, *ends)
