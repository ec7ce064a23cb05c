"""Models that learn on a scale of the target and predict on the author's own.

Such a model is scikit-learn's `TransformedTargetRegressor` around its pipeline, so that task
keys, searches, saved models and every other part treat it as any other model.
"""

from evallang.models.model import EstimatorSpec, PipelineSpec
from evallang.target_scales import SCALES, TargetScale

WRAPPER, SCALE = "TransformedTargetRegressor", "func"


def rescale_target(pipeline: PipelineSpec, scale: str | None) -> PipelineSpec:
    """Return a pipeline that learns on a scale of the target, or the same without one."""
    if scale is None:
        return pipeline
    parameters = (("regressor", pipeline), (SCALE, scale))
    return PipelineSpec((EstimatorSpec(WRAPPER, parameters),))


def inside(spec: EstimatorSpec) -> PipelineSpec | None:
    """Return the pipeline behind a scale, None for any other class."""
    pipeline = dict(spec.parameters).get("regressor")
    if scale_of(spec) is None or not isinstance(pipeline, PipelineSpec):
        return None
    return pipeline


def scale_of(spec: EstimatorSpec) -> TargetScale | None:
    """Return the scale of a wrapped pipeline, None for any other class."""
    return SCALES.get(str(dict(spec.parameters).get(SCALE))) if spec.name == WRAPPER else None
