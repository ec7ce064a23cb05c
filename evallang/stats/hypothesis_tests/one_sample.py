"""Tests of one model against a stated error rate or score (Zhou 2021, 2.4.1)."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np
from msgspec.structs import replace
from numpy.typing import ArrayLike

from evallang.bibliography import cite
from evallang.evidence import COUNTS, FOLD_SCORES, ONE_PREDICTION_PER_ROW, SHARES
from evallang.registry import Bounds, Example
from evallang.results.statistics import Difference, HypothesisTestResult
from evallang.stats.basics import Alternative, binomial_tail, checked_level, least_rejected
from evallang.stats.correctness import Correctness, count_correct
from evallang.stats.fold_scores import read_folds
from evallang.stats.hypothesis_tests.folds import t_of_folds
from evallang.stats.hypothesis_tests.hypothesis_test import (
    HYPOTHESIS_TESTS,
    HypothesisTestDeclaration,
)
from evallang.stats.intervals.proportions import clopper_pearson
from evallang.stats.power_of_metrics import POWER_OF_OVERLAPPING_T
from evallang.stats.power_of_pairs import POWER_OF_ONE_SHARE

BINOMIAL_NULL = "the error rate of the model is at most the threshold"
NULLS: dict[str, str] = {
    "greater": BINOMIAL_NULL,
    "less": "the error rate of the model is at least the threshold",
    "two_sided": "the error rate of the model is the threshold",
}
SIDES: dict[str, str] = {"greater": "exact, one-sided", "less": "exact, one-sided: less"}
SINGLE_T_NULL = "the expected score of the model is the threshold"
ONE_WRONG_OF_TEN = ((True,),) * 9 + ((False,),)
SIX_WRONG_OF_TEN = ((True,),) * 4 + ((False,),) * 6
EIGHT = (3.0, 1.0, 5.0, 7.0, -1.0, 4.0, 2.0, 3.0)  # mean 3, variance 6
OWN = "own derivation: computed by hand"
_TREE_STUDY = """\
data cancer from sklearn breast_cancer
  positive malignant

model tree = DecisionTreeClassifier(max_depth=3)
model baseline = DummyClassifier

