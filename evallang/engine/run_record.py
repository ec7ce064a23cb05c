"""What a run gives: its results, and what its folder holds besides."""

from collections.abc import Mapping, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from evallang.data.dataset import Table
from evallang.data.read_sources import ReadSources
from evallang.diagnostics import Diagnostic
from evallang.engine.build_results import build_results
from evallang.engine.evaluation import Evaluation
from evallang.engine.exporting import Exported, ExportOutcome, failures_of_export, plain
from evallang.engine.fit_outcome import FitOutcome
from evallang.engine.walk import computes
from evallang.planning import nodes
from evallang.planning.plan import FitTask, Layout, Place
from evallang.results.records import (
    Analysis,
    BestOfMany,
    Comparison,
    Default,
    Estimate,
    Failure,
    FitWarning,
    FoldThreshold,
    NeverPredicted,
    PredictedValues,
    ProtocolRecord,
    Requirement,
    ResultsRecord,
    RiskGroups,
    Selection,
)
from evallang.study import Study


class Run(Struct, frozen=True):
    """What a run gives: the evaluations (for the table of predictions) and what was found.

    `models` are the saved models with their paths relative to the study's file.

    `results` lacks provenance, diagnostics and defaults of the data, which the caller knows;
    `diagnostics` are those of the results. `outcomes` are those of all tasks by their
    keys, `further_fits` those of analyses, and `exports` what came of exported models.
    """

    evaluations: tuple[Evaluation, ...]
    tables: Mapping[str, Table]
    results: ResultsRecord
    fits: "tuple[Fitted, ...]"
    models: tuple[tuple[str, bytes], ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    outcomes: Mapping[str, FitOutcome] = field(default_factory=dict)
    further_fits: "tuple[Fitted, ...]" = ()
    exports: tuple[ExportOutcome, ...] = ()

    @property
    def not_kept(self) -> str | None:
        """Why the store could not keep an outcome; None where it kept all."""
        return next((o.not_kept for o in self.outcomes.values() if o.not_kept), None)


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


@computes(nodes.RESULTS)
def run_of(
    *,
    study: Study,
    evaluations: tuple[Evaluation, ...],
    fits: Sequence[FitOutcome],
    estimates: Sequence[Estimate | tuple[Estimate, ...]],
    families: Sequence[tuple[Comparison, ...]],
    requirements: Sequence[tuple[Requirement, ...]],
    choices: Sequence[BestOfMany | None],
    drawn: Sequence[tuple[PredictedValues | RiskGroups, ...]],
    exports: Sequence[ExportOutcome],
    exported: Sequence[Exported | None],
    analyses: Sequence[tuple[Analysis, ...]],
    failures: tuple[Failure, ...],
    missed: tuple[NeverPredicted, ...],
    found: tuple[Diagnostic, ...],
    read: ReadSources,
    layout: Layout,
    tasks: Mapping[str, FitTask],
    protocols: tuple[ProtocolRecord, ...],
    defaults: tuple[Default, ...],
) -> Run:
    """Combine everything that was computed, in the order of the study."""
    outcomes = dict(zip(tasks, fits, strict=True))
    once = {_place_of(p): p for p in reversed(layout.places)}
    of_protocols = tuple(
        Fitted(p.data, p.protocol, p.model, p.split.repeat, p.split.fold, outcomes[p.key], p.seed)
        for p in layout.places
        if once[_place_of(p)] is p  # not again for seeds that change nothing
    )
    further = _subset_fits(study, layout, tasks, outcomes)
    exports = tuple({o.task and o.task.model: o for o in exports}.values())
    alone = [one for one in estimates if isinstance(one, Estimate)]
    alone += [one for several in estimates if isinstance(several, tuple) for one in several]
    order = {line.index: place for place, line in enumerate(study.comparisons)}
    compared = [one for family in families for one in family]
    saved = [one for one in exported if one is not None]
    results = build_results(
        study=study,
        read=read,
        protocols=protocols,
        defaults=defaults,
        estimates=tuple(alone),
        comparisons=tuple(sorted(compared, key=lambda one: order[one.index])),
        requirements=tuple(one for line in requirements for one in line),
        analyses=tuple(one for item in analyses for one in item),
        selections=_selections(study, of_protocols),
        failures=(
            *_failures(of_protocols),
            *_failures(further, "subset"),
            *failures,
            *(
                one
                for made in exports
                for one in failures_of_export(study, made, layout.exports.values())
            ),
        ),
        warnings=(
            *_warnings((*of_protocols, *further)),
            *(one for made in exports for one in made.fit_warnings),
        ),
        exports=tuple(one.record for one in saved),
        chosen=tuple(one for one in choices if one is not None),
    )
    points = [one for place in drawn for one in place]
    results = replace(
        results,
        never_predicted=missed,
        thresholds=_thresholds(of_protocols),
        predictions=tuple(one for one in points if isinstance(one, PredictedValues)),
        risk_groups=tuple(one for one in points if isinstance(one, RiskGroups)),
    )
    return Run(
        evaluations,
        read.tables,
        results,
        of_protocols,
        tuple((one.record.path, one.content) for one in saved),
        found,
        outcomes,
        further,
        exports,
    )


def _subset_fits(
    study: Study,
    layout: Layout,
    tasks: Mapping[str, FitTask],
    outcomes: Mapping[str, FitOutcome],
) -> tuple[Fitted, ...]:
    """Return the fits on parts of training parts, each once, without those of a protocol."""
    names = [spec.method.name for spec in study.analyses]
    known = {place.key for place in layout.places}
    found = {place.key: place for place in layout.subsets if place.key not in known}
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
