"""The smallest difference that McNemar's test would have seen, approximately."""

import math
from statistics import NormalDist

POWER = 0.8


def smallest_difference(n: int, discordant: float, alpha: float) -> float | None:
    """Give the difference of two proportions that one test sees with 80 % power.

    Connor (1987) gives the n for a difference d and a share s of discordant pairs,
    n = (z(1 - alpha/2) sqrt(s) + z(power) sqrt(s - d²))² / d², by the normal
    approximation; this solves it for d. `n` counts the examples, `discordant` is s. None
    where even d = s, all discordant pairs on one side, would be missed.
    """
    if n < 1 or not 0 < discordant <= 1 or alpha / 2 == 0:
        return None
    two_sided, one_sided = -NormalDist().inv_cdf(alpha / 2), NormalDist().inv_cdf(POWER)

    def short(d: float) -> float:
        reach = two_sided * math.sqrt(discordant)
        reach += one_sided * math.sqrt(max(0.0, discordant - d * d))
        return d * math.sqrt(n) - reach

    low, high = 0.0, discordant
    if short(high) < 0:
        return None
    for _ in range(60):  # halvings: below the spacing of floats
        middle = (low + high) / 2
        low, high = (middle, high) if short(middle) < 0 else (low, middle)
    return high
