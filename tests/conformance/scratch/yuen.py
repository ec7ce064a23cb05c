"""A test of trimmed means for losses of two models on the same examples."""

import math

import numpy as np
from scipy import special, stats

from evallang.bibliography import Reference
from evallang.evidence import LOSSES_PER_ROW
from evallang.registry import Example
from evallang.results.provenance import AssumptionWords
from evallang.results.statistics import Difference, HypothesisTestResult, Statistic, Summary
from evallang.stats.basics import Alternative, one_sided, t_p, t_quantile
from evallang.stats.hypothesis_tests.hypothesis_test import (
    HYPOTHESIS_TESTS,
    Estimand,
    HypothesisTestDeclaration,
)
from evallang.stats.hypothesis_tests.losses import SLEEP, SLEEP_FIRST, SLEEP_SECOND
from evallang.stats.power import SD, Answer, PowerDeclaration


def _power(question, stated):
    """Answer by the noncentral t of the examples that are kept, for winsorised differences."""
    trim, sd = question.options["trim"], 1.0 if stated.sd is None else stated.sd
    kept = question.n - 2 * int(trim * question.n)
    bound = stats.t.ppf(1 - question.alpha / 2, kept - 1)
    shift = special.nctdtrinc(kept - 1, 1 - stated.target, bound)
    found = shift * sd * math.sqrt((question.n - 1) / (kept * (kept - 1)))
    assumptions = {"trim": trim} if stated.sd is None else {"sd": stated.sd, "trim": trim}
    return (Answer("noncentral t", assumptions, found, in_sd=stated.sd is None),)


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        frozenset({LOSSES_PER_ROW}),
        "the trimmed means of the losses of the two models are equal",
        tests="losses",
        holds="t allows for few examples",
        estimand=Estimand("trims the losses of the examples", "trimmed mean"),
        intervals={"yuen": "t interval of the difference of trimmed means"},
        variants={"winsorised": "winsorised variance"},
        power=PowerDeclaration(
            _power, {**SD, "trim": AssumptionWords("{} cut off at each end", "trim", percent=True)}
        ),
        when="losses with a few extreme values on the same independent examples",
        when_not="the mean loss is meant: permutation",
        formula="the difference of the trimmed means over its winsorised standard error",
    ),
    title="Yuen's test",
    references=(
        Reference(
            key="yuen1974",
            authors=("Yuen KK",),
            year=1974,
            title="The two-sample trimmed t for unequal population variances",
            venue="Biometrika",
            volume="61(1)",
            pages="165-170",
        ),
    ),
    examples=(
        Example(
            (SLEEP_FIRST, SLEEP_SECOND, 0.95),
            {"statistic.value": -4.0621, "df.0": 9, "p": 0.002833},
            SLEEP,
            5e-5,
            {"trim": 0.0},
        ),
    ),
)
def yuen(first, second, level=0.95, *, trim: float = 0.2, alternative: Alternative = "two_sided"):
    """Compare the trimmed means of the losses of two models on the same examples.

    Yuen's t for dependent samples, from the winsorised variances and covariance. `trim` is the
    share of examples that is cut off at each end.
    """
    x, y = (np.asarray(losses, dtype=float) for losses in (first, second))
    n, cut = len(x), int(trim * len(x))
    kept = n - 2 * cut
    ends = [np.sort(losses)[[cut, n - cut - 1]] for losses in (x, y)]
    means = [float(np.sort(losses)[cut : n - cut].mean()) for losses in (x, y)]
    covariance = np.cov(np.clip(x, *ends[0]), np.clip(y, *ends[1]))
    spread = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    error = float(np.sqrt((n - 1) * spread / (kept * (kept - 1))))
    value, df = means[0] - means[1], kept - 1
    statistic = value / error
    half = t_quantile(level, df) * error
    result = HypothesisTestResult(
        test="yuen",
        variant="winsorised",
        null="the trimmed means of the losses of the two models are equal",
        statistic=Statistic("t", statistic),
        df=(float(df),),
        p=t_p(statistic, df, alternative),
        estimate=Difference(Summary.DIFFERENCE, value, value - half, value + half, level, "yuen"),
    )
    return one_sided(result, alternative)
