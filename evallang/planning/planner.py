"""From a study and its tables to a plan: splits, unique fits, and the graph between them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from evallang.analysis import ANALYSES
from evallang.data.dataset import DataSpec, Table
from evallang.data.findings import name_data_set
from evallang.data.read_sources import ReadSources
from evallang.diagnostics import Diagnostic, codes, diagnose, has_errors
from evallang.hypotheses import Families, as_read, families_of
from evallang.installation import install_extras
from evallang.limits import FITS, OverLimit
from evallang.models.abilities import abilities
from evallang.models.model import is_baseline, search_space
from evallang.planning.candidates import asks
from evallang.planning.defaults import inner_folds, stated_defaults
from evallang.planning.expected import (
    PerModel,
    fits_of_a_split,
    fits_without_data,
    models_on,
    unique_without_data,
)
from evallang.planning.exports import fits_of_exports, plan_exports
from evallang.planning.fit_tasks import NoStageError, fit_task, inner_of, rows_of
from evallang.planning.keys import installed
from evallang.planning.nodes import FIT, At, Graph
from evallang.planning.plan import ExportTask, FitTask, Layout, Place, Plan, SubsetPlace
from evallang.planning.readiness import cannot_split, readiness
from evallang.planning.seeds import folds_hash
from evallang.planning.stored import stored_outcomes
from evallang.planning.stratifying import RowStrata, described, shares_kept, strata_of
from evallang.protocols.protocol import (
    PROTOCOLS,
    CannotSplit,
    ProtocolDeclaration,
    Rows,
    Split,
    written,
)
from evallang.results.records import (
    INNER_BLOCKS,
    INNER_FOLDS,
    INNER_PERIODS,
    VALIDATION_PART,
    ProtocolRecord,
)
from evallang.results.written import statement_of
from evallang.stats.hypothesis_tests.hypothesis_test import HYPOTHESIS_TESTS
from evallang.study import Protocol, Study


class Planned(Struct, frozen=True):
    """What planning gives: the document, the arrays behind it, and what was wrong.

    `families` are the hypotheses of the study on the data sets that were found, and `graph` is
    what a run computes, here its fits alone.
    """

    plan: Plan
    layout: Layout
    diagnostics: tuple[Diagnostic, ...]
    families: Families
    graph: Graph = field(default_factory=Graph)

    @property
    def fits(self) -> dict[str, FitTask]:
        """The unique fits by their keys."""
        return {key: node.given["task"] for key, node in self.graph.of_kind(FIT).items()}


def plan(
    study: Study,
    read: ReadSources,
) -> Planned:
    """Plan a study; tables that are missing leave their numbers None.

    Every split is made here, from seeds of the study, so that a plan is the same wherever
    and however often it is made.
    """
    splits: dict[tuple[str, str], tuple[Split, ...]] = {}
    tasks: dict[str, FitTask] = {}
    places: list[Place] = []
    subsets: list[SubsetPlace] = []
    found: list[Diagnostic] = []
    notes: dict[str, list[str]] = {}
    tables = read.tables
    sources = [s for s in study.sources if isinstance(s, DataSpec)]
    complete = {source.name for source in sources} <= {statement_of(name) for name in tables}
    if tables and any(asks(m.pipeline, study.tuning) for m in study.models):
        found += _report_missing_optuna(study)
    for table in tables.values():
        name, own, several = table.spec.name, table.spec.places, len(tables) > 1
        found += name_data_set(readiness(study, table), name, own, several=several)
        for protocol in study.protocols:
            strata, said = strata_of(study, table, protocol)
            found += name_data_set(said, name, own, several=several)
            if has_errors(said):
                continue
            rows = rows_of(study, table, protocol, strata)
            inside = False
            try:
                made = tuple(PROTOCOLS[protocol.kind].function(rows, **protocol.options))
                _classes_to_learn(table, protocol, made)
                inside = True
                _plan_fits(study, table, protocol, rows, made, tasks, places)
            except ValueError as error:
                place = protocol.span or table.spec.places.get("data")
                unasked = isinstance(error, NoStageError)
                option = _inner_option(study) if inside and not unasked else None
                refused = cannot_split(error, place, study.path, inner=option)
                found += name_data_set([refused], name, own, several=several)
                continue
            splits[table.spec.name, protocol.name] = made
            refused_parts = _plan_further(study, table, (protocol, rows, made), tasks, subsets)
            found += name_data_set(refused_parts, name, own, several=several)
            kept = _declared(protocol).keeps_strata
            how = shares_kept(rows, made) if kept else None
            merged = strata.outside.notes if strata.outside and kept else ()
            words = [*merged, *([how] if how else [])]
            where = f"{name}: " if several else ""
            notes.setdefault(protocol.name, []).extend(where + word for word in words)
        if not has_errors(found):
            refused_rounds = _plan_further(study, table, None, tasks, subsets)
            found += name_data_set(refused_rounds, name, own, several=several)
    exports: dict[str, ExportTask] = {}
    if study.exports and tables:
        exports, faults = plan_exports(study, tables, splits, places)
        found += faults
    layout = Layout(splits, tuple(places), exports, subsets=tuple(subsets))
    graph = _graph_of_fits(tasks, layout)
    by_text = None if tables or not sources else fits_without_data(study)
    records = tuple(
        _record(study, p, layout, tasks, notes.get(p.name, ()), by_text) for p in study.protocols
    )
    stored, unusable = stored_outcomes(study, read, layout, records)
    layout = replace(layout, stored=stored)
    found += unusable
    sound = not has_errors(found)
    known = complete and sound
    of_exports = fits_of_exports(study, exports)
    unique: int | None = None
    if known:
        unique = sum(task.n_fits for task in tasks.values()) + of_exports
    families = families_of(as_read(study, read.specs))
    naive = None
    if known:
        per_model = Counter[tuple[str, str, str]]()
        for one in layout.places:
            per_model[one.data, one.protocol, one.model] += tasks[one.key].n_fits
        naive = _naive(study, families, per_model)
        naive += sum(tasks[place.key].n_fits for place in subsets) + of_exports
    if by_text is not None and sound:
        unique, naive = unique_without_data(study, by_text), _naive(study, families, by_text)
    document = Plan(
        n_fits=unique,
        n_fits_naive=naive if unique is not None else None,
        n_cached=None,
        seconds=None,
        protocols=records,
        defaults=stated_defaults(study, families, read) if sound else study.defaults,
        tasks=(),
        notes=()
        if complete
        else ("the data could not be read; the plan has only what does not depend on them",),
    )
    return Planned(document, layout, tuple(found), families, graph)


def _graph_of_fits(tasks: Mapping[str, FitTask], layout: Layout) -> Graph:
    """Return the fits in their order, each at the first place where its outcome is used."""
    first: dict[str, Place | SubsetPlace] = {}
    for place in layout.uses:
        first.setdefault(place.key, place)
    graph = Graph()
    for key, task in tasks.items():
        if key in first:
            use = first[key]
            at = At(use.data, use.protocol, use.model, use.split.repeat, use.split.fold)
            graph.add(FIT, {}, {"task": task}, key=key, at=at, n_fits=task.n_fits)
    return graph


def _classes_to_learn(table: Table, protocol: Protocol, made: Sequence[Split]) -> None:
    """Refuse splits that leave rows of one class to learn from; a bootstrap draws again."""
    if table.task != "classification" or _declared(protocol).division == "resampled":
        return
    learnt = ((split, table.y[split.train]) for split in made)
    alone = [split for split, y in learnt if len(y) and (y == y[0]).all()]
    if alone:
        label = table.classes[int(table.y[alone[0].train[0]])]
        parts = "the training part has" if len(made) == 1 else (
            f"{len(alone):,} of {len(made):,} training parts {'has' if len(alone) == 1 else 'have'}"
        )  # fmt: skip
        raise CannotSplit(
            f"{parts} rows of one class alone, such as `{label}`",
            _declared(protocol).one_class_fix,
        )


def _declared(protocol: Protocol) -> ProtocolDeclaration:
    return PROTOCOLS[protocol.kind].declaration


def _inner_option(study: Study) -> str:
    """Return the option that gives the number of folds inside a training part."""
    return "cv" if study.tuning is not None and study.tuning.cv else "inner"


def _report_missing_optuna(study: Study) -> Iterator[Diagnostic]:
    if installed("optuna") == "none":
        yield diagnose(
            codes.needs_optuna,
            "`tune bayes` needs the package Optuna, which is not installed",
            study.tuning.span if study.tuning else None,
            path=study.path,
            help=f"run `{install_extras('bayes')}`, or write `tune random N`",
        )


def _plan_fits(
    study: Study,
    table: Table,
    protocol: Protocol,
    rows: Rows,
    splits: Sequence[Split],
    tasks: dict[str, FitTask],
    places: list[Place],
) -> None:
    models = models_on(study, protocol)
    each = fits_of_a_split(study, protocol)
    FITS.check(f"the models on `{table.spec.name}`", len(splits) * sum(each.values()))
    for split in splits:
        inner = inner_of(study, protocol, rows, split)
        refit = split.train
        if split.validation is not None:
            refit = np.sort(np.concatenate([split.train, split.validation]))
        for model in models:
            # a pipeline that draws nothing is fitted once, whatever the number of seeds
            able = abilities(model.pipeline)
            draws = bool(able.seeded) or not able.known
            for number in range(protocol.seeds):
                repetition = number if draws else 0
                task = fit_task(study, table, model, refit, split.test, inner, repetition)
                tasks.setdefault(task.key, task)
                at = (table.spec.name, protocol.name, model.name, split, task.key, number)
                places.append(Place(*at))


def _plan_further(
    study: Study,
    table: Table,
    of_protocol: tuple[Protocol, Rows, Sequence[Split]] | None,
    tasks: dict[str, FitTask],
    places: list[SubsetPlace],
) -> list[Diagnostic]:
    """Plan the further fits of analyses: those of a protocol, or without one those of the rows.

    Models are tuned inside each part. A part that is the whole training part is the fit that the
    protocol has already. Returns why parts cannot be drawn or divided.
    """
    refused: list[Diagnostic] = []
    for index, spec in enumerate(study.analyses):
        fits = ANALYSES[spec.method.name].declaration.fits
        if fits is None or (fits.protocol is None) is (of_protocol is None):
            continue
        if of_protocol is not None:
            protocol, rows, splits = of_protocol
            if protocol.implied_by is not None or spec.protocol not in (None, protocol.name):
                continue
        else:
            assert fits.protocol is not None, "it draws rows of the data"
            protocol, splits = fits.protocol(study, spec), ()
            rows = rows_of(study, table, protocol, RowStrata(None))
        models = [
            model
            for model in models_on(study, protocol)
            if (model.name in spec.models if spec.models else not is_baseline(model))
        ]
        inside = False
        try:
            drawn = fits.draw(study, table, protocol, rows, splits, spec)
            inside = True
            FITS.check(f"`{spec.method.written}`", len(drawn) * len(models))
            for subset in drawn:
                split = subset.split
                refit = split.train
                if split.validation is not None:
                    refit = np.sort(np.concatenate([split.train, split.validation]))
                inner = inner_of(study, protocol, subset.rows or rows, split)
                for model in models:
                    task = fit_task(
                        study, table, model, refit, split.test, inner, target_of=subset.target_of
                    )
                    known = tasks.get(task.key, task)
                    tasks[task.key] = replace(known, training=known.training or fits.training)
                    at = (table.spec.name, protocol.name, model.name, split)
                    places.append(SubsetPlace(index, *at, subset.times, subset.size, task.key))
        except ValueError as error:
            unasked = not inside or isinstance(error, OverLimit)
            refused.append(
                cannot_split(
                    error,
                    spec.span,
                    study.path,
                    inner=None if unasked else _inner_option(study),
                    part=fits.part,
                    of_part=None if fits.size is None else fits.size(spec),
                )
            )
    return refused


# --- the document ------------------------------------------------------------------------


def _record(
    study: Study,
    protocol: Protocol,
    layout: Layout,
    tasks: Mapping[str, FitTask],
    notes: Sequence[str],
    by_text: PerModel | None,
) -> ProtocolRecord:
    entry = PROTOCOLS[protocol.kind]
    splits = {data: s for (data, name), s in layout.splits.items() if name == protocol.name}
    fits = {p.key for p in layout.places if p.protocol == protocol.name}
    n_fits: int | None = sum(tasks[key].n_fits for key in fits) if splits else None
    if by_text is not None:
        alone = {at: n for at, n in by_text.items() if at[1] == protocol.name}
        n_fits = unique_without_data(study, alone, (protocol,))
    options: dict[str, Any] = {k: v for k, v in protocol.options.items() if v is not None}
    if protocol.by is not None:
        options["by"] = protocol.by
    if protocol.seeds > 1:
        options["seeds"] = protocol.seeds
    strata = described(study.stratification) if entry.declaration.keeps_strata else None
    tuned_on = _tuned_on(study, protocol, layout)
    inside = tuned_on not in (None, VALIDATION_PART)
    return ProtocolRecord(
        name=protocol.name,
        kind=protocol.kind,
        options=options,
        stratify=strata,
        group=study.group,
        implied_by=protocol.implied_by,
        interval_of=protocol.interval_of,
        n_splits=len(next(iter(splits.values())))
        if splits
        else entry.declaration.n_splits(protocol.options),
        n_fits=n_fits,
        summary=_describe(entry.declaration.describe(protocol.options), strata)
        + ("" if protocol.seeds == 1 else f", with {protocol.seeds} seeds per fit"),
        folds_sha256=folds_hash(splits) if splits else None,
        notes=tuple(dict.fromkeys(notes)),
        written=""
        if protocol.interval_of is not None
        else written(
            protocol.kind,
            protocol.options,
            by=protocol.by,
            path=protocol.path,
            seeds=protocol.seeds,
        ),
        tuned_on=tuned_on,
        inner_folds=inner_folds(study, protocol) if inside else None,
        short=entry.declaration.short.format_map(dict(protocol.options)),
        shuffled=entry.declaration.division == "shuffled",
        shared_training=entry.declaration.shared_training,
        option_words=entry.declaration.option_words,
        tests_on_training_rows=entry.declaration.tests_on_training_rows(protocol.options),
    )


def _tuned_on(study: Study, protocol: Protocol, layout: Layout) -> str | None:
    """Return where candidates of a search are compared under a protocol."""
    found = [s for (_, name), made in layout.splits.items() if name == protocol.name for s in made]
    if not found or not any(search_space(model.pipeline) for model in study.models):
        return None
    if any(split.validation is not None for split in found):
        return VALIDATION_PART
    return {"past": INNER_PERIODS, "around": INNER_BLOCKS}.get(
        _declared(protocol).training, INNER_FOLDS
    )


def _describe(text: str, strata: str | None) -> str:
    if strata is None:
        return text
    names = " and ".join(strata.rsplit(", ", 1))
    return f"stratified {text}" if strata == "target" else f"{text}, stratified by {names}"


def _naive(study: Study, families: Families, per_model: PerModel) -> int:
    """Count the fits of a run in which every test on fold scores fits its own pairs.

    The fits of an interval belong to no test and are counted as they are.
    """
    implied = {p.name for p in study.protocols if p.implied_by and p.interval_of is None}
    total = sum(n for (_, protocol, _), n in per_model.items() if protocol not in implied)
    for comparison in study.comparisons:
        tests = [test for test in (comparison.test, comparison.post_hoc) if test]
        declared = (HYPOTHESIS_TESTS[test.name].declaration for test in tests)
        if not any(one.rests_only_on("fold") for one in declared):
            continue
        for planned in families.planned[comparison.index]:
            total += sum(
                per_model.get((source, comparison.protocol or "", model), 0)
                for source in planned.sources
                for pair in planned.pairs
                for model in pair
            )
    return total
