"""Results built from a run: its records, the methods it used and its settings."""

import os
import platform
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from fractions import Fraction
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import replace

from evallang.analysis import ABOUT_LINES, ANALYSES, AnalysisDeclaration
from evallang.bibliography import Reference, cite
from evallang.compatibility import metric_entry, own_metric
from evallang.data.characteristics import characteristics
from evallang.data.data_tables import WORKS
from evallang.data.dataset import (
    BattlesSpec,
    Column,
    CountsSpec,
    DataSpec,
    GivenOutcomes,
    PredictionsSpec,
    ScoreTable,
    Table,
)
from evallang.data.findings import counted, listed
from evallang.data.prediction_columns import MARGIN_THRESHOLD, PROBABILITY_THRESHOLD
from evallang.data.read_sources import ReadSources
from evallang.engine.evaluation import names_of
from evallang.limits import machine_memory
from evallang.metrics.metric import MetricDeclaration
from evallang.models.abilities import (
    abilities,
    classes_of,
    column_treatments,
    is_resampler,
    unweighted_steps,
)
from evallang.models.catalogue import bounds
from evallang.models.columns import dropped_columns
from evallang.models.model import (
    Candidates,
    ColumnsSpec,
    ModelSpec,
    PipelineSpec,
    StoredSource,
    is_baseline,
    is_configured,
    search_space,
    written,
)
from evallang.models.thresholds import OwnThreshold, own_thresholds
from evallang.planning.candidates import asks, tried
from evallang.planning.defaults import inner_folds
from evallang.planning.keys import package_versions
from evallang.protocols.protocol import PROTOCOLS
from evallang.registry import Entry
from evallang.reporting.section import SECTIONS
from evallang.results.records import (
    SCHEMA,
    Analysis,
    BestOfMany,
    ColumnRecord,
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
    ProtocolRecord,
    Provenance,
    ReferenceRecord,
    Requirement,
    ResultsRecord,
    SearchRecord,
    Selection,
    SpecRecord,
    StepRecord,
    StoredModelRecord,
    StudyRecord,
    TargetScaleRecord,
    ThresholdRecord,
)
from evallang.results.statistics import HypothesisTestResult
from evallang.results.written import member_of
from evallang.stats.corrections.correction import CORRECTIONS
from evallang.stats.effect_sizes.effect_size import EFFECT_SIZES
from evallang.stats.hypothesis_tests.hypothesis_test import (
    HYPOTHESIS_TESTS,
    HypothesisTestDeclaration,
)
from evallang.stats.intervals.few_groups import effective_n
from evallang.stats.intervals.interval import INTERVALS, IntervalDeclaration
from evallang.study import OptionValue, Study
from evallang.target_scales import SCALES
from evallang.version import VERSION


def thresholds_of(study: Study, name: str) -> tuple[ThresholdRecord, ...]:
    """Return the thresholds of a model: those of its data sets, and one of its own class."""
    found = []
    for source in study.sources:
        stated: dict[str, float] = {}
        if isinstance(source, DataSpec):
            stated = dict(source.thresholds)
        elif isinstance(source, PredictionsSpec):
            stated = {m.name: m.threshold for m in source.models if m.threshold is not None}
        if name in stated:
            found.append(ThresholdRecord("stated", source.name, stated[name]))
    model = next((model for model in study.models if model.name == name), None)
    if model is not None and model.stored is None:
        found += [_own(own) for own in own_thresholds(model.pipeline)]
    return tuple(found)


def _own(own: OwnThreshold) -> ThresholdRecord:
    if own.scoring is not None:
        rest = (own.scoring, own.folds, own.part, own.member)
        return ThresholdRecord("training_part", None, None, *rest)
    if own.searched:
        return ThresholdRecord("search", None, None, member=own.member)
    origin = "default" if own.value is None else "stated"
    return ThresholdRecord(origin, None, own.value, member=own.member)


