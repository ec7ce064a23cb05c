"""The range of k independent standard normal variables: tail and quantile.

This is the studentized range with infinite degrees of freedom, that Nemenyi's test refers
to. Only `scipy.special` is used: `scipy.stats` takes half a second to import.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import scipy
from numpy.typing import NDArray

from evallang.stats.distributions import checked_level
from evallang.stats.validation import MOST_COUNTED

STEP = 0.02  # the trapezoid rule converges geometrically on an analytic, decaying integrand
MORE = 256  # points of the integral are kept in steps of so many
REACH = 10.0  # standard deviations beyond which a normal density adds nothing


def range_tail(q: float, k: int) -> float:
    """Return P(range of k standard normal variables >= q).

    The largest variable is z and the others lie within q below it:
    P(range < q) = k ∫ φ(z) (Φ(z) - Φ(z - q))^(k - 1) dz; the tail is integrated as a
    difference, so that small ones keep their digits. Raises `ValueError` where k < 2.
    """
    if not 2 <= k <= MOST_COUNTED:
        raise ValueError("a range takes two variables or more")
    if q <= 0:
        return 1.0
    points = math.ceil((q / 2 + REACH + REACH) / STEP)
    z, largest, power, density = (row[:points] for row in _largest(-(-points // MORE) * MORE, k))
    below = np.minimum(scipy.special.ndtr(z - q) / largest, 1 - 1e-16)
    inside = -np.expm1((k - 1) * np.log1p(-below)) * power
    return float(min(k * STEP * (density * inside).sum(), 1.0))


@lru_cache(maxsize=16)  # the same for every pair of a table
def _largest(points: int, k: int) -> NDArray[np.float64]:
    """Return z, Φ(z), Φ(z)^(k - 1) and φ(z) at so many points (4, points)."""
    z = np.arange(-REACH, (points + 0.5) * STEP - REACH, STEP)[:points]
    largest = scipy.special.ndtr(z)
    density = np.exp(-z * z / 2) / (2 * np.pi) ** 0.5
    return np.array([z, largest, largest ** (k - 1), density])


@lru_cache(maxsize=16)  # the same for every pair of a table
def range_quantile(level: float, k: int) -> float:
    """Return q with P(range of k standard normal variables < q) = level.

    Raises `ValueError` where `level` is not between 0 and 1, or k < 2.
    """
    tail, high = 1.0 - checked_level(level), 1.0
    while range_tail(high, k) > tail:
        high *= 2
    return float(
        scipy.optimize.brentq(lambda q: range_tail(q, k) - tail, 0.0, high, xtol=1e-14, rtol=1e-15)
    )
