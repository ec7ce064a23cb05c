"""What a whole pipeline can do with the parameters that were written, and does to each column.

The last step decides; classes that hold models are looked into. A parameter that is
searched must give the ability with every candidate."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.models.catalogue import CATALOGUE, ClassEntry, Rule
from evallang.models.columns import ColumnLike, branch_columns
from evallang.models.model import (
    Candidates,
    ColumnsSpec,
    EstimatorSpec,
    ParameterValue,
    PipelineSpec,
    StepSpec,
    parts_of,
)

RESAMPLER = "resampler"
NEIGHBOURS = ("k_neighbors", "n_neighbors")
"""Parameters that count the neighbours of a row, in its own class, from which a row is made."""


def is_resampler(step: StepSpec) -> bool:
    """Return whether a step is a resampler of the catalogue."""
    if isinstance(step, ColumnsSpec) or step.code:
        return False
    entry = CATALOGUE.get(step.name)
    return entry is not None and RESAMPLER in entry.kinds


def resamplers(pipeline: PipelineSpec) -> tuple[EstimatorSpec, ...]:
    """Return the steps of a pipeline that are resamplers."""
    return tuple(
        step for step in pipeline.steps if isinstance(step, EstimatorSpec) and is_resampler(step)
    )


def steps_of_new_rows(pipeline: PipelineSpec) -> tuple[StepSpec, ...]:
    """Return the steps that rows to predict go through."""
    return tuple(step for step in pipeline.steps if not is_resampler(step))


def too_few_rows(resampler: Any, y: NDArray[Any]) -> str | None:
    """Return why a resampler failed if a class that it enlarges has too few rows for neighbours.

    A resampler that joins two has its neighbours in a part that the author cannot set.
    """
    name, own = type(resampler).__name__, resampler.get_params(deep=False)
    inner = getattr(resampler, "smote_", resampler)
    settings = inner.get_params(deep=False)
    parameter = next((p for p in NEIGHBOURS if isinstance(settings.get(p), int)), None)
    enlarged = [label for label, n in getattr(inner, "sampling_strategy_", {}).items() if n]
    if parameter is None or not enlarged:
        return None
    asked, fewest = settings[parameter], min(int((y == label).sum()) for label in enlarged)
    if fewest > asked:
        return None
    rows = "1 training row" if fewest == 1 else f"{fewest} training rows"
    if fewest > 1 and parameter in own:
        instead = f"write `{name}({parameter}={fewest - 1})`"
    else:
        instead = "write `RandomOverSampler`"
    return (
        f"`{name}` needs {asked} neighbours of a row in its class, and the smallest class has "
        f"{rows}; {instead}"
    )


class Abilities(Struct, frozen=True):
    """What a pipeline is and can do.

    Attributes
    ----------
    kind : None when the last step is neither a classifier nor a regressor
    probabilities : it has `predict_proba`
    scores : it has something to rank by: probabilities or a decision function
    margins : it has a decision function
    weights : its last step takes a weight for each example
    seeded : the classes that get a seed from the study
    parallel : the classes that would run in parallel, and run alone here
    known : False when a step is the author's own code, and the rest a guess
    """

    kind: Literal["classifier", "regressor"] | None
    probabilities: bool
    scores: bool
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


@lru_cache(maxsize=1024)  # rules ask again and again, and again after each edit in an editor
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
        return Abilities(None, own, own, own, seeded, parallel, known=not own)
    probabilities = holds(entry, "probabilities", last, lambda p: abilities(p).probabilities)
    margins = holds(entry, "scores", last, lambda p: abilities(p).scores)
    return Abilities(
        kind=_kind(entry, last),
        probabilities=probabilities,
        scores=probabilities or margins,
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
    return tuple(_flow(pipeline, list(columns))[1])


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
    pipeline: PipelineSpec, states: list[ColumnState]
) -> tuple[list[ColumnState], list[UnusableColumns]]:
    """Follow columns through the steps; return those that come out, and those refused.

    A column that a step refuses counts as ready after it: one fault, one report.
    """
    problems: list[UnusableColumns] = []
    for step in pipeline.steps:
        if isinstance(step, ColumnsSpec):
            states, found = _flow_branches(step, states)
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
    spec: ColumnsSpec, states: list[ColumnState]
) -> tuple[list[ColumnState], list[UnusableColumns]]:
    after: list[ColumnState] = []
    problems: list[UnusableColumns] = []
    by_name = {state.name: state for state in states}
    chosen = branch_columns(spec, states)
    for branch, columns in zip(spec.branches, chosen, strict=True):
        here = [by_name[c.name] for c in columns]
        if branch.pipeline is None:
            after += here
            continue
        out, found = _flow(branch.pipeline, here)
        after += out
        problems += found
    return after, problems


def _refused(spec: EstimatorSpec, states: list[ColumnState]) -> list[UnusableColumns]:
    entry = _entry(spec)
    if entry is None:
        return []
    inside = list(_models_of(spec))
    if inside:  # such a class hands on its rows as they are
        return list(dict.fromkeys(p for model in inside for p in _flow(model, states)[1]))
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


UNKNOWN_LEVELS = "its levels"

Levels = Callable[[str], int | None]


def column_treatments(
    pipeline: PipelineSpec, columns: Sequence[ColumnLike], levels: Levels
) -> Mapping[str, str]:
    """Return what becomes of each column, by its name: `one-hot with 3 levels`.

    A column is followed through the classes that treat each column for itself, up to the first
    that mixes them. `levels` gives the number of distinct values of a column, None if unknown;
    it is only asked where a class depends on it. The time is linear in the number of columns.
    """
    found: dict[str, str] = {}
    for steps, members in _ways(pipeline, columns):
        templates = {kind: _template(steps, numeric=kind) for kind in (True, False)}
        for column in members:
            template = templates[column.numeric]
            if "{levels}" in template:
                template = template.replace("{levels}", _counted(levels(column.name)))
            found[column.name] = template
    return {column.name: found.get(column.name, "dropped") for column in columns}


def document_columns(pipeline: PipelineSpec, columns: Sequence[ColumnLike]) -> frozenset[str]:
    """Return the columns of text that a class of a pipeline reads word by word."""
    return frozenset(
        column.name
        for steps, members in _ways(pipeline, columns)
        if any(fact_of(step, "documents") for step in steps)
        for column in members
    )


def _ways(
    pipeline: PipelineSpec, columns: Sequence[ColumnLike]
) -> Iterator[tuple[tuple[StepSpec, ...], Sequence[ColumnLike]]]:
    """Iterate over the branches of a pipeline: the steps of each, and the columns that take it."""
    steps = steps_of_new_rows(pipeline)
    first, rest = steps[0], steps[1:]
    if not isinstance(first, ColumnsSpec):
        yield steps, columns
        return
    for branch, members in zip(first.branches, branch_columns(first, columns), strict=True):
        yield (*(branch.pipeline.steps if branch.pipeline else ()), *rest), members


def _template(steps: Sequence[StepSpec], *, numeric: bool) -> str:
    """Return what a pipeline makes of a column, with `{levels}` where their number belongs."""
    parts: list[str] = []
    for place, step in enumerate(steps):
        if isinstance(step, ColumnsSpec):
            break
        inside = list(_models_of(step)) if not parts else []
        if inside:
            ways = dict.fromkeys(_template(steps_of_new_rows(m), numeric=numeric) for m in inside)
            return f"passed on by {step.name}: {' or '.join(ways)}"
        entry = _entry(step)
        words = entry.by_column if entry else None
        if words is None:
            if not parts or place < len(steps) - 1:
                kind = "a number" if numeric else "text"
                parts.append(f"passed to {step.name} as {kind}")
            break
        parts.append(words.replace("{name}", step.name))
        numeric = numeric or not fact_of(step, "keeps_text")
    return ", ".join(parts) or "passed on"


def _models_of(step: EstimatorSpec) -> Iterator[PipelineSpec]:
    """Iterate over the models inside a class that passes rows on unchanged."""
    rule = fact_of(step, "missing")
    names = rule.get("nested", ()) if isinstance(rule, Mapping) else ()
    for name in names:
        yield from models_in(dict(step.parameters).get(name))


def fact_of(step: StepSpec, fact: str) -> object:
    """Return what the catalogue says of a step, False for own code and `columns(...)`."""
    entry = _entry(step)
    return entry.rule(fact) if entry else False


def _counted(levels: int | None) -> str:
    if levels is None:
        return UNKNOWN_LEVELS
    return "1 level" if levels == 1 else f"{levels:,} levels"
