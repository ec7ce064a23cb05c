"""Bayesian sign and signed-rank tests of two models over data sets."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.registry import Bounds, Example
from evallang.results.statistics import Difference, Effect, HypothesisTestResult, Summary
from evallang.stats.distributions import checked_level
from evallang.stats.effect_sizes.over_data_sets import effects_over_data
from evallang.stats.hypothesis_tests.bayesian_folds import ABOUT, region_of
from evallang.stats.hypothesis_tests.datasets import FROM_DATA_SETS
from evallang.stats.hypothesis_tests.hypothesis_test import (
    HYPOTHESIS_TESTS,
    HypothesisTestDeclaration,
)
from evallang.stats.hypothesis_tests.signs import median_of
from evallang.stats.rank_scores import Better, differences_of, read_pair

CASES = ("p_first", "p_rope", "p_second")
PRIOR = 0.5  # strength of the prior, all of it inside the region; Benavoli et al. 2017
NOISE = 1e-12  # of a difference: a sum with it this close to the region's end lies inside
AT_ONCE = 1 << 16  # weights held at once: they stay in the cache
STEP = 0.01  # of the trapezoid rule in log x, geometrically accurate there
WALSH_UP_TO = 2_000  # data sets, for the pseudo-median


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        FROM_DATA_SETS,
        ABOUT,
        bayesian=True,
        across_data=True,
        without_power="it gives probabilities and no p",
        power_as="sign",
        holds="the posterior states what so few scores show",
        when=("the question is how probably one of two models is better on most data sets"),
        when_not="sizes of differences are comparable across data sets: bayes_signed_rank",
        differs={
            "baycomp": "its prior has strength 1 and its probabilities are simulated; here the "
            "prior has strength 0.5 (Benavoli et al. 2017) and they are integrated",
        },
        formula=(
            "count the data sets on which the first model is better by more than the rope, "
            "both are within it, or the second is better; add 0.5 to the middle count; the "
            "probabilities that each of the three shares is the largest under the Dirichlet "
            "distribution with these counts"
        ),
    ),
    title="Bayesian sign test",
    references=(cite("benavoli2017"), cite("benavoli2014")),
    examples=(
        Example(
            ((0.9, 0.8, 0.7), (0.5, 0.5, 0.5), "higher", True, 0.95),
            # X ~ beta(3, 1/2): P(X > 1/2), with density 15/16 x² (1 - x)^(-1/2)
            {"extra.p_first": 43 * math.sqrt(2) / 64, "extra.p_second": 0.0},
            "own derivation: ∫ 15/16 (1 - u)² / sqrt(u) over u from 0 to 1/2",
        ),
    ),
)
def bayes_sign(
    first: ArrayLike,
    second: ArrayLike,
    better: Better,
    bounded: bool = True,
    level: float = 0.95,
    seed: int = 0,
    *,
    rope: Annotated[float | None, Bounds(least=0)] = None,
) -> HypothesisTestResult:
    """Compute the posterior probability that one model is better on most data sets.

    The shares of data sets on which the first is better by more than `rope`, both are
    equivalent, or the second is better have a Dirichlet posterior, with a prior of strength
    0.5 on the second case (Benavoli et al. 2017). `extra` holds the probabilities that each
    share is the largest: `p_first`, `p_rope`, `p_second`, integrated and not simulated;
    there is no p, and nothing to correct. `rope` is in the metric's unit; its default,
    0.01, is for metrics in [0, 1] (`bounded`). A data set without both scores is skipped.
    `first` and `second` are (N,). Raises `ValueError` where shapes differ, or `rope` is
    missing or negative.
    """
    d, region, notes = _read("bayes_sign", first, second, better, bounded, rope)
    checked_level(level)
    wins, losses = int((d > region).sum()), int((d < -region).sum())
    ties = len(d) - wins - losses
    shares: tuple[float | None, ...] = (None, None, None)
    if len(d):
        shares = _largest_share((wins, ties + PRIOR, losses))
    value = median_of(-d if better == "lower" else d)
    return _posterior(
        ("bayes_sign", "Dirichlet"),
        shares,
        Difference(Summary.MEDIAN, value, None, None, level, "none"),
        effects_over_data(first, second, level, seed),
        {"rope": region, "n": len(d), "wins": wins, "ties": ties, "losses": losses},
        notes,
    )


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        FROM_DATA_SETS,
        ABOUT,
        bayesian=True,
        across_data=True,
        without_power="it gives probabilities and no p",
        power_as="wilcoxon",
        holds="the posterior states what so few scores show",
        when=(
            "the question is how probably one of two models is better over data sets, or both "
            "are equivalent"
        ),
        when_not="sizes of differences are not comparable across data sets: bayes_sign",
        differs={
            "baycomp": "there a sum of two differences that lies just at the end of the region "
            "counts half; here it counts as equivalent, as Benavoli et al. 2017 define it",
        },
        formula=(
            "give the data sets random weights from a Dirichlet distribution, with a pseudo "
            "data set of difference 0 and strength 0.5; share the weight of all pairs of "
            "differences between the three cases by their mean; count how often each case "
            "gets the most"
        ),
    ),
    title="Bayesian signed-rank test",
    references=(cite("benavoli2014"), cite("benavoli2017")),
    examples=(
        Example(
            # The prior's share u ~ beta(1/2, 1) has P(u <= x) = sqrt(x); only its pair with
            # itself, u², lies in the region: the first has more where u² < 1/2
            ((0.9,), (0.5,), "higher", True, 0.95, 1),
            {"extra.p_first": 0.5**0.25},
            "own derivation: P(u < sqrt(1/2)), to five Monte Carlo errors of 50,000 samples",
            0.0085,
        ),
    ),
)
def bayes_signed_rank(
    first: ArrayLike,
    second: ArrayLike,
    better: Better,
    bounded: bool = True,
    level: float = 0.95,
    seed: int = 0,
    *,
    rope: Annotated[float | None, Bounds(least=0)] = None,
    samples: Annotated[int, Bounds(least=100)] = 50_000,
) -> HypothesisTestResult:
    """Return the probabilities that one of two models is better over data sets, or equivalent.

    A Dirichlet process with a prior of strength 0.5 at difference 0 gives the differences
    random weights; the three cases share the weight of all pairs of differences by whether
    their mean lies beyond the region of practical equivalence or inside (Benavoli et al.
    2014, 2017). `extra` holds the probabilities that each case has the largest share:
    `p_first`, `p_rope`, `p_second`, with their Monte Carlo error `mc_se`; there is no p,
    and nothing to correct. `rope` is in the metric's unit; its default, 0.01, is for
    metrics in [0, 1] (`bounded`). A data set without both scores is skipped. `first` and
    `second` are (N,). Raises `ValueError` where shapes differ, or `rope` is missing or
    negative, or there are no samples.
    """
    d, region, notes = _read("bayes_signed_rank", first, second, better, bounded, rope)
    checked_level(level)
    if samples < 1:
        raise ValueError("a posterior takes one sample or more")
    shares: tuple[float | None, ...] = (None, None, None)
    error: float | None = None
    if len(d):
        found = [count / samples for count in _largest_counts(d, region, seed, samples)]
        shares = tuple(found)
        error = max(math.sqrt(p * (1 - p) / samples) for p in found)
    value = _pseudomedian(-d if better == "lower" else d)
    return _posterior(
        ("bayes_signed_rank", "Dirichlet process"),
        shares,
        Difference(Summary.PSEUDO_MEDIAN, value, None, None, level, "none"),
        effects_over_data(first, second, level, seed),
        {"mc_se": error, "rope": region, "n": len(d)},
        notes,
    )


def _posterior(
    named: tuple[str, str],
    shares: tuple[float | None, ...],
    estimate: Difference,
    effects: tuple[Effect, ...],
    extra: Mapping[str, float | None],
    notes: tuple[str, ...],
) -> HypothesisTestResult:
    """Return the result of a test, `named` with its variant, with its three probabilities."""
    return HypothesisTestResult(
        test=named[0],
        variant=named[1],
        null=ABOUT,
        estimate=estimate,
        effects=effects,
        extra={**dict(zip(CASES, shares, strict=True)), **extra},
        notes=notes,
    )


def _read(
    test: str,
    first: ArrayLike,
    second: ArrayLike,
    better: Better,
    bounded: bool,
    rope: float | None,
) -> tuple[NDArray[np.float64], float, tuple[str, ...]]:
    """Return the differences, above 0 where the first is better, the region, and notes."""
    region = region_of(test, rope, bounded=bounded)
    table = read_pair(first, second, better, finite=True)
    notes = table.notes
    if not len(table.values):
        notes = (*notes, "undefined: no data set has both scores")
    return differences_of(table.values), region, notes


def _largest_share(alpha: tuple[float, float, float]) -> tuple[float, ...]:
    """Return the chances that each share of a Dirichlet distribution is the largest.

    Shares are gamma variables over their sum, so the chance is the mean, over one of them,
    of the chance that the others are smaller: an integral over its logarithm. A share
    without any weight is 0.
    """
    t = np.arange(-100.0, math.log(max(alpha) + 40 * math.sqrt(max(alpha)) + 60), STEP)
    x = np.exp(t)
    smaller = [scipy.special.gammainc(a, x) if a > 0 else np.ones(len(x)) for a in alpha]
    chances = []
    for i, a in enumerate(alpha):
        density = np.exp(a * t - x - scipy.special.gammaln(a)) if a > 0 else np.zeros(len(x))
        others = [smaller[j] for j in range(3) if j != i]
        chances.append(float(STEP * (density * others[0] * others[1]).sum()))
    total = sum(chances)
    return tuple(chance / total for chance in chances)


def _largest_counts(
    d: NDArray[np.float64], region: float, seed: int, samples: int
) -> tuple[int, int, int]:
    """Count the samples in which the first, neither or the second has most pairs.

    Weights are gamma variables, whose common scale does not matter. A pair speaks for the
    first where d_i + d_j > 2 region: with differences in ascending order these are, for
    each i, all j from some place on, so that running sums replace the matrix of pairs.
    """
    z = np.concatenate([[0.0], d])
    order = np.argsort(z, kind="stable")
    ordered = z[order]
    noise = NOISE * np.maximum(np.abs(ordered), region)
    above = np.searchsorted(ordered, 2 * region + noise - ordered, "right")
    below = np.searchsorted(ordered, -2 * region - noise - ordered, "left")
    rng = np.random.default_rng(seed)
    counts = np.zeros(3, dtype=np.int64)
    batch = max(1, AT_ONCE // len(z))
    for start in range(0, samples, batch):
        size = min(batch, samples - start)
        # One row for each difference: every step below is one pass over all samples
        weights = rng.standard_exponential((len(z), size))
        weights[0] = rng.standard_gamma(PRIOR, size)
        weights = weights[order]
        running = np.zeros((len(z) + 1, size))
        np.cumsum(weights, axis=0, out=running[1:])
        total = running[-1]
        beyond = running[above]
        np.subtract(total, beyond, out=beyond)
        beyond *= weights
        until = running[below]
        until *= weights
        first, second = beyond.sum(axis=0), until.sum(axis=0)
        shares = np.stack([first, total * total - first - second, second])
        counts += np.bincount(shares.argmax(axis=0), minlength=3)
    return int(counts[0]), int(counts[1]), int(counts[2])


def _pseudomedian(d: NDArray[np.float64]) -> float | None:
    """Return the median of the means of all pairs of differences (Hodges & Lehmann 1963)."""
    if not 0 < len(d) <= WALSH_UP_TO:
        return None
    i, j = np.triu_indices(len(d))
    return float(np.median((d[i] + d[j]) / 2))
