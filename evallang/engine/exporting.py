"""The models that `export` names, fitted on all rows and saved, with a corrected estimate."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Self

from msgspec import Struct
from msgspec.structs import replace

from evallang.compatibility import metric_entry
from evallang.engine.backends.backend import WHOLE, Monitor
from evallang.engine.best_of_many import choose_again
from evallang.engine.evaluation import Evaluation
from evallang.engine.fit_outcome import Choice, FailedCandidate, FitOutcome
from evallang.engine.fits import Fitter, Job, fitting_of
from evallang.engine.walk import Ready, computes
from evallang.models import fitting, saving
from evallang.models.foreign_errors import Loss
from evallang.models.model import ParameterValue, with_choice, written
from evallang.models.thresholds import ChosenThreshold, chosen_thresholds
from evallang.planning import nodes
from evallang.planning.nodes import Node
from evallang.planning.plan import ExportTask
from evallang.results.records import CorrectedEstimate, Estimate, Export, Failure, FitWarning
from evallang.study import ExportSpec, Study


def corrected(
    study: Study, evaluation: Evaluation, models: Sequence[str]
) -> CorrectedEstimate | None:
    """Correct the first measure of the best of `models` for the choice, by BBC-CV.

    Every search is made inside the training parts, so what is left to correct is the choice
    among the models of the study. None with one model, or where rows cannot be drawn again.
    """
    found = choose_again(study, evaluation, models, study.measures[0].metric)
    return None if evaluation.protocol is None else found


# --- the fits of exported models -------------------------------------------------------------


CHOSEN_AGAIN = ("its hyper-parameters were chosen again on all rows, as inside each training part",)
HOW_CHOSEN = {
    "written": (),
    "chosen": ("its hyper-parameters are those of the one selection that was made",),
}
DIGITS = 12  # significant digits to which equal estimates tie, as in a search


class Exported(Struct, frozen=True):
    """What came of one `export` line: its record, and the content of its file."""

    record: Export
    content: bytes


class ExportJob(Struct, frozen=True):
    """One model to fit on all rows; `choice` is None where it is still to be searched for."""

    export: ExportTask
    job: Job
    choice: Choice | None
    among: tuple[str, ...] = ()

    @property
    def own_code(self) -> bool:
        """Return whether a class of the model, or the metric of its search, is the author's."""
        return self.job.own_code

    def drop_lost(self, at: str, loss: Loss) -> Self:
        """Return the job without the fit at a place, which then fails with a loss."""
        return replace(self, job=self.job.drop_lost(at, loss))

    def run(self, monitor: Monitor) -> "ExportOutcome":
        """Choose where nothing is chosen yet, fit on all rows, and save."""
        return replace(run_export(self, monitor), task=self.export, among=self.among)


class ExportOutcome(Struct, frozen=True):
    """The saved model with the candidate it holds, or why there is none.

    `task` is that of the model, None where none could be chosen, and `among` are the models of
    which it is the best, in the order of the study, empty for a model that a line names.
    """

    saved: saving.SavedModel | None
    params: Choice
    n_fits: int
    warnings: tuple[tuple[str, str, int], ...] = ()
    failure: tuple[str, str] | None = None
    left: tuple[FailedCandidate, ...] = ()
    threshold: ChosenThreshold | None = None
    task: ExportTask | None = None
    among: tuple[str, ...] = ()

    @property
    def fit_warnings(self) -> Iterator[FitWarning]:
        """The warnings of its fits."""
        if self.task is not None:
            for category, message, n in self.warnings:
                at = self.task.task.data, self.task.protocol, self.task.model
                yield FitWarning(*at, category, message, n)


