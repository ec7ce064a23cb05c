"""Pipelines without parameters that have the default of the catalogue."""

from evallang.models.catalogue import CATALOGUE
from evallang.models.model import (
    BranchSpec,
    ColumnsSpec,
    EstimatorSpec,
    ListSpec,
    MapSpec,
    NamedSpec,
    ParameterValue,
    PipelineSpec,
    StepSpec,
    identity,
    written,
)


def drop_defaults(pipeline: PipelineSpec) -> PipelineSpec:
    """Drop every parameter that has its default value, so that equal fits have equal keys."""
    return PipelineSpec(tuple(_step(step) for step in pipeline.steps))


def _step(step: StepSpec) -> StepSpec:
    if isinstance(step, EstimatorSpec):
        return _estimator(step)
    return ColumnsSpec(
        tuple(BranchSpec(b.key, b.pipeline and drop_defaults(b.pipeline)) for b in step.branches)
    )


def _estimator(spec: EstimatorSpec) -> EstimatorSpec:
    entry = None if spec.code else CATALOGUE.get(spec.name)
    kept = []
    for name, value in spec.parameters:
        known = entry.parameter(name) if entry is not None else None
        plain = value is None or isinstance(value, bool | int | float | str | ListSpec)
        if (
            known is not None
            and plain
            and written(value) == known.default_text
            and identity(value) == identity(known.default)
        ):
            continue
        kept.append((name, _value(value)))
    return EstimatorSpec(spec.name, tuple(kept), spec.code)


def _value(value: ParameterValue) -> ParameterValue:
    if isinstance(value, EstimatorSpec):
        return _estimator(value)
    if isinstance(value, PipelineSpec):
        return drop_defaults(value)
    if isinstance(value, NamedSpec):
        return NamedSpec(value.name, drop_defaults(value.pipeline))
    if isinstance(value, ListSpec):
        return ListSpec(tuple(_value(item) for item in value.items))
    if isinstance(value, MapSpec):
        return MapSpec(tuple((key, _value(item)) for key, item in value.entries))
    return value
