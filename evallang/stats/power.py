"""What a design can show: power for a stated difference, detectable differences, sizes.

Everything is computed from assumptions that are stated before the data are seen, at the
level that one comparison of a family gets. Power at the observed difference is refused: it
is a function of p and says nothing more (Hoenig & Heisey 2001).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from msgspec import Struct, field

from evallang.stats.corrections.correction import CORRECTIONS, harmonic
from evallang.stats.validation import word

MOST_N = 1 << 24  # largest sample that is searched for
BEYOND = 0.05  # share of n by which power must stay at its target
LOOKED_AT = 200  # sizes at which that is looked up


class PowerAnalysis(Struct, frozen=True):
    """Power for one set of assumptions; what is undefined or out of reach is None.

    Attributes
    ----------
    test : name of the test
    method : how power was computed
    n : examples, folds or data sets
    difference : true difference that is assumed, or the smallest that can be detected
    power : probability of rejecting at `alpha`, two-sided
    alpha : level of one comparison, after the correction
    assumptions : what else is assumed
    mc_se : Monte Carlo error of the power where it is simulated
    notes : what a reader must know
    """

    test: str
    method: str
    n: int | None
    difference: float | None
    power: float | None
    alpha: float
    assumptions: Mapping[str, float | int | str] = field(default_factory=dict)
    mc_se: float | None = None
    notes: tuple[str, ...] = ()


def corrected_alpha(alpha: float, comparisons: int, correction: str = "holm") -> float:
    """Return the level of the strictest step, at which a comparison is sure to be decided.

    alpha / m for Bonferroni and, as its strictest step, Holm; 1 - (1 - alpha)^(1/m) for
    Šidák; alpha / m over 1 + 1/2 + ... + 1/m for Benjamini and Yekutieli. Raises `ValueError`
    where there is no comparison, `alpha` is not a probability, or the correction is unknown.
    """
    word(correction, CORRECTIONS.names(), "correction")
    declared = CORRECTIONS[correction].declaration
    if not 1 <= comparisons < math.inf or not 0 < alpha < 1:
        raise ValueError("a level lies between 0 and 1, and a family has one comparison or more")
    if not declared.adjusts:
        return alpha
    if declared.strictest == "sidak":
        return -math.expm1(math.log1p(-alpha) / comparisons)
    steps = harmonic(comparisons) if declared.strictest == "harmonic" else 1.0
    return alpha / comparisons / steps


def stated(difference: float | str) -> float:
    """Refuse what is not a stated difference, the observed one by name."""
    if isinstance(difference, str):
        raise ValueError(
            "power at the observed difference adds nothing to the p-value (Hoenig & Heisey "
            "2001): state "
            "the smallest difference that would matter"
        )
    if not math.isfinite(difference):
        raise ValueError("the difference is a finite number")
    return float(difference)


def smallest_difference(
    at: Callable[[float], PowerAnalysis], most: float, target: float, largest: str, steps: int = 30
) -> PowerAnalysis:
    """Find the smallest difference with power `target`; `largest` says what limits it to `most`."""
    checked_target(target)
    found = at(most)
    if found.power is None or found.power < target:
        notes = (f"no difference is found with power {target:g}: {largest}",)
        return PowerAnalysis(
            found.test,
            found.method,
            found.n,
            None,
            None,
            found.alpha,
            found.assumptions,
            None,
            notes,
        )
    return at(least_value(lambda gap: (at(gap).power or 0.0) >= target, 0.0, most, steps))


def gap_in_unit(gap: float | None, sd: float | None) -> tuple[float | None, tuple[str, ...]]:
    """Return the difference that can be asked about, and a note where that needs `sd`."""
    if gap is None or sd is not None:
        return gap, ()
    return None, (f"power at a difference of {gap:g} needs `sd`, and none is stated",)


def required_size(
    gap: float | None, find: Callable[[float], PowerAnalysis]
) -> tuple[int | None, tuple[str, ...]]:
    """Return the number that a stated difference takes, or why none is enough."""
    if not gap:
        return None, ()
    try:
        return find(gap).n, ()
    except ValueError as error:
        return None, (str(error),)


def size_for_width(
    width: float | None, wide: Callable[[int], float], most: int = MOST_N
) -> tuple[int | None, tuple[str, ...]]:
    """Return the least number with which an interval is at most as wide, or why there is none.

    `wide` gives the width that is expected with a number of examples; no more than `most` are
    looked at.
    """
    if width is None:
        return None, ()
    if not 0 < width < math.inf:
        raise ValueError("an interval has a width above 0")
    try:
        return least_size(lambda n: wide(n) <= width, saw_toothed=False, most=most), ()
    except ValueError as error:
        return None, (f"an interval {width:g} wide: {error}",)


def check_side(alpha: float, one_sided: bool) -> None:
    """Raise `ValueError` where a test in one direction has a level that none has."""
    if one_sided and not alpha < 0.5:
        raise ValueError("the level of a one-sided test lies below 0.5")


def checked_target(target: float) -> None:
    """Raise `ValueError` where `target` is not a power."""
    if not 0 < target < 1:
        raise ValueError("a power lies between 0 and 1")


def least_value(enough: Callable[[float], bool], low: float, high: float, steps: int) -> float:
    """Halve the range between `low`, which is too little, and `high`; return its upper end."""
    for _ in range(steps):
        middle = (low + high) / 2
        if enough(middle):
            high = middle
        else:
            low = middle
    return high


def least_size(enough: Callable[[int], bool], *, saw_toothed: bool, most: int = MOST_N) -> int:
    """Find the smallest size that is enough; with a saw-toothed power, and stays so for 5 %.

    Raises `ValueError` where more than `most` would be needed.
    """
    high = 2
    while not enough(high):
        high *= 2
        if high > most:
            raise ValueError(f"more than {most:,} would be needed")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        if enough(middle):
            high = middle
        else:
            low = middle
    if not saw_toothed:
        return high
    # A tooth is as wide as it takes the number of discordant pairs to grow by two or so
    size, step = high, max(1, round(high * BEYOND / LOOKED_AT))
    while size <= high * (1 + BEYOND) + 4:
        if not enough(size):
            high = size + 1
        size += step
    return high
