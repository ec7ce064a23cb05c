"""A smooth curve through points by local lines (Cleveland 1979, without robustness weights)."""

import numpy as np
from numpy.typing import NDArray

SPAN = 0.75  # the share of the points that a local line rests on
FLAT = 1e-12  # a spread of places that has no line


def local_line(
    x: NDArray[np.float64], place: float, shares: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the weights (n,) that turn values at `x` into that of a smooth curve at a place.

    The line rests on the nearest `SPAN` of the points, by tricube weights times their `shares`.
    """
    near = int(np.ceil(SPAN * len(x)))
    away = x - place
    reach = np.partition(np.abs(away), near - 1)[near - 1]
    close = np.abs(away) / reach if reach > 0 else np.where(away == 0, 0.0, 1.0)
    kernel: NDArray[np.float64] = shares * (1 - np.minimum(close, 1.0) ** 3) ** 3
    if not kernel.any():
        kernel = shares * (close <= 1)
    total, slope, square = (float((kernel * away**power).sum()) for power in range(3))
    spread = total * square - slope**2
    if spread > FLAT:
        kernel *= square - slope * away
    kernel /= spread if spread > FLAT else total
    return kernel
