"""Scores of folds: their differences, when they vary at all, and the variance of their mean."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.stats.alternatives import Alternative
from evallang.stats.validation import magnitudes

EQUAL = "the difference is 0 and so is its variance, so there is no statistic and p is 1"
CONSTANT = "the differences do not vary, so the statistic is infinite and p is 0"
OTHER_SIDE = "the differences do not vary and lie on the other side, so p is 1"
NOISE = 1e-12  # of the largest score: twelve significant digits
AT_ONCE = 1 << 18  # differences whose noise is looked at together


def corrected_factor(
    n_train: NDArray[np.float64] | None,
    n_test: NDArray[np.float64] | None,
    splits: int,
    test_train_ratio: float | None,
) -> float:
    """Return 1/J + n_test/n_train, the share of s² in the variance of the mean.

    Nadeau & Bengio 2003. The ratio is the one the author gave, else that of the
    sums of the fold sizes. Raises `ValueError` where it is unknown or not positive.
    """
    if test_train_ratio is not None:
        ratio = float(test_train_ratio)
    elif splits < 2:
        ratio = 1.0  # nothing varies, whatever it is
    elif n_train is not None and n_test is not None and 0 < n_train.sum() < np.inf:
        ratio = float(n_test.sum() / n_train.sum())
    else:
        raise ValueError(
            "the ratio of test to training rows is unknown: give n_train and n_test, or "
            "test_train_ratio, which is 1/(k - 1) for cross-validation with k folds"
        )
    if not 0 < ratio < math.inf:
        raise ValueError("the ratio of test to training rows is more than 0")
    return 1.0 / max(splits, 1) + ratio


def spread_is_noise(spread: Any, scale: float) -> Any:
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
