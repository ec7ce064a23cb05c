"""t and F tests on the scores of folds, as training sets overlap."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Annotated, Literal

import numpy as np
from msgspec.structs import replace
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.evidence import FOLD_SCORES
from evallang.registry import Bounds, Design, Example, Situation
from evallang.results.statistics import Difference, Effect, HypothesisTestResult, Statistic, Summary
from evallang.stats.basics import Alternative, checked_level, f_quantile, f_tail
from evallang.stats.effect_sizes.effect_size import cohen_dz, hedges_g
from evallang.stats.fold_scores import (
    FoldValues,
    aligned,
    differences,
    read_folds,
    spread_is_noise,
    studentized,
    t_result,
)
from evallang.stats.hypothesis_tests.hypothesis_test import (
    HYPOTHESIS_TESTS,
    ByOrder,
    HypothesisTestDeclaration,
)
from evallang.stats.power_of_metrics import POWER_OF_CORRECTED_T, POWER_OF_OVERLAPPING_T

FROM_FOLDS = frozenset({FOLD_SCORES})
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

    The ratio of test to training rows is that of the sums of the fold sizes (Nadeau & Bengio 2003;
    for repeated cross-validation Bouckaert & Frank 2004). Without sizes the ratio must be given:
    1/(k - 1) for cross-validation with k folds, once or repeated. `alternative=greater` asks only
    whether the first has the larger scores. `first` and `second` are (J,). Raises `ValueError`
    where shapes differ, or the ratio is unknown or not positive.
    """
    pairs = read_folds(first, second)
    factor = pairs.factor(n_train, n_test, test_train_ratio)
    return t_of_folds("corrected_t", NULL, pairs, factor, level, alternative)


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
    return t_of_folds("kfold_t", NULL, pairs, pairs.plain_factor, level, alternative)


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
    return t_of_folds("resampled_t", NULL, pairs, pairs.plain_factor, level, alternative)


def t_of_folds(
    test: str,
    null: str,
    pairs: FoldValues,
    factor: float,
    level: float,
    alternative: Alternative,
) -> HypothesisTestResult:
    """Build the result of a t test of the mean difference whose variance is `factor` times s²."""
    checked_level(level)
    d, df = pairs.values, len(pairs.values) - 1
    plain = HypothesisTestResult(
        test=test,
        variant="t",
        null=null,
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


NOISE = 1e-12  # relative; a spread below it is rounding

TEN = ((1.0, 0.0), (0.5, 0.5), (0.0, 1.0), (2.0, 1.0), (1.0, 1.0))
TEN_ZEROS = ((0.0, 0.0),) * 5


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        FROM_FOLDS,
        NULL,
        designs=frozenset({Design.FIVE_BY_TWO}),
        implied=("5x2cv", {}),
        by_order=ByOrder(
            lambda options: "repeat" if options["numerator"] == "mean" else "half",
            "5x2cv_f",
            "which uses all ten differences",
        ),
        without_power="its ten differences are not independent",
        power_as="corrected_t",
        holds="five repeats of two folds are its design",
        when="you reproduce a published 5x2cv t test",
        when_not=(
            "in all other cases, because the result depends on which half came first: 5x2cv_f, "
            "which uses all ten differences"
        ),
        formula=(
            "halve the data five times and train on each half in turn; the very first "
            "difference, divided by the root of the mean of the five variances, is referred "
            "to t with 5 degrees of freedom"
        ),
        differs={
            "Zhou 2021": (
                "2.4.2 divides the mean of the first two differences, which is more cautious "
                "than Dietterich's test: write 5x2cv_t(numerator=mean) for it"
            ),
            "mlxtend": (
                "paired_ttest_5x2cv agrees in its formula; it halves without strata, and "
                "gives NaN where all differences are 0"
            ),
        },
    ),
    title="5x2cv paired t test",
    name="5x2cv_t",
    references=(cite("dietterich1998"), cite("raschka2018")),
    examples=(
        Example(
            (TEN, TEN_ZEROS, 0.95),
            # variances 1/2, 0, 1/2, 1/2, 0
            {"statistic.value": 1 / math.sqrt(0.3), "df.0": 5, "extra.mean_difference": 0.8},
            f"{OWN}, 1 / sqrt(1.5 / 5)",
        ),
        Example(
            (TEN, TEN_ZEROS, 0.95),
            {"statistic.value": 0.5 / math.sqrt(0.3)},
            f"{OWN}, numerator (1 + 0)/2 as in Zhou 2021, section 2.4.2",
            options={"numerator": "mean"},
        ),
    ),
)
def five_by_two_t(
    first: ArrayLike,
    second: ArrayLike,
    level: float = 0.95,
    *,
    numerator: Literal["first", "mean"] = "first",
    alternative: Alternative = "two_sided",
) -> HypothesisTestResult:
    """Compare two algorithms over five repeats of two-fold cross-validation.

    t = d / sqrt(sum of the five variances / 5) with 5 degrees of freedom; d is the very
    first difference (Dietterich 1998), or with `numerator=mean` the mean of the first two
    (Zhou 2021, 2.4.2). The estimate is that difference, with the interval that the test
    implies; the mean of all ten is in `extra`. `alternative=greater` asks only whether
    the first has the larger scores. `first` and `second` are (5, 2). Raises `ValueError`
    where they are not.
    """
    d, plain = _ten(first, second), _plain("5x2cv_t", numerator, level)
    if d is None:
        return plain
    lead = float(d[0, 0] if numerator == "first" else d[0].mean())
    variance = float(_repeat_variances(d, first, second).mean())
    extra = {"mean_difference": float(d.mean())}
    plain = replace(plain, effects=_effects(d), extra=extra, notes=())
    return t_result(plain, lead, math.sqrt(variance), 5, alternative)


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        FROM_FOLDS,
        NULL,
        proposed=4,
        designs=frozenset({Design.FIVE_BY_TWO}),
        implied=("5x2cv", {}),
        without_power="its ten differences are not independent",
        power_as="corrected_t",
        holds="five repeats of two folds are its design",
        when="two learning algorithms are compared on one data set, with ten fits each",
        when_not=(
            "the claim is about one fitted model, such as the one that is shipped: mcnemar; "
            "100 fits are affordable: corrected_t under repeated cv"
        ),
        formula=(
            "halve the data five times and train on each half in turn, which gives ten "
            "differences; the sum of their squares, divided by twice the sum of the five "
            "variances, is referred to F with 10 and 5 degrees of freedom"
        ),
        differs={
            "mlxtend": (
                "combined_ftest_5x2cv halves without strata, and raises ZeroDivisionError "
                "for two identical models; here p is 1 with a note"
            ),
        },
    ),
    title="Combined 5x2cv F test",
    name="5x2cv_f",
    references=(cite("alpaydin1999"), cite("raschka2018")),
    examples=(
        Example(
            (TEN, TEN_ZEROS, 0.95),
            {"statistic.value": 9.5 / 3.0, "df.0": 10, "df.1": 5},
            f"{OWN}, sum of squares 9.5 over twice the sum of variances 1.5",
        ),
    ),
)
def five_by_two_f(first: ArrayLike, second: ArrayLike, level: float = 0.95) -> HypothesisTestResult:
    """Compare two algorithms by all ten differences of 5x2 cross-validation.

    The interval holds every difference d that the test of d
    instead of 0 does not reject: it may be empty, and then there is none. `first` and `second`
    are (5, 2). Raises `ValueError` where they are not.
    """
    d, plain = _ten(first, second), _plain("5x2cv_f", "F", level)
    if d is None:
        return plain
    squares = float((d * d).sum())
    variances = float(_repeat_variances(d, first, second).sum())
    f, p, notes = studentized(squares, 2 * variances)
    if f is not None and p is None:
        p = f_tail(f, 10, 5)
    return replace(
        plain,
        statistic=Statistic("F", f),
        df=(10.0, 5.0),
        p=p,
        estimate=_inverted_f(d, variances, level),
        effects=_effects(d),
        notes=notes,
    )


