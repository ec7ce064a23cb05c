"""Simulations in, their tallies out: blocks of replications on several processes."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from unittest.mock import patch

import numpy as np

from benchmarks.validation.simulation import Simulation, Tally

SEED = 20181113
Found = Mapping[str, Mapping[str, Tally]]
Task = tuple[str, int, int]  # simulation, block, replications of the block


def replications(simulation: Simulation, share: float) -> int:
    """Give the number of replications at a share of the full length."""
    if simulation.replications == 0:
        return 0
    wanted = round(simulation.replications * share)
    return min(max(wanted, simulation.least), simulation.replications)


def run(
    simulations: Sequence[Simulation],
    share: float,
    jobs: int = 1,
    done: Callable[[str, Mapping[str, Tally]], None] = lambda name, found: None,
) -> Found:
    """Run simulations and add up their blocks; the outcome does not depend on `jobs`.

    Each block draws from a generator of its own, seeded by the name of the simulation and
    the number of the block. `done` is called with each simulation that has ended.
    """
    tasks = [task for simulation in simulations for task in _tasks(simulation, share)]
    blocks = {name: sum(task[0] == name for task in tasks) for name, _, _ in tasks}
    found: dict[str, dict[str, Tally]] = {simulation.name: {} for simulation in simulations}
    for (name, block, _), counts in zip(tasks, _results(tasks, jobs), strict=True):
        known = found[name]
        for key, value in counts.items():
            known[key] = known[key] + value if key in known else value
        if block + 1 == blocks[name]:
            done(name, known)
    return found


def _tasks(simulation: Simulation, share: float) -> list[Task]:
    total = replications(simulation, share)
    sizes = [min(simulation.block, total - start) for start in range(0, total, simulation.block)]
    return [(simulation.name, block, size) for block, size in enumerate(sizes or [0])]


def _results(tasks: Sequence[Task], jobs: int) -> Iterable[Mapping[str, Tally]]:
    if jobs == 1:
        return map(_block, tasks)
    # One BLAS thread for each process, in ours too while they start
    os.environ.update(dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1"))
    pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"))
    return pool.map(_block, tasks)


def _block(task: Task) -> Mapping[str, Tally]:
    from benchmarks.validation.everything import BY_NAME
    from evallang.stats.effect_sizes import effect_size

    name, block, size = task
    seeds = np.random.SeedSequence(SEED, spawn_key=(zlib.crc32(name.encode()), block))
    # The intervals of effect sizes are most of a test's time and no part of what is validated
    with patch.object(effect_size, "ROUNDS", 20):
        return BY_NAME[name].draw(np.random.default_rng(seeds), size)
