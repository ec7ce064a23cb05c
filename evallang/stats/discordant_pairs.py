"""p of the examples on which just one of two models is right, in every form of McNemar's test."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from evallang.stats.alternatives import Alternative
from evallang.stats.distributions import binomial_tail

EXACT_BELOW = 25  # discordant pairs, of the variant `textbook`; Raschka 2018, 4.4
LESS = {"chi2": 0, "corrected": 1}  # subtracted from |b - c|


def p_of_pairs(
    first: ArrayLike, second: ArrayLike, variant: str, alternative: Alternative = "two_sided"
) -> NDArray[np.float64]:
    """Return p of each pair of counts; both are whole numbers, of one shape.

    `variant` is exact, midp, chi2, corrected, or textbook: exact for fewer than 25 pairs, else
    corrected. p is 1 without any pair.
    """
    b, c = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    n = b + c
    if variant == "textbook":
        few, many = (p_of_pairs(b, c, name, alternative) for name in ("exact", "corrected"))
        return np.where(n < EXACT_BELOW, few, many)
    both = alternative == "two_sided"
    if alternative == "less":
        b, c = c, b
    if variant in LESS:
        gap = np.maximum(abs(b - c) - LESS[variant], 0) if both else b - c - LESS[variant]
        pairs = np.maximum(n, 1)
        if both:
            p = scipy.special.chdtrc(1, gap**2 / pairs)
        else:
            p = scipy.special.ndtr(-gap / np.sqrt(pairs))
        return np.where(n == 0, 1.0, p)
    larger = np.maximum(b, c) if both else b
    at_least, beyond = (binomial_tail(larger + more, n) for more in (0, 1))
    if variant == "exact":
        return np.asarray(np.minimum(2 * at_least, 1.0) if both else at_least)
    if not both:
        return np.where(n == 0, 1.0, (at_least + beyond) / 2)
    # For b = c both tails hold the observed table, which 1 - pmf/2 counts by half once
    p = np.where(b == c, 1 - (at_least - beyond) / 2, at_least + beyond)
    return np.where(n == 0, 1.0, p)
