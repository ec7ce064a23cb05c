"""Steps that change how many training rows of each class there are: those of imbalanced-learn.

A resampler sees the rows on which a pipeline is fitted, and no others. Rows to predict go through
the other steps alone.
"""

from evallang.models.catalogue import CATALOGUE
from evallang.models.model import ColumnsSpec, EstimatorSpec, PipelineSpec, StepSpec

KIND = "resampler"


def is_resampler(step: StepSpec) -> bool:
    """Return whether a step is a resampler of the catalogue."""
    if isinstance(step, ColumnsSpec) or step.code:
        return False
    entry = CATALOGUE.get(step.name)
    return entry is not None and KIND in entry.kinds


def resamplers(pipeline: PipelineSpec) -> tuple[EstimatorSpec, ...]:
    """Return the steps of a pipeline that are resamplers."""
    return tuple(
        step for step in pipeline.steps if isinstance(step, EstimatorSpec) and is_resampler(step)
    )


def steps_of_new_rows(pipeline: PipelineSpec) -> tuple[StepSpec, ...]:
    """Return the steps that rows to predict go through."""
    return tuple(step for step in pipeline.steps if not is_resampler(step))
