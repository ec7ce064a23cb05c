"""What a whole pipeline can do with the parameters that were written.

The last step decides; classes that hold models are looked into. A parameter that is
searched must give the ability with every candidate.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from evallang.models.catalogue import CATALOGUE, ClassEntry, Rule
from evallang.models.columns import branch_columns
from evallang.models.model import (
    Candidates,
    ColumnsSpec,
    EstimatorSpec,
    ParameterValue,
    PipelineSpec,
    StepSpec,
    parts_of,
)
from evallang.models.resamplers import steps_of_new_rows


class Abilities(Struct, frozen=True):
    """What a pipeline is and can do.

    Attributes
    ----------
    kind : None when the last step is neither a classifier nor a regressor
    probabilities : it has `predict_proba`
    scores : it has something to rank by: probabilities or a decision function
    margins : it has a decision function
    missing_values : numeric columns may have missing values
    text : columns of text may be given to it
    weights : its last step takes a weight for each example
    seeded : the classes that get a seed from the study
    parallel : the classes that would run in parallel, and run alone here
    known : False when a step is the author's own code, and the rest a guess
    """

    kind: Literal["classifier", "regressor"] | None
    probabilities: bool
    scores: bool
    missing_values: bool
    text: bool
    weights: bool
    seeded: tuple[str, ...] = ()
    parallel: tuple[str, ...] = ()
    known: bool = True
    margins: bool = False


class ColumnState(Struct, frozen=True):
    """What is known of a column at some step; also what `unusable_columns` is asked about."""

    name: str
    numeric: bool
    missing: bool
    index: int = 0


class UnusableColumns(Struct, frozen=True):
    """Columns with missing values, or of text, that reach a class which takes none."""

    problem: Literal["missing", "text"]
    class_name: str
    columns: tuple[str, ...]


def abilities(pipeline: PipelineSpec) -> Abilities:
    """Return what a pipeline can do; a class outside the catalogue counts as own code."""
    last = pipeline.steps[-1]
    classes = tuple(classes_of(pipeline))
    known = all(_entry(spec) is not None for spec in classes)
    entry = _entry(last)
    seeded = tuple(dict.fromkeys(s.name for s in classes if _takes(s, "random_state", None)))
    parallel = tuple(dict.fromkeys(s.name for s in classes if _takes(s, "n_jobs", 1)))
    if entry is None or not isinstance(last, EstimatorSpec):
        own = isinstance(last, EstimatorSpec)
        return Abilities(None, own, own, own, own, own, seeded, parallel, known=not own)
    probabilities = holds(entry, "probabilities", last, lambda p: abilities(p).probabilities)
    margins = holds(entry, "scores", last, lambda p: abilities(p).scores)
    return Abilities(
        kind=_kind(entry, last),
        probabilities=probabilities,
        scores=probabilities or margins,
        missing_values=not _flow(pipeline, None, ColumnState("", numeric=True, missing=True))[1],
        text=not _flow(pipeline, None, ColumnState("", numeric=False, missing=False))[1],
        weights=holds(entry, "weights", last, lambda p: abilities(p).weights)
        and _hands_weights_on(last),
        seeded=seeded,
        parallel=parallel,
        known=known,
        margins=margins,
    )


def unweighted_steps(pipeline: PipelineSpec) -> tuple[str, ...]:
    """Return the classes before the last step that could take weights; only the last gets them."""
    if len(pipeline.steps) < 2:
        return ()
    earlier = classes_of(PipelineSpec(pipeline.steps[:-1]))
    return tuple(
        dict.fromkeys(
            step.name
            for step in earlier
            if _entry(step) and abilities(PipelineSpec((step,))).weights
        )
    )


def _hands_weights_on(spec: EstimatorSpec) -> bool:
    """Return whether all models inside a class take weights; a pipeline would not pass them on."""
    inside = [model for _, value in spec.parameters for model in models_in(value)]
    return all(len(model.steps) == 1 and abilities(model).weights for model in inside)


def unusable_columns(
    pipeline: PipelineSpec, columns: Sequence[ColumnState]
) -> tuple[UnusableColumns, ...]:
    """Return the columns that a step cannot take as they are when they reach it."""
    return tuple(_flow(pipeline, list(columns), None)[1])


def misplaced_columns(pipeline: PipelineSpec) -> bool:
    """Return whether `columns(...)` is where columns have lost their names.

    It may be first, and first in a model inside the first step; not inside another
    `columns(...)`. A resampler before it keeps the columns.
    """
    steps = steps_of_new_rows(pipeline)
    return any(_misplaced(step, first=i == 0) for i, step in enumerate(steps))


def classes_of(spec: ParameterValue | ColumnsSpec) -> Iterator[EstimatorSpec]:
    """Iterate over every class of a pipeline with its parameters, those inside others too."""
    if isinstance(spec, EstimatorSpec):
        yield spec
    for _, item in parts_of(spec):
        yield from classes_of(item)


def models_in(value: ParameterValue | ColumnsSpec) -> Iterator[PipelineSpec]:
    """Iterate over the models that a value holds, candidates and entries of maps too."""
    if isinstance(value, EstimatorSpec):
        yield PipelineSpec((value,))
    elif isinstance(value, PipelineSpec):
        yield value
    else:
        for _, item in parts_of(value):
            yield from models_in(item)


def holds(
    entry: ClassEntry, fact: str, spec: EstimatorSpec, able: Callable[[PipelineSpec], bool]
) -> bool:
    """Return whether a rule of the catalogue holds for a class with its parameters."""
    rule: Rule = entry.rule(fact)
    if isinstance(rule, bool):
        return rule
    written = dict(spec.parameters)
    for name, allowed in rule.items():
        if name in ("nested", "without"):
            continue
        if not all(value in allowed for value in _values(entry, written, name)):
            return False
    inside = [m for name in rule.get("nested", ()) for m in models_in(written.get(name))]
    if "nested" in rule and not inside:
        return bool(rule.get("without"))
    return all(able(model) for model in inside)


def _values(entry: ClassEntry, written: dict[str, Any], name: str) -> tuple[Any, ...]:
    parameter = entry.parameter(name)
    value = written.get(name, parameter.default if parameter else None)
    return value.values if isinstance(value, Candidates) else (value,)


def _kind(entry: ClassEntry, spec: EstimatorSpec) -> Literal["classifier", "regressor"] | None:
    if "classifier" in entry.kinds:
        return "classifier"
    if "regressor" in entry.kinds:
        return "regressor"
    if "nested" in entry.kinds:
        inside = [m for n in entry.nested for m in models_in(dict(spec.parameters).get(n))]
        return abilities(inside[0]).kind if inside else None
    return None


def _takes(spec: EstimatorSpec, parameter: str, unless: ParameterValue) -> bool:
    """Return whether a class has a parameter that is not written with another value."""
    entry = _entry(spec)
    if entry is None or entry.parameter(parameter) is None:
        return False
    return dict(spec.parameters).get(parameter, unless) == unless or parameter == "n_jobs"


def _entry(spec: StepSpec) -> ClassEntry | None:
    if isinstance(spec, ColumnsSpec) or spec.code or spec.name not in CATALOGUE:
        return None
    return CATALOGUE[spec.name]


def _misplaced(step: StepSpec, *, first: bool) -> bool:
    if isinstance(step, ColumnsSpec):
        inside = [b.pipeline for b in step.branches if b.pipeline is not None]
        return not first or any(_has_columns(pipeline) for pipeline in inside)
    models = [m for _, value in step.parameters for m in models_in(value)]
    if first:
        return any(misplaced_columns(model) for model in models)
    return any(_has_columns(model) for model in models)


def _has_columns(spec: ParameterValue | ColumnsSpec) -> bool:
    return isinstance(spec, ColumnsSpec) or any(_has_columns(item) for _, item in parts_of(spec))


# --- columns on their way through a pipeline ----------------------------------------------


def _flow(
    pipeline: PipelineSpec, columns: list[ColumnState] | None, any_column: ColumnState | None
) -> tuple[list[ColumnState], list[UnusableColumns]]:
    """Follow columns through the steps; return those that come out, and those refused.

    A column that a step refuses counts as ready after it: one fault, one report. Either
    real columns are given, or `any_column` replaces one in each place.
    """
    states = columns if columns is not None else [any_column] if any_column else []
    problems: list[UnusableColumns] = []
    for step in pipeline.steps:
        if isinstance(step, ColumnsSpec):
            states, found = _flow_branches(step, states, any_column)
        else:
            found = _refused(step, states)
            named = {name for problem in found for name in problem.columns}
            ready = [
                replace(s, numeric=True, missing=False) if s.name in named else s for s in states
            ]
            states = [_transformed_column(step, state) for state in ready]
        problems += found
    return states, problems


def _flow_branches(
    spec: ColumnsSpec, states: list[ColumnState], any_column: ColumnState | None
) -> tuple[list[ColumnState], list[UnusableColumns]]:
    after: list[ColumnState] = []
    problems: list[UnusableColumns] = []
    by_name = {state.name: state for state in states}
    chosen = branch_columns(spec, states)
    for branch, columns in zip(spec.branches, chosen, strict=True):
        here = [by_name[c.name] for c in columns]
        if any_column is not None:  # `numeric` never sees text
            known = branch.key in ("numeric", "categorical")
            numeric = branch.key == "numeric" if known else any_column.numeric
            here = [replace(any_column, numeric=numeric)]
        if branch.pipeline is None:
            after += here
            continue
        out, found = _flow(branch.pipeline, here, None)
        after += out
        problems += found
    return after, problems


def _refused(spec: EstimatorSpec, states: list[ColumnState]) -> list[UnusableColumns]:
    entry = _entry(spec)
    if entry is None:
        return []
    rule = entry.rule("missing")
    looked_into = rule.get("nested", ()) if isinstance(rule, dict) else ()
    inside = [m for n in looked_into for m in models_in(dict(spec.parameters).get(n))]
    if inside:  # such a class hands on its rows as they are
        return list(dict.fromkeys(p for model in inside for p in _flow(model, states, None)[1]))
    problems = []
    text = tuple(state.name for state in states if not state.numeric)
    if text and not holds(entry, "text", spec, lambda _: False):
        problems.append(UnusableColumns("text", spec.name, text))
    missing = tuple(state.name for state in states if state.missing)
    if missing and not holds(entry, "missing", spec, lambda _: False):
        problems.append(UnusableColumns("missing", spec.name, missing))
    return problems


def _transformed_column(spec: EstimatorSpec, state: ColumnState) -> ColumnState:
    """Return a column as a transformer leaves it."""
    entry = _entry(spec)
    if entry is None:
        return replace(state, numeric=True, missing=False)
    return replace(
        state,
        numeric=state.numeric or not entry.rule("keeps_text"),
        missing=state.missing and bool(entry.rule("keeps_missing")),
    )
