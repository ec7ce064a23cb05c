"""Which models are fitted on all rows for `export`, and how their parameters are chosen.

Raschka 2018, 3.7: once a model is evaluated, it is fitted on all data with the
hyper-parameters that were selected. Where one selection was made, it is that one; where
every outer fold made its own, what was evaluated is the way of choosing, and it is gone
once more, on all rows.
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from evallang.data.dataset import Table
from evallang.diagnostics import Diagnostic, codes, diagnose
from evallang.models.model import ModelSpec, search_space
from evallang.planning.fit_tasks import fit_task, inner_of, rows_of
from evallang.planning.plan import ExportTask, Layout, Place, Scheme
from evallang.planning.readiness import cannot_split
from evallang.planning.stratifying import strata_of
from evallang.protocols.protocol import Split
from evallang.study import Protocol, Study


def plan_exports(
    study: Study,
    tables: Mapping[str, Table],
    splits: Mapping[tuple[str, str], tuple[Split, ...]],
    places: Sequence[Place],
) -> tuple[dict[str, ExportTask], list[Diagnostic]]:
    """Plan the models that `export` lines may need, by name; also what is wrong with them."""
    if len(tables) > 1:
        found = diagnose(
            codes.export_of_several_files,
            f"{len(tables)} data sets were read, and an exported model is fitted on one",
            study.exports[0].span,
            help="export from a study of its own, with one data set",
        )
        return {}, [found]
    table = next(iter(tables.values()))
    protocol = next((p for p in study.protocols if p.implied_by is None), None)
    made = splits.get((table.spec.name, protocol.name)) if protocol else None
    if protocol is None or not made:
        return {}, []
    wanted = {export.model for export in study.exports}
    exports: dict[str, ExportTask] = {}
    for model in study.fitted:
        if None in wanted or model.name in wanted:
            try:
                exports[model.name] = _task(study, table, protocol, made, model, places)
            except ValueError as error:
                return exports, [cannot_split(error, study.exports[0].span)]
    return exports, []


def fits_of_exports(study: Study, exports: Mapping[str, ExportTask]) -> int:
    """Return how many fits exported models take at most, each once."""
    each = {
        line.model: [e.task.n_fits for e in exports.values() if line.model in (None, e.model)]
        for line in study.exports
    }
    return sum(max(fits, default=0) for fits in each.values())


def _task(
    study: Study,
    table: Table,
    protocol: Protocol,
    splits: Sequence[Split],
    model: ModelSpec,
    places: Sequence[Place],
) -> ExportTask:
    everything = np.arange(table.n, dtype=np.int64)
    keys = [
        place.key
        for place in places
        if (place.protocol, place.model, place.seed) == (protocol.name, model.name, 0)
    ]
    scheme = _scheme(splits, everything, tuned=bool(search_space(model.pipeline)))
    stages: tuple[tuple[NDArray[np.int64], NDArray[np.int64]], ...] = ()
    if scheme == "searched":
        whole = Split(train=everything, test=everything[:0], repeat=0, fold=-1)
        strata, _ = strata_of(study, table, protocol)
        rows = rows_of(study, table, protocol, strata)
        stages = inner_of(study, protocol, rows, whole)
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
