"""The models that `export` names, fitted on all rows and saved, with a corrected estimate."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, Self

from msgspec import Struct
from msgspec.structs import replace

from evallang.compatibility import metric_entry
from evallang.data.dataset import Table
from evallang.engine.backends.backend import WHOLE, Monitor
from evallang.engine.backends.workers import Workers
from evallang.engine.best_of_many import choose_again
from evallang.engine.evaluation import Evaluation
from evallang.engine.fit_outcome import Choice, FailedCandidate, FitOutcome
from evallang.engine.fits import Job, Tally, fitting_of, shared_tables
from evallang.models import fitting, saving
from evallang.models.foreign_errors import Loss
from evallang.models.model import ParameterValue, with_choice, written
from evallang.models.own_code import OwnCode
from evallang.models.thresholds import ChosenThreshold, chosen_thresholds
from evallang.planning.plan import ExportTask, Layout
from evallang.results.records import CorrectedEstimate, Estimate, Export, Failure, FitWarning
from evallang.study import ExportSpec, Study


def corrected(
    study: Study, evaluation: Evaluation, models: Sequence[str]
) -> CorrectedEstimate | None:
    """Correct the first measure of the best of `models` for the choice, by BBC-CV.

    Every search is made inside the training parts, so what is left to correct is the choice
    among the models of the study. None with one model, or where rows cannot be drawn again.
    """
    metric = study.measures[0].metric
    found = choose_again(study, evaluation, models, metric)
    if found is None or evaluation.protocol is None:
        return None
    return CorrectedEstimate(
        metric=metric.written,
        protocol=evaluation.protocol,
        naive=found.naive,
        value=found.corrected.value,
        low=found.corrected.low,
        high=found.corrected.high,
        level=study.confidence,
        rounds=found.corrected.rounds,
        models=tuple(models),
    )


# --- the fits of exported models -------------------------------------------------------------


DIGITS = 12  # significant digits to which equal estimates tie, as in a search
SHOWN_CHOICES = 5  # of the outer folds, the most frequent first


class Exported(Struct, frozen=True):
    """What came of all `export` lines: records, files by their path, and what went wrong."""

    records: tuple[Export, ...] = ()
    files: tuple[tuple[str, bytes], ...] = ()
    failures: tuple[Failure, ...] = ()
    warnings: tuple[FitWarning, ...] = ()
    planned: int = 0
    run: int = 0


class ExportJob(Struct, frozen=True):
    """One model to fit on all rows; `choice` is None where it is still to be searched for."""

    name: str
    job: Job
    choice: Choice | None

    @property
    def kind(self) -> Hashable:
        """The model alone: each is fitted once."""
        return self.name

    @property
    def own_code(self) -> bool:
        """Return whether a class of the model, or the metric of its search, is the author's."""
        return self.job.own_code

    def drop_lost(self, at: str, loss: Loss) -> Self:
        """Return the job without the fit at a place, which then fails with a loss."""
        return replace(self, job=self.job.drop_lost(at, loss))


class ExportOutcome(Struct, frozen=True):
    """The saved model with the candidate it holds, or why there is none."""

    saved: saving.SavedModel | None
    params: Choice
    n_fits: int
    warnings: tuple[tuple[str, str, int], ...] = ()
    failure: tuple[str, str] | None = None
    left: tuple[FailedCandidate, ...] = ()
    threshold: ChosenThreshold | None = None


