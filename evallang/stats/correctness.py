"""Right and wrong answers of models, their counts and patterns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray

from evallang.stats.basics import MOST_COUNTED, Alternative, binomial_tail, check_unmasked, numbers

Table = tuple[tuple[int, int], tuple[int, int]]
ROWS_AT_ONCE = 1 << 16  # examples, fewer than the whole numbers that are exact in float32


class Correctness(Struct, frozen=True):
    """The counts behind n examples judged right or wrong for M models.

    Attributes
    ----------
    n : number of examples
    together : (M, M) numbers of examples on which both models are right; the diagonal
        holds how often each model is right
    row_sums : (M + 1,) number of examples on which exactly r models are right
    """

    n: int
    together: tuple[tuple[int, ...], ...]
    row_sums: tuple[int, ...]

    @property
    def n_models(self) -> int:
        """Number of models M."""
        return len(self.together)

    @property
    def successes(self) -> tuple[int, ...]:
        """How often each model is right."""
        return tuple(self.together[m][m] for m in range(self.n_models))

    def pair(self, first: int, second: int) -> Table:
        """Return [[both right, only first right], [only second right, both wrong]]."""
        if not {first, second} <= set(range(self.n_models)):
            raise ValueError(f"a pair names two of the {self.n_models} models, from 0 on")
        both = self.together[first][second]
        b = self.together[first][first] - both
        c = self.together[second][second] - both
        return (both, b), (c, self.n - both - b - c)

    def __add__(self, other: Correctness) -> Correctness:
        """Join the counts of two parts of the data."""
        return Correctness(
            self.n + other.n,
            tuple(
                tuple(x + y for x, y in zip(mine, theirs, strict=True))
                for mine, theirs in zip(self.together, other.together, strict=True)
            ),
            tuple(x + y for x, y in zip(self.row_sums, other.row_sums, strict=True)),
        )


def count_correct(correct: ArrayLike | Correctness) -> Correctness:
    """Count a Boolean matrix (n, M); counts that were made already are passed through.

    Raises `ValueError` where the matrix is not (n, M) or holds other values than 0 and 1.
    """
    if isinstance(correct, Correctness):
        return correct
    matrix = as_boolean(correct)
    return _counted(len(matrix), matrix.shape[1], lambda rows: matrix[rows].T)


def count_columns(
    truth: NDArray[Any], labels: Sequence[NDArray[Any]], about: NDArray[np.bool_] | None = None
) -> Correctness:
    """Count where the labels (n,) of each model are the true ones (n,).

    `about` (n,) marks the rows that count, by default all.
    """

    def right(rows: slice) -> NDArray[np.bool_]:
        found = np.array([said[rows] == truth[rows] for said in labels])
        return found if about is None else found[:, about[rows]]

    return _counted(len(truth), len(labels), right)


def _counted(n: int, models: int, right: Callable[[slice], NDArray[np.bool_]]) -> Correctness:
    """Count n examples, given the right answers in some rows, transposed (M, .)."""
    together, sums = np.zeros((models, models)), np.zeros(models + 1, dtype=np.int64)
    for start in range(0, n, ROWS_AT_ONCE):
        part = right(slice(start, start + ROWS_AT_ONCE))
        ones = part.astype(np.float32)  # sums of whole numbers are exact in it
        together += ones @ ones.T
        sums += np.bincount(part.sum(axis=0, dtype=np.int64), minlength=models + 1)
    return Correctness(int(sums.sum()), _as_tuples(together.astype(np.int64)), tuple(sums.tolist()))


def count_patterns(patterns: ArrayLike, counts: ArrayLike) -> Correctness:
    """Count distinct rows `patterns` (P, M) that occur `counts` (P,) times each.

    Raises `ValueError` where shapes disagree or a count is negative.
    """
    matrix = as_boolean(patterns)
    given = numbers(counts, "counts")
    whole = (given >= 0) & (given <= MOST_COUNTED) & (given == np.rint(given))
    if given.shape != (matrix.shape[0],) or not whole.all():
        raise ValueError("every pattern needs one count, a whole number from 0 to 2^53")
    times = given.astype(np.int64)
    ones = matrix.astype(np.int64)
    row_sums = np.zeros(matrix.shape[1] + 1, dtype=np.int64)
    np.add.at(row_sums, ones.sum(axis=1), times)
    together = (ones * times[:, None]).T @ ones
    return Correctness(int(times.sum()), _as_tuples(together), tuple(row_sums.tolist()))


def as_boolean(values: ArrayLike) -> NDArray[np.bool_]:
    """Read right and wrong as (n, M); raises `ValueError` where it is anything else."""
    check_unmasked(values, "right and wrong")
    try:
        matrix = np.asarray(values)
    except ValueError:
        raise ValueError("right and wrong are given as rows of one length") from None
    if matrix.ndim != 2 or matrix.shape[1] == 0:
        raise ValueError("right and wrong are given as a matrix of examples by models")
    if matrix.dtype != np.bool_:
        number = matrix.dtype.kind in "fiuO"
        if not number or not ((matrix == 0) | (matrix == 1)).all():
            raise ValueError("right and wrong are given as 1 and 0")
        matrix = matrix.astype(np.bool_)
    return matrix


def _as_tuples(matrix: NDArray[np.int64]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(row) for row in matrix.tolist())


EXACT_BELOW = 25  # discordant pairs, of the variant `textbook`; Raschka 2018, 4.4
LESS = {"chi2": 0, "corrected": 1}  # subtracted from |b - c|


def p_of_pairs(
    first: ArrayLike, second: ArrayLike, variant: str, alternative: Alternative = "two_sided"
) -> NDArray[np.float64]:
    """Return p of each pair of counts; both are whole numbers, of one shape.

    `variant` is exact, midp, chi2, corrected, or textbook: exact for fewer than 25 pairs, else
    corrected. p is 1 without any pair.
    """
    b, c = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    n = b + c
    if variant == "textbook":
        few, many = (p_of_pairs(b, c, name, alternative) for name in ("exact", "corrected"))
        return np.where(n < EXACT_BELOW, few, many)
    both = alternative == "two_sided"
    if alternative == "less":
        b, c = c, b
    if variant in LESS:
        gap = np.maximum(abs(b - c) - LESS[variant], 0) if both else b - c - LESS[variant]
        pairs = np.maximum(n, 1)
        if both:
            p = scipy.special.chdtrc(1, gap**2 / pairs)
        else:
            p = scipy.special.ndtr(-gap / np.sqrt(pairs))
        return np.where(n == 0, 1.0, p)
    larger = np.maximum(b, c) if both else b
    at_least, beyond = (binomial_tail(larger + more, n) for more in (0, 1))
    if variant == "exact":
        return np.asarray(np.minimum(2 * at_least, 1.0) if both else at_least)
    if not both:
        return np.where(n == 0, 1.0, (at_least + beyond) / 2)
    # For b = c both tails hold the observed table, which 1 - pmf/2 counts by half once
    p = np.where(b == c, 1 - (at_least - beyond) / 2, at_least + beyond)
    return np.where(n == 0, 1.0, p)


Share = tuple[int, int]
"""How many examples are right, and of how many."""


class Shares(Struct, frozen=True):
    """What two models have right, each of its own examples: (right, n)."""

    first: Share
    second: Share


def checked_share(share: Share) -> Share:
    """Read one share as two ints; raises `ValueError` where 0 <= right <= n does not hold."""
    try:
        given = tuple(share)
        right, n = (int(x) for x in given)
        whole = (right, n) == given
    except (TypeError, ValueError, OverflowError):
        raise ValueError("a share is (right, n), two whole numbers") from None
    if not whole or not 0 <= right <= n <= MOST_COUNTED:
        raise ValueError(f"{given[0]} of {given[1]} is not a share of examples")
    return right, n
