"""What a model is: a pipeline of classes and parameters, as data and nothing else.

A `PipelineSpec` names classes of the catalogue and holds plain values; candidates are
where the author wrote `in`. It is hashed into task keys, printed in reports, and becomes
scikit-learn objects only in `models/build.py`, inside a worker. A model that learns on a scale of
the target is scikit-learn's `TransformedTargetRegressor` around its pipeline.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar

from msgspec import Struct

from evallang.effect import Effect
from evallang.records import Placed
from evallang.source import Span
from evallang.spelling import RESERVED, written_name
from evallang.target_scales import SCALES, TargetScale

CONSTANTS = frozenset({"true", "false", "none"})  # values of their own, and so no texts

PlainValue = None | bool | int | float | str


class ListSpec(Struct, frozen=True):
    """A list value."""

    items: tuple[ParameterValue, ...]


class MapSpec(Struct, frozen=True):
    """A dictionary value; keys are labels or names."""

    entries: tuple[tuple[PlainValue, ParameterValue], ...]


class Candidates(Struct, frozen=True):
    """The values to search over, written after `in`; `written` is the domain as canonical text.

    `distribution` is `uniform` or `loguniform` for a search that samples, with `low` and
    `high`; `values` is then empty, and `integer` is whether whole numbers are drawn.
    """

    values: tuple[ParameterValue, ...]
    written: str
    distribution: str | None = None
    low: float | None = None
    high: float | None = None
    integer: bool = False


class EstimatorSpec(Struct, frozen=True):
    """One class of the catalogue with the parameters that were written, in their order.

    `code` is True for the author's own class (a dotted name).
    """

    name: str
    parameters: tuple[tuple[str, ParameterValue], ...] = ()
    code: bool = False


class NamedSpec(Struct, frozen=True):
    """A named model inside another (`VotingClassifier(estimators=[logistic, forest])`)."""

    name: str
    pipeline: PipelineSpec


class BranchSpec(Struct, frozen=True):
    """One branch of `columns(...)`.

    `key` is `numeric`, `categorical`, `rest` or a tuple of column names; `pipeline` is
    None for `passthrough`, and a branch whose columns are dropped is not written.
    """

    key: str | tuple[str, ...]
    pipeline: PipelineSpec | None


class ColumnsSpec(Struct, frozen=True):
    """`columns(...)`: which columns go through which pipeline."""

    branches: tuple[BranchSpec, ...]


StepSpec = EstimatorSpec | ColumnsSpec


class PipelineSpec(Struct, frozen=True):
    """Steps in order; the last is the estimator, or a transformer inside `columns`."""

    steps: tuple[StepSpec, ...]


ParameterValue = (
    PlainValue | ListSpec | MapSpec | Candidates | EstimatorSpec | NamedSpec | PipelineSpec
)
Path = tuple[int | str, ...]


class StoredSource(Placed, frozen=True):
    """Where the predictions of a model are that is not fitted: a results folder, its name there.

    `sha256` is the hash of the file of predictions, once it is read.
    """

    APART: ClassVar[tuple[str, ...]] = ("span", "model_span")

    folder: str
    model: str
    sha256: str | None = None
    span: Span | None = None
    model_span: Span | None = None

    @property
    def written(self) -> str:
        """The canonical text."""
        return f'results "{self.folder}" as {written_name(self.model)}'


class ModelSpec(Placed, frozen=True):
    """One model of a study: name, label for readers, pipeline, and where it is written.

    A model with a `stored` source is not fitted, and its pipeline is unknown.
    """

    APART: ClassVar[tuple[str, ...]] = ("span",)

    name: str
    label: Annotated[str, Effect.WORDS]
    pipeline: PipelineSpec
    span: Span | None = None
    stored: StoredSource | None = None


UNKNOWN_PIPELINE = PipelineSpec((EstimatorSpec("stored.model", code=True),))
"""Stands for the pipeline of a model whose predictions are stored: it may be anything."""


BASELINES = frozenset({"DummyClassifier", "DummyRegressor"})
"""Classes that look at no feature."""


def is_baseline(model: ModelSpec) -> bool:
    """Return whether a model looks at no feature: a dummy of scikit-learn."""
    last = model.pipeline.steps[-1] if model.pipeline.steps else None
    return isinstance(last, EstimatorSpec) and last.name in BASELINES


def is_configured(model: ModelSpec) -> bool:
    """Return whether an author wrote parameters of the last step of a model."""
    last = model.pipeline.steps[-1] if model.pipeline.steps else None
    return isinstance(last, EstimatorSpec) and bool(last.parameters)


class SearchParameter(Struct, frozen=True):
    """One searched parameter: its printed name, its candidates, whose parameter it is."""

    name: str
    candidates: Candidates
    owner: str = ""
    parameter: str = ""


def search_space(pipeline: PipelineSpec) -> tuple[SearchParameter, ...]:
    """List the searched parameters in the order written.

    A parameter is named by itself (`C`) where that is unique in the pipeline, else with
    its class (`LogisticRegression.C`), else with the class's position.
    """
    found = list(_walk(pipeline))
    plain = [parameter for _, _, parameter, _ in found]
    owned = [f"{owner}.{parameter}" for _, owner, parameter, _ in found]
    names = []
    for (path, owner, parameter, _), dotted in zip(found, owned, strict=True):
        if plain.count(parameter) == 1:
            names.append(parameter)
        elif owned.count(dotted) == 1:
            names.append(dotted)
        else:
            place = ".".join(str(part) for part in path)
            names.append(f"{owner}.{parameter}@{place}")
    return tuple(
        SearchParameter(name, candidates, owner, parameter)
        for name, (_, owner, parameter, candidates) in zip(names, found, strict=True)
    )


def grid(pipeline: PipelineSpec) -> tuple[dict[str, ParameterValue], ...]:
    """Return every combination of candidates; the first-written parameter varies slowest."""
    space = search_space(pipeline)
    return tuple(
        dict(zip((p.name for p in space), values, strict=True))
        for values in itertools.product(*(p.candidates.values for p in space))
    )


def with_choice(pipeline: PipelineSpec, choice: Mapping[str, ParameterValue]) -> PipelineSpec:
    """Replace each searched parameter by the value chosen for its name."""
    made: PipelineSpec = _replace(pipeline, iter([choice[p.name] for p in search_space(pipeline)]))
    return made


def _walk(
    spec: ParameterValue | ColumnsSpec, path: Path = ()
) -> Iterator[tuple[Path, str, str, Candidates]]:
    for key, item in parts_of(spec):
        if isinstance(item, Candidates):
            yield path, spec.name if isinstance(spec, EstimatorSpec) else "", str(key), item
        else:
            yield from _walk(item, (*path, key))


def parts_of(
    spec: ParameterValue | ColumnsSpec,
) -> Iterator[tuple[int | str, ParameterValue | ColumnsSpec]]:
    """Iterate over what a spec holds, each with its name or its number."""
    if isinstance(spec, EstimatorSpec):
        yield from spec.parameters
    elif isinstance(spec, NamedSpec):
        yield spec.name, spec.pipeline
    elif isinstance(spec, MapSpec):
        yield from ((str(key), item) for key, item in spec.entries)
    elif isinstance(spec, ColumnsSpec):
        yield from ((i, b.pipeline) for i, b in enumerate(spec.branches) if b.pipeline is not None)
    elif isinstance(spec, PipelineSpec):
        yield from enumerate(spec.steps)
    elif isinstance(spec, ListSpec):
        yield from enumerate(spec.items)
    elif isinstance(spec, Candidates):
        yield from enumerate(spec.values)


def _replace(spec: Any, values: Iterator[ParameterValue]) -> Any:
    """Replace the candidates in a spec by the next values, in the order written."""
    if isinstance(spec, Candidates):
        return next(values)
    if isinstance(spec, tuple):
        return tuple(_replace(item, values) for item in spec)
    if isinstance(spec, Struct):
        fields = (getattr(spec, name) for name in spec.__struct_fields__)
        return type(spec)(*(_replace(field, values) for field in fields))
    return spec


def identity(spec: ParameterValue | ColumnsSpec) -> str:
    """Return text that is equal for equal specs and for no others; for keys, not for readers.

    `written` names a model inside another by its name only, and Python holds 1, 1.0 and
    True for equal.
    """
    return repr(spec)


# --- canonical text --------------------------------------------------------------------


def written(spec: ParameterValue | ColumnsSpec) -> str:
    """Return the text that the author would write for a value or a pipeline, canonically."""
    if isinstance(spec, bool):
        return "true" if spec else "false"
    if spec is None:
        return "none"
    if isinstance(spec, int | float):
        return repr(spec)
    if isinstance(spec, str):
        return _word(spec)
    if isinstance(spec, ListSpec):
        return "[" + ", ".join(written(item) for item in spec.items) + "]"
    if isinstance(spec, MapSpec):
        return "{" + ", ".join(f"{written(k)}: {written(v)}" for k, v in spec.entries) + "}"
    if isinstance(spec, Candidates):
        return spec.written
    if isinstance(spec, NamedSpec):
        return spec.name
    if isinstance(spec, EstimatorSpec):
        if not spec.parameters:
            return spec.name
        parts = [
            f"{name} in {value.written}"
            if isinstance(value, Candidates)
            else f"{name}={written(value)}"
            for name, value in spec.parameters
        ]
        return f"{spec.name}({', '.join(parts)})"
    if isinstance(spec, ColumnsSpec):
        parts = [
            f"{_key(b.key)}: {written(b.pipeline) if b.pipeline else 'passthrough'}"
            for b in spec.branches
        ]
        return f"columns({', '.join(parts)})"
    return " | ".join(written(step) for step in spec.steps)


def _key(key: str | tuple[str, ...]) -> str:
    return key if isinstance(key, str) else "[" + ", ".join(map(written_name, key)) + "]"


def _word(text: str) -> str:
    """Format a text value: `best` is a word of classes, not a name of the author's."""
    return written_name(text) if text not in RESERVED - CONSTANTS else text


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