"""
BINOMIAL_STUDY = f"""{_TREE_STUDY}\
protocol holdout test=1/3
measure error_rate
compare tree with binomial(threshold=5%)
"""
SINGLE_T_STUDY = f"""{_TREE_STUDY}\
protocol cv folds=10
measure error_rate
compare tree with single_t(threshold=5%)
"""


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        frozenset({ONE_PREDICTION_PER_ROW, COUNTS, SHARES}),
        BINOMIAL_NULL,
        quantity="error rate",
        null_under_cv="the fitted models of the folds have an average error rate of at most the "
        "threshold",
        models=(1, 1),
        tests="correctness",
        power=POWER_OF_ONE_SHARE,
        holds="exact at every number of examples",
        when=(
            "the error rate of one model is compared with a stated bound, on independent examples"
        ),
        when_not=(
            "two models are compared: mcnemar; you want to show that the error is small, "
            "because the test can only show that it is too large: `require error_rate of A <= "
            "...`"
        ),
        formula=(
            "the chance of as many errors or more among n examples when each is wrong with "
            "the probability `threshold`; with `alternative=less` of as few or fewer; with "
            "`alternative=two_sided` the smaller of the two, doubled, at most 1"
        ),
        example=BINOMIAL_STUDY,
        differs={
            "Zhou 2021": (
                "2.4.1 swaps accepting and rejecting in its text, and its critical value is the "
                "largest error rate that is not rejected; here `critical_error_rate` is the "
                "smallest that is rejected, one error more"
            ),
            "R": (
                "binom.test adds up all counts that are no more likely than the one observed; "
                "here, as with the exact McNemar test, the smaller tail is doubled, so that p "
                "agrees with Clopper and Pearson's interval"
            ),
        },
    ),
    title="Binomial test of an error rate",
    references=(cite("zhou2021"),),
    examples=(
        Example(
            (SIX_WRONG_OF_TEN, 0.95),
            {"p": 1 - 0.9526510126, "extra.critical_error_rate": 0.6},
            "R 4.2.2, pbinom(5, 10, .3) and qbinom(.95, 10, .3): errors above .5 have a chance "
            "below .05 (Zhou 2021, figure 2.6)",
            options={"threshold": 0.3},
        ),
        Example(
            (ONE_WRONG_OF_TEN, 0.95),
            {"p": 1 - 0.7**10},
            f"{OWN}, 1 - .7^10",
            options={"threshold": 0.3},
        ),
        Example(
            (ONE_WRONG_OF_TEN, 0.95),
            {"p": 2 * (0.7**10 + 10 * 0.3 * 0.7**9)},
            f"{OWN}, twice the chance of none or one",
            options={"threshold": 0.3, "alternative": "two_sided"},
        ),
    ),
)
def binomial(
    correct: ArrayLike | Correctness,
    level: float = 0.95,
    *,
    threshold: Annotated[float, Bounds(above=0, below=1)],
    alternative: Alternative = "greater",
) -> HypothesisTestResult:
    """Test whether the error rate of one model is above a threshold, or differs from it.

    One-sided by default (Zhou 2021, 2.4.1, whose text swaps accepting and rejecting). A small p
    says that the error is larger than the threshold; a large one does not show that it is smaller.
    With `alternative=two_sided` p <= 1 - `level` exactly where the interval does not hold the
    threshold. The estimate is the error rate minus the threshold with the interval of Clopper and
    Pearson; `extra.critical_error_rate` is the smallest error rate that is rejected at
    1 - `level` because it is too large, and `extra.critical_low` the largest that is rejected
    because it is too small; None where the side is not tested, or no rate is rejected.
    `correct` is Boolean (n, 1), or its counts. Raises `ValueError` where
    `threshold` is not between 0 and 1, or there is more than one model.
    """
    checked_level(level)
    counts = count_correct(correct)
    if counts.n_models != 1:
        raise ValueError("the binomial test is about one model")
    n, errors = counts.n, counts.n - counts.successes[0]
    interval = clopper_pearson(errors, n, level)
    p: float | None = None
    extra: dict[str, float | int | str | None] = {
        "errors": errors,
        "n": n,
        "threshold": threshold,
        "alternative": alternative,
    }
    notes: tuple[str, ...] = ("undefined: no examples",)
    if n:
        # as few errors or fewer is as many right answers or more
        tails = {
            "greater": float(binomial_tail(errors, n, threshold)),
            "less": float(binomial_tail(n - errors, n, 1 - threshold)),
        }
        both = alternative == "two_sided"
        p, notes = min(2 * min(tails.values()), 1.0) if both else tails[alternative], ()
        alpha = (1 - level) / 2 if both else 1 - level
        above, below = (least_rejected(n, rate, alpha) for rate in (threshold, 1 - threshold))
        extra["critical_error_rate"] = None if alternative == "less" or above > n else above / n
        if alternative != "greater":
            extra["critical_low"] = None if below > n else (n - below) / n
    low, high = interval.low, interval.high
    return HypothesisTestResult(
        test="binomial",
        variant="exact" if alternative == "two_sided" else SIDES[alternative],
        null=NULLS[alternative],
        p=p,
        estimate=Difference(
            "error rate minus threshold",
            errors / n - threshold if n else None,
            None if low is None else low - threshold,
            None if high is None else high - threshold,
            level,
            interval.method,
        ),
        side=None if alternative == "two_sided" else alternative,
        extra=extra,
        notes=notes,
    )


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        frozenset({FOLD_SCORES}),
        SINGLE_T_NULL,
        overlap_ignored="the training sets of different folds share examples",
        instead="corrected_t",
        models=(1, 1),
        power=POWER_OF_OVERLAPPING_T,
        holds="t allows for few folds, which it takes for independent at every number",
        when="you reproduce a published t test of error rates against a stated value",
        example=SINGLE_T_STUDY,
        when_not=(
            "folds share training rows, because the test ignores this: the corrected_t interval"
        ),
        formula=(
            "the mean score less the threshold, divided by the standard error of the mean as "
            "if the scores were independent; referred to t with k - 1 degrees of freedom"
        ),
    ),
    title="t test of one model's scores against a value",
    references=(cite("zhou2021"),),
    examples=(
        Example(
            (EIGHT, 0.95),
            {"statistic.value": 2 * math.sqrt(8 / 6), "df.0": 7, "estimate.value": 2},
            f"{OWN}, sqrt(8) (3 - 1) / sqrt(6)",
            options={"threshold": 1.0},
        ),
    ),
)
def single_t(
    first: ArrayLike,
    level: float = 0.95,
    *,
    threshold: float,
    alternative: Alternative = "two_sided",
) -> HypothesisTestResult:
    """Test whether the mean score of one model over folds or rounds is a stated value.

    Two-sided (Zhou 2021, 2.4.1), or with `alternative=greater` (`less`) one-sided. It takes the k
    scores as independent, which those of cross-validation are not. `first` is (k,); undefined
    scores are excluded, with a note. Raises `ValueError` where `threshold` is not finite.
    """
    checked_level(level)
    if not math.isfinite(threshold):
        raise ValueError("the threshold of a score is a finite number")
    pairs = read_folds(first, np.full(np.shape(first), threshold))
    result = t_of_folds("single_t", SINGLE_T_NULL, pairs, pairs.plain_factor, level, alternative)
    assert result.estimate is not None, "a t test estimates a difference"
    return replace(
        result,
        estimate=replace(result.estimate, name="score minus threshold", method="t"),
        extra={**result.extra, "threshold": threshold, "alternative": alternative},
    )
