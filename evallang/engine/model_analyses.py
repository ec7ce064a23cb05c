"""The `analyze` lines about models: answers from their held-out predictions."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.data.dataset import Table
from evallang.engine.estimates import scope_of_estimates
from evallang.engine.evaluation import Evaluation, FittedFold, means_of
from evallang.engine.exporting import plain
from evallang.engine.fit_outcome import FitOutcome
from evallang.engine.metric_samples import resampling_seed
from evallang.engine.providers import Providers
from evallang.engine.subset_scores import FurtherFits, learning_of, out_of_bag_of, shuffled_of
from evallang.engine.tuning import steps_from_simple
from evallang.engine.walk import computes
from evallang.metrics.metric import is_mean_metric
from evallang.metrics.own_code import OwnMetricFailed
from evallang.models.abilities import abilities
from evallang.models.model import ParameterValue, PipelineSpec, search_space
from evallang.planning import nodes
from evallang.planning.candidates import tried
from evallang.planning.plan import FitTask, SubsetPlace
from evallang.planning.shuffles import shuffled_within
from evallang.registry import Entry
from evallang.results.codec import to_plain, with_tuples
from evallang.results.records import Analysis
from evallang.stats.analyses.analysis import ANALYSES, AnalysisDeclaration
from evallang.stats.analyses.bias_variance import Rounds
from evallang.stats.analyses.learning_curve import Learning
from evallang.stats.analyses.target_permutation import Shuffled
from evallang.stats.analyses.tuning import FoldSearch, SearchedParameter, Searches
from evallang.stats.analyses.variance import Runs
from evallang.stats.inputs import Subject
from evallang.stats.score_curves import Predicted
from evallang.study import AnalysisSpec, Method, Study


class OutcomeInputs(Struct, frozen=True):
    """One data set under one protocol, and the models that an analysis is about.

    `line` names all models of its `analyze` line on these data, where they are answered one by one.
    """

    study: Study
    spec: AnalysisSpec
    evaluation: Evaluation
    models: tuple[str, ...]
    fits: FurtherFits | None = None
    of_class: int | None = None
    line: tuple[str, ...] = ()

    @property
    def metric(self) -> Method:
        """The metric that an analysis is by: the one written, or the first that is measured."""
        return metric_of(self.study, self.spec)


def metric_of(study: Study, spec: AnalysisSpec) -> Method:
    """Return the metric of an analysis: the one written after `by`, or the first measure."""
    return spec.metric or study.measures[0].metric


OUTCOMES: Providers[OutcomeInputs] = Providers(Subject.OUTCOMES)
"""What makes the inputs of an analysis of models."""

OUTCOMES.provide(
    predicted=lambda inputs: _predicted(inputs, inputs.models[0], inputs.of_class),
    together=lambda inputs: {model: _predicted(inputs, model) for model in inputs.models},
)


@OUTCOMES.provides("learning")
def learning(inputs: OutcomeInputs) -> Learning:
    """Return the scores of the model by the size of its training set."""
    assert inputs.fits is not None, "a run has the fits of its plan"
    at = inputs.evaluation, inputs.fits, inputs.spec, inputs.models[0], inputs.metric
    return learning_of(*at)


@OUTCOMES.provides("out_of_bag")
def out_of_bag(inputs: OutcomeInputs) -> Rounds:
    """Return what bootstrap rounds predict for the rows that they did not draw."""
    assert inputs.fits is not None, "a run has the fits of its plan"
    return out_of_bag_of(inputs.fits, inputs.models[0])


@OUTCOMES.provides("shuffled")
def shuffled(inputs: OutcomeInputs) -> Shuffled:
    """Return the score of the model, and its scores where the target was shuffled."""
    model = inputs.models[0]
    others = []
    for name in inputs.line:
        if name != model:
            try:
                other = _shuffled_alone(inputs, name)
            except ValueError:  # a model without a score says so where it is answered
                continue
            others.append((other.observed, other.scores))
    return replace(_shuffled_alone(inputs, model), others=tuple(others))


def _shuffled_alone(inputs: OutcomeInputs, model: str) -> Shuffled:
    """Return the scores of one model, which are measured once for all of a line."""
    fits = inputs.fits
    assert fits is not None, "a run has the fits of its plan"
    columns = shuffled_within(inputs.study)
    return shuffled_of(inputs.evaluation, fits, model, inputs.metric, columns)


@OUTCOMES.provides("runs")
def runs(inputs: OutcomeInputs) -> Runs:
    """Return the scores and predictions of the model for every split and seed."""
    name, evaluation, metric = inputs.models[0], inputs.evaluation, inputs.metric
    model = next(model for model in inputs.study.models if model.name == name)
    able = abilities(model.pipeline)
    try:
        found = evaluation.aggregates(name, metric)
    except OwnMetricFailed as error:
        raise ValueError(f"{metric.written}: {error.message}") from error
    if not found:
        raise ValueError(f"the model lacks what `{metric.written}` needs")
    nan = float("nan")
    outcomes = evaluation.outcomes(name, metric)
    by_seed = [one.models[name] for one in evaluation.by_seed]
    losses = (
        [means_of(metric, outcome) for outcome in outcomes]
        if is_mean_of_examples(evaluation, metric)
        else None
    )
    return Runs(
        metric=metric.written,
        better=evaluation.entry(metric).declaration.better,
        draws=bool(able.seeded) or not able.known,
        values=np.array([nan if one.value is None else one.value for one in found]),
        splits=np.array([[nan if v is None else v for v in one.fold_values] for one in found]),
        repeats=np.array([repeat for repeat, _ in found[0].folds]),
        labels=np.array([one.labels for one in by_seed]),
        losses=None if losses is None else np.array(losses),
        split_of=evaluation.partition(name).fold,
        units=None if evaluation.group_codes is None else evaluation.group_codes[by_seed[0].rows],
        categories=evaluation.task == "classification",
    )


def is_mean_of_examples(evaluation: Evaluation, metric: Method) -> bool:
    """Return whether a metric is the plain mean of what it gives each example."""
    return is_mean_metric(evaluation.entry(metric).declaration) and evaluation.weights is None


@OUTCOMES.provides("searches")
def searches(inputs: OutcomeInputs) -> Searches:
    """Return the search inside each training part of the model."""
    study, name, evaluation = inputs.study, inputs.models[0], inputs.evaluation
    assert study.tuning is not None, "a search has a metric to choose by"
    model = next(model for model in study.models if model.name == name)
    tested = _scores_of_folds(evaluation, name, study.tuning.metric)
    return Searches(
        parameters=tuple(
            SearchedParameter(p.name, _values(p.candidates.values), p.candidates.written)
            for p in search_space(model.pipeline)
        ),
        n_candidates=tried(model.pipeline, study.tuning),
        metric=study.tuning.metric.written,
        better=evaluation.entry(study.tuning.metric).declaration.direction,
        rule=study.tuning.select,
        folds=tuple(
            _search(model.pipeline, fitted, tested.get((fitted.repeat, fitted.fold)))
            for fitted in evaluation.models[name].fitted
            if fitted.fold >= 0  # a bootstrap fits all rows first
        ),
    )


def _search(pipeline: PipelineSpec, fitted: FittedFold, test_score: float | None) -> FoldSearch:
    """Return one search with its parameters by the names that the author's pipeline gives them."""
    names = [parameter.name for parameter in search_space(pipeline)]
    found = fitted.outcome.search
    assert found is not None, "a search keeps the scores of its candidates"
    tried = [dict(zip(names, choice.values(), strict=True)) for choice in found.candidates]
    return FoldSearch(
        fitted.repeat,
        fitted.fold,
        dict(zip(names, plain(fitted.outcome.params).values(), strict=True)),
        fitted.outcome.inner_score,
        test_score,
        tuple(plain(choice) for choice in tried),
        found.scores,
        tuple(steps_from_simple(pipeline, tried)),
    )


