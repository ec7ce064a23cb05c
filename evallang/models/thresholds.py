"""Classes that turn scores into labels by a threshold of their own."""

from collections.abc import Iterator

from evallang.frozen_records import frozen
from evallang.models.abilities import classes_of
from evallang.models.catalogue import CATALOGUE
from evallang.models.model import Candidates, EstimatorSpec, ParameterValue, PipelineSpec, written

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
