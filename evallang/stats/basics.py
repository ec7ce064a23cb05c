"""Arrays as tests and intervals take them; tails and quantiles of the reference distributions.

Only `scipy.special` is used: `scipy.stats` takes half a second to import."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from evallang.registry import wrong_word
from evallang.results.statistics import HypothesisTestResult, with_side

MOST_COUNTED = 2**53  # beyond, whole numbers are no longer exact in double precision
LARGEST = 1e100  # third powers, as of BCa's acceleration, stay in double precision
SMALLEST = 1 / LARGEST
LARGEST_TERM = 1e300  # the sum of many such stays finite


def numbers(values: ArrayLike, what: str) -> NDArray[np.float64]:
    """Read numbers of any shape as float64, None and masked ones as NaN.

    `what` names them as a plural. Raises `ValueError` where one is not a number, or rows differ
    in length.
    """
    try:
        given = np.asarray(values)
    except ValueError:
        raise ValueError(f"{what} are given as rows of one length") from None
    if isinstance(values, np.ma.MaskedArray) and given.dtype.kind in "fiub":
        return np.where(np.ma.getmaskarray(values), np.nan, given.astype(np.float64))
    if given.dtype.kind in "fiub":
        return given.astype(np.float64, copy=False)
    if given.dtype.kind == "O":
        for value in given.ravel().tolist():
            if value is not None and not isinstance(value, int | float | np.number):
                raise ValueError(f"{what} must be numbers, and {value!r} is not")
        try:
            return given.astype(np.float64)
        except OverflowError:
            raise ValueError(f"{what} are numbers below 1.8e308 in size") from None
    example = given.ravel()[:1].tolist()
    raise ValueError(f"{what} must be numbers, and {example[0] if example else given!r} is not")


def magnitudes(values: ArrayLike, what: str) -> NDArray[np.float64]:
    """Read numbers that are to be squared; infinite ones, as of a metric, are let through.

    Raises `ValueError` as `numbers` does, and where squares would overflow or all vanish.
    """
    found = numbers(values, what)
    largest = _largest(found)
    if largest > LARGEST:
        raise ValueError(f"{what} beyond {LARGEST:g} overflow when squared: rescale them")
    if 0 < largest < SMALLEST:
        raise ValueError(f"{what} all below {SMALLEST:g} vanish when squared: rescale them")
    return found


def example_weights(values: ArrayLike) -> NDArray[np.float64]:
    """Read weights of examples (n,); raises `ValueError` where one is negative or not finite."""
    found = magnitudes(values, "weights")
    if found.ndim != 1 or not np.isfinite(found).all() or (found < 0).any():
        raise ValueError("weights are finite numbers, zero or more, one for each example")
    return found


def subtractable(values: ArrayLike, what: str) -> NDArray[np.float64]:
    """Read numbers that are compared and subtracted; infinite ones are let through.

    Raises `ValueError` as `numbers` does, and where a difference might overflow.
    """
    found = numbers(values, what)
    if _largest(found) > LARGEST_TERM:
        raise ValueError(f"{what} beyond {LARGEST_TERM:g} overflow when subtracted: rescale them")
    return found


def _largest(values: NDArray[np.float64]) -> float:
    """Return the largest absolute value of the finite numbers, without an array of all."""
    finite = np.isfinite(values)
    high, low = values.max(initial=0.0, where=finite), values.min(initial=0.0, where=finite)
    return max(float(high), -float(low))


def check_unmasked(values: object, what: str) -> None:
    """Raise `ValueError` where some of it is masked, which numpy's functions overlook."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.getmaskarray(values).any():
        raise ValueError(f"{what} of masked examples are unknown: leave the examples out")


def word(given: object, words: tuple[str, ...], what: str) -> None:
    """Raise `ValueError` where an option is none of its words."""
    if given not in words:
        raise ValueError(wrong_word(given, words, what))


