"""From the outcomes of fits to `Results`: evaluations, estimates, comparisons, how it was made."""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from evallang.activity import Activity, report_activity
from evallang.data.dataset import ScoreTable, Table
from evallang.data.read_sources import ReadSources
from evallang.diagnostics import Diagnostic
from evallang.engine.across import grid_of, grid_of_table, missing_policy
from evallang.engine.analyses import Found, analyses_of
from evallang.engine.backends.workers import Workers
from evallang.engine.best_of_many import best_of_many
from evallang.engine.build_results import build_results
from evallang.engine.comparisons import Across, ComparisonContext, OneSource, compare
from evallang.engine.estimates import estimates, subgroup_estimates
from evallang.engine.evaluation import (
    Evaluation,
    FittedFold,
    FoldSize,
    ModelOutcome,
    evaluation_of_outcomes,
    evaluations_of_scores,
)
from evallang.engine.exporting import Exported, export_models, plain
from evallang.engine.fit_outcome import FitOutcome
from evallang.engine.fits import Fits
from evallang.engine.requirements import decide
from evallang.engine.run_diagnostics import (
    dependent_losses,
    diagnostics_of,
    failures_of_metrics,
    features_as_good_as_models,
    folds_that_disagree,
    models_without_skill,
    never_predicted,
    searches_that_gained_nothing,
)
from evallang.hypotheses import PlannedComparison
from evallang.models.own_code import OwnCode
from evallang.planning.defaults import yields_on
from evallang.planning.plan import Place, StoredOutcome
from evallang.planning.planner import Planned
from evallang.protocols.protocol import PROTOCOLS, Split
from evallang.results.records import (
    Failure,
    FitCounts,
    FitWarning,
    FoldThreshold,
    ResultsRecord,
    Selection,
)
from evallang.study import Protocol, Study

LOG = logging.getLogger("evallang")


