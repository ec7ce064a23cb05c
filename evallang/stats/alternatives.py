"""Which tail of a test counts: both, or one that the author named before seeing the data.

`greater` asks whether the first model has the larger value in the metric's own unit,
whatever direction is better; `less` whether it has the smaller one. Intervals stay
two-sided.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import scipy

from evallang.results.statistics import HypothesisTestResult, with_side

if TYPE_CHECKING:  # Python also takes scipy's spelling, which is not a word of the language
    Alternative = Literal["two_sided", "two-sided", "greater", "less"]
else:
    Alternative = Literal["two_sided", "greater", "less"]
OPPOSITE: dict[str, Alternative] = {
    "two_sided": "two_sided",
    "greater": "less",
    "less": "greater",
}


def normal_p(z: float, alternative: Alternative = "two_sided") -> float:
    """Return the tail area beyond z of a standard normal variable, on the side that counts."""
    if alternative == "two_sided":
        return float(2.0 * scipy.special.ndtr(-abs(z)))
    return float(scipy.special.ndtr(-z if alternative == "greater" else z))


def t_p(t: float, df: float, alternative: Alternative = "two_sided") -> float:
    """Return the tail area beyond t of Student's distribution, on the side that counts."""
    if alternative == "two_sided":
        return float(2.0 * scipy.special.stdtr(df, -abs(t)))
    return float(scipy.special.stdtr(df, -t if alternative == "greater" else t))


def halved(p: float, difference: float, alternative: Alternative) -> float:
    """Turn the two-sided p of a continuous statistic into that of the side that counts."""
    if alternative == "two_sided":
        return p
    agrees = difference > 0 if alternative == "greater" else difference < 0
    return p / 2 if agrees else 1 - p / 2


def one_sided(result: HypothesisTestResult, alternative: Alternative) -> HypothesisTestResult:
    """Set the side of a result, and name it in the variant and in the null hypothesis, once."""
    if alternative == "two_sided" or result.p is None:
        return result
    return with_side(result, alternative)
