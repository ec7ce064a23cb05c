"""What an interval allows to be claimed: at a level, superior, not inferior, equivalent.

The bounds decide, not p: the interval is the two-sided one that is printed. What has no
bounds is not shown.
"""

from __future__ import annotations

from typing import Literal, Protocol

from msgspec import Struct

from evallang.stats.validation import word

Better = Literal["higher", "lower"]
UNDEFINED = "the interval is undefined"


class Bounds(Protocol):
    """Anything with two bounds: an `Interval`, or a `Difference`."""

    @property
    def low(self) -> float | None:
        """The lower bound, None where it is undefined."""

    @property
    def high(self) -> float | None:
        """The upper bound, None where it is undefined."""


class Decision(Struct, frozen=True):
    """Whether a claim is met; `reason` says why where it is not."""

    met: bool
    reason: str | None = None


def decide_level(
    interval: Bounds, threshold: float, relation: Literal[">=", "<="] = ">="
) -> Decision:
    """Return whether a value is shown to be at least, or at most, a threshold."""
    word(relation, (">=", "<="), "relation")
    low, high = interval.low, interval.high
    if low is None or high is None:
        return Decision(False, UNDEFINED)
    if relation == ">=":
        return _met(low >= threshold, f"the lower bound {low:.6g} is below {threshold:.6g}")
    return _met(high <= threshold, f"the upper bound {high:.6g} is above {threshold:.6g}")


def decide_superior(interval: Bounds, better: Better = "higher", margin: float = 0.0) -> Decision:
    """Return whether the first model is shown to be better, by more than `margin`.

    `interval` is that of first minus second; `better` says which direction of the metric is.
    Raises `ValueError` where `margin` is negative.
    """
    return _decide_beyond(interval, better, checked_margin(margin, positive=False))


def decide_noninferior(interval: Bounds, margin: float, better: Better = "higher") -> Decision:
    """Return whether the first model is shown to be worse by less than `margin`, if at all.

    Raises `ValueError` where `margin` is not positive.
    """
    return _decide_beyond(interval, better, -checked_margin(margin))


def decide_equivalent(interval: Bounds, margin: float) -> Decision:
    """Return whether the whole interval of the difference lies inside ± `margin`.

    Raises `ValueError` where `margin` is not positive.
    """
    width = checked_margin(margin)
    low, high = interval.low, interval.high
    if low is None or high is None:
        return Decision(False, UNDEFINED)
    return _met(
        -width < low and high < width,
        f"the interval [{low:.6g}, {high:.6g}] reaches beyond ±{width:.6g}",
    )


def checked_margin(margin: float, *, positive: bool = True) -> float:
    """Return `margin`; raises `ValueError` where it is negative, infinite, or 0 if `positive`."""
    if not 0 <= margin < float("inf") or (positive and margin == 0):
        raise ValueError(f"a margin is a number above 0, not {margin!r}")
    return float(margin)


def _decide_beyond(interval: Bounds, better: Better, line: float) -> Decision:
    word(better, ("higher", "lower"), "better")
    low, high = interval.low, interval.high
    if low is None or high is None:
        return Decision(False, UNDEFINED)
    if better == "higher":
        return _met(low > line, f"the lower bound {low:.6g} is not above {line:.6g}")
    return _met(high < -line, f"the upper bound {high:.6g} is not below {-line:.6g}")


def _met(holds: bool, otherwise: str) -> Decision:
    return Decision(True) if holds else Decision(False, otherwise)