def export_models(
    study: Study,
    tables: Mapping[str, Table],
    layout: Layout,
    outcomes: Mapping[str, FitOutcome],
    evaluations: Sequence[Evaluation],
    estimates: Sequence[Estimate],
    *,
    workers: Workers,
    own: OwnCode | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Exported:
    """Fit and save every model that an `export` line names; equal ones once.

    `progress` is called before and after, with the fits of this stage done and planned.
    """
    if not study.exports or not layout.exports:
        return Exported()
    ranked = _ranked(study, layout, estimates)
    failures: list[Failure] = []
    wanted: list[tuple[ExportSpec, ExportTask]] = []
    for spec in study.exports:
        name = spec.model or (ranked[0] if ranked else None)
        if name is None:
            failures.append(_undecided(study, layout))
        else:
            wanted.append((spec, layout.exports[name]))
    tasks = {task.model: task for _, task in wanted}
    planned = sum(task.task.n_fits for task in tasks.values())
    if progress is not None:
        progress(0, planned)
    tally = Tally(planned, progress)
    made = _run(study, tables, tasks, outcomes, workers, own, tally)
    records, files = [], []
    for spec, task in wanted:
        found = made[task.model]
        if found.saved is None:
            continue
        record = _record(study, spec, task, found, found.saved, outcomes)
        if spec.model is None:
            evaluation = next(s for s in evaluations if s.protocol == task.protocol)
            record = replace(
                record, corrected=corrected(study, evaluation, _written_order(study, ranked))
            )
        records.append(record)
        files.append((spec.path, found.saved.content))
    for name, found in made.items():
        failures += _failures(tasks[name], found)
    return Exported(
        tuple(records),
        tuple(files),
        tuple(failures),
        tuple(
            FitWarning(tasks[name].task.data, tasks[name].protocol, name, category, message, n)
            for name, found in made.items()
            for category, message, n in found.warnings
        ),
        planned,
        sum(found.n_fits for found in made.values()),
    )


def _ranked(study: Study, layout: Layout, estimates: Sequence[Estimate]) -> list[str]:
    """Return the models by the first measure on the first protocol, the best first."""
    metric = study.measures[0].metric
    sign = -1.0 if metric_entry(metric).declaration.better == "higher" else 1.0
    values = {
        e.model: float(f"{e.value:.{DIGITS}g}")
        for e in estimates
        if e.subgroup is None
        and e.metric == metric.written
        and e.value is not None
        and e.model in layout.exports
        and e.protocol == layout.exports[e.model].protocol
    }
    written_first = _written_order(study, values)
    return sorted(written_first, key=lambda name: sign * values[name])


def _written_order(study: Study, names: Any) -> list[str]:
    return [model.name for model in study.models if model.name in names]


def _run(
    study: Study,
    tables: Mapping[str, Table],
    tasks: Mapping[str, ExportTask],
    outcomes: Mapping[str, FitOutcome],
    workers: Workers,
    own: OwnCode | None,
    tally: Tally,
) -> dict[str, ExportOutcome]:
    made: dict[str, ExportOutcome] = {}
    with shared_tables(tables, workers, own) as shared:
        metric = study.tuning.metric if study.tuning else None
        rule = study.tuning.select if study.tuning else "best"
        work = []
        for name, task in tasks.items():
            job = Job(
                task.task, shared[task.task.data], study.seed, metric, rule, own=own, model=name
            )
            choice, reason = _choice(task, outcomes)
            if reason is None:
                work.append(ExportJob(name, job, choice))
            else:
                made[name] = ExportOutcome(None, {}, 0, failure=reason)
        with closing(workers.run(run_export, work, tally.count)) as done:
            made.update(done)
    tally.finish(tally.total)
    return {name: made[name] for name in tasks}


def _choice(
    task: ExportTask, outcomes: Mapping[str, FitOutcome]
) -> tuple[Choice | None, tuple[str, str] | None]:
    """Return the candidate that the one selection chose, or the reason why there is none."""
    if task.scheme in ("written", "searched"):
        return ({} if task.scheme == "written" else None), None
    chosen = [outcomes[key].params for key in task.chosen_in if outcomes[key].failure is None]
    if not chosen:
        return None, ("ValueError", "no hyper-parameters were chosen, as the fits failed")
    return chosen[0], None


def run_export(work: ExportJob, monitor: Monitor) -> tuple[str, ExportOutcome]:
    """Choose where nothing is chosen yet, fit on all rows, and save; in a worker."""
    job = work.job
    whole = job.losses.get(WHOLE)
    if whole is not None:
        return work.name, ExportOutcome(None, {}, 0, failure=(whole.error, whole.message))
    with fitting_of(job, monitor) as held:
        left: list[FailedCandidate] = []
        choice = work.choice
        if choice is None:
            choice, _, left, refused = held.choose()
            if refused is not None:
                warned = held.noted.counted()
                return work.name, ExportOutcome(
                    None, {}, held.noted.fits, warned, refused, tuple(left)
                )
        rows = job.task.refit
        pipeline = with_choice(job.task.pipeline, choice) if choice else job.task.pipeline
        context = replace(held.context(rows), targets=job.table.class_values)
        model, failure, caught, _ = fitting.try_fit(
            pipeline, held.data(rows, rows[:0], scores=False), context
        )
        warned = (*held.noted.counted(), *((w.category, w.message, 1) for w in caught))
        n_fits = held.noted.fits + 1
        if failure is not None or model is None:
            reason = (failure.error, failure.message) if failure else ("ValueError", "no model")
            return work.name, ExportOutcome(None, choice, n_fits, warned, reason, tuple(left))
        columns = _column_names(job)
        last = getattr(model, "steps", [("", model)])[-1][1]
        step, targets = pipeline.steps[-1], context.targets
        every = chosen_thresholds(step, last, context.positive, targets)
        chosen = next((one for one in every if not one.member), None)

        def save() -> saving.SavedModel:
            named = saving.set_column_names(model, columns, numeric=held.X.dtype.kind == "f")
            threshold, positive = job.task.threshold, job.table.positive
            if threshold is not None and positive is not None:
                label = job.table.class_values[positive]
                named = saving.with_threshold(named, threshold, label, held.X, context, held.y)
            return saving.save(named, held.X)

        saved, failure, _, _ = fitting.watched(save)
        refused = (failure.error, failure.message) if failure else None
        return work.name, ExportOutcome(saved, choice, n_fits, warned, refused, tuple(left), chosen)


def _column_names(job: Job) -> tuple[str, ...]:
    """Return the columns in the order in which a model sees them: numbers first."""
    ordered = sorted(job.table.columns, key=lambda column: (not column.numeric, column.index))
    return tuple(column.name for column in ordered)


# --- records -------------------------------------------------------------------------------


def _record(
    study: Study,
    spec: ExportSpec,
    task: ExportTask,
    found: ExportOutcome,
    saved: saving.SavedModel,
    outcomes: Mapping[str, FitOutcome],
) -> Export:
    return Export(
        model=task.model,
        path=spec.path,
        params=plain(found.params),
        sha256=saved.sha256,
        trusted_types=saved.trusted_types,
        best=spec.model is None,
        notes=(*_notes(study, task, outcomes), *_chosen_threshold(found.threshold)),
        threshold=None if found.threshold is None else found.threshold.value,
    )


def _chosen_threshold(found: ChosenThreshold | None) -> Iterator[str]:
    """State the threshold that the refit chose, which is none of those of the splits."""
    if found is not None:
        kind = "probability" if found.scores == "probabilities" else "margin"
        yield (
            f"it predicts the positive class from a {kind} of {found.value:.4g} on, chosen "
            "again on all rows, as inside each training part"
        )


def plain(params: Choice) -> dict[str, object]:
    """Return chosen parameters as JSON values; lists and classes as the author writes them."""
    return {name: _plain(value) for name, value in params.items()}


def _plain(value: ParameterValue) -> object:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return written(value)


def _words(choice: Choice) -> str:
    return ", ".join(f"{name}={written(value)}" for name, value in choice.items())


def _notes(study: Study, task: ExportTask, outcomes: Mapping[str, FitOutcome]) -> Iterator[str]:
    """State how the hyper-parameters were chosen, and how the splits had chosen."""
    if task.scheme == "written":
        return
    chosen = [outcomes[key] for key in task.chosen_in]
    counts = Counter(_words(o.params) for o in chosen if o.failure is None and o.params)
    if task.scheme == "chosen":
        yield "its hyper-parameters are those of the one selection that was made"
        return
    metric = study.tuning.metric.written if study.tuning else study.measures[0].metric.written
    yield (
        f"its hyper-parameters were chosen again on all rows, by {metric} in "
        f"{len(task.task.inner)} inner folds, as inside each training part"
    )
    if len(counts) == 1 and sum(counts.values()) > 1:
        yield f"all {sum(counts.values())} splits chose {next(iter(counts))}"
    elif counts:
        shown = [f"{words} ({n})" for words, n in counts.most_common(SHOWN_CHOICES)]
        more = len(counts) - len(shown)
        rest = f" and {more} others" if more > 1 else " and one other" if more else ""
        yield f"the splits chose {', '.join(shown)}{rest}"


def _failures(task: ExportTask, found: ExportOutcome) -> Iterator[Failure]:
    for params, error, message in found.left:
        yield Failure(
            "inner", task.task.data, task.protocol, task.model, 0, -1, plain(params), error, message
        )
    if found.failure is not None:
        error, message = found.failure
        chosen = plain(found.params)
        yield Failure(
            "export", task.task.data, task.protocol, task.model, 0, -1, chosen, error, message
        )


def _undecided(study: Study, layout: Layout) -> Failure:
    task = next(iter(layout.exports.values()))
    metric = study.measures[0].metric.written
    return Failure(
        "export", task.task.data, task.protocol, "best", 0, -1, {}, "ValueError",
        f"no model has an estimate of {metric} to be chosen by",
    )  # fmt: skip
