"""Scores in ascending order, found by their digits: the sort behind areas under ROC curves."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evallang.stats.scratch import Scratch

FEW = 1 << 10  # below which comparing is as fast
MANY = 1 << 17  # above which sorting whole numbers is faster
AT_ONCE = 1 << 17  # values of a part, as many as stay in the cache
UNIT_STEPS = 2.0**52  # from which on numbers in double precision are whole
MOST_FALLS = 32  # one place in so many out of order, else the cells were of no use


class Part(NamedTuple):
    """Some values in ascending order.

    Attributes
    ----------
    places : where each stands among all
    begins : whether it is another value than the one before
    up : whether it is of a positive
    """

    places: NDArray[np.intp]
    begins: NDArray[np.bool_]
    up: NDArray[np.bool_]


def ascending(values: NDArray[np.float64], positive: NDArray[np.bool_] | None = None) -> Part:
    """Return the places of `values` (n,) in ascending order, and what is known of each.

    The places are those of a stable argsort: equal values stay in the order they came. NaN
    come last.
    """
    n = len(values)
    all_of = Part(
        np.empty(n, dtype=np.intp), np.empty(n, dtype=np.bool_), np.empty(n, dtype=np.bool_)
    )
    end = 0
    for part in ascending_parts(values, positive):
        start, end = end, end + len(part.places)
        for whole, some in zip(all_of, part, strict=True):
            whole[start:end] = some
    return all_of


def ascending_parts(
    values: NDArray[np.float64], positive: NDArray[np.bool_] | None = None
) -> Iterator[Part]:
    """Yield `ascending` part by part; equal values are in one part.

    The next part overwrites the arrays of a part.

    Values fall into cells of equal width, whose numbers rise with them. Up to `MANY` values,
    the 2^32 cells are sorted by their two 16-bit digits (numpy sorts such digits by counting, in
    linear time); above, whole numbers of 64 bits are sorted that hold cell, place and class.
    The few that are out of order within a cell are sorted by comparison. Where cells are crowded,
    as by an outlier, the cells are those of the values' own bits, which are those of a logarithm.
    """
    n = len(values)
    up = np.zeros(n, dtype=np.bool_) if positive is None else positive
    if n < FEW:
        yield _compared(values, np.arange(n), up)
        return
    low, width = _span(values)
    if width == 0:
        yield Part(np.arange(n), _begins(values), up)
    elif math.isnan(width):
        yield _compared(values, np.arange(n), up)
    elif n <= MANY:
        yield _sort_by_digits(values, up, low, width)
    else:
        yield from _sort_by_keys(values, up, low, width)


def count_distinct(values: NDArray[np.float64]) -> int:
    """Return how many values differ, and write into them; both zeros are one, and so are all NaN.

    Where they lie, as another copy of many would be much memory.
    """
    if not len(values):
        return 0
    values += 0.0  # -0.0 becomes 0.0
    values[np.isnan(values)] = np.nan
    ordered = _faster_sort()(values.view(np.int64))
    return 1 + int(np.count_nonzero(ordered[1:] != ordered[:-1]))


def _begins(ordered: NDArray[Any]) -> NDArray[np.bool_]:
    """Return where another value begins."""
    begins = np.ones(len(ordered), dtype=np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=begins[1:])
    return begins


def _compared(values: NDArray[np.float64], places: NDArray[np.intp], up: NDArray[np.bool_]) -> Part:
    """Sort the values of some places by comparison."""
    order = np.argsort(values, kind="stable")
    return Part(places[order], _begins(values[order]), up[order])


def _span(values: NDArray[np.float64]) -> tuple[float, float]:
    ends = np.empty((-(-len(values) // AT_ONCE), 2))
    for both, start in zip(ends, range(0, len(values), AT_ONCE), strict=True):
        # In one piece: along a column of a matrix it takes three times as long
        some = np.ascontiguousarray(values[start : start + AT_ONCE])
        both[:] = some.min(), some.max()
    low = float(ends[:, 0].min())
    return low, float(ends[:, 1].max()) - low


def _cells(
    values: NDArray[np.float64],
    low: float,
    width: float,
    count: int,
    out: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return the cell of each value, from 0 to count - 1 with a fraction, ascending; fill `out`."""
    # The largest stays at `count` - 1 or below whatever way the product is rounded
    scale = (count - 1) * (1 - 2.0**-40) / width if width > 0 else 0.0
    cells = np.empty(len(values)) if out is None else out
    if not math.isfinite(width) or not math.isfinite(scale):
        cells[:] = 0
        return cells
    np.subtract(values, low, out=cells)
    cells *= scale
    return cells


def _sort_by_digits(
    values: NDArray[np.float64], up: NDArray[np.bool_], low: float, width: float
) -> Part:
    """Sort by the cell of each value, its two digits one after the other."""
    cells = _cells(values, low, width, 1 << 32).astype(np.uint32)
    order = np.argsort(cells.astype(np.uint16), kind="stable")
    upper = (cells >> 16).astype(np.uint16)
    order = order[np.argsort(upper[order], kind="stable")]
    ordered = values[order]
    falls = int(np.count_nonzero(ordered[1:] < ordered[:-1]))
    if falls == 0:
        return Part(order, _begins(ordered), up[order])
    if falls > len(values) // MOST_FALLS:
        return _compared(values, np.arange(len(values)), up)
    return _compared(ordered, order, up[order])


