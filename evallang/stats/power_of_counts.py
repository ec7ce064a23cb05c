"""What the bootstrap and permutation tests can show for metrics of a confusion matrix, as F1.

Each sample is the table of truth and both labels of n examples, whose chances follow from what is
assumed. A test that resamples every sample would take hours: a sample is rejected where the
difference of the metric is large for its standard error, that of the bootstrap by the delta method,
or that of swapped outputs.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import scipy
from msgspec import Struct
from numpy.typing import NDArray

from evallang.results.provenance import AssumptionWords
from evallang.stats.distributions import normal_quantile
from evallang.stats.power import (
    GROUPS,
    ROUNDS,
    Answer,
    Assumed,
    PowerDeclaration,
    Question,
    Relation,
    Stated,
    by_groups,
    check_level,
    effective_answer,
    simulated,
)
from evallang.stats.power_of_means import ASSUMPTIONS_ABOUT_AREAS, normal_nodes
from evallang.stats.validation import word

Metric = Callable[[Any], Any]
"""From counts (..., 2, 2), true by predicted class with the positive one last, to values (...)."""
Resampled = Literal["drawn", "swapped"]
"""How the test resamples two models: examples with both outputs, or outputs within examples."""

WEAKER = (0.5, 0.7, 0.9)  # values of the weaker model that are looked at if none is stated
HALF = 0.5
"""The share of positives where neither the study nor its data tell, and the correlation of the
scores of two models within a class if none is stated."""
NODES = 80  # of the quadrature of correlated labels
LARGEST = 0.999  # recall that is looked at
FEW = 20
"""Positives below which the normal theory of the difference is rough; see docs/validation.md."""
AS_MANY = "each model predicts as many positives as there are"
ROUGH = f"with fewer than {FEW} positives the power is approximate, by several points"
UNKNOWN_METRIC = (
    "the power of `{}` is computed for proportions, means over examples, areas under ROC curves, "
    "and metrics of the confusion matrix of two classes"
)


class Labels(Struct, frozen=True):
    """Labels of two models, each of which predicts as many positives as there are.

    Attributes
    ----------
    measure : the metric
    weaker : its value for the weaker model
    positives : the share of positive examples
    correlation : that of normal scores of the two models within a class, from which labels come
    """

    measure: Metric
    weaker: float
    positives: float = HALF
    correlation: float = HALF

    @property
    def assumed(self) -> Assumed:
        """What an answer repeats."""
        return {
            "weaker": self.weaker, "positives": self.positives, "correlation": self.correlation,
        }  # fmt: skip

    def chances(self, gap: float) -> NDArray[np.float64]:
        """Return the chances (2, 2, 2) of truth, the label of the better and that of the weaker.

        Raises `ValueError` where no model has such a value, or a share or a correlation is out of
        range.
        """
        if not 0 < self.positives < 1:
            raise ValueError("the share of positives lies between 0 and 1, both excluded")
        if not 0 <= self.correlation < 1:
            raise ValueError("the correlation of the scores is at least 0 and below 1")
        values = (self.weaker + self.sign * gap, self.weaker)
        recalls = [_recall(self.measure, value, self.positives) for value in values]
        made = np.empty((2, 2, 2))
        alarms = [self.positives * (1 - r) / (1 - self.positives) for r in recalls]
        for truth, share, rates in ((1, self.positives, recalls), (0, 1 - self.positives, alarms)):
            made[truth] = share * _joint(rates[0], rates[1], self.correlation)
        return np.asarray(made / made.sum())

    @property
    def sign(self) -> int:
        """1 where the metric grows with the recall, -1 where it falls."""
        return _sign(self.measure, self.positives)

    @property
    def room(self) -> float:
        """The largest difference: that of a model that makes next to no errors."""
        best = _value(self.measure, LARGEST, self.positives)
        return abs(best - self.weaker) * (1 - 1e-9)


def counts(
    stated: Labels,
    alpha: float,
    *,
    resampled: Resampled = "drawn",
    one_sided: bool = False,
    seed: int = 0,
    rounds: int = ROUNDS,
) -> Relation:
    """Relate difference, examples and power of a resampling test of a metric of counts.

    `resampled` is `drawn` for the bootstrap and `swapped` for the permutation test. Raises
    `ValueError` where no model has such a value, or a share or a correlation is out of range.
    """
    word(resampled, ("drawn", "swapped"), "resampled")
    bound = -float(scipy.special.ndtri(check_level(alpha, one_sided)))
    # The better model comes first, whatever direction of the metric is better
    side = stated.sign

    def rejected(rng: np.random.Generator, gap: float, n: int, times: int) -> NDArray[np.bool_]:
        if n < 1:
            raise ValueError("a sample has an example or more")
        tables = rng.multinomial(n, stated.chances(gap).ravel(), size=times).reshape(-1, 2, 2, 2)
        found, error = _difference(stated.measure, tables.astype(np.float64), resampled)
        reach = side * found if one_sided else np.abs(found)
        return np.asarray(np.isfinite(found) & (error > 0) & (reach > bound * error))

    def width(gap: float, n: int) -> float:
        # The derivatives are those of a table that is large enough for a step of half an example
        large = 1e6
        chances = stated.chances(abs(gap))[None]
        _, error = _difference(stated.measure, chances * large, "drawn")
        return 2 * normal_quantile(1 - alpha) * float(error[0]) * math.sqrt(large / n)

    return Relation(
        simulated(rejected, seed, rounds, lambda n: 8),
        f"simulation of tables, {rounds:,} rounds, seed {seed}",
        stated.assumed,
        largest=stated.room,
        none_found=lambda n, target: (
            f"no difference is found with power {target:g}: the better model has few errors"
        ),
        rounds=rounds,
        width=width,
    )


def _sign(measure: Metric, positives: float) -> int:
    """Return 1 where the metric grows with the recall, -1 where it falls."""
    chance = max(positives, 0.01)
    low, high = (_value(measure, recall, positives) for recall in (chance, LARGEST))
    return 1 if high >= low else -1


def _value(measure: Metric, recall: float, positives: float) -> float:
    """Return the metric of a model with as many predicted as true positives."""
    missed = positives * (1 - recall)
    matrix = [[1 - positives - missed, missed], [missed, positives - missed]]
    return float(measure(np.array(matrix) * 1e6))


def _recall(measure: Metric, value: float, positives: float) -> float:
    """Return the recall at which the metric has a value, by bisection.

    Raises `ValueError` where no recall gives that value.
    """
    # Below, with most examples positive, there are not enough negatives for as many errors
    low, high = max(0.0, 2 - 1 / positives) + 1e-9, 1.0
    side = _sign(measure, positives)
    ends = [_value(measure, one, positives) for one in (low, high)]
    if not min(ends) - 1e-9 <= value <= max(ends) + 1e-9:
        raise ValueError(
            f"with {100 * positives:.3g}% positives no model that predicts as many has the value "
            f"{value:g}"
        )
    for _ in range(60):
        middle = (low + high) / 2
        if side * _value(measure, middle, positives) >= side * value:
            high = middle
        else:
            low = middle
    return high


def _joint(first: float, second: float, correlation: float) -> NDArray[np.float64]:
    """Return the chances (2, 2) of two labels with these rates, from correlated normal scores."""
    a, b = (
        float(scipy.special.ndtri(min(max(rate, 1e-15), 1 - 1e-15))) for rate in (first, second)
    )
    nodes, weights = normal_nodes(NODES)
    # A factor that both scores have in common makes their correlation
    root, own = math.sqrt(correlation), math.sqrt(1 - correlation)
    up, down = (scipy.special.ndtr((cut + root * nodes) / own) for cut in (a, b))
    both = float(weights @ (up * down))
    both = min(max(both, first + second - 1, 0.0), first, second)
    return np.array([[1 - first - second + both, second - both], [first - both, both]])


def _difference(
    measure: Metric, tables: NDArray[np.float64], resampled: Resampled
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the difference of the metric of each table (B, 2, 2, 2), and its standard error."""
    matrices = tables.sum(axis=3), tables.sum(axis=2)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = measure(matrices[0]) - measure(matrices[1])
        if resampled == "swapped":
            matrices = ((matrices[0] + matrices[1]) / 2,) * 2
        first, second = (_derivatives(measure, matrix) for matrix in matrices)
        moved = first[:, :, :, None] - second[:, :, None, :]
        moved = np.where(tables > 0, moved, 0.0)
        variance = (tables * moved**2).sum(axis=(1, 2, 3))
        if resampled == "drawn":
            n = tables.sum(axis=(1, 2, 3))
            variance = variance - (tables * moved).sum(axis=(1, 2, 3)) ** 2 / n
        error = np.sqrt(np.maximum(variance, 0.0))
    return np.asarray(found), np.asarray(error)


