"""Coverage of intervals of right and wrong answers to few questions, several to each."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from benchmarks.validation.simulation import (
    LEVEL,
    Claim,
    Line,
    Section,
    Simulation,
    Tally,
    held,
    new_seed,
    tally,
)
from evallang.stats.intervals.few_groups import wilson_of_means
from evallang.stats.intervals.proportions import clopper_pearson
from evallang.stats.intervals.ratio_of_sums import ratio
from evallang.stats.intervals.resampling import LossSample, bootstrap

SECTION = Section(
    "repeats_coverage",
    "Coverage: several answers to each of few questions",
    "The chance of a right answer differs between questions, as a beta distribution with this mean "
    "and a third of the largest variance. The true value is that of further questions. `wilson` "
    "has the effective number of answers and t, and is the default below 20 questions; the "
    "bootstrap has 2,000 rounds. Where all answers are right, or all wrong, each is "
    "`clopper_pearson` of the questions, as in a run; other samples without spread have no "
    "interval and are not counted.",
    ("accuracy", "questions", "answers to each"),
    ("wilson", "t", "bootstrap"),
    of_errors=False,
)
ROUNDS = 2_000
Rng = np.random.Generator


def _simulation(mean: float, questions: int, answers: int) -> Simulation:
    def draw(rng: Rng, count: int) -> Mapping[str, Tally]:
        covered: dict[str, list[bool]] = {"wilson": [], "t": [], "bootstrap": []}
        while len(covered["wilson"]) < count:
            chances = rng.beta(2 * mean, 2 * (1 - mean), questions)
            x = rng.binomial(answers, chances) / answers
            if np.ptp(x) == 0:
                if x[0] in (0, 1):
                    alike = clopper_pearson(round(x.sum()), questions, LEVEL)
                    for values in covered.values():
                        values.append(held(alike.low, alike.high, mean))
                continue
            found = {
                "wilson": wilson_of_means(x, None, LEVEL),
                "t": ratio(np.column_stack([x, np.ones(questions)]), None, LEVEL),
                "bootstrap": bootstrap(LossSample(x), LEVEL, new_seed(rng), rounds=ROUNDS),
            }
            for name, one in found.items():
                covered[name].append(held(one.low, one.high, mean))
        return {name: tally(values) for name, values in covered.items()}

    words = f"{mean:g}".removeprefix("0"), str(questions), str(answers)
    line = Line(words, ("wilson", "t", "bootstrap"), (Claim("at least 92 %", 0.92, 1.0),))
    name = f"{SECTION.key}: {mean:g}, {questions} questions, {answers} answers"
    return Simulation(name, SECTION.key, 1_000, draw, (line,), 250, 100)


SIMULATIONS = tuple(
    _simulation(mean, questions, answers)
    for mean in (0.6, 0.9)
    for questions in (5, 10, 15, 20)
    for answers in (3, 5, 10)
)
