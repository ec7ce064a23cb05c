"""Classes that turn scores into labels by a threshold of their own."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from msgspec import Struct

from evallang.models.abilities import abilities, classes_of, models_in
from evallang.models.catalogue import CATALOGUE
from evallang.models.model import (
    Candidates,
    EstimatorSpec,
    ListSpec,
    NamedSpec,
    ParameterValue,
    PipelineSpec,
    StepSpec,
    written,
)

FIXED, TUNED = "FixedThresholdClassifier", "TunedThresholdClassifierCV"
DEFAULT_FOLDS = 5  # scikit-learn's

OF_THE_POSITIVE_CLASS = {
    function.removesuffix("_score"): function
    for function in ("f1_score", "jaccard_score", "precision_score", "recall_score")
}
"""Words whose score depends on which class is positive, with their functions."""

ALWAYS: tuple[str, ParameterValue] = ("", None)
LABELS_COME_FROM: Mapping[tuple[str, str], tuple[str, tuple[str, ParameterValue]]] = {
    ("VotingClassifier", "estimators"): ("estimators_", ("voting", "hard")),
    ("StackingClassifier", "estimators"): ("estimators_", ("stack_method", "predict")),
    ("StackingClassifier", "final_estimator"): ("final_estimator_", ALWAYS),
    ("SelfTrainingClassifier", "estimator"): ("estimator_", ALWAYS),
}
"""By class and parameter: the attribute of the fitted models whose labels count in its own labels,
and the parameter with the value on which that depends."""
BY_SCORES = {
    "BaggingClassifier": "averages the probabilities of its members",
    "CalibratedClassifierCV": "calibrates the scores of its estimator",
    "StackingClassifier": "passes the scores of its members on",
    "VotingClassifier": "averages the probabilities of its members",
    FIXED: "divides the scores of its estimator",
    TUNED: "divides the scores of its estimator",
}
"""What classes do that make no use of the labels of models inside them, besides the above."""
VOTES_WITHOUT_PROBABILITIES = frozenset({"BaggingClassifier"})
"""Classes that count the labels of models without probabilities."""


class OwnThreshold(Struct, frozen=True):
    """How a class of a pipeline sets a threshold.

    `value` is the number that the study states, None for the class's default or where it is
    chosen: by the search of the study (`searched`), or in each training part by the score
    `scoring`, in as many `folds` or on the share `part` of the rows. `member` names the model of
    an ensemble whose labels it makes, empty where they are those of the pipeline.
    """

    by: str
    value: float | None = None
    scoring: str | None = None
    folds: int | None = None
    part: float | None = None
    searched: bool = False
    member: str = ""


class ChosenThreshold(Struct, frozen=True):
    """The threshold that a fit chose: labels are positive from this score on.

    `value` is on the scale of the `scores` of the positive class. `member` names the model of an
    ensemble that chose it, empty where it is the last step.
    """

    value: float
    scores: Literal["probabilities", "margins"]
    member: str = ""


def deciding(step: StepSpec, fitted: Any = None) -> Iterator[tuple[str, EstimatorSpec, Any]]:
    """Iterate over the classes with a threshold on which the labels of a last step depend.

    Each has the name of its model in an ensemble, and is fitted where the last step is. Those
    whose scores alone are used, as in soft voting, do not affect the labels.
    """
    if not isinstance(step, EstimatorSpec) or step.code:
        return
    if step.name in (FIXED, TUNED):
        yield "", step, fitted
        return
    for name, value in step.parameters:
        source = LABELS_COME_FROM.get((step.name, name))
        if source is None or not _holds(step, *source[1]):
            continue
        made = getattr(fitted, source[0], None)
        for place, (label, inside) in enumerate(_members(name, value)):
            part = made[place] if isinstance(made, list) else made
            part = getattr(part, "steps", [("", part)])[-1][1]
            for member, spec, found in deciding(inside.steps[-1], part):
                yield ", ".join(filter(None, (label, member))), spec, found


def _members(name: str, value: ParameterValue) -> Iterator[tuple[str, PipelineSpec]]:
    """Iterate over the models of a parameter with their names, or their numbers in a list."""
    items = value.items if isinstance(value, ListSpec) else None
    for number, item in enumerate((value,) if items is None else items, start=1):
        label = name.replace("_", " ") if items is None else f"estimator {number}"
        for inside in models_in(item):
            yield item.name if isinstance(item, NamedSpec) else label, inside


def _holds(spec: EstimatorSpec, name: str, wanted: ParameterValue) -> bool:
    """Return whether a parameter has a value, or may have it in a search."""
    if not name:
        return True
    known = CATALOGUE[spec.name].parameter(name)
    value = dict(spec.parameters).get(name, known.default if known else None)
    return wanted in value.values if isinstance(value, Candidates) else value == wanted


def unused_thresholds(pipeline: PipelineSpec) -> Iterator[tuple[EstimatorSpec, EstimatorSpec]]:
    """Iterate over classes with a threshold inside others that use their scores alone."""
    for outer in classes_of(pipeline):
        for name, value in outer.parameters if outer.name in BY_SCORES and not outer.code else ():
            source = LABELS_COME_FROM.get((outer.name, name))
            if source is None or not _holds(outer, *source[1]):
                for inside in models_in(value):
                    if outer.name in VOTES_WITHOUT_PROBABILITIES:
                        able = abilities(inside)
                        if not (able.known and able.probabilities):
                            continue
                    yield from ((outer, spec) for _, spec, _ in deciding(inside.steps[-1]))


def chooses_threshold(step: StepSpec) -> bool:
    """Return whether a last step, or a model whose labels it uses, chooses a threshold."""
    return any(spec.name == TUNED for _, spec, _ in deciding(step))


def chosen_thresholds(
    step: StepSpec, fitted: Any, positive: int | None, targets: Sequence[Any]
) -> tuple[ChosenThreshold, ...]:
    """Return the thresholds that a fitted last step chose, those of its members too."""
    tuned = [one for one in deciding(step, fitted) if one[1].name == TUNED]
    if positive is None or not tuned:
        return ()
    last = list(fitted.classes_)[-1]
    divided = targets.index(last) if targets else int(last)
    return tuple(_chosen(member, spec, found, positive, divided) for member, spec, found in tuned)


def _chosen(
    member: str, step: EstimatorSpec, fitted: Any, positive: int, last: int
) -> ChosenThreshold:
    """Return the threshold that a class chose.

    scikit-learn states it for the scores of one class, which is the last one unless the metric
    names the positive class; those of the other class are 1 - p, or the negative margin.
    """
    value = float(fitted.best_threshold_)
    response = dict(step.parameters).get("response_method", "auto")
    by_probability = response == "predict_proba" or (
        response == "auto" and hasattr(fitted.estimator_, "predict_proba")
    )
    divided = positive if scoring_of(step) in OF_THE_POSITIVE_CLASS else last
    if divided != positive:
        value = 1 - value if by_probability else -value
    return ChosenThreshold(value, "probabilities" if by_probability else "margins", member)


def own_thresholds(pipeline: PipelineSpec) -> tuple[OwnThreshold, ...]:
    """Return how the labels of a pipeline are divided: by its last step, or by its members."""
    return tuple(_own(spec, member) for member, spec, _ in deciding(pipeline.steps[-1]))


def _own(spec: EstimatorSpec, member: str) -> OwnThreshold:
    parameters = dict(spec.parameters)
    if spec.name == FIXED:
        value = parameters.get("threshold", "auto")
        if isinstance(value, Candidates):
            return OwnThreshold(FIXED, searched=True, member=member)
        number = float(value) if isinstance(value, int | float) else None
        return OwnThreshold(FIXED, number, member=member)
    cv = parameters.get("cv")
    return OwnThreshold(
        TUNED,
        scoring=written(scoring_of(spec)),
        folds=cv if isinstance(cv, int) else DEFAULT_FOLDS if cv is None else None,
        part=cv if isinstance(cv, float) else None,
        member=member,
    )


def thresholding(pipeline: PipelineSpec) -> Iterator[EstimatorSpec]:
    """Iterate over the classes of a pipeline that set a threshold, the outermost first."""
    return (s for s in classes_of(pipeline) if s.name in (FIXED, TUNED) and not s.code)


def chosen_by(pipeline: PipelineSpec) -> str | None:
    """Return the class of a last step that sets a threshold, None without one."""
    return next((own.by for own in own_thresholds(pipeline) if not own.member), None)


def scoring_of(spec: EstimatorSpec) -> ParameterValue:
    """Return the score by which a class chooses its threshold."""
    known = CATALOGUE[spec.name].parameter("scoring")
    return dict(spec.parameters).get("scoring", known.default if known else None)
