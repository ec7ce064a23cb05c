"""Spread over seeds: what another seed of the fits would change in a score."""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from evallang.analyses.runs import MOST_ROWS, figure_of_models, runs_of, variances_over_seeds
from evallang.analysis import ANALYSES, AnalysisDeclaration
from evallang.bibliography import cite
from evallang.engine.outcomes import Outcomes
from evallang.reporting.analyses import (
    Part,
    by_metric,
    model_of,
    notes,
    place_before,
    shows,
    states,
    told,
)
from evallang.reporting.context import Context, MetricWords
from evallang.reporting.document import Figure, Runs, Table
from evallang.reporting.figures.stacks import strips
from evallang.reporting.numbers import Scale, scale_of
from evallang.reporting.sentences import write
from evallang.reporting.tables import number, right, row, table, wide
from evallang.results.records import Analysis
from evallang.results.shown import Number
from evallang.stats.basics import standard_deviation


class SeedSpread(Struct, frozen=True):
    """The value of a metric with each seed, and its spread.

    `sd` is over the seeds' values, `sd_in_splits` the root of the mean variance over seeds within
    a split, `sd_of_splits` the standard deviation over splits of the means over seeds. `differ` is
    the mean over pairs of seeds of the share of examples that they predict differently; of numbers
    the root mean square of half the squared difference, which is the spread over seeds of one
    prediction.
    """

    unit: str
    about: str
    n: int
    n_splits: int
    metric: str
    better: str
    categories: bool
    values: tuple[Number, ...]
    mean: Number
    sd: Number
    lowest: Number
    highest: Number
    sd_in_splits: Number
    sd_of_splits: Number
    differ: float
    notes: tuple[str, ...]


ABOUT_SEEDS = "the fits on these training parts with other seeds: rows and splits are the same"


@ANALYSES.register(
    AnalysisDeclaration(
        by_metric=True,
        of_fitted=True,
        several_seeds=True,
        shown=SeedSpread,
        when="a model draws at random, and another seed might say something else",
        when_not=(
            "the seeds are to be compared with splits and examples as sources of variation: "
            "variance; two models are compared: compare, where seeds never count as a sample"
        ),
        formula=(
            "the metric over all splits for each seed, with mean, standard deviation and range; "
            "the root of the mean variance over seeds within a split; for each pair of seeds the "
            "share of examples whose predictions differ, averaged over pairs"
        ),
        example="data wine from sklearn wine\n"
        "model forest = RandomForestClassifier(n_estimators=10)\n"
        "model baseline = DummyClassifier\n"
        "protocol cv folds=5 seeds=4\n"
        "measure accuracy\n"
        "analyze seeds\n",
    ),
    title="Spread over seeds",
    references=(cite("bouthillier2021"),),
)
def seeds(outcomes: Outcomes) -> SeedSpread:
    """The metric with each seed of the fits, and how often two seeds predict differently.

    Raises `ValueError` where the model takes no seed, or has fewer than two values.
    """
    runs = runs_of(outcomes)
    if not runs.draws:
        raise ValueError("the model takes no seed, so all seeds give the same")
    known = runs.values[~np.isnan(runs.values)]
    if len(known) < 2:
        raise ValueError("the metric is undefined for all seeds but one")
    within = variances_over_seeds(runs.splits[:, ~np.isnan(runs.splits).any(axis=0)])
    means = runs.splits.mean(axis=0)
    return SeedSpread(
        unit="seeds",
        about=ABOUT_SEEDS,
        n=len(runs.values),
        n_splits=runs.splits.shape[1],
        metric=runs.metric,
        better=runs.better,
        categories=runs.categories,
        values=tuple(None if np.isnan(v) else float(v) for v in runs.values),
        mean=float(known.mean()),
        sd=standard_deviation(known),
        lowest=float(known.min()),
        highest=float(known.max()),
        sd_in_splits=float(np.sqrt(within.mean())) if len(within) else None,
        sd_of_splits=standard_deviation(means),
        differ=_differ(runs.labels, categories=runs.categories),
        notes=(),
    )


def _differ(labels: NDArray[np.float64], *, categories: bool) -> float:
    pairs = [(i, j) for i in range(len(labels)) for j in range(i)]
    if categories:
        return float(np.mean([np.mean(labels[i] != labels[j]) for i, j in pairs]))
    squares = [np.mean((labels[i] - labels[j]) ** 2) / 2 for i, j in pairs]
    return float(np.sqrt(np.mean(squares)))


# --- the section ---------------------------------------------------------------------------------

PERCENT = Scale(1, 2)
SPREADS = {
    "mean": "Mean",
    "sd": "SD",
    "lowest": "Lowest",
    "highest": "Highest",
    "sd_in_splits": "SD within a split",
    "sd_of_splits": "SD over splits",
}


def _scale(metric: MetricWords, items: Sequence[Analysis]) -> Scale:
    spreads, means = ([i.values[key] for i in items] for key in ("sd", "mean"))
    return scale_of(spreads, means, percent=metric.percent)


@states("seeds", key=by_metric)
def _key_findings(context: Context, items: Sequence[Analysis]) -> list[Runs]:
    """State the standard deviation over seeds, and how often two seeds predict differently."""
    known = [item for item in items if item.values["sd"] is not None]
    metric = context.metric(items[0].values["metric"])
    return told(context, "seeds", known, scale=_scale(metric, items), shares=PERCENT)


@shows(
    "seeds",
    order=49,
    title="Seeds of the fits",
    methods="We report how scores vary over the seeds of their fits",
)
def seeds_of_fits(context: Context, part: Part) -> tuple[Table, Figure]:
    """Return a table and a figure for each data set, protocol and metric."""
    metric = context.metric(part.items[0].values["metric"])
    scale = _scale(metric, part.items)
    rows = [
        (model_of(context, i), [v for v in i.values["values"] if v is not None])
        for i in part.items[:MOST_ROWS]
    ]
    title = f"{metric.heading}{metric.sign}"
    looks = [context.look(i.model or "") for i in part.items[:MOST_ROWS]]
    drawing = strips(rows, title, scale, "Each seed", metric.range, looks)
    words = (
        f"{place_before(context, part.items)}{metric.noun} with each seed; vertical line: their "
    )
    figure = figure_of_models(drawing, f"{words}mean", part, "seeds")
    return _seeds(context, part, metric, scale), figure


def _seeds(context: Context, part: Part, metric: MetricWords, scale: Scale) -> Table:
    first = part.items[0].values
    apart = [item.values["differ"] for item in part.items]
    of_differ, head = PERCENT, "Predicted differently (%)"
    if not first["categories"]:
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
        write(context, "analyses", "note_of_seeds", item=part.items[0]),
        *notes(context, part.items),
    )
