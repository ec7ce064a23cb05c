"""What a report needs to know of a study, copied into the results: words, sources, settings."""

import platform
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from evallang.bibliography import (
    AKIBA_2019,
    BERGSTRA_2011,
    EFRON_TIBSHIRANI_1997,
    PEDREGOSA_2011,
    Reference,
)
from evallang.compatibility import metric_entry, own_metric
from evallang.data.dataset import (
    Column,
    CountsSpec,
    DataSpec,
    GivenOutcomes,
    ScoreTable,
    Table,
)
from evallang.engine.score_records import score_defaults, score_records
from evallang.models.abilities import abilities
from evallang.models.columns import dropped_columns
from evallang.models.model import ColumnsSpec, PipelineSpec, search_space, written
from evallang.planning.candidates import asks, tried
from evallang.planning.keys import package_versions
from evallang.planning.planner import Planned
from evallang.protocols.protocol import PROTOCOLS
from evallang.registry import Entry, lazy
from evallang.results.records import (
    SCHEMA,
    WITHOUT_WEIGHTS,
    Analysis,
    Comparison,
    DataRecord,
    Default,
    Estimate,
    Excluded,
    Export,
    Failure,
    FileRecord,
    FitCounts,
    FitWarning,
    MethodRecord,
    ModelRecord,
    Provenance,
    ReferenceRecord,
    Requirement,
    Results,
    Selection,
    SpecRecord,
    StudyRecord,
)
from evallang.stats.analyses.analysis import ANALYSES
from evallang.stats.corrections import CORRECTIONS
from evallang.stats.effect_sizes import EFFECT_SIZES
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.stats.intervals.effective_size import KISH_1965, effective_n
from evallang.stats.intervals.interval import INTERVALS
from evallang.stats.selection_bias import TSAMARDINOS_2018
from evallang.study import Study
from evallang.version import VERSION

if TYPE_CHECKING:
    import numpy as np
else:
    np = lazy("numpy")


BOOTSTRAP_SE = MethodRecord(
    "interval",
    "bootstrap_se",
    "Normal interval with the bootstrap standard error",
    "The estimate plus and minus z standard errors, by the delta method after the bootstrap.",
    (EFRON_TIBSHIRANI_1997.key,),
)
"""No word of the language: it comes with `protocol bootstrap` alone."""


BBC_CV = MethodRecord(
    "estimate",
    "bbc_cv",
    "Bootstrap bias corrected cross-validation",
    "The score of the best model where the choice had no part in it, by drawing examples anew.",
    (TSAMARDINOS_2018.key,),
)
"""No word of the language: it comes with `export best` alone."""
EFFECTIVE_N = MethodRecord(
    "interval",
    "effective_n",
    "Effective number of examples",
    "Weighted examples count as (Σ w)² / Σ w² equally weighted ones.",
    (KISH_1965.key,),
)
"""No word of the language: it comes with `weight COL`."""


OPTUNA = MethodRecord(
    "software",
    "optuna",
    "Optuna",
    "Candidates were proposed by tree-structured Parzen estimators.",
    (BERGSTRA_2011.key, AKIBA_2019.key),
)


def results(
    *,
    study: Study,
    tables: Mapping[str, Table],
    given: Sequence[GivenOutcomes],
    scored: Sequence[ScoreTable],
    planned: Planned,
    estimates: tuple[Estimate, ...],
    comparisons: tuple[Comparison, ...],
    requirements: tuple[Requirement, ...],
    selections: tuple[Selection, ...],
    failures: tuple[Failure, ...],
    warnings: tuple[FitWarning, ...],
    counts: FitCounts,
    exports: tuple[Export, ...] = (),
    analyses: tuple[Analysis, ...] = (),
) -> Results:
    """Put everything together; provenance and diagnostics are filled in by the caller."""
    data = data_records(tables, given, scored)
    methods, references = _methods(
        study, estimates, comparisons, requirements, data, exports, analyses
    )
    defaults = (*planned.plan.defaults, *_data_defaults(tables, given, scored))
    return Results(
        schema=SCHEMA,
        study=StudyRecord(
            study.title,
            study.authors,
            study.question,
            study.about,
            study.seed,
            study.alpha,
            study.confidence,
            study.families,
            defaults,
        ),
        spec=SpecRecord(
            study.path,
            study.files[0].sha256,
            study.files,
            study.canonical,
            study.overrides,
            tuple(FileRecord(use.module, use.sha256 or "") for use in study.uses),
        ),
        data=data,
        models=model_records(study, tables, given, scored),
        protocols=planned.plan.protocols,
        estimates=estimates,
        comparisons=comparisons,
        selections=selections,
        requirements=requirements,
        analyses=analyses,
        exports=exports,
        diagnostics=(),
        failures=failures,
        provenance=provenance(counts, ("skops",) if exports else (), study),
        warnings=warnings,
        methods=methods,
        references=references,
        report=study.report,
    )


