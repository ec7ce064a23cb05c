"""A test of the difference of two means of recalls, from the pairs of each class."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.bibliography import cite
from evallang.registry import Evidence, Example
from evallang.results.statistics import Difference, HypothesisTestResult, Statistic, Summary
from evallang.stats.distributions import (
    Alternative,
    checked_level,
    halved,
    normal_p,
    normal_quantile,
    one_sided,
)
from evallang.stats.hypothesis_tests.hypothesis_test import (
    HYPOTHESIS_TESTS,
    HypothesisTestDeclaration,
)
from evallang.stats.hypothesis_tests.resampling_tests import EQUAL, EQUAL_UNDER_CV
from evallang.stats.intervals.differences import CHAPTER_8
from evallang.stats.validation import numbers

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
