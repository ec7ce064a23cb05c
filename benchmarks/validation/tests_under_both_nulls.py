"""What McNemar's test is about: the models that were fitted, not the algorithms.

Under the null of the fitted models both have exactly the same true error on average over
the folds: the second model of each fold is the first, applied to the other exchangeable
half of the features. Under the null of the algorithms each half has its own models, which
are equal over training sets and differ on the one at hand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from benchmarks.validation import populations
from benchmarks.validation.populations import Bools
from benchmarks.validation.simulation import (
    NOMINAL,
    Claim,
    Line,
    Section,
    Simulation,
    Tally,
    inflated,
    rejections,
    under,
)
from evallang.stats.hypothesis_tests.contingency import mcnemar, proportions_z
from evallang.stats.intervals.differences import TwoByTwo

SECTION = Section(
    "both_nulls",
    "Two nulls: the fitted models, and the algorithms",
    "The learner is the nearest mean of classes. Under the first null hypothesis the fitted "
    "models have the same true error; under the second, only the algorithms have. McNemar's "
    "test keeps its level for the first. For the second it ignores the variation between "
    "training sets, which matters more the larger the test set is. The figures are rejections "
    "at 5 %.",
    ("test", "protocol"),
    ("equal fitted models", "equal algorithms"),
)


def counted(first: Bools, second: Bools) -> TwoByTwo:
    """Count [[both right, only the first], [only the second, both wrong]]."""
    both, b, c = (int(x.sum()) for x in (first & second, first & ~second, second & ~first))
    return ((both, b), (c, len(first) - both - b - c))


def _cv(rng: np.random.Generator, k: int, n: int) -> tuple[TwoByTwo, TwoByTwo]:
    """Pool the predictions of one cross-validation, under either null."""
    truth, features = populations.draw(rng, n)
    fold = populations.folds(rng, n, k)
    models = [populations.centroids(truth, half, populations.training(fold)) for half in features]

    def right(model: int, half: int) -> Bools:
        scores = populations.out_of_fold(models[model], features[half], fold)
        judged: Bools = (scores > 0) == truth
        return judged

    return counted(right(0, 0), right(0, 1)), counted(right(0, 0), right(1, 1))


def _holdout(rng: np.random.Generator, n_train: int, n_test: int) -> tuple[TwoByTwo, TwoByTwo]:
    """Test models of one training set on `n_test` examples, under either null."""
    truth, features = populations.draw(rng, n_train)
    every = np.ones((1, n_train), dtype=bool)
    models = [populations.centroids(truth, half, every) for half in features]
    tested, rows = populations.draw(rng, n_test)

    def right(model: int, half: int) -> Bools:
        judged: Bools = (models[model].scores(rows[half])[0] > 0) == tested
        return judged

    return counted(right(0, 0), right(0, 1)), counted(right(0, 0), right(1, 1))


def _simulation(
    protocol: str,
    tables: Callable[[np.random.Generator], tuple[TwoByTwo, TwoByTwo]],
    replications: int,
    *inflation: Claim,
) -> Simulation:
    def draw(rng: np.random.Generator, count: int) -> Mapping[str, Tally]:
        drawn = [tables(rng) for _ in range(count)]
        found: dict[str, Tally] = {}
        for null, column in (("fitted", 0), ("algorithms", 1)):
            for name, test in (("mcnemar", mcnemar), ("proportions_z", proportions_z)):
                p = [test(pair[column]).p for pair in drawn]
                found.update(under(f"{name} {null}", rejections(p)))
        return found

    lines = tuple(
        Line((f"`{test}`", protocol), (f"{test} fitted 5", f"{test} algorithms 5"), claims)
        for test, claims in (("mcnemar", (NOMINAL, *inflation)), ("proportions_z", ()))
    )
    name = f"{SECTION.key}: {protocol}"
    return Simulation(name, SECTION.key, replications, draw, lines, 1000)


SIMULATIONS = (
    _simulation("10-fold cv, n = 100", lambda rng: _cv(rng, 10, 100), 20_000),
    _simulation("10-fold cv, n = 500", lambda rng: _cv(rng, 10, 500), 10_000),
    _simulation("holdout, 30 train and 100 test", lambda rng: _holdout(rng, 30, 100), 20_000),
    _simulation(
        "holdout, 30 train and 1,000 test",
        lambda rng: _holdout(rng, 30, 1_000),
        10_000,
        inflated(0.1),
    ),
    _simulation(
        "holdout, 30 train and 10,000 test",
        lambda rng: _holdout(rng, 30, 10_000),
        4_000,
        inflated(0.4),
    ),
)
