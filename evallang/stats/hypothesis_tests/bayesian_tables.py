"""The posterior of the difference of two accuracies on the same examples."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import scipy

from evallang.bibliography import cite
from evallang.registry import Bounds, Evidence, Example
from evallang.results.statistics import Difference, HypothesisTestResult, Summary
from evallang.stats.distributions import checked_level
from evallang.stats.hypothesis_tests.bayesian_folds import region_of
from evallang.stats.hypothesis_tests.hypothesis_test import (
    HYPOTHESIS_TESTS,
    HypothesisTestDeclaration,
)
from evallang.stats.intervals.differences import TwoByTwo, paired_counts

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
        frozenset({Evidence.ONE_PREDICTION_PER_ROW, Evidence.COUNTS}),
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

    The four cells of [[both right, only first], [only second, both wrong]] have a Dirichlet
    posterior with Jeffreys' prior, 1/2 in each cell. The share of discordant examples is then
    beta distributed, and so is the first model's part of them, independent of it: the
    probabilities are integrals over one variable, without simulation. `extra` holds `p_first`
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