def _values(values: Sequence[ParameterValue]) -> tuple[Any, ...]:
    return tuple(plain({"": value})[""] for value in values)


def _scores_of_folds(
    evaluation: Evaluation, model: str, metric: Method
) -> Mapping[tuple[int, int], float | None]:
    """Return a metric on the test rows of each fold; empty where the model has no scores."""
    try:
        found = evaluation.aggregates(model, metric)
    except OwnMetricFailed:
        return {}
    return dict(zip(found[0].folds, found[0].fold_values, strict=True)) if found else {}


def _predicted(inputs: OutcomeInputs, model: str, of_class: int | None = None) -> Predicted:
    """Return the predictions of a model; of a class against the rest where one is given."""
    evaluation = inputs.evaluation
    found = evaluation.models[model]
    scores, positive = found.scores, evaluation.positive
    if of_class is not None:
        assert scores is not None and scores.ndim == 2, "every class has a score"
        scores, positive = scores[:, of_class], of_class
    if scores is not None and scores.ndim == 2:
        two = evaluation.positive is not None and scores.shape[1] == len(evaluation.classes) == 2
        scores = scores[:, evaluation.positive] if two else None
    return Predicted(
        truth=found.truth,
        labels=found.labels,
        scores=scores,
        probabilities=found.probabilities,
        classes=evaluation.classes,
        positive=positive,
        folds=None if evaluation.yields.single_fit else evaluation.partition(model).fold,
        units=_units(evaluation, found.rows),
        weights=evaluation.weights_of(model),
        level=inputs.study.confidence,
        seed=resampling_seed(inputs.study, evaluation, inputs.spec.method),
    )