def column_records(
    source: Table | GivenOutcomes | ScoreTable, models: Sequence[ModelSpec] = ()
) -> tuple[ColumnRecord, ...]:
    """Return every column of a source, in its order, with what each model makes of it."""
    words = _words(source, models) if isinstance(source, Table) else {}
    holds = characteristics(source) if isinstance(source, Table) else {}
    return tuple(
        ColumnRecord(
            column.name,
            column.kind,
            column.role,
            column.levels,
            column.missing,
            column.range,
            words.get(column.name),
            column.role_kind,
            holds.get(column.name, ()),
        )
        for column in source.source_columns
    )


def _words(table: Table, models: Sequence[ModelSpec]) -> dict[str, str]:
    """Return what becomes of each feature, alike models together: `scaled (a, b); ... (c)`.

    A baseline reads no feature and is named only where there is no other model.
    """
    known = {column.name: column.levels for column in table.source_columns}
    blocks = {column.name: column for column in table.columns}

    def levels(name: str) -> int | None:
        if known.get(name) is None and name in blocks and blocks[name].numeric:
            values = table.numeric[:, blocks[name].index]
            known[name] = len(np.unique(values[~np.isnan(values)]))
        return known.get(name)

    reading = [model for model in models if not is_baseline(model)] or models
    each = [
        (model.name, column_treatments(model.pipeline, table.columns, levels)) for model in reading
    ]
    joined: dict[tuple[str, ...], str] = {}
    found = {}
    for column in table.columns:
        ways = tuple(made[column.name] for _, made in each)
        if ways not in joined:
            joined[ways] = _joined([name for name, _ in each], ways)
        found[column.name] = joined[ways]
    return {name: words for name, words in found.items() if words}


def _joined(names: Sequence[str], ways: Sequence[str]) -> str:
    """Combine what several models make of a column into one text."""
    groups: dict[str, list[str]] = {}
    for name, way in zip(names, ways, strict=True):
        groups.setdefault(way, []).append(name)
    if len(groups) < 2:
        return "".join(groups)
    return "; ".join(f"{way} ({', '.join(members)})" for way, members in groups.items())


# --- data and models -------------------------------------------------------------------------


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
    return (*_models(study, read), *_given_models(study, read))


def _table(table: Table, study: Study) -> DataRecord:
    spec = table.spec
    classes = table.classes if table.task == "classification" else None
    scale = None if spec.target_scale is None else SCALES[spec.target_scale]
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
        cite=spec.cite or (WORKS[spec.location] if spec.kind == "sklearn" else None),
        about=spec.about,
        positive_label=spec.positive_label,
        notes=table.notes,
        weight=spec.weight,
        effective_n=None if table.weights is None else effective_n(table.weights),
        columns=column_records(table, study.fitted),
        target_scale=None
        if scale is None
        else TargetScaleRecord(spec.target_scale or "", scale.noun, scale.back),
    )


def _class_counts(y: Any, classes: Sequence[str] | None) -> dict[str, int] | None:
    if classes is None or y is None:
        return None
    return {label: int(np.sum(y == code)) for code, label in enumerate(classes)}


