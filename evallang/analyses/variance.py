"""Components of variance: seeds, training rows and test rows as sources of the spread of scores."""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from evallang.analyses.runs import MOST_ROWS, Runs, figure_of_models, runs_of, variances_over_seeds
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
from evallang.reporting.document import Figure, Runs as Words, Table
from evallang.reporting.figures.stacks import stacked_bars
from evallang.reporting.long_tables import fits_on_a_page
from evallang.reporting.numbers import Scale, count, fixed, scale_of
from evallang.reporting.tables import left, number, right, row, table, wide, with_second
from evallang.reporting.wording import plural
from evallang.results.records import Analysis
from evallang.results.shown import Number
from evallang.stats.basics import standard_deviation
from evallang.stats.clusters import variance_of_mean


class VarianceComponent(Struct, frozen=True):
    """One source of the variance of the score of one fit on one test part.

    `variance` is the estimate, which may be below zero where sampling error exceeds it; `sd` and
    `share` are then 0. All are None where the model takes no seed.
    """

    source: str
    variance: Number
    sd: Number
    share: Number


class VarianceComponents(Struct, frozen=True):
    """The components of the variance of a score, and the spread of whole repeats.

    `total` is the standard deviation of the score of one split with one seed. `repeats` is the
    standard deviation over repeats of the estimate of a repeat: what dealing the rows into folds
    again changes; None for one repeat.
    """

    unit: str
    about: str
    n: int
    n_seeds: int
    n_rows: int
    metric: str
    total: float
    components: tuple[VarianceComponent, ...]
    repeats: Number
    n_repeats: int
    notes: tuple[str, ...]


SEEDS, TRAINING, TEST = "seed of the fit", "training rows", "test rows"
ABOUT_SPLITS = "the score of one fit on one test part; training parts share rows"
OVERLAP = (
    "splits share training rows, so the component of the training rows is understated; no design "
    "on one data set can correct that"
)
BELOW = "an estimate below zero counts as zero: the splits differ less than their test rows do"
NO_SEED = "the model takes no seed"


@ANALYSES.register(
    AnalysisDeclaration(
        by_metric=True,
        mean_metric=True,
        of_fitted=True,
        seeds_of_draws=True,
        fewest_folds=2,
        shown=VarianceComponents,
        when=(
            "the next experiment is planned: whether more seeds, other splits or more test rows "
            "would make a score more certain"
        ),
        when_not=(
            "an estimate needs an interval: measure; the value of each seed is of interest: seeds"
        ),
        formula=(
            "scores of J splits with S seeds each are a random-effects design: the component of "
            "the seeds is the mean variance over seeds within a split, that of the splits (the "
            "variance between the splits' means less the seeds' component / S). Of the latter, "
            "the test rows make the mean over splits of (S V - W) / (S - 1), where V is the "
            "variance of the mean of the examples, each averaged over seeds, and W the mean of "
            "these variances for single seeds (V alone for a model without a seed); by groups "
            "where there are any (CR2). The rest is that of the training rows"
        ),
        example="data wine from sklearn wine\n"
        "model tree = DecisionTreeClassifier\n"
        "model bayes = GaussianNB\n"
        "model baseline = DummyClassifier\n"
        "protocol repeated cv folds=5 times=2 seeds=3\n"
        "measure accuracy\n"
        "analyze variance\n",
    ),
    title="Components of variance",
    references=(cite("bouthillier2021"),),
)
def variance(outcomes: Outcomes) -> VarianceComponents:
    """The components of the variance of a score: seed, training rows and test rows.

    Raises `ValueError` where fewer than two splits have scores of all seeds, or a test part has
    one unit only.
    """
    return components_of(runs_of(outcomes))


def components_of(runs: Runs) -> VarianceComponents:
    """Divide the variance of a score."""
    if runs.losses is None:
        raise ValueError("the metric is not a mean over examples")
    usable = np.flatnonzero(~np.isnan(runs.splits).any(axis=0))
    if len(usable) < 2:
        raise ValueError("fewer than two splits have a score of every seed")
    scores = runs.splits[:, usable] if runs.draws else runs.splits[:1, usable]
    s, j = scores.shape
    of_seeds = float(variances_over_seeds(scores).mean()) if runs.draws else None
    between = float(np.var(scores.mean(axis=0), ddof=1))
    of_splits = between - (of_seeds or 0.0) / s
    of_test = float(np.mean([_of_test_rows(runs, int(split)) for split in usable]))
    found = {SEEDS: of_seeds, TRAINING: of_splits - of_test, TEST: of_test}
    kept = {name: max(value, 0.0) for name, value in found.items() if value is not None}
    total = sum(kept.values())
    parts = tuple(
        VarianceComponent(
            name,
            value,
            None if value is None else float(np.sqrt(kept[name])),
            None if value is None or not total else kept[name] / total,
        )
        for name, value in found.items()
    )
    notes = [OVERLAP]
    if any(value is not None and value < 0 for value in found.values()):
        notes.append(BELOW)
    if not runs.draws:
        notes.append(NO_SEED)
    repeats = _over_repeats(runs)
    return VarianceComponents(
        unit="splits",
        about=ABOUT_SPLITS,
        n=j,
        n_seeds=s,
        n_rows=len(runs.split_of),
        metric=runs.metric,
        total=float(np.sqrt(total)),
        components=parts,
        repeats=standard_deviation(np.array(repeats)),
        n_repeats=len(repeats),
        notes=tuple(notes),
    )


