"""Tasks that each leave one row out, computed together where that gives the same outcome."""

import time
from collections.abc import Mapping

import numpy as np

from evallang.data.dataset import Table
from evallang.engine.fit_outcome import FitOutcome
from evallang.models.build import BuildContext
from evallang.models.columns import design_matrix
from evallang.models.fitting import watched
from evallang.models.leave_one_out import NAME, LeftOut, leave_one_out
from evallang.models.model import identity
from evallang.planning.plan import FitTask
from evallang.stats.threads import numeric_libraries

FEWEST = 10  # tasks of one pipeline from which a shortcut pays


def left_out_rows(
    tables: Mapping[str, Table], tasks: Mapping[str, FitTask]
) -> dict[str, FitOutcome]:
    """Return the outcomes, by key, of the tasks that a shortcut serves."""
    groups: dict[tuple[str, str], dict[str, FitTask]] = {}
    for key, task in tasks.items():
        if _leaves_one_out(task, tables[task.data]):
            groups.setdefault((task.data, identity(task.pipeline)), {})[key] = task
    found: dict[str, FitOutcome] = {}
    for (data, _), group in groups.items():
        if len(group) >= FEWEST:
            found.update(_outcomes(tables[data], group))
    return found


def _leaves_one_out(task: FitTask, table: Table) -> bool:
    """Return whether a task fits all rows but one, in order, and predicts that one."""
    if (
        task.inner
        or task.training
        or task.threshold is not None
        or task.target_of is not None
        or len(task.test) != 1
        or len(task.refit) != table.n - 1
    ):
        return False
    rows = np.arange(table.n)
    return bool(np.array_equal(task.refit, rows[rows != task.test[0]]))


def _outcomes(table: Table, tasks: Mapping[str, FitTask]) -> dict[str, FitOutcome]:
    if table.weights is not None or table.objects.shape[1]:
        return {}
    first = next(iter(tasks.values()))
    n_classes = len(table.classes) if table.task == "classification" else None
    context = BuildContext(table.columns, seed=lambda name, place: 0, classes=table.classes)
    rows = design_matrix(table.numeric, table.objects)
    start = time.perf_counter()
    with numeric_libraries().limit(limits=1):
        found, _, caught, _ = watched(
            lambda: leave_one_out(first.pipeline, rows, table.y, n_classes, context)
        )
    if not isinstance(found, LeftOut) or caught:  # a fit says itself what is wrong
        return {}
    seconds = (time.perf_counter() - start) / len(tasks)
    outputs = found.outputs
    return {
        key: FitOutcome(
            outputs.predictions[task.test],
            None if outputs.scores is None else outputs.scores[task.test],
            outputs.kind == "probabilities",
            {},
            None,
            seconds,
            n_fits=1,
            fast_paths=((NAME, 1),),
        )
        for key, task in tasks.items()
        if found.usable[task.test[0]]
    }
