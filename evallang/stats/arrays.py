"""Tests of two arrays, for Python: those whose evidence a study combines for them.

Each takes one value per example of both models, or in place of the first array what the
registered test takes.
"""

from __future__ import annotations

from typing import Any, Literal

from numpy.typing import ArrayLike

from evallang.results.statistics import Difference, HypothesisTestResult
from evallang.stats.basics import Alternative
from evallang.stats.hypothesis_tests import equivalence, losses, resampling_tests
from evallang.stats.hypothesis_tests.equivalence import DifferenceAt
from evallang.stats.hypothesis_tests.swapping import LossSwapper, Swapper
from evallang.stats.intervals.interval import Resampler
from evallang.stats.intervals.resampling import DifferenceSample, LossSample
from evallang.stats.rank_scores import Better, checked_direction


def permutation(
    first: ArrayLike | Swapper,
    second: ArrayLike | None = None,
    level: float = 0.95,
    seed: int = 0,
    *,
    groups: ArrayLike | None = None,
    rounds: int = 10_000,
    block: int | None = None,
    alternative: Alternative = "two_sided",
) -> HypothesisTestResult:
    """Test the difference of two means by swapping the values within examples.

    `first` and `second` are one value per example, such as losses or right and wrong answers;
    `groups` are codes of groups that are swapped as a whole. The interval inverts the test. For
    any other metric, `first` is a swapper, and `second` is not given. Raises `ValueError`
    where the arrays differ in length or hold text.
    """
    options: dict[str, Any] = {"rounds": rounds, "block": block, "alternative": alternative}
    if second is None:
        return resampling_tests.permutation(first, level, seed, **options)  # type: ignore[arg-type]  # it refuses what is not a swapper
    swapper = LossSwapper(first, second, groups=groups)  # type: ignore[arg-type]  # it refuses what is not an array
    return resampling_tests.permutation(swapper, level, seed, **options)


def bootstrap(
    first: ArrayLike | Resampler,
    second: ArrayLike | None = None,
    level: float = 0.95,
    seed: int = 0,
    *,
    groups: ArrayLike | None = None,
    method: Literal["bca", "percentile"] = "bca",
    rounds: int = 10_000,
    alternative: Alternative = "two_sided",
) -> HypothesisTestResult:
    """Test the difference of two means by resampling examples.

    `first` and `second` are one value per example; `groups` are codes of groups that are drawn
    as a whole. For any other metric, `first` is a sample of the difference, and `second` is not
    given. Raises `ValueError` where the arrays differ in length or hold text.
    """
    sample = first if second is None else _difference(first, second, groups)
    return resampling_tests.bootstrap(
        sample,  # type: ignore[arg-type]  # it refuses what is not a sample
        level,
        seed,
        method=method,
        rounds=rounds,
        alternative=alternative,
    )


def tost(
    first: ArrayLike | DifferenceAt,
    second: ArrayLike | None = None,
    level: float = 0.95,
    *,
    margin: float,
    groups: ArrayLike | None = None,
) -> HypothesisTestResult:
    """Test whether two means differ by less than a margin, in either direction.

    `first` and `second` are one value per example, whose mean difference has the interval of
    the paired t test; `groups` are codes of groups. For any other metric or design, `first` is
    the difference as a function of the level, such as `paired_proportions(table)` or
    `over_folds(first, second)`. Raises `ValueError` where `margin` is not above 0.
    """
    return equivalence.tost(_difference_at(first, second, groups), level, margin=margin)


def noninferiority(
    first: ArrayLike | DifferenceAt,
    second: ArrayLike | None = None,
    better: Better | None = None,
    level: float = 0.95,
    *,
    margin: float,
    groups: ArrayLike | None = None,
) -> HypothesisTestResult:
    """Test whether the first mean is worse than the second by less than a margin.

    `first` and `second` are those of `tost`; `better` is the direction of the metric, `higher` or
    `lower`. Raises `ValueError` without it, and where `margin` is not above 0.
    """
    checked_direction(better)
    assert better is not None, "checked above"
    at = _difference_at(first, second, groups)
    return equivalence.noninferiority(at, better, level, margin=margin)


def _difference(first: Any, second: ArrayLike, groups: ArrayLike | None) -> DifferenceSample:
    return DifferenceSample(LossSample(first, groups=groups), LossSample(second, groups=groups))


def _difference_at(first: Any, second: ArrayLike | None, groups: ArrayLike | None) -> DifferenceAt:
    if second is None:
        return first  # type: ignore[no-any-return]  # the test refuses what is not a function

    def at(level: float) -> Difference:
        found = losses.t(first, second, groups, level).estimate
        assert found is not None, "a test of two models estimates their difference"
        return found

    return at
