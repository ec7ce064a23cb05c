"""A pair read from its other model: every number that has a direction is turned."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from evallang.results.records import Effect, HypothesisTestResult
from evallang.results.statistics import with_side

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
