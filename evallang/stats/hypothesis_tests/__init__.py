"""Counts, losses or scores in, a `HypothesisTestResult` with statistic, p and effect out."""

from typing import Any


def __getattr__(name: str) -> Any:
    """Find a hypothesis test by its registered name."""
    if name.startswith("__"):
        raise AttributeError(name)
    from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS

    entry = HYPOTHESIS_TESTS.get(name)
    if entry is None:
        raise AttributeError(f"evallang.stats.hypothesis_tests has no test called {name!r}")
    return entry.function
