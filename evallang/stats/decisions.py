"""Decisions from intervals and margins, at one look or at several."""

from __future__ import annotations

from typing import Literal, Protocol

import scipy
from msgspec import Struct
from msgspec.structs import replace

from evallang.results.statistics import (
    DISAGREEMENTS,
    NOTE,
    Difference,
    Disagreement,
    Effect,
    HypothesisTestResult,
    shown_effect,
)
from evallang.stats.basics import normal_quantile, word
from evallang.stats.effect_sizes.effect_size import EFFECT_SIZES
from evallang.stats.rank_scores import Better

DIGITS = 12


def error_of_one_look(error: float, looks: int) -> float:
    """Return the error allowed to one of several looks, of which together may err so often.

    By Bonferroni's inequality the sum bounds the error over all looks, however they depend on one
    another.
    """
    return round(error / looks, DIGITS)


UNDEFINED = "the interval is undefined"
SAME_LEVEL = 1e-9  # of an interval and a decision


class Bounds(Protocol):
    """Anything with two bounds: an `Interval`, or a `Difference`."""

    @property
    def low(self) -> float | None:
        """The lower bound, None where it is undefined."""

    @property
    def high(self) -> float | None:
        """The upper bound, None where it is undefined."""


class Decision(Struct, frozen=True):
    """Whether a claim is met; `reason` says why where it is not."""

    met: bool
    reason: str | None = None


def decide_level(
    interval: Bounds, threshold: float, relation: Literal[">=", "<="] = ">="
) -> Decision:
    """Return whether a value is shown to be at least, or at most, a threshold."""
    word(relation, (">=", "<="), "relation")
    low, high = interval.low, interval.high
    if low is None or high is None:
        return Decision(False, UNDEFINED)
    if relation == ">=":
        return _met(low >= threshold, f"the lower bound {low:.6g} is below {threshold:.6g}")
    return _met(high <= threshold, f"the upper bound {high:.6g} is above {threshold:.6g}")


def decide_superior(interval: Bounds, better: Better = "higher", margin: float = 0.0) -> Decision:
    """Return whether the first model is shown to be better, by more than `margin`.

    `interval` is that of first minus second; `better` says which direction of the metric is.
    Raises `ValueError` where `margin` is negative.
    """
    return _decide_beyond(interval, better, checked_margin(margin, positive=False))


def decide_noninferior(interval: Bounds, margin: float, better: Better = "higher") -> Decision:
    """Return whether the first model is shown to be worse by less than `margin`, if at all.

    Raises `ValueError` where `margin` is not positive.
    """
    return _decide_beyond(interval, better, -checked_margin(margin))


def decide_equivalent(interval: Bounds, margin: float) -> Decision:
    """Return whether the whole interval of the difference lies inside ± `margin`.

    Raises `ValueError` where `margin` is not positive.
    """
    width = checked_margin(margin)
    low, high = interval.low, interval.high
    if low is None or high is None:
        return Decision(False, UNDEFINED)
    return _met(
        -width < low and high < width,
        f"the interval [{low:.6g}, {high:.6g}] reaches beyond ±{width:.6g}",
    )


def power_of_equal_models(
    half_width: float, level: float, margin: float, *, both: bool = False
) -> float:
    """Return the chance that models of equal quality are shown to be within a margin.

    `half_width` is that of the interval of their difference, the distribution normal; the observed
    difference is not used. With `both` the margin holds on both sides.
    """
    z = normal_quantile(level)
    one = float(scipy.special.ndtr(z * (margin / half_width - 1)))
    return max(0.0, 2 * one - 1) if both else one


def distance_shown(half_width: float, level: float, power: float, *, both: bool = False) -> float:
    """Return how far from its line a true difference is that is shown with a power.

    For equal models it is the margin with that power, the inverse of `power_of_equal_models`; for
    a lead, what the true difference exceeds it by.
    """
    chance = (1 + power) / 2 if both else power
    return half_width * (1 + float(scipy.special.ndtri(chance)) / normal_quantile(level))