def provenance(counts: FitCounts, more: tuple[str, ...], study: Study) -> Provenance:
    """State versions and machine; command, time and git state are the caller's to fill in."""
    packages = ["numpy", "scipy", "scikit-learn", "polars", "joblib", *more]
    packages += ["optuna"] if _asks(study) else []
    return Provenance(
        evallang=VERSION,
        python=platform.python_version(),
        packages={name: _version(name) for name in packages} | _own_versions(study),
        platform=f"{platform.system()} {platform.release()}",
        processor=platform.machine(),
        git=None,
        command="",
        started="",
        seconds=0.0,
        fits=counts,
    )


def _own_versions(study: Study) -> dict[str, str]:
    """Give the versions of the packages that the models' classes come from."""
    return {k: v for model in study.models for k, v in package_versions(model.pipeline).items()}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def _asks(study: Study) -> bool:
    """Tell whether a model-based search is run."""
    return any(asks(model.pipeline, study.tuning) for model in study.models)


# --- data and models -----------------------------------------------------------------------


def data_records(
    tables: Mapping[str, Table],
    given: Sequence[GivenOutcomes],
    scored: Sequence[ScoreTable] = (),
) -> tuple[DataRecord, ...]:
    """Describe everything that was read; also for `plan`."""
    return (
        *(_table(table) for table in tables.values()),
        *(_outcomes(source) for source in given),
        *(record for table in scored for record in score_records(table)),
    )


def model_records(
    study: Study,
    tables: Mapping[str, Table],
    given: Sequence[GivenOutcomes],
    scored: Sequence[ScoreTable] = (),
) -> tuple[ModelRecord, ...]:
    """Describe every model, with what was decided for the author; also for `plan`."""
    return (*_models(study, tables), *_given_models(given, scored))


def _table(table: Table) -> DataRecord:
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
    )


def _once(source: GivenOutcomes) -> Any:
    """Give the truth of each example, which is the same in all its repeats."""
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
        )
        for model in study.models
    ]


def _model_notes(
    pipeline: PipelineSpec, columns: Sequence[Column], weighted: bool
) -> tuple[str, ...]:
    """State what was decided for the author: columns dropped, seeds given, one process."""
    notes = []
    for step in pipeline.steps:
        dropped = dropped_columns(step, columns) if isinstance(step, ColumnsSpec) else ()
        if dropped:
            notes.append(f"columns that no branch names are dropped: {', '.join(dropped)}")
    able = abilities(pipeline)
    if able.seeded:
        notes.append(f"random_state from the study's seed: {', '.join(able.seeded)}")
    if able.parallel:
        notes.append(f"n_jobs is 1: {', '.join(able.parallel)}")
    if weighted and not able.weights and able.known:
        last = written(pipeline.steps[-1]).partition("(")[0]
        notes.append(f"{WITHOUT_WEIGHTS}: {last} takes none")
    return tuple(notes)


def _given_models(
    given: Sequence[GivenOutcomes], scored: Sequence[ScoreTable]
) -> list[ModelRecord]:
    found: dict[str, ModelRecord] = {}
    for source in given:
        for model in source.models:
            found.setdefault(
                model.name, ModelRecord(model.name, model.label, None, {}, source.kind)
            )
    for table in scored:
        for model in table.models:
            found.setdefault(model.name, ModelRecord(model.name, model.label, None, {}, "scores"))
    return list(found.values())


def _data_defaults(
    tables: Mapping[str, Table], given: Sequence[GivenOutcomes], scored: Sequence[ScoreTable]
) -> Iterable[Default]:
    """State what was settled only when the data were read."""
    for table in scored:
        yield from score_defaults(table)
    sources: list[Table | GivenOutcomes] = [*tables.values(), *given]
    for source in sources:
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


