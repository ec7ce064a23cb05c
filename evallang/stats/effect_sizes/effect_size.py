"""What an effect size is, and those between models."""

from __future__ import annotations

import math
from typing import Literal

from msgspec import Struct

from evallang.bibliography import cite
from evallang.registry import Example, Registry
from evallang.results.statistics import Effect
from evallang.stats.intervals.proportions import clopper_pearson


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
    name: str, value: float | None, low: float | None = None, high: float | None = None
) -> Effect:
    """Return an effect size as it is declared."""
    declared = EFFECT_SIZES[name].declaration
    return Effect(name, value, low, high, declared.scale, declared.signed, declared.symbol)


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
