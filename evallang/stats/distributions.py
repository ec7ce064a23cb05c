"""Tails and quantiles of the reference distributions, as plain floats.

Only `scipy.special` is used: `scipy.stats` takes half a second to import.
"""

from __future__ import annotations

import scipy


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


def fair_coin_tail(k: int, n: int) -> float:
    """Return P(X >= k) for X binomial with n trials of probability one half."""
    if k <= 0:
        return 1.0
    if k >= n:
        return 0.5**n if k == n else 0.0
    return float(scipy.special.betainc(k, n - k + 1, 0.5))


def checked_level(level: float) -> float:
    """Return `level`; raises `ValueError` where it is not between 0 and 1."""
    if not isinstance(level, int | float) or not 0.0 < level < 1.0:
        raise ValueError(f"a confidence level lies between 0 and 1, not {level!r}")
    return float(level)