def positives(truth: ArrayLike) -> NDArray[np.bool_]:
    """Read which examples are of the positive class, from 1 and 0.

    Raises `ValueError` where there is another value: labels are compared by the caller.
    """
    check_unmasked(truth, "labels")
    given = np.asarray(truth)
    if given.dtype == np.bool_:
        return given
    if given.dtype.kind in "fiu":
        ones: NDArray[np.bool_] = given == 1
        if np.count_nonzero(given) == np.count_nonzero(ones):
            return ones
    raise ValueError(
        "truth is 1 for the positive class and 0 for the negative: compare labels with "
        "the positive one first, as in `labels == 'malignant'`"
    )


def labels(values: ArrayLike, n: int, what: str) -> NDArray[np.intp]:
    """Number the labels of n examples 0, 1, ... in sorted order; `what` names one of them.

    Raises `ValueError` where there is not one for each example.
    """
    given = np.asarray(values)
    if given.shape != (n,):
        raise ValueError(f"every example needs its {what}")
    if given.dtype.kind == "O":
        given = given.astype(str)  # None and numbers do not sort together
    if given.dtype.kind in "iu" and n:
        low, high = int(given.min()), int(given.max())
        if high - low < n:  # counting takes a tenth of the time of sorting
            if given.dtype.kind == "i":  # differences of narrow ones overflow
                given = given.astype(np.intp, copy=False)
            places = (given - low if low else given).astype(np.intp, copy=False)
            occurring = np.bincount(places) > 0
            if occurring.all():  # numbered already, and a copy takes much memory
                return places
            return np.asarray((np.cumsum(occurring) - 1)[places])
    return np.unique(given, return_inverse=True)[1]


def normal_quantile(level: float) -> float:
    """Return z with P(|Z| <= z) = level for a standard normal Z.

    Raises `ValueError` where `level` is not between 0 and 1.
    """
    from statistics import NormalDist  # rules ask for it in a browser, which has no SciPy

    return -NormalDist().inv_cdf((1.0 - checked_level(level)) / 2.0)


def t_quantile(level: float, df: float) -> float:
    """Return t with P(|T| <= t) = level for Student's T with `df` degrees of freedom.

    Raises `ValueError` where `level` is not between 0 and 1.
    """
    # Beta quantiles instead of stdtrit, which is only good to about 1e-10
    tail = float(scipy.special.betaincinv(df / 2.0, 0.5, 1.0 - checked_level(level)))
    if tail > 0.5:  # near 1, 1 - tail would cancel
        rest = float(scipy.special.betaincinv(0.5, df / 2.0, level))
        return float((df * rest / (1.0 - rest)) ** 0.5)
    return float((df * (1.0 - tail) / tail) ** 0.5)


def bounds_inside(
    value: float, half: float, low: float = 0.0, high: float = 1.0
) -> tuple[float, float]:
    """Return value ± half on the logit scale of its range, by the delta method."""
    share = (value - low) / (high - low)
    reach = half / (high - low) / (share * (1 - share))
    centre = float(scipy.special.logit(share))
    ends = scipy.special.expit([centre - reach, centre + reach])
    return low + (high - low) * float(ends[0]), low + (high - low) * float(ends[1])


def welch_df(parts: tuple[tuple[float, float], ...]) -> float | None:
    """Return the degrees of freedom of a sum of independent variances (Satterthwaite 1946).

    `parts` are pairs of a variance and its degrees of freedom. None where the sum is 0.
    """
    total = sum(variance for variance, _ in parts)
    spread = sum(variance * variance / df for variance, df in parts if variance)
    return total * total / spread if spread > 0 else None


def chi2_tail(x: float, df: float) -> float:
    """Return P(X >= x) for X chi-squared with `df` degrees of freedom."""
    return float(scipy.special.chdtrc(df, x))


def f_tail(x: float, df1: float, df2: float) -> float:
    """Return P(X >= x) for X with Fisher's F distribution."""
    return float(scipy.special.fdtrc(df1, df2, x))


