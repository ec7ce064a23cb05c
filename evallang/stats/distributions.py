"""Tails and quantiles of the reference distributions, most as plain floats; p by alternative.

Only `scipy.special` is used: `scipy.stats` takes half a second to import."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from evallang.results.statistics import HypothesisTestResult, with_side


def normal_quantile(level: float) -> float:
    """Return z with P(|Z| <= z) = level for a standard normal Z.

    Raises `ValueError` where `level` is not between 0 and 1.
    """
    return float(-scipy.special.ndtri((1.0 - checked_level(level)) / 2.0))


def t_quantile(level: float, df: float) -> float:
    """Return t with P(|T| <= t) = level for Student's T with `df` degrees of freedom.

    Raises `ValueError` where `level` is not between 0 and 1.
    """
    # Beta quantiles instead of stdtrit, which is only good to about 1e-10
    tail = float(scipy.special.betaincinv(df / 2.0, 0.5, 1.0 - checked_level(level)))
    if tail > 0.5:  # near 1, 1 - tail would cancel
        rest = float(scipy.special.betaincinv(0.5, df / 2.0, level))
        return float((df * rest / (1.0 - rest)) ** 0.5)
    return float((df * (1.0 - tail) / tail) ** 0.5)


def bounds_inside(
    value: float, half: float, low: float = 0.0, high: float = 1.0
) -> tuple[float, float]:
    """Return value ± half on the logit scale of its range, by the delta method."""
    share = (value - low) / (high - low)
    reach = half / (high - low) / (share * (1 - share))
    centre = float(scipy.special.logit(share))
    ends = scipy.special.expit([centre - reach, centre + reach])
    return low + (high - low) * float(ends[0]), low + (high - low) * float(ends[1])


def welch_df(parts: tuple[tuple[float, float], ...]) -> float | None:
    """Return the degrees of freedom of a sum of independent variances (Satterthwaite 1946).

    `parts` are pairs of a variance and its degrees of freedom. None where the sum is 0.
    """
    total = sum(variance for variance, _ in parts)
    spread = sum(variance * variance / df for variance, df in parts if variance)
    return total * total / spread if spread > 0 else None


def chi2_tail(x: float, df: float) -> float:
    """Return P(X >= x) for X chi-squared with `df` degrees of freedom."""
    return float(scipy.special.chdtrc(df, x))


def f_tail(x: float, df1: float, df2: float) -> float:
    """Return P(X >= x) for X with Fisher's F distribution."""
    return float(scipy.special.fdtrc(df1, df2, x))


def f_quantile(level: float, df1: float, df2: float) -> float:
    """Return x with P(F <= x) = level for F with (df1, df2) degrees of freedom."""
    return float(scipy.special.fdtri(df1, df2, checked_level(level)))


def binomial_tail(k: ArrayLike, n: ArrayLike, share: ArrayLike = 0.5) -> NDArray[np.float64]:
    """Return P(X >= k) for X binomial with n trials of probability `share`; arrays of one shape."""
    least, trials = np.asarray(k, dtype=np.float64), np.asarray(n, dtype=np.float64)
    inside = (least >= 1) & (least <= trials)
    tail = scipy.special.betainc(
        np.where(inside, least, 1), np.where(inside, trials - least + 1, 1), share
    )
    return np.where(inside, tail, (least < 1).astype(np.float64))


def fair_coin_tail(k: int, n: int) -> float:
    """Return P(X >= k) for X binomial with n trials of probability one half."""
    return float(binomial_tail(k, n))


def least_rejected(n: int, share: float, alpha: float) -> int:
    """Return the least number of successes whose upper tail is at most alpha; n + 1 for none."""
    low, high = 0, n + 1  # no tail starts at 0 or less, and none is left above n
    while high - low > 1:
        middle = (low + high) // 2
        if float(binomial_tail(middle, n, share)) <= alpha:
            high = middle
        else:
            low = middle
    return high


def checked_level(level: float) -> float:
    """Return `level`; raises `ValueError` where it is not between 0 and 1."""
    if not isinstance(level, int | float) or not 0.0 < level < 1.0:
        raise ValueError(f"a confidence level lies between 0 and 1, not {level!r}")
    return float(level)


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
