"""Counts of the distinct rows of one part, which add up to those of the table.

What is right and wrong, and every metric of labels, depends on how often each combination of
truth and predictions occurs, so that no row has to be kept. A part is counted wherever its file
can be read, and its counts take little memory.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from evallang.data.codes import NO_ROWS_LEFT
from evallang.data.column_types import Kind
from evallang.data.dataset import PredictionsSpec, SourceColumn
from evallang.data.file_formats import read_file
from evallang.data.findings import Findings
from evallang.data.frame import Frame, frame_of
from evallang.data.part_patterns import has_parts
from evallang.data.parts import hash_of_parts, hashes_of, same_types, shared_notes
from evallang.data.remote import network
from evallang.data.row_filters import select
from evallang.data.source_columns import (
    NOT_USED,
    Role,
    counts_levels,
    end_of_range,
    source_columns,
)
from evallang.limits import limits
from evallang.registry import lazy

if TYPE_CHECKING:
    import polars as pl
else:
    pl = lazy("polars")

TIMES = "\0times"  # no column of a file is called so
_ORDERED = (Kind.NUMBER, Kind.DATE)

Counted = TypeVar("Counted")
Task = TypeVar("Task")
MapParts = Callable[[Callable[[Task], Counted], Sequence[Task]], Iterable[Counted]]
"""What calls a function for each part, here or elsewhere, and returns the results in order."""


@dataclass(frozen=True)
class PartTask:
    """One part that is to be counted, and what its study uses of it.

    `keys` are the columns of which the combinations are counted; `roles` those of all columns;
    `hashed` the columns of both hashes; `limited` are the limits that were changed, which
    another process does not know.
    """

    path: str
    folder: Path
    spec: PredictionsSpec
    keys: tuple[str, ...]
    named: frozenset[str]
    spelled: frozenset[str] | None
    labels: frozenset[str]
    roles: Mapping[str, Sequence[Role]]
    hashed: tuple[tuple[str, ...], tuple[str, ...]]
    limited: Mapping[str, int]
    network: bool = False


@dataclass(frozen=True)
class ColumnCounts:
    """What a column of a part holds that is not a key.

    `distinct` are its values where levels are counted; of ids whole numbers that rise by rows
    need not be kept, and `ends` are the first and the last.
    """

    dtype: str
    kind: Kind
    missing: int
    low: Any
    high: Any
    distinct: "pl.Series | None"
    ends: tuple[int, int] | None


@dataclass(frozen=True)
class PartCounts:
    """The counts of one part.

    `cells` are the distinct rows of the keys as they were read, and how often each occurs.
    `rows_needed` is why the part cannot be counted, None where it was; then nothing else holds.
    """

    path: str
    rows_needed: str | None
    n: int = 0
    cells: "pl.DataFrame | None" = None
    untyped: bool = False
    decimal_comma: bool = False
    notes: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    others: Mapping[str, ColumnCounts] | None = None
    where_types: tuple[str, ...] = ()
    excluded: tuple[int, ...] = ()
    hashes: tuple[str, str] = ("", "")


def may_be_counted(spec: PredictionsSpec) -> bool:
    """Return whether nothing in a statement is about single rows.

    Its models are named and give labels, or are judged right or wrong; ids are whole numbers that
    rise, which is seen when they are read.
    """
    if len(spec.paths) != 1 or not has_parts(spec.paths[0]) or not spec.models:
        return False
    of_rows = (spec.group, spec.fold, spec.runs, spec.dataset, spec.weight)
    if any(one is not None for one in of_rows) or spec.judged == "value":
        return False
    if spec.task == "regression":
        return False
    beyond_labels = (
        one
        for model in spec.models
        for one in (model.score, model.scores, model.threshold, model.range, model.denominator)
    )
    return all(one is None for one in beyond_labels)


def count_part(task: PartTask) -> PartCounts:
    """Read one part, keep the rows that `where` keeps, and count them."""
    with limits(**task.limited), network(task.network):
        return _count_part(task)


def _count_part(task: PartTask) -> PartCounts:
    findings = Findings(task.spec.places)
    frame = read_file(
        task.path,
        task.folder,
        findings,
        named=task.named,
        spelled=task.spelled,
        labels=task.labels,
    )
    if frame is None or findings.diagnostics:
        return PartCounts(task.path, "a part cannot be read")
    wanted = {*task.keys, *(line.column for line in task.spec.where)}
    if not wanted <= set(frame.columns):
        return PartCounts(task.path, "a column is missing")
    where_types = tuple(str(frame.kind(line.column)) for line in task.spec.where)
    kept, excluded = select(frame, task.spec.where, findings)
    if findings.failed:
        if any(found.code != NO_ROWS_LEFT.code for found in findings.diagnostics):
            return PartCounts(task.path, "a `where` line cannot be applied")
        kept = frame.keep(pl.Series([False]).new_from_index(0, frame.cells.height))
    numbers = [n for _, n in excluded] + [0] * (len(task.spec.where) - len(excluded))
    others: dict[str, ColumnCounts] = {}
    for name in frame.columns:
        if name in task.keys:
            continue
        found = _column(kept, name, task)
        if found is None:
            return PartCounts(task.path, "ids do not rise")
        others[name] = found
    cells = kept.cells.select(task.keys).group_by(task.keys).len(name=TIMES)
    return PartCounts(
        task.path,
        None,
        kept.cells.height,
        cells,
        frame.untyped,
        frame.decimal_comma,
        frame.notes,
        tuple(frame.columns),
        others,
        where_types,
        tuple(numbers),
        hashes_of(frame, *task.hashed),
    )


def _column(frame: Frame, name: str, task: PartTask) -> ColumnCounts | None:
    """Describe a column that is not a key; None of ids that do not rise by rows."""
    values = frame.values(name)
    kind = frame.kind(name)
    ordered = kind in _ORDERED
    ends = None
    distinct = None
    if kind is not Kind.EMPTY and values.dtype.is_integer() and _rises(values):
        ends = int(values[0]), int(values[-1])
    elif name == task.spec.id and len(values):
        return None
    elif counts_levels(kind, name, task.roles.get(name, ())):
        distinct = values.unique().drop_nulls()
    low, high = (values.min(), values.max()) if ordered else (None, None)
    return ColumnCounts(str(values.dtype), kind, values.null_count(), low, high, distinct, ends)


def _rises(values: "pl.Series") -> bool:
    return values.null_count() == 0 and bool((values.diff().drop_nulls() > 0).all())


# --- all parts together ------------------------------------------------------------------------


def add_up(
    location: str, spec: PredictionsSpec, counts: Sequence[PartCounts], roles: Mapping[str, Any]
) -> "tuple[Frame, tuple[SourceColumn, ...], tuple[tuple[str, int], ...]] | None":
    """Add up the counts of all parts; None where the rows are needed.

    Returns the frame of the distinct rows, all columns of the table, and what each `where` line
    excluded.
    """
    first = counts[0]
    if any(one.rows_needed is not None or one.cells is None for one in counts):
        return None
    n = sum(one.n for one in counts)
    alike = all(
        set(one.columns) == set(first.columns)
        and one.untyped == first.untyped
        and (one.where_types == first.where_types or not spec.where)
        for one in counts
    )
    if n == 0 or not alike:
        return None
    findings = Findings(spec.places)
    tables = same_types(
        [one.cells.drop(TIMES) for one in counts if one.cells is not None],
        [one.path for one in counts],
        findings,
        untyped=first.untyped,
    )
    if tables is None:
        return None
    times = pl.concat([one.cells.select(TIMES) for one in counts if one.cells is not None])
    keys = tables[0].columns
    joined = pl.concat([pl.concat(tables), times.cast(pl.Int64)], how="horizontal")
    whole = joined.group_by(keys).agg(pl.col(TIMES).sum()).sort(keys, nulls_last=True)
    frame = frame_of(
        location,
        whole.drop(TIMES),
        untyped=first.untyped,
        decimal_comma=any(one.decimal_comma for one in counts),
        notes=shared_notes(location, [(one.path, one.notes) for one in counts]),
    )
    often = whole[TIMES].to_numpy().copy()
    of_keys = {column.name: column for column in source_columns(frame, roles)}
    columns: list[SourceColumn] = []
    for name in first.columns:
        if name in of_keys:
            missing = int(often[frame.values(name).is_null().to_numpy()].sum())
            columns.append(replace(of_keys[name], missing=missing))
            continue
        found = _joined_column(name, [one.others[name] for one in counts if one.others], n, roles)
        if found is None:
            return None
        columns.append(found)
    excluded = tuple(
        (line.written, sum(one.excluded[place] for one in counts))
        for place, line in enumerate(spec.where)
    )
    hashes = hash_of_parts([one.hashes for one in counts])
    whole_frame = replace(frame, times=often, parts=len(counts), hashes=hashes)
    return whole_frame, tuple(columns), excluded


def _joined_column(
    name: str, parts: Sequence[ColumnCounts], n: int, roles: Mapping[str, Sequence[Role]]
) -> SourceColumn | None:
    """Join what the parts say of a column; None where that takes the rows.

    Parts in which it is empty have no say in what it holds.
    """
    full = [part for part in parts if part.kind is not Kind.EMPTY]
    missing = sum(part.missing for part in parts)
    kinds = {part.kind for part in full}
    if len(kinds) > 1 or (kinds == {Kind.DATE} and len({part.dtype for part in full}) > 1):
        return None
    kind = kinds.pop() if kinds else Kind.EMPTY
    given = roles.get(name, ())
    levels, ends = None, None
    if kind in _ORDERED:
        low, high = min(part.low for part in full), max(part.high for part in full)
        if any(isinstance(part.low, float) for part in full):
            low, high = float(low), float(high)
        ends = (end_of_range(low), end_of_range(high))
    if counts_levels(kind, name, given):
        levels = _levels(full, n)
        if levels is None:
            return None
    elif any(role.noun == "id" for role in given) and _levels(full, n) != n:
        return None
    role = ", ".join(dict.fromkeys(one.text for one in given)) or NOT_USED
    return SourceColumn(
        name=name,
        kind=kind.name.lower(),
        role=role,
        role_kind=", ".join(dict.fromkeys(one.kind for one in given)) or NOT_USED,
        levels=levels,
        missing=missing,
        range=ends,
    )


def _levels(parts: Sequence[ColumnCounts], n: int) -> int | None:
    """Count the distinct values of all parts; None where they would have to be kept.

    Numbers that rise by rows, from part to part too, are all distinct.
    """
    known = [part.ends for part in parts if part.ends is not None]
    if len(known) == len(parts):
        rising = all(a[1] < b[0] for a, b in pairwise(known))
        return n if rising else None
    distinct = [part.distinct for part in parts if part.distinct is not None]
    if len(distinct) < len(parts):
        return None
    same = {str(values.dtype) for values in distinct}
    cast = distinct if len(same) == 1 else [values.cast(pl.Float64) for values in distinct]
    return int(pl.concat([values.alias("") for values in cast]).n_unique())
