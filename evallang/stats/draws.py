"""How often each unit comes when units are drawn, many draws at a time, and what computes on it.

A statistic is a function of these numbers: the bootstrap draws examples, groups or patterns of
examples with replacement, a permutation test tosses a coin for each pair of outputs. Statistics
of the same units are computed on the same draws, in one pass.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import scipy
import threadpoolctl
from numpy.typing import ArrayLike, NDArray

from evallang.activity import report_share

BLOCK = 1 << 22  # counts of a block
SPARE = 3.0  # standard deviations by which fewer are drawn at first: too many 1 in 750 times
LEVELS = 1 << 16  # of a random number of 16 bits
UNSETTLED = 255  # a count that 16 bits leave open


def one_order() -> AbstractContextManager[Any]:
    """Make products add up in the order of one thread, whatever the number of processors."""
    limits: AbstractContextManager[Any] = numeric_libraries().limit(limits=1, user_api="blas")
    return limits


def numeric_libraries() -> Any:
    """Find the BLAS and OpenMP libraries of this process, whose threads can be limited."""
    return _libraries(len(sys.modules))


@lru_cache(maxsize=1)
def _libraries(_modules: int) -> Any:
    """Find the libraries, which takes milliseconds; again only when more modules are loaded."""
    return threadpoolctl.ThreadpoolController()


class Block:
    """Some draws at once.

    Parameters
    ----------
    times : how often each unit came (units, B)
    codes : unit of each example (n,), None where each is one
    """

    def __init__(self, times: NDArray[Any], codes: NDArray[np.intp] | None = None) -> None:
        self.times, self._codes = times, codes
        self._sums: Mapping[int, NDArray[np.float64]] = {}

    def add_up(self, columns: Columns) -> None:
        """Sum columns of numbers of the units over the draws, in one product."""
        if columns.matrix is not None:
            sums = columns.matrix @ self.numbers
            self._sums = {column: sums[row] for column, row in columns.rows.items()}

    def sum_of(self, column: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sum of the numbers (units,) of the units that came (B,)."""
        found = self._sums.get(id(column))
        return column @ self.numbers if found is None else found

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """How often each unit came, as numbers (units, B)."""
        return self.times.astype(np.float64)

    @cached_property
    def examples(self) -> NDArray[Any]:
        """How often each example came (n, B)."""
        return self.times if self._codes is None else self.times.take(self._codes, axis=0)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """How often each example came, as numbers, a row for each draw (B, n)."""
        return (self.numbers if self._codes is None else self.examples.astype(np.float64)).T


class Columns:
    """The columns of numbers of the units that some statistics sum; equal ones are one.

    `rows` has the row of `matrix` of each, by its identity; None without a column.
    """

    def __init__(self, statistics: Iterable[Statistic]) -> None:
        self.rows: dict[int, int] = {}
        known: dict[bytes, int] = {}
        kept = []
        for column in (column for one in statistics for column in one.columns):
            numbers = column.tobytes()
            if numbers not in known:
                known[numbers] = len(known)
                kept.append(column)
            self.rows[id(column)] = known[numbers]
        self.matrix = np.stack(kept) if kept else None


