"""All simulations, in the order of the page, and what of the core none of them measures."""

from __future__ import annotations

from collections.abc import Mapping

from benchmarks.validation import (
    both_sides,
    corrections,
    coverage_of_folds,
    coverage_of_shares,
    coverage_on_test_sets,
    curves,
    dummies,
    few_groups,
    few_of_a_class,
    joint_families,
    mcnemar_variants,
    nested_folds,
    planned_power,
    power_of_areas,
    readers,
    shuffled_targets,
    skewed_data,
    subgroups,
    tests_by_resampling,
    tests_on_examples,
    tests_on_folds,
    tests_on_groups,
    tests_over_data,
    tests_under_both_nulls,
    unstable_learners,
)
from benchmarks.validation.simulation import Section, Simulation
from evallang.stats.corrections.correction import CORRECTIONS
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.intervals.interval import INTERVALS

SECTIONS: tuple[Section, ...] = (
    tests_on_examples.SECTION,
    tests_by_resampling.SECTION,
    both_sides.SIZE,
    mcnemar_variants.SIZE,
    mcnemar_variants.POWER,
    tests_under_both_nulls.SECTION,
    tests_on_groups.SECTION,
    shuffled_targets.SECTION,
    planned_power.POWER,
    planned_power.WIDTH,
    power_of_areas.SECTION,
    few_of_a_class.SIZE,
    readers.SIZE,
    tests_on_folds.SECTION,
    tests_over_data.SECTION,
    tests_over_data.BAYESIAN,
    corrections.SECTION,
    corrections.MCNEMAR,
    joint_families.SECTION,
    coverage_of_shares.ONE,
    coverage_of_shares.PAIRED,
    coverage_of_shares.APART,
    subgroups.SECTION,
    coverage_on_test_sets.SECTION,
    few_of_a_class.COVERAGE,
    both_sides.SECTION,
    skewed_data.TAILS,
    coverage_on_test_sets.GROUPS,
    few_groups.SECTION,
    skewed_data.GROUPS,
    readers.COVERAGE,
    coverage_of_folds.SECTION,
    unstable_learners.SECTION,
    nested_folds.SECTION,
    coverage_of_folds.EFRON,
    curves.SECTION,
    dummies.SECTION,
)
SIMULATIONS: tuple[Simulation, ...] = tuple(
    simulation
    for module in (
        tests_on_examples,
        tests_by_resampling,
        both_sides,
        mcnemar_variants,
        planned_power,
        power_of_areas,
        tests_under_both_nulls,
        tests_on_groups,
        shuffled_targets,
        tests_on_folds,
        tests_over_data,
        corrections,
        joint_families,
        coverage_of_shares,
        coverage_on_test_sets,
        coverage_of_folds,
        dummies,
        few_of_a_class,
        few_groups,
        skewed_data,
        subgroups,
        unstable_learners,
        nested_folds,
        curves,
        readers,
    )
    for simulation in module.SIMULATIONS
)
BY_NAME: Mapping[str, Simulation] = {simulation.name: simulation for simulation in SIMULATIONS}

TYPE_ONE = (
    "examples",
    "resampling",
    "both_sides_size",
    "folds",
    "data_sets",
    "bayesian",
    "readers",
)
COVERAGE = (
    "shares",
    "paired",
    "independent",
    "test_set",
    "both_sides",
    "folds_coverage",
    "nested_folds_coverage",
    "readers_coverage",
    "few_groups_coverage",
)
FAMILIES = ("corrections", "mcnemar_families", "joint_families")


def unmeasured() -> tuple[str, ...]:
    """Name every registered test, interval and correction that no simulation measures."""
    return (
        *_lacking("hypothesis test", HYPOTHESIS_TESTS.names(), TYPE_ONE),
        *_lacking("interval", INTERVALS.names(), COVERAGE),
        *_lacking("correction", CORRECTIONS.names(), FAMILIES),
    )


def _lacking(kind: str, names: tuple[str, ...], sections: tuple[str, ...]) -> list[str]:
    measured = {
        line.cells[0].strip("`").partition("(")[0]
        for simulation in SIMULATIONS
        if simulation.section in sections
        for line in simulation.lines
    }
    return [f"{kind} {name}" for name in names if name not in measured]
