"""All simulations, and what of the core none of them measures.

A design is one module, which nothing lists: its `Section`s are the tables of the page, in the order
of their titles, and `SIMULATIONS` what is drawn for them.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping

import benchmarks.validation
from benchmarks.validation.simulation import Section, Simulation
from evallang.stats.corrections.correction import CORRECTIONS
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.intervals.interval import INTERVALS

MODULES = tuple(
    importlib.import_module(f"{benchmarks.validation.__name__}.{found.name}")
    for found in pkgutil.iter_modules(benchmarks.validation.__path__)
    if found.name not in ("__main__", "everything")
)
SECTIONS: tuple[Section, ...] = tuple(
    sorted(
        {one for module in MODULES for one in vars(module).values() if isinstance(one, Section)},
        key=lambda section: section.title,
    )
)
SIMULATIONS: tuple[Simulation, ...] = tuple(
    simulation for module in MODULES for simulation in getattr(module, "SIMULATIONS", ())
)
BY_NAME: Mapping[str, Simulation] = {simulation.name: simulation for simulation in SIMULATIONS}
REGISTRIES = {"test": HYPOTHESIS_TESTS, "interval": INTERVALS, "correction": CORRECTIONS}
"""What is measured, by the head of the first column of the tables that say how often it errs."""


def unmeasured() -> tuple[str, ...]:
    """Name every registered test, interval and correction that no simulation measures."""
    heads = {section.key: section.columns[0] for section in SECTIONS if section.of_errors}
    measured = {
        (heads.get(simulation.section), line.cells[0].strip("`").partition("(")[0])
        for simulation in SIMULATIONS
        for line in simulation.lines
    }
    return tuple(
        f"{registry.kind} {name}"
        for head, registry in REGISTRIES.items()
        for name in registry.names()
        if (head, name) not in measured
    )
