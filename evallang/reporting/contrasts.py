"""A pair as a sentence reads it: the numbers of its table, with its widest interval."""

import math
from collections.abc import Iterable

from msgspec import Struct

from evallang.reporting.context import Context, printed_p
from evallang.reporting.document import Interval, Runs, listed, runs
from evallang.reporting.numbers import NBSP, Scale, interval, percent
from evallang.reporting.wording import adjusted_words, family_words, p_stat
from evallang.results.records import (
    Comparison,
    Difference,
    HypothesisTestResult,
    SimultaneousInterval,
)


class Contrast(Struct, frozen=True):
    """A pair about one of its models, with the difference of the pair and its widest interval.

    The numbers are those of tables and figures, better minus worse, whichever model it is about.
    `family` says how the interval holds for a family ("simultaneous"), empty where it is that of
    the pair alone.
    """

    model: str
    other: str
    value: float | None
    low: float | None
    high: float | None
    level: float
    family: str
    pair: HypothesisTestResult

    @property
    def p(self) -> float | None:
        """The p that decides."""
        return printed_p(self.pair)

    @property
    def constant(self) -> bool:
        """Whether both had the same score everywhere, so that there is no interval."""
        if self.value != 0:
            return False
        if self.low is None and self.high is None:
            statistic = self.pair.statistic
            return self.pair.p == 1 and (statistic is None or statistic.value is None)
        return self.low == self.high == 0

    @property
    def leads(self) -> bool:
        """Whether the model is the first of the pair, which is the better one."""
        return self.model == self.pair.models[0]


def contrast(pair: HypothesisTestResult, model: str) -> Contrast:
    """Return a pair as it is about one of its models."""
    difference, wide = pair.estimate, pair.simultaneous
    shown: Difference | SimultaneousInterval | None = difference
    if wide is not None and (wide.low is not None or wide.high is not None):
        shown = wide
    value = difference.value if difference is not None else None
    low, high = (shown.low, shown.high) if shown is not None else (None, None)
    level = shown.level if shown is not None else math.nan
    family = family_words(wide) if wide is not None and shown is wide else ""
    other = next((name for name in pair.models if name != model), model)
    return Contrast(model, other, value, low, high, level, family, pair)


def contrast_interval(found: Contrast, scale: Scale, *, lead: bool = True) -> Runs:
    """Format the interval of a contrast: "simultaneous 95% CI [1.9, 7.4]"."""
    if (found.low is None and found.high is None) or found.constant:
        return ()
    text = interval(found.low, found.high, scale, null=0.0)
    words = f"{percent(found.level)}{NBSP}CI"
    if found.family:
        words = f"{found.family} {words}"
    elif found.pair.p_adjusted is not None:
        words = f"unadjusted {words}"
    return (Interval(text, found.low, found.high, words if lead else ""),)


def contrast_runs(
    context: Context, comparison: Comparison, found: Contrast, *, lead: bool = True
) -> Runs:
    """Format what is written in brackets after a difference: its interval and its p."""
    parts = [contrast_interval(found, context.difference_scale(comparison), lead=lead)]
    if found.p is not None:
        words = adjusted_words(comparison) if lead else ""
        parts.append(runs(words, p_stat(context, found.p, comparison.alpha, found.pair.mc_se)))
    made = listed(filter(None, parts), comma="; ", last="; ")
    return runs("(", made, ")") if made else ()


def widest_of(found: Iterable[Contrast]) -> Contrast | None:
    """Return the contrast whose interval allows the largest difference; None without intervals."""
    known = [c for c in found if c.low is not None and c.high is not None]
    return max(known, key=reach, default=None)


def reach(found: Contrast) -> float:
    """Return the largest size of a difference that the interval of a contrast allows."""
    return max(abs(found.low or 0.0), abs(found.high or 0.0))
