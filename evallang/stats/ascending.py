"""Scores in ascending order, found by their digits: the sort behind areas under ROC curves."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from evallang.registry import lazy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy("numpy")

FEW = 1 << 10  # below which comparing is as fast
AT_ONCE = 1 << 15  # values of a part, as many as stay in the cache
MOST_PARTS = 256  # so that one byte tells the parts apart
UNEVEN = 4  # times as many are sorted without parting them again
MOST_FALLS = 32  # one place in so many out of order, else the cells were of no use


def ascending(values: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the places of `values` (n,) in ascending order, and the values in that order.

    The same as a stable argsort: equal values stay in the order they came. NaN come last.
    """
    order, ordered = np.empty(len(values), dtype=np.intp), np.empty(len(values))
    end = 0
    for places, part in ascending_parts(values):
        start, end = end, end + len(part)
        order[start:end], ordered[start:end] = places, part
    return order, ordered


def ascending_parts(
    values: NDArray[np.float64],
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.float64]]]:
    """Yield `ascending` part by part; equal values are in one part.

    Values are separated by their size until a part stays in the cache; there they fall into
    2^32 cells of equal width, which are sorted by their two 16-bit digits (numpy sorts such
    digits by counting, in linear time), and the few that are out of order within a cell are
    merged. Where parts are crowded, as by an outlier, values are divided by their digits in
    memory, which are those of a logarithm, and where that does not help, compared.
    """
    n = len(values)
    if n < FEW:
        yield _compared(values)
        return
    low, width = _span(values)
    if width == 0:
        yield np.arange(n), values
    elif math.isnan(width):
        yield _compared(values)
    elif n <= UNEVEN * AT_ONCE:
        yield _sort_by_digits(values, low, width)
    else:
        yield from _sort_by_parts(values, low, width)


def _sort_by_parts(
    values: NDArray[np.float64], low: float, width: float
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.float64]]]:
    n = len(values)
    part, sizes = _parts(values, low, width)
    if max(sizes) > n // 2:
        levels = _levels(values)
        part, sizes = _parts(levels, *_span(levels))
    order = np.argsort(part, kind="stable")
    end = 0
    for size in sizes:
        start, end = end, end + size
        places = order[start:end]
        inside = values[places]
        if size > n - n // 4:  # else parting again ends soon
            within, ordered = _compared(inside)
            yield places[within], ordered
            continue
        for within, ordered in ascending_parts(inside):
            yield places[within], ordered


def _compared(values: NDArray[np.float64]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    order = np.argsort(values, kind="stable")
    return order, values[order]


def _span(values: NDArray[np.float64]) -> tuple[float, float]:
    low = float(values.min())
    return low, float(values.max()) - low


def _parts(
    values: NDArray[np.float64], low: float, width: float
) -> tuple[NDArray[np.uint8], list[int]]:
    """Part the values by their size into ranges of equal width, and count the parts."""
    count = min(-(-len(values) // AT_ONCE), MOST_PARTS)
    part = np.zeros(len(values), dtype=np.uint8)
    sizes = np.zeros(count, dtype=np.int64)
    for start in range(0, len(values), AT_ONCE):
        rows = slice(start, start + AT_ONCE)
        part[rows] = _cells(values[rows], low, width, count)
        sizes += np.bincount(part[rows], minlength=count)
    return part, sizes.tolist()


def _cells(
    values: NDArray[np.float64], low: float, width: float, count: int
) -> NDArray[np.float64]:
    """Return the cell of each value, from 0 to count - 1 with a fraction, in ascending order."""
    # The largest stays below `count` whatever way the product is rounded
    scale = count * (1 - 2.0**-40) / width if width > 0 else 0.0
    if not math.isfinite(width) or not math.isfinite(scale):
        return np.zeros(len(values))
    cells = values - low
    cells *= scale
    return cells


def _levels(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Number the values by their bits, which rise with them like the logarithm of their size."""
    bits = (values + 0.0).view(np.int64)  # -0.0 is no less than 0.0
    np.negative(bits ^ np.int64(np.iinfo(np.int64).min), out=bits, where=bits < 0)
    return bits.astype(np.float64)


def _sort_by_digits(
    values: NDArray[np.float64], low: float, width: float
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Sort by the cell of each value, its two digits one after the other."""
    cells = _cells(values, low, width, 1 << 32).astype(np.uint32)
    order = np.argsort(cells.astype(np.uint16), kind="stable")
    upper = (cells >> 16).astype(np.uint16)
    order = order[np.argsort(upper[order], kind="stable")]
    ordered = values[order]
    falls = int(np.count_nonzero(ordered[1:] < ordered[:-1]))
    if falls == 0:
        return order, ordered
    if falls > len(values) // MOST_FALLS:
        return _compared(values)
    again = np.argsort(ordered, kind="stable")
    return order[again], ordered[again]