def _of_test_rows(runs: Runs, split: int) -> float:
    """Estimate the variance of the score of a split that comes of its test rows.

    The variance over rows of one seed is that of the rows plus that of the seed; of the mean over
    S seeds it is that of the rows plus a part S of that of the seed.
    """
    assert runs.losses is not None, "a mean over examples"
    here = runs.split_of == split
    losses = runs.losses[:, here]
    units = None if runs.units is None else np.unique(runs.units[here], return_inverse=True)[1]
    of_mean = _variance_of_mean(losses.mean(axis=0), units)
    if not runs.draws or len(losses) == 1:
        return of_mean
    s = len(losses)
    single = float(np.mean([_variance_of_mean(one, units) for one in losses]))
    return (s * of_mean - single) / (s - 1)


def _variance_of_mean(values: NDArray[np.float64], units: NDArray[np.int64] | None) -> float:
    """Return the variance of the mean of rows, or of rows that come in groups."""
    codes = np.arange(len(values)) if units is None else units
    if codes.max(initial=0) < 1:
        raise ValueError("a test part has one unit only, which shows no variance")
    return variance_of_mean(values, codes)


def _over_repeats(runs: Runs) -> list[float]:
    """Return the mean over seeds and folds of each repeat in which all are defined."""
    found = []
    for repeat in np.unique(runs.repeats):
        own = runs.splits[:, runs.repeats == repeat]
        if not np.isnan(own).any():
            found.append(float(own.mean()))
    return found


# --- the section ---------------------------------------------------------------------------------

PERCENT = Scale(1, 2)


def _scale(metric: MetricWords, items: Sequence[Analysis]) -> Scale:
    every = [c["sd"] for item in items for c in item.values["components"]]
    return scale_of(every, every, percent=metric.percent)


@states("variance", key=by_metric)
def _key_findings(context: Context, items: Sequence[Analysis]) -> list[Words]:
    """State which share of the variance each source has, the largest first."""
    found = []
    for item in items:
        known = [one for one in item.values["components"] if one["share"] is not None]
        if known:
            parts = sorted(known, key=lambda one: -one["share"])
            found.append({"model": model_of(context, item), "parts": parts})
    scale = _scale(context.metric(items[0].values["metric"]), items)
    return told(context, "variance", found, item=items[0], scale=scale, shares=PERCENT)


@shows(
    "variance",
    order=50,
    title="Components of variance",
    methods="The variance of scores was divided into components",
)
def components_of_variance(context: Context, part: Part) -> tuple[Table, Figure]:
    """Return a table and a figure for each data set, protocol and metric."""
    metric = context.metric(part.items[0].values["metric"])
    scale = _scale(metric, part.items)
    sources = [component["source"] for component in part.items[0].values["components"]]
    rows = [
        (model_of(context, i), [c["share"] or 0.0 for c in i.values["components"]])
        for i in part.items[:MOST_ROWS]
    ]
    drawing = stacked_bars(rows, sources, "Share of the variance (%)", PERCENT, "Components")
    words = f"{place_before(context, part.items)}sources of the variance of the score of a split"
    figure = figure_of_models(drawing, words, part, "variance")
    return _components(context, part, metric, scale), figure


def _components(context: Context, part: Part, metric: MetricWords, scale: Scale) -> Table:
    """Return a row for each model, or where that is too wide one for each source."""
    ordered = [(model_of(context, i), i.values) for i in part.items]
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
        f"{place_before(context, part.items)}components of the variance of the {metric.noun} of a "
        "split",
        [
            wide("Model"),
            left("Source"),
            right(f"SD{metric.points}"),
            right("Share of the variance (%)"),
        ],
        rows,
        f"shares are percentages of the variance; {plural(first['n'], 'split')} of "
        f"{count(first['n_rows'])} test rows in all",
        f"standard deviation of the estimates of the {n_repeats} repeats: {', '.join(repeats)}"
        if repeats
        else None,
        *notes(context, part.items),
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
