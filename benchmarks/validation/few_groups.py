"""Coverage of the intervals of a mean over few groups of unlike sizes."""

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
    new_seed,
    tally,
)
from evallang.stats.hypothesis_tests.losses import t
from evallang.stats.intervals.few_groups import wild_clusters

SECTION = Section(
    "few_groups_coverage",
    "Coverage: means over few groups",
    "Losses have an effect of their group as large as their own spread; groups are alike in size "
    "or one holds half of all rows, and losses are normal or log-normal. The figures are how often "
    "95 % intervals hold the mean: by the wild cluster bootstrap with Webb's weights, and by t "
    "with Satterthwaite's degrees of freedom (CR2), on the same samples.",
    ("interval", "design"),
    ("held", "t, CR2"),
)
Rng = np.random.Generator
SKEWED = (
    "with log-normal losses the mean of a few groups is mostly too small, and its spread with it: "
    "no interval from the groups alone covers 95 %."
)


def _simulation(
    sizes: tuple[int, ...], words: str, skewed: bool, claims: tuple[Claim, ...], shortfall: str = ""
) -> Simulation:
    groups = np.repeat(np.arange(len(sizes)), sizes)

    def drawn(rng: Rng) -> NDArray[np.float64]:
        rows = rng.standard_normal(len(groups)) + rng.standard_normal(len(sizes))[groups]
        return np.asarray(np.exp(rows)) if skewed else rows

    truth = float(np.exp(1.0)) if skewed else 0.0  # of exp of a normal with variance 2

    def draw(rng: Rng, count: int) -> Mapping[str, Tally]:
        wild, by_t = [], []
        for _ in range(count):
            losses = drawn(rng)
            found = wild_clusters(losses, groups, LEVEL, new_seed(rng), rounds=499)
            wild.append(found.low is None or found.high is None or found.low <= truth <= found.high)
            plain = t(losses, np.zeros(len(losses)), groups, LEVEL).estimate
            by_t.append(
                plain is None
                or plain.low is None
                or plain.high is None
                or plain.low <= truth <= plain.high
            )
        return {"held": tally(wild), "t": tally(by_t)}

    line = Line(("`wild_clusters`", words), ("held", "t"), claims, shortfall)
    return Simulation(f"{SECTION.key}: {words}", SECTION.key, 2_000, draw, (line,), 250)


COVERED = (ROUGHLY_COVERS,)
SIMULATIONS = (
    _simulation((10,) * 8, "8 groups of 10, normal", False, COVERED),
    _simulation((5,) * 7 + (35,), "8 groups, one has half, normal", False, COVERED),
    _simulation((3, 4, 6, 8, 10, 12, 15, 18, 20, 24, 30), "11 groups of 3 to 30, normal", False,
                COVERED),
    _simulation((10,) * 8, "8 groups of 10, log-normal", True, COVERED, SKEWED),
)  # fmt: skip
