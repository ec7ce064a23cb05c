"""Several readers of the same examples, or networks: the Obuchowski-Rockette test and interval."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import special

from benchmarks.validation.averages import COUNTED, pseudo_values
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
from evallang.metrics.metric import METRICS, Outcome
from evallang.stats.hypothesis_tests.readers import obuchowski_rockette
from evallang.stats.intervals.readers import (
    ENOUGH_READERS,
    obuchowski_rockette as interval,
    score_areas,
    score_means,
)
from evallang.stats.intervals.resampling import SumSample

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
OF_COUNTS = Section(
    "networks_pseudo_values",
    "Coverage: F1, MCC and R² of networks of several seeds",
    "Two models of equal skill, each trained with several seeds; all networks predict the same "
    "examples. Of two classes one example in ten is positive, and networks differ in how many "
    "positives they find; of regression they differ by a constant. The covariance over examples "
    "is that of jackknife pseudo-values. The true value is the mean over networks of what each has "
    "on the whole population.",
    ("interval", "metric", "seeds", "examples"),
    ("coverage",),
)
FEW_READERS = (
    "With fewer than ten readers or networks the interval of one model is too narrow, as their "
    "spread is known too poorly, the more so where networks have skewed values, as of R². A note "
    "states this; the test of two models keeps its level."
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


SKILL, LIMIT, SPREAD = 2.2, 1.3, 0.3
"""What positives have more than negatives, the limit of positive predictions, and the SD of skill
over networks, where scores of negatives have an SD of 1."""


def _truths() -> dict[str, float]:
    """Return the F1 and MCC of networks on the population, and R², averaged over networks."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    hits = special.ndtr(SKILL + SPREAD * nodes - LIMIT)
    alarms = np.full(len(nodes), special.ndtr(-LIMIT))
    tables = np.array([[0.9 * (1 - alarms), 0.9 * alarms], [0.1 * (1 - hits), 0.1 * hits]])
    found = {m: METRICS[m].function(np.moveaxis(tables, 2, 0), 1) for m in COUNTED}
    means = {m: float(values @ weights / weights.sum()) for m, values in found.items()}
    return {**means, "r2": 1 - ERROR**2 - SPREAD**2}


ERROR = 0.6  # SD of the errors of one network in regression, where the target has one of 1


def _of_pseudo_values(n: int, seeds: int) -> Simulation:
    truths = _truths()

    def draw(rng: Rng, count: int) -> Mapping[str, Tally]:
        kept: dict[str, list[bool]] = {}
        for _ in range(count):
            normal = rng.standard_normal
            noise = sqrt(0.3) * normal((n, 1, 1)) + sqrt(0.3) * normal((n, 2, 1))
            noise = noise + sqrt(0.4) * normal((n, 2, seeds))
            added = SPREAD * normal((2, seeds))
            truth = (rng.random(n) < 0.1).astype(np.int64)
            label = (noise + (SKILL + added) * truth[:, None, None] > LIMIT).astype(np.int64)
            target = normal(n)
            values = {"r2": np.empty(noise.shape)} | {m: np.empty(noise.shape) for m in COUNTED}
            for at in np.ndindex(2, seeds):
                for m in COUNTED:
                    values[m][:, *at] = pseudo_values(m, truth, label[:, *at])
                output = target + ERROR * noise[:, *at] + added[at]
                values["r2"][:, *at] = _r2(target, output)
            for metric, found in values.items():
                gap = obuchowski_rockette(score_means(found, nested=True), LEVEL).estimate
                two = held(gap and gap.low, gap and gap.high, 0.0)
                kept.setdefault(f"{metric} two", []).append(two)
                bounds = interval(score_means(found[:, :1], nested=True), (None, 1.0), LEVEL)
                one = held(bounds.low, bounds.high, truths[metric])
                kept.setdefault(f"{metric} one", []).append(one)
        return {key: tally(found) for key, found in kept.items()}

    shortfall = FEW_READERS if seeds < ENOUGH_READERS else ""
    lines = tuple(
        Line((words, f"`{m}`", str(seeds), str(n)), (f"{m} {key}",), (ROUGHLY_COVERS,), why)
        for m in (*COUNTED, "r2")
        for key, words, why in (
            ("one", "of one model", shortfall),
            ("two", "of the difference", ""),
        )
    )
    words = f"{seeds} seeds, {n} examples"
    return Simulation(f"{OF_COUNTS.key}: {words}", OF_COUNTS.key, 1_000, draw, lines, 100)


def _r2(target: np.ndarray, output: np.ndarray) -> np.ndarray:
    moments = METRICS["r2"].declaration.moments
    assert moments is not None, "a function of sums"
    found = moments(Outcome(target, output, 0))
    return SumSample(found.columns, found.function).pseudo_values()


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
    *(_of_pseudo_values(n, seeds) for n in (100, 500) for seeds in (3, 5, 10)),
)
