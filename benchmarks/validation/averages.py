"""Coverage of intervals of accuracies that are averaged over fixed data sets."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from benchmarks.validation.simulation import (
    COVERS,
    LEVEL,
    Claim,
    Line,
    Section,
    Simulation,
    Tally,
    tally,
)
from evallang.stats.intervals.stratified import stratified_t
from evallang.stats.strata import Strata

SECTION = Section(
    "averages",
    "Coverage: averages over data sets",
    "Accuracies are averaged over data sets of these sizes, each with the same weight. Those of "
    "single data sets are spread evenly from .06 below to .06 above the stated mean. The interval "
    "is symmetric, and too narrow where few examples are wrong.",
    ("interval", "sizes", "accuracy"),
    ("coverage",),
    of_errors=True,
)
Rng = np.random.Generator


def _simulation(sizes: tuple[int, ...], accuracy: float, claim: Claim) -> Simulation:
    codes = np.repeat(np.arange(len(sizes)), sizes)
    strata = Strata(codes, np.full(len(sizes), 1 / len(sizes)))
    rates = accuracy + np.linspace(-0.06, 0.06, len(sizes))

    def draw(rng: Rng, count: int) -> Mapping[str, Tally]:
        covered = []
        for _ in range(count):
            right = (rng.random(len(codes)) < rates[codes]).astype(np.float64)
            found = stratified_t(right, None, strata, LEVEL)
            assert found.low is not None and found.high is not None, "two examples or more"
            covered.append(found.low <= accuracy <= found.high)
        return {"covered": tally(covered)}

    words = ", ".join(map(str, sizes)), f"{accuracy:g}".removeprefix("0")
    line = Line(("`stratified_t`", *words), ("covered",), (claim,))
    return Simulation(f"{SECTION.key}: stratified_t, {words}", SECTION.key, 4_000, draw, (line,))


NARROW = Claim("below 95 %, above 90 %", 0.90, 0.95)
SIMULATIONS = (
    _simulation((15, 20, 30, 40, 60), 0.5, COVERS),
    _simulation((15, 20, 30, 40, 60), 0.9, NARROW),
    _simulation((100,) * 12, 0.7, COVERS),
)
