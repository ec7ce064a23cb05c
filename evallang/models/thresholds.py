"""Classes that turn scores into labels by a threshold of their own."""

from collections.abc import Iterator

from evallang.frozen_records import frozen
from evallang.models.abilities import classes_of
from evallang.models.model import Candidates, EstimatorSpec, PipelineSpec, written

FIXED, TUNED = "FixedThresholdClassifier", "TunedThresholdClassifierCV"
DEFAULT_SCORING, DEFAULT_FOLDS = "balanced_accuracy", 5  # those of scikit-learn

OF_THE_POSITIVE_CLASS = {
    "f1": "f1_score",
    "jaccard": "jaccard_score",
    "precision": "precision_score",
    "recall": "recall_score",
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
    scoring, cv = parameters.get("scoring", DEFAULT_SCORING), parameters.get("cv")
    return OwnThreshold(
        TUNED,
        scoring=written(scoring),
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
