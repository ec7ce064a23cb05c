"""Strengths from pairwise judgements: the Wald test, and the robust interval."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

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
from evallang.stats.battles import Battles, fit_strengths
from evallang.stats.hypothesis_tests.strengths import bradley_terry
from evallang.stats.intervals.strengths import sandwich

DESIGN = (
    "Five models meet in pairs, each battle on a prompt and by a judge drawn at random; the odds "
    "follow Davidson's model with an advantage of the first answer. Prompts and judges prefer "
    "models of their own (normal, with the stated standard deviation on the scale of log odds)"
)
SIZE = Section(
    "strengths",
    "Type I error: pairwise judgements",
    f"{DESIGN}. The models are equally strong.",
    ("test", "design"),
    ("at 5 %", "at 1 %"),
)
COVERAGE = Section(
    "strengths_coverage",
    "Coverage: pairwise judgements",
    f"{DESIGN}. With preferences the models are equally strong; without, they are 0.5 apart.",
    ("interval", "design"),
    ("coverage",),
)
MODELS, FIRST, TIE = 5, 0.25, 0.7
Rng = np.random.Generator


def _battles(rng: Rng, n: int, prompts: int, judges: int, taste: float) -> tuple[Battles, float]:
    """Draw battles, and return them with the strength of the first model."""
    strengths = np.zeros(MODELS) if taste else 0.5 * (2 - np.arange(MODELS))
    first = rng.integers(0, MODELS, n)
    second = (first + rng.integers(1, MODELS, n)) % MODELS
    prompt, judge = rng.integers(0, prompts, n), rng.integers(0, judges, n)
    liked = taste * rng.standard_normal((prompts, MODELS))[prompt]
    liked += taste * rng.standard_normal((judges, MODELS))[judge] + strengths
    rows = np.arange(n)
    half = (liked[rows, first] - liked[rows, second] + FIRST) / 2
    chances = np.column_stack([np.exp(half), np.full(n, TIE), np.exp(-half)])
    chances /= chances.sum(axis=1, keepdims=True)
    drawn = (rng.random(n)[:, None] > chances.cumsum(axis=1)).sum(axis=1)
    clusters = {"prompts": prompt, "judges": judge}
    made = Battles(first, second, 1 - drawn / 2, MODELS, clusters=clusters)
    return made, float(strengths[0])


def _size(n: int, prompts: int, judges: int, taste: float, *claims: Claim) -> Simulation:
    def draw(rng: Rng, count: int) -> Mapping[str, Tally]:
        p = []
        for _ in range(count):
            found = fit_strengths(_battles(rng, n, prompts, judges, taste)[0])
            p.append(bradley_terry(found.take([0, 1]), LEVEL).p)
        return rejections(p)

    design = _words(n, prompts, judges, taste)
    line = Line(("`bradley_terry`", design), ("5", "1"), claims)
    return Simulation(f"{SIZE.key}: {design}", SIZE.key, 4_000, draw, (line,), 200)


def _coverage(n: int, prompts: int, judges: int, taste: float, *claims: Claim) -> Simulation:
    def draw(rng: Rng, count: int) -> Mapping[str, Tally]:
        kept = []
        for _ in range(count):
            battles, value = _battles(rng, n, prompts, judges, taste)
            bounds = sandwich(fit_strengths(battles).take([0]), (None, None), LEVEL)
            kept.append(held(bounds.low, bounds.high, value))
        return {"held": tally(kept)}

    design = _words(n, prompts, judges, taste)
    line = Line(("`sandwich`", design), ("held",), claims)
    return Simulation(f"{COVERAGE.key}: {design}", COVERAGE.key, 1_000, draw, (line,), 100)


def _words(n: int, prompts: int, judges: int, taste: float) -> str:
    return f"{n} battles, {prompts} prompts, {judges} judges, preferences {taste:g}"


SIMULATIONS = (
    _size(600, 150, 60, 0.5, ROUGHLY),
    _size(600, 80, 20, 0.5, ROUGHLY),
    _coverage(600, 150, 60, 0.5, ROUGHLY_COVERS),
    _coverage(600, 80, 20, 0.5, ROUGHLY_COVERS),
    _coverage(600, 150, 60, 0.0, ROUGHLY_COVERS),
)
