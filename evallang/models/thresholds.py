"""Classes that turn scores into labels by a threshold of their own."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from evallang.frozen_records import frozen
from evallang.models.abilities import classes_of
from evallang.models.catalogue import CATALOGUE
from evallang.models.model import (
    Candidates,
    EstimatorSpec,
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


@frozen
class OwnThreshold:
    """How a class of a pipeline sets a threshold.

    `value` is the number that the study states, None for the class's default or where it is
    chosen: by the search of the study (`searched`), or in each training part by the score
    `scoring`, in as many `folds` or on the share `part` of the rows.
    """

    by: str
    value: float | None = None
    scoring: str | None = None
    folds: int | None = None
    part: float | None = None
    searched: bool = False


@frozen
class ChosenThreshold:
    """The threshold that a fit chose: labels are positive from this score on.

    `value` is on the scale of the `scores` of the positive class.
    """

    value: float
    scores: Literal["probabilities", "margins"]


def chooses_threshold(step: StepSpec) -> bool:
    """Return whether a last step chooses a threshold when it is fitted."""
    return isinstance(step, EstimatorSpec) and step.name == TUNED and not step.code


def chosen_threshold(
    step: StepSpec, fitted: Any, positive: int | None, targets: Sequence[Any]
) -> ChosenThreshold | None:
    """Return the threshold that a fitted last step chose, None where it does not choose one.

    scikit-learn states it for the scores of one class, which is the last one unless the metric
    names the positive class; those of the other class are 1 - p, or the negative margin.
    """
    if not isinstance(step, EstimatorSpec) or not chooses_threshold(step) or positive is None:
        return None
    value = float(fitted.best_threshold_)
    response = dict(step.parameters).get("response_method", "auto")
    by_probability = response == "predict_proba" or (
        response == "auto" and hasattr(fitted.estimator_, "predict_proba")
    )
    divided = positive
    if scoring_of(step) not in OF_THE_POSITIVE_CLASS:
        last = list(fitted.classes_)[-1]
        divided = list(targets).index(last) if targets else int(last)
    if divided != positive:
        value = 1 - value if by_probability else -value
    return ChosenThreshold(value, "probabilities" if by_probability else "margins")


def own_threshold(pipeline: PipelineSpec) -> OwnThreshold | None:
    """Return how the outermost class of a pipeline with a threshold sets it, None without one."""
    spec = next(thresholding(pipeline), None)
    if spec is None:
        return None
    parameters = dict(spec.parameters)
    if spec.name == FIXED:
        value = parameters.get("threshold", "auto")
        if isinstance(value, Candidates):
            return OwnThreshold(FIXED, searched=True)
        number = float(value) if isinstance(value, int | float) else None
        return OwnThreshold(FIXED, number)
    cv = parameters.get("cv")
    return OwnThreshold(
        TUNED,
        scoring=written(scoring_of(spec)),
        folds=cv if isinstance(cv, int) else DEFAULT_FOLDS if cv is None else None,
        part=cv if isinstance(cv, float) else None,
    )


def thresholding(pipeline: PipelineSpec) -> Iterator[EstimatorSpec]:
    """Iterate over the classes of a pipeline that set a threshold, the outermost first."""
    return (s for s in classes_of(pipeline) if s.name in (FIXED, TUNED) and not s.code)


def chosen_by(pipeline: PipelineSpec) -> str | None:
    """Return the class of a pipeline that sets a threshold, None without one."""
    found = own_threshold(pipeline)
    return None if found is None else found.by


def scoring_of(spec: EstimatorSpec) -> ParameterValue:
    """Return the score by which a class chooses its threshold."""
    known = CATALOGUE[spec.name].parameter("scoring")
    return dict(spec.parameters).get("scoring", known.default if known else None)
