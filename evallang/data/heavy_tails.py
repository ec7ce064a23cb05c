"""Heavy tails: values of which a few carry the spread of all."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

HEAVY = 12.0  # kurtosis; 3 is normal, 9 exponential
LEAST_FOR_TAILS = 20  # values; below, the kurtosis cannot reach far beyond


def heavy_kurtosis(values: "NDArray[Any]") -> float | None:
    """Return the kurtosis of values with heavy tails, None for other values or few of them."""
    finite = np.asarray(values, dtype=np.float64)
    finite = finite[np.isfinite(finite)]
    if len(finite) < LEAST_FOR_TAILS:
        return None
    scaled = finite / (float(np.abs(finite).max()) or 1.0)  # fourth powers stay finite
    squares = (scaled - scaled.mean()) ** 2
    variance = float(squares.mean())
    # numpy computes a square as a product, but a fourth power ten times as slowly
    kurtosis = float((squares**2).mean()) / variance**2 if variance > 0 else 0.0
    return kurtosis if kurtosis >= HEAVY else None
