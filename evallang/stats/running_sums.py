"""Sums of weights over the first examples of an order, of many weightings at once."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from evallang.registry import lazy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy("numpy")

STEPS = 32  # consecutive examples of a stretch


class RunningSums:
    """Running sums down the columns of weights, one column for each weighting.

    A plain cumulative sum waits for the addition before it. Here the order is cut into stretches
    of `STEPS` examples, and one addition serves all stretches and all weightings: the arrays
    hold the first example of every stretch, then the second of every stretch, and so on.

    Parameters
    ----------
    order : (m,) rows of the weights in the order in which they are added up, 1 or more
    zero : a row of the weights that holds zeros

    Attributes
    ----------
    examples : (rows,) the position in the order of each row of the sums; m or more in the rows
        behind the last example, whose weights are 0
    """

    def __init__(self, order: NDArray[np.intp], zero: int) -> None:
        self._stretches = -(-len(order) // STEPS)
        size = STEPS * self._stretches
        self.examples = np.arange(size).reshape(self._stretches, STEPS).T.ravel()
        self._order = np.append(order, np.full(size - len(order), zero))[self.examples]

    def rows(self, positions: NDArray[np.integer]) -> NDArray[np.intp]:
        """Return the rows of the sums that hold these positions of the order."""
        stretch, step = np.divmod(positions, STEPS)
        return np.asarray(step * self._stretches + stretch, dtype=np.intp)

    def weights(self, weights: NDArray[Any], out: NDArray[Any]) -> NDArray[Any]:
        """Return the weights (examples, B) in the rows of the sums."""
        return weights.take(self._order, axis=0, out=out, mode="clip")

    def sums(self, weights: NDArray[Any], out: NDArray[Any]) -> NDArray[Any]:
        """Return the sums up to each row and with it, of what `weights` returned."""
        np.copyto(out, weights)
        steps = out.reshape(STEPS, -1)
        for before, step in itertools.pairwise(steps):
            step += before
        ends = steps[-1].reshape(self._stretches, -1)
        upto = np.cumsum(ends, axis=0, dtype=out.dtype)
        out.reshape(STEPS, self._stretches, -1)[:, 1:] += upto[:-1]
        return out

    def steps(self) -> list[slice]:
        """Return the rows of the first examples of the stretches, those of the second, ..."""
        return [slice(i * self._stretches, (i + 1) * self._stretches) for i in range(STEPS)]

    @property
    def size(self) -> int:
        """The number of rows of the sums."""
        return len(self._order)
