"""Rows that come in groups: tests that take them for independent, and the clustered forms."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from benchmarks.validation.simulation import (
    Claim,
    Line,
    Section,
    Simulation,
    Tally,
    inflated,
    new_seed,
    rejections,
    under,
)
from benchmarks.validation.tests_under_both_nulls import counted
from evallang.stats.hypothesis_tests.contingency import cochran, mcnemar
from evallang.stats.hypothesis_tests.losses import t
from evallang.stats.hypothesis_tests.ranking_curves import delong
from evallang.stats.hypothesis_tests.resampling_tests import bootstrap, permutation
from evallang.stats.hypothesis_tests.swapping import LossSwapper
from evallang.stats.intervals.resampling import DifferenceSample, LossSample

SECTION = Section(
    "groups",
    "Type I error: rows in groups",
    "Each group has ten rows. Each model has its own effect on each group, so that the rows of "
    "a group are correlated; over all groups the models are equal. The columns give rejections "
    "at 5 % by the clustered form and by the test that treats rows as independent. The "
    "bootstrap of whole groups needs many of them: with 20 groups it is liberal, while "
    "sign-flips of groups (`permutation`) keep the level.",
    ("test", "groups", "effect of groups"),
    ("clustered", "as if independent"),
)
ROWS = 10
ROUNDS = 1999
Rng = np.random.Generator
Floats = NDArray[np.float64]
Codes = NDArray[np.intp]
Pair = Callable[[Rng, int, float], tuple[float | None, float | None]]


def effects(rng: Rng, groups: int, models: int, spread: float) -> tuple[Codes, Floats]:
    """Draw the group of each row, and what the groups add for each model (n, models)."""
    codes = np.repeat(np.arange(groups), ROWS)
    shared = 0.5 * rng.standard_normal((groups, 1))
    return codes, (shared + spread * rng.standard_normal((groups, models)))[codes]


def _right(rng: Rng, groups: int, models: int, spread: float) -> tuple[Codes, NDArray[np.bool_]]:
    codes, added = effects(rng, groups, models, spread)
    return codes, rng.standard_normal(added.shape) < 0.8 + added


def _losses(rng: Rng, groups: int, spread: float) -> tuple[Codes, Floats, Floats]:
    codes, added = effects(rng, groups, 2, spread)
    first, second = ((rng.standard_normal(added.shape) + added) ** 2).T
    return codes, first, second


def _mcnemar(rng: Rng, groups: int, spread: float) -> tuple[float | None, float | None]:
    codes, right = _right(rng, groups, 2, spread)
    table = counted(right[:, 0], right[:, 1])
    clustered = mcnemar(table, correct=right, groups=codes, seed=new_seed(rng))
    return clustered.p, mcnemar(table).p


def _cochran(rng: Rng, groups: int, spread: float) -> tuple[float | None, float | None]:
    codes, right = _right(rng, groups, 4, spread)
    return cochran(right, codes, new_seed(rng)).p, cochran(right).p


def _delong(rng: Rng, groups: int, spread: float) -> tuple[float | None, float | None]:
    codes, added = effects(rng, groups, 2, spread)
    truth = rng.random(len(codes)) < 0.5
    # What a group adds speaks for the truth of its rows, or against it: its area is larger
    signal = truth * 1.0 - 0.5
    scores = signal[:, None] * (1.2 + added) + rng.standard_normal(added.shape)
    return delong(truth, scores, groups=codes).p, delong(truth, scores).p


def _t(rng: Rng, groups: int, spread: float) -> tuple[float | None, float | None]:
    codes, first, second = _losses(rng, groups, spread)
    return t(first, second, codes).p, t(first, second).p


def _permutation(rng: Rng, groups: int, spread: float) -> tuple[float | None, float | None]:
    codes, first, second = _losses(rng, groups, spread)

    def p(given: Codes | None) -> float | None:
        swapper = LossSwapper(first, second, groups=given)
        return permutation(swapper, seed=new_seed(rng), rounds=ROUNDS).p

    return p(codes), p(None)


def _bootstrap(rng: Rng, groups: int, spread: float) -> tuple[float | None, float | None]:
    codes, first, second = _losses(rng, groups, spread)

    def p(given: Codes | None) -> float | None:
        sample = DifferenceSample(LossSample(first, None, given), LossSample(second, None, given))
        return bootstrap(sample, seed=new_seed(rng), rounds=ROUNDS).p

    return p(codes), p(None)


def _simulation(
    test: str, p: Pair, groups: int, spread: float, replications: int, *claims: Claim
) -> Simulation:
    def draw(rng: Rng, count: int) -> Mapping[str, Tally]:
        clustered, plain = zip(*(p(rng, groups, spread) for _ in range(count)), strict=True)
        return {
            **under("clustered", rejections(clustered)),
            **under("plain", rejections(plain)),
        }

    cells = (f"`{test}`", f"{groups}", f"{spread:g}")
    line = Line(cells, ("clustered 5", "plain 5"), claims)
    name = f"{SECTION.key}: {test}, {groups}, {spread}"
    few = replications // 50
    return Simulation(name, SECTION.key, replications, draw, (line,), replications // 10, few)


KEPT = Claim("at most 6 %", 0.0, 0.06)
NEAR = Claim("at most 8 %", 0.0, 0.08)

SIMULATIONS = (
    *(
        _simulation("mcnemar", _mcnemar, groups, spread, 10_000, KEPT, plain)
        for spread, plain in ((0.4, inflated(0.06)), (1.0, inflated(0.12)))
        for groups in (10, 20, 40, 100)
    ),
    *(
        _simulation("cochran", _cochran, groups, 1.0, 500, KEPT, inflated(0.12))
        for groups in (20, 50)
    ),
    *(_simulation("t", _t, groups, 0.7, 10_000, KEPT, inflated(0.07)) for groups in (10, 20, 50)),
    *(
        _simulation("permutation", _permutation, groups, 0.7, 4_000, KEPT, inflated(0.07))
        for groups in (12, 50)
    ),
    *(
        _simulation("delong", _delong, groups, 1.0, 10_000, NEAR, inflated(0.07))
        for groups in (20, 50)
    ),
    *(
        _simulation("bootstrap", _bootstrap, groups, 0.7, 2_000, *claims)
        for groups, claims in ((20, ()), (50, ()), (100, (NEAR, inflated(0.07))))
    ),
)
