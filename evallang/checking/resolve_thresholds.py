"""`threshold MODEL = NUMBER` below `data`: the score from which a fitted model says positive."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from evallang.checking import clause_values
from evallang.checking.clauses import Clauses
from evallang.checking.resolve_imported import threshold_value
from evallang.checking.resolve_measure import known_model
from evallang.checking.scope import Scope, refusal
from evallang.data.dataset import DataSpec, Table
from evallang.diagnostics import Diagnostic, codes
from evallang.models.abilities import abilities, models_in
from evallang.models.model import Candidates, EstimatorSpec, ModelSpec, written
from evallang.models.thresholds import (
    BY_SCORES,
    chosen_by,
    thresholding,
    unused_thresholds,
)
from evallang.source import Span
from evallang.spelling import Words
from evallang.study import Study
from evallang.syntax import nodes as n


def thresholds_of_models(scope: Scope, clauses: Clauses) -> tuple[tuple[str, float], ...]:
    """Resolve the thresholds below one `data` statement, each of one model of the study."""
    found: dict[str, float] = {}
    names = None if "model" in scope.unread else Words(scope.models)
    for setting in clauses.find(n.ModelSettingNode):
        model = clause_values.column_name(setting.model)
        value = threshold_value(scope, setting.value)
        if model in found:
            first = clauses.places.get(f"threshold {model}")
            message = f"`threshold` of `{model}` is given twice"
            scope.report_twice(codes.clause_twice, message, setting.span, first)
        elif known_model(scope, setting.model, names) is not None and value is not None:
            found[model] = value
    return tuple(found.items())


def judge_thresholds(scope: Scope, study: Study) -> None:
    """Report thresholds of models that give no score of the positive class to apply them to."""
    for model in study.fitted:
        node = scope.models[model.name]
        place = (node.pipeline or node).span
        for spec in thresholding(model.pipeline):
            for key, facts in islice(_unsuitable(spec), 1):
                scope.refuse(key, place, name=spec.name, **facts)
        for outer, inner in unused_thresholds(model.pipeline):
            by = BY_SCORES[outer.name]
            scope.refuse("threshold_inside", place, outer=outer, by_scores=by, inner=inner)
    models = {model.name: model for model in study.models}
    for source in study.sources:
        for name, value in source.thresholds if isinstance(source, DataSpec) else ():
            if name in models:  # else it is reported with the model
                stated = source.places.get(f"threshold {name}")
                _judge_threshold(scope, models[name], value, stated)


def _unsuitable(spec: EstimatorSpec) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Iterate over what is wrong with a class with a threshold."""
    parameters = dict(spec.parameters)
    inside = next(models_in(parameters.get("estimator")), None)
    able = None if inside is None else abilities(inside)
    if inside is None or able is None or not able.known:
        return
    last, response = written(inside.steps[-1]).partition("(")[0], parameters.get("response_method")
    given = {"predict_proba": able.probabilities, "decision_function": able.margins}
    by_probability = able.probabilities and response != "decision_function"
    threshold = parameters.get("threshold")
    every = threshold.values if isinstance(threshold, Candidates) else (threshold,)
    stated = [v for v in every if isinstance(v, int | float) and not isinstance(v, bool)]
    outside = [value for value in stated if not 0 < value < 1]
    if able.kind != "classifier":
        yield "threshold_of_no_classifier", {"last": last}
    if not able.scores:
        yield "threshold_without_scores", {"last": last}
    if isinstance(response, str) and not given.get(response, True):
        yield "response_of_another", {"last": last, "response": response}
    if by_probability and outside:
        yield "threshold_beyond_probabilities", {"last": last, "value": outside[0]}
    if parameters.get("refit") is False and not isinstance(parameters.get("cv"), float):
        yield "refit_of_several", {}


def _judge_threshold(scope: Scope, model: ModelSpec, value: float, place: Span | None) -> None:
    """Report a threshold that does not suit its model."""
    able, own = abilities(model.pipeline), chosen_by(model.pipeline)
    if model.stored is not None:
        scope.refuse("threshold_of_stored", place, model=model)
    elif own is not None:
        scope.refuse("second_threshold", place, model=model, own=own)
    elif able.kind == "regressor":
        scope.refuse("threshold_of_numbers", place, model=model)
    elif not able.scores:
        scope.refuse("threshold_of_labels", place, model=model)
    elif able.known and able.probabilities and not 0 < value < 1:
        scope.refuse("threshold_of_probabilities", place, model=model, value=value)


def judge_read_thresholds(study: Study, table: Table) -> Iterator[Diagnostic]:
    """Report thresholds on data with other than two classes, once the data are read."""
    if table.task == "classification" and len(table.classes) == 2:
        return
    k = len(table.classes)
    what = f"the target has {k} classes" if k else "the target has numbers"
    key = "threshold_of_other_classes"
    for name, _ in table.spec.thresholds:
        place, fix = table.spec.places.get(f"threshold {name}"), f"remove `threshold {name}`"
        yield refusal(key, place, help=fix, name=name, what=what, by="")
    # a classifier on numbers is refused as such
    for model in study.fitted if table.classes else ():
        for spec in islice(thresholding(model.pipeline), 1):
            yield refusal(key, model.span, name=model.name, what=what, by=spec.name)
