"""Effect sizes of comparisons over data sets, with bootstrap intervals over the data sets.

Signs follow the scores: first minus second, whatever direction is better. The bounds are
those of BCa (Efron 1987), moved to the estimate where it lies outside of them, as W at the
end of its range does; None with fewer than `FEWEST` data sets, or where all resamples give
the same value, since such resamples say nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.registry import Example
from evallang.results.statistics import Effect, Ranks
from evallang.stats.basics import LARGEST, SMALLEST, checked_level
from evallang.stats.draws import draw_together
from evallang.stats.effect_sizes.effect_size import EFFECT_SIZES, EffectSizeDeclaration, effect
from evallang.stats.intervals.resampling import ResampledBounds, WeightSample
from evallang.stats.rank_scores import (
    Better,
    Missing,
    critical_difference,
    differences_of,
    read_pair,
    read_scores,
    row_ranks,
    win_tie_loss,
)
from evallang.stats.weightings import ratio

MAD_TO_SD = 1.4826  # of a normal distribution
ROUNDS = 2_000  # resamples; effects are read to two digits
FEWEST = 5  # data sets that are resampled


OWN = "own derivation: computed by hand"
# Differences 1, -2, 3, 4: their ranks are 1 to 4, and 2 speaks for the second model
FOUR = (11.0, 10.0, 15.0, 17.0)
OTHER_FOUR = (10.0, 12.0, 12.0, 13.0)


@EFFECT_SIZES.register(
    EffectSizeDeclaration(0.0, "share"),
    title="Kendall's W",
    name="Kendall's W",
    references=(cite("kendall1939"),),
    examples=(
        Example(
            (((1.0, 2.0, 3.0), (1.0, 3.0, 2.0), (1.0, 2.0, 3.0)),),
            {"value": 12 * (9 + 1 + 4) / (9 * 24)},
            f"{OWN}, rank sums 3, 7, 8 with mean 6: 12 * 14 / (3² (3³ - 3))",
        ),
    ),
)
def kendalls_w(scores: ArrayLike, level: float = 0.95, seed: int = 0) -> Effect:
    """Agreement of the data sets about the order of the models, from 0 to 1.

    The variance of the rank sums as a share of its largest possible value, corrected for
    ties: the tie-corrected Friedman chi-squared over N (M - 1). `scores` is (N, M);
    data sets without all scores are skipped. None where no data set tells models apart.
    """
    ranks = row_ranks(read_scores(scores, "lower").values)
    return w_of_ranks(ranks, level, seed)


def w_of_ranks(ranks: NDArray[np.float64], level: float, seed: int) -> Effect:
    """Return Kendall's W of ranks (N, M) that were made already."""
    n, models = ranks.shape
    centred = ranks - (models + 1) / 2
    squares = (centred**2).sum(axis=1)

    def statistic(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        between = ((weights @ centred) ** 2).sum(axis=1)
        return ratio(between, weights.sum(axis=1) * (weights @ squares))

    found = {"Kendall's W": WeightSample(n, statistic, limits=(0.0, 1.0))}
    return _declared(found, level, seed)[0]


@EFFECT_SIZES.register(
    EffectSizeDeclaration(0.0, signed=True),
    title="Matched-pairs rank-biserial correlation",
    name="rank-biserial correlation",
    references=(cite("kerby2014"),),
    examples=(Example((FOUR, OTHER_FOUR), {"value": 0.6}, f"{OWN}, (8 - 2) / 10"),),
)
def rank_biserial(
    first: ArrayLike, second: ArrayLike, level: float = 0.95, seed: int = 0
) -> Effect:
    """Rank sum of the differences above 0, minus that below 0, as a share of both.

    (W+ - W-) / (W+ + W-) over the ranks of the absolute differences, zeros excluded
    (Kerby 2014). None where all differences are 0.
    """
    values = read_pair(first, second, "higher", finite=True).values
    return _of_pair(values, level, seed, _rank_biserial)[0]


def _rank_biserial(values: NDArray[np.float64]) -> tuple[str, WeightSample]:
    differences = differences_of(values)
    some = differences != 0
    size, signs = np.abs(differences[some]), np.sign(differences[some])
    # Of each data set those with a smaller difference, and half of those with the same
    below = (size[:, None] < size) + (size[:, None] == size) / 2.0

    def statistic(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        drawn = weights[:, some]
        n = drawn.sum(axis=1)
        balance = (drawn * (drawn @ below + 0.5)) @ signs
        return ratio(balance, n * (n + 1) / 2)

    return "rank-biserial correlation", WeightSample(len(values), statistic, limits=(-1.0, 1.0))


@EFFECT_SIZES.register(
    EffectSizeDeclaration(0.0, signed=True),
    title="Cliff's delta",
    name="Cliff's delta",
    references=(cite("cliff1993"),),
    examples=(
        Example(
            (FOUR, OTHER_FOUR),
            {"value": 3 / 16},
            f"{OWN}: of the 16 pairs 9 speak for the first, 6 for the second, 1 ties",
        ),
    ),
)
def cliffs_delta(first: ArrayLike, second: ArrayLike, level: float = 0.95, seed: int = 0) -> Effect:
    """Chance that a score of the first exceeds one of the second, minus that of the reverse.

    Over all pairs of a score of the first and a score of the second on any data sets, so
    that the pairing by data set does not matter (Cliff 1993).
    """
    values = read_pair(first, second, "higher").values
    return _of_pair(values, level, seed, _cliffs_delta)[0]


def _cliffs_delta(values: NDArray[np.float64]) -> tuple[str, WeightSample]:
    x, y = values.T
    won = (x[:, None] > y).astype(np.float64) - (x[:, None] < y)  # scores may be infinite

    def statistic(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        return ratio(((weights @ won) * weights).sum(axis=1), weights.sum(axis=1) ** 2)

    return "Cliff's delta", WeightSample(len(values), statistic, limits=(-1.0, 1.0))


@EFFECT_SIZES.register(
    EffectSizeDeclaration(0.0, signed=True),
    title="Akinshin's gamma",
    name="Akinshin's gamma",
    references=(cite("akinshin2020"),),
    examples=(
        Example(
            (FOUR, OTHER_FOUR),
            # Medians 13 and 12; distances 2, 3, 2, 4 and 2, 0, 0, 1
            {"value": 1 / (1.4826 * ((2.5**2 + 0.5**2) / 2) ** 0.5)},
            f"{OWN}, median distances 2.5 and .5",
        ),
    ),
)
def akinshins_gamma(
    first: ArrayLike, second: ArrayLike, level: float = 0.95, seed: int = 0
) -> Effect:
    """Difference of the two medians in units of the pooled median absolute deviation.

    The deviations are scaled by 1.4826 to agree with a standard deviation, and pooled by
    their root mean square (Akinshin 2020, with plain medians). None where they are 0.
    """
    values = read_pair(first, second, "higher", finite=True).values
    return _of_pair(values, level, seed, _akinshins_gamma)[0]


def _akinshins_gamma(values: NDArray[np.float64]) -> tuple[str, WeightSample]:
    largest = float(np.abs(values).max(initial=0.0))
    if largest and not SMALLEST <= largest <= LARGEST:  # squares would overflow or vanish
        values = values / largest

    def statistic(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        (first, its_distance), (second, other) = (_spreads(column, weights) for column in values.T)
        found = ratio(first - second, MAD_TO_SD * np.sqrt((its_distance**2 + other**2) / 2))
        return np.where(np.abs(found) > LARGEST, np.nan, found)

    return "Akinshin's gamma", WeightSample(len(values), statistic)


def _spreads(
    column: NDArray[np.float64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the medians of drawn scores, and their median distances to it, by weights (B, n)."""
    medians, distances = np.empty((2, len(weights)))
    sizes = weights.sum(axis=1)
    for size in np.unique(sizes):  # blocks of omitted data sets differ in size
        rows = np.flatnonzero(sizes == size)
        times = weights[rows].astype(np.intp).ravel()
        drawn = np.repeat(np.tile(column, len(rows)), times).reshape(len(rows), -1)
        medians[rows] = np.median(drawn, axis=1)
        distances[rows] = np.median(np.abs(drawn - medians[rows, None]), axis=1)
    return medians, distances


def effects_over_data(
    first: ArrayLike, second: ArrayLike, level: float, seed: int
) -> tuple[Effect, ...]:
    """Return the effect sizes of two models over data sets: rank-biserial, gamma, delta.

    Data sets with an infinite score count for delta alone.
    """
    values = read_pair(first, second, "higher").values
    finite = np.isfinite(values).all(axis=1)
    if finite.all():
        return _of_pair(values, level, seed, _rank_biserial, _akinshins_gamma, _cliffs_delta)
    return (
        *_of_pair(values[finite], level, seed, _rank_biserial, _akinshins_gamma),
        *_of_pair(values, level, seed, _cliffs_delta),
    )


def average_rank_effects(
    scores: ArrayLike,
    better: Better,
    level: float = 0.95,
    seed: int = 0,
    missing: Missing = "leave_out",
) -> tuple[Effect, ...]:
    """Return the average rank of each model with its interval over resampled data sets.

    `scores` is (N, M); all models are ranked on the same resamples. Empty where no data set
    has a score of every model.
    """
    ranks = row_ranks(read_scores(scores, better, missing).values)
    n, models = ranks.shape
    if n == 0:
        return ()

    def mean_of(column: NDArray[np.float64]) -> WeightSample:
        def statistic(weights: NDArray[np.float64]) -> NDArray[np.float64]:
            return ratio(weights @ column, weights.sum(axis=1))

        return WeightSample(n, statistic, limits=(1.0, float(models)))

    samples = [mean_of(column) for column in ranks.T]
    draw_together(samples)
    return tuple(Effect("average rank", *_bounded(one, level, seed)) for one in samples)


def _of_pair(
    values: NDArray[np.float64],
    level: float,
    seed: int,
    *made: Callable[[NDArray[np.float64]], tuple[str, WeightSample]],
) -> tuple[Effect, ...]:
    """Return effect sizes of a pair (N, 2) with their intervals over resampled data sets."""
    return _declared(dict(one(values) for one in made), level, seed)


def _declared(samples: Mapping[str, WeightSample], level: float, seed: int) -> tuple[Effect, ...]:
    """Return declared effect sizes, by name, with their intervals over resampled data sets."""
    draw_together(samples.values())
    return tuple(effect(name, *_bounded(one, level, seed)) for name, one in samples.items())


def _bounded(
    sample: WeightSample, level: float, seed: int
) -> tuple[float | None, float | None, float | None]:
    """Return a statistic of data sets and its bounds."""
    value = sample.estimate() if sample.n_examples else math.nan
    if not math.isfinite(value):
        return None, None, None
    if sample.n_examples < FEWEST:
        return value, None, None
    found = ResampledBounds(sample, seed, "bca", ROUNDS).bounds(checked_level(level))
    if found.low is None or found.high is None or found.low == found.high:
        return value, None, None
    return value, min(found.low, value), max(found.high, value)


def rank_models(
    scores: ArrayLike,
    names: Sequence[str],
    better: Better,
    level: float | None = 0.95,
    missing: Missing = "leave_out",
    seed: int = 0,
) -> Ranks:
    """Summarize a comparison over data sets: average ranks, wins, ties, losses.

    `level` is that of the critical difference and of the bootstrap intervals of the average
    ranks over data sets, None where they are not asked for. Raises `ValueError` where there
    is not one name for each column.
    """
    table = read_scores(scores, better, missing)
    n, models = table.values.shape
    if len(names) != models:
        raise ValueError("every column of scores needs one name")
    counts = win_tie_loss(scores, better, missing)
    average = row_ranks(table.values).mean(axis=0).tolist() if n else []
    ranged = average_rank_effects(scores, better, level, seed, missing) if level else ()
    return Ranks(
        average=dict(zip(names, average, strict=False)),
        n=n,
        critical_difference=critical_difference(models, n, level) if level and n else None,
        win_tie_loss=tuple((names[i], names[j], w, t, lost) for i, j, w, t, lost in counts),
        intervals={
            name: (effect.low, effect.high)
            for name, effect in zip(names, ranged, strict=False)
            if effect.low is not None and effect.high is not None
        },
    )
