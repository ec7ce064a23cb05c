"""What a caller hands over, read into arrays, or refused in one sentence."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evallang.registry import wrong_word

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
