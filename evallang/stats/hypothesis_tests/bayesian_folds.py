"""The Bayesian correlated t test on the scores of folds."""

from __future__ import annotations

import math
from typing import Annotated

import scipy
from msgspec.structs import replace
from numpy.typing import ArrayLike

from evallang.bibliography import cite
from evallang.registry import Bounds, Design, Evidence, Example
from evallang.results.statistics import Difference, HypothesisTestResult, Summary
from evallang.stats.decisions import Better
from evallang.stats.distributions import checked_level, t_quantile
from evallang.stats.fold_scores import read_folds
from evallang.stats.hypothesis_tests.hypothesis_test import (
    HYPOTHESIS_TESTS,
    HypothesisTestDeclaration,
)
from evallang.stats.rank_scores import checked_direction

ABOUT = (
    "none: the result is the probability that one algorithm is better by more than the region "
    "of practical equivalence"
)
DEFAULT_ROPE = 0.01  # one point in a hundred, for metrics in [0, 1]
CONSTANT = "the differences do not vary, so the posterior is all at their mean"


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        frozenset({Evidence.FOLD_SCORES}),
        ABOUT,
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
        null=ABOUT,
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
        estimate=Difference(Summary.DIFFERENCE, mean, mean - half, mean + half, level, "bayes_t"),
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

    Raises `ValueError` where it is negative, or missing for another metric.
    """
    if rope is None and not bounded:
        raise ValueError(
            f"`{test}` needs its region of practical equivalence in the unit of this metric: "
            f"write `{test}(rope=...)`"
        )
    region = DEFAULT_ROPE if rope is None else float(rope)
    if not 0 <= region < math.inf:
        raise ValueError("a region of practical equivalence is 0 or wider")
    return region


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
