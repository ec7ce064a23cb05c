"""Room for numbers in between, kept by each thread: fresh pages cost more than simple sums."""

from __future__ import annotations

import math
import threading
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


class Scratch(threading.local):
    """Arrays by name, each of which holds what was written last, and grows where it must."""

    def __init__(self) -> None:
        self._kept: dict[str, NDArray[Any]] = {}

    def array(self, name: str, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """Return the array of this name; it holds anything."""
        size = math.prod(shape)
        kept = self._kept.get(name)
        if kept is None or kept.dtype != np.dtype(dtype) or len(kept) < size:
            kept = self._kept[name] = np.empty(size, dtype=dtype)
        return kept[:size].reshape(shape)

    def steps(self, n: int, dtype: DTypeLike) -> NDArray[Any]:
        """Return the numbers from 0 to n - 1."""
        kept = self._kept.get("steps")
        if kept is None or kept.dtype != np.dtype(dtype) or len(kept) < n:
            kept = self._kept["steps"] = np.arange(n, dtype=dtype)
        return kept[:n]
