"""What a type checker knows of the numeric core: `make types` checks this file too.

A line whose error is expected names it, and an expected error that is none is an error.
"""

from typing import assert_type

from evallang import stats
from evallang.results.statistics import HypothesisTestResult
from evallang.stats import mcnemar

p: float | None = mcnemar([[5, 2], [1, 4]], alternative="two-sided").pvalue
assert_type(stats.permutation([1.0], [2.0]), HypothesisTestResult)
stats.wilson("many")  # type: ignore[call-arg, arg-type]
