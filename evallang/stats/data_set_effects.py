"""Effect sizes of comparisons over data sets, with bootstrap intervals over the data sets.

Signs follow the scores: first minus second, whatever direction is better. The bounds are
those of BCa (Efron 1987), moved to the estimate where it lies outside of them, as W at the
end of its range does; None with fewer than `FEWEST` data sets, or where all resamples give
the same value, since such resamples say nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from evallang.bibliography import Reference
from evallang.registry import Example, lazy
from evallang.results.statistics import Effect
from evallang.stats.effect_sizes import EFFECT_SIZES, EffectSizeDeclaration
from evallang.stats.rank_scores import (
    Better,
    Missing,
    differences_of,
    read_pair,
    read_scores,
    row_ranks,
)
from evallang.stats.reading import LARGEST, SMALLEST

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray
else:
    np = lazy("numpy")

ROUNDS = 2_000  # resamples; effects are read to two digits
FEWEST = 5
MAD_TO_SD = 1.4826  # of a normal distribution

KENDALL_1939 = Reference(
    key="kendall1939",
    authors=("Kendall MG", "Babington Smith B"),
    year=1939,
    title="The problem of m rankings",
    venue="Annals of Mathematical Statistics",
    volume="10(3)",
    pages="275-287",
)
KERBY_2014 = Reference(
    key="kerby2014",
    authors=("Kerby DS",),
    year=2014,
    title="The simple difference formula: an approach to teaching nonparametric correlation",
    venue="Comprehensive Psychology",
    volume="3",
)
CLIFF_1993 = Reference(
    key="cliff1993",
    authors=("Cliff N",),
    year=1993,
    title="Dominance statistics: ordinal analyses to answer ordinal questions",
    venue="Psychological Bulletin",
    volume="114(3)",
    pages="494-509",
)
AKINSHIN_2020 = Reference(
    key="akinshin2020",
    authors=("Akinshin A",),
    year=2020,
    title="Nonparametric Cohen's d-consistent effect size",
    venue="aakinshin.net",
    kind="misc",
)

OWN = "own derivation: computed by hand"
# Differences 1, -2, 3, 4: their ranks are 1 to 4, and 2 speaks for the second model
FOUR = (11.0, 10.0, 15.0, 17.0)
OTHER_FOUR = (10.0, 12.0, 12.0, 13.0)


@EFFECT_SIZES.register(
    EffectSizeDeclaration(0.0),
    title="Kendall's W",
    name="Kendall's W",
    references=(KENDALL_1939,),
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
    data sets without all scores are left out. None where no data set tells models apart.
    """
    ranks = row_ranks(read_scores(scores, "lower").values)
    return w_of_ranks(ranks, level, seed)


