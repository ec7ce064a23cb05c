"""How often each example comes in a resample with replacement, many resamples at a time.

Given how many are drawn in all, counts of independent Poisson variables are multinomial. So a
few less than wanted are drawn as Poisson counts, one random byte for each, and the rest one by
one: the resample in distribution, without a search for the place of every draw.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from evallang.stats.scratch import Scratch

MANY_UNITS = 256  # from which Poisson counts are faster
SPARE = 3.0  # standard deviations by which fewer are drawn at first: too many 1 in 750 times
AT_ONCE = 1 << 18  # bytes that stay in the cache; fewer make threads wait for each other
BLOCK = 1 << 20  # units of all resamples of a block
TOGETHER = 8  # blocks of a batch: columns that are added up are read once for all of them
SUMMED = 64  # units whose counts add up to 256 or more with a chance below 1e-70
EIGHT = 8  # units of a cell whose count comes from one byte
LARGEST = 64  # units of a cell that is drawn in parts of eight; its count is below 256

_SCRATCH = Scratch()


class Resamples:
    """Draws of `units` of as many with replacement, again and again, in blocks.

    Every block has a generator of its own, so that it is the same whether others are drawn
    before it, after it or at the same time. A unit that comes more than 255 times in a row of
    draws does not occur: with 256 units or more its chance is below 1e-500.

    Parameters
    ----------
    rng : what all generators are derived from; it moves on
    units : how many there are
    rounds : how often they are drawn

    Attributes
    ----------
    starts : the first resample of each block
    batches : the first resample of each batch, which is a block or a few
    """

    def __init__(self, rng: np.random.Generator, units: int, rounds: int) -> None:
        self._generator = block_generators(rng)
        self._units, self._rounds = units, rounds
        self._size = max(1, BLOCK // max(units, 1))
        self._many = _ManyUnits(units) if units >= MANY_UNITS else None
        self.starts = range(0, rounds, self._size)
        self.batches = range(0, rounds, self._size * (TOGETHER if units <= BLOCK else 1))

    def batch(self, start: int) -> NDArray[np.uint8]:
        """Draw the batch that begins with a resample: how often each unit came, (B, units).

        The array is used again for the next batch that a thread draws.
        """
        shape = min(self.batches.step, self._rounds - start), self._units
        times = _SCRATCH.array("times", shape, np.uint8)
        for first in range(0, len(times), self._size):
            self._fill(start + first, times[first : first + self._size])
        return times

    def block(self, start: int) -> NDArray[np.uint8]:
        """Draw the block that begins with a resample: how often each unit came, (B, units)."""
        times = np.empty((min(self._size, self._rounds - start), self._units), np.uint8)
        self._fill(start, times)
        return times

    def _fill(self, start: int, times: NDArray[np.uint8]) -> None:
        """Draw a block into an array."""
        rng, units = self._generator(start), self._units
        if self._many is not None:
            self._many.fill(rng, times)
            return
        drawn = rng.integers(0, units, times.shape, dtype=np.uint32).astype(np.intp)
        drawn += (np.arange(len(times)) * units)[:, None]
        times[:] = np.bincount(drawn.ravel(), minlength=times.size).reshape(times.shape)


def block_generators(rng: np.random.Generator) -> Callable[[int], np.random.Generator]:
    """Return a function that makes the generator of a block from the number it begins with.

    All are derived from `rng`, which moves on.
    """
    key: list[int] = rng.integers(0, 1 << 62, 2).tolist()
    return lambda start: np.random.Generator(np.random.SFC64([*key, start]))


def drawn_weights(rng: np.random.Generator, units: int, rounds: int) -> NDArray[np.uint8]:
    """Draw `units` of as many with replacement, again and again; how often each came, (B, n)."""
    resamples = Resamples(rng, units, rounds)
    return np.concatenate([resamples.block(start) for start in resamples.starts])


class _ManyUnits:
    """How often each of many units is drawn when as many are drawn as there are."""

    def __init__(self, units: int) -> None:
        self._units, self._table = units, _ByteTable(_first_share(units))

    def fill(self, rng: np.random.Generator, times: NDArray[np.uint8]) -> None:
        """Draw how often each unit comes (B, units) into an array."""
        missing = self._fill_at_first(rng, times)
        while (more := np.flatnonzero(missing < 0)).size:
            again = np.empty((len(more), self._units), np.uint8)
            missing[more] = self._fill_at_first(rng, again)
            times[more] = again
        places = rng.integers(0, self._units, int(missing.sum()))
        places += np.repeat(np.arange(len(times)) * self._units, missing)
        _add_ones(times, places)

    def _fill_at_first(
        self, rng: np.random.Generator, times: NDArray[np.uint8]
    ) -> NDArray[np.int64]:
        """Draw Poisson counts (B, units) into an array, and return the missing draws (B,)."""
        self._table.fill(rng, times)
        whole = self._units // SUMMED * SUMMED
        parts = times[:, :whole].reshape(len(times), SUMMED, -1)
        drawn = np.add.reduce(parts, axis=1, dtype=np.uint8).sum(axis=1, dtype=np.int64)
        drawn += times[:, whole:].sum(axis=1, dtype=np.int64)
        return np.asarray(self._units - drawn)


class DrawnCells:
    """How many draws fall into each cell when as many units are drawn as there are.

    Parameters
    ----------
    sizes : number of units in each cell (C,), 1 or more

    Attributes
    ----------
    order : (C,) the cells as they are drawn
    whole : the type of whole numbers that hold the number of all draws
    """

    def __init__(self, sizes: ArrayLike) -> None:
        given = np.asarray(sizes, dtype=np.int64)
        self._units = int(given.sum())
        mean = _first_share(self._units)
        # Cells of one size have one distribution and are drawn together; a larger one is
        # drawn as a small one and so many of eight, a very large one by itself
        eights = np.where(given > LARGEST, 0, (given - 1) // EIGHT)
        small = np.where(given > LARGEST, EIGHT + 1, given - EIGHT * eights)
        self.order = np.argsort(small.astype(np.uint8), kind="stable")
        ordered, eights = given[self.order], eights[self.order]
        counts = np.bincount(small, minlength=EIGHT + 2).tolist()
        tables = {size: _ByteTable(mean * size) for size in range(1, EIGHT + 1)}
        self._small = [(tables[s], s, counts[s]) for s in tables if counts[s]]
        self._split = np.flatnonzero(eights)
        self._eights, self._eights_each = tables[EIGHT], eights[self._split]
        self._large = ordered[len(ordered) - counts[EIGHT + 1] :] * mean
        whole = np.int32 if self._units < np.iinfo(np.int32).max else np.int64
        self.whole: type[np.signedinteger] = whole
        self._type: type[np.integer] = whole if len(self._large) else np.uint8
        self._cell = np.repeat(np.arange(len(ordered), dtype=whole), ordered)

    def draw(self, rng: np.random.Generator, rounds: int) -> NDArray[np.integer]:
        """Return the number of draws in each cell, in the order of `order`, and a 0 (C + 1, B)."""
        times, missing = self._drawn_at_first(rng, rounds)
        while (more := np.flatnonzero(missing < 0)).size:
            times[:, more], missing[more] = self._drawn_at_first(rng, len(more))
        places = self._cell[rng.integers(0, self._units, int(missing.sum()))].astype(np.intp)
        places *= rounds
        places += np.repeat(np.arange(rounds), missing)
        _add_ones(times, places)
        return times

    def _drawn_at_first(
        self, rng: np.random.Generator, rounds: int
    ) -> tuple[NDArray[np.integer], NDArray[np.int64]]:
        """Draw Poisson counts (C + 1, B), and give how many draws are missing (B,)."""
        times = np.empty((len(self.order) + 1, rounds), dtype=self._type)
        times[-1] = 0
        missing = np.full(rounds, self._units)
        end = 0
        for table, size, cells in self._small:
            start, end = end, end + cells
            part = times[start:end]
            if part.dtype == np.uint8:
                table.fill(rng, part)
                missing -= _sums(part, SUMMED // size)
            else:
                part[:] = table.draw(rng, (cells, rounds))
                missing -= part.sum(axis=0)
        if len(self._large):
            drawn = rng.poisson(self._large[:, None], (len(self._large), rounds))
            times[end:-1] = drawn
            missing -= drawn.sum(axis=0)
        if len(self._split):
            eights = self._eights.draw(rng, (int(self._eights_each.sum()), rounds))
            missing -= _sums(eights, SUMMED // EIGHT)
            starts = np.cumsum(self._eights_each) - self._eights_each
            times[self._split] += np.add.reduceat(eights, starts, axis=0, dtype=np.uint8)
        return times, missing


def _first_share(units: int) -> float:
    """Return the share of the draws that are drawn at first."""
    return float(max(1 - SPARE / units**0.5, 0.0))


def _add_ones(times: NDArray[np.integer], places: NDArray[np.intp]) -> None:
    """Count one more at each place of the flat array; a place may come again."""
    # a number of another kind is ten times slower
    np.add.at(times.reshape(-1), places, times.dtype.type(1))


def _sums(times: NDArray[np.uint8], rows: int) -> NDArray[np.int64]:
    """Add up the columns of counts (C, B); those of so many rows add up to less than 256."""
    whole = len(times) // rows * rows
    parts = times[:whole].reshape(rows, -1)  # in bytes, which is six times as fast
    added = np.add.reduce(parts, axis=0, dtype=np.uint8).reshape(-1, times.shape[1])
    return np.asarray(added.sum(axis=0, dtype=np.int64) + times[whole:].sum(axis=0, dtype=np.int64))


class _ByteTable:
    """Draws a distribution over 0, 1, 2 ... by comparing one random number with its steps.

    Each value has a whole number of steps, which approximates its chance. The distribution is a
    mixture of these and, with a small chance, of a rest: values at random places are drawn again
    from the rest, by a longer number, and in the end by a fraction. The places are chosen without
    reading the values.
    """

    def __init__(self, mean: float) -> None:
        k = np.arange(int(mean + 12 * mean**0.5) + 30)
        chances = np.exp(scipy.special.xlogy(k, mean) - mean - scipy.special.gammaln(k + 1))
        self._levels: list[tuple[NDArray[np.unsignedinteger], float]] = []
        for dtype in (np.uint8, np.uint16):
            cells = int(np.iinfo(dtype).max) + 1
            whole = _whole_shares(chances, cells)
            drawn = whole > 0
            kept = float((chances[drawn] * cells / whole[drawn]).min())
            rest = np.maximum(chances - kept * whole / cells, 0.0)
            steps = np.cumsum(whole)
            # The mean number of draws again of a value, one or more with the chance of the rest
            places = -math.log1p(-float(rest.sum()))
            self._levels.append((steps[steps < cells].astype(dtype), places))
            chances = rest / rest.sum()
        self._sums = np.cumsum(chances)

    def draw(self, rng: np.random.Generator, shape: tuple[int, int]) -> NDArray[np.uint8]:
        """Draw values in an array of this shape."""
        values = np.empty(shape, dtype=np.uint8)
        self.fill(rng, values)
        return values

    def fill(self, rng: np.random.Generator, values: NDArray[np.uint8]) -> None:
        """Draw values in place."""
        self._fill(rng, values.reshape(-1), 0)

    def _fill(self, rng: np.random.Generator, values: NDArray[np.uint8], level: int) -> None:
        """Draw values in place, from one level of the table on."""
        if level == len(self._levels):
            values[:] = np.searchsorted(self._sums[:-1], rng.random(len(values)), "right")
            return
        steps, places = self._levels[level]
        passed = np.empty(min(AT_ONCE, len(values)), dtype=np.bool_)
        for start in range(0, len(values), AT_ONCE):
            part = values[start : start + AT_ONCE]
            raw = rng.bit_generator.random_raw(-(-len(part) * steps.itemsize // 8))
            numbers = np.asarray(raw).view(steps.dtype)[: len(part)]
            np.greater_equal(numbers, steps[0], out=part.view(np.bool_))
            for step in steps[1:]:
                np.greater_equal(numbers, step, out=passed[: len(part)])
                np.add(part, passed[: len(part)].view(np.uint8), out=part)
        again = rng.integers(0, max(len(values), 1), rng.poisson(places * len(values)))
        if len(again):
            rest = np.empty(len(again), dtype=np.uint8)
            self._fill(rng, rest, level + 1)
            values[again] = rest


def _whole_shares(chances: NDArray[np.float64], cells: int) -> NDArray[np.int64]:
    """Divide cells among values so that none has a share that exceeds its chance by much."""
    whole = np.floor(chances * cells).astype(np.int64)
    for _ in range(cells - int(whole.sum())):
        whole[np.argmax(chances / (whole + 1))] += 1
    return whole
