"""Bayesian comparisons of two models: on folds, over data sets, by right and wrong."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated

import numpy as np
import scipy
from msgspec.structs import replace
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.evidence import COUNTS, FOLD_SCORES, ONE_PREDICTION_PER_ROW
from evallang.registry import Bounds, Design, Example
from evallang.results.statistics import (
    POSTERIOR,
    Difference,
    Effect,
    HypothesisTestResult,
    Summary,
)
from evallang.stats.basics import checked_level, t_quantile
from evallang.stats.effect_sizes.effect_size import effects_over_data
from evallang.stats.fold_scores import read_folds
from evallang.stats.hypothesis_tests.datasets import FROM_DATA_SETS, median_of
from evallang.stats.hypothesis_tests.hypothesis_test import (
    HYPOTHESIS_TESTS,
    HypothesisTestDeclaration,
)
from evallang.stats.intervals.differences import TwoByTwo, paired_counts
from evallang.stats.rank_scores import Better, checked_direction, differences_of, read_pair

ABOUT_FOLDS = (
    "none: the result is the probability that one algorithm is better by more than the region "
    "of practical equivalence"
)
DEFAULT_ROPE = 0.01  # one point in a hundred, for metrics in [0, 1]
CONSTANT = "the differences do not vary, so the posterior is all at their mean"


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        frozenset({FOLD_SCORES}),
        ABOUT_FOLDS,
        intervals={"bayes_t": "credible interval of the correlated t"},
        designs=frozenset({Design.KFOLD, Design.REPEATED, Design.RESAMPLED}),
        bayesian=True,
        t_over_splits=True,
        without_power="it gives probabilities and no p",
        power_as="corrected_t",
        holds="the posterior states what so few scores show",
        when=("the question is how probably an algorithm is better, or both are equivalent"),
        when_not="under leave-one-out, leave-one-group-out, or time series",
        differs={
            "baycomp": "it takes the correlation of folds as 1/folds; here it follows from the "
            "numbers of test and training rows, so that repeated holdout is right as well",
        },
        formula=(
            "the mean difference over the splits plus a t-distributed error with J - 1 "
            "degrees of freedom, whose variance is that of the splits times (1/J + test rows "
            "/ training rows); the probabilities that this lies below, inside and above the "
            "rope"
        ),
    ),
    title="Bayesian correlated t test",
    references=(cite("corani2015"), cite("benavoli2017"), cite("nadeau2003")),
    examples=(
        Example(
            ((1.0, -1.0, 0.0), (0.0,) * 3, (80,) * 3, (20,) * 3, "higher", False, 0.95),
            {"extra.p_first": 0.5, "extra.p_second": 0.5, "extra.p_rope": 0.0},
            "own derivation: symmetric about 0",
            options={"rope": 0.0},
        ),
        Example(
            ((1.0, 0.0, 2.0), (0.0,) * 3, (80,) * 3, (20,) * 3, "higher", False, 0.95),
            # mean 1, variance 1, scale² = 1/3 + 1/4 = 7/12; (0 - 1)/scale = -sqrt(12/7), and
            # t(2) has the distribution function 1/2 + x / (2 sqrt(2 + x²))
            {"extra.p_second": 0.5 - math.sqrt(12 / 7) / (2 * math.sqrt(2 + 12 / 7))},
            "own derivation: Student's distribution with 2 degrees of freedom in closed form",
            options={"rope": 0.0},
        ),
    ),
)
def bayes_t(
    first: ArrayLike,
    second: ArrayLike,
    n_train: ArrayLike | None = None,
    n_test: ArrayLike | None = None,
    better: Better | None = None,
    bounded: bool = False,
    level: float = 0.95,
    *,
    rope: Annotated[float | None, Bounds(least=0)] = None,
    test_train_ratio: Annotated[float | None, Bounds(above=0)] = None,
) -> HypothesisTestResult:
    """Return the probabilities that one of two algorithms is better, or that they are equivalent.

    The posterior of the mean difference is Student's t with J - 1 degrees of freedom, centred
    at the mean, with scale² s² (1/J + rho/(1 - rho)) and rho = r/(1 + r), r the ratio of test
    to training rows (Corani & Benavoli 2015), in closed form. `extra` holds `p_first` (the
    first is better by more than `rope`), `p_rope` and `p_second`; there is no p, and nothing
    to correct. `rope` is in the metric's unit; its default, 0.01, is for metrics in [0, 1]
    (`bounded`). The interval is the central credible one. Without fold sizes the ratio must
    be given. `first` and `second` are (J,). Raises `ValueError` where shapes differ, the ratio
    is unknown, or `rope` is missing or negative.
    """
    checked_level(level)
    region = region_of("bayes_t", rope, bounded=bounded)
    checked_direction(better)
    pairs = read_folds(first, second)
    d, df = pairs.values, len(pairs.values) - 1
    factor = pairs.factor(n_train, n_test, test_train_ratio)
    value = float(d[0]) if len(d) else None
    plain = HypothesisTestResult(
        test="bayes_t",
        variant="correlated t",
        null=ABOUT_FOLDS,
        estimate=Difference(Summary.DIFFERENCE, value, None, None, level, "bayes_t"),
        extra={"p_first": None, "p_rope": None, "p_second": None, "rope": region},
        notes=pairs.notes,
    )
    if df < 1:
        return replace(plain, notes=(*pairs.notes, "undefined: it takes scores on two folds"))
    mean, scale = float(d.mean()), pairs.sd * math.sqrt(factor)
    above = _probability_beyond(mean, scale, df, region)
    below = _probability_beyond(-mean, scale, df, region)
    half = t_quantile(level, df) * scale
    ratio = factor - pairs.plain_factor
    p_first, p_second = (above, below) if better == "higher" else (below, above)
    return replace(
        plain,
        df=(float(df),),
        estimate=Difference(
            Summary.DIFFERENCE, mean, mean - half, mean + half, level, "bayes_t", df=float(df)
        ),
        extra={
            "p_first": p_first,
            "p_rope": _inside(mean, scale, df, region),
            "p_second": p_second,
            "rope": region,
            "correlation": ratio / (1 + ratio),
            "scale": scale,
        },
        notes=(*pairs.notes, CONSTANT) if pairs.constant else pairs.notes,
    )


def region_of(test: str, rope: float | None, *, bounded: bool) -> float:
    """Return the region of practical equivalence of a test, 0.01 for metrics in [0, 1].

    Raises `ValueError` where it is missing for another metric.
    """
    if rope is None and not bounded:
        raise ValueError(
            f"`{test}` needs its region of practical equivalence in the unit of this metric: "
            f"write `{test}(rope=...)`"
        )
    return DEFAULT_ROPE if rope is None else float(rope)


def _probability_beyond(mean: float, scale: float, df: int, region: float) -> float:
    """Return the posterior probability of a difference above `region`."""
    if scale > 0:
        return float(scipy.special.stdtr(df, (mean - region) / scale))
    if mean == region == 0:
        return 0.5
    return float(mean > region)


def _inside(mean: float, scale: float, df: int, region: float) -> float:
    """Return the posterior probability of the region, without cancellation where it is small."""
    if scale <= 0:
        return float(region > 0 and abs(mean) <= region)
    # Both tails on the side where they are small
    near, far = (region - abs(mean)) / scale, (-region - abs(mean)) / scale
    return float(scipy.special.stdtr(df, near) - scipy.special.stdtr(df, far))


PRIOR_WEIGHT = 0.5  # strength of the prior, all of it inside the region; Benavoli et al. 2017
NOISE = 1e-12  # of a difference: a sum with it this close to the region's end lies inside
AT_ONCE = 1 << 16  # weights held at once: they stay in the cache
STEP = 0.01  # of the trapezoid rule in log x, geometrically accurate there
WALSH_UP_TO = 2_000  # data sets, for the pseudo-median


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        FROM_DATA_SETS,
        ABOUT_FOLDS,
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

    Benavoli et al. 2017. `extra` holds the probabilities that each share is the largest:
    `p_first`, `p_rope`, `p_second`, integrated and not simulated; there is no p, and nothing to
    correct. `rope` is in the metric's unit; its default,
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
        shares = _largest_share((wins, ties + PRIOR_WEIGHT, losses))
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
        ABOUT_FOLDS,
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

    Benavoli et al. 2014, 2017, with a Dirichlet process. `extra` holds the probabilities that each
    case has the largest share: `p_first`, `p_rope`, `p_second`, with their Monte Carlo error
    `mc_se`; there is no p, and nothing to correct. `rope` is in the metric's unit; its default,
    0.01, is for metrics in [0, 1] (`bounded`). A data set without both scores is skipped. `first`
    and `second` are (N,). Raises `ValueError` where shapes differ, or `rope` is missing or
    negative, or there are no samples.
    """
    d, region, notes = _read("bayes_signed_rank", first, second, better, bounded, rope)
    checked_level(level)
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
        null=ABOUT_FOLDS,
        estimate=estimate,
        effects=effects,
        extra={**dict(zip(POSTERIOR, shares, strict=True)), **extra},
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
        weights[0] = rng.standard_gamma(PRIOR_WEIGHT, size)
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


