"""Tests on right and wrong of three or more models, and of two by recalls."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.registry import Evidence, Example
from evallang.results.statistics import Difference, HypothesisTestResult, Statistic, Summary
from evallang.stats.basics import (
    Alternative,
    checked_level,
    chi2_tail,
    f_tail,
    halved,
    normal_p,
    normal_quantile,
    numbers,
    one_sided,
)
from evallang.stats.correctness import Correctness, count_correct
from evallang.stats.effect_sizes.effect_size import chance_corrected_r, eta_squared_q
from evallang.stats.hypothesis_tests.contingency import clustered_cochran
from evallang.stats.hypothesis_tests.datasets import MOST_STEPS, share_from, squared_totals
from evallang.stats.hypothesis_tests.hypothesis_test import (
    HYPOTHESIS_TESTS,
    HypothesisTestDeclaration,
)
from evallang.stats.hypothesis_tests.resampling_tests import EQUAL, EQUAL_UNDER_CV
from evallang.stats.intervals.differences import CHAPTER_8

FROM_ROWS = frozenset({Evidence.ONE_PREDICTION_PER_ROW, Evidence.COUNTS})
EXACT_COCHRAN_BELOW = 24  # informative rows times models; Tate & Brown 1970


ALL_NULL = "all models have the same accuracy"
ALL_NULL_UNDER_CV = (
    "the average accuracy over these folds is the same for all learning algorithms; the "
    "conclusion does not extend to new training sets"
)
KUNCHEVA = (
    ((1, 1, 1),) * 80
    + ((1, 1, 0),) * 2
    + ((1, 0, 0),) * 2
    + ((0, 1, 1),) * 9
    + ((0, 1, 0),)
    + ((0, 0, 1),) * 3
    + ((0, 0, 0),) * 3
)


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        FROM_ROWS,
        ALL_NULL,
        followed_by=("mcnemar",),
        proposed=1,
        null_under_cv=ALL_NULL_UNDER_CV,
        models=(3, None),
        tests="correctness",
        omnibus=True,
        clustered=True,
        without_power="it depends on which of the models are right together",
        power_as="mcnemar",
        holds="exact or by permutation where few examples differ",
        when=(
            "three or more fitted models each have one prediction for every example, and "
            "examples or groups of them are independent"
        ),
        when_not="there are two models: mcnemar",
        formula=(
            "how far the models' numbers of right answers lie from their mean, squared and "
            "added up, in units of what the examples on which models disagree would give by "
            "chance; referred to chi-squared with M - 1 degrees of freedom"
        ),
        differs={
            "mlxtend": (
                "cochrans_q gives the same statistic, and NaN where all models are right on "
                "the same examples; here p is 1 with a note"
            ),
            "statsmodels": (
                "cochrans_q always refers to chi-squared; here few informative examples get "
                "the exact distribution, and cochran(chi2) is theirs"
            ),
        },
    ),
    title="Cochran's Q test",
    references=(cite("cochran1950"), cite("tate1970")),
    examples=(
        Example(
            (KUNCHEVA,),
            {"statistic.value": 7.5294, "df.0": 2},
            "Raschka 2018, eq. 51 (data of Kuncheva 2004)",
            5e-5,
            {"method": "chi2"},
        ),
        Example((KUNCHEVA,), {"p": 0.023}, "Raschka 2018, below eq. 51", 5e-4, {"method": "chi2"}),
    ),
)
def cochran(
    correct: ArrayLike | Correctness,
    groups: ArrayLike | None = None,
    seed: int = 0,
    *,
    method: Literal["auto", "chi2", "exact"] = "auto",
) -> HypothesisTestResult:
    """Test whether three or more models are right equally often on the same examples.

    Q of Cochran 1950 (Raschka 2018, 4.6), chi-squared with M - 1 degrees of freedom.
    Examples on which all models are right, or all wrong, carry no information; where the
    informative ones times M are fewer than 24, `auto` takes the exact distribution of Q
    over all permutations within examples (Tate & Brown 1970). With two models Q is
    McNemar's uncorrected chi-squared. `correct` is Boolean (n, M), or its counts.

    With `groups` (n,) the totals of groups take the place of examples, and `exact`, or fewer
    than 30 groups that tell models apart, permutes the models once per group. Raises
    `ValueError` where `correct` is counts then.
    """
    counts = count_correct(correct)
    models, n = counts.n_models, counts.n
    informative = sum(counts.row_sums[1:-1])
    variant: str = method
    notes: tuple[str, ...] = ()
    if method == "auto":
        small = informative * models < EXACT_COCHRAN_BELOW
        variant = "exact" if small else "chi2"
    q, p = _cochran_q(counts)
    if informative == 0:
        notes = ("no example tells the models apart: on each, all are right or all wrong",)
        variant = "chi2" if method == "auto" else method
    elif variant == "exact":
        exact = _exact_cochran(counts)
        if exact is None:
            variant = "chi2"
            notes = (f"chi2: {informative} informative examples are too many to enumerate",)
        else:
            p = exact
    result = HypothesisTestResult(
        test="cochran",
        variant=variant,
        null=ALL_NULL,
        statistic=Statistic("Q", q),
        df=None if variant == "exact" else (float(models - 1),),
        p=p,
        effects=()
        if q is None
        else (
            eta_squared_q(q, n, models),
            chance_corrected_r(counts.successes, counts.row_sums),
        ),
        extra={"n": n, "informative": informative},
        notes=notes,
    )
    if groups is None:
        return result
    if isinstance(correct, Correctness):
        raise ValueError("with groups, right and wrong of every example are needed")
    return clustered_cochran(result, correct, groups, seed, method)


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        FROM_ROWS,
        ALL_NULL,
        followed_by=("mcnemar",),
        null_under_cv=ALL_NULL_UNDER_CV,
        models=(3, None),
        tests="correctness",
        omnibus=True,
        without_power="it depends on which of the models are right together",
        power_as="mcnemar",
        holds="F allows for few examples, and rejects less often where few differ",
        when="you reproduce an analysis of variance of right and wrong answers",
        when_not="in all other cases: cochran, which assumes less",
        differs={
            "mlxtend": "it refers F to (M - 1, (M - 1) n) degrees of freedom, as Raschka "
            "prints; two-way analysis of variance and Looney have (M - 1)(n - 1)",
            "Raschka 2018": (
                "4.7 omits a square in SSA and prints (M - 1) n; the analysis of "
                "variance has the square and (M - 1)(n - 1)"
            ),
        },
        formula=(
            "a two-way analysis of variance of right (1) and wrong (0) by model and example: "
            "the mean square of models over that of what is left; referred to F with (M - 1) "
            "and (M - 1)(n - 1) degrees of freedom"
        ),
    ),
    title="Looney's F test",
    references=(cite("looney1988"), cite("raschka2018")),
    examples=(
        Example(
            (KUNCHEVA,),
            {"statistic.value": 64 * 198 / 3272, "df.0": 2, "df.1": 198},
            "own derivation: SSA 128/300 and SSAB 3272/300 by hand, on the data of Raschka "
            "2018, table 2",
        ),
    ),
)
def looney_f(correct: ArrayLike | Correctness) -> HypothesisTestResult:
    """Compare the accuracies of several models by two-way analysis of variance of zeros and ones.

    Raschka 2018, 4.7, with the square in SSA and the degrees of freedom that Looney 1988 has.
    `correct` is Boolean (n, M), or its counts. Raises
    `ValueError` where it is neither.
    """
    counts = count_correct(correct)
    models, n = counts.n_models, counts.n
    df = (float(models - 1), float((models - 1) * (n - 1)))
    between, residual = _sums_of_squares(counts)
    f: float | None
    p: float | None
    notes: tuple[str, ...] = ()
    if df[1] <= 0 or df[0] <= 0:
        f = p = None
        notes = ("undefined: it takes two examples and two models",)
    elif between == 0:
        f, p = (None if residual == 0 else 0.0), 1.0
        notes = ("all models are right equally often",)
    elif residual == 0:
        f, p = float("inf"), 0.0
        notes = ("no variation is left within examples, so F is infinite",)
    else:
        f = (between / df[0]) / (residual / df[1])
        p = f_tail(f, *df)
    return HypothesisTestResult(
        test="looney_f",
        variant="F",
        null=ALL_NULL,
        statistic=Statistic("F", f),
        df=df,
        p=p,
        extra={"n": n},
        notes=notes,
    )


def _cochran_q(counts: Correctness) -> tuple[float | None, float]:
    """Q and its chi-squared p, in whole numbers up to the last division."""
    models, successes = counts.n_models, counts.successes
    total = sum(successes)
    squares = sum(r * r * times for r, times in enumerate(counts.row_sums))
    within = models * total - squares
    if within == 0:
        return None, 1.0
    q = (models - 1) * (models * sum(g * g for g in successes) - total * total) / within
    return q, chi2_tail(q, models - 1)


def _sums_of_squares(counts: Correctness) -> tuple[float, float]:
    """SSA and SSAB times n M, which are whole numbers, over n M."""
    n, models, successes = counts.n, counts.n_models, counts.successes
    total = sum(successes)
    squares = sum(r * r * times for r, times in enumerate(counts.row_sums))
    between = models * sum(g * g for g in successes) - total * total
    rows = n * squares - total * total
    residual = n * models * total - total * total - between - rows
    scale = max(n * models, 1)
    return between / scale, residual / scale


def _exact_cochran(counts: Correctness) -> float | None:
    """P(Q >= observed) when the answers to each example are permuted among the models.

    Given the row sums, Q grows with the sum of squares of the columns' totals. None where more than
    `MOST_STEPS` sums would be needed.
    """
    models = counts.n_models
    rows = [
        (1,) * right + (0,) * (models - right)
        for right in range(1, models)
        for _ in range(counts.row_sums[right])
    ]
    ways = squared_totals(tuple(rows), MOST_STEPS)
    certain = counts.row_sums[models]
    observed = sum((g - certain) ** 2 for g in counts.successes)
    return None if ways is None else share_from(ways, observed)


ONE_CLASS = ((1.0, 6.0, 16.0, 161.0),)  # the interval is Agresti and Min's of its pairs


@HYPOTHESIS_TESTS.register(
    HypothesisTestDeclaration(
        frozenset({Evidence.ONE_PREDICTION_PER_ROW}),
        EQUAL,
        tests="recalls",
        intervals={"paired_recalls": "interval of paired recalls (MOVER)"},
        default_for=frozenset({"recalls"}),
        null_under_cv=EQUAL_UNDER_CV,
        without_power="it depends on how many examples of each class one model alone has right",
        power_as="bootstrap",
        holds="conservative at every number: half an example is added to each kind of pair",
        when=(
            "two models are compared on the same examples by balanced accuracy or another mean of "
            "recalls, and a class has few examples"
        ),
        when_not=(
            "the metric is another one, or rows belong to groups: permutation or bootstrap; a "
            "higher power matters and outputs are exchangeable: permutation"
        ),
        formula=(
            "the difference of the recalls of each class, with the interval that adds half an "
            "example to each kind of pair (Agresti & Min 2005); the squared distances of its "
            "bounds from the difference, times the squared weights of the classes, are added; p is "
            "the smallest alpha at which the interval of level 1 - alpha leaves 0 out"
        ),
        example=(
            "data cancer from sklearn breast_cancer\n"
            "  positive malignant\n"
            "\n"
            "model linear = StandardScaler | LogisticRegression\n"
            "model bayes = GaussianNB\n"
            "model baseline = DummyClassifier\n"
            "\n"
            "protocol holdout test=1/3\n"
            "measure balanced_accuracy\n"
            "compare linear vs bayes with paired_recalls\n"
        ),
    ),
    title="Test of a mean of paired recalls",
    references=(cite("zou2008"), cite("agresti2005")),
    examples=(
        Example(
            (ONE_CLASS, 0.95),
            {"estimate.low": -0.1182, "estimate.high": -0.0045},
            CHAPTER_8,
            5e-5,
        ),
    ),
)
def paired_recalls(
    paired_terms: ArrayLike, level: float = 0.95, *, alternative: Alternative = "two_sided"
) -> HypothesisTestResult:
    """Test a difference of two means of recalls by the interval that just excludes 0.

    `paired_terms` (s, 4) holds for each class its weight, how many of its examples only the first
    and only the second model has right, and how many there are. The interval adds the squared
    distances of the bounds of Agresti & Min 2005 from the difference of each class (Zou & Donner
    2008). Raises `ValueError` where the shape is another one.
    """
    checked_level(level)
    given = numbers(paired_terms, "pairs of the classes")
    if given.ndim != 2 or given.shape[1] != 4:
        raise ValueError("each class has a weight, two numbers of pairs that differ, and examples")
    given = given[given[:, 3] > 0]
    if not len(given):
        nothing = Difference(Summary.DIFFERENCE, None, None, None, level, "none")
        why = ("undefined: no class has an example",)
        return HypothesisTestResult(
            "paired_recalls", "paired recalls", EQUAL, estimate=nothing, notes=why
        )
    c, first, second, n = given.T
    differences = (first - second) / n
    value = float((c * differences).sum())
    # Agresti & Min: half an example is added to each of the four kinds of pairs
    p, q = (first + 0.5) / (n + 2), (second + 0.5) / (n + 2)
    shift = c * (differences - (p - q))
    error = c * np.sqrt((p + q - (p - q) ** 2) / (n + 2))
    z = _at_zero(abs(value), shift if value >= 0 else -shift, error)
    quantile = normal_quantile(level)

    def reach(side: float) -> float:
        return math.sqrt(float(((side * shift + quantile * error) ** 2).sum()))

    result = HypothesisTestResult(
        test="paired_recalls",
        variant="paired recalls",
        null=EQUAL,
        statistic=Statistic("z", z if value >= 0 else -z),
        p=halved(normal_p(z), value, alternative),
        estimate=Difference(
            Summary.DIFFERENCE,
            value,
            max(value - reach(1.0), -1.0),
            min(value + reach(-1.0), 1.0),
            level,
            "paired_recalls",
        ),
    )
    return one_sided(result, alternative)


def _at_zero(value: float, shift: NDArray[np.float64], error: NDArray[np.float64]) -> float:
    """Return the z at which the bound that faces 0 is 0: Σ (shift + z error)² = value²."""
    a, b = float((error**2).sum()), float((shift * error).sum())
    left = value**2 - float((shift**2).sum())
    return max((math.sqrt(max(b * b + a * left, 0.0)) - b) / a, 0.0) if left > 0 else 0.0
