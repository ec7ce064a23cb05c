"""Few members of a class: intervals of an area, of a recall, and the test of two areas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import special

from benchmarks.validation.simulation import (
    COVERS,
    LEVEL,
    NOMINAL,
    ROUGHLY,
    ROUGHLY_COVERS,
    Claim,
    Line,
    Section,
    Simulation,
    Tally,
    held,
    rejections,
    tally,
    under,
)
from evallang.stats.hypothesis_tests.ranking_curves import delong as delong_test
from evallang.stats.intervals.proportions import wilson
from evallang.stats.intervals.ranking import cv_auc, delong

COVERAGE = Section(
    "few_coverage",
    "Coverage: few of a class",
    "The scorer is fixed and its true area is known, as is its recall at a fixed threshold; the "
    "number of positives is fixed. The scores of the positives are normal with the standard "
    "deviation of the negatives, normal with twice that standard deviation, or exponential. "
    "Every fold has the same number of positives.",
    ("interval", "positives", "design"),
    ("coverage",),
)
SIZE = Section(
    "few_size",
    "Type I error: two areas, few of a class",
    "Two fixed scorers have the same true area and normal scores with a correlation of one half.",
    ("test", "positives", "design"),
    ("at 5 %", "at 1 %"),
)
Rng = np.random.Generator
Floats = NDArray[np.float64]
NEAR_ONE = (
    "With few positives and an area near 1, DeLong's interval is too narrow, because the sample "
    "often contains none of the positives with low scores. A warning (W440) or a note states "
    "this, depending on the number of positives times the distance of the area from 1."
)


def _scores(rng: Rng, shape: str, area: float, up: int, down: int) -> Floats:
    """Draw the scores of `up` positives, then of `down` negatives."""
    if shape == "exponential":
        return np.r_[rng.exponential(area / (1 - area), up), rng.exponential(1.0, down)]
    spread = 2.0 if shape == "twice the spread" else 1.0
    gap = sqrt(1 + spread**2) * float(special.ndtri(area))
    return np.r_[gap + spread * rng.standard_normal(up), rng.standard_normal(down)]


def _area(shape: str, area: float, up: int, n: int, folds: int, *claims: Claim) -> Simulation:
    truth = np.arange(n) < up
    fold = np.r_[np.arange(up) % folds, np.arange(n - up) % folds]

    def draw(rng: Rng, count: int) -> Mapping[str, Tally]:
        kept = []
        for _ in range(count):
            scores = _scores(rng, shape, area, up, n - up)
            found = (
                delong(truth, scores, LEVEL) if folds == 1 else cv_auc(truth, scores, fold, LEVEL)
            )
            kept.append(held(found.low, found.high, area))
        return {"held": tally(kept)}

    where = "one test set" if folds == 1 else f"{folds} folds"
    design = f"AUC {area:g}, n = {n}, {where}, {shape}"
    interval = "delong" if folds == 1 else "cv_auc"
    line = Line((f"`{interval}`", str(up), design), ("held",), claims, NEAR_ONE)
    name = f"{COVERAGE.key}: {interval}, {up}, {design}"
    return Simulation(name, COVERAGE.key, 10_000, draw, (line,), 1_000)


def _recall(up: int, recall: float, *claims: Claim) -> Simulation:
    def draw(rng: Rng, count: int) -> Mapping[str, Tally]:
        hits = rng.binomial(up, recall, count).tolist()
        found = [wilson(hit, up, LEVEL) for hit in hits]
        return {"held": tally([held(i.low, i.high, recall) for i in found])}

    line = Line(("`wilson`", str(up), f"recall {recall:g}"), ("held",), claims)
    return Simulation(
        f"{COVERAGE.key}: wilson, {up}, {recall}", COVERAGE.key, 40_000, draw, (line,), 4_000
    )


def _size(area: float, up: int, n: int, folds: int, *claims: Claim) -> Simulation:
    truth = np.arange(n) < up
    fold = None if folds == 1 else np.r_[np.arange(up) % folds, np.arange(n - up) % folds]
    gap = sqrt(2) * float(special.ndtri(area))

    def p(rng: Rng) -> float | None:
        shared, own = rng.standard_normal((n, 1)), rng.standard_normal((n, 2))
        return delong_test(truth, gap * truth[:, None] + sqrt(0.5) * (shared + own), fold).p

    def draw(rng: Rng, count: int) -> Mapping[str, Tally]:
        return under("delong", rejections([p(rng) for _ in range(count)]))

    where = "one test set" if folds == 1 else f"{folds} folds"
    design = f"AUC {area:g}, n = {n}, {where}"
    line = Line(
        ("`delong`", str(up), design),
        ("delong 5", "delong 1"),
        claims,
        "On one test set DeLong's test compares z with the normal distribution and rejects too "
        "often with ten positives; W440 states this, and `permutation` keeps its level.",
    )
    return Simulation(f"{SIZE.key}: {up}, {design}", SIZE.key, 10_000, draw, (line,), 1_000)


Design = tuple[float, int, int, int]
_FEW: tuple[Design, ...] = (
    (0.8, 10, 100, 1), (0.9, 10, 200, 1), (0.95, 10, 200, 1), (0.8, 20, 200, 1), (0.9, 20, 200, 1),
    (0.95, 20, 1000, 1), (0.9, 50, 500, 1), (0.95, 50, 1000, 1),
    (0.8, 10, 100, 2), (0.8, 10, 100, 5), (0.9, 10, 200, 5), (0.8, 20, 200, 5),
    (0.9, 20, 200, 5), (0.8, 20, 200, 10), (0.9, 50, 500, 10),
)  # fmt: skip
_SHAPES: tuple[str, ...] = ("normal", "twice the spread", "exponential")
_Found = Callable[[str, Design], Simulation]

SIMULATIONS = (
    *(_area(shape, *design, COVERS if design[1] == 50 else ROUGHLY_COVERS)
      for design in _FEW for shape in _SHAPES),
    *(_recall(up, recall, ROUGHLY_COVERS) for up in (10, 20, 50) for recall in (0.7, 0.9)),
    *(_size(area, up, n, folds, NOMINAL if up == 50 else ROUGHLY)
      for up, n in ((10, 100), (20, 200), (50, 500))
      for folds in (1, 2, 5, *((10,) if up > 10 else ()))
      for area in (0.6, 0.8)),
)  # fmt: skip
