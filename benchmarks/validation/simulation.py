"""What a simulation is: a seeded function that counts, and the lines that show its counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

ERRORS = 4.0  # Monte Carlo errors that a figure may lie outside of its claim
ALPHA = 0.05
STRICT_ALPHA = 0.01
LEVEL = 0.95


@dataclass(frozen=True)
class Tally:
    """Number, sum and sum of squares of what was measured; n = 0: computed, without error."""

    n: int
    total: float
    squares: float = 0.0

    @property
    def value(self) -> float:
        """The mean: for 0 and 1 a share."""
        return self.total / self.n if self.n else self.total

    @property
    def error(self) -> float | None:
        """Monte Carlo standard error of the mean, None where nothing was drawn."""
        if self.n == 0:
            return None
        return math.sqrt(max(self.squares / self.n - self.value**2, 0.0) / self.n)

    def __add__(self, other: Tally) -> Tally:
        """Join what two blocks of replications counted."""
        return Tally(self.n + other.n, self.total + other.total, self.squares + other.squares)


def tally(values: ArrayLike) -> Tally:
    """Count outcomes (n,), as 0 and 1 or as numbers."""
    x = np.asarray(values, dtype=np.float64)
    return Tally(x.size, float(x.sum()), float((x * x).sum()))


def computed(value: float) -> Tally:
    """Hold a figure that was added up over all outcomes and not drawn."""
    return Tally(0, float(value))


@dataclass(frozen=True)
class Claim:
    """Bounds within which a figure is to lie, and how the page says so."""

    words: str
    low: float = 0.0
    high: float = 1.0

    def holds(self, found: Tally) -> bool:
        """Tell whether the figure lies inside, but for its Monte Carlo error."""
        slack_low = slack_high = 1e-9
        if found.n and found.error is not None:
            slack_low = ERRORS * max(found.error, _share_error(self.low, found.n))
            slack_high = ERRORS * max(found.error, _share_error(self.high, found.n))
        return self.low - slack_low <= found.value <= self.high + slack_high


def _share_error(share: float, n: int) -> float:
    return math.sqrt(max(share * (1 - share), 0.0) / n)


GUARANTEED = Claim("at most 5 %", 0.0, ALPHA)
NOMINAL = Claim("5 %, within 1", 0.04, 0.06)
ROUGHLY = Claim("5 %, within 2", 0.03, 0.07)
COVERS = Claim("95 %, within 1.5", 0.935, 0.965)
ROUGHLY_COVERS = Claim("95 %, within 3", 0.92, 0.98)


def inflated(above: float) -> Claim:
    """Claim that a test rejects a true null too often, as is known of it."""
    return Claim(f"inflated, above {100 * above:g} %", above, 1.0)


def below(most: float) -> Claim:
    """Claim that a test or interval falls short, as is known of it."""
    return Claim(f"below {100 * most:g} %", 0.0, most)


def at_least(least: float) -> Claim:
    """Claim a guaranteed coverage."""
    return Claim(f"at least {100 * least:g} %", least, 1.0)


@dataclass(frozen=True)
class Line:
    """A line of a table: its words, the keys of its figures, and claims on the first of them.

    `shortfall` is the sentence that the page prints where a claim is known to fail.
    """

    cells: tuple[str, ...]
    keys: tuple[str, ...]
    claims: tuple[Claim, ...] = ()
    shortfall: str = ""


@dataclass(frozen=True)
class Simulation:
    """A design that is drawn again and again.

    Attributes
    ----------
    name : its seeds come from it, so that adding one changes no other
    section : key of the table that shows it
    replications : at full length; 0 where all outcomes are added up
    draw : from a generator and a number of replications to what they counted, by key
    lines : what the table shows of it
    block : replications of one task
    least : replications below which a small version does not go
    """

    name: str
    section: str
    replications: int
    draw: Callable[[np.random.Generator, int], Mapping[str, Tally]]
    lines: tuple[Line, ...]
    block: int = 500
    least: int = 20


@dataclass(frozen=True)
class Section:
    """A table of the page: columns of words, then columns of figures.

    `of_errors` is False where it says nothing of how often what its first column names errs.
    """

    key: str
    title: str
    text: str
    columns: tuple[str, ...]
    figures: tuple[str, ...]
    unit: str = "%"
    of_errors: bool = True


def rejections(p: Iterable[float | None]) -> dict[str, Tally]:
    """Count p-values at or below 5 and 1 %, under the keys `5` and `1`; None is not a rejection."""
    values = np.array([1.0 if x is None else x for x in p])
    return {
        "5": tally(values <= ALPHA * (1 + 1e-12)),
        "1": tally(values <= STRICT_ALPHA * (1 + 1e-12)),
    }


def under(prefix: str, found: Mapping[str, Tally]) -> dict[str, Tally]:
    """Put a name before each key."""
    return {f"{prefix} {key}": value for key, value in found.items()}


def both_levels(prefix: str) -> tuple[str, str]:
    """Give the keys that `under(prefix, rejections(...))` makes."""
    return f"{prefix} 5", f"{prefix} 1"


def held(low: float | None, high: float | None, truth: float) -> bool:
    """Tell whether an interval holds the truth; one that is undefined does not."""
    return low is not None and high is not None and low - 1e-12 <= truth <= high + 1e-12


def new_seed(rng: np.random.Generator) -> int:
    """Draw the seed of a method that resamples."""
    return int(rng.integers(1 << 32))
