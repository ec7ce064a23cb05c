"""What the seeds of the fits change: the value of each, and how often predictions differ."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from evallang.bibliography import cite
from evallang.results.shown import Number
from evallang.stats.analyses.analysis import ANALYSES, AnalysisDeclaration
from evallang.stats.analyses.variance import Runs, variances_over_seeds


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


ABOUT = "the fits on these training parts with other seeds: rows and splits are the same"


@ANALYSES.register(
    AnalysisDeclaration(
        by_metric=True,
        fits="protocol",
        several_seeds=True,
        section="seeds_of_fits",
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
def seeds(runs: Runs) -> SeedSpread:
    """The metric with each seed of the fits, and how often two seeds predict differently.

    Raises `ValueError` where the model takes no seed, or has fewer than two values.
    """
    if not runs.draws:
        raise ValueError("the model takes no seed, so all seeds give the same")
    known = runs.values[~np.isnan(runs.values)]
    if len(known) < 2:
        raise ValueError("the metric is undefined for all seeds but one")
    within = _variances(runs.splits)
    means = runs.splits.mean(axis=0)
    means = means[~np.isnan(means)]
    equal = known.min() == known.max()
    return SeedSpread(
        unit="seeds",
        about=ABOUT,
        n=len(runs.values),
        n_splits=runs.splits.shape[1],
        metric=runs.metric,
        better=runs.better,
        categories=runs.categories,
        values=tuple(None if np.isnan(v) else float(v) for v in runs.values),
        mean=float(known.mean()),
        sd=0.0 if equal else float(np.std(known, ddof=1)),
        lowest=float(known.min()),
        highest=float(known.max()),
        sd_in_splits=float(np.sqrt(within.mean())) if len(within) else None,
        sd_of_splits=float(np.std(means, ddof=1)) if len(means) > 1 else None,
        differ=_differ(runs.labels, categories=runs.categories),
        notes=(),
    )


def _variances(splits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the variance over seeds of each split in which all are defined."""
    whole = splits[:, ~np.isnan(splits).any(axis=0)]
    return variances_over_seeds(whole)


def _differ(labels: NDArray[np.float64], *, categories: bool) -> float:
    pairs = [(i, j) for i in range(len(labels)) for j in range(i)]
    if categories:
        return float(np.mean([np.mean(labels[i] != labels[j]) for i, j in pairs]))
    squares = [np.mean((labels[i] - labels[j]) ** 2) / 2 for i, j in pairs]
    return float(np.sqrt(np.mean(squares)))