def _outcomes(source: GivenOutcomes) -> DataRecord:
    spec = source.spec
    classes = None if source.task == "regression" else source.classes or None
    return DataRecord(
        name=spec.name,
        label=spec.label,
        statement=spec.statement,
        kind=source.kind,
        task=source.task,
        n=source.n_examples,
        n_features=None,
        target=spec.truth if isinstance(spec, PredictionsSpec) else None,
        classes=classes,
        positive=None if classes is None or source.positive is None else classes[source.positive],
        class_counts=_class_counts(_once(source), classes)
        if source.times is None or classes is None or source.class_counts is None
        else dict(zip(classes, source.class_counts, strict=True)),
        groups=None if source.group_names is None else len(source.group_names),
        unit=spec.unit,
        excluded=tuple(Excluded(clause, n) for clause, n in source.excluded),
        sha256=source.sha256,
        source=source.source,
        cite=spec.cite,
        about=spec.about,
        positive_label=spec.positive_label if isinstance(spec, PredictionsSpec) else None,
        notes=source.notes,
        weight=None if isinstance(spec, CountsSpec) else spec.weight,
        effective_n=None if source.weights is None else effective_n(source.weights),
        columns=column_records(source),
        samples=source.samples,
        clusters={} if source.battles is None else source.battles.sizes,
        subject=spec.subject if isinstance(spec, PredictionsSpec) else "model",
        labelled=(
            int((source.predictions[source.models[0].name][:, 1] >= 0).sum())
            if isinstance(spec, PredictionsSpec) and spec.subject == "judge"
            else None
        ),
    )


def _once(source: GivenOutcomes) -> Any:
    """Return the truth of each example, which is the same in all its repeats."""
    if source.truth is None or source.examples is None:
        return source.truth
    return source.truth[np.unique(source.examples, return_index=True)[1]]


def _stored_model(model: ModelSpec, source: StoredSource, read: ReadSources) -> ModelRecord:
    """Describe a model whose predictions are stored, by the former results where they are read."""
    found = read.stored.get(model.name)
    stored = StoredModelRecord(source.folder, source.model, source.sha256)
    if found is None:
        return ModelRecord(model.name, model.label, None, {}, "stored", stored=stored)
    return ModelRecord(
        model.name,
        model.label,
        found.model.pipeline,
        {},
        "stored",
        found.model.notes,
        baseline=found.model.baseline,
        stored=replace(
            stored, study=found.record.study.title, evallang=found.record.provenance.evallang
        ),
    )


def _models(study: Study, read: ReadSources) -> list[ModelRecord]:
    tables = read.tables
    columns = next((table.columns for table in tables.values()), ())
    weighted = any(table.weights is not None for table in tables.values())
    return [
        _stored_model(model, model.stored, read)
        if model.stored is not None
        else ModelRecord(
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
            baseline=is_baseline(model),
            bounds={
                p.name: ends
                for p in search_space(model.pipeline)
                if (ends := bounds(p.owner, p.parameter, p.candidates.values)) != (None, None)
            },
            configured=is_configured(model),
            resamplers=_resamplers(model.pipeline),
            thresholds=thresholds_of(study, model.name),
            steps=tuple(_steps(model.pipeline)),
        )
        for model in study.models
    ]


def _steps(pipeline: PipelineSpec, columns: str = "") -> Iterator[StepRecord]:
    """Iterate over the steps of a pipeline, and over those of each branch of its columns."""
    for step in pipeline.steps:
        if isinstance(step, ColumnsSpec):
            for branch in step.branches:
                if branch.pipeline is not None:
                    key = branch.key
                    named = key if isinstance(key, str) else listed(key, MOST_DROPPED)
                    yield from _steps(branch.pipeline, named)
        else:
            searched = [n for n, value in step.parameters if isinstance(value, Candidates)]
            fixed = {n: written(value) for n, value in step.parameters if n not in searched}
            yield StepRecord(step.name, fixed, tuple(searched), columns)


def _resamplers(pipeline: PipelineSpec) -> tuple[str, ...]:
    """Return the resamplers of a pipeline, those in models inside it too, each once."""
    return tuple(dict.fromkeys(s.name for s in classes_of(pipeline) if is_resampler(s)))


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
    resampling = _resamplers(pipeline)
    if resampling:
        notes.append(f"only training rows are resampled: {', '.join(resampling)}")
    able = abilities(pipeline)
    if able.seeded:
        notes.append(f"random_state from the study's seed: {', '.join(able.seeded)}")
    if able.parallel:
        notes.append(f"n_jobs is 1: {', '.join(able.parallel)}")
    if weighted and _lacks_weights(pipeline):
        last = member_of(written(pipeline.steps[-1]))
        notes.append(f"its fits ignore the weights: {last} takes none")
    steps = unweighted_steps(pipeline) if weighted else ()
    if steps:
        notes.append(
            f"the weights are given to the last step alone: {', '.join(steps)} "
            "would take them, but every row has weight 1 there"
        )
    return tuple(notes)


