"""Several readers of the same examples, or networks: the Obuchowski-Rockette test and interval."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import special

from benchmarks.validation.simulation import (
    LEVEL,
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
)
from evallang.stats.hypothesis_tests.readers import obuchowski_rockette
from evallang.stats.intervals.readers import (
    ENOUGH_READERS,
    obuchowski_rockette as interval,
    score_areas,
    score_means,
)

SIZE = Section(
    "readers",
    "Type I error: several readers",
    "Two models, each used by all readers on the same examples. The scores are those of Roe and "
    "Metz: normal, with effects of example, reader and model of which a part is shared. The models "
    "have the same area, .86, on average over readers and examples.",
    ("test", "design"),
    ("at 5 %", "at 1 %"),
)
COVERAGE = Section(
    "readers_coverage",
    "Coverage: several readers",
    "The same scores; the true value is the area, or the accuracy, of a model on average over "
    "readers and examples.",
    ("interval", "design"),
    ("coverage",),
)
NETWORKS = Section(
    "networks",
    "Coverage: networks of several seeds",
    "Two models, each trained with several seeds; all networks predict the same examples. One "
    "is right where the sum of normal effects of the example, of model and example, of the network "
    "and of both is above a limit, so that each model has the same expected accuracy, .8. The "
    "difference of the models is 0: its interval covers it where the test does not reject at 5 %.",
    ("interval", "design"),
    ("coverage",),
)
FEW_READERS = (
    "With three or four readers the interval of one model is too narrow, because their spread is "
    "known too poorly. A note states this; the test of two models keeps its level."
)
Rng = np.random.Generator
GAP = 1.5
SHARED = {"example": 0.3, "model and example": 0.3, "reader and example": 0.2}
OWN = 1 - sum(SHARED.values())


def _scores(rng: Rng, n: int, readers: int, spread: float) -> tuple[NDArray[np.bool_], NDArray]:
    """Draw truth (n,), half of them positive, and scores (n, 2, readers)."""
    truth = np.arange(n) % 2 == 1
    draw = rng.standard_normal
    scores = (
        sqrt(SHARED["example"]) * draw((n, 1, 1))
        + sqrt(SHARED["model and example"]) * draw((n, 2, 1))
        + sqrt(SHARED["reader and example"]) * draw((n, 1, readers))
        + sqrt(OWN) * draw((n, 2, readers))
    )
    # What a reader adds, alone and with a model, differs between positives and negatives
    added = sqrt(spread) * (draw((2, 1, readers)) + draw((2, 2, readers)))
    return truth, scores + GAP * truth[:, None, None] + added[truth.astype(int)]


def _area(spread: float) -> float:
    return float(special.ndtr(GAP / sqrt(2 + 4 * spread)))


def _simulation(n: int, readers: int, spread: float, *claims: Claim) -> Simulation:
    def draw(rng: Rng, count: int) -> Mapping[str, Tally]:
        p = []
        for _ in range(count):
            found = score_areas(*_scores(rng, n, readers, spread))
            p.append(obuchowski_rockette(found, LEVEL).p)
        return rejections(p)

    design = f"area, {readers} readers, {n} examples, {_words(spread)}"
    line = Line(("`obuchowski_rockette`", design), ("5", "1"), claims)
    return Simulation(f"{SIZE.key}: {design}", SIZE.key, 10_000, draw, (line,), 500)


def _coverage(metric: str, n: int, readers: int, spread: float, *claims: Claim) -> Simulation:
    # Right where a score is on the side of its class; halfway between both means
    truth_value = _area(spread)
    if metric == "accuracy":
        truth_value = float(special.ndtr(GAP / 2 / sqrt(1 + 2 * spread)))

    def draw(rng: Rng, count: int) -> Mapping[str, Tally]:
        kept = []
        for _ in range(count):
            truth, scores = _scores(rng, n, readers, spread)
            one = scores[:, :1]
            if metric == "accuracy":
                found = score_means((one > GAP / 2) == truth[:, None, None])
            else:
                found = score_areas(truth, one)
            bounds = interval(found, (0.0, 1.0), LEVEL)
            kept.append(held(bounds.low, bounds.high, truth_value))
        return {"held": tally(kept)}

    design = f"{metric}, {readers} readers, {n} examples, {_words(spread)}"
    shortfall = FEW_READERS if readers < ENOUGH_READERS else ""
    line = Line(("`obuchowski_rockette`", design), ("held",), claims, shortfall)
    return Simulation(f"{COVERAGE.key}: {design}", COVERAGE.key, 10_000, draw, (line,), 500)


def _words(spread: float) -> str:
    return f"readers' variance {spread:g}"


def _networks(n: int, seeds: int, spread: float, *, shared: float = 1.0) -> Simulation:
    """Return the coverage with networks that vary by `spread`, and examples by `shared`."""
    scale = sqrt(1 + spread**2 + shared**2 + 0.25)
    limit = float(special.ndtri(0.2)) * scale

    def draw(rng: Rng, count: int) -> Mapping[str, Tally]:
        of_one, of_two = [], []
        for _ in range(count):
            normal = rng.standard_normal
            sums = shared * normal((n, 1, 1)) + 0.5 * normal((n, 2, 1))
            sums = sums + spread * normal((1, 2, seeds)) + normal((n, 2, seeds))
            found = score_means(sums > limit, nested=True)
            gap = obuchowski_rockette(found, LEVEL).estimate
            of_two.append(held(gap and gap.low, gap and gap.high, 0.0))
            bounds = interval(score_means(sums[:, :1] > limit, nested=True), (0.0, 1.0), LEVEL)
            of_one.append(held(bounds.low, bounds.high, 0.8))
        return {"one": tally(of_one), "two": tally(of_two)}

    design = f"{seeds} seeds, {n} examples, networks' SD {spread:g}, examples' SD {shared:g}"
    shortfall = FEW_READERS if seeds < ENOUGH_READERS else ""
    lines = (
        Line(("of one model", design), ("one",), (ROUGHLY_COVERS,), shortfall),
        Line(("of the difference", design), ("two",), (ROUGHLY_COVERS,)),
    )
    return Simulation(f"{NETWORKS.key}: {design}", NETWORKS.key, 10_000, draw, lines, 500)


SIMULATIONS = (
    _simulation(50, 3, 0.0055, ROUGHLY),
    _simulation(100, 5, 0.0055, ROUGHLY),
    _simulation(100, 5, 0.056, ROUGHLY),
    _simulation(200, 10, 0.056, ROUGHLY),
    _coverage("area", 100, 3, 0.056, ROUGHLY_COVERS),
    _coverage("area", 100, 5, 0.0055, ROUGHLY_COVERS),
    _coverage("area", 100, 5, 0.056, ROUGHLY_COVERS),
    _coverage("area", 200, 10, 0.056, ROUGHLY_COVERS),
    _coverage("accuracy", 100, 5, 0.056, ROUGHLY_COVERS),
    _networks(100, 3, 0),
    _networks(100, 3, 0.1),
    _networks(100, 3, 0.5),
    _networks(100, 5, 0.5),
    _networks(1000, 3, 0.1),
    _networks(1000, 5, 0.5),
    _networks(100, 3, 0, shared=3.0),
)