def _units(evaluation: Evaluation, rows: "NDArray[np.int64]") -> "NDArray[np.int64] | None":
    """Return what is drawn together: the groups, or examples that are predicted several times."""
    if evaluation.group_codes is not None:
        return evaluation.group_codes[rows]
    return None if len(np.unique(rows)) == len(rows) else rows


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
    further = FurtherFits(table, subsets, tasks, dict(zip(tasks, fits, strict=True)))
    if entry.declaration.about == "models":
        whole = tuple(name for name in models if not evaluation.models[name].failed)
        return (_answered(entry, OutcomeInputs(study, spec, evaluation, whole, further)),)
    inputs = OutcomeInputs(study, spec, evaluation, models, further, line=line)
    if entry.declaration.by_class and len(evaluation.classes) > 2:
        return tuple(_by_class(entry, inputs))
    return (_answered(entry, inputs),)


def _by_class(entry: Entry[AnalysisDeclaration], inputs: OutcomeInputs) -> Iterator[Analysis]:
    """Answer for the mean over the classes, if it is one, then for each against the rest."""
    evaluation, model = inputs.evaluation, inputs.models[0]
    macro = entry.declaration.macro
    scores = evaluation.models[model].scores
    known = scores is not None and scores.ndim == 2

    def mean() -> object:
        if not known:
            raise ValueError("the model has no score of each class")
        assert macro is not None, "curves of classes are averaged"
        return macro([_predicted(inputs, model, code) for code in range(len(evaluation.classes))])

    if macro is not None or not known:
        yield _answered(entry, inputs, {"macro": True}, mean)
    for code, label in enumerate(evaluation.classes) if known else ():
        yield _answered(entry, replace(inputs, of_class=code), {"of_class": label})


def _answered(
    entry: Entry[AnalysisDeclaration],
    inputs: OutcomeInputs,
    further: Mapping[str, object] | None = None,
    compute: Callable[[], object] | None = None,
) -> Analysis:
    """Answer one item for one model; `further` values tell what it is about."""
    evaluation, single = inputs.evaluation, entry.declaration.about == "model"
    options = inputs.spec.method.keywords()
    notes: tuple[str, ...] = ()
    rounds = entry.declaration.fits == "rounds"
    if evaluation.further_seeds and "runs" not in entry.inputs and not rounds:
        notes = (f"of the first of {1 + len(evaluation.further_seeds)} seeds",)
    if (
        single
        and entry.declaration.fits not in ("subsets", "rounds")
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
    inputs: OutcomeInputs,
    values: dict[str, object],
    notes: tuple[str, ...],
) -> Analysis:
    own = values.get("notes", ())
    assert isinstance(own, list | tuple), "notes are a list of texts"
    plain = {**values, "notes": [*notes, *own]}
    return Analysis(
        kind=entry.name,
        data=inputs.evaluation.source,
        protocol=None if entry.declaration.fits == "rounds" else inputs.evaluation.protocol,
        model=inputs.models[0] if entry.declaration.about == "model" else None,
        metric=inputs.metric.written if entry.declaration.by_metric else None,
        values={name: with_tuples(value) for name, value in plain.items()},
    )
