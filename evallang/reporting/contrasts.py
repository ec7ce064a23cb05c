"""A pair as a sentence reads it: from one of its models, with its widest interval."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from evallang.frozen_records import frozen
from evallang.reporting.context import Context
from evallang.reporting.document import Interval, Runs, runs
from evallang.reporting.numbers import NBSP, Scale, interval, percent
from evallang.reporting.wording import adjusted_words, amount, family_words, p_stat
from evallang.results.records import (
    Comparison,
    Difference,
    Effect,
    HypothesisTestResult,
    SimultaneousInterval,
)
from evallang.results.statistics import with_side

OTHER_METHOD = " This interval uses a different method from that of the test and "
TEST_DECIDES = " 0; the test decides."


@frozen
class Contrast:
    """A pair read from one model: its difference to the other, with the widest interval given.

    `pair` has `model` first, whichever it was in the results. The sign of the numbers may
    be turned once more for a sentence that gives the size of a lead. `family` says how the
    interval holds for a family ("simultaneous"), empty where it is that of the pair alone.
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
        return self.pair.p_adjusted if self.pair.p_adjusted is not None else self.pair.p

    @property
    def constant(self) -> bool:
        """Whether both had the same score everywhere, so that there is no interval."""
        if self.value != 0:
            return False
        if self.low is None and self.high is None:
            statistic = self.pair.statistic
            return self.pair.p == 1 and (statistic is None or statistic.value is None)
        return self.low == self.high == 0

    def upward(self) -> "Contrast":
        """Turn the sign where the value is negative: a sentence gives the size of a lead."""
        return self.reverse_sign() if self.value is not None and self.value < 0 else self

    def reverse_sign(self) -> "Contrast":
        """Return the numbers of second minus first."""
        value, low, high = (
            None if number is None else 0.0 - number for number in (self.value, self.high, self.low)
        )
        return replace(self, value=value, low=low, high=high)


def contrast(pair: HypothesisTestResult, model: str) -> Contrast:
    """Read a pair from one of its models."""
    seen = pair if model == pair.models[0] else turned(pair)
    difference, wide = seen.estimate, seen.simultaneous
    shown: Difference | SimultaneousInterval | None = difference
    if wide is not None and (wide.low is not None or wide.high is not None):
        shown = wide
    value = difference.value if difference is not None else None
    low, high = (shown.low, shown.high) if shown is not None else (None, None)
    level = shown.level if shown is not None else math.nan
    family = family_words(wide) if wide is not None and shown is wide else ""
    return Contrast(model, seen.models[1], value, low, high, level, family, seen)


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
    scale = context.difference_scale(comparison)
    parts = [part for part in (contrast_interval(found, scale, lead=lead),) if part]
    if found.p is not None:
        words = adjusted_words(comparison) if lead else ""
        parts.append(runs(words, p_stat(context, found.p, comparison.alpha)))
    made: Runs = ()
    for i, part in enumerate(parts):
        made += runs("; " if i else "", part)
    return runs("(", made, ")") if made else ()


def compatible_runs(
    context: Context, comparison: Comparison, found: list[Contrast], *, named: bool = False
) -> Runs:
    """Format the largest difference that the intervals still allow, whichever its direction.

    `named` says whose lead it is, where the contrasts are read from several models.
    """
    metric = context.difference_words(comparison)
    scale = context.difference_scale(comparison)
    known = [c for c in found if c.low is not None and c.high is not None and not c.constant]
    if found and all(c.constant for c in found):
        return runs(
            "They had the same score wherever they were compared, so the difference has no spread "
            "and no interval; that is not evidence of equality elsewhere."
        )
    if not known:
        return runs("That is not evidence of equality; no interval of the difference is available.")

    def reach(item: Contrast) -> float:
        return max(abs(item.low or 0.0), abs(item.high or 0.0))

    widest = max(known, key=reach)
    low, high = widest.low or 0.0, widest.high or 0.0
    upward = abs(high) >= abs(low)
    size = abs(high) if upward else abs(low)
    ahead = upward is metric.higher_is_better
    words = "an advantage" if ahead else "a disadvantage"
    towards = "over" if ahead else "against"
    if named:
        words += f" of {context.model(widest.model)}"
    if math.isinf(size):
        return runs("The interval of the difference is unbounded.")
    return runs(
        f"That is not evidence of equality: the data are compatible with {words} of up to ",
        amount(metric, size, scale),
        f" {towards} {context.model(widest.other)} (",
        contrast_interval(widest if upward else widest.reverse_sign(), scale),
        ").",
        disagreement(widest),
    )


