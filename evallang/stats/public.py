"""The public names of the numeric core, each with the module that defines it.

`__init__.pyi` next to it, which type checkers and editors read, is written from them by
`make docs`.
"""

import importlib
from typing import Any

from evallang.spelling import closest

ELSEWHERE = {
    "arrays": "bootstrap noninferiority permutation tost",
    "learning_bootstrap": "bootstrap_error leave_one_out_error no_information_rate standard_error",
    "clusters": "clustered_difference design_effect",
    "correctness": "Correctness Shares count_correct count_patterns count_right",
    "corrections.correction": "simultaneous_level",
    "decisions": "decide_equivalent decide_level decide_noninferior decide_superior",
    "hypothesis_tests.equivalence": "over_folds paired_proportions",
    "hypothesis_tests.swapping": "CountSwapper LossSwapper OutputSwapper ScoreSwapper SignSwapper "
    "flip_groups",
    "intervals.few_groups": "clustered_wilson effective_n weighted_loss_sample "
    "weighted_sample weighted_wilson",
    "intervals.cross_validation": "HeldOutLosses",
    "intervals.ranking": "placements",
    "intervals.resampling": "CountSample DifferenceSample LossSample PairedCountSample ScoreSample "
    "WeightSample",
    "power": "corrected_alpha",
    "power_of_metrics": "t_power",
    "power_of_pairs": "mcnemar_power rank_power",
    "rank_scores": "average_ranks critical_difference win_tie_loss",
    "effect_sizes.effect_size": "average_rank_effects rank_models",
}
"""Public names that are in no registry, or take arrays instead of what is registered, by module."""
ROOMS = ("hypothesis_tests", "intervals")


def find(name: str) -> Any:
    """Return a function or class by its name; of a test and an interval, the test.

    Raises `AttributeError`, with the nearest name, where there is none.
    """
    if name in ROOMS:
        return importlib.import_module(f"evallang.stats.{name}")
    for module, names in ELSEWHERE.items():
        if name in names.split():
            return getattr(importlib.import_module(f"evallang.stats.{module}"), name)
    found = _registered().get(name)
    if found is not None:
        return found
    nearest = closest(name, names_of_all())
    hint = f", perhaps `{nearest}`" if nearest else "; `dir(stats)` lists what there is"
    raise AttributeError(f"evallang.stats has nothing called {name!r}{hint}")


def names_of_all() -> list[str]:
    """Return every public name, sorted."""
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
