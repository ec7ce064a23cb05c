"""The declaration of an effect size, and the registry of all of them."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from evallang.registry import Registry
from evallang.results.statistics import Effect


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
