"""Counts, losses or fold values in, an `Interval` with method and level out."""

from typing import Any


def __getattr__(name: str) -> Any:
    """Find an interval by its registered name."""
    if name.startswith("__"):
        raise AttributeError(name)
    from evallang.stats.intervals.interval import INTERVALS

    entry = INTERVALS.get(name)
    if entry is None:
        raise AttributeError(f"evallang.stats.intervals has no interval called {name!r}")
    return entry.function