def _derivatives(measure: Metric, matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how one more example in each cell (B, 2, 2) moves the metric."""
    made = np.empty_like(matrices)
    for cell in ((0, 0), (0, 1), (1, 0), (1, 1)):
        step = np.zeros((2, 2))
        step[cell] = 0.5
        made[:, cell[0], cell[1]] = measure(matrices + step) - measure(matrices - step)
    return made


def _power_of(resampled: Resampled) -> PowerDeclaration:
    """Return the power for the stated value of the weaker model, or for several values."""

    def answers(question: Question, stated: Stated) -> tuple[Answer, ...]:
        measure, gap = question.measure, abs(stated.difference or 0.0)
        if measure is None:
            raise ValueError(UNKNOWN_METRIC.format(question.test))
        of_data = HALF if question.positives is None else question.positives
        positives = of_data if stated.positives is None else stated.positives
        correlation = HALF if stated.correlation is None else stated.correlation
        values: tuple[float, ...] = WEAKER if stated.weaker is None else (stated.weaker,)
        assumed = [Labels(measure, value, positives, correlation) for value in values]
        possible = [one for one in assumed if _exists(one, gap)]
        if not possible and stated.weaker is None:
            several = ", ".join(f"{value:g}" for value in values)
            raise ValueError(f"no value of {several} can be {gap:g} better")
        return tuple(
            effective_answer(
                question,
                stated,
                counts(
                    one,
                    question.alpha,
                    resampled=resampled,
                    one_sided=question.one_sided,
                    seed=question.seed,
                    rounds=ROUNDS,
                ),
                groups,
                whole=True,
                rough=lambda n: n * positives < FEW,
                note=ROUGH,
                before=(AS_MANY,),
            )
            for one in possible or assumed
            for groups in by_groups(question, stated, several=stated.weaker is not None)
        )

    words = {"weaker": AssumptionWords("{} for the weaker model", "weaker")}
    about = {name: ASSUMPTIONS_ABOUT_AREAS[name] for name in ("positives", "correlation")}
    return PowerDeclaration(answers, {**words, **about, **GROUPS}, of_width=True)


def _exists(assumed: Labels, gap: float) -> bool:
    try:
        assumed.chances(gap)
    except ValueError:
        return False
    return True


POWER_OF_DRAWN_COUNTS = _power_of("drawn")
POWER_OF_SWAPPED_COUNTS = _power_of("swapped")