ABOUT = (
    "none: the result is the probability that one model has the higher accuracy by more than the "
    "region of practical equivalence"
)
ABOUT_UNDER_CV = (
    f"{ABOUT}; it is about the fitted models of the folds and does not extend to new training sets"
)
PRIOR = 0.5  # of each of the four cells: Jeffreys' prior of a multinomial
NODES = 64  # of the Gauss-Legendre rule: errors below 1e-8


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        frozenset({ONE_PREDICTION_PER_ROW, COUNTS}),
        ABOUT,
        intervals={"bayes_mcnemar": "credible interval of the Dirichlet posterior"},
        tests="correctness",
        bayesian=True,
        null_under_cv=ABOUT_UNDER_CV,
        without_power="it gives probabilities and no p",
        power_as="mcnemar",
        holds="the posterior states what so few examples show",
        when=(
            "two fitted models are right or wrong on the same examples, and the question is how "
            "probably one is better, or both are equivalent"
        ),
        when_not=(
            "the claim is about learning algorithms: bayes_t; rows come in groups: mcnemar, which "
            "has a form for them"
        ),
        formula=(
            "add one half to the counts of examples that both, only the first, only the second "
            "and no model has right; the chances of the four cells have the Dirichlet "
            "distribution with these counts, and the difference of the accuracies is that of the "
            "second and third cell; the probabilities that it lies above, inside and below the "
            "rope"
        ),
        differs={
            "R DFBA": (
                "dfba_mcnemar looks at the discordant examples alone, with a uniform prior, and "
                "so has no region of practical equivalence for the difference of accuracies; "
                "without a region the probabilities differ by the prior"
            ),
        },
    ),
    title="Bayesian McNemar test",
    references=(cite("benavoli2017"), cite("mcnemar1947")),
    examples=(
        Example(
            # P(beta(3.5, 1.5) > 1/2)
            (((80, 3), (1, 16)), 0.95),
            {"extra.p_first": 0.8395305, "extra.p_rope": 0.0, "estimate.value": 0.02},
            "R 4.2.2, pbeta(0.5, 3.5, 1.5, lower.tail = FALSE)",
            5e-7,
            {"rope": 0.0},
        ),
        Example(
            (((40, 5), (5, 10)), 0.95),
            {"extra.p_first": 0.5, "extra.p_second": 0.5},
            "own derivation: symmetric in the two models",
            1e-9,
            {"rope": 0.0},
        ),
    ),
)
def bayes_mcnemar(
    table: TwoByTwo, level: float = 0.95, *, rope: Annotated[float | None, Bounds(least=0)] = None
) -> HypothesisTestResult:
    """Return the probabilities that one of two models is right more often, or both alike.

    The prior is Jeffreys'. The share of discordant examples is beta distributed, and so is the
    first model's part of them, independent of it: the probabilities are integrals over one
    variable, without simulation. `extra` holds `p_first`
    (the first is better by more than `rope`), `p_rope` and `p_second`; there is no p, and nothing
    to correct. `rope` is 0.01 by default. The estimate is the observed difference with the
    central credible interval. Raises `ValueError` where the table is none of counts or `rope` is
    negative.
    """
    checked_level(level)
    region = region_of("bayes_mcnemar", rope, bounded=True)
    a, b, c, d = paired_counts(table)
    n = a + b + c + d
    above, below = _beyond(b, c, a + d, region), _beyond(c, b, a + d, region)
    notes = ("no examples: the probabilities are those of the prior",) if n == 0 else ()
    value, low, high = None, None, None
    if n:
        value, tail = (b - c) / n, (1 - level) / 2
        # At the ends of the range the posterior lies inside of what was observed
        low = min(-_quantile(c, b, a + d, tail), value)
        high = max(_quantile(b, c, a + d, tail), value)
    return HypothesisTestResult(
        test="bayes_mcnemar",
        variant="Dirichlet posterior",
        null=ABOUT,
        estimate=Difference(Summary.DIFFERENCE, value, low, high, level, "bayes_mcnemar"),
        extra={
            "p_first": above,
            "p_rope": max(1.0 - above - below, 0.0) if region > 0 else 0.0,
            "p_second": below,
            "rope": region,
            "b": b,
            "c": c,
        },
        notes=notes,
    )


