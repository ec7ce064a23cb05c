"""What a caller hands over, read into arrays, or refused in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evallang.registry import lazy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray
else:
    np = lazy("numpy")


def numbers(values: ArrayLike, what: str) -> NDArray[np.float64]:
    """Read numbers of any shape as float64, None as NaN; `what` names them as a plural.

    Raises `ValueError` where one is no number, or rows differ in length.
    """
    try:
        given = np.asarray(values)
    except ValueError:
        raise ValueError(f"{what} are given as rows of one length") from None
    if given.dtype.kind in "fiub":
        return given.astype(np.float64, copy=False)
    if given.dtype.kind == "O":
        for value in given.ravel().tolist():
            if value is not None and not isinstance(value, int | float | np.number):
                raise ValueError(f"{what} are numbers, and {value!r} is none")
        return given.astype(np.float64)
    example = given.ravel()[:1].tolist()
    raise ValueError(f"{what} are numbers, and {example[0] if example else given!r} is none")


def positives(truth: ArrayLike) -> NDArray[np.bool_]:
    """Read which examples are of the positive class, from 1 and 0.

    Raises `ValueError` where there is another value: labels are compared by the caller.
    """
    given = np.asarray(truth)
    if given.dtype != np.bool_:
        if given.dtype.kind not in "fiu" or not ((given == 0) | (given == 1)).all():
            raise ValueError(
                "truth is 1 for the positive class and 0 for the negative: compare labels with "
                "the positive one first, as in `labels == 'malignant'`"
            )
        given = given == 1
    return given


def labels(values: ArrayLike, n: int, what: str) -> NDArray[np.intp]:
    """Number the labels of n examples 0, 1, ... in sorted order; `what` names one of them.

    Raises `ValueError` where there is not one for each example.
    """
    given = np.asarray(values)
    if given.shape != (n,):
        raise ValueError(f"every example needs its {what}")
    if given.dtype.kind == "O":
        given = given.astype(str)  # None and numbers do not sort together
    return np.unique(given, return_inverse=True)[1]