def _given_models(study: Study, read: ReadSources) -> list[ModelRecord]:
    found: dict[str, ModelRecord] = {}
    for source in read.imported:
        for model in source.models:
            found.setdefault(
                model.name,
                ModelRecord(
                    model.name,
                    model.label,
                    None,
                    {},
                    source.kind,
                    thresholds=thresholds_of(study, model.name),
                ),
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
        if isinstance(spec, BattlesSpec) and isinstance(source, GivenOutcomes):
            for clause, column in source.recognised.items():
                yield _source_default("battles", spec.name, clause, column)
        if isinstance(spec, CountsSpec | BattlesSpec):
            continue
        if source.positive is not None and spec.positive is None and source.classes:
            yield _source_default("data", spec.name, "positive", source.classes[source.positive])
        if isinstance(source, GivenOutcomes) and source.values is not None:
            continue
        if spec.task is None and (isinstance(source, Table) or source.truth is not None):
            yield _source_default("data", spec.name, "task", source.task)
        if isinstance(spec, PredictionsSpec) and isinstance(source, GivenOutcomes):
            yield from _thresholds(spec.name, source)
        if isinstance(spec, DataSpec) and spec.unit == "examples" and "unit" not in spec.places:
            yield _source_default("data", spec.name, "unit", spec.unit)


def _thresholds(name: str, source: GivenOutcomes) -> Iterator[Default]:
    """State at which score a label is the positive one, of models that give one score only."""
    for model in source.models:
        labelled = model.column is not None or model.score is None or model.threshold is not None
        if labelled or source.task != "classification":
            continue
        probable = model.name in source.probabilities
        value = PROBABILITY_THRESHOLD if probable else MARGIN_THRESHOLD
        clause = f"data {name} threshold {model.name}"
        yield Default(clause, value, "data", "threshold", name, model.name)


def _source_default(statement: str, source: str, clause: str, value: str) -> Default:
    return Default(f"{statement} {source} {clause}", value, "data", clause, source)


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
            unit=_noun_of_scores(table) if n > 1 else "score",
            one_of=spec.unit,
            excluded=tuple(Excluded(clause, n) for clause, n in table.excluded),
            sha256=table.sha256,
            source=table.source,
            cite=spec.cite,
            about=spec.about,
            notes=(*notes, f"no score of {', '.join(lacking)}") if lacking else notes,
            columns=columns,
        )


def _noun_of_scores(table: ScoreTable) -> str:
    """Return what the scores of a model on a data set are of, as far as it is known."""
    if table.seed_labels is not None:
        return "seeds"
    if table.test_train_ratio is None:
        return "scores"
    return "splits" if table.spec.shared_training == "drawn" else "folds"


def _score_defaults(table: ScoreTable) -> Iterator[Default]:
    """State what the author of a table of scores left open."""
    spec = table.spec
    metric = own_metric(spec)
    if spec.metric is None and metric is not None:
        yield _source_default("scores", spec.name, "metric", metric.name)
    if not spec.models:
        yield _source_default(
            "scores", spec.name, "models", ", ".join(m.name for m in table.models)
        )


# --- methods used ----------------------------------------------------------------------------


WORDS = re.compile(r"[\w=.+-]+")
_TEXT = (files("evallang.engine") / "further_methods.toml").read_bytes()
FURTHER = {
    record.name: record
    for record in msgspec.toml.decode(_TEXT, type=dict[str, tuple[MethodRecord, ...]])["methods"]
}
"""Methods that are not members of a catalogue, by their names."""


