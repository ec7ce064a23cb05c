"""Arrays in, frozen results with statistic, p-value, interval and notes out: the numeric core.

A library in its own right: pure functions, no input or output, no global state, no
scikit-learn. `dir(stats)` lists all of it.

    >>> from evallang import stats
    >>> stats.mcnemar([[9959, 11], [1, 29]], method="corrected").statistic.value
    6.75
    >>> round(stats.intervals.wilson(56, 60, 0.95).low, 3)
    0.841
    >>> stats.holm([0.01, 0.04, 0.03])
    (0.03, 0.06, 0.06)
    >>> stats.permutation([1.2, 0.4, 0.9, 2.1], [1.0, 0.7, 0.5, 1.1]).p
    0.375
    >>> round(stats.tost(stats.paired_proportions([[80, 9], [8, 3]]), margin=0.1).p, 3)
    0.021

Hypothesis tests give a `HypothesisTestResult`, intervals an `Interval`, corrections the
adjusted p-values in the order of the raw ones, effect sizes an `Effect`. Where a test and an
interval share a name, `stats.NAME` is the test and `stats.intervals.NAME` the interval. What
cannot be computed is None with a note that says why; what makes no sense raises `ValueError`
with a sentence.
"""

from typing import Any

from evallang.stats import public


def __getattr__(name: str) -> Any:
    """Find a function or class when it is first used, so that its import stays cheap."""
    if name.startswith("__"):
        raise AttributeError(name)
    return public.find(name)


def __dir__() -> list[str]:
    """List every public name."""
    return public.names_of_all()