@computes(nodes.EXPORT)
def export_job(
    fitter: Fitter,
    node: Node,
    tasks: Sequence[ExportTask],
    fits: Sequence[FitOutcome],
    estimates: Sequence[Estimate] | None = None,
    named: Sequence[ExportOutcome] = (),
) -> "ExportJob | Ready":
    """Return the job of an exported model: of the one task, or by `estimates` of the best.

    Those that lines have `named` are fitted already.
    """
    keys = dict.fromkeys(key for task in tasks for key in task.chosen_in)
    outcomes = dict(zip(keys, fits, strict=True))
    task, among = tasks[0], tuple[str, ...]()
    if estimates is not None:
        ranked = _ranked(fitter.study, tasks, estimates)
        among = tuple(_written_order(fitter.study, ranked))
        best = next((one for one in tasks if one.model == ranked[0]), None) if ranked else None
        if best is None:
            return Ready(ExportOutcome(None, {}, 0))
        made = next((one for one in named if one.task == best), None)
        if made is not None:
            return Ready(replace(made, among=among))
        task = best
    choice, reason = _choice(task, outcomes)
    if reason is not None:
        return Ready(ExportOutcome(None, {}, 0, failure=reason, task=task, among=among))
    return ExportJob(task, fitter.job(task.task, task.model, stored=False), choice, among)


@computes(nodes.EXPORTED)
def exported(
    study: Study,
    made: ExportOutcome,
    evaluation: Evaluation,
    spec: ExportSpec,
) -> Exported | None:
    """Return the record of an `export` line, None where there is no model."""
    if made.task is None or made.saved is None:
        return None
    record = _record(spec, made.task, made, made.saved)
    if spec.model is None:
        record = replace(record, corrected=corrected(study, evaluation, made.among))
    return Exported(record, made.saved.content)


def _ranked(study: Study, tasks: Sequence[ExportTask], estimates: Sequence[Estimate]) -> list[str]:
    """Return the models by the first measure on the first protocol, the best first."""
    metric = study.measures[0].metric
    sign = -1.0 if metric_entry(metric).declaration.better == "higher" else 1.0
    models = {task.model for task in tasks}
    values = {
        e.model: float(f"{e.value:.{DIGITS}g}")
        for e in estimates
        if e.metric == metric.written and e.value is not None and e.model in models
    }
    written_first = _written_order(study, values)
    return sorted(written_first, key=lambda name: sign * values[name])


def _written_order(study: Study, names: Any) -> list[str]:
    return [model.name for model in study.models if model.name in names]


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


def run_export(work: ExportJob, monitor: Monitor) -> ExportOutcome:
    """Choose where nothing is chosen yet, fit on all rows, and save; in a worker."""
    job = work.job
    whole = job.losses.get(WHOLE)
    if whole is not None:
        return ExportOutcome(None, {}, 0, failure=(whole.error, whole.message))
    with fitting_of(job, monitor) as held:
        left: list[FailedCandidate] = []
        choice = work.choice
        if choice is None:
            choice, _, left, refused = held.choose()
            if refused is not None:
                warned = held.noted.counted()
                return ExportOutcome(None, {}, held.noted.fits, warned, refused, tuple(left))
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
            return ExportOutcome(None, choice, n_fits, warned, reason, tuple(left))
        # as a model sees them: numbers first
        ordered = sorted(job.table.columns, key=lambda column: (not column.numeric, column.index))
        columns = tuple(column.name for column in ordered)
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
        return ExportOutcome(saved, choice, n_fits, warned, refused, tuple(left), chosen)


# --- records -------------------------------------------------------------------------------


def _record(
    spec: ExportSpec, task: ExportTask, found: ExportOutcome, saved: saving.SavedModel
) -> Export:
    return Export(
        model=task.model,
        path=spec.path,
        params=plain(found.params),
        sha256=saved.sha256,
        trusted_types=saved.trusted_types,
        best=spec.model is None,
        notes=(*HOW_CHOSEN.get(task.scheme, CHOSEN_AGAIN), *_chosen_threshold(found.threshold)),
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


def failures_of_export(
    study: Study, found: ExportOutcome, tasks: Iterable[ExportTask]
) -> Iterator[Failure]:
    """Iterate over what failed where one of the models of some tasks was to be exported."""
    task = found.task
    if task is None:
        metric, one = study.measures[0].metric.written, next(iter(tasks))
        yield Failure(
            "export", one.task.data, one.protocol, "best", 0, -1, {}, "ValueError",
            f"no model has an estimate of {metric} to be chosen by",
        )  # fmt: skip
        return
    at = task.task.data, task.protocol, task.model, 0, -1
    for params, error, message in found.left:
        yield Failure("inner", *at, plain(params), error, message)
    if found.failure is not None:
        yield Failure("export", *at, plain(found.params), *found.failure)
