"""Size and power of `target_permutation`, by rows and by whole groups."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from benchmarks.validation.simulation import (
    NOMINAL,
    Claim,
    Line,
    Section,
    Simulation,
    Tally,
    inflated,
    new_seed,
    rejections,
)
from evallang.analyses.target_permutation import (
    Shuffled,
    compared_with_chance,
    exchangeable,
    shuffled_rows,
)
from evallang.protocols.protocol import PROTOCOLS, Rows

SECTION = Section(
    "shuffled_targets",
    "Type I error: shuffled targets",
    "A classifier by the distances from the centroids of two classes is tested against chance by "
    "its Brier score, on 19 shuffled targets under stratified 5-fold cross-validation (folds of "
    "whole groups where rows have groups). Features have nothing to do with the target, or a mean "
    "that differs by 0.8 standard deviations. Rows of a group share half of the variance of the "
    "features and have one target.",
    ("design", "exchanged"),
    ("p at most 5 %",),
)
ROUNDS = 19
REPLICATIONS = 2_000


def _score(
    x: NDArray[np.float64], y: NDArray[np.int64], groups: NDArray[np.int64] | None, seed: int
) -> float:
    """Return the Brier score over folds drawn by the strata of this target."""
    strata = y if groups is None else None
    rows = Rows(len(y), strata, groups, None, lambda repeat: seed)
    options = {**PROTOCOLS["cv"].defaults(), "folds": 5}
    losses = np.zeros(len(y))
    for split in PROTOCOLS["cv"].function(rows, **options):
        train, test = split.train, split.test
        ups = y[train] == 1
        if ups.all() or not ups.any():
            losses[test] = y[test] != y[train][0]
            continue
        first, second = x[train][~ups].mean(axis=0), x[train][ups].mean(axis=0)
        further = ((x[test] - second) ** 2).sum(axis=1) - ((x[test] - first) ** 2).sum(axis=1)
        losses[test] = (y[test] - 1 / (1 + np.exp(further / 2))) ** 2
    return float(losses.mean())


def _p(
    x: NDArray[np.float64],
    y: NDArray[np.int64],
    folds_of: NDArray[np.int64] | None,
    exchanged: NDArray[np.int64] | None,
    rng: np.random.Generator,
) -> float:
    """Return p where groups are kept in folds, and where `exchanged` ones exchange targets."""
    seed = new_seed(rng)
    units = exchangeable(y, exchanged, [()] * len(y))
    scores = [
        _score(x, y[shuffled_rows(len(y), units, rng)], folds_of, seed) for _ in range(ROUNDS)
    ]
    observed = _score(x, y, folds_of, seed)
    given = Shuffled("brier", "lower", len(y), observed, np.array(scores), math.inf, (), None)
    return compared_with_chance(given).p


def _rows(gap: float, words: str, claims: tuple[Claim, ...]) -> Simulation:
    y = np.repeat([0, 1], [20, 20])

    def draw(rng: np.random.Generator, count: int) -> Mapping[str, Tally]:
        found = []
        for _ in range(count):
            x = rng.standard_normal((40, 3))
            x[:, 0] += gap * y
            found.append(_p(x, y, None, None, rng))
        return rejections(found)

    line = Line((words, "rows"), ("5",), claims)
    return Simulation(f"{SECTION.key}: {words}, rows", SECTION.key, REPLICATIONS, draw, (line,))


def _groups(whole: bool, claims: tuple[Claim, ...]) -> Simulation:
    groups = np.repeat(np.arange(16), [2, 3, 4, 7] * 4)
    y = (groups % 8 < 4).astype(np.int64)

    def draw(rng: np.random.Generator, count: int) -> Mapping[str, Tally]:
        found = []
        for _ in range(count):
            x = rng.standard_normal((len(y), 3)) + rng.standard_normal((16, 3))[groups]
            found.append(_p(x, y, groups, groups if whole else None, rng))
        return rejections(found)

    exchanged = "whole groups" if whole else "single rows, for comparison"
    line = Line(("16 groups of 2 to 7 rows, no effect", exchanged), ("5",), claims)
    name = f"{SECTION.key}: groups, {'whole' if whole else 'rows'}"
    return Simulation(name, SECTION.key, REPLICATIONS, draw, (line,))


SIMULATIONS = (
    _rows(0.0, "40 rows, no effect", (NOMINAL,)),
    _rows(0.8, "40 rows, an effect", ()),
    _groups(True, (NOMINAL,)),
    _groups(False, (inflated(0.07),)),
)
