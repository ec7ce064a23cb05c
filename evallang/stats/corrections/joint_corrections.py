"""The single-step correction by the largest statistic of joint resamples, with its intervals."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.registry import Example
from evallang.stats.corrections.correction import (
    CORRECTIONS,
    Adjusted,
    CorrectionDeclaration,
    P,
    p_values,
)
from evallang.stats.distributions import checked_level

SAME = 1e-9  # relative; the same p reached by another order of sums


@CORRECTIONS.register(
    CorrectionDeclaration(
        "fwer",
        "any",
        "resampled",
        adjective="max-T",
        single_step=True,
        when=(
            "pairs share models or metrics are alike, and every interval of the family should "
            "agree with its decision"
        ),
        when_not=(
            "the test cannot be resampled jointly: holm; there are fewer than about 50 examples, "
            "or 50 groups: holm"
        ),
        formula=(
            "draw the examples (or groups) with replacement, or swap outputs, in the same way for "
            "all hypotheses, and take p of every test about what was found; adjusted p is the "
            "share of the resamples whose smallest p is at most that of the test, (1 + count)/"
            "(1 + resamples). Intervals have the level at which that share is alpha"
        ),
        example=(
            "data cancer from sklearn breast_cancer\n"
            "  positive malignant\n"
            "\n"
            "model linear = StandardScaler | LogisticRegression\n"
            "model bayes = GaussianNB\n"
            "model tree = DecisionTreeClassifier(max_depth=3)\n"
            "model baseline = DummyClassifier\n"
            "\n"
            "protocol holdout test=1/3\n"
            "measure mcc\n"
            "compare linear, bayes, tree with bootstrap max_t\n"
        ),
        differs={
            "R multcomp": (
                "its single-step p comes from the multivariate t distribution; here from "
                "resamples, which need neither normality nor equal variances"
            ),
            "R multtest": "its ss.minP does not count the observed data, so that p can be 0",
        },
    ),
    title="Single-step max-T correction",
    references=(cite("westfall1993"), cite("montielolea2019")),
    examples=(
        Example(
            (
                (0.01, 0.2, 0.5),
                ((0.9, 0.05, 0.4), (0.3, 0.9, 0.01), (0.6, 0.7, 0.8), (0.2, 0.3, 0.4)),
            ),
            {"0": 2 / 5, "1": 4 / 5, "2": 4 / 5},
            "own derivation: the smallest p of the four resamples are .05, .01, .6 and .2",
        ),
    ),
)
def max_t(p: P, resampled: ArrayLike) -> Adjusted:
    """Adjust by the smallest p of joint resamples, in a single step, with matching intervals.

    Adjusted p is (1 + resamples whose smallest p is at most p)/(1 + B), never below p. The test
    statistics are compared by their p, so that tests with other spreads count alike: for
    statistics of one distribution that is the correction by their largest (Westfall & Young
    1993). `resampled` (B, m) are p-values under the hypotheses on resamples that are joint for
    all m, and may be empty where m is 0. An undefined p stays so and its column is not counted.
    Raises `ValueError` where the columns are not those of `p`, or there is no resample.
    """
    given = p_values(p)
    if not given:
        return ()
    smallest = smallest_p(resampled, [x is not None for x in given])
    total = len(smallest)
    return tuple(
        None
        if x is None
        else min(
            max((1 + int((smallest <= x * (1 + SAME)).sum())) / (1 + total), x),
            1.0,
        )
        for x in given
    )


def smallest_p(resampled: ArrayLike, counted: list[bool]) -> NDArray[np.float64]:
    """Return the smallest p of each joint resample over the hypotheses that are `counted` (B,)."""
    drawn = np.asarray(resampled, dtype=np.float64)
    if drawn.ndim != 2 or drawn.shape[1] != len(counted) or len(drawn) == 0:
        raise ValueError("each p needs a column of p-values on one joint resample or more")
    if not ((drawn >= 0) & (drawn <= 1)).all():
        raise ValueError("p-values on resamples lie between 0 and 1")
    return np.asarray(drawn[:, counted].min(axis=1, initial=1.0))


def single_level(resampled: ArrayLike, level: float, counted: list[bool]) -> float | None:
    """Return the level of single intervals that hold together at `level`, by joint resamples.

    It is 1 less the largest alpha that `max_t` adjusts to 1 - level or less; None where the
    resamples are too few or too far apart for that: fewer than 1/(1 - level), or so skewed that
    a statistic of theirs is beyond all numbers.
    """
    alpha = 1 - checked_level(level)
    smallest = np.sort(smallest_p(resampled, counted))
    most = int(alpha * (1 + len(smallest)) * (1 + SAME)) - 1  # counted at or below that alpha
    if most < 0:
        return None
    if smallest[most] > alpha:  # an adjusted p is never below p
        return level
    # Just below the p at which there would be one resample too many
    found = float(smallest[most]) * (1 - 2 * SAME)
    single = 1 - found
    return single if single < 1 else None
