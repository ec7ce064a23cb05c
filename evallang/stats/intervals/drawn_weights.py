"""How often each example comes in a resample with replacement, many resamples at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from evallang.registry import lazy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy("numpy")

MANY_UNITS = 2048  # from which drawing by blocks is faster
BLOCKS_AT_ONCE = 64  # 16,384 units stay in the cache


def drawn_weights(
    rng: np.random.Generator, units: int, rounds: int, batch: int
) -> Iterator[NDArray[np.uint8]]:
    """Draw `units` of as many with replacement, again and again; how often each came, (B, n).

    Draws depend on the arguments alone. A unit that comes more than 255 times in a row of
    draws does not occur: with 256 units or more its chance is below 1e-500.
    """
    for start in range(0, rounds, batch):
        size = min(batch, rounds - start)
        if units >= MANY_UNITS:
            yield np.vstack([_drawn_by_blocks(rng, units) for _ in range(size)])
        else:
            drawn = rng.integers(0, units, (size, units), dtype=np.uint32).astype(np.intp)
            drawn += (np.arange(size) * units)[:, None]
            times = np.bincount(drawn.ravel(), minlength=size * units)
            yield times.astype(np.uint8).reshape(size, units)


def _drawn_by_blocks(rng: np.random.Generator, units: int) -> NDArray[np.uint8]:
    """Draw how many fall into each block of 256 units, then the unit within by one byte."""
    full, rest = divmod(units, 256)
    shares = np.r_[np.full(full, 256), [rest] if rest else []] / units
    totals = rng.multinomial(units, shares)
    times = np.empty(units, dtype=np.uint8)
    for first in range(0, full, BLOCKS_AT_ONCE):
        inside = totals[first : min(first + BLOCKS_AT_ONCE, full)]
        drawn = np.repeat(np.arange(len(inside)) * 256, inside)
        drawn += np.frombuffer(rng.bytes(len(drawn)), dtype=np.uint8)
        times[first * 256 : (first + len(inside)) * 256] = np.bincount(
            drawn, minlength=len(inside) * 256
        )
    if rest:
        drawn = rng.integers(0, rest, totals[-1])
        times[full * 256 :] = np.bincount(drawn, minlength=rest)
    return times
