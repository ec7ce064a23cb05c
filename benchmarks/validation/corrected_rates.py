"""Coverage of the interval of a corrected rate, whose judge errs by an unknown share."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from benchmarks.validation.simulation import (
    LEVEL,
    ROUGHLY_COVERS,
    Claim,
    Line,
    Section,
    Simulation,
    Tally,
    at_least,
    held,
    tally,
)
from evallang.stats.intervals.proportions import lang_reiczigel

SECTION = Section(
    "corrected_rates",
    "Coverage: rates corrected for the errors of a judge",
    "A judge labels all examples, and humans label the first of them. With groups, the rate, the "
    "sensitivity and the specificity of each are drawn from beta distributions with the stated "
    "means (standard deviation 0.22 around a mean of 1/2).",
    ("interval", "design"),
    ("coverage",),
)
Rng = np.random.Generator


def _shares(rng: Rng, mean: float, groups: NDArray[np.int64] | None) -> NDArray[np.float64]:
    """Draw the share of each example's group, or return the mean."""
    if groups is None:
        return np.asarray(mean)
    return rng.beta(4 * mean, 4 * (1 - mean), int(groups.max()) + 1)[groups]


def _simulation(
    labelled: int,
    rate: float,
    sensitivity: float,
    specificity: float,
    n_groups: int = 0,
    claim: Claim = ROUGHLY_COVERS,
    n: int = 1_000,
) -> Simulation:
    def draw(rng: Rng, count: int) -> Mapping[str, Tally]:
        kept = []
        for _ in range(count):
            groups = rng.integers(0, n_groups, n) if n_groups else None
            truth = rng.random(n) < _shares(rng, rate, groups)
            wrong = np.where(
                truth,
                rng.random(n) >= _shares(rng, sensitivity, groups),
                rng.random(n) >= _shares(rng, specificity, groups),
            )
            by_humans = np.where(np.arange(n) < labelled, truth, -1)
            found = lang_reiczigel(np.column_stack([truth ^ wrong, by_humans]), groups, LEVEL)
            kept.append(found.low is None or held(found.low, found.high, rate))
        return {"held": tally(kept)}

    design = f"{labelled} of {n:,} labelled, rate {rate:g}, sensitivity {sensitivity:g}, "
    design += f"specificity {specificity:g}" + (f", {n_groups} groups" if n_groups else "")
    line = Line(("`lang_reiczigel`", design), ("held",), (claim,))
    return Simulation(f"{SECTION.key}: {design}", SECTION.key, 4_000, draw, (line,), 500)


WIDE = at_least(0.93)  # where few are labelled, and close to a rate of 0
SIMULATIONS = (
    _simulation(100, 0.5, 0.9, 0.85),
    _simulation(100, 0.5, 0.99, 0.85),
    _simulation(60, 0.5, 1.0, 0.9),
    _simulation(200, 0.8, 0.75, 0.8),
    _simulation(100, 0.05, 0.9, 0.95),
    _simulation(30, 0.5, 0.9, 0.9, claim=WIDE),
    _simulation(10, 0.5, 0.9, 0.9, claim=WIDE),
    _simulation(300, 0.3, 0.9, 0.8, n=300),
    _simulation(200, 0.5, 0.9, 0.85, 100),
    _simulation(300, 0.2, 0.95, 0.95, 60),
)
