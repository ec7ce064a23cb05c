"""Simultaneous coverage of the differences between subgroups and the rest."""

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
    at_least,
    tally,
)
from evallang.stats.intervals.differences import newcombe_independent

SECTION = Section(
    "subgroups",
    "Simultaneous coverage: subgroups and the rest",
    "`measure accuracy within COLUMN` gives the difference between each level and all other rows, "
    "with intervals that hold together: those of both shares, combined by Zou and Donner's method, "
    "each at Bonferroni's level. The accuracy of the first level is lower by the stated points. "
    "The figures are how often one interval at the plain level, the first, holds its difference, "
    "and how often all do at the simultaneous one.",
    ("levels", "accuracy"),
    ("one, plain", "all, simultaneous"),
)
Rng = np.random.Generator


def _covered(right: list[int], sizes: tuple[int, ...], truth: list[float], level: float) -> list[
    bool
]:  # fmt: skip
    found = []
    for i, size in enumerate(sizes):
        rest, others = sum(right) - right[i], sum(sizes) - size
        interval = newcombe_independent(((right[i], size), (rest, others)), level)
        of_rest = sum(p * s for j, (p, s) in enumerate(zip(truth, sizes, strict=True)) if j != i)
        gap = truth[i] - of_rest / others
        low, high = interval.low, interval.high
        found.append(low is not None and high is not None and low <= gap <= high)
    return found


def _simulation(
    sizes: tuple[int, ...], accuracy: float, lower: float, claims: tuple[Claim, ...]
) -> Simulation:
    truth = [accuracy - lower, *(accuracy for _ in sizes[1:])]

    def draw(rng: Rng, count: int) -> Mapping[str, Tally]:
        one, every = [], []
        for _ in range(count):
            right = rng.binomial(sizes, truth).tolist()
            one.append(_covered(right, sizes, truth, LEVEL)[0])
            every.append(all(_covered(right, sizes, truth, 1 - (1 - LEVEL) / len(sizes))))
        return {"one": tally(one), "all": tally(every)}

    levels = ", ".join(map(str, sizes))
    words = f"{accuracy:.0%}" + (f", {100 * lower:g} points lower" if lower else "")
    line = Line((f"n = {levels}", words), ("one", "all"), claims)
    name = f"{SECTION.key}: {levels}, {words}"
    return Simulation(name, SECTION.key, 10_000, draw, (line,), 1_000)


KEPT = at_least(0.94)
SIMULATIONS = (
    _simulation((30, 30, 30), 0.9, 0.0, (COVERS, KEPT)),
    _simulation((30, 60, 100, 300), 0.9, 0.2, (COVERS, KEPT)),
    _simulation((30, 60, 100, 300), 0.98, 0.0, (KEPT, KEPT)),
    _simulation((50,) * 8, 0.8, 0.1, (COVERS, KEPT)),
)
