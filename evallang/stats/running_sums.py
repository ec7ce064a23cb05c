"""Sums over the first examples of an order: of weights, many weightings at once, and of marks."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

STEPS = 32  # consecutive examples of a stretch
WORD = 8  # marks in one whole number, a byte each
LINE = 128  # marks that are counted in bytes, which hold no more than 255
EACH_BYTE = 0x0101010101010101
LAST_BYTE = 56  # bits below it


def count_up_to(
    marks: NDArray[np.bool_], before: int, out: NDArray[np.signedinteger]
) -> NDArray[np.signedinteger]:
    """Write the number of marks (m,) that are set up to and including each to `out`.

    `before` is added to all. `np.cumsum` waits for each addition and takes twice as long; here
    one product adds to each byte of a word the bytes before it.
    """
    lines, rest = divmod(len(marks), LINE)
    padded = np.zeros((lines + 1) * LINE, dtype=np.bool_)
    padded[: len(marks)] = marks
    counts = padded.view("<u8") * np.uint64(EACH_BYTE)
    of_words = (counts >> np.uint64(LAST_BYTE)).astype(out.dtype)
    lower = (np.cumsum(of_words, dtype=out.dtype) - of_words).reshape(lines + 1, -1)
    of_lines = lower[:, :1]
    counts += (lower - of_lines).astype(np.uint64).ravel() * np.uint64(EACH_BYTE)
    out[:] = counts.view(np.uint8)[: len(marks)]
    of_lines += out.dtype.type(before)
    whole = out[: len(marks) - rest].reshape(lines, LINE)
    whole += of_lines[:lines]
    out[len(marks) - rest :] += of_lines[lines]
    return out


class RunningSums:
    """Running sums down the columns of weights, one column for each weighting.

    A plain cumulative sum waits for the addition before it. Here the order is cut into stretches
    of `STEPS` examples, and one addition serves all stretches and all weightings: the arrays
    hold the first example of every stretch, then the second of every stretch, and so on.

    Parameters
    ----------
    order : (m,) rows of the weights in the order in which they are added up, 1 or more
    zero : what stands for no example: a row of the weights that holds zeros, or -1

    Attributes
    ----------
    examples : (rows,) the position in the order of each row of the sums; m or more in the rows
        behind the last example, whose weights are 0
    """

    def __init__(self, order: NDArray[np.intp], zero: int = -1) -> None:
        self._stretches = -(-len(order) // STEPS)
        size = STEPS * self._stretches
        self.examples = np.arange(size).reshape(self._stretches, STEPS).T.ravel()
        self._order = np.append(order, np.full(size - len(order), zero))[self.examples]
        self._empty = np.flatnonzero(self._order < 0)

    def rows(self, positions: NDArray[np.integer]) -> NDArray[np.intp]:
        """Return the rows of the sums that hold these positions of the order."""
        stretch, step = np.divmod(positions, STEPS)
        return np.asarray(step * self._stretches + stretch, dtype=np.intp)

    def weights(self, weights: NDArray[Any], out: NDArray[Any]) -> NDArray[Any]:
        """Return the weights (examples, B) in the rows of the sums."""
        weights.take(self._order, axis=0, out=out, mode="clip")
        out[self._empty] = 0
        return out

    def sums(self, weights: NDArray[Any], before: NDArray[Any], out: NDArray[Any]) -> NDArray[Any]:
        """Write the sums up to each row and with it, of what `weights` returned, to `out`.

        They begin with the sums `before` the first row (B,). Return the sums of all rows (B,).
        """
        np.copyto(out, weights)
        steps = out.reshape(STEPS, -1)
        upto: NDArray[Any] = np.empty((self._stretches + 1, out.shape[1]), out.dtype)
        upto[0] = before
        np.add.reduce(steps, axis=0, dtype=out.dtype, out=upto[1:].reshape(-1))
        np.cumsum(upto, axis=0, dtype=out.dtype, out=upto)
        steps[0] += upto[:-1].reshape(-1)
        for last, step in itertools.pairwise(steps):
            step += last
        return np.asarray(upto[-1])

    @property
    def size(self) -> int:
        """The number of rows of the sums."""
        return len(self._order)
