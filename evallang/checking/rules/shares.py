"""Shares as an author would write them."""

import math

NEARLY = 1e-9  # of a share, which may differ from a written one in its last bits


def percent(share: float) -> str:
    """Return a share that was written as `95%`, with all its decimals."""
    return f"{round(share * 100, 9):.10g}%"


def rounded_share(share: float) -> str:
    """Return a share that was computed, with two decimals."""
    return percent(round(share, 4))


def reachable_below(share: float) -> str:
    """Return a share with one decimal, rounded down, so that what is advised can be met."""
    return percent(math.floor(share * 1000 + NEARLY) / 1000)


def reachable_above(share: float) -> str:
    """Return a share with one decimal, rounded up, so that what is advised can be met."""
    return percent(math.ceil(share * 1000 - NEARLY) / 1000)
