"""Tests of the strengths of models in pairwise judgements."""

import math

import numpy as np
from msgspec.structs import replace

from evallang.bibliography import cite
from evallang.evidence import GAMES
from evallang.registry import Example
from evallang.results.statistics import (
    Difference,
    HypothesisTestResult,
    Statistic,
    Summary,
)
from evallang.stats.basics import Alternative, checked_level, normal_p, one_sided, t_p
from evallang.stats.battles import Strengths
from evallang.stats.hypothesis_tests.hypothesis_test import (
    HYPOTHESIS_TESTS,
    HypothesisTestDeclaration,
)
from evallang.stats.intervals.strengths import MEASURED, OF_CLUSTERS, half_width, one_way

VARIANTS = {"wald": "", "wald, clustered": "clustered"}
"""Printed words of its forms."""
NO_VARIANCE = "undefined: the difference has no variance"
NULL = "the two {models} are equally strong"
# Strengths 3 and 1 with variances 1 and 2 and covariance .5: the difference is 2, its variance 2
BY_HAND = Strengths(np.array([3.0, 1.0]), np.array([[1.0, 0.5], [0.5, 2.0]]), 100)


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        frozenset({GAMES}),
        NULL,
        variants=VARIANTS,
        tests="strengths",
        clustered=True,
        weights=True,
        proposed=1,
        default_for=frozenset({"strengths"}),
        without_power="it depends on which models meet and how often judges agree",
        power_as="mcnemar",
        holds=OF_CLUSTERS,
        when="two models are compared by pairwise judgements, of each other or of other models",
        when_not="every example has an outcome of both models: mcnemar",
        example=f"{MEASURED}compare with bradley_terry\n",
        formula=(
            "the difference of two strengths over its robust standard error, from the covariance "
            "over prompts and judges (Cameron, Gelbach & Miller 2011); normal, or with prompts or "
            "judges t with one less degree of freedom than there are of the fewer"
        ),
    ),
    title="Wald test",
    references=(cite("bradley1952"), cite("cameron2011")),
    examples=(
        Example(
            (BY_HAND, 0.95),
            {"statistic.value": math.sqrt(2), "estimate.value": 2.0, "p": math.erfc(1.0)},
            "own derivation, by hand: 2/√2, and P(|z| > √2) = erfc(1)",
            tolerance=1e-9,
        ),
    ),
)
def bradley_terry(
    strengths: Strengths, level: float, *, alternative: Alternative = "two_sided"
) -> HypothesisTestResult:
    """Compare the strengths of two models by a Wald test with a robust covariance.

    The difference is signed, first minus second. `alternative=greater` asks only whether the first
    is better. Raises `ValueError` for other than two models.
    """
    checked_level(level)
    if len(strengths.values) != 2:
        raise ValueError("it takes two models")
    gap = float(strengths.values[0] - strengths.values[1])
    contrast = np.array([1.0, -1.0])
    variance = float(contrast @ strengths.covariance @ contrast)
    groups = strengths.n_groups
    df = None if groups is None else float(groups - 1)
    result = HypothesisTestResult(
        "bradley_terry",
        "wald" if groups is None else "wald, clustered",
        NULL,
        Statistic("z" if df is None else "t", None),
        clusters=one_way(strengths),
    )
    if not variance > 0:
        bare = Difference(Summary.DIFFERENCE, gap, None, None, level, "none")
        return replace(result, estimate=bare, notes=(NO_VARIANCE,))
    scale = math.sqrt(variance)
    value, half = gap / scale, half_width(strengths, variance, level)
    result = replace(
        result,
        statistic=Statistic("z" if df is None else "t", value),
        df=None if df is None else (df,),
        p=normal_p(value, alternative) if df is None else t_p(value, df, alternative),
        estimate=Difference(
            Summary.DIFFERENCE, gap, gap - half, gap + half, level, "bradley_terry", df=df
        ),
        extra={"standard_error": scale},
    )
    return one_sided(result, alternative)
