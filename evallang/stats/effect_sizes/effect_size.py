"""What an effect size is, those between models, and those over data sets with bootstrap intervals.

Signs follow the scores: first minus second, whatever direction is better. The bounds over data
sets are those of BCa (Efron 1987), moved to the estimate where it lies outside of them, as W at the
end of its range does; None with fewer than `FEWEST` data sets, or where all resamples give the
same value, since such resamples say nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.registry import Example, Registry
from evallang.results.statistics import Effect, Ranks
from evallang.stats.basics import LARGEST, SMALLEST, checked_level
from evallang.stats.draws import draw_together
from evallang.stats.intervals.proportions import clopper_pearson
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
from evallang.stats.score_counts import ratio


class EffectSizeDeclaration(Struct, frozen=True):
    """How an effect size is read.

    Attributes
    ----------
    neutral : its value where there is no effect
    scale : `number`, `share` (it cannot exceed 1 in size) or `odds` (A : B of discordant pairs,
        inverted where the order of the models is)
    signed : True where the order of the models gives it its sign
    symbol : its letter where the name contains no letter
    """

    neutral: float
    scale: Literal["number", "share", "odds"] = "number"
    signed: bool = False
    symbol: str | None = None


EFFECT_SIZES: Registry[EffectSizeDeclaration] = Registry(
    "effect size", "evallang.stats.effect_sizes"
)
"""All effect sizes, by the name an `Effect` carries."""


def effect(
    name: str,
    value: float | None,
    low: float | None = None,
    high: float | None = None,
    draws: int | None = None,
) -> Effect:
    """Return an effect size as it is declared."""
    declared = EFFECT_SIZES[name].declaration
    return Effect(name, value, low, high, declared.scale, declared.signed, declared.symbol, draws)


EZRA_2010 = (
    "25 and 2 discordant pairs, R package contingencytables, tests/testthat/test-ch8.R, data "
    "ezra_2010 (Fagerland, Lydersen & Laake 2017, chapter 8)"
)
OWN = "own derivation: computed by hand"


@EFFECT_SIZES.register(
    EffectSizeDeclaration(1.0, "odds"),
    title="Odds ratio of discordant pairs",
    name="odds ratio",
    references=(cite("clopper1934"),),
    examples=(
        Example((25, 2, 0.95), {"value": 12.5, "low": 3.1169, "high": 108.8892}, EZRA_2010, 5e-5),
    ),
)
def odds_ratio(b: int, c: int, level: float) -> Effect:
    """Odds that the first model is the right one where exactly one is, b / c.

    The conditional maximum-likelihood estimate, with the Clopper-Pearson interval of
    b / (b + c) carried over to odds; infinite where c = 0, None where b + c = 0.
    """
    if b + c == 0:
        return effect("odds ratio", None)
    share = clopper_pearson(b, b + c, level)
    return effect("odds ratio", _odds(b, c), _odds_of(share.low), _odds_of(share.high))


@EFFECT_SIZES.register(
    EffectSizeDeclaration(0.0, "share", signed=True),
    title="Cohen's g",
    name="Cohen's g",
    references=(cite("cohen1988"),),
    examples=(Example((25, 15, 0.95), {"value": 0.125}, f"{OWN}, 25/40 - 1/2"),),
)
def cohen_g(b: int, c: int, level: float) -> Effect:
    """Share of discordant pairs that favour the first model, minus one half.

    Cohen 1988, with its sign; the interval is that of Clopper and Pearson.
    """
    if b + c == 0:
        return effect("Cohen's g", None)
    share = clopper_pearson(b, b + c, level)
    low, high = share.low, share.high
    return effect(
        "Cohen's g",
        (b - c) / (2 * (b + c)),
        None if low is None else low - 0.5,
        None if high is None else high - 0.5,
    )


@EFFECT_SIZES.register(
    EffectSizeDeclaration(0.0, signed=True),
    title="Cohen's d for paired values",
    name="Cohen's d_z",
    references=(cite("cohen1988"),),
    examples=(Example((0.02, 0.04), {"value": 0.5}, f"{OWN}, 0.02 / 0.04"),),
)
def cohen_dz(mean: float, sd: float) -> Effect:
    """Mean of the paired differences in units of their standard deviation.

    Cohen 1988. Without an interval: fold scores are not independent. None
    where the standard deviation is 0.
    """
    return effect("Cohen's d_z", mean / sd if sd > 0 and math.isfinite(mean) else None)


@EFFECT_SIZES.register(
    EffectSizeDeclaration(0.0, signed=True),
    title="Hedges' g for paired values",
    name="Hedges' g",
    references=(cite("hedges1981"),),
    examples=(
        Example(
            (0.02, 0.04, 3),
            {"value": 0.5 * math.gamma(1.5) / (math.sqrt(1.5) * math.gamma(1.0))},
            f"{OWN}, 0.5 times Gamma(3/2) / (sqrt(3/2) Gamma(1))",
        ),
    ),
)
def hedges_g(mean: float, sd: float, df: float) -> Effect:
    """Cohen's d_z without its upward bias in small samples.

    The exact factor Gamma(df/2) / (sqrt(df/2) Gamma((df - 1)/2)) of Hedges 1981.
    None where the standard deviation is 0 or df below 2.
    """
    if not (sd > 0 and 2 <= df < math.inf and math.isfinite(mean)):
        return effect("Hedges' g", None)
    factor = math.exp(math.lgamma(df / 2) - math.lgamma((df - 1) / 2)) / math.sqrt(df / 2)
    return effect("Hedges' g", mean / sd * factor)


@EFFECT_SIZES.register(
    EffectSizeDeclaration(0.0, "share", symbol="η²"),
    title="Eta squared of Cochran's Q",
    name="eta^2_Q",
    references=(cite("serlin1982"),),
    examples=(
        Example(
            (19.385, 150, 4),
            {"value": 0.043},
            "Stikker, peterstatistics.com, crash course, multiple paired binary variables, 3c",
            5e-4,
        ),
    ),
)
def eta_squared_q(q: float, n: int, n_models: int) -> Effect:
    """Cochran's Q as a share of its largest possible value, Q / (n (M - 1)).

    Serlin, Carr & Marascuilo 1982. None without examples, or with one model.
    """
    most = n * (n_models - 1)
    return effect("eta^2_Q", q / most if most > 0 and math.isfinite(q) else None)


@EFFECT_SIZES.register(
    EffectSizeDeclaration(0.0, "share"),
    title="Chance-corrected R of Cochran's Q",
    name="chance-corrected R",
    references=(cite("berry2007"),),
    examples=(
        Example(
            ((84, 92, 92), (3, 6, 11, 80)),
            {"value": 1 - (3 * (84 * 16 + 92 * 8 + 92 * 8)) / (3 * 99 * 268 - 268**2 + 770)},
            f"{OWN} on Kuncheva's three classifiers (Raschka 2018, table 2)",
        ),
    ),
)
def chance_corrected_r(successes: tuple[int, ...], row_sums: tuple[int, ...]) -> Effect:
    """Agreement of the examples on which models are right, beyond chance within examples.

    R = 1 - delta / mu: delta is the mean distance between the answers of one model to two
    examples, mu its expectation when each example's answers are permuted among models
    (Berry, Johnston & Mielke 2007). `row_sums[r]` examples have r models right. None
    where mu is 0.
    """
    n, models = sum(row_sums), len(successes)
    total = sum(successes)
    squares = sum(r * r * times for r, times in enumerate(row_sums))
    delta = models * sum(g * (n - g) for g in successes)
    mu = models * (n - 1) * total - total * total + squares
    return effect("chance-corrected R", None if mu == 0 else 1 - delta / mu)


def _odds(b: float, c: float) -> float:
    return math.inf if c == 0 else b / c


def _odds_of(share: float | None) -> float | None:
    return None if share is None else _odds(share, 1 - share)


MAD_TO_SD = 1.4826  # of a normal distribution
ROUNDS = 2_000  # resamples; effects are read to two digits
FEWEST = 5  # data sets that are resampled


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
    order = column.argsort()
    medians = _medians(column[order], weights[:, order])
    away = np.abs(column - medians[:, None])
    rising = away.argsort(axis=1)
    away, times = (np.take_along_axis(each, rising, axis=1) for each in (away, weights))
    return medians, _medians(away, times)


def _medians(rising: NDArray[np.float64], times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the median of each draw of rising values, by how often each was drawn (B, n)."""
    drawn = times.cumsum(axis=1)
    n = drawn[:, -1:]
    places = [np.count_nonzero(drawn <= half // 2, axis=1) for half in (n - 1, n)]
    both = np.take_along_axis(np.broadcast_to(rising, times.shape), np.stack(places, axis=1), 1)
    medians: NDArray[np.float64] = both.mean(axis=1)
    return medians


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
    return tuple(Effect("average rank", *_bounded(one, level, seed)[:3]) for one in samples)


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
) -> tuple[float | None, float | None, float | None, int | None]:
    """Return a statistic of data sets, its bounds, and the resamples that they rest on."""
    value = sample.estimate() if sample.n_examples else math.nan
    if not math.isfinite(value):
        return None, None, None, None
    if sample.n_examples < FEWEST:
        return value, None, None, None
    found = ResampledBounds(sample, seed, "bca", ROUNDS).bounds(checked_level(level))
    if found.low is None or found.high is None or found.low == found.high:
        return value, None, None, None
    return value, min(found.low, value), max(found.high, value), found.draws


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
