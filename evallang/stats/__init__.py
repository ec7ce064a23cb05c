"""Arrays in, frozen results with statistic, p-value, interval and notes out: the numeric core.

A library in its own right: pure functions, no input or output, no global state, no
scikit-learn. `evallang.stats.mcnemar([[9959, 11], [1, 29]], method="corrected")`. Where a
test and an interval share a name, the interval is `evallang.stats.intervals.corrected_t`.
"""

from typing import Any


def __getattr__(name: str) -> Any:
    """Find a test, an interval or a correction by its registered name."""
    if name.startswith("__"):
        raise AttributeError(name)
    from evallang.stats.corrections import CORRECTIONS
    from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
    from evallang.stats.intervals.interval import INTERVALS

    for registry in (HYPOTHESIS_TESTS, INTERVALS, CORRECTIONS):
        entry = registry.get(name)
        if entry is not None:
            return entry.function
    raise AttributeError(f"evallang.stats has no test, interval or correction called {name!r}")
