"""The order of the models of a pair: better minus worse, in every table, figure and sentence."""

import math
from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from evallang.reporting.decisions import is_about_equivalence, margin_of
from evallang.reporting.figures.figure import Bounds
from evallang.results.records import Effect, HypothesisTestResult
from evallang.results.statistics import with_side


def inside(
    possible: Bounds, low: float | None, high: float | None
) -> tuple[float | None, float | None]:
    """Return the bounds of an interval inside the range of possible values."""
    least, most = possible
    return (
        low if low is None or least is None else max(low, least),
        high if high is None or most is None else min(high, most),
    )


def is_directed(pair: HypothesisTestResult) -> bool:
    """Return whether a test asks about one direction of its models, so they keep their order."""
    of_one_margin = margin_of(pair) is not None and not is_about_equivalence(pair)
    return pair.side is not None or of_one_margin


def order_words(pairs: Iterable[HypothesisTestResult]) -> str:
    """State which model of each pair is first in its difference."""
    return "first minus second" if any(map(is_directed, pairs)) else "better minus worse"


SIGNED_STATISTICS = frozenset({"t", "z"})
OTHER_SIDE = {"greater": "less", "less": "greater"}
SWAPPED = (
    ("p_first", "p_second"), ("wins", "losses"), ("rank_first", "rank_second"),
    ("auc_1", "auc_2"), ("w_plus", "w_minus"), ("n_first", "n_second"),
)  # fmt: skip


def turned(pair: HypothesisTestResult) -> HypothesisTestResult:
    """Return the same result with its second model first; the side turns, p and decision stay."""
    statistic, table = pair.statistic, pair.table
    if statistic is not None and statistic.name in SIGNED_STATISTICS:
        statistic = replace(statistic, value=_minus(statistic.value))
    if table is not None and len(table) == 2:
        table = ((table[0][0], table[1][0]), (table[0][1], table[1][1]))
    estimate, simultaneous = pair.estimate, pair.simultaneous
    if estimate is not None:
        resamples = estimate.resamples and estimate.resamples.reversed_sign()
        value, low, high = map(_minus, (estimate.value, estimate.high, estimate.low))
        estimate = replace(estimate, value=value, low=low, high=high, resamples=resamples)
    if simultaneous is not None:
        low, high = _minus(simultaneous.high), _minus(simultaneous.low)
        simultaneous = replace(simultaneous, low=low, high=high)
    extra: dict[str, Any] = dict(pair.extra)
    for first, second in SWAPPED:
        if first in extra or second in extra:
            extra[first], extra[second] = extra.get(second), extra.get(first)
    if "mean_difference" in extra:
        extra["mean_difference"] = _minus(extra["mean_difference"])
    seen = with_side(pair, OTHER_SIDE[pair.side]) if pair.side is not None else pair
    return replace(
        seen,
        models=tuple(reversed(pair.models)),
        statistic=statistic,
        table=table,
        estimate=estimate,
        simultaneous=simultaneous,
        effects=tuple(filter(None, map(_effect, pair.effects))),
        extra=extra,
    )


def _minus(value: float | None) -> float | None:
    return None if value is None else 0.0 - value  # never -0.0


def _effect(effect: Effect) -> Effect | None:
    """Turn an effect size; None where the file does not tell whether it has a sign."""
    value, low, high = effect.value, effect.high, effect.low
    if effect.scale == "odds":
        value, low, high = (
            v if v is None else math.inf if v == 0 else 1 / v for v in (value, low, high)
        )
    elif effect.signed:
        value, low, high = map(_minus, (value, low, high))
    else:
        return None if effect.signed is None else effect
    return replace(effect, value=value, low=low, high=high)
