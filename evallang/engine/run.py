"""From a plan to `Results`: the fits, and then everything that follows from them."""

import logging
from collections.abc import Callable

from evallang.data.read_sources import ReadSources
from evallang.engine.after_fits import Run
from evallang.engine.backends.workers import Workers
from evallang.engine.fits import run_fits
from evallang.engine.store import Store
from evallang.models.own_code import OwnCode
from evallang.planning.planner import Planned
from evallang.stats.draws import one_order
from evallang.study import Study

LOG = logging.getLogger("evallang")

Progress = Callable[[int, int], None]
"""Called with fits done and fits planned, whenever a task ends."""


def run(
    study: Study,
    read: ReadSources,
    planned: Planned,
    *,
    workers: Workers,
    progress: Progress | None = None,
    code: OwnCode | None = None,
    store: Store | None = None,
) -> "Run":
    """Run a planned study.

    `code` holds the author's code and objects, `store` the fits of past runs. Results depend
    neither on `workers` nor on the store: every seed comes from the plan, every fit runs on one
    thread of BLAS and OpenMP, and outcomes are joined in the order of the plan.
    """
    LOG.debug("begin the fits: tasks %d, jobs %d", len(planned.layout.tasks), workers.jobs)
    found = run_fits(
        study,
        read.tables,
        planned.layout,
        workers=workers,
        progress=progress,
        own=code,
        store=store,
    )
    from evallang.engine.after_fits import results_of_fits  # workers need not wait for it

    # Products of small matrices take several times as long when threads share them
    with one_order():
        return results_of_fits(
            study, read, planned, found, workers=workers, progress=progress, code=code
        )