class Source(ABC):
    """What is drawn again and again.

    Parameters
    ----------
    sizes : number of examples that each unit stands for (units,)
    codes : unit of each example (n,), None where each is one or none is looked at
    """

    def __init__(self, sizes: ArrayLike, codes: NDArray[np.intp] | None = None) -> None:
        self.sizes = np.asarray(sizes, dtype=np.int64)
        self.codes = codes

    def alike(self, other: Source) -> bool:
        """Return whether one state of the generator draws the same for both."""
        if type(self) is not type(other) or not np.array_equal(self.sizes, other.sizes):
            return False
        if self.codes is None or other.codes is None:
            return self.codes is other.codes
        return np.array_equal(self.codes, other.codes)

    def blocks(self, rng: np.random.Generator, rounds: int) -> Iterator[Block]:
        """Iterate over `rounds` draws, some at a time."""
        rows = max(len(self.sizes), 1 if self.codes is None else len(self.codes), 1)
        size = max(1, BLOCK // rows)
        for start in range(0, rounds, size):
            yield Block(self.draw(rng, min(size, rounds - start)), self.codes)

    @abstractmethod
    def draw(self, rng: np.random.Generator, rounds: int) -> NDArray[Any]:
        """Return how often each unit comes (units, rounds)."""


class Resamples(Source):
    """As many examples as there are, drawn with replacement.

    Where a unit stands for one each, they are drawn as Poisson counts, a few less than wanted,
    and the rest one by one: given their sum, such counts are multinomial.
    """

    def draw(self, rng: np.random.Generator, rounds: int) -> NDArray[Any]:
        """Return how often each unit comes (units, rounds)."""
        units, n = len(self.sizes), int(self.sizes.sum())
        if n == 0:
            return np.zeros((units, rounds), dtype=np.uint8)
        if not self._single:
            return rng.multinomial(n, self.sizes / n, rounds).T
        times, missing = self._at_first(rng, rounds)
        while (more := np.flatnonzero(missing < 0)).size:
            times[:, more], missing[more] = self._at_first(rng, len(more))
        places = rng.integers(0, units, int(missing.sum())) * rounds
        places += np.repeat(np.arange(rounds), missing)
        np.add.at(times.reshape(-1), places, np.uint8(1))
        return times

    @cached_property
    def _single(self) -> bool:
        return bool((self.sizes == 1).all())

    @cached_property
    def _poisson(self) -> tuple[NDArray[np.float64], NDArray[np.uint8]]:
        """The distribution of Poisson counts, and the count of each random number of 16 bits."""
        mean = max(1 - SPARE / len(self.sizes) ** 0.5, 0.0)
        upto: NDArray[np.float64] = scipy.special.pdtr(np.arange(30), mean)
        level = np.arange(LEVELS + 1) / LEVELS
        lowest, highest = upto.searchsorted(level[:-1], "right"), upto.searchsorted(level[1:])
        counts = np.where(lowest == highest, lowest, UNSETTLED).astype(np.uint8)
        return upto[:-1], counts

    def _at_first(
        self, rng: np.random.Generator, rounds: int
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Draw Poisson counts (units, rounds), and return how many draws are missing (rounds,)."""
        upto, counts = self._poisson
        units = len(self.sizes)
        drawn = _bits(rng, 16 * units * rounds).view(np.uint16)[: units * rounds]
        times = counts.take(drawn)
        open_ = np.flatnonzero(times == UNSETTLED)
        exact = (drawn[open_] + rng.random(len(open_))) / LEVELS
        times[open_] = upto.searchsorted(exact, "right")
        times = times.reshape(units, rounds)
        return times, units - times.sum(axis=0, dtype=np.int64)


def _bits(rng: np.random.Generator, count: int) -> NDArray[np.uint64]:
    """Draw so many random bits or a few more, 64 in one number."""
    return rng.integers(0, 1 << 64, -(-count // 64), dtype=np.uint64)


class Coins(Source):
    """How many examples of each unit keep their side, by a fair coin for each."""

    def draw(self, rng: np.random.Generator, rounds: int) -> NDArray[Any]:
        """Return how many examples of each unit keep their side (units, rounds)."""
        units = len(self.sizes)
        if (self.sizes == 1).all():
            bits = _bits(rng, units * rounds).view(np.uint8)
            return np.unpackbits(bits, count=units * rounds).reshape(units, rounds)
        return rng.binomial(self.sizes[:, None], 0.5, (units, rounds))


class Statistic(ABC):
    """A function of how often each unit came; draws of one state of a generator are made once."""

    _pass: _Pass | None = None
    columns: tuple[NDArray[np.float64], ...] = ()
    """Numbers of the units (units,) whose sums `on` asks of a block."""

    @property
    @abstractmethod
    def source(self) -> Source:
        """What is drawn."""

    @abstractmethod
    def on(self, block: Block) -> NDArray[np.float64]:
        """Return the values on some draws (B,), NaN where undefined."""

    def replicates(self, rng: np.random.Generator, rounds: int) -> NDArray[np.float64]:
        """Return the values on `rounds` draws, the same whatever else is computed on them."""
        if self._pass is None:
            self._pass = _Pass([self])
        return self._pass.values(self, rng, rounds)


class _Pass:
    """Statistics of the same source, whose values are computed together and kept."""

    def __init__(self, members: Sequence[Statistic]) -> None:
        self._members = tuple(members)
        self._values: dict[tuple[str, int], dict[int, NDArray[np.float64]]] = {}

    def values(
        self, member: Statistic, rng: np.random.Generator, rounds: int
    ) -> NDArray[np.float64]:
        """Return the values of one member on the draws of a generator's state."""
        key = str(rng.bit_generator.state), rounds
        if key not in self._values:
            values, end = np.empty((len(self._members), rounds)), 0
            columns = Columns(self._members)
            with one_order():
                for block in self._members[0].source.blocks(rng, rounds):
                    start, end = end, end + block.times.shape[1]
                    block.add_up(columns)
                    for row, one in zip(values, self._members, strict=True):
                        row[start:end] = one.on(block)
                    report_share(end, rounds)
            places = [id(one) for one in self._members]
            self._values[key] = dict(zip(places, values, strict=True))
        return self._values[key][id(member)]


def draw_together(statistics: Iterable[Any]) -> None:
    """Join statistics of equal sources, to be computed in one pass.

    Each has the values that it has by itself; what is joined already, or no `Statistic`, is left
    as it is.
    """
    alike: list[list[Statistic]] = []
    for one in statistics:
        if not isinstance(one, Statistic) or one._pass is not None:
            continue
        known = next((found for found in alike if found[0].source.alike(one.source)), None)
        if known is None:
            alike.append([one])
        elif one not in known:
            known.append(one)
    for found in alike:
        joined = _Pass(found)
        for one in found:
            one._pass = joined
