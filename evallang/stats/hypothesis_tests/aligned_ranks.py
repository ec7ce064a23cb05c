"""Tests over data sets that use how far scores lie apart: aligned ranks and Quade's test."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.registry import Example
from evallang.results.statistics import HypothesisTestResult, Statistic
from evallang.stats.distributions import checked_level, chi2_tail, f_tail
from evallang.stats.hypothesis_tests.datasets import (
    FROM_DATA_SETS,
    MOST_STEPS,
    chance_of_agreement,
    exact_rank_p,
)
from evallang.stats.hypothesis_tests.hypothesis_test import (
    HYPOTHESIS_TESTS,
    HypothesisTestDeclaration,
)
from evallang.stats.rank_scores import Better, mid_ranks, read_scores, row_ranks, settled

ALIGNED_NULL = "apart from the level of each data set, the scores of all models are alike"
# Conover 1999, p. 375: five brands of hand lotion sold in seven stores
LOTIONS = (
    (5.0, 4.0, 7.0, 10.0, 12.0),
    (1.0, 3.0, 1.0, 0.0, 2.0),
    (16.0, 12.0, 22.0, 22.0, 35.0),
    (5.0, 4.0, 3.0, 5.0, 4.0),
    (10.0, 9.0, 7.0, 13.0, 10.0),
    (19.0, 18.0, 28.0, 37.0, 58.0),
    (10.0, 7.0, 6.0, 8.0, 7.0),
)
# Less their means: -1, 1, 0 and -4, 1, 3 and -6, 1, 5, with ranks 3, 6, 4; 2, 6, 8; 1, 6, 9
THREE_SETS = ((3.0, 5.0, 4.0), (10.0, 15.0, 17.0), (18.0, 25.0, 29.0))
FEW_STEPS = 50_000  # sums formed; a tenth of a second


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        FROM_DATA_SETS,
        ALIGNED_NULL,
        followed_by=("nemenyi", "wilcoxon"),
        models=(3, None),
        omnibus=True,
        across_data=True,
        without_power="it depends on how far apart the scores of each data set are",
        power_as="friedman",
        holds="exact or by permutation over few data sets",
        when=("there are few models, and differences of scores are comparable across data sets"),
        when_not="data sets differ in difficulty or unit: friedman",
        differs={
            "Garcia et al. 2010": "their statistic has the variance of ranks without ties; "
            "here ties lower it, as the permutations within data sets do",
        },
        formula=(
            "take each data set's mean off its scores and rank all scores of all data sets "
            "together; how far the models' rank sums lie apart, in units of what random "
            "orders within data sets would give; referred to chi-squared"
        ),
    ),
    title="Friedman's aligned-ranks test",
    references=(cite("hodges1962"), cite("garcia2010")),
    examples=(
        Example(
            (THREE_SETS, "higher"),
            {
                "statistic.value": 2 * (81 + 9 + 36) / (283 - (13**2 + 16**2 + 16**2) / 3),
                "extra.average_aligned_ranks.0": 10 - 6 / 3,
                "extra.average_aligned_ranks.1": 10 - 18 / 3,
                "extra.average_aligned_ranks.2": 10 - 21 / 3,
            },
            "own derivation: ranks by hand, rank sums 6, 18, 21, sum of squares 283",
        ),
    ),
)
def friedman_aligned(
    scores: ArrayLike,
    better: Better | None = None,
    level: float = 0.95,
    seed: int = 0,
    *,
    method: Literal["auto", "exact", "chi2"] = "auto",
) -> HypothesisTestResult:
    """Test whether the models score alike, by ranks of scores minus each data set's mean.

    All N M scores are ranked together after the mean of each data set is taken off (Hodges
    & Lehmann 1962). T = (M - 1) Σ (R_j - mean)² / Σ (r_ij - mean of row i)², chi-squared
    with M - 1 degrees of freedom: García et al. 2010, with the variance that ties leave.
    `exact` goes through all permutations within data sets, `auto` where they are few. A
    data set without all scores is skipped. `extra.average_aligned_ranks` holds the average
    of each model (M,), 1 being the best of all scores. `scores` is (N, M). Raises `ValueError`
    where it is not.
    """
    checked_level(level)
    table = read_scores(scores, better, finite=True)
    ranks = _aligned_ranks(table.values)
    n, models = ranks.shape
    doubled = np.rint(2 * ranks * models).astype(np.int64)
    doubled -= (doubled.sum(axis=1) // max(models, 1))[:, None]
    between = int((doubled.sum(axis=0) ** 2).sum())
    within = int((doubled**2).sum())
    notes = table.notes
    variant = "chi2" if method == "auto" else method
    t: float | None = None
    p: float | None = None
    if n == 0:
        notes = (*notes, "undefined: no data set has all scores")
    elif within == 0:
        p, notes = 1.0, (*notes, "on no data set do the models differ")
    else:
        t = (models - 1) * between / within
        exact = exact_rank_p(doubled, FEW_STEPS if method == "auto" else MOST_STEPS)
        if method != "chi2" and exact is not None:
            p, variant = exact, "exact"
        else:
            p, variant = chi2_tail(t, models - 1), "chi2"
            if method == "exact":
                notes = (*notes, f"chi2: {n} data sets are too many to enumerate")
    return HypothesisTestResult(
        test="friedman_aligned",
        variant=variant,
        null=ALIGNED_NULL,
        statistic=Statistic("T", t),
        df=(float(models - 1),) if variant == "chi2" else None,
        p=p,
        extra={
            "n": n,
            "p_chi2": None if t is None else chi2_tail(t, models - 1),
            # rank 1 is the best of all N M scores, as in the average ranks of Friedman's test
            "average_aligned_ranks": [n * models + 1 - float(r) for r in ranks.mean(axis=0)]
            if n
            else None,
        },
        notes=notes,
    )


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        FROM_DATA_SETS,
        ALIGNED_NULL,
        followed_by=("nemenyi", "wilcoxon"),
        models=(3, None),
        omnibus=True,
        across_data=True,
        without_power="it depends on how far apart the scores of each data set are",
        power_as="friedman",
        holds="exact or by permutation over few data sets",
        when=("there are few models, and data sets on which models differ more should weigh more"),
        when_not="data sets differ in difficulty or unit: friedman",
        formula=(
            "rank the models on each data set, and the data sets by the range of their "
            "scores; an analysis of variance of the models' ranks, each multiplied by the "
            "rank of its data set; referred to F"
        ),
    ),
    title="Quade's test",
    references=(cite("quade1979"), cite("garcia2010")),
    examples=(
        Example(
            (LOTIONS, "higher"),
            {"statistic.value": 3.8293, "df.0": 4, "df.1": 24, "p": 0.01519},
            "R 4.2.2, example(quade.test), data of Conover 1999, p. 375",
            5e-5,
        ),
    ),
)
def quade(
    scores: ArrayLike,
    better: Better | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> HypothesisTestResult:
    """Test whether the models score alike, with data sets weighted by the rank of their range.

    Within-data-set ranks, centred and multiplied by the rank of the range of scores, in an
    analysis of variance: F = (N - 1) B / (A - B) with (M - 1, (M - 1)(N - 1)) degrees of
    freedom (Quade 1979). Where all data sets agree F is infinite and p is that chance,
    (1/M!)^(N - 1). A data set without all scores is skipped. `scores` is (N, M). Raises
    `ValueError` where it is not.
    """
    checked_level(level)
    table = read_scores(scores, better, finite=True)
    values = table.values
    n, models = values.shape
    spread = values.max(axis=1, initial=-np.inf) - values.min(axis=1, initial=np.inf)
    weights = np.rint(2 * mid_ranks(settled(spread, np.abs(values).max(axis=1, initial=0.0))))
    ranks = row_ranks(values)
    centred = (2 * ranks).astype(np.int64) - models - 1
    weighted = centred * weights.astype(np.int64)[:, None]
    total = int((weighted**2).sum())
    between = int((weighted.sum(axis=0) ** 2).sum())
    residual = n * total - between
    df = (float(models - 1), float((models - 1) * (n - 1)))
    notes, variant = table.notes, "F"
    f: float | None = None
    p: float | None = None
    if n < 2:
        notes = (*notes, "undefined: it takes two data sets with all scores")
    elif total == 0:
        p, notes = 1.0, (*notes, "on no data set do the models differ")
    elif residual == 0:
        f, p, variant = float("inf"), chance_of_agreement(centred), "exact"
        notes = (*notes, "all data sets order the models alike, so F is infinite and p exact")
    else:
        f = (n - 1) * between / residual
        p = f_tail(f, *df)
    return HypothesisTestResult(
        test="quade",
        variant=variant,
        null=ALIGNED_NULL,
        statistic=Statistic("F", f),
        df=df if variant == "F" and n > 1 else None,
        p=p,
        extra={"n": n},
        notes=notes,
    )


def _aligned_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rank all values together after the mean of their row is taken off; 1 is the smallest."""
    if not len(values):
        return values
    aligned = values - values.mean(axis=1, keepdims=True)
    scale = np.repeat(np.abs(values).max(axis=1), values.shape[1])
    return mid_ranks(settled(aligned.ravel(), scale)).reshape(values.shape)