class Run(Struct, frozen=True):
    """What a run gives: the evaluations (for the table of predictions) and what was found.

    `models` are the saved models with their paths relative to the study's file.

    `results` lacks provenance, diagnostics and defaults of the data, which the caller knows;
    `diagnostics` are those of the results. `outcomes` are those of all tasks by their
    keys, `further_fits` those of analyses, and `not_kept` is why the store could not keep one.
    """

    evaluations: tuple[Evaluation, ...]
    tables: Mapping[str, Table]
    results: ResultsRecord
    fits: "tuple[Fitted, ...]"
    models: tuple[tuple[str, bytes], ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    outcomes: Mapping[str, FitOutcome] = field(default_factory=dict)
    not_kept: str | None = None
    further_fits: "tuple[Fitted, ...]" = ()


class Fitted(Struct, frozen=True):
    """The outcome of one fit, and where it is used; `seed` counts those of `seeds=N`.

    `analysis` is empty for the fits of a protocol; those of an analysis have its name, the number
    of the `draw` of their `training_rows`, and how many these are.
    """

    data: str
    protocol: str
    model: str
    repeat: int
    fold: int
    outcome: FitOutcome
    seed: int = 0
    analysis: str = ""
    draw: int | None = None
    training_rows: int | None = None

    @property
    def at(self) -> tuple[str, str, str, int, int]:
        """Data, protocol, model, repeat and fold."""
        return self.data, self.protocol, self.model, self.repeat, self.fold


def results_of_fits(
    study: Study,
    read: ReadSources,
    planned: Planned,
    found: Fits,
    *,
    workers: Workers,
    progress: Callable[[int, int], None] | None,
    code: OwnCode | None,
) -> Run:
    """Compute everything that follows from the fits.

    `code` holds the author's code and objects, for exported models.
    """
    tables = read.tables
    outcomes = found.outcomes
    evaluations = [
        *_fitted(study, tables, planned, outcomes),
        *map(evaluation_of_outcomes, read.imported),
    ]
    evaluations += [
        evaluation for table in read.score_tables for evaluation in evaluations_of_scores(table)
    ]
    own = [evaluation for evaluation in evaluations if not evaluation.implied]
    measured = [e for evaluation in own for e in estimates(study, evaluation)]
    report_activity(Activity("computing", "subgroups"))
    measured += [e for evaluation in own for e in subgroup_estimates(study, evaluation)]
    LOG.debug("computed the estimates: %d", len(measured))
    context_of = _contexts(study, evaluations, read.score_tables)
    compared = compare(study, planned.families, context_of)
    LOG.debug("computed the comparisons: %d", len(compared))
    report_activity(Activity("computing", "requirements"))
    required = []
    for requirement in study.requirements:
        about = [s for s in own if s.protocol in (None, requirement.protocol)]
        required += list(decide(study, requirement, about))
    chosen = tuple(best_of_many(study, own))
    once = {_place_of(p): p for p in reversed(planned.layout.places)}
    exported = export_models(
        study,
        tables,
        planned.layout,
        outcomes,
        own,
        measured,
        workers=workers,
        own=code,
        progress=progress,
    )
    report_activity(Activity("computing", "analyses"))
    analyzed = analyses_of(study, Found(read, planned, own, outcomes, context_of), study.analyses)
    fits = tuple(
        Fitted(p.data, p.protocol, p.model, p.split.repeat, p.split.fold, outcomes[p.key], p.seed)
        for p in planned.layout.places
        if once[_place_of(p)] is p  # not again for seeds that change nothing
    )
    further = _subset_fits(study, planned, outcomes)
    results = build_results(
        study=study,
        read=read,
        planned=planned,
        estimates=tuple(measured),
        comparisons=tuple(compared),
        requirements=tuple(required),
        analyses=tuple(analyzed),
        selections=_selections(study, fits),
        failures=(
            *_failures(fits),
            *_failures(further, "subset"),
            *failures_of_metrics(study, evaluations),
            *exported.failures,
        ),
        warnings=(*_warnings((*fits, *further)), *exported.warnings),
        counts=_counts(planned, found, exported),
        exports=exported.records,
        chosen=chosen,
    )
    missed = tuple(never_predicted(study, own))
    results = replace(results, never_predicted=missed, thresholds=_thresholds(fits))
    told = (
        *diagnostics_of(study, missed),
        # Those of imported predictions are told where these are read
        *dependent_losses(study, planned.families, [e for e in own if e.kind is not None]),
        *features_as_good_as_models(study, tables, own),
        *folds_that_disagree(study, own),
        *searches_that_gained_nothing(study, own),
        *models_without_skill(study, own),
    )
    return Run(
        tuple(evaluations),
        tables,
        results,
        fits,
        exported.files,
        told,
        outcomes,
        found.not_kept,
        further,
    )


def _subset_fits(
    study: Study, planned: Planned, outcomes: Mapping[str, FitOutcome]
) -> tuple[Fitted, ...]:
    """Return the fits on parts of training parts, each once, without those of a protocol."""
    names = [spec.method.name for spec in study.analyses]
    tasks = planned.layout.tasks
    known = {place.key for place in planned.layout.places}
    found = {place.key: place for place in planned.layout.subsets if place.key not in known}
    return tuple(
        Fitted(
            p.data,
            p.protocol,
            p.model,
            p.split.repeat,
            p.split.fold,
            outcomes[key],
            analysis=names[p.analysis],
            draw=p.times,
            training_rows=len(tasks[key].refit),
        )
        for key, p in found.items()
    )


def _place_of(place: Place) -> tuple[object, ...]:
    split = place.split
    return place.data, place.protocol, place.model, split.repeat, split.fold, place.key


def _contexts(
    study: Study, evaluations: Sequence[Evaluation], scored: Sequence[ScoreTable]
) -> Callable[[PlannedComparison], ComparisonContext]:
    """Return what gives the context of a line: a source under its protocol, or a sample of them."""
    tables = {table.spec.name: table for table in scored}
    at = {(evaluation.source, evaluation.protocol): evaluation for evaluation in evaluations}

    def context(planned: PlannedComparison) -> ComparisonContext:
        line, metric = planned.line, planned.metric
        if planned.table is not None:
            grid = grid_of_table(tables[planned.table], missing_policy(line))
            return Across(grid, metric, None, planned.models)
        found = [at.get((name, None)) or at[name, line.protocol] for name in planned.sources]
        if not line.across:
            return OneSource(found[0], metric)
        return Across(grid_of(study, found, metric), metric, line.protocol, planned.models)

    return context


def _fitted(
    study: Study,
    tables: Mapping[str, Table],
    planned: Planned,
    outcomes: Mapping[str, FitOutcome],
) -> list[Evaluation]:
    evaluations = []
    for table in tables.values():
        for protocol in study.protocols:
            splits = planned.layout.splits.get((table.spec.name, protocol.name))
            if splits is None:
                continue
            keys: list[dict[str, list[str]]] = [{} for _ in range(protocol.seeds)]
            for place in planned.layout.places:
                if (place.data, place.protocol) == (table.spec.name, protocol.name):
                    keys[place.seed].setdefault(place.model, []).append(place.key)
            evaluation = _evaluation(table, protocol, splits, keys, outcomes)
            evaluations.append(_with_stored(study, table, splits, evaluation, planned))
    return [_attach_further_fits(study, evaluation, evaluations) for evaluation in evaluations]


def _with_stored(
    study: Study,
    table: Table,
    splits: Sequence[Split],
    evaluation: Evaluation,
    planned: Planned,
) -> Evaluation:
    """Add the models whose predictions are stored, in the order of the study."""
    at = table.spec.name, evaluation.protocol or ""
    found = {
        model.name: [
            _stored(table, splits, one) for one in planned.layout.stored[(*at, model.name)]
        ]
        for model in study.models
        if (*at, model.name) in planned.layout.stored
    }
    if not found:
        return evaluation
    fitted = (evaluation.models, *evaluation.further_seeds)

    def joined(seed: int) -> dict[str, ModelOutcome]:
        every = {**fitted[seed], **{name: seeds[seed] for name, seeds in found.items()}}
        return {model.name: every[model.name] for model in study.models if model.name in every}

    further = tuple(joined(seed) for seed in range(1, len(fitted)))
    return replace(evaluation, models=joined(0), further_seeds=further)


def _stored(table: Table, splits: Sequence[Split], found: StoredOutcome) -> ModelOutcome:
    test = _test_rows(table, [s for s in splits if (s.repeat, s.fold) not in found.failed])
    return ModelOutcome(
        rows=test.rows,
        repeat=test.repeat,
        fold=test.fold,
        truth=test.truth,
        labels=found.labels,
        scores=found.scores,
        probabilities=found.probabilities,
        failed=found.failed,
    )


def _attach_further_fits(
    study: Study, evaluation: Evaluation, evaluations: Sequence[Evaluation]
) -> Evaluation:
    """Attach the evaluations from which intervals of this one's estimates are made."""
    names = {p.name for p in study.protocols if p.interval_of == evaluation.protocol}
    found = (e for e in evaluations if e.source == evaluation.source and e.protocol in names)
    return replace(evaluation, further_fits=tuple(found))


def _evaluation(
    table: Table,
    protocol: Protocol,
    splits: Sequence[Split],
    keys: Sequence[Mapping[str, Sequence[str]]],
    outcomes: Mapping[str, FitOutcome],
) -> Evaluation:
    sizes = tuple(
        FoldSize(
            s.repeat,
            s.fold,
            s.label,
            len(s.train) + (0 if s.validation is None else len(s.validation)),
            len(s.test),
        )
        for s in splits
    )
    laid_out: dict[tuple[int, ...], _TestRows] = {}
    first, *further = [
        {
            model: _collect(table, splits, [outcomes[key] for key in found], laid_out)
            for model, found in of_seed.items()
        }
        for of_seed in keys
    ]
    models = {
        model: replace(
            found,
            failed=tuple(sorted({at for seed in (first, *further) for at in seed[model].failed})),
        )
        for model, found in first.items()
    }
    by_rounds = PROTOCOLS[protocol.kind].declaration.full_sample
    return Evaluation(
        source=table.spec.name,
        label=table.spec.label,
        unit=table.spec.unit,
        protocol=protocol.name,
        n=table.n,
        task=table.task,
        classes=table.classes,
        positive=table.positive,
        yields=yields_on(table, protocol),
        grouped=table.group_codes is not None,
        folds=sizes,
        models=models,
        implied=protocol.implied_by is not None,
        subgroups=_columns(table.subgroups),
        group_codes=table.group_codes,
        moments=None if table.moments is None else table.moments.ranks,
        kind=protocol.kind,
        options=protocol.options,
        drawn=_drawn(splits, table.n) if by_rounds else None,
        weights=table.weights,
        class_values=table.class_values if table.task == "classification" else (),
        further_seeds=tuple(further),
    )


def _columns(subgroups: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    return {name: np.array(values, dtype=object) for name, values in subgroups.items()}


def _drawn(splits: Sequence[Split], n: int) -> Any:
    """Count how often each round drew each row (B, n); the full sample is not a round."""
    rounds = [np.bincount(s.train, minlength=n) for s in splits if s.fold >= 0]
    return np.array(rounds, dtype=np.uint16)


class _TestRows(Struct, frozen=True):
    """The test rows of several splits one after the other; models share them."""

    rows: Any
    repeat: Any
    fold: Any
    truth: Any


def _test_rows(table: Table, splits: Sequence[Split]) -> _TestRows:
    sizes = [len(split.test) for split in splits]
    rows = np.concatenate([np.zeros(0, dtype=np.int64), *(split.test for split in splits)])
    repeat, fold = (
        np.repeat(np.array([getattr(s, name) for s in splits], dtype=np.int64), sizes)
        for name in ("repeat", "fold")
    )
    return _TestRows(rows, repeat, fold, table.y[rows])


def _collect(
    table: Table,
    splits: Sequence[Split],
    outcomes: Sequence[FitOutcome],
    laid_out: dict[tuple[int, ...], _TestRows],
) -> ModelOutcome:
    """Join the predictions of all folds of one model one after the other.

    `laid_out` are the test rows by the splits whose fits did not fail.
    """
    whole = [i for i, outcome in enumerate(outcomes) if outcome.failure is None]
    failed = tuple(
        (s.repeat, s.fold) for s, o in zip(splits, outcomes, strict=True) if o.failure is not None
    )
    if tuple(whole) not in laid_out:
        laid_out[tuple(whole)] = _test_rows(table, [splits[i] for i in whole])
    test = laid_out[tuple(whole)]
    good = [outcomes[i] for i in whole]
    scores = [o.scores for o in good]
    return ModelOutcome(
        rows=test.rows,
        repeat=test.repeat,
        fold=test.fold,
        truth=test.truth,
        labels=np.concatenate([o.labels for o in good]) if good else np.zeros(0, dtype=np.int64),
        scores=None
        if not good or any(s is None for s in scores)
        else np.concatenate([s for s in scores if s is not None]),
        probabilities=bool(good) and all(o.probabilities for o in good),
        failed=failed,
        fitted=tuple(
            FittedFold(splits[i].repeat, splits[i].fold, outcome)
            for i, outcome in zip(whole, good, strict=True)
        ),
    )


# --- what happened in the fits -----------------------------------------------------------


def _selections(study: Study, fits: Sequence[Fitted]) -> tuple[Selection, ...]:
    rule = study.tuning.select if study.tuning else "best"
    return tuple(
        Selection(*f.at, plain(f.outcome.params), f.outcome.inner_score, rule, f.seed)
        for f in fits
        if f.outcome.params
    )


def _thresholds(fits: Sequence[Fitted]) -> tuple[FoldThreshold, ...]:
    return tuple(
        FoldThreshold(*f.at, threshold.value, threshold.scores, f.seed, threshold.member)
        for f in fits
        for threshold in f.outcome.thresholds
    )


def _failures(fits: Sequence[Fitted], stage: str = "outer") -> tuple[Failure, ...]:
    """List the candidates and fits that failed; `stage` is that of the fits."""
    found = []
    for f in fits:
        for params, error, message in f.outcome.inner_failures:
            found.append(Failure("inner", *f.at, plain(params), error, message, f.seed))
        if f.outcome.failure is not None:
            chosen = plain(f.outcome.params)
            found.append(Failure(stage, *f.at, chosen, *f.outcome.failure, f.seed))
    return tuple(found)


def _warnings(fits: Sequence[Fitted]) -> tuple[FitWarning, ...]:
    """Count warnings of each kind for each model: one record, with the number of fits."""
    counts: dict[tuple[str, str, str, str], tuple[str, int]] = {}
    for f in fits:
        for category, message, n in f.outcome.warnings:
            key = (f.data, f.protocol, f.model, category)
            first, before = counts.get(key, (message, 0))
            counts[key] = (first, before + n)
    return tuple(FitWarning(*at, message, n) for at, (message, n) in counts.items())


def _counts(planned: Planned, found: Fits, exported: Exported) -> FitCounts:
    outcomes = found.outcomes
    total = sum(task.n_fits for task in planned.layout.tasks.values()) + exported.planned
    failed = sum((o.failure is not None) + len(o.inner_failures) for o in outcomes.values())
    failed += len(exported.failures)
    made = sum(o.n_fits for key, o in outcomes.items() if key not in found.stored)
    cached = sum(outcomes[key].n_fits for key in found.stored)
    return FitCounts(planned=total, run=made + exported.run, cached=cached, failed=failed)
