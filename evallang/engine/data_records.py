"""What was read and which models there are, as records: for results and for `plan`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evallang.compatibility import own_metric
from evallang.data.dataset import (
    Column,
    CountsSpec,
    DataSpec,
    GivenOutcomes,
    ScoreTable,
    Table,
)
from evallang.data.findings import counted, listed
from evallang.data.read_sources import ReadSources
from evallang.engine.column_records import column_records
from evallang.engine.imported import names_of
from evallang.models.abilities import abilities, unweighted_steps
from evallang.models.columns import dropped_columns
from evallang.models.model import ColumnsSpec, PipelineSpec, search_space, written
from evallang.planning.candidates import tried
from evallang.registry import lazy
from evallang.results.records import (
    DataRecord,
    Default,
    Excluded,
    ModelRecord,
)
from evallang.stats.intervals.effective_size import effective_n
from evallang.study import Study

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy("numpy")


MOST_DROPPED = 10  # columns that a note names; all of them stand among the columns of the data


def data_records(
    study: Study,
    read: ReadSources,
) -> tuple[DataRecord, ...]:
    """Describe everything that was read; also for `plan`."""
    return (
        *(_table(table, study) for table in read.tables.values()),
        *(_outcomes(source) for source in read.imported),
        *(record for table in read.score_tables for record in _score_records(table)),
    )


def model_records(
    study: Study,
    read: ReadSources,
) -> tuple[ModelRecord, ...]:
    """Describe every model, with what was decided for the author; also for `plan`."""
    return (*_models(study, read.tables), *_given_models(read))


def _table(table: Table, study: Study) -> DataRecord:
    spec = table.spec
    classes = table.classes if table.task == "classification" else None
    return DataRecord(
        name=spec.name,
        label=spec.label,
        statement=spec.statement,
        kind="table",
        task=table.task,
        n=table.n,
        n_features=len(table.columns),
        target=table.target,
        classes=classes,
        positive=None if table.positive is None else table.classes[table.positive],
        class_counts=_class_counts(table.y, classes),
        groups=None if table.group_codes is None else len(np.unique(table.group_codes)),
        unit=spec.unit,
        excluded=tuple(Excluded(clause, n) for clause, n in table.excluded),
        sha256=table.sha256,
        source=table.source,
        cite=spec.cite,
        about=spec.about,
        positive_label=spec.positive_label,
        notes=table.notes,
        weight=spec.weight,
        effective_n=None if table.weights is None else effective_n(table.weights),
        columns=column_records(table, study.models),
    )


def _class_counts(y: Any, classes: Sequence[str] | None) -> dict[str, int] | None:
    if classes is None:
        return None
    return {label: int(np.sum(y == code)) for code, label in enumerate(classes)}


def _outcomes(source: GivenOutcomes) -> DataRecord:
    spec = source.spec
    judged = source.truth is None
    classes = None if judged or source.task == "regression" else source.classes
    return DataRecord(
        name=spec.name,
        label=spec.label,
        statement=spec.statement,
        kind=source.kind,
        task=source.task,
        n=source.n_examples,
        n_features=None,
        target=None if isinstance(spec, CountsSpec) else spec.truth,
        classes=classes,
        positive=None if classes is None or source.positive is None else classes[source.positive],
        class_counts=_class_counts(_once(source), classes),
        groups=None if source.group_codes is None else len(np.unique(source.group_codes)),
        unit=spec.unit,
        excluded=tuple(Excluded(clause, n) for clause, n in source.excluded),
        sha256=source.sha256,
        source=source.source,
        cite=spec.cite,
        about=spec.about,
        positive_label=None if isinstance(spec, CountsSpec) else spec.positive_label,
        notes=source.notes,
        weight=None if isinstance(spec, CountsSpec) else spec.weight,
        effective_n=None if source.weights is None else effective_n(source.weights),
        columns=column_records(source),
        samples=source.samples,
    )


def _once(source: GivenOutcomes) -> Any:
    """Return the truth of each example, which is the same in all its repeats."""
    if source.truth is None or source.examples is None:
        return source.truth
    return source.truth[np.unique(source.examples, return_index=True)[1]]


def _models(study: Study, tables: Mapping[str, Table]) -> list[ModelRecord]:
    columns = next((table.columns for table in tables.values()), ())
    weighted = any(table.weights is not None for table in tables.values())
    return [
        ModelRecord(
            model.name,
            model.label,
            written(model.pipeline),
            {
                p.name: tuple(
                    v if v is None or isinstance(v, bool | int | float | str) else written(v)
                    for v in p.candidates.values or (p.candidates.written,)
                )
                for p in search_space(model.pipeline)
            },
            "estimator",
            _model_notes(model.pipeline, columns, weighted),
            tried(model.pipeline, study.tuning) if search_space(model.pipeline) else None,
            unweighted_steps(model.pipeline) if weighted else (),
            takes_weights=not (weighted and _lacks_weights(model.pipeline)),
        )
        for model in study.models
    ]


def _lacks_weights(pipeline: PipelineSpec) -> bool:
    """Return whether the last step is known not to accept weights of rows."""
    able = abilities(pipeline)
    return able.known and not able.weights


def _model_notes(
    pipeline: PipelineSpec, columns: Sequence[Column], weighted: bool
) -> tuple[str, ...]:
    """State what was decided for the author: columns dropped, seeds given, one process."""
    notes = []
    for step in pipeline.steps:
        dropped = dropped_columns(step, columns) if isinstance(step, ColumnsSpec) else ()
        if dropped:
            shown = listed(dropped, MOST_DROPPED)
            notes.append(
                f"{counted(len(dropped), 'column')} that no key of columns(...) names "
                f"{'is' if len(dropped) == 1 else 'are'} dropped: {shown}"
            )
    able = abilities(pipeline)
    if able.seeded:
        notes.append(f"random_state from the study's seed: {', '.join(able.seeded)}")
    if able.parallel:
        notes.append(f"n_jobs is 1: {', '.join(able.parallel)}")
    if weighted and _lacks_weights(pipeline):
        last = written(pipeline.steps[-1]).partition("(")[0]
        notes.append(f"the weights have no part in its fits: {last} takes none")
    steps = unweighted_steps(pipeline) if weighted else ()
    if steps:
        notes.append(
            f"the weights are given to the last step alone: {', '.join(steps)} "
            "would take them, but every row has weight 1 there"
        )
    return tuple(notes)


def _given_models(read: ReadSources) -> list[ModelRecord]:
    found: dict[str, ModelRecord] = {}
    for source in read.imported:
        for model in source.models:
            found.setdefault(
                model.name, ModelRecord(model.name, model.label, None, {}, source.kind)
            )
    for table in read.score_tables:
        for model in table.models:
            found.setdefault(model.name, ModelRecord(model.name, model.label, None, {}, "scores"))
    return list(found.values())


def data_defaults(read: ReadSources) -> Iterable[Default]:
    """State what was settled only when the data were read."""
    for table in read.score_tables:
        yield from _score_defaults(table)
    for source in read.with_examples:
        spec = source.spec
        if isinstance(spec, CountsSpec):
            continue
        if source.positive is not None and spec.positive is None and source.classes:
            yield Default(f"data {spec.name} positive", source.classes[source.positive])
        if isinstance(source, GivenOutcomes) and source.values is not None:
            if not {"higher", "lower"} & set(spec.places):
                yield Default(f"predictions {spec.name} better", "higher")
            continue
        if spec.task is None and (isinstance(source, Table) or source.truth is not None):
            yield Default(f"data {spec.name} task", source.task)
        if isinstance(spec, DataSpec) and spec.unit == "examples" and "unit" not in spec.places:
            yield Default(f"data {spec.name} unit", spec.unit)


# --- tables of scores -------------------------------------------------------------------------


def _score_records(table: ScoreTable) -> Iterator[DataRecord]:
    """Describe each data set of a table; its `n` is the number of scores a model has there."""
    spec = table.spec
    n = 1 if table.values.ndim == 2 else int(table.values.shape[2])
    columns = column_records(table)
    for row in range(table.n):
        name, label = names_of(table, row)
        lacking = [m.name for m, gone in zip(table.models, table.missing[row], strict=True) if gone]
        notes = table.notes if row == 0 else ()
        yield DataRecord(
            name=name,
            label=label,
            statement=spec.statement,
            kind="scores",
            task="scores",
            n=n,
            n_features=None,
            target=None,
            classes=None,
            positive=None,
            class_counts=None,
            groups=None,
            unit="scores" if n > 1 else "score",
            excluded=(),
            sha256=table.sha256,
            source=table.source,
            cite=spec.cite,
            about=spec.about,
            notes=(*notes, f"no score of {', '.join(lacking)}") if lacking else notes,
            columns=columns,
        )


def _score_defaults(table: ScoreTable) -> Iterator[Default]:
    """State what the author of a table of scores left open."""
    spec = table.spec
    metric = own_metric(spec)
    if spec.metric is None and metric is not None:
        yield Default(f"scores {spec.name} metric", metric.name)
    if "higher" not in spec.places and "lower" not in spec.places:
        yield Default(f"scores {spec.name} better", "higher")
    if not spec.models:
        yield Default(f"scores {spec.name} models", ", ".join(m.name for m in table.models))
