"""Which models are fitted on all rows for `export`, and how their parameters are chosen.

Raschka 2018, 3.7: once a model is evaluated, it is fitted on all data with the
hyper-parameters that were selected. Where one selection was made, it is that one; where
every outer fold made its own, what was evaluated is the way of choosing, and it is gone
once more, on all rows.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.data.dataset import Table
from evallang.diagnostics import Diagnostic, codes, diagnose
from evallang.models.model import ModelSpec, search_space
from evallang.planning.plan import ExportTask, Layout, Scheme
from evallang.planning.planner import Planned, fit_task, inner_of, rows_of
from evallang.planning.readiness import cannot_split
from evallang.planning.stratifying import strata_of
from evallang.protocols.protocol import Split
from evallang.study import Protocol, Study


def with_exports(study: Study, tables: Mapping[str, Table], planned: Planned) -> Planned:
    """Add what `export` lines need to a plan; nothing where the data are missing."""
    if not study.exports or not tables:
        return planned
    if len(tables) > 1:
        found = diagnose(
            codes.export_of_several_files,
            f"{len(tables)} data sets were read, and an exported model is fitted on one",
            study.exports[0].span,
            help="export from a study of its own, with one data set",
        )
        return replace(planned, diagnostics=(*planned.diagnostics, found))
    table = next(iter(tables.values()))
    protocol = next((p for p in study.protocols if p.implied_by is None), None)
    splits = planned.layout.splits.get((table.spec.name, protocol.name)) if protocol else None
    if protocol is None or not splits:
        return planned
    wanted = {export.model for export in study.exports}
    models = [m for m in study.fitted if None in wanted or m.name in wanted]
    exports: dict[str, ExportTask] = {}
    faults: list[Diagnostic] = []
    for model in models:
        try:
            exports[model.name] = _task(study, table, protocol, splits, model, planned)
        except ValueError as error:
            faults.append(cannot_split(error, study.exports[0].span))
            break
    layout = replace(planned.layout, exports=exports)
    plan = planned.plan
    if plan.n_fits is not None:
        more = sum(
            _most_fits(exports, name) for name in dict.fromkeys(e.model for e in study.exports)
        )
        naive = None if plan.n_fits_naive is None else plan.n_fits_naive + more
        plan = replace(plan, n_fits=plan.n_fits + more, n_fits_naive=naive)
    return replace(planned, plan=plan, layout=layout, diagnostics=(*planned.diagnostics, *faults))


def _most_fits(exports: Mapping[str, ExportTask], model: str | None) -> int:
    """Return how many fits an exported model takes at most, the best one by default."""
    return max((e.task.n_fits for e in exports.values() if model in (None, e.model)), default=0)


def _task(
    study: Study,
    table: Table,
    protocol: Protocol,
    splits: Sequence[Split],
    model: ModelSpec,
    planned: Planned,
) -> ExportTask:
    everything = np.arange(table.n, dtype=np.int64)
    keys = [
        place.key
        for place in planned.layout.places
        if (place.protocol, place.model, place.seed) == (protocol.name, model.name, 0)
    ]
    scheme = _scheme(splits, everything, tuned=bool(search_space(model.pipeline)))
    stages: tuple[tuple[NDArray[np.int64], NDArray[np.int64]], ...] = ()
    if scheme == "searched":
        whole = Split(train=everything, test=everything[:0], repeat=0, fold=-1)
        strata, _ = strata_of(study, table, protocol)
        rows = rows_of(study, table, protocol, strata)
        stages = inner_of(study, table, protocol, rows, whole)
    if scheme == "chosen" and len(splits) > 1:
        keys = [k for k, s in zip(keys, splits, strict=True) if _whole(s, everything)][:1]
    task = fit_task(study, table, model, everything, everything[:0], stages)
    return ExportTask(model.name, protocol.name, scheme, task, tuple(keys))


def _scheme(splits: Sequence[Split], everything: "NDArray[np.int64]", *, tuned: bool) -> Scheme:
    if not tuned:
        return "written"
    if len(splits) == 1 or any(_whole(split, everything) for split in splits):
        return "chosen"
    return "searched"


def _whole(split: Split, everything: "NDArray[np.int64]") -> bool:
    """Return whether a split trains on every row: resubstitution, a bootstrap's full sample."""
    return split.validation is None and np.array_equal(np.sort(split.train), everything)


def export_lines(study: Study, layout: Layout) -> Iterator[str]:
    """State what each `export` line will do, for a reader of the plan."""
    for export in study.exports:
        lead = f"{export.model or 'best'} to {export.path}"
        if not layout.exports:
            yield lead
        elif export.model is not None:
            yield f"{lead}: fitted on all rows, {described(layout.exports[export.model], study)}"
        else:
            most = max(e.task.n_fits for e in layout.exports.values())
            metric = study.measures[0].metric.written
            protocol = next(iter(layout.exports.values())).protocol
            yield (
                f"{lead}: the model best by {metric} under {protocol}, fitted on all rows; at "
                f"most {most:,} {'fit' if most == 1 else 'fits'}, as many as it needs"
            )


def described(export: ExportTask, study: Study) -> str:
    """State how the hyper-parameters of an exported model come about."""
    select = study.tuning.select if study.tuning else "best"
    rule = " by one standard error" if select == "one_standard_error" else ""
    if export.scheme == "written":
        return "its parameters as written"
    if export.scheme == "chosen":
        return "with the hyper-parameters of the one selection that is made"
    return (
        "with hyper-parameters chosen again on them, as inside each training part "
        f"({len(export.task.inner)} inner folds{rule}, {export.task.n_fits:,} fits)"
    )