def f_quantile(level: float, df1: float, df2: float) -> float:
    """Return x with P(F <= x) = level for F with (df1, df2) degrees of freedom."""
    return float(scipy.special.fdtri(df1, df2, checked_level(level)))


def binomial_tail(k: ArrayLike, n: ArrayLike, share: ArrayLike = 0.5) -> NDArray[np.float64]:
    """Return P(X >= k) for X binomial with n trials of probability `share`; arrays of one shape."""
    least, trials = np.asarray(k, dtype=np.float64), np.asarray(n, dtype=np.float64)
    inside = (least >= 1) & (least <= trials)
    tail = scipy.special.betainc(
        np.where(inside, least, 1), np.where(inside, trials - least + 1, 1), share
    )
    return np.where(inside, tail, (least < 1).astype(np.float64))


def standard_deviation(values: NDArray[np.float64]) -> float | None:
    """Return the standard deviation of the values that are known, None with fewer than two.

    Exactly 0 where all are the same, whatever the rounding of their mean.
    """
    known = values[~np.isnan(values)]
    if len(known) < 2:
        return None
    return 0.0 if known.min() == known.max() else float(np.std(known, ddof=1))


def p_of_equal_signs(units: int, models: int, options: Mapping[str, Any]) -> float:
    """Return the p of a test of differences that all have the same sign; 0 of approximate forms."""
    if options.get("method", "auto") not in ("auto", "exact"):
        return 0.0
    return float((2.0 if options["alternative"] == "two_sided" else 1.0) * 0.5**units)


def least_rejected(n: int, share: float, alpha: float) -> int:
    """Return the least number of successes whose upper tail is at most alpha; n + 1 for none."""
    low, high = 0, n + 1  # no tail starts at 0 or less, and none is left above n
    while high - low > 1:
        middle = (low + high) // 2
        if float(binomial_tail(middle, n, share)) <= alpha:
            high = middle
        else:
            low = middle
    return high


def checked_level(level: float) -> float:
    """Return `level`; raises `ValueError` where it is not between 0 and 1."""
    if not isinstance(level, int | float) or not 0.0 < level < 1.0:
        raise ValueError(f"a confidence level lies between 0 and 1, not {level!r}")
    return float(level)


if TYPE_CHECKING:  # Python also takes scipy's spelling, which is not a word of the language
    Alternative = Literal["two_sided", "two-sided", "greater", "less"]
else:
    Alternative = Literal["two_sided", "greater", "less"]
OPPOSITE: dict[str, Alternative] = {
    "two_sided": "two_sided",
    "greater": "less",
    "less": "greater",
}


def normal_p(z: float, alternative: Alternative = "two_sided") -> float:
    """Return the tail area beyond z of a standard normal variable, on the side that counts."""
    if alternative == "two_sided":
        return float(2.0 * scipy.special.ndtr(-abs(z)))
    return float(scipy.special.ndtr(-z if alternative == "greater" else z))


def t_p(t: float, df: float, alternative: Alternative = "two_sided") -> float:
    """Return the tail area beyond t of Student's distribution, on the side that counts."""
    if alternative == "two_sided":
        return float(2.0 * scipy.special.stdtr(df, -abs(t)))
    return float(scipy.special.stdtr(df, -t if alternative == "greater" else t))


def halved(p: float, difference: float, alternative: Alternative) -> float:
    """Turn the two-sided p of a continuous statistic into that of the side that counts."""
    if alternative == "two_sided":
        return p
    agrees = difference > 0 if alternative == "greater" else difference < 0
    return p / 2 if agrees else 1 - p / 2


def one_sided(result: HypothesisTestResult, alternative: Alternative) -> HypothesisTestResult:
    """Set the side of a result, and name it in the variant and in the null hypothesis, once."""
    if alternative == "two_sided" or result.p is None:
        return result
    return with_side(result, alternative)
