"""What becomes of each column in a pipeline, as the pipeline declares it."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from evallang.models.abilities import models_in
from evallang.models.catalogue import CATALOGUE, ClassEntry
from evallang.models.columns import ColumnLike, branch_columns
from evallang.models.model import ColumnsSpec, EstimatorSpec, PipelineSpec, StepSpec
from evallang.models.resamplers import steps_of_new_rows

DROPPED = "dropped, because no key of columns(...) names it"
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
    return {column.name: found.get(column.name, DROPPED) for column in columns}


def document_columns(pipeline: PipelineSpec, columns: Sequence[ColumnLike]) -> frozenset[str]:
    """Return the columns of text that a class of a pipeline reads word by word."""
    return frozenset(
        column.name
        for steps, members in _ways(pipeline, columns)
        if any(_rule(step, "documents") for step in steps)
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
        numeric = numeric or not _rule(step, "keeps_text")
    return ", ".join(parts) or "passed on"


def _models_of(step: EstimatorSpec) -> Iterator[PipelineSpec]:
    """Iterate over the models inside a class that passes rows on unchanged."""
    rule = _rule(step, "missing")
    names = rule.get("nested", ()) if isinstance(rule, Mapping) else ()
    for name in names:
        yield from models_in(dict(step.parameters).get(name))


def _rule(step: StepSpec, fact: str) -> object:
    entry = _entry(step)
    return entry.rule(fact) if entry else False


def _entry(step: StepSpec) -> ClassEntry | None:
    if isinstance(step, ColumnsSpec) or step.code or step.name not in CATALOGUE:
        return None
    return CATALOGUE[step.name]


def _counted(levels: int | None) -> str:
    if levels is None:
        return UNKNOWN_LEVELS
    return "1 level" if levels == 1 else f"{levels:,} levels"
