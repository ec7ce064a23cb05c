"""Scores of folds: their differences, when they vary at all, and the variance of their mean."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import ArrayLike, NDArray

from evallang.results.statistics import HypothesisTestResult, Statistic
from evallang.stats.basics import Alternative, magnitudes, numbers, one_sided, t_p, t_quantile

EQUAL = "the difference is 0 and so is its variance, so there is no statistic and p is 1"
CONSTANT = "the differences do not vary, so the statistic is infinite and p is 0"
OTHER_SIDE = "the differences do not vary and lie on the other side, so p is 1"
NOISE = 1e-12  # of the largest score: twelve significant digits
AT_ONCE = 1 << 18  # differences whose noise is looked at together


class FoldValues(Struct, frozen=True, eq=False):
    """The finite values of folds: those of one model, or differences of two.

    `constant` tells that they differ by rounding noise only; `kept` which folds remain.
    """

    values: NDArray[np.float64]
    kept: NDArray[np.bool_]
    constant: bool
    notes: tuple[str, ...]

    def factor(
        self, n_train: ArrayLike | None, n_test: ArrayLike | None, ratio: float | None
    ) -> float:
        """Return 1/J + n_test/n_train, the share of s² in the variance of the mean.

        Nadeau & Bengio 2003. The ratio is the one the author gave, else that of the
        sums of the fold sizes. Raises `ValueError` where it is unknown or not positive.
        """
        train, test = self._sizes(n_train), self._sizes(n_test)
        if ratio is None and len(self.values) < 2:
            ratio = 1.0  # nothing varies, whatever it is
        elif ratio is None and train is not None and test is not None and 0 < train < math.inf:
            ratio = test / train
        elif ratio is None:
            raise ValueError(
                "the ratio of test to training rows is unknown: give n_train and n_test, or "
                "test_train_ratio, which is 1/(k - 1) for cross-validation with k folds"
            )
        if not 0 < ratio < math.inf:
            raise ValueError("the ratio of test to training rows is more than 0")
        return self.plain_factor + float(ratio)

    @property
    def plain_factor(self) -> float:
        """The same share as if folds were independent, 1/J."""
        return 1.0 / max(len(self.values), 1)

    @property
    def sd(self) -> float:
        """The standard deviation of two values or more, 0 where it is noise."""
        return 0.0 if self.constant else float(self.values.std(ddof=1))

    def _sizes(self, given: ArrayLike | None) -> float | None:
        """Add up the sizes of the folds that remain."""
        if given is None:
            return None
        sizes = numbers(given, "fold sizes")
        if sizes.shape != self.kept.shape:
            raise ValueError("fold sizes are given for every fold or not at all")
        return float(sizes[self.kept].sum())


def read_folds(first: ArrayLike, second: ArrayLike | None = None) -> FoldValues:
    """Read the values of folds (J,), of two models their differences.

    Raises `ValueError` where they are not one row of each model, of one length.
    """
    x, y = aligned(first, np.zeros(np.shape(first)) if second is None else second)
    if x.ndim != 1:
        raise ValueError("fold scores are given as one row for each model")
    kept = np.isfinite(x) & np.isfinite(y)
    d, constant = differences(x[kept], y[kept])
    lost = int((~kept).sum())
    notes = (f"{lost} of {len(kept)} folds have no finite score and are excluded",) if lost else ()
    return FoldValues(d, kept, constant, notes)


def t_result(
    plain: HypothesisTestResult,
    mean: float,
    error: float,
    df: float,
    alternative: Alternative = "two_sided",
) -> HypothesisTestResult:
    """Fill statistic, p and interval of a t test of a mean into a result that has none of them."""
    assert plain.estimate is not None, "the name and the level of what is estimated"
    value, p, more = studentized(mean, error, alternative)
    if value is not None and p is None:
        p = t_p(value, df, alternative)
    half = t_quantile(plain.estimate.level, df) * error
    estimate = replace(plain.estimate, value=mean, low=mean - half, high=mean + half, df=float(df))
    notes = (*plain.notes, *more)
    statistic = Statistic("t", value)
    result = replace(
        plain, statistic=statistic, df=(float(df),), p=p, estimate=estimate, notes=notes
    )
    return one_sided(result, alternative)


def spread_is_noise(spread: Any, scale: Any) -> Any:
    """Return where a difference of scores is below the twelfth significant digit of `scale`."""
    return np.abs(spread) <= NOISE * scale


def aligned(
    first: ArrayLike,
    second: ArrayLike,
    read: Callable[[ArrayLike, str], NDArray[np.float64]] = magnitudes,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Read the scores of two models; raises `ValueError` where their shapes differ."""
    x, y = read(first, "scores"), read(second, "scores")
    if x.shape != y.shape:
        raise ValueError(
            f"both models need a score on every fold or example: {_size(x)} and {_size(y)} "
            "do not pair"
        )
    return x, y


def _size(values: NDArray[np.float64]) -> str:
    """Return the shape of an array for a sentence: 5, or 5 x 2."""
    return " x ".join(map(str, values.shape)) or "a single number"


def differences(x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[NDArray[np.float64], bool]:
    """Subtract; a difference that is rounding noise is 0, one that varies by noise is one.

    Noise is that of the two scores themselves: others may be of another order, as errors on
    other data sets are.
    """
    d = x - y
    for start in range(0, len(d), AT_ONCE):  # of many, each array is large
        rows = slice(start, start + AT_ONCE)
        scale = np.maximum(np.abs(x[rows]), np.abs(y[rows]))
        d[rows][np.abs(d[rows]) <= NOISE * scale] = 0.0
    if d.size == 0:
        return d, False
    top, bottom = d.argmax(), d.argmin()
    ends = max(np.maximum(abs(x.flat[end]), abs(y.flat[end])) for end in (top, bottom))
    return d, bool(spread_is_noise(d.flat[top] - d.flat[bottom], ends))


def studentized(
    numerator: float, denominator: float, alternative: Alternative = "two_sided"
) -> tuple[float | None, float | None, tuple[str, ...]]:
    """Return the statistic, and p and a note where there is no variance at all."""
    if denominator > 0:
        return numerator / denominator, None, ()
    if numerator == 0:
        return None, 1.0, (EQUAL,)
    value = math.copysign(math.inf, numerator)
    if (alternative, value) in (("greater", -math.inf), ("less", math.inf)):
        return value, 1.0, (OTHER_SIDE,)
    return value, 0.0, (CONSTANT,)