# --- methods ---------------------------------------------------------------------------


def _methods(
    study: Study,
    estimates: Sequence[Estimate],
    comparisons: Sequence[Comparison],
    requirements: Sequence[Requirement],
    data: Sequence[DataRecord],
    exports: Sequence[Export],
    analyses: Sequence[Analysis],
) -> tuple[tuple[MethodRecord, ...], tuple[ReferenceRecord, ...]]:
    """List every method that was used, once, with the works it is taken from."""
    used: dict[tuple[str, str], MethodRecord] = {}
    works: dict[str, Reference] = {}

    def add(kind: str, entry: Entry[Any], name: str | None = None) -> None:
        declared = entry.declaration
        metric = kind == "metric"
        used.setdefault(
            (kind, name or entry.name),
            MethodRecord(
                kind,
                name or entry.name,
                entry.title,
                entry.summary,
                tuple(r.key for r in entry.references),
                declared.better if metric else None,
                declared.unit if metric else None,
            ),
        )
        for reference in entry.references:
            works.setdefault(reference.key, reference)

    for protocol in study.protocols:
        add("protocol", PROTOCOLS[protocol.kind])
    measured = {e.metric for e in estimates} | {c.metric for c in comparisons}
    metrics = [m.metric for m in study.measures]
    metrics += [m for c in study.comparisons for m in c.metrics]
    metrics += [r.metric for r in study.requirements]
    own = [metric for source in study.sources if (metric := own_metric(source)) is not None]
    metrics += [metric for metric in own if metric.written in measured]
    if study.tuning is not None and any(search_space(m.pipeline) for m in study.models):
        metrics.append(study.tuning.metric)
    for metric in metrics:
        add("metric", metric_entry(metric), metric.written)
    for found in estimates:
        if found.interval is not None:
            name = found.interval.method.partition("(")[0]
            if name == BOOTSTRAP_SE.name:
                used.setdefault(("interval", name), BOOTSTRAP_SE)
                works.setdefault(EFRON_TIBSHIRANI_1997.key, EFRON_TIBSHIRANI_1997)
            else:
                add("interval", INTERVALS[name])
    for measure in study.measures:
        if measure.interval is not None:
            add("interval", INTERVALS[measure.interval.name])
    tests = [t for c in comparisons for t in (c.omnibus, *c.pairwise) if t is not None]
    tests += [r.test for r in requirements if r.test is not None]
    for test in tests:
        add("test", HYPOTHESIS_TESTS[test.test])
        if test.estimate is not None and test.estimate.method in INTERVALS:
            add("interval", INTERVALS[test.estimate.method])
        for effect in test.effects:
            add("effect", EFFECT_SIZES[effect.name])
    for required in requirements:
        if (name := required.method.partition("(")[0]) in INTERVALS:
            add("interval", INTERVALS[name])
    for analysis in analyses:
        add("analysis", ANALYSES[analysis.kind])
        add("test", HYPOTHESIS_TESTS[analysis.values["test"]])
    for compared in comparisons:
        if compared.family.correction is not None:
            add("correction", CORRECTIONS[compared.family.correction.split("(")[0]])
    if any(export.corrected is not None for export in exports):
        used["estimate", BBC_CV.name] = BBC_CV
        works.setdefault(TSAMARDINOS_2018.key, TSAMARDINOS_2018)
    if any(record.weight is not None for record in data):
        used["interval", EFFECTIVE_N.name] = EFFECTIVE_N
        works.setdefault(KISH_1965.key, KISH_1965)
    if _asks(study):
        used["software", "optuna"] = OPTUNA
        for work in (AKIBA_2019, BERGSTRA_2011):
            works.setdefault(work.key, work)
    if any(record.kind == "table" for record in data):
        used["software", "scikit-learn"] = MethodRecord(
            "software",
            "scikit-learn",
            "scikit-learn",
            "Models were fitted with scikit-learn.",
            (PEDREGOSA_2011.key,),
        )
        works.setdefault(PEDREGOSA_2011.key, PEDREGOSA_2011)
    records = tuple(
        ReferenceRecord(
            r.key, r.authors, r.year, r.title, r.venue, r.volume, r.pages, r.doi, r.kind
        )
        for r in works.values()
    )
    return tuple(used.values()), records
