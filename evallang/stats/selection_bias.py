"""The estimate of the best of several models, corrected for having been chosen: BBC-CV."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from msgspec import Struct

from evallang.stats.distributions import checked_level
from evallang.stats.draws import Block, Statistic

MANY = 5  # equal models; the best of five looks 1.2 standard errors better than it is


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
    samples: Sequence[Statistic],
    better: Literal["higher", "lower"],
    level: float,
    seed: int,
    rounds: int = 500,
) -> Corrected | None:
    """Bootstrap the choice among models from their out-of-sample predictions.

    `samples` are the scores of the models on the same units. In each round units (examples, or
    groups of them) are drawn with replacement, the best model is chosen on them, ties to the first,
    and scored on the units not drawn; the mean over rounds is the corrected estimate (Tsamardinos
    et al. 2018, Algorithm 5). No model is fitted again. None where there are fewer than two units,
    or no round with scores. Raises `ValueError` for a level outside (0, 1).
    """
    tail = (1 - checked_level(level)) / 2
    if not samples or len(samples[0].source.sizes) < 2:
        return None
    source, sign, found = samples[0].source, 1.0 if better == "higher" else -1.0, []
    for block in source.blocks(np.random.default_rng(seed), rounds):
        rest = Block(block.times == 0, source.codes)
        inside, outside = (np.array([one.on(x) for one in samples]) for x in (block, rest))
        sound = np.isfinite(inside).all(axis=0) & (block.times == 0).any(axis=0)
        best = np.where(sound, sign * inside, 0.0).argmax(axis=0)
        found.append(outside[best, np.arange(len(best))][sound])
    scores = np.concatenate(found)
    scores = scores[np.isfinite(scores)]
    if not len(scores):
        return None
    low, high = np.quantile(scores, [tail, 1 - tail])
    return Corrected(math.fsum(scores) / len(scores), float(low), float(high), len(scores))