def w_of_ranks(ranks: NDArray[np.float64], level: float, seed: int) -> Effect:
    """Give Kendall's W of ranks (N, M) that were made already."""
    n, models = ranks.shape
    centred = ranks - (models + 1) / 2
    squares = (centred**2).sum(axis=1)

    def statistic(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        between = ((weights @ centred) ** 2).sum(axis=1)
        return _ratio(between, weights.sum(axis=1) * (weights @ squares))

    return _effect("Kendall's W", n, statistic, (0.0, 1.0), level, seed)


@EFFECT_SIZES.register(
    EffectSizeDeclaration(0.0),
    title="Matched-pairs rank-biserial correlation",
    name="rank-biserial correlation",
    references=(KERBY_2014,),
    examples=(Example((FOUR, OTHER_FOUR), {"value": 0.6}, f"{OWN}, (8 - 2) / 10"),),
)
def rank_biserial(
    first: ArrayLike, second: ArrayLike, level: float = 0.95, seed: int = 0
) -> Effect:
    """Share of the rank sum of paired differences that favours the first, minus the rest.

    (W+ - W-) / (W+ + W-) over the ranks of the absolute differences, zeros left out
    (Kerby 2014). None where all differences are 0.
    """
    d = differences_of(read_pair(first, second, "higher", finite=True).values)
    _, group = np.unique(np.abs(d), return_inverse=True)
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    signs = np.sign(d)[order]
    telling = (signs != 0).astype(np.float64)

    def statistic(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        if not len(d):
            return np.full(len(weights), np.nan)
        # One row for each data set: every step is one pass over all resamples
        times = weights.T[order] * telling[:, None]
        size = np.add.reduceat(times, starts, axis=0)
        signed = np.add.reduceat(times * signs[:, None], starts, axis=0)
        rank = np.cumsum(size, axis=0) - (size - 1) / 2
        return _ratio((rank * signed).sum(axis=0), (rank * size).sum(axis=0))

    return _effect("rank-biserial correlation", len(d), statistic, (-1.0, 1.0), level, seed)


@EFFECT_SIZES.register(
    EffectSizeDeclaration(0.0),
    title="Cliff's delta",
    name="Cliff's delta",
    references=(CLIFF_1993,),
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
    that the pairing by data set plays no part (Cliff 1993).
    """
    values = read_pair(first, second, "higher").values
    x, order = values[:, 0], np.argsort(values[:, 1], kind="stable")
    y = values[order, 1]
    below, upto = np.searchsorted(y, x, "left"), np.searchsorted(y, x, "right")

    def statistic(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        passed = np.zeros((len(y) + 1, len(weights)))
        np.cumsum(weights.T[order], axis=0, out=passed[1:])
        total = passed[-1]
        balance = passed[below] + passed[upto] - total
        return _ratio((weights.T * balance).sum(axis=0), total * total)

    return _effect("Cliff's delta", len(x), statistic, (-1.0, 1.0), level, seed)


@EFFECT_SIZES.register(
    EffectSizeDeclaration(0.0),
    title="Akinshin's gamma",
    name="Akinshin's gamma",
    references=(AKINSHIN_2020,),
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
    values = _within_reach(read_pair(first, second, "higher", finite=True).values)
    n = len(values)

    def statistic(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        rows = np.repeat(np.arange(weights.size) % max(n, 1), weights.astype(int).ravel())
        drawn = np.stack([column[rows].reshape(len(weights), -1) for column in values.T])
        medians = _medians(drawn)
        deviations = _medians(np.abs(drawn - medians[..., None]))
        pooled = MAD_TO_SD * np.sqrt((deviations**2).mean(axis=0))
        found = _ratio(medians[0] - medians[1], pooled)
        return np.where(np.abs(found) > LARGEST, np.nan, found)

    if n == 0:
        return Effect("Akinshin's gamma", None)
    return _effect("Akinshin's gamma", n, statistic, (None, None), level, seed)


def effects_over_data(
    first: ArrayLike, second: ArrayLike, level: float, seed: int
) -> tuple[Effect, ...]:
    """Give the effect sizes of two models over data sets: rank-biserial, gamma, delta."""
    return (
        rank_biserial(first, second, level, seed),
        akinshins_gamma(first, second, level, seed),
        cliffs_delta(first, second, level, seed),
    )


def average_rank_effects(
    scores: ArrayLike,
    better: Better = "higher",
    level: float = 0.95,
    seed: int = 0,
    missing: Missing = "leave_out",
) -> tuple[Effect, ...]:
    """Give the average rank of each model with its interval over resampled data sets.

    `scores` is (N, M); all models are ranked on the same resamples. Empty where no data set
    has a score of every model.
    """
    ranks = row_ranks(read_scores(scores, better, missing).values)
    n, models = ranks.shape
    if n == 0:
        return ()

    def mean_of(column: NDArray[np.float64]) -> Effect:
        def statistic(weights: NDArray[np.float64]) -> NDArray[np.float64]:
            return _ratio(weights @ column, weights.sum(axis=1))

        return _effect("average rank", n, statistic, (1.0, float(models)), level, seed)

    return tuple(mean_of(column) for column in ranks.T)


def _effect(
    name: str,
    n: int,
    statistic: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    limits: tuple[float | None, float | None],
    level: float,
    seed: int,
) -> Effect:
    """Give the statistic of all data sets, and its interval over resamples of them."""
    from evallang.stats.intervals.bootstrap_bounds import bootstrap
    from evallang.stats.intervals.resampling import WeightSample

    sample = WeightSample(n, statistic, limits=limits)
    value = float(statistic(np.ones((1, n)))[0]) if n else float("nan")
    if not np.isfinite(value):
        return Effect(name, None)
    if n < FEWEST:
        return Effect(name, value)
    found = bootstrap(sample, level, seed, rounds=ROUNDS)
    if found.low is None or found.high is None or found.low == found.high:
        return Effect(name, value)
    return Effect(name, value, min(found.low, value), max(found.high, value))


def _within_reach(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rescale scores whose squares would overflow or vanish, for what has no unit."""
    largest = float(np.abs(values).max(initial=0.0))
    if largest == 0 or SMALLEST <= largest <= LARGEST:
        return values
    return values / largest


def _medians(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the median along the last axis; of short rows sorting is ten times np.median's speed."""
    ordered, n = np.sort(values, axis=-1), values.shape[-1]
    middle: NDArray[np.float64] = (ordered[..., (n - 1) // 2] + ordered[..., n // 2]) / 2
    return middle


def _ratio(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide; NaN where the denominator is 0."""
    undefined = below == 0
    result: NDArray[np.float64] = np.where(
        undefined, np.nan, above / np.where(undefined, 1.0, below)
    )
    return result
