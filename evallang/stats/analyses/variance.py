"""Where the spread of scores comes from: seeds or splits."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from evallang.bibliography import cite
from evallang.results.shown import Number
from evallang.stats.analyses.analysis import ANALYSES, AnalysisDeclaration
from evallang.stats.basics import standard_deviation


class Runs(Struct, frozen=True):
    """The scores and predictions of one model for S seeds and J splits.

    Attributes
    ----------
    draws : False where the model takes no seed, so that all seeds are one
    values : the metric over all splits by seed (S,), NaN where undefined
    splits : the metric of each split by seed (S, J), NaN where undefined
    repeats : the repeat of each split (J,)
    labels : the predictions by seed (S, n)
    losses : what the metric is the mean of by seed (S, n), or None for another kind of metric
    split_of : the split of each prediction (n,), as a place in `splits`
    units : what is drawn together (n,) as int codes, or None where each prediction is one
    categories : True where predictions are classes
    """

    metric: str
    better: Literal["higher", "lower", "nearest"]
    draws: bool
    values: NDArray[np.float64]
    splits: NDArray[np.float64]
    repeats: NDArray[np.int64]
    labels: NDArray[Any]
    losses: NDArray[np.float64] | None
    split_of: NDArray[np.int64]
    units: NDArray[np.int64] | None
    categories: bool


def variances_over_seeds(splits: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the variance over seeds of each column, zero where its scores are equal.

    The mean of equal scores may differ from them in the last digit; that of their zeros does not.
    """
    return np.asarray(np.var(splits - splits[0], axis=0, ddof=1))


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
        fits="protocol",
        seeds_of_draws=True,
        fewest_folds=2,
        section="components_of_variance",
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
            "where there are any. The rest is that of the training rows"
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
def variance(runs: Runs) -> VarianceComponents:
    """The components of the variance of a score: seed, training rows and test rows.

    Raises `ValueError` where fewer than two splits have scores of all seeds, or a test part has
    one unit only.
    """
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
    components = tuple(
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
        components=components,
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
    residuals = values - values.mean()
    if units is not None:
        residuals = np.bincount(units, weights=residuals)
    g = len(residuals)
    if g < 2:
        raise ValueError("a test part has one unit only, which shows no variance")
    return float((residuals**2).sum() * g / (g - 1) / len(values) ** 2)


def _over_repeats(runs: Runs) -> list[float]:
    """Return the mean over seeds and folds of each repeat in which all are defined."""
    found = []
    for repeat in np.unique(runs.repeats):
        own = runs.splits[:, runs.repeats == repeat]
        if not np.isnan(own).any():
            found.append(float(own.mean()))
    return found


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
