"""Type I error of permutation and bootstrap tests of a difference of any metric."""

from __future__ import annotations

import numpy as np

from benchmarks.validation.drawn_examples import (
    exchangeable_losses,
    f1,
    joint_counts,
    moving_losses,
    normal_scores,
)
from benchmarks.validation.one_design import designs
from benchmarks.validation.simulation import NOMINAL, ROUGHLY, Section, inflated, new_seed
from evallang.stats.hypothesis_tests.resampling_tests import bootstrap, permutation
from evallang.stats.hypothesis_tests.swapping import (
    CountSwapper,
    LossSwapper,
    ScoreSwapper,
    Swapper,
)
from evallang.stats.intervals.interval import Resampler
from evallang.stats.intervals.resampling import (
    DifferenceSample,
    LossSample,
    PairedCountSample,
    ScoreSample,
)

SECTION = Section(
    "resampling",
    "Type I error: permutation and bootstrap",
    "Each test has 1,999 rounds. A permutation test is exact if outputs are exchangeable. They "
    "are in all designs but the time series, whose dependence the test ignores unless `block` "
    "is set.",
    ("test", "design"),
    ("at 5 %", "at 1 %"),
)
Rng = np.random.Generator
ROUNDS = 1999


def _permuted(rng: Rng, swapper: Swapper, block: int | None = None) -> float | None:
    return permutation(swapper, seed=new_seed(rng), rounds=ROUNDS, block=block).p


def _resampled(rng: Rng, sample: Resampler) -> float | None:
    return bootstrap(sample, seed=new_seed(rng), rounds=ROUNDS).p


def _permuted_losses(rng: Rng) -> float | None:
    return _permuted(rng, LossSwapper(*exchangeable_losses(rng, 60)))


def _permuted_scores(rng: Rng) -> float | None:
    truth, scores = normal_scores(rng, 60, 2)
    return _permuted(rng, ScoreSwapper(truth, scores[:, 0], scores[:, 1]))


def _permuted_counts(rng: Rng) -> float | None:
    return _permuted(rng, CountSwapper(joint_counts(rng, 100), f1))


def _permuted_series(rng: Rng) -> float | None:
    return _permuted(rng, LossSwapper(*moving_losses(rng, 200, 5)))


def _permuted_blocks(rng: Rng) -> float | None:
    return _permuted(rng, LossSwapper(*moving_losses(rng, 200, 5)), block=20)


def _resampled_counts(rng: Rng) -> float | None:
    return _resampled(rng, PairedCountSample(joint_counts(rng, 200), f1, (-1.0, 1.0)))


def _resampled_losses(rng: Rng) -> float | None:
    first, second = (LossSample(losses) for losses in exchangeable_losses(rng, 200))
    return _resampled(rng, DifferenceSample(first, second))


def _resampled_scores(rng: Rng) -> float | None:
    truth, scores = normal_scores(rng, 200, 2)
    first, second = (ScoreSample(truth, scores[:, m]) for m in (0, 1))
    return _resampled(rng, DifferenceSample(first, second, (-1.0, 1.0)))


SIMULATIONS = designs(
    SECTION.key,
    ("permutation", "n = 60, squared errors", _permuted_losses, 20_000, NOMINAL),
    ("permutation", "n = 60, AUC", _permuted_scores, 20_000, ROUGHLY),
    ("permutation", "n = 100, F1 of counts", _permuted_counts, 20_000, NOMINAL),
    ("permutation", "a series, dependent to lag 4", _permuted_series, 10_000, inflated(0.08)),
    ("permutation(block=20)", "the same series, n = 200", _permuted_blocks, 10_000, ROUGHLY),
    ("bootstrap", "n = 200, F1 of counts", _resampled_counts, 5_000, ROUGHLY),
    ("bootstrap", "n = 200, squared errors", _resampled_losses, 3_000, ROUGHLY),
    ("bootstrap", "n = 200, AUC", _resampled_scores, 3_000, ROUGHLY),
)
