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

`__init__.pyi` next to it, which type checkers and editors read, is written from it by `make docs`.
"""

import importlib
from typing import Any

from evallang.spelling import closest

ELSEWHERE = {
    "arrays": "bootstrap noninferiority permutation tost",
    "learning_bootstrap": "bootstrap_error leave_one_out_error no_information_rate standard_error",
    "clusters": "clustered_difference design_effect",
    "correctness": "Correctness Shares count_correct count_patterns",
    "corrections.correction": "simultaneous_level",
    "decisions": "decide_equivalent decide_level decide_noninferior decide_superior",
    "hypothesis_tests.equivalence": "over_folds paired_proportions",
    "hypothesis_tests.swapping": "CountSwapper LossSwapper OutputSwapper ScoreSwapper SignSwapper "
    "flip_groups",
    "intervals.few_groups": "clustered_wilson effective_n weighted_loss_sample weighted_wilson",
    "intervals.cross_validation": "HeldOutLosses",
    "intervals.resampling": "CountSample DifferenceSample LossSample PairedCountSample ScoreSample "
    "WeightSample",
    "power": "corrected_alpha",
    "power_of_metrics": "t_power",
    "power_of_pairs": "mcnemar_power rank_power",
    "rank_scores": "average_ranks critical_difference win_tie_loss",
    "strata": "Strata",
    "effect_sizes.effect_size": "average_rank_effects rank_models",
}
"""Public names that are in no registry, or take arrays instead of what is registered, by module."""
ROOMS = ("hypothesis_tests", "intervals")


def __getattr__(name: str) -> Any:
    """Find a function or class when it is first used; of a test and an interval, the test."""
    if name.startswith("__"):
        raise AttributeError(name)
    if name in ROOMS:
        return importlib.import_module(f"evallang.stats.{name}")
    for module, names in ELSEWHERE.items():
        if name in names.split():
            return getattr(importlib.import_module(f"evallang.stats.{module}"), name)
    found = _registered().get(name)
    if found is not None:
        return found
    nearest = closest(name, __dir__())
    hint = f", perhaps `{nearest}`" if nearest else "; `dir(stats)` lists what there is"
    raise AttributeError(f"evallang.stats has nothing called {name!r}{hint}")


def __dir__() -> list[str]:
    """List every public name, sorted."""
    elsewhere = [name for names in ELSEWHERE.values() for name in names.split()]
    spelled = [name for name in _registered() if name.isidentifier()]
    return sorted({*spelled, *elsewhere, *ROOMS})


def _registered() -> dict[str, Any]:
    """Return the members of the registries by their names, and by those of their functions."""
    from evallang.stats.corrections.correction import CORRECTIONS
    from evallang.stats.effect_sizes.effect_size import EFFECT_SIZES
    from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
    from evallang.stats.intervals.interval import INTERVALS

    found: dict[str, Any] = {}
    for registry in (HYPOTHESIS_TESTS, INTERVALS, CORRECTIONS, EFFECT_SIZES):
        for entry in registry:
            for name in (entry.name, entry.function.__name__):
                found.setdefault(name, entry.function)
    return found
