"""`threshold MODEL = NUMBER` below `data`: the score from which a fitted model says positive."""

from evallang.checking import clause_values
from evallang.checking.clauses import Clauses
from evallang.checking.resolve_imported import threshold_value
from evallang.checking.resolve_measure import known_model
from evallang.checking.scope import Scope
from evallang.data.dataset import DataSpec, Table
from evallang.diagnostics import Code, Diagnostic, codes, diagnose
from evallang.models.abilities import abilities, models_in
from evallang.models.model import Candidates, EstimatorSpec, ModelSpec, ParameterValue, written
from evallang.models.thresholds import (
    BY_SCORES,
    chosen_by,
    thresholding,
    unused_thresholds,
)
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
    judge_classes_with_thresholds(scope, study)
    models = {model.name: model for model in study.models}
    for source in study.sources:
        for name, value in source.thresholds if isinstance(source, DataSpec) else ():
            place = source.places.get(f"threshold {name}")
            if name not in models:
                continue  # reported with the model
            found = _objection(models[name], value)
            if found is not None:
                code, message, help_text = found
                scope.report(code, message, place, help=help_text)


def judge_classes_with_thresholds(scope: Scope, study: Study) -> None:
    """Report classes with a threshold around a model whose scores they cannot divide."""
    for model in study.fitted:
        for spec in thresholding(model.pipeline):
            problem = _unsuitable(spec)
            if problem is not None:
                message, help_text = problem
                node = scope.models[model.name]
                place = node.pipeline or node
                scope.report(codes.parameter_value, message, place.span, help=help_text)
        for outer, inner in unused_thresholds(model.pipeline):
            node = scope.models[model.name]
            scope.report(
                codes.threshold_beside_labels,
                f"`{outer.name}` {BY_SCORES[outer.name]}, so that the threshold of `{inner.name}` "
                "inside it has no use",
                (node.pipeline or node).span,
                help=f"write `{inner.name}(estimator={outer.name}(...))`, which divides the scores "
                f"of the whole, or the estimator without `{inner.name}`",
            )


def _unsuitable(spec: EstimatorSpec) -> tuple[str, str] | None:
    """Return what is wrong with a class with a threshold and its fix, None where nothing is."""
    parameters = dict(spec.parameters)
    inside = next(models_in(parameters.get("estimator")), None)
    able = None if inside is None else abilities(inside)
    if inside is None or able is None or not able.known:
        return None
    name, last = spec.name, written(inside.steps[-1]).partition("(")[0]
    response = parameters.get("response_method")
    given = {"predict_proba": able.probabilities, "decision_function": able.margins}
    by_probability = able.probabilities and response != "decision_function"
    outside = [value for value in _stated(parameters.get("threshold")) if not 0 < value < 1]
    instead = f"write a classifier with scores: `{name}(estimator=LogisticRegression)`"
    if able.kind != "classifier":
        message = f"`{name}` divides the scores of a classifier, and `{last}` is not a classifier"
    elif not able.scores:
        message = f"`{name}` divides scores, which `{last}` does not give"
    elif isinstance(response, str) and not given.get(response, True):
        message = f"`{response}` is the response of `{name}`, and `{last}` does not have it"
        instead = "remove `response_method`"
    elif by_probability and outside:
        message = f"`{last}` gives probabilities, and a threshold of {outside[0]:g} does not "
        message += "divide them"
        instead = "write a number between 0 and 1: "
        instead += f"`{name}(estimator={last}, threshold=0.3)`"
    elif parameters.get("refit") is False and not isinstance(parameters.get("cv"), float):
        message = f"`refit=false` of `{name}` keeps the model of one split, and `cv` makes several"
        instead = "remove `refit=false`, or write `cv=0.25`, the share of one split"
    else:
        return None
    return message, instead


def _stated(threshold: ParameterValue | None) -> list[float]:
    """Return the numbers among what a class takes for its threshold."""
    every = threshold.values if isinstance(threshold, Candidates) else (threshold,)
    return [float(v) for v in every if isinstance(v, int | float) and not isinstance(v, bool)]


def _objection(model: ModelSpec, value: float) -> tuple[Code, str, str] | None:
    """Return the code, the message and the fix where a threshold does not suit a model."""
    able, own = abilities(model.pipeline), chosen_by(model.pipeline)
    code, other = codes.threshold_beside_labels, ""
    if model.stored is not None:
        what, other = "its stored labels were made already", ", or fit the model here"
    elif own is not None:
        what, other = f"`{own}` sets one already", f", or write the estimator without `{own}`"
    elif able.kind == "regressor":
        what = "it predicts numbers, not classes"
    elif not able.scores:
        code, what = codes.model_without_predictions, "does not give scores to apply it to"
        other = ", or choose a model with `predict_proba`"
    elif able.known and able.probabilities and not 0 < value < 1:
        code, what = (
            codes.clause_value,
            f"gives probabilities: a threshold of {value:g} does not divide them",
        )
        other = f", or write a number between 0 and 1: `threshold {model.name} = 0.3`"
    else:
        return None
    message = f"`{model.name}` has a threshold, but {what}"
    return code, message, f"remove `threshold {model.name}`{other}"


def judge_read_thresholds(study: Study, table: Table) -> list[Diagnostic]:
    """Report thresholds on data with other than two classes, once the data are read."""
    if table.task == "classification" and len(table.classes) == 2:
        return []
    named = [name for name, _ in table.spec.thresholds]
    of_classes = [model.name for model in study.fitted if any(thresholding(model.pipeline))]
    places = {model.name: model.span for model in study.models}
    what = f"the target has {len(table.classes)} classes"
    if table.task != "classification":
        what, of_classes = "the target has numbers", []  # a classifier is refused as such
    return [
        diagnose(
            codes.threshold_beside_labels,
            f"`{name}` has a threshold, which divides two classes, and {what}",
            table.spec.places.get(f"threshold {name}", places.get(name)),
            help=f"remove `threshold {name}`"
            if name in named
            else f"write the estimator without `{_by(study, name)}`",
        )
        for name in (*named, *of_classes)
    ]


def _by(study: Study, name: str) -> str:
    pipeline = next(model.pipeline for model in study.models if model.name == name)
    return next(spec.name for spec in thresholding(pipeline))
