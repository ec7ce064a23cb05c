"""The usual simulation: one test, one design, a p-value from each replication."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from benchmarks.validation.simulation import (
    Claim,
    Line,
    Simulation,
    Tally,
    both_levels,
    rejections,
    under,
)

Draw = Callable[[np.random.Generator], float | None]
Design = tuple[str, str, Draw, int, Claim]  # test, design, p of one replication, how many, claim


def one_design(section: str, design: Design) -> Simulation:
    """Make the simulation of a test, written as in the language, under one design."""
    test, words, p, replications, claim = design

    def draw(rng: np.random.Generator, count: int) -> Mapping[str, Tally]:
        return under(test, rejections([p(rng) for _ in range(count)]))

    line = Line((f"`{test}`", words), both_levels(test), (claim,))
    name = f"{section}: {test}, {words}"
    return Simulation(name, section, replications, draw, (line,), max(replications // 10, 100))


def designs(section: str, *given: Design) -> Sequence[Simulation]:
    """Make the simulations of several designs."""
    return tuple(one_design(section, design) for design in given)
