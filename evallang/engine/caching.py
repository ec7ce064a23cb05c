"""Resamples and swaps that are drawn once, however often a test or an interval asks for them.

A test is run again at another level for the interval of a family, and a test of a margin asks
for intervals at many levels; all of them rest on the same draws, since a seed is that of the
method and not of the level.
"""

from typing import TYPE_CHECKING

from evallang.stats.hypothesis_tests.swapping import Swapper
from evallang.stats.intervals.interval import Resampler

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class CachedSample:
    """A `Resampler` whose values are computed once."""

    def __init__(self, sample: Resampler) -> None:
        self._sample = sample
        self._drawn: dict[int, NDArray[np.float64]] = {}
        self._estimate: float | None = None
        self._left_out: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None

    @property
    def limits(self) -> tuple[float | None, float | None]:
        """The range of the statistic."""
        return self._sample.limits

    @property
    def unit(self) -> str:
        """What is drawn with replacement, as a plural."""
        return self._sample.unit

    @property
    def n_groups(self) -> int | None:
        """How many groups are drawn, None where examples are."""
        return self._sample.n_groups

    def estimate(self) -> float:
        """Return the statistic on the sample as it is."""
        if self._estimate is None:
            self._estimate = self._sample.estimate()
        return self._estimate

    def replicates(self, rng: "np.random.Generator", rounds: int) -> "NDArray[np.float64]":
        """Return the statistic on `rounds` resamples, the same at every call."""
        if rounds not in self._drawn:
            self._drawn[rounds] = self._sample.replicates(rng, rounds)
        return self._drawn[rounds]

    def jackknife(self) -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
        """Return leave-one-out values of the distinct examples, and how often each occurs."""
        if self._left_out is None:
            self._left_out = self._sample.jackknife()
        return self._left_out


class CachedSwapper:
    """A `Swapper` whose values are computed once."""

    def __init__(self, swapper: Swapper) -> None:
        self._swapper = swapper
        self._drawn: dict[int, NDArray[np.float64]] = {}
        self._every: dict[int, tuple[NDArray[np.float64], NDArray[np.float64]] | None] = {}
        self._blocks: dict[int, CachedSwapper] = {}

    @property
    def unit(self) -> str:
        """What is swapped as a whole, as a plural."""
        return self._swapper.unit

    def estimate(self) -> float:
        """Return the difference as observed."""
        return self._swapper.estimate()

    def replicates(self, rng: "np.random.Generator", rounds: int) -> "NDArray[np.float64]":
        """Return the difference after `rounds` random swaps, the same at every call."""
        if rounds not in self._drawn:
            self._drawn[rounds] = self._swapper.replicates(rng, rounds)
        return self._drawn[rounds]

    def arrangements(self, most: int) -> "tuple[NDArray[np.float64], NDArray[np.float64]] | None":
        """Return every difference with its probability, or None where there are above `most`."""
        if most not in self._every:
            self._every[most] = self._swapper.arrangements(most)
        return self._every[most]

    def in_blocks(self, size: int) -> "CachedSwapper":
        """Return the same difference with `size` consecutive examples swapped as a whole."""
        if size not in self._blocks:
            self._blocks[size] = CachedSwapper(self._swapper.in_blocks(size))
        return self._blocks[size]
