"""The estimate of the best of several models, corrected for having been chosen: BBC-CV."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from evallang.stats.distributions import checked_level

MANY = 5  # equal models; the best of five looks 1.2 standard errors better than it is

Score = Callable[[int, "NDArray[np.int64]"], "float | None"]
"""From the number of a model and positions of units (with repeats) to its score there."""


class Corrected(Struct, frozen=True):
    """The mean score of the model chosen in each round, on the units that were not drawn.

    `low` and `high` are percentiles of the rounds' scores; `rounds` counts those in which
    every model had a score, and the chosen one had a score on the units that were not drawn.
    """

    value: float
    low: float
    high: float
    rounds: int


def bbc_cv(
    score: Score,
    models: int,
    units: int,
    better: Literal["higher", "lower"],
    level: float,
    seed: int,
    rounds: int = 500,
) -> Corrected | None:
    """Bootstrap the choice among models from their out-of-sample predictions.

    In each round units (examples, or groups of them) are drawn with replacement, the best
    model is chosen on them, ties to the first, and scored on the units not drawn; the mean
    over rounds is the corrected estimate (Tsamardinos et al. 2018, Algorithm 5). No model is
    fitted again. None where fewer than two units, or no round with scores. Raises
    `ValueError` for a level outside (0, 1).
    """
    level = checked_level(level)
    if units < 2 or models < 1:
        return None
    chance = np.random.default_rng(seed)
    left_out_scores: list[float] = []
    sign = 1.0 if better == "higher" else -1.0
    for _ in range(rounds):
        drawn = chance.integers(0, units, units)
        left_out = np.setdiff1d(np.arange(units), drawn)
        inside = [score(model, drawn) for model in range(models)]
        if not len(left_out) or not _all_known(inside):
            continue
        best = max(range(models), key=lambda m: (sign * float(inside[m] or 0.0), -m))
        outside = score(best, left_out)
        if outside is not None and math.isfinite(outside):
            left_out_scores.append(float(outside))
    if not left_out_scores:
        return None
    tail = (1 - level) / 2
    low, high = np.quantile(left_out_scores, [tail, 1 - tail])
    return Corrected(
        math.fsum(left_out_scores) / len(left_out_scores),
        float(low),
        float(high),
        len(left_out_scores),
    )


def _all_known(scores: Sequence[float | None]) -> bool:
    return all(score is not None and math.isfinite(score) for score in scores)