def _sort_by_keys(
    values: NDArray[np.float64], up: NDArray[np.bool_], low: float, width: float
) -> Iterator[Part]:
    keys = _sorted_keys(values, up, low, width)
    if any(_is_crowded(values, part) for part in keys.parts()):
        del keys
        levels = _levels(values)
        keys = _sorted_keys(levels, up, *_span(levels))
        del levels
    scratch = Scratch()
    for part in keys.parts():
        yield _settle(values, part.unpacked(scratch))


def _settle(values: NDArray[np.float64], part: Part) -> Part:
    """Sort what came by cells, of which few hold several values, by the values themselves."""
    places, begins, up = part
    if begins.all():
        return part
    shared = ~begins
    shared[:-1] |= shared[1:]
    inside = np.flatnonzero(shared)
    found = places[inside]
    ordered = values[found]
    if (ordered[1:] < ordered[:-1]).any():
        # Together, as values rise from cell to cell
        order = np.argsort(ordered, kind="stable")
        places[inside], up[inside], ordered = found[order], up[inside[order]], ordered[order]
    begins[inside] = _begins(ordered)
    return part


class _Keys(NamedTuple):
    """Whole numbers in ascending order: of a cell, of a place, and of the class in the last bit.

    Attributes
    ----------
    keys : (m,)
    bits : of the place and the class
    """

    keys: NDArray[np.int64]
    bits: int

    @property
    def last(self) -> np.int64:
        """The last place and class of a cell: all their bits."""
        return np.int64((1 << self.bits) - 1)

    def unpacked(self, scratch: Scratch) -> Part:
        """Return the places, where another cell begins, and the class."""
        m = len(self.keys)
        begins, up = (scratch.array(name, (m,), np.bool_) for name in ("begins", "up"))
        begins[:1] = True
        apart = scratch.array("apart", (m - 1,), np.int64)
        np.bitwise_xor(self.keys[1:], self.keys[:-1], out=apart)
        np.greater(apart, self.last, out=begins[1:])
        last_bits = up.view(np.int8)
        np.copyto(last_bits, self.keys, casting="unsafe")
        last_bits &= np.int8(1)
        return Part(self.places(scratch.array("places", (m,), np.int64)), begins, up)

    def places(self, out: NDArray[np.int64] | None = None) -> NDArray[np.intp]:
        places = np.bitwise_and(self.keys, self.last, out=out)
        places >>= np.int64(1)
        return places.astype(np.intp, copy=False)

    def parts(self) -> Iterator[_Keys]:
        """Part them where a cell begins, after `AT_ONCE` of them or later."""
        end = 0
        while end < len(self.keys):
            start, end = end, min(end + AT_ONCE, len(self.keys))
            end = int(np.searchsorted(self.keys, self.keys[end - 1] | self.last, side="right"))
            yield _Keys(self.keys[start:end], self.bits)


def _sorted_keys(
    values: NDArray[np.float64], up: NDArray[np.bool_], low: float, width: float
) -> _Keys:
    bits = (len(values) - 1).bit_length() + 1
    keys, steps = np.empty(len(values), dtype=np.int64), np.arange(0, 2 * AT_ONCE, 2)
    for start in range(0, len(values), AT_ONCE):
        rows = slice(start, start + AT_ONCE)
        some = keys[rows]
        cells = _cells(values[rows], low, width, 1 << (63 - bits), out=some.view(np.float64))
        # Of such a number the last bits are the nearest whole one, which takes no conversion
        cells += UNIT_STEPS
        some <<= np.int64(bits)
        some |= up[rows]
        some += steps[: len(some)]
        some += np.int64(2 * start)
    return _Keys(_faster_sort()(keys), bits)


@cache
def _faster_sort() -> Callable[[NDArray[np.int64]], NDArray[np.int64]]:
    """Return the faster sort of whole numbers on this machine; it may write into its input.

    numpy's takes half the time of polars' on an Intel processor with vectors of 512 bits; an
    AMD Zen 4 writes such vectors slowly.
    """
    keys = np.random.default_rng(0).integers(np.iinfo(np.int64).max, size=AT_ONCE)

    def taken(sort: Callable[[NDArray[np.int64]], NDArray[np.int64]]) -> float:
        best = math.inf
        for copy in [keys.copy() for _ in range(3)]:
            start = time.perf_counter()
            sort(copy)
            best = min(best, time.perf_counter() - start)
        return best

    return min((_sort_by_numpy, _sort_by_polars), key=taken)


def _sort_by_numpy(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    keys.sort()
    return keys


def _sort_by_polars(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    # One thread each: callers sort several models at once
    import polars as pl  # a check needs none

    return pl.Series(keys).sort(multithreaded=False).to_numpy()


def _is_crowded(values: NDArray[np.float64], part: _Keys) -> bool:
    """Return whether a cell holds more than a part should, and values that differ."""
    if len(part.keys) <= 2 * AT_ONCE:
        return False
    inside = values[part.places()]
    return bool((inside[1:] < inside[:-1]).any())


def _levels(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Number the values by their bits, which rise with them like the logarithm of their size."""
    bits = (values + 0.0).view(np.int64)  # -0.0 is no less than 0.0
    np.negative(bits ^ np.int64(np.iinfo(np.int64).min), out=bits, where=bits < 0)
    return bits.astype(np.float64)