def methods_used(
    study: Study,
    estimates: Sequence[Estimate],
    comparisons: Sequence[Comparison],
    requirements: Sequence[Requirement],
    data: Sequence[DataRecord],
    exports: Sequence[Export],
    analyses: Sequence[Analysis],
    chosen: Sequence[BestOfMany],
) -> tuple[tuple[MethodRecord, ...], tuple[ReferenceRecord, ...]]:
    """List every method that was used, once, with the works it is taken from."""
    used: dict[tuple[str, str], MethodRecord] = {}
    works: dict[str, Reference] = {}

    def add(
        kind: str,
        entry: Entry[Any],
        name: str | None = None,
        *,
        own_code: bool = False,
        forms: Set[str] = frozenset(),
    ) -> None:
        key = kind, name or entry.name
        if key not in used:
            found = MethodRecord(*key, entry.title, entry.summary, (), own_code=own_code)
            used[key] = _as_declared(found, entry)
        known = used[key].references
        cited = tuple(
            r.key
            for r in entry.references
            if r.key in known or not r.forms or not forms.isdisjoint(r.forms)
        )
        if cited != known:
            used[key] = replace(used[key], references=cited)
            for reference in entry.references:
                if reference.key in cited:
                    works.setdefault(reference.key, reference)

    def take(name: str) -> None:
        """List a method from outside the catalogues."""
        record = FURTHER[name]
        used.setdefault((record.kind, record.name), record)
        for key in reversed(record.references):  # the later work first
            works.setdefault(key, cite(key))

    def add_interval(method: str) -> None:
        name = member_of(method)
        if method in INTERVALS:
            add("interval", INTERVALS[method])
        elif name in INTERVALS or name in of_tests:
            entry = INTERVALS.get(name)
            title = of_tests[name] if entry is None else (
                entry.declaration.of_difference or entry.title)  # fmt: skip
            record = MethodRecord("interval_of_test", name, title, "", ())
            used.setdefault((record.kind, name), record)

    of_tests = {
        name: title
        for entry in HYPOTHESIS_TESTS
        for name, title in entry.declaration.intervals.items()
    }
    for protocol in study.protocols:
        add("protocol", PROTOCOLS[protocol.kind])
    measured = {e.metric for e in estimates} | {c.metric for c in comparisons}
    metrics = [m.metric for m in study.measures]
    metrics += [m for c in study.comparisons for m in c.metrics]
    metrics += [r.metric for r in study.requirements]
    own = [metric for source in study.sources if (metric := own_metric(source)) is not None]
    metrics += [metric for metric in own if metric.written in measured]
    tuning = study.tuning if any(search_space(m.pipeline) for m in study.models) else None
    if tuning is not None:
        metrics.append(tuning.metric)
    several = {"classes"} if any(len(record.classes or ()) > 2 for record in data) else set()
    for metric in metrics:
        forms = {str(value) for _, value in metric.options} | several
        add("metric", metric_entry(metric), metric.written, own_code=metric.code, forms=forms)
        words = metric_entry(metric).declaration.title_with_options
        if words and metric.options:
            key = "metric", metric.written
            title = words.format(**{name: _percent(v) for name, v in metric.options})
            used[key] = replace(used[key], title=title, title_states_options=True)
    for found in estimates:
        if found.interval is not None:
            name = member_of(found.interval.method)
            if name in FURTHER:
                take(name)
            else:
                words_of_method = {*WORDS.findall(found.interval.method)}
                grouped = {"groups"} if found.interval.clusters is not None else set()
                add("interval", INTERVALS[name], forms=words_of_method | grouped | {*found.extra})
    for measure in study.measures:
        if measure.interval is not None:
            add("interval", INTERVALS[measure.interval.name])
    tests = [(t, c.metric) for c in comparisons for t in (c.omnibus, *c.pairwise) if t is not None]
    tests += [(r.test, r.metric) for r in requirements if r.test is not None]
    for test, tested in tests:
        add("test", HYPOTHESIS_TESTS[test.test], forms=_forms_of_test(test, tested))
        if test.estimate is not None:
            add_interval(test.estimate.method)
        for effect in test.effects:
            add("effect", EFFECT_SIZES[effect.name])
    for required in requirements:
        add_interval(member_of(required.method))
    for analysis in analyses:
        asked = analysis.values.get("test")
        add("analysis", ANALYSES[analysis.kind], forms={asked} if isinstance(asked, str) else set())
        if ANALYSES[analysis.kind].declaration.about in ABOUT_LINES and "test" in analysis.values:
            add("test", HYPOTHESIS_TESTS[analysis.values["test"]])
    for compared in comparisons:
        if compared.family.correction is not None:
            add("correction", CORRECTIONS[member_of(compared.family.correction)])
    if chosen or any(export.corrected is not None for export in exports):
        take("bbc_cv")
    if any(record.weight is not None for record in data):
        take("effective_n")
    for source in study.sources:
        if isinstance(source, PredictionsSpec) and source.event is not None:
            take("kaplan_meier")
    if any(one.task == "regression" and one.kind == "table" for one in data):
        take("local_lines")
    if study.looks is not None and requirements:
        take("looks")
    if tuning is not None and tuning.select in FURTHER:
        take(tuning.select)
    if model_based(study):
        take("optuna")
    if any(_resamplers(model.pipeline) for model in study.models):
        take("imbalanced-learn")
    if any(record.kind == "table" for record in data):
        take("scikit-learn")
    take("evallang")
    records = tuple(
        ReferenceRecord(
            r.key, r.authors, r.year, r.title, r.venue, r.volume, r.pages, r.doi, r.kind
        )
        for r in works.values()
    )
    return tuple(used.values()), records


