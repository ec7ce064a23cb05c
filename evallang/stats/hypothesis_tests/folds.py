"""Paired t tests on the scores of two models, fold by fold."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Annotated

from msgspec.structs import replace
from numpy.typing import ArrayLike

from evallang.bibliography import cite
from evallang.registry import Bounds, Design, Evidence, Example, Situation
from evallang.results.statistics import Difference, HypothesisTestResult, Statistic, Summary
from evallang.stats.alternatives import Alternative
from evallang.stats.distributions import checked_level
from evallang.stats.effect_sizes.between_models import cohen_dz, hedges_g
from evallang.stats.fold_scores import FoldValues, read_folds, t_result
from evallang.stats.hypothesis_tests.hypothesis_test import (
    HYPOTHESIS_TESTS,
    HypothesisTestDeclaration,
)
from evallang.stats.power_of_means import POWER_OF_CORRECTED_T, POWER_OF_OVERLAPPING_T

FROM_FOLDS = frozenset({Evidence.FOLD_SCORES})
NULL = "the two learning algorithms have the same expected score on training sets of this size"

# Eight differences with mean 3 and variance 6, so that statistics come out in closed form
EIGHT = (3.0, 1.0, 5.0, 7.0, -1.0, 4.0, 2.0, 3.0)
ZEROS = (0.0,) * 8
OWN = "own derivation: computed by hand"


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        FROM_FOLDS,
        NULL,
        proposed=3,
        default_for=frozenset({"splits"}),
        designs=frozenset({Design.KFOLD, Design.REPEATED, Design.RESAMPLED}),
        t_over_splits=True,
        power=POWER_OF_CORRECTED_T,
        holds="t allows for few folds; the variance is an approximation at every number of them",
        when=(
            "scores come from repeated cross-validation or repeated holdout; over the few "
            "folds of one cross-validation it detects large differences only"
        ),
        when_not="under leave-one-out, leave-one-group-out, or time series",
        differs={
            "correctipy": "it lacks a square root and gives one tail; its t of 5.75 is 2.64 here",
            "scikit-learn": (
                "its gallery example of comparing grid-search results has the same statistic "
                "with a one-sided p"
            ),
            "julearn": (
                "corrected_ttest rounds the mean sizes of unequal folds; here their sums are taken"
            ),
        },
        formula=(
            "the mean difference over J splits, divided by the root of their variance times "
            "(1/J + test rows / training rows); referred to t with J - 1 degrees of freedom"
        ),
        first_for={Situation.OVERLAPPING_FOLDS: 1},
    ),
    title="Corrected resampled t test",
    references=(cite("nadeau2003"), cite("bouckaert2004")),
    examples=(
        Example(
            (EIGHT, ZEROS, (70,) * 8, (10,) * 8, 0.95),
            {"statistic.value": 3 / math.sqrt(6 * (1 / 8 + 1 / 7)), "df.0": 7, "estimate.value": 3},
            f"{OWN}, 3 / sqrt(6 (1/8 + 1/7))",
        ),
    ),
)
def corrected_t(
    first: ArrayLike,
    second: ArrayLike,
    n_train: ArrayLike | None = None,
    n_test: ArrayLike | None = None,
    level: float = 0.95,
    *,
    test_train_ratio: Annotated[float | None, Bounds(above=0)] = None,
    alternative: Alternative = "two_sided",
) -> HypothesisTestResult:
    """Paired t test over J splits whose variance allows for overlapping training sets.

    The variance of the mean difference is s² (1/J + n_test/n_train), with the sums of the
    fold sizes, and J - 1 degrees of freedom (Nadeau & Bengio 2003; for repeated
    cross-validation Bouckaert & Frank 2004). Without sizes the ratio must be given: 1/(k - 1)
    for cross-validation with k folds, once or repeated. `alternative=greater` asks only whether
    the first has the larger scores. `first` and `second` are (J,). Raises `ValueError` where
    shapes differ, or the ratio is unknown or not positive.
    """
    pairs = read_folds(first, second)
    factor = pairs.factor(n_train, n_test, test_train_ratio)
    return _t_result("corrected_t", pairs, factor, level, alternative)


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        FROM_FOLDS,
        NULL,
        overlap_ignored="the training sets of different folds share examples",
        instead="corrected_t",
        designs=frozenset({Design.KFOLD}),
        implied=("cv", {"folds": 10}),
        power=POWER_OF_OVERLAPPING_T,
        holds="no number of folds decides: it is advised against at every one",
        when="you reproduce a published k-fold paired t test",
        when_not=(
            "in all other cases, because training sets overlap and it finds differences that "
            "do not exist (Dietterich 1998): corrected_t"
        ),
        formula=(
            "the mean difference over the k folds, divided by its standard error as if the "
            "folds were independent; referred to t with k - 1 degrees of freedom"
        ),
        differs={
            "mlxtend": (
                "paired_ttest_kfold_cv has the same formula; it takes folds in the order of "
                "the rows and without strata, so that sorted classes give NaN"
            ),
            "caret": "diff.resamples is this test with Bonferroni's correction",
        },
    ),
    title="k-fold cross-validated paired t test",
    references=(cite("dietterich1998"), cite("raschka2018")),
    examples=(
        Example(
            (EIGHT, ZEROS, 0.95),
            {"statistic.value": 3 * math.sqrt(8 / 6), "df.0": 7},
            f"{OWN}, 3 sqrt(8) / sqrt(6)",
        ),
    ),
)
def kfold_t(
    first: ArrayLike,
    second: ArrayLike,
    level: float = 0.95,
    *,
    alternative: Alternative = "two_sided",
) -> HypothesisTestResult:
    """Paired t test over k folds as if the folds were independent, which they are not.

    Raschka 2018, 4.10. `alternative=greater` asks only whether the first has the larger
    scores. `first` and `second` are (k,). Raises `ValueError` where shapes differ.
    """
    pairs = read_folds(first, second)
    return _t_result("kfold_t", pairs, pairs.plain_factor, level, alternative)


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        FROM_FOLDS,
        NULL,
        overlap_ignored="the training sets of different splits share examples, and so do the "
        "test sets",
        instead="corrected_t",
        designs=frozenset({Design.RESAMPLED}),
        implied=("repeated_holdout", {"times": 30, "test": Fraction(1, 3)}),
        power=POWER_OF_OVERLAPPING_T,
        holds="no number of rounds decides: it is advised against at every one",
        when="you reproduce a published resampled t test",
        when_not=(
            "in all other cases, because test and training sets overlap and it finds "
            "differences that do not exist (Dietterich 1998): corrected_t"
        ),
        formula=(
            "the mean difference over J random splits, divided by its standard error as if "
            "the splits were independent; referred to t with J - 1 degrees of freedom"
        ),
        differs={
            "mlxtend": (
                "paired_ttest_resampled offers it without a warning; with 30 splits of 200 "
                "rows it found a difference between two equal 5-NN learners in 60 of 100 "
                "cases"
            ),
        },
    ),
    title="Resampled paired t test",
    references=(cite("dietterich1998"), cite("raschka2018")),
    examples=(
        Example(
            (EIGHT, ZEROS, 0.95),
            {"statistic.value": 3 * math.sqrt(8 / 6), "df.0": 7},
            f"{OWN}, 3 sqrt(8) / sqrt(6)",
        ),
    ),
)
def resampled_t(
    first: ArrayLike,
    second: ArrayLike,
    level: float = 0.95,
    *,
    alternative: Alternative = "two_sided",
) -> HypothesisTestResult:
    """Paired t test over random splits as if they were independent, which they are not.

    Raschka 2018, 4.9. `alternative=greater` asks only whether the first has the larger
    scores. `first` and `second` are (J,). Raises `ValueError` where shapes differ.
    """
    pairs = read_folds(first, second)
    return _t_result("resampled_t", pairs, pairs.plain_factor, level, alternative)


def _t_result(
    test: str, pairs: FoldValues, factor: float, level: float, alternative: Alternative
) -> HypothesisTestResult:
    """Build the result of a t test of the mean difference whose variance is `factor` times s²."""
    checked_level(level)
    d, df = pairs.values, len(pairs.values) - 1
    plain = HypothesisTestResult(
        test=test,
        variant="t",
        null=NULL,
        statistic=Statistic("t", None),
        estimate=Difference(
            Summary.DIFFERENCE, float(d[0]) if len(d) else None, None, None, level, test
        ),
        notes=pairs.notes,
    )
    if df < 1:
        return replace(plain, notes=(*pairs.notes, "undefined: it takes scores on two folds"))
    mean, sd = float(d.mean()), pairs.sd
    effects = (cohen_dz(mean, sd), hedges_g(mean, sd, df))
    plain = replace(plain, effects=effects, extra={"sd": sd})
    return t_result(plain, mean, sd * math.sqrt(factor), df, alternative)