def _beyond(b: int, c: int, rest: int, x: float) -> float:
    """P(first - second > x) for 0 <= x: the mean of P(S > x / (2W - 1)) over W.

    S ~ beta(b + c + 1, rest + 1) is the share of discordant examples and W ~ beta(b + 1/2,
    c + 1/2) the first model's part of them.
    """
    if x >= 1:
        return 0.0
    ours, theirs = b + PRIOR, c + PRIOR
    start = float(scipy.special.betainc(ours, theirs, (1 + x) / 2))  # below, no S is large enough
    if x == 0:
        return 1 - start
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    # Squared towards both ends, where the quantile of W may have a singular derivative
    half = (nodes + 1) / 2
    smooth, slope = half**2 * (3 - 2 * half), 6 * half * (1 - half)
    parts = scipy.special.betaincinv(ours, theirs, start + (1 - start) * smooth)
    needed = np.clip(x / np.maximum(2 * parts - 1, x), 0.0, 1.0)
    tails = scipy.special.betaincc(b + c + 2 * PRIOR, rest + 2 * PRIOR, needed)
    return float((1 - start) * 0.5 * (weights * slope * tails).sum())


def _quantile(b: int, c: int, rest: int, tail: float) -> float:
    """Return the difference that is exceeded with probability `tail`."""

    def exceeded(x: float) -> float:
        return _beyond(b, c, rest, x) if x >= 0 else 1 - _beyond(c, b, rest, -x)

    return float(scipy.optimize.brentq(lambda x: exceeded(x) - tail, -1.0, 1.0, xtol=1e-10))