def _forms_of_test(test: HypothesisTestResult, metric: str) -> Set[str]:
    """Return the words that tell the computed form of a test from others of the same name."""
    method = test.estimate.method if test.estimate is not None else ""
    grouped = {"groups"} if test.clusters is not None else set()
    return {*WORDS.findall(f"{test.variant} {method}"), member_of(metric), *test.extra, *grouped}


def _percent(value: OptionValue) -> str:
    """Write a share as a percentage, 90%, and a matrix as the author does."""
    if isinstance(value, tuple | list):
        return written_matrix(value)
    return f"{100 * float(value):g}%" if isinstance(value, float | Fraction) else str(value)


def written_matrix(value: "OptionValue | Sequence[Any]") -> str:
    """Write rows of numbers in brackets: "[[0, 5], [50, 0]]"."""
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(written_matrix, value))}]"
    return f"{float(value):g}" if isinstance(value, float | Fraction) else str(value)


def _as_declared(found: MethodRecord, entry: Entry[Any]) -> MethodRecord:
    """Add what a report needs to know of a method besides its title."""
    match declared := entry.declaration:
        case MetricDeclaration():
            return replace(
                found,
                better=declared.better,
                unit=declared.unit,
                of_examples=declared.of_examples or None,
                averages_classes=entry.option("average") is not None,
                counts_right=declared.counts_right,
                no_interval=declared.no_interval or None,
                of_sums=declared.needs == "sums",
                ideal=declared.ideal,
                matrix_of_classes=declared.matrix_of_classes,
                abbreviation=declared.abbreviation or None,
                low=_bound(declared.low),
                high=_bound(declared.high),
            )
        case HypothesisTestDeclaration():
            asked = declared.estimand.statistic if declared.estimand is not None else ""
            return replace(
                found,
                estimand=asked or None,
                variants=declared.variants,
                quantity=declared.quantity or None,
                over_splits=declared.rests_only_on("fold"),
                assumptions={} if declared.power is None else declared.power.assumptions,
            )
        case AnalysisDeclaration():
            shown = (s.name for s in SECTIONS if entry.name in s.declaration.kinds)
            return replace(found, curve=declared.curve, section=next(shown, None))
        case IntervalDeclaration():
            return replace(
                found,
                of_difference=declared.of_difference or None,
                allows_overlap=declared.allows_overlap,
            )
    return found


