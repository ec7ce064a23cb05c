"""Which model is right on which example, counted once for every test on right and wrong.

The Gram matrix of the correctness matrix and the distribution of its row sums are all that
McNemar (every pair), Cochran and Looney need; both add up over parts of the data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from numpy.typing import ArrayLike, NDArray

from evallang.stats.validation import MOST_COUNTED, check_unmasked, numbers

Table = tuple[tuple[int, int], tuple[int, int]]
# These fit into the cache of a core, with what is made of them
BYTES_PACKED = 1 << 19  # of the values that are transposed at once
ROWS_COUNTED = 1 << 19  # examples counted at once, a bit for each model


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

    def of_pair(self, first: int, second: int) -> Correctness:
        """Return the counts of two of the models alone."""
        (both, b), (c, neither) = self.pair(first, second)
        return Correctness(self.n, ((both + b, both), (both, both + c)), (neither, b + c, both))

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
    n, models = matrix.shape
    return _counted(n, models, 1, lambda rows: matrix[rows].T)


def count_right(truth: ArrayLike, labels: ArrayLike) -> Correctness:
    """Count where the labels (n, M) of each model are the true ones (n,).

    The same as counting `labels == truth[:, None]`, without that matrix. Raises `ValueError`
    where shapes disagree.
    """
    check_unmasked(truth, "labels")
    check_unmasked(labels, "labels")
    true, given = np.asarray(truth), np.asarray(labels)
    if given.ndim != 2 or given.shape[1] == 0 or true.shape != given.shape[:1]:
        raise ValueError("every example needs its class and one label of each model")
    # Transposed by the comparison, which writes one model after the other
    n, models = given.shape
    return _counted(
        n, models, given.itemsize, lambda rows: np.equal(given[rows].T, true[rows], order="C")
    )


def count_columns(
    truth: NDArray[Any], labels: Sequence[NDArray[Any]], about: NDArray[np.bool_] | None = None
) -> Correctness:
    """Count as `count_right` does, given the labels (n,) of each model.

    No matrix of all models is made, and of no model what it has right in all rows. `about` (n,)
    marks the rows that count, by default all.
    """

    def right(rows: slice) -> NDArray[np.bool_]:
        true, some = truth[rows], None if about is None else about[rows]
        found = np.empty((len(labels), len(true)), dtype=np.bool_)
        for own, said in zip(found, labels, strict=True):
            np.equal(true, said[rows], out=own)
            if some is not None:
                own &= some
        return found

    return _counted(len(truth), len(labels), truth.itemsize, right, about)


def _counted(
    n: int,
    models: int,
    size: int,
    right: Callable[[slice], NDArray[np.bool_]],
    about: NDArray[np.bool_] | None = None,
) -> Correctness:
    """Count (n, M) values of `size` bytes in parts.

    `right` gives the right answers in some rows, transposed (M, .), and none in rows that do not
    count.
    """
    most = max(BYTES_PACKED // (64 * models * max(size, 1)), 1) * 64

    def part(start: int) -> Correctness:
        rows = range(start, min(start + ROWS_COUNTED, n))
        packed = _packed(rows, most, models, right)
        some = None if about is None else about[start : rows.stop]
        return _counted_bits(packed, len(rows) if some is None else int(np.count_nonzero(some)))

    counts = part(0)
    for start in range(ROWS_COUNTED, n, ROWS_COUNTED):
        counts += part(start)
    return counts


def _counted_bits(packed: NDArray[np.uint64], n: int) -> Correctness:
    models = len(packed)
    together = np.zeros((models, models), dtype=np.int64)
    both, ones = np.empty_like(packed), np.empty(packed.shape, dtype=np.uint8)
    for i in range(models):
        np.bitwise_and(packed[i], packed[i:], out=both[i:])
        np.bitwise_count(both[i:], out=ones[i:])
        together[i, i:] = together[i:, i] = ones[i:].sum(axis=1, dtype=np.int64)
    return Correctness(n, _as_tuples(together), _row_sums(packed, n))


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


def _packed(
    rows: range, most: int, models: int, right: Callable[[slice], NDArray[np.bool_]]
) -> NDArray[np.uint64]:
    """Pack each column into bits, 64 examples to a word, zeros after the last: (M, words).

    At most `most` rows are transposed at once, a multiple of 64.
    """
    bits = np.zeros((models, -(-len(rows) // 64) * 8), dtype=np.uint8)
    for done in range(0, len(rows), most):
        some = rows[done : done + most]
        # Packing along a column of a row-wise matrix is 15 times slower
        turned = np.ascontiguousarray(right(slice(some.start, some.stop)))
        bits[:, done // 8 : -(-(done + len(some)) // 8)] = np.packbits(turned, axis=1)
    return bits.view(np.uint64)


def _row_sums(packed: NDArray[np.uint64], n: int) -> tuple[int, ...]:
    """Count the examples on which exactly r models are right, all 64 of a word at once.

    The columns are added up bit by bit: plane i holds the binary digit i of every sum.
    """
    models = len(packed)
    planes: list[NDArray[np.uint64]] = []
    for m, column in enumerate(packed):
        carry = column
        for i, plane in enumerate(planes):
            planes[i], carry = plane ^ carry, plane & carry
        if (m + 1).bit_length() > len(planes):
            planes.append(carry)
    counts = [0] * (models + 1)

    def count(words: NDArray[np.uint64], r: int, left: int) -> None:
        """Count those of `words`, whose sums agree with r but for the lowest `left` digits."""
        if r > models:
            return
        if left == 0:
            counts[r] = int(np.bitwise_count(words).sum(dtype=np.int64))
            return
        ones = words & planes[left - 1]
        count(words ^ ones, r, left - 1)
        count(ones, r | 1 << (left - 1), left - 1)

    count(~np.zeros_like(packed[0]), 0, len(planes))
    counts[0] -= packed.shape[1] * 64 - n  # zeros after the last example
    return tuple(counts)


def _as_tuples(matrix: NDArray[np.int64]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(row) for row in matrix.tolist())
