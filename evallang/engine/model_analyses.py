"""The `analyze` lines about models: answers from their held-out predictions."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from evallang.analysis import ANALYSES, AnalysisDeclaration
from evallang.data.dataset import Table
from evallang.engine.estimates import scope_of_estimates
from evallang.engine.evaluation import Evaluation
from evallang.engine.fit_outcome import FitOutcome
from evallang.engine.outcomes import Outcomes
from evallang.engine.providers import Providers
from evallang.engine.walk import computes
from evallang.planning import nodes
from evallang.planning.plan import FitTask, SubsetPlace
from evallang.registry import Entry
from evallang.results.codec import to_plain, with_tuples
from evallang.results.records import Analysis
from evallang.stats.inputs import Subject
from evallang.study import AnalysisSpec, Study

OUTCOMES: Providers[Outcomes] = Providers(Subject.OUTCOMES)
"""What makes the inputs of an analysis of models."""

OUTCOMES.provide(
    predicted=lambda outcomes: outcomes.predicted(outcomes.models[0], outcomes.of_class),
    together=lambda outcomes: {model: outcomes.predicted(model) for model in outcomes.models},
    outcomes=lambda outcomes: outcomes,
)


@computes(nodes.MODEL_ANALYSIS)
def analyses_of_models(
    study: Study,
    evaluation: Evaluation,
    spec: AnalysisSpec,
    models: tuple[str, ...],
    line: tuple[str, ...],
    subsets: tuple[SubsetPlace, ...],
    tasks: Mapping[str, FitTask],
    fits: Sequence[FitOutcome],
    table: Table | None = None,
) -> tuple[Analysis, ...]:
    """Answer one item of an `analyze` line about one model, or about all of its models.

    `fits` are the outcomes of `tasks`, which were made for `subsets` of the table.
    """
    entry = ANALYSES[spec.method.name]
    if entry.declaration.about == "models":
        models = tuple(name for name in models if not evaluation.models[name].failed)
    made = dict(zip(tasks, fits, strict=True))
    inputs = Outcomes(study, spec, evaluation, models, None, line, table, subsets, tasks, made)
    if entry.declaration.by_class and len(evaluation.classes) > 2:
        return tuple(_by_class(entry, inputs))
    return (_answered(entry, inputs),)


def _by_class(entry: Entry[AnalysisDeclaration], inputs: Outcomes) -> Iterator[Analysis]:
    """Answer for the mean over the classes, if it is one, then for each against the rest."""
    evaluation, model = inputs.evaluation, inputs.models[0]
    macro = entry.declaration.macro
    scores = evaluation.models[model].scores
    known = scores is not None and scores.ndim == 2

    def mean() -> object:
        if not known:
            raise ValueError("the model has no score of each class")
        assert macro is not None, "curves of classes are averaged"
        return macro([inputs.predicted(model, code) for code in range(len(evaluation.classes))])

    if macro is not None or not known:
        yield _answered(entry, inputs, {"macro": True}, mean)
    for code, label in enumerate(evaluation.classes) if known else ():
        yield _answered(entry, replace(inputs, of_class=code), {"of_class": label})


def _answered(
    entry: Entry[AnalysisDeclaration],
    inputs: Outcomes,
    further: Mapping[str, object] | None = None,
    compute: Callable[[], object] | None = None,
) -> Analysis:
    """Answer one item for one model; `further` values tell what it is about."""
    evaluation, single = inputs.evaluation, entry.declaration.about == "model"
    options = inputs.spec.method.keywords()
    notes: tuple[str, ...] = ()
    fits = entry.declaration.fits
    if (
        evaluation.further_seeds
        and not entry.declaration.of_fitted
        and not entry.declaration.about_rows
    ):
        notes = (f"of the first of {1 + len(evaluation.further_seeds)} seeds",)
    if (
        single
        and (fits is None or fits.exchanging)
        and (failed := len(evaluation.models[inputs.models[0]].failed))
    ):
        notes = (*notes, f"{failed} of {len(evaluation.folds)} folds failed and are missing")
    values = {
        "unit": evaluation.unit,
        "about": scope_of_estimates(evaluation),
        "level": inputs.study.confidence,
        **(further or {}),
    }
    try:
        if compute is not None:
            found = compute()
        else:
            made = (OUTCOMES.make(name, inputs) for name in entry.inputs)
            found = entry.function(*made, **options)
    except ValueError as error:
        values["problem"] = str(error)
        return _record(entry, inputs, values, notes)
    return _record(entry, inputs, {**values, **to_plain(found), "problem": None}, notes)


def _record(
    entry: Entry[AnalysisDeclaration],
    inputs: Outcomes,
    values: dict[str, object],
    notes: tuple[str, ...],
) -> Analysis:
    own = values.get("notes", ())
    assert isinstance(own, list | tuple), "notes are a list of texts"
    plain = {**values, "notes": [*notes, *own]}
    return Analysis(
        kind=entry.name,
        data=inputs.evaluation.source,
        protocol=None if entry.declaration.about_rows else inputs.evaluation.protocol,
        model=inputs.models[0] if entry.declaration.about == "model" else None,
        metric=inputs.metric.written if entry.declaration.by_metric else None,
        values={name: with_tuples(value) for name, value in plain.items()},
    )
