"""How often all intervals of ranks of a leaderboard hold together, and how wide they are."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from benchmarks.validation.simulation import (
    ALPHA,
    Claim,
    Line,
    Section,
    Simulation,
    Tally,
    at_least,
    new_seed,
    tally,
)
from evallang.analyses.leaderboard import leaderboard
from evallang.engine.estimate_analyses import Ranking
from evallang.results.records import Comparison, Estimate, Family
from evallang.stats.corrections.joint_corrections import max_t, swapped_p
from evallang.stats.hypothesis_tests.resampling_tests import permutation
from evallang.stats.hypothesis_tests.swapping import LossSwapper, joint_swaps
from evallang.stats.strata import Strata
from evallang.study import Method

SECTION = Section(
    "ranks_of_models",
    "Coverage: ranks on a leaderboard",
    "Accuracies are averaged over five data sets of 100, 125, 150, 175 and 200 examples, each with "
    "the same weight, and pairs are tested by `permutation max_t` with 999 rounds. Examples that "
    "are difficult are so for all models. Models of equal accuracy share the ranks of their group. "
    "The figures are how often the intervals of all ranks hold together, and the mean width of an "
    "interval as a share of the whole range; `narrowest` is that of the narrowest intervals that "
    "hold.",
    ("analysis", "models", "narrowest"),
    ("all ranks covered", "width"),
    of_errors=False,
)
Floats = NDArray[np.float64]
SIZES = np.array([100, 125, 150, 175, 200])
ROUNDS = 999


def _board(right: Floats, strata: Strata, rng: np.random.Generator) -> Any:
    """Return the leaderboard of answers (models, n), by the averages over data sets."""
    values, n = right * strata.weights(), right.shape[1]
    pairs = list(combinations(range(len(right)), 2))
    swappers = [LossSwapper(values[i], values[j], shares=strata.weights() / n) for i, j in pairs]
    tests = [permutation(one, seed=new_seed(rng), rounds=ROUNDS) for one in swappers]
    p = [test.p for test in tests]
    drawn = joint_swaps(swappers, np.random.default_rng(new_seed(rng)), ROUNDS)
    adjusted = max_t(p, swapped_p(drawn, "two_sided", [s.estimate() for s in swappers], p))
    decided = tuple(
        replace(test, models=(str(i), str(j)), p_adjusted=one, reject=(one or 0.0) <= ALPHA)
        for test, one, (i, j) in zip(tests, adjusted, pairs, strict=True)
    )
    family = Family(len(pairs), "max_t", exploratory=False)
    where = "", None, None, "accuracy"
    compared = Comparison(0, *where, ALPHA, family, None, decided, True, None)
    found = tuple(
        Estimate(None, None, str(i), "accuracy", float(x), "", None, None, n, "")
        for i, x in enumerate(values.mean(axis=1))
    )
    study: Any = None
    return leaderboard(Ranking(study, study, Method("accuracy"), compared, found))


def _simulation(words: str, rates: Floats, replications: int, claim: Claim) -> Simulation:
    """Make the simulation of models with rates (models, 5) on the data sets."""
    codes = np.repeat(np.arange(len(SIZES)), SIZES)
    strata = Strata(codes, np.full(len(SIZES), 1 / len(SIZES)))
    mean = rates.mean(axis=1).round(12)
    low = 1 + (mean[:, None] < mean).sum(axis=1)
    high = len(mean) - (mean[:, None] > mean).sum(axis=1)
    whole = len(mean) - 1

    def draw(rng: np.random.Generator, count: int) -> Mapping[str, Tally]:
        covered, widths = [], []
        for _ in range(count):
            chances = rates[:, codes] + rng.uniform(-0.2, 0.2, len(codes))
            right = (rng.random(chances.shape) < chances).astype(np.float64)
            models = _board(right, strata, rng).models
            held = (
                one.low_rank <= low[int(one.model)] and high[int(one.model)] <= one.high_rank
                for one in models
            )
            covered.append(all(held))
            widths.append(np.mean([one.high_rank - one.low_rank for one in models]) / whole)
        return {"covered": tally(covered), "width": tally(widths)}

    narrowest = f"{100 * (high - low).mean() / whole:.0f} %"
    line = Line(("`leaderboard`", words, narrowest), ("covered", "width"), (claim,))
    name = f"{SECTION.key}: {words}"
    return Simulation(name, SECTION.key, replications, draw, (line,), max(replications // 10, 20))


def _rates(*of_models: float) -> Floats:
    return np.repeat(np.array(of_models)[:, None], len(SIZES), axis=1)


TURNS = 0.15 * np.array([1, -1, 1, -1, 0]) * np.array([[1], [-1], [1], [-1], [1], [-1]])
DESIGNS = (
    ("six equal", _rates(*[0.6] * 6)),
    ("two groups of three, .1 apart", _rates(*[0.65] * 3, *[0.55] * 3)),
    ("six, each .03 above the next", _rates(*np.linspace(0.675, 0.525, 6))),
    ("six equal averages, data sets up to .3 apart", _rates(*[0.6] * 6) + TURNS),
)
SIMULATIONS = tuple(_simulation(*design, 500, at_least(0.95)) for design in DESIGNS)