def checked_margin(margin: float, *, positive: bool = True) -> float:
    """Return `margin`; raises `ValueError` where it is negative, infinite, or 0 if `positive`."""
    if not 0 <= margin < float("inf") or (positive and margin == 0):
        raise ValueError(f"a margin is a number above 0, not {margin!r}")
    return float(margin)


def _decide_beyond(interval: Bounds, better: Better, line: float) -> Decision:
    word(better, ("higher", "lower"), "better")
    low, high = interval.low, interval.high
    if low is None or high is None:
        return Decision(False, UNDEFINED)
    if better == "higher":
        return _met(low > line, f"the lower bound {low:.6g} is not above {line:.6g}")
    return _met(high < -line, f"the upper bound {high:.6g} is not below {-line:.6g}")


def _met(holds: bool, otherwise: str) -> Decision:
    return Decision(True) if holds else Decision(False, otherwise)


# --- decisions by p, and the intervals next to them --------------


def state_disagreements(
    test: HypothesisTestResult,
    alpha: float,
    shown: Difference | None = None,
    *,
    conservative: bool = False,
) -> HypothesisTestResult:
    """Set which intervals contradict the decision of a test at their level, and note them.

    The interval of the pair is that of `shown` if the test is printed with that of another test.
    `conservative` states that intervals of the family are wider than the steps that decided.
    """
    pair = test.estimate if shown is None else shown
    sides = 2 if "margin" in test.extra else 1
    if test.p is None or pair is None or abs(pair.level - (1 - sides * alpha)) > SAME_LEVEL:
        return test
    single, other = test.p <= alpha, "method" if test.side is None else "side"
    found = []
    for interval, excludes, rejects in (
        ("pair", _excludes_null(test, pair), single),
        ("family", _excludes_null(test, test.simultaneous), test.reject),
        ("effect", _effect_excludes_null(shown_effect(test.effects)), single),
    ):
        if excludes not in (None, rejects):
            narrow = conservative and interval == "family" and not excludes
            cause = "conservative" if narrow else other
            found.append(Disagreement(interval, bool(excludes), cause))
        elif interval == "pair" and excludes not in (None, test.reject):
            found.append(Disagreement(interval, bool(excludes), "family"))
    notes = (*test.notes, *(_note(test, each) for each in found))
    return replace(test, disagreements=tuple(found), notes=tuple(dict.fromkeys(notes)))


def _excludes_null(test: HypothesisTestResult, interval: Bounds | None) -> bool | None:
    """Return whether an interval excludes what the null hypothesis says; None without bounds."""
    if interval is None or interval.low is None or interval.high is None:
        return None
    margin = test.extra.get("margin")
    if margin is None:
        return not interval.low <= 0 <= interval.high
    if "better" in test.extra:
        return decide_noninferior(interval, margin, test.extra["better"]).met
    return decide_equivalent(interval, margin).met


def _effect_excludes_null(effect: Effect | None) -> bool | None:
    if effect is None or effect.low is None or effect.high is None:
        return None
    declared = EFFECT_SIZES[effect.name].declaration
    if not declared.signed and declared.scale != "odds":
        return None
    return not effect.low <= declared.neutral <= effect.high


def _note(test: HypothesisTestResult, found: Disagreement) -> str:
    if found.cause == "side":
        return NOTE
    effect = shown_effect(test.effects)
    if found.interval == "effect" and effect is not None:
        which = f"interval of the {effect.name}"
        null = f"{EFFECT_SIZES[effect.name].declaration.neutral:g}"
    else:
        which = "simultaneous interval" if found.interval == "family" else "interval"
        name = next((k for k in ("margin", "threshold") if k in test.extra), None)
        null = f"the {name}" if name else "0"
    adjusted = found.interval == "family" or found.cause == "family"
    p = "adjusted p" if adjusted and test.p_adjusted is not None else "p"
    return (
        f"the {which} {'excludes' if found.excludes else 'includes'} {null} although {p} is "
        f"{'above' if found.excludes else 'at most'} α, because {DISAGREEMENTS[found.cause]}"
    )
