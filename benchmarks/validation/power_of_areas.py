"""Power of DeLong's test and width of its interval, simulated and as `analyze power` has them."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from scipy import special

from benchmarks.validation.simulation import (
    ALPHA,
    Claim,
    Line,
    Section,
    Simulation,
    Tally,
    computed,
    tally,
)
from evallang.stats.hypothesis_tests.ranking_curves import delong
from evallang.stats.power_of_metrics import Areas, areas

SECTION = Section(
    "auc_power",
    "DeLong's test: power and width of its interval",
    "The table gives the share of samples of normal scores in which p is at most 5 %, the power "
    "that `analyze power` computes for the same assumptions, and the mean width of the 95 % "
    "interval of the difference next to the one that it computes. With few examples of a class and "
    "an area near 1 the computed power is too low.",
    ("n", "areas", "positive", "correlation"),
    ("simulated power", "computed power", "mean width", "computed width"),
)
KEYS = ("power", "computed", "width", "computed width")
DESIGNS = (
    (200, 0.8, 0.87, 0.5, 0.5),
    (400, 0.7, 0.78, 0.25, 0.3),
    (600, 0.85, 0.89, 0.2, 0.7),
    (1000, 0.6, 0.64, 0.5, 0.8),
    (200, 0.95, 0.98, 0.2, 0.7),
)
REPLICATIONS = 4_000
NEAR = 0.02  # distance of simulated and computed power
FEW = 50  # examples of the rarer class below which no claim is made


def _simulation(
    n: int, weaker: float, better: float, positives: float, correlation: float
) -> Simulation:
    gap, ups = better - weaker, round(n * positives)
    relation = areas(Areas(weaker, positives, correlation), ALPHA)
    assert relation.width is not None, "DeLong's test has an interval"
    power, width = relation.chance(gap, n), relation.width(gap, n)
    shift = math.sqrt(2) * special.ndtri([better, weaker])
    truth = np.arange(n) < ups

    def draw(rng: np.random.Generator, count: int) -> Mapping[str, Tally]:
        rejected, widths = [], []
        for _ in range(count):
            scores = rng.standard_normal((n, 2))
            scores[:, 1] *= math.sqrt(1 - correlation**2)
            scores[:, 1] += correlation * scores[:, 0]
            scores[:ups] += shift
            found = delong(truth, scores)
            rejected.append(found.p is not None and found.p <= ALPHA)
            assert found.estimate is not None, "DeLong's test estimates the difference"
            low, high = found.estimate.low, found.estimate.high
            if low is not None and high is not None:
                widths.append(high - low)
        # What is computed is the same in every block
        return {
            "power": tally(rejected),
            "computed": computed(power),
            "width": tally(widths),
            "computed width": computed(width),
        }

    claim = Claim("computed power, within 2", power - NEAR, power + NEAR)
    claims = (claim,) if min(ups, n - ups) >= FEW else ()
    cells = (f"{n:,}", f"{weaker:g}, {better:g}", f"{100 * positives:g} %", f"{correlation:g}")
    name = f"{SECTION.key}: {n}, {weaker}, {better}, {positives}, {correlation}"
    return Simulation(
        name, SECTION.key, REPLICATIONS, draw, (Line(cells, KEYS, claims),), REPLICATIONS
    )


SIMULATIONS = tuple(_simulation(*design) for design in DESIGNS)