def _ten(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64] | None:
    """Return the ten differences (5, 2), or None where one is undefined."""
    x, y = aligned(first, second)
    if x.shape != (5, 2):
        raise ValueError("a 5x2cv test takes the scores of five repeats of two folds")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        return None
    return differences(x, y)[0]


def _repeat_variances(
    d: NDArray[np.float64], first: ArrayLike, second: ArrayLike
) -> NDArray[np.float64]:
    """Return the variance within each repeat, half the squared gap; rounding noise is 0."""
    x, y = aligned(first, second)
    gaps = d[:, 0] - d[:, 1]
    gaps[spread_is_noise(gaps, float(max(np.abs(x).max(), np.abs(y).max())))] = 0.0
    return gaps * gaps / 2


def _inverted_f(d: NDArray[np.float64], variances: float, level: float) -> Difference:
    """Solve sum (d - x)^2 <= 2 F sum of variances for x; shifting d leaves variances alone."""
    mean = float(d.mean())
    critical = f_quantile(checked_level(level), 10, 5)
    room = mean * mean - (float((d * d).sum()) - 2 * critical * variances) / d.size
    if room < 0:
        return Difference(Summary.DIFFERENCE, mean, None, None, level, "5x2cv_f")
    reach = math.sqrt(room)
    return Difference(Summary.DIFFERENCE, mean, mean - reach, mean + reach, level, "5x2cv_f")


def _effects(d: NDArray[np.float64]) -> tuple[Effect, ...]:
    mean, sd = float(d.mean()), float(d.std(ddof=1))
    sd = 0.0 if sd <= NOISE * max(abs(mean), 1.0) else sd
    return cohen_dz(mean, sd), hedges_g(mean, sd, d.size - 1)


def _plain(test: str, variant: str, level: float) -> HypothesisTestResult:
    """Return the result without a score on one of the folds."""
    return HypothesisTestResult(
        test=test,
        variant=variant,
        null=NULL,
        estimate=Difference(Summary.DIFFERENCE, None, None, None, checked_level(level), test),
        notes=("undefined: a model has no score on one of the ten folds",),
    )
