"""What a paired t test can show, the corrected resampled one too: the noncentral t."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from evallang.registry import lazy
from evallang.stats.distributions import t_quantile
from evallang.stats.power import (
    PowerAnalysis,
    checked_target,
    least_size,
    smallest_difference,
    stated,
)
from evallang.stats.validation import LARGEST, MOST_COUNTED, SMALLEST

if TYPE_CHECKING:
    import numpy as np
    from scipy import special
else:
    np = lazy("numpy")
    special = lazy("scipy.special")


def t_power(
    difference: float | Literal["observed"],
    sd: float,
    n: int,
    alpha: float = 0.05,
    *,
    test_train_ratio: float = 0.0,
) -> PowerAnalysis:
    """Return the power of a paired t test of n differences with standard deviation `sd`.

    `sd` is that of the differences of one study, as the test sees it. The noncentral t
    distribution with n - 1 degrees of freedom and noncentrality
    difference / (sd sqrt(1/n + ratio)); `test_train_ratio` makes it that of `corrected_t`,
    where it is exact if folds correlate as that test assumes. Raises `ValueError` where `sd`
    is not positive, n below 2, or the observed difference is asked for.
    """
    gap = stated(difference)
    if not (
        SMALLEST < sd < LARGEST
        and abs(gap) < LARGEST
        and 2 <= n <= MOST_COUNTED
        and 0 < alpha < 1
        and 0 <= test_train_ratio < math.inf
    ):
        raise ValueError(
            "a t test takes two differences or more with a standard deviation above 0, and a "
            "level between 0 and 1"
        )
    shift = abs(gap) / (sd * math.sqrt(1 / n + test_train_ratio))
    bound = t_quantile(1 - alpha, n - 1)
    power = _noncentral_tails(n - 1, shift, bound)
    return PowerAnalysis(
        "corrected_t" if test_train_ratio else "t",
        "noncentral t",
        n,
        gap,
        power,
        alpha,
        {"sd": sd, "test_train_ratio": test_train_ratio},
    )


def t_detectable(
    sd: float, n: int, alpha: float = 0.05, target: float = 0.8, *, test_train_ratio: float = 0.0
) -> PowerAnalysis:
    """Return the smallest mean difference that a paired t test finds with power `target`.

    Raises `ValueError` as `t_power` does.
    """

    def at(gap: float) -> PowerAnalysis:
        return t_power(gap, sd, n, alpha, test_train_ratio=test_train_ratio)

    checked_target(target)
    t_power(0.0, sd, n, alpha, test_train_ratio=test_train_ratio)  # refuses what it cannot take
    most = sd * math.sqrt(1 / n + test_train_ratio)
    while (at(most).power or 0.0) < target:
        most *= 2
    return smallest_difference(at, most, target, "")


def t_size(
    difference: float | Literal["observed"],
    sd: float,
    alpha: float = 0.05,
    target: float = 0.8,
    *,
    test_train_ratio: float = 0.0,
) -> PowerAnalysis:
    """Return the number of differences with which a paired t test has power `target`.

    With a `test_train_ratio` no number may be enough: more splits of the same rows tell ever
    less. Raises `ValueError` as `t_power` does, or where more than about 17 million would be
    needed.
    """
    gap = stated(difference)
    checked_target(target)

    def enough(n: int) -> bool:
        found = t_power(gap, sd, n, alpha, test_train_ratio=test_train_ratio)
        return (found.power or 0.0) >= target

    n = least_size(enough, saw_toothed=False)
    return t_power(gap, sd, n, alpha, test_train_ratio=test_train_ratio)


def _noncentral_tails(df: int, shift: float, bound: float) -> float:
    """Return P(|T| > bound) for a noncentral t, T = (Z + shift) / S.

    The integral over the density of S = sqrt(chi2 / df) of both tails of Z, by Gauss and
    Legendre on pieces that part where the integrand bends. scipy.special.nctdtr has no value
    for the far tail of many a large shift.
    """
    reach = 14 / math.sqrt(2 * df)  # fourteen standard deviations of S about 1
    low, high = max(0.0, 1 - reach), 1 + reach
    bends = [(shift + z) / bound for z in (-8, -4, -2, 0, 2, 4, 8)]
    bends += [z / bound for z in (2, 5, 10)]
    ends = np.unique(np.clip([*np.linspace(low, high, 13), *bends], low, high))
    nodes, weights = np.polynomial.legendre.leggauss(40)
    half = np.diff(ends)[:, None] / 2
    s = (ends[:-1, None] + half * (1 + nodes)).ravel()
    constant = math.log(2) + df / 2 * math.log(df / 2) - math.lgamma(df / 2)
    density = np.exp(constant + special.xlogy(df - 1, s) - df * s * s / 2)
    tails = special.ndtr(shift - bound * s) + special.ndtr(-shift - bound * s)
    return min(float(((half * weights).ravel() * density * tails).sum()), 1.0)