def _bound(declared: float | None) -> float | None:
    """Return a bound as it is read back."""
    return None if declared is None else float(declared)


def model_based(study: Study) -> bool:
    """Return whether a model-based search is run."""
    return any(asks(model.pipeline, study.tuning) for model in study.models)


# --- results ---------------------------------------------------------------------------------


def build_results(
    *,
    study: Study,
    read: ReadSources,
    protocols: tuple[ProtocolRecord, ...],
    defaults: tuple[Default, ...],
    estimates: tuple[Estimate, ...],
    comparisons: tuple[Comparison, ...],
    requirements: tuple[Requirement, ...],
    selections: tuple[Selection, ...],
    failures: tuple[Failure, ...],
    warnings: tuple[FitWarning, ...],
    exports: tuple[Export, ...] = (),
    analyses: tuple[Analysis, ...] = (),
    chosen: tuple[BestOfMany, ...] = (),
) -> ResultsRecord:
    """Combine everything; provenance and diagnostics are filled in by the caller."""
    data = data_records(study, read)
    methods, references = methods_used(
        study, estimates, comparisons, requirements, data, exports, analyses, chosen
    )
    defaults = (*defaults, *data_defaults(read))
    files = tuple(FileRecord(file.path, file.sha256) for file in study.files)
    return ResultsRecord(
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
            study.looks,
        ),
        spec=SpecRecord(
            study.path,
            files[0].sha256,
            files,
            study.canonical,
            study.overrides,
            tuple(FileRecord(use.module, use.sha256 or "") for use in study.uses),
            study.stated,
        ),
        data=data,
        models=model_records(study, read),
        protocols=protocols,
        estimates=estimates,
        comparisons=comparisons,
        selections=selections,
        requirements=requirements,
        analyses=analyses,
        exports=exports,
        diagnostics=(),
        failures=failures,
        provenance=provenance(("skops",) if exports else (), study),
        warnings=warnings,
        methods=methods,
        references=references,
        report=study.report,
        search=_search(study),
        best_of_many=chosen,
    )


def _search(study: Study) -> SearchRecord | None:
    """State how candidates were proposed and compared; None where nothing was searched."""
    tuning = study.tuning
    if tuning is None or not any(search_space(model.pipeline) for model in study.models):
        return None
    stated = (protocol for protocol in study.protocols if protocol.implied_by is None)
    protocol = next(stated, None)
    folds = inner_folds(study, protocol) if protocol is not None else tuning.cv
    return SearchRecord(tuning.strategy, folds, tuning.metric.written)


def provenance(more: tuple[str, ...], study: Study) -> Provenance:
    """State versions and machine; fits, command, time and git state are the caller's."""
    packages = ["numpy", "scipy", "scikit-learn", "polars", *more]
    packages += ["optuna"] if model_based(study) else []
    return Provenance(
        evallang=VERSION,
        python=platform.python_version(),
        packages={name: _version(name) for name in packages}
        | {k: v for model in study.models for k, v in package_versions(model.pipeline).items()},
        platform=f"{platform.system()} {platform.release()}",
        processor=platform.machine(),
        cpu=_cpu(),
        cores=os.cpu_count(),
        memory=machine_memory(),
        git=None,
        command="",
        started="",
        seconds=0.0,
        fits=FitCounts(0, 0, 0, 0),
    )


def _cpu() -> str:
    """Return the name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
    except OSError:  # not Linux
        lines = []
    parts = (line.partition(":") for line in lines)
    names = (" ".join(value.split()) for name, _, value in parts if name.strip() == "model name")
    return next(names, platform.processor())


@cache
def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