def disagreement(found: Contrast) -> str:
    """State that the interval of one pair and its test do not agree; empty where they do."""
    alone = not found.family and found.pair.p is not None and found.pair.p_adjusted is None
    if not alone or found.low is None or found.high is None or found.pair.side is not None:
        return ""
    excludes = found.low > 0 or found.high < 0
    if excludes == bool(found.pair.reject):
        return ""
    return f"{OTHER_METHOD}{'excludes' if excludes else 'includes'}{TEST_DECIDES}"


# --- a pair read from its other model ----------------------------------------------------


SIGNED_STATISTICS = frozenset({"t", "z"})
OTHER_SIDE = {"greater": "less", "less": "greater"}
SWAPPED = (("p_first", "p_second"), ("wins", "losses"), ("rank_first", "rank_second"))


def turned(pair: HypothesisTestResult) -> HypothesisTestResult:
    """Return the same result with its second model first; the side turns, p and decision stay."""
    statistic, table = pair.statistic, pair.table
    if statistic is not None and statistic.name in SIGNED_STATISTICS:
        statistic = replace(statistic, value=_minus(statistic.value))
    if table is not None and len(table) == 2:
        table = ((table[0][0], table[1][0]), (table[0][1], table[1][1]))
    estimate, simultaneous = pair.estimate, pair.simultaneous
    if estimate is not None:
        estimate = replace(
            estimate,
            value=_minus(estimate.value),
            low=_minus(estimate.high),
            high=_minus(estimate.low),
            resamples=estimate.resamples and estimate.resamples.reversed_sign(),
        )
    if simultaneous is not None:
        low, high = _minus(simultaneous.high), _minus(simultaneous.low)
        simultaneous = replace(simultaneous, low=low, high=high)
    seen = with_side(pair, OTHER_SIDE[pair.side]) if pair.side is not None else pair
    return replace(
        seen,
        models=tuple(reversed(pair.models)),
        statistic=statistic,
        table=table,
        estimate=estimate,
        simultaneous=simultaneous,
        effects=tuple(filter(None, map(_effect, pair.effects))),
        extra=_extra(pair.extra),
    )


def as_lead(pair: HypothesisTestResult) -> HypothesisTestResult:
    """Return the statistic and effects with the sign of a lead, where smaller values lead.

    Counts keep their order: which model was right where the other was wrong has no sign.
    """
    statistic = pair.statistic
    if pair.table is not None:
        return pair
    if statistic is not None and statistic.name in SIGNED_STATISTICS:
        statistic = replace(statistic, value=_minus(statistic.value))
    effects = (e if e.scale == "odds" else _effect(e) for e in pair.effects)
    return replace(pair, statistic=statistic, effects=tuple(filter(None, effects)))


def _minus(value: float | None) -> float | None:
    return None if value is None else 0.0 - value  # never -0.0


def _effect(effect: Effect) -> Effect | None:
    """Turn an effect size; None where the file does not tell whether it has a sign."""
    if effect.scale == "odds":
        turn = _inverse
    elif effect.signed is None:
        return None
    elif effect.signed:
        turn = _minus
    else:
        return effect
    return replace(effect, value=turn(effect.value), low=turn(effect.high), high=turn(effect.low))


def _inverse(value: float | None) -> float | None:
    if value is None:
        return None
    return float("inf") if value == 0 else 1 / value


def _extra(extra: Mapping[str, Any]) -> Mapping[str, Any]:
    made = dict(extra)
    for first, second in SWAPPED:
        if first in extra or second in extra:
            made[first], made[second] = extra.get(second), extra.get(first)
    return made
