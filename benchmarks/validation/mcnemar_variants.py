"""Size and power of the variants of McNemar's test, added up over all tables."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from benchmarks.validation.simulation import (
    ALPHA,
    Claim,
    Line,
    Section,
    Simulation,
    Tally,
    computed,
)
from evallang.stats.hypothesis_tests.contingency import mcnemar

VARIANTS = ("exact", "midp", "chi2", "corrected", "textbook")
SIZE = Section(
    "mcnemar_size",
    "McNemar's test: size of its variants",
    "The table gives the probability of p <= 5 % if both models are right equally often, summed "
    "over all tables of n examples, without Monte Carlo error. `midp` is the default; `require` "
    "uses `exact`.",
    ("n", "discordant"),
    VARIANTS,
)
POWER = Section(
    "mcnemar_power",
    "McNemar's test: power of its variants",
    "The table gives the probability of p <= 5 % if the first model is right more often, summed "
    "over all tables.",
    ("n", "discordant", "difference"),
    VARIANTS,
)
SIZES = tuple((n, share) for n in (50, 100, 200, 500) for share in (0.05, 0.1, 0.2, 0.4))
POWERS = (
    (100, 0.2, 0.1),
    (200, 0.1, 0.05),
    (200, 0.2, 0.1),
    (500, 0.1, 0.03),
    (500, 0.1, 0.05),
    (1000, 0.05, 0.02),
)
CLAIMS = (
    Claim("exact and corrected at most 5 %", 0.0, ALPHA),
    Claim("midp at most 5.4 %", 0.0, 0.054),
)
TINY = 1e-12  # chance of numbers of discordant examples that are excluded


@cache
def _rejected(discordant: int) -> NDArray[np.bool_]:
    """Tell for b = 0, ..., discordant which variants reject, (discordant + 1, variants)."""
    rows = []
    for b in range(discordant // 2 + 1):
        found = mcnemar(((0, b), (discordant - b, 0)), method="textbook")
        p = [found.extra[f"p_{variant}"] for variant in VARIANTS[:-1]]
        rows.append([isinstance(x, float) and x <= ALPHA for x in (*p, found.p)])
    # With b and c exchanged all is the same
    return np.array(rows + rows[::-1][1 - discordant % 2 :])


def _binomial(n: int, share: float) -> NDArray[np.float64]:
    k = np.arange(n + 1.0)
    logs = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    chances: NDArray[np.float64] = np.exp(
        logs + special.xlogy(k, share) + special.xlog1py(n - k, -share)
    )
    return chances


def _chances(n: int, share: float, difference: float) -> NDArray[np.float64]:
    """Add up the chance that each variant rejects."""
    first = (share + difference) / (2 * share)
    total = np.zeros(len(VARIANTS))
    for discordant, chance in enumerate(_binomial(n, share).tolist()):
        if chance > TINY:
            total += chance * (_binomial(discordant, first) @ _rejected(discordant))
    return total


def _simulation(section: Section, n: int, share: float, difference: float) -> Simulation:
    cells: tuple[str, ...] = (f"{n:,}", f"{100 * share:g} %")
    if section is POWER:
        cells = (*cells, f"{100 * difference:g} points")

    def draw(rng: np.random.Generator, count: int) -> Mapping[str, Tally]:
        chances = _chances(n, share, difference).tolist()
        return dict(zip(VARIANTS, map(computed, chances), strict=True))

    claims = CLAIMS if section is SIZE else ()
    name = f"{section.key}: {n}, {share}, {difference}"
    return Simulation(name, section.key, 0, draw, (Line(cells, VARIANTS, claims),))


SIMULATIONS = (
    *(_simulation(SIZE, n, share, 0.0) for n, share in SIZES),
    *(_simulation(POWER, n, share, difference) for n, share, difference in POWERS),
)
