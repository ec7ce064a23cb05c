"""Adjusted p-values of a family of hypotheses, and the level that intervals need to match.

A correction is a function of the m raw p-values of a family that gives m adjusted ones in
the same order. An undefined p (None) is a hypothesis like any other: it counts as 1 and
stays None.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal

from evallang.registry import Example, Guidance, Registry
from evallang.stats.basics import checked_level, word

P = Sequence[float | None]
Adjusted = tuple[float | None, ...]
DIGITS = 12  # decimals that are left of a level after it was taken from 1


class CorrectionDeclaration(Guidance, frozen=True):
    """What a correction promises.

    Attributes
    ----------
    controls : the family-wise error rate whichever hypotheses are true, the false discovery
        rate, or nothing
    assumes : the dependence between the p-values under which it does
    simultaneous : how intervals can hold for the whole family: `matching` (they exclude no
        difference just where p is rejected), `conservative` (Bonferroni's, which may include 0
        where the adjusted p rejects), `fcr` (false coverage rate over those selected), `resampled`
        (their level comes from the resamples that adjust p, so that they match too)
    adjective : what a report writes before "-adjusted p", such as `Holm`
    adjusts : False where the p-values stay as they are
    single_step : True where every hypothesis is decided at the same level
    strictest : the level of one of m hypotheses at the strictest step: alpha / m (`bonferroni`),
        1 - (1 - alpha)^(1/m) (`sidak`), alpha / m over 1 + 1/2 + ... + 1/m (`harmonic`)
    of_test : the only test whose p-values it adjusts, or empty
    most_models : of how many models it adjusts the pairs at most, None without a limit
    default : True for the correction of a family without a stated correction
    """

    controls: Literal["fwer", "fdr"] | None
    assumes: Literal["any", "independence", "positive"]
    simultaneous: Literal["matching", "conservative", "fcr", "resampled"] | None
    adjective: str = ""
    adjusts: bool = True
    single_step: bool = False
    strictest: Literal["bonferroni", "sidak", "harmonic"] = "bonferroni"
    of_test: str = ""
    most_models: int | None = None
    default: bool = False


CORRECTIONS: Registry[CorrectionDeclaration] = Registry("correction", "evallang.stats.corrections")
"""All corrections for multiple hypotheses, by canonical name."""


def default_correction() -> str:
    """Return the name of the correction of a family without a stated correction."""
    return next(entry.name for entry in CORRECTIONS if entry.declaration.default)


def simultaneous_level(
    correction: str, level: float, m: int, rejected: int | None = None
) -> float | None:
    """Return the level of single intervals that hold together at `level` over m hypotheses.

    `rejected` is the number R that `fdr_bh` and `fdr_by` selected: intervals for those at
    1 - R q/m have the false coverage rate q = 1 - level (Benjamini & Yekutieli 2005). None
    where there is no such level: no correction, nothing selected, or one that is found from
    resamples (`joint_corrections.single_level`). Raises `ValueError` for an unknown correction,
    where m < 1, or `rejected` is missing.
    """
    word(correction, CORRECTIONS.names(), "correction")
    declared = CORRECTIONS[correction].declaration
    kind = declared.simultaneous
    alpha = 1 - checked_level(level)
    if not 1 <= m < math.inf or not 0 <= (rejected or 0) <= m:
        raise ValueError("a family holds at least one hypothesis, and no more are rejected")
    if kind is None or kind == "resampled":
        return None
    if kind == "fcr":
        if rejected is None:
            raise ValueError(f"{correction} needs the number of rejected hypotheses")
        share = alpha / (m * (harmonic(m) if declared.strictest == "harmonic" else 1.0))
        return 1 - rejected * share if rejected else None
    if kind == "matching" and declared.strictest == "sidak":
        return float(level ** (1 / m))
    return 1 - alpha / m


# Ten p-values with their adjusted values, out of R's multtest and p.adjust
TEN_P = (
    0.838541367553,
    0.642193923795,
    0.680845947633,
    0.967833824309,
    0.71626938238,
    0.177096952723,
    5.23656777208e-005,
    0.0202732688798,
    0.00028140506198,
    0.0149877310796,
)
MULTTEST = (
    "pval0 in statsmodels 0.15.0, stats/tests/test_multi.py, computed with R packages multtest "
    "and stats"
)


NO_P_VALUES = "p-values lie between 0 and 1, or are None where undefined"


def published_by_r(at_6: float, at_7: float, at_8: float, at_9: float) -> tuple[Example, ...]:
    """Expect the adjusted values of the four smallest p, at their places."""
    return (Example((TEN_P,), {"6": at_6, "7": at_7, "8": at_8, "9": at_9}, MULTTEST, 5e-9),)


def apply_in_order(p: P, rule: Callable[[list[float]], list[float]]) -> Adjusted:
    """Apply a rule on ascending p-values, cap at 1, and hand them back in their own order.

    Raises `ValueError` where a p-value is not between 0 and 1.
    """
    given = p_values(p)
    values = [1.0 if x is None else x for x in given]
    order = sorted(range(len(values)), key=values.__getitem__)
    adjusted: list[float | None] = [None] * len(values)
    for place, value in zip(order, rule([values[i] for i in order]), strict=True):
        adjusted[place] = None if given[place] is None else min(max(value, values[place]), 1.0)
    return tuple(adjusted)


def p_values(p: P) -> list[float | None]:
    """Read p-values by their places, whatever index a column of a frame has.

    Raises `ValueError` where one is not between 0 and 1.
    """
    try:
        given = p.tolist() if hasattr(p, "tolist") else p  # None for what is masked
        found = [None if x is None else float(x) for x in given]
    except (TypeError, ValueError, OverflowError):
        raise ValueError(NO_P_VALUES) from None
    if not all(x is None or 0.0 <= x <= 1.0 for x in found):
        raise ValueError(NO_P_VALUES)
    return found


def step_down(values: list[float]) -> list[float]:
    """Raise each value to at least the one before it, from the smallest p up."""
    for i in range(1, len(values)):
        values[i] = max(values[i], values[i - 1])
    return values


def step_up(values: list[float]) -> list[float]:
    """Lower each value to at most the one after it, from the largest p down."""
    for i in range(len(values) - 2, -1, -1):
        values[i] = min(values[i], values[i + 1])
    return values


def harmonic(m: int) -> float:
    """Return 1 + 1/2 + ... + 1/m."""
    return sum(1 / i for i in range(1, m + 1))
