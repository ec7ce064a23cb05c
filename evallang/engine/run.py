"""From a plan to what a run gives: its graph is walked, and nothing else is done."""

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from evallang.data.read_sources import ReadSources

# each module registers what computes its kinds of nodes
from evallang.engine import (
    analyses,
    averages,
    best_of_many,
    comparisons,
    decisions,
    drawn_outcomes,
    estimate_analyses,
    evidence,
    measured,
    model_analyses,
    requirements,
    run_diagnostics,
    run_record,
)
from evallang.engine.backends.workers import Workers
from evallang.engine.fit_outcome import FitOutcome
from evallang.engine.fits import (
    Fitter,
    Tally,
    cut_searches,
    prepare_fits,
    stored_outcomes,
    versions_of,
)
from evallang.engine.run_record import Run
from evallang.engine.store import Store
from evallang.engine.walk import walk
from evallang.models.own_code import OwnCode
from evallang.planning import nodes
from evallang.planning.nodes import Graph
from evallang.planning.planner import Planned
from evallang.results.records import FitCounts
from evallang.run_folders import remove_left
from evallang.stats.draws import one_order
from evallang.study import Study

LOG = logging.getLogger("evallang")

__all__ = [
    "analyses",
    "averages",
    "best_of_many",
    "comparisons",
    "decisions",
    "drawn_outcomes",
    "estimate_analyses",
    "evidence",
    "measured",
    "model_analyses",
    "requirements",
    "run",
    "run_diagnostics",
    "run_fits",
    "run_record",
]

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
) -> Run:
    """Run a planned study.

    `code` holds the author's code and objects, `store` the fits of past runs. Results depend
    neither on `workers` nor on the store: every seed comes from the plan, every fit runs on one
    thread of BLAS and OpenMP, and outcomes are joined in the order of the plan.
    """
    graph = planned.graph
    stored = (
        {}
        if store is None
        else stored_outcomes(store, read.tables, graph, graph.of_kind(nodes.FIT))
    )
    (made,) = _values(
        study, read, graph, graph.ends, stored,
        workers=workers, progress=progress, code=code, store=store,
    )  # fmt: skip
    found: Run = made
    counts = _counts(graph, found, stored)
    provenance = replace(found.results.provenance, fits=counts)
    return replace(found, results=replace(found.results, provenance=provenance))


def run_fits(
    study: Study,
    read: ReadSources,
    planned: Planned,
    keys: Sequence[str],
    *,
    workers: Workers,
    code: OwnCode | None,
    store: Store,
) -> tuple[dict[str, FitOutcome], frozenset[str]]:
    """Make some of the fits of a plan for a store; return their outcomes, and which it had."""
    stored = stored_outcomes(store, read.tables, planned.graph, keys)
    made = _values(
        study, read, planned.graph, keys, stored,
        workers=workers, progress=None, code=code, store=store,
    )  # fmt: skip
    return dict(zip(keys, made, strict=True)), frozenset(stored)


def _values(
    study: Study,
    read: ReadSources,
    graph: Graph,
    targets: Sequence[str],
    stored: Mapping[str, FitOutcome],
    *,
    workers: Workers,
    progress: Progress | None,
    code: OwnCode | None,
    store: Store | None,
) -> list[Any]:
    """Walk a graph from some targets, with the fits that are stored; return their values."""
    remove_left()
    wanted = graph.ancestors(targets)
    fits = [key for key, node in wanted.items() if node.kind == nodes.FIT]
    remote = {key: node for key, node in wanted.items() if node.kind.remote}
    undone: Counter[str] = Counter()
    for key, node in remote.items():
        if key not in stored:
            undone[node.at.model or ""] += node.n_fits
    LOG.debug("begin the fits: tasks %d, jobs %d", len(fits), workers.jobs)
    tally = Tally(sum(node.n_fits for node in remote.values()), progress, undone)
    tally.start_from(sum(graph.nodes[key].n_fits for key in stored))
    lacking = [key for key in fits if key not in stored]
    if len(stored) < len(remote):
        prepare_fits(workers, (m for m in study.models if m.name in undone))
        tasks = [graph.nodes[key].given["task"] for key in lacking]
        workers.connect({name for task in tasks for name in versions_of(task)})
    whole = cut_searches(graph, lacking, workers.parallel)
    with Fitter(study, read.tables, workers, tally, own=code, store=store) as fitter:
        try:
            # Products of small matrices take several times as long when threads share them
            found = walk(whole, targets, stored, fitter, within=one_order)
        except KeyboardInterrupt as ending:
            kept = fitter.kept + sum(graph.nodes[key].n_fits for key in stored)
            if store is None or not kept or str(ending):
                raise
            told = f"{kept:,} of {tally.total:,} fits are kept for the next run"
            raise type(ending)(told) from None
    kinds = Counter(node.kind.name for node in whole.ancestors(targets, stored).values())
    LOG.debug("computed the nodes: %s", ", ".join(f"{kind} {n}" for kind, n in kinds.items()))
    return [found[key] for key in targets]


def _counts(graph: Graph, found: Run, stored: Mapping[str, FitOutcome]) -> FitCounts:
    """Count the fits that were planned and made; of the best of several models those it took."""
    fits = graph.of_kind(nodes.FIT).values()
    exports, outcomes = found.exports, found.outcomes
    failed = sum((o.failure is not None) + len(o.inner_failures) for o in outcomes.values())
    return FitCounts(
        planned=sum(node.n_fits for node in fits)
        + sum(o.task.task.n_fits for o in exports if o.task is not None),
        run=sum(o.n_fits for key, o in outcomes.items() if key not in stored)
        + sum(o.n_fits for o in exports),
        cached=sum(o.n_fits for o in stored.values()),
        failed=failed
        + sum((o.failure is not None or o.task is None) + len(o.left) for o in exports),
    )
