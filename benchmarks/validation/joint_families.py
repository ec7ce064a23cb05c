"""Family-wise error and simultaneous coverage of the correction by joint resamples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from benchmarks.validation.simulation import (
    ALPHA,
    LEVEL,
    Claim,
    Line,
    Section,
    Simulation,
    Tally,
    new_seed,
    tally,
)
from evallang.stats.corrections.correction import holm
from evallang.stats.corrections.joint_corrections import (
    drawn_p,
    max_t,
    single_level,
    studentized_p,
    swapped_p,
)
from evallang.stats.hypothesis_tests.losses import t
from evallang.stats.hypothesis_tests.resampling_tests import bootstrap, permutation
from evallang.stats.hypothesis_tests.swapping import LossSwapper, ScoreSwapper, joint_swaps
from evallang.stats.intervals.resampling import DifferenceSample, LossSample, ScoreSample

SECTION = Section(
    "joint_families",
    "Family-wise error and simultaneous intervals: `max_t`",
    "All pairs of four models with 999 joint resamples. The models are equal, or one is worse, so "
    "that three of six hypotheses are true: the probability of a false rejection at 5 %. Then how "
    "often all three pairs with the worse model are found, by `max_t` and by `holm`, and how often "
    "all six simultaneous 95 % intervals hold their differences together, one model being worse. "
    "Losses are squared errors, or their squares, whose means rest on a few examples.",
    ("correction", "test", "design"),
    ("equal", "one worse", "finds all 3", "by `holm`", "all covered"),
)
Rng = np.random.Generator
Floats = NDArray[np.float64]
PAIRS = tuple(combinations(range(4), 2))
TRUE = np.array([3 not in pair for pair in PAIRS])
ROUNDS = 999
Family = tuple[list[float | None], Floats, Callable[[float], Sequence[tuple[float, float]]]]
"""Raw p, p on joint resamples, and the interval of each pair at a level."""


def _losses(rng: Rng, n: int, worse: float, power: int) -> Floats:
    errors = rng.standard_normal((n, 1)) + rng.standard_normal((n, 4))
    errors[:, 3] *= 1 + worse
    return np.asarray(np.abs(errors) ** power)


def _of_t(rng: Rng, n: int, worse: float, power: int) -> Family:
    losses = _losses(rng, n, worse, power)
    drawn = studentized_p(losses, PAIRS, None, new_seed(rng), ROUNDS)

    def intervals(level: float) -> Sequence[tuple[float, float]]:
        found = [t(losses[:, i], losses[:, j], None, level).estimate for i, j in PAIRS]
        return [(e.low or 0.0, e.high or 0.0) for e in found if e is not None]

    return [t(losses[:, i], losses[:, j]).p for i, j in PAIRS], drawn, intervals


def _by_resamples(rng: Rng, samples: Sequence[LossSample | ScoreSample]) -> Family:
    seed = new_seed(rng)
    values = [s.replicates(np.random.default_rng(seed), ROUNDS) for s in samples]
    drawn = drawn_p(np.column_stack([values[i] - values[j] for i, j in PAIRS]))
    pairs = [DifferenceSample(samples[i], samples[j]) for i, j in PAIRS]

    def intervals(level: float) -> Sequence[tuple[float, float]]:
        found = [bootstrap(pair, level, seed, rounds=ROUNDS).estimate for pair in pairs]
        return [
            (-np.inf if e is None or e.low is None else e.low, np.inf if e is None or e.high is None
             else e.high)
            for e in found
        ]  # fmt: skip

    return [bootstrap(pair, LEVEL, seed, rounds=ROUNDS).p for pair in pairs], drawn, intervals


def _of_bootstrap(rng: Rng, n: int, worse: float, power: int) -> Family:
    losses = _losses(rng, n, worse, power)
    return _by_resamples(rng, [LossSample(column) for column in losses.T])


def _scores(rng: Rng, n: int, worse: float, positives: int) -> tuple[NDArray[np.bool_], Floats]:
    truth = np.arange(n) < positives
    shared = rng.standard_normal((n, 1))
    scores = 1.2 * truth[:, None] + 0.7 * shared + 0.7 * rng.standard_normal((n, 4))
    scores[:, 3] -= worse * truth
    return truth, scores


def _areas(rng: Rng, n: int, worse: float, positives: int) -> Family:
    truth, scores = _scores(rng, n, worse, positives)
    return _by_resamples(rng, [ScoreSample(truth, column) for column in scores.T])


def _no_intervals(level: float) -> Sequence[tuple[float, float]]:
    return ()  # those of a permutation test are the bootstrap's


def _of_swaps(rng: Rng, swappers: Sequence[LossSwapper | ScoreSwapper]) -> Family:
    p = [permutation(s, seed=new_seed(rng), rounds=ROUNDS).p for s in swappers]
    drawn = joint_swaps(swappers, np.random.default_rng(new_seed(rng)), ROUNDS)
    return p, swapped_p(drawn, "two_sided", [s.estimate() for s in swappers], p), _no_intervals


def _swapped_losses(rng: Rng, n: int, worse: float, power: int) -> Family:
    losses = _losses(rng, n, worse, power)
    return _of_swaps(rng, [LossSwapper(losses[:, i], losses[:, j]) for i, j in PAIRS])


def _swapped_scores(rng: Rng, n: int, worse: float, positives: int) -> Family:
    truth, scores = _scores(rng, n, worse, positives)
    return _of_swaps(rng, [ScoreSwapper(truth, scores[:, i], scores[:, j]) for i, j in PAIRS])


def _truth_of_losses(worse: float, power: int) -> Floats:
    """Return E|N(0, 2)|^power of the four models, whose errors have variance 2, times the scale."""
    mean = {2: 2.0, 4: 12.0}[power]
    scale = np.array([1.0, 1.0, 1.0, (1 + worse) ** power])
    return mean * scale


def _truth_of_areas(worse: float) -> Floats:
    from scipy import special

    effects = np.array([1.2, 1.2, 1.2, 1.2 - worse])
    return np.asarray(special.ndtr(effects / np.sqrt(2 * 0.98)))


def _false(adjusted: Sequence[float | None], true: NDArray[np.bool_]) -> bool:
    rejected = np.array([p is not None and p <= ALPHA for p in adjusted])
    return bool((rejected & true).any())


def _all_found(adjusted: Sequence[float | None]) -> bool:
    rejected = np.array([p is not None and p <= ALPHA for p in adjusted])
    return bool(rejected[~TRUE].all())


Maker = Callable[[Rng, int, float, int], Family]
Design = tuple[str, str, Maker, int, float, int, int, tuple[Claim, ...], str]


def _simulation(design: Design) -> Simulation:
    test, words, make, n, worse, last, replications, claims, shortfall = design
    of_areas = make in (_areas, _swapped_scores)
    values = _truth_of_areas(worse) if of_areas else _truth_of_losses(worse, last)
    differences = np.array([values[i] - values[j] for i, j in PAIRS])

    def draw(rng: Rng, count: int) -> Mapping[str, Tally]:
        equal, unequal, covered, found, by_holm = [], [], [], [], []
        for _ in range(count):
            p, drawn, _intervals = make(rng, n, 0.0, last)
            equal.append(_false(max_t(p, drawn), np.ones(len(PAIRS), dtype=bool)))
            p, drawn, intervals = make(rng, n, worse, last)
            adjusted = max_t(p, drawn)
            unequal.append(_false(adjusted, TRUE))
            found.append(_all_found(adjusted))
            by_holm.append(_all_found(holm(p)))
            level = single_level(drawn, LEVEL, [x is not None for x in p])
            if level is None:  # no interval, so that none is wrong
                covered.append(True)
            elif len(ends := np.array(intervals(level))):
                inside = (ends[:, 0] <= differences) & (differences <= ends[:, 1])
                covered.append(bool(inside.all()))
        tallies = {"equal": equal, "worse": unequal, "found": found, "holm": by_holm}
        made = {key: tally(counts) for key, counts in tallies.items()}
        return made | {"covered": tally(covered)} if covered else made

    keys: tuple[str, ...] = ("equal", "worse", "found", "holm", "covered")
    if make in (_swapped_losses, _swapped_scores):
        keys = keys[:-1]  # their intervals are those of the bootstrap
    line = Line(("`max_t`", f"`{test}`", words), keys, claims, shortfall)
    name = f"{SECTION.key}: {test}, {words}"
    return Simulation(name, SECTION.key, replications, draw, (line,), max(replications // 10, 50))


FEW = (
    "with 20 positives the `bootstrap` of an AUC rejects too often by itself, and a correction "
    "keeps what its tests promise: write `permutation max_t`, or `delong holm`."
)
SKEWED = (
    "with 100 skewed losses the `bootstrap` rejects too often by itself, and a correction keeps "
    "what its tests promise: write `permutation max_t`, or `t max_t`."
)
KEPT = Claim("at most 6 %", 0.0, 0.06)
EVERY = (KEPT, KEPT)
SIMULATIONS = tuple(
    _simulation(design)
    for design in (
        ("t", "n = 40, squared errors", _of_t, 40, 0.8, 2, 600, EVERY, ""),
        ("t", "n = 200, squared errors", _of_t, 200, 0.35, 2, 400, EVERY, ""),
        ("t", "n = 60, fourth powers", _of_t, 60, 0.8, 4, 600, EVERY, ""),
        ("bootstrap", "n = 100, squared errors", _of_bootstrap, 100, 0.5, 2, 400, EVERY, SKEWED),
        ("bootstrap", "n = 200, AUC, 100 positives", _areas, 200, 0.7, 100, 250, EVERY, ""),
        ("bootstrap", "n = 200, AUC, 20 positives", _areas, 200, 1.2, 20, 250, EVERY, FEW),
        ("permutation", "n = 40, squared errors", _swapped_losses, 40, 0.8, 2, 600, EVERY, ""),
        ("permutation", "n = 60, fourth powers", _swapped_losses, 60, 0.8, 4, 600, EVERY, ""),
        ("permutation", "n = 60, AUC, 15 positives", _swapped_scores, 60, 1.2, 15, 300, EVERY, ""),
    )
)
