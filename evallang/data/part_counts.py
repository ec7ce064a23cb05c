"""Counts of the distinct rows of one part, which add up to those of the table.

What is right and wrong, and every metric of labels, depends on how often each combination of
truth and predictions occurs, so that no row has to be kept. A part is counted wherever its file
can be read, and its counts take little memory.
"""

import math
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.data.codes import NO_ROWS_LEFT
from evallang.data.column_types import Kind
from evallang.data.dataset import GivenModel, PredictionsSpec, SourceColumn
from evallang.data.file_formats import read_file
from evallang.data.findings import Findings
from evallang.data.frame import Frame, frame_of
from evallang.data.needed_columns import needed_columns
from evallang.data.part_patterns import has_parts
from evallang.data.parts import (
    hash_of_parts,
    hashes_of,
    same_types,
    shared_notes,
    taken_of_parts,
)
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
from evallang.stats.score_counts import (
    Ranks,
    ScoreCounts,
    count_scores,
    merged,
    placement_products,
)

TIMES, SUM_OF = "\0times", "\0sum "  # no column of a file is called so
PROBABLE, MARGINAL = 0.5, 0.0  # thresholds of scores without one
_ORDERED = (Kind.NUMBER, Kind.DATE)

Counted = TypeVar("Counted")
Task = TypeVar("Task")
MapParts = Callable[[Callable[[Task], Counted], Sequence[Task]], Iterable[Counted]]
"""What calls a function for each part, here or elsewhere, and returns the results in order."""


class Rankings(Struct, frozen=True):
    """What a study asks of the order of scores: of parts, their counts.

    `most` is how many scores of a model may be distinct before they are rounded, None for any
    number; `compared` tells that areas of several models are compared.
    """

    most: int | None = None
    compared: bool = False


class Counting(Struct, frozen=True):
    """What counts the parts of a table, and what it counts besides labels."""

    mapped: "MapParts[Any, Any]"
    rankings: Rankings | None = None


class PartTask(Struct, frozen=True):
    """One part that is to be counted, and what its study uses of it.

    `keys` are the columns of which the combinations are counted, with the `optional` ones that a
    part has; `scores` the columns of scores,
    with the thresholds at which they are divided, and `most` how many of them may be distinct;
    `roles` are those of all columns; `hashed` the
    columns of both hashes; `limited` are the limits that were changed, which another process
    does not know.
    """

    path: str
    folder: Path
    spec: PredictionsSpec
    keys: tuple[str, ...]
    named: frozenset[str]
    spelled: frozenset[str] | None
    short: Container[str]
    roles: Mapping[str, Sequence[Role]]
    hashed: tuple[tuple[str, ...], tuple[str, ...]]
    limited: Mapping[str, int]
    network: bool = False
    optional: tuple[str, ...] = ()
    scores: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    most: int | None = None


class ClassScores(Struct, frozen=True):
    """The scores of one column, counted for each class of a part.

    `truths` are the values of the truth, at most two, and `counts` have the last as the positive.
    """

    truths: tuple[Any, ...]
    counts: ScoreCounts

    def seen_from(self, truth: Any) -> ScoreCounts:
        """Return the counts with another value of the truth as the positive one."""
        found = self.counts
        if not self.truths or self.truths[-1] == truth:
            return found
        return ScoreCounts(found.scores, found.positives, found.negatives, found.digits)


class ScoresOfParts:
    """The scores of one column over all parts, added up as the parts come.

    Parts wait until they hold as much as their sum, so that the sum is made few times.
    """

    def __init__(self, most: int | None) -> None:
        self._most = most
        self._truths: list[Any] = []
        self._sum: ScoreCounts | None = None
        self._waiting: list[ScoreCounts] = []

    @property
    def bytes(self) -> int:
        """The memory that the counts take."""
        return sum(one.bytes for one in self._parts())

    def add(self, part: ClassScores) -> bool:
        """Add a part; return whether the truth has at most two values still."""
        self._truths += [truth for truth in part.truths if truth not in self._truths]
        if len(self._truths) > 2:
            return False
        if self._truths:
            self._waiting.append(part.seen_from(self._truths[0]))
        waiting = sum(one.bytes for one in self._waiting)
        if waiting > (0 if self._sum is None else self._sum.bytes):
            self._add_up()
        return True

    @property
    def distinct(self) -> int | None:
        """How many scores are distinct, None where they were rounded."""
        self._add_up()
        if self._sum is None or self._sum.digits is not None:
            return None
        return len(self._sum.scores)

    def whole(self, positive: Any) -> ScoreCounts | None:
        """Return the counts of all parts; None where the truth never has that value."""
        self._add_up()
        if self._sum is None or positive not in self._truths:
            return None
        return ClassScores((self._truths[0],), self._sum).seen_from(positive)

    def _parts(self) -> list[ScoreCounts]:
        return self._waiting if self._sum is None else [self._sum, *self._waiting]

    def _add_up(self) -> None:
        if self._waiting:
            self._sum, self._waiting = merged(self._parts(), self._most), []


class ColumnCounts(Struct, frozen=True):
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


class PartCounts(Struct, frozen=True):
    """The counts of one part.

    `cells` are the distinct rows of the keys as they were read, and how often each occurs.
    `rows_needed` is why the part cannot be counted, None where it was; then nothing else holds.
    """

    path: str
    rows_needed: str | None
    n: int = 0
    cells: "pl.DataFrame | None" = None
    untyped: bool = False
    notes: tuple[str, ...] = ()
    taken: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    columns: tuple[str, ...] = ()
    others: Mapping[str, ColumnCounts] | None = None
    where_types: tuple[str, ...] = ()
    excluded: tuple[int, ...] = ()
    hashes: tuple[str, str] = ("", "")
    ranked: Mapping[str, ClassScores] | None = None


def may_be_counted(spec: PredictionsSpec) -> bool:
    """Return whether nothing in a statement is about single rows.

    Its models are named and give labels or single scores, or are judged right or wrong; ids are
    whole numbers that rise, which is seen when they are read.
    """
    if len(spec.paths) != 1 or not has_parts(spec.paths[0]) or not spec.models or spec.model:
        return False
    of_rows = (spec.group, spec.fold, spec.runs, spec.dataset, spec.weight)
    if any(one is not None for one in of_rows) or spec.judged == "value" or spec.series:
        return False
    if spec.task == "regression":
        return False
    scored = {model.score for model in spec.models if model.score is not None}
    labels = {model.column or model.name for model in spec.models if not _named_as_score(model)}
    if scored & {spec.truth, spec.id, *spec.subgroups, *labels}:
        return False
    beyond = (m for model in spec.models for m in (model.scores, model.range, model.denominator))
    return all(one is None for one in beyond)


def _named_as_score(model: GivenModel) -> bool:
    """Return whether the column that a model's labels would have holds its score."""
    return model.score is not None and (model.column or model.name) == model.score


def label_columns_of(models: Iterable[GivenModel]) -> tuple[list[str], list[str]]:
    """Return the columns of labels that must exist, and those of models that have a score too."""
    found: tuple[list[str], list[str]] = ([], [])
    for model in models:
        if not _named_as_score(model):
            optional = model.score is not None or model.threshold is not None
            found[optional].append(model.column or model.name)
    return found


def count_part(task: PartTask) -> PartCounts:
    """Read one part, keep the rows that `where` keeps, and count them."""
    with limits(**task.limited), network(task.network):
        return _count_part(task)


class _ReadPart(Struct, frozen=True):
    """A part as it was read, the rows that `where` keeps, and what each line excluded."""

    frame: Frame
    kept: Frame
    excluded: tuple[int, ...]


def _read_part(task: PartTask) -> "_ReadPart | str":
    """Read one part; return why it cannot be counted where it cannot."""
    findings = Findings(task.spec.places)
    frame = read_file(
        task.path,
        task.folder,
        findings,
        named=task.named,
        spelled=task.spelled,
        short=task.short,
        needed=needed_columns(task.spec, task.named),
    )
    if frame is None or findings.diagnostics:
        return "a part cannot be read"
    frame = frame.mark_missing(task.spec.missing)
    wanted = {*task.keys, *task.scores, *(line.column for line in task.spec.where)}
    if not wanted <= set(frame.columns):
        return "a column is missing"
    kept, excluded = select(frame, task.spec.where, findings)
    if findings.failed:
        if any(found.code != NO_ROWS_LEFT.code for found in findings.diagnostics):
            return "a `where` line cannot be applied"
        kept = frame.keep(pl.Series([False]).new_from_index(0, frame.cells.height))
    numbers = [n for _, n in excluded] + [0] * (len(task.spec.where) - len(excluded))
    return _ReadPart(frame, kept, tuple(numbers))


def _count_part(task: PartTask) -> PartCounts:
    read = _read_part(task)
    if isinstance(read, str):
        return PartCounts(task.path, read)
    frame, kept = read.frame, read.kept
    where_types = tuple(str(frame.kind(line.column)) for line in task.spec.where)
    scores = _scores(kept, task.scores)
    if scores is None:
        return PartCounts(task.path, "a score is not a finite number")
    ranked = _ranked(kept, task, scores)
    if ranked is None:
        return PartCounts(task.path, "the truth has gaps or several classes")
    others: dict[str, ColumnCounts] = {}
    labels = [*task.keys, *(name for name in task.optional if name in frame.columns)]
    for name in frame.columns:
        if name in labels:
            continue
        found = _column(kept, name, task)
        if found is None:
            return PartCounts(task.path, "ids do not rise")
        others[name] = found
    divided = [pl.Series(name, _divided(own, task.scores[name])) for name, own in scores.items()]
    sums = [pl.Series(SUM_OF + name, own) for name, own in scores.items()]
    keys = [*labels, *scores]
    table = kept.cells.select(labels).with_columns(*divided, *sums)
    cells = table.group_by(keys).agg(
        pl.len().alias(TIMES), *(pl.col(one.name).sum() for one in sums)
    )
    return PartCounts(
        task.path,
        None,
        kept.cells.height,
        cells,
        frame.untyped,
        frame.notes,
        frame.taken,
        tuple(frame.columns),
        others,
        where_types,
        read.excluded,
        hashes_of(frame, *task.hashed),
        ranked,
    )


def _scores(frame: Frame, columns: Iterable[str]) -> "dict[str, NDArray[np.float64]] | None":
    """Return columns of scores as floats; None where one has a gap, or other than numbers."""
    found: dict[str, NDArray[np.float64]] = {}
    for name in columns:
        if frame.kind(name) not in (Kind.NUMBER, Kind.BOOLEAN) and frame.cells.height:
            return None
        values = frame.values(name)
        own = np.asarray(values.cast(pl.Float64).to_numpy(), dtype=np.float64)
        if values.null_count() or not np.isfinite(own).all():
            return None
        found[name] = own
    return found


def _divided(scores: "NDArray[np.float64]", thresholds: Sequence[float]) -> "NDArray[np.float64]":
    """Replace each score by one on the same side of every threshold.

    Of the ends of probabilities, 0 and 1, each is on its own side too.
    """
    above = math.nextafter(1.0, 2.0)
    edges = np.array(sorted({MARGINAL, PROBABLE, above, *thresholds}))
    lowest = np.append(edges[0] - 1, edges)
    return np.asarray(lowest[np.searchsorted(edges, scores, side="right")])


def _ranked(
    frame: Frame, task: PartTask, scores: "Mapping[str, NDArray[np.float64]]"
) -> dict[str, ClassScores] | None:
    """Count the scores for each class; None of a truth that has a gap or several classes."""
    if not scores or task.spec.truth is None:
        return {}
    truth = frame.cells[task.spec.truth]
    truths = truth.unique().to_list()
    if None in truths or len(truths) > 2:
        return None
    positive = (truth == truths[-1]).to_numpy() if truths else np.zeros(0, dtype=bool)
    return {
        name: ClassScores(tuple(truths), count_scores(own, positive, task.most))
        for name, own in scores.items()
    }


def sum_products(
    ranks: "Sequence[Ranks]",
    areas: Sequence[float],
    columns: Sequence[str],
    positive: Any,
    task: PartTask,
) -> "tuple[Any, Any] | None":
    """Sum products of placements over the rows of one part; None where it cannot be read."""
    with limits(**task.limited), network(task.network):
        read = _read_part(task)
        scores = None if isinstance(read, str) else _scores(read.kept, task.scores)
        if isinstance(read, str) or scores is None or task.spec.truth is None:
            return None
        up = (read.kept.cells[task.spec.truth] == positive).to_numpy()
        return placement_products(ranks, areas, [scores[name] for name in columns], up)


def _column(frame: Frame, name: str, task: PartTask) -> ColumnCounts | None:
    """Describe a column that is not a key; None of ids that do not rise by rows."""
    values = frame.values(name)
    kind = frame.kind(name)
    ordered = kind in _ORDERED
    ends = None
    distinct = None
    if name in task.scores:
        pass  # its levels are those that are counted for each class
    elif kind is not Kind.EMPTY and values.dtype.is_integer() and _rises(values):
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
    location: str,
    spec: PredictionsSpec,
    counts: Sequence[PartCounts],
    roles: Mapping[str, Any],
    levels: Mapping[str, int | None],
) -> "tuple[Frame, tuple[SourceColumn, ...], tuple[tuple[str, int], ...]] | None":
    """Add up the counts of all parts; None where the rows are needed.

    `levels` are the numbers of distinct scores by their columns, None where they are unknown.
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
        [one.cells.select(_keys(one.cells)) for one in counts if one.cells is not None],
        [one.path for one in counts],
        findings,
        untyped=first.untyped,
    )
    if tables is None:
        return None
    sums = [SUM_OF + name for name in levels]
    added = [one.cells.select(TIMES, *sums) for one in counts if one.cells is not None]
    numbers = pl.concat(added).with_columns(pl.col(TIMES).cast(pl.Int64))
    keys = tables[0].columns
    joined = pl.concat([pl.concat(tables), numbers], how="horizontal")
    whole = joined.group_by(keys).agg(pl.col(TIMES, *sums).sum()).sort(keys, nulls_last=True)
    frame = frame_of(
        location,
        whole.select(keys),
        untyped=first.untyped,
        notes=shared_notes(location, [(one.path, one.notes) for one in counts]),
    )
    often = whole[TIMES].to_numpy().copy()
    of_keys = {column.name: column for column in source_columns(frame, roles)}
    columns: list[SourceColumn] = []
    for name in first.columns:
        if name in of_keys and name not in levels:
            missing = int(often[frame.values(name).is_null().to_numpy()].sum())
            columns.append(replace(of_keys[name], missing=missing))
            continue
        parts = [one.others[name] for one in counts if one.others]
        found = _joined_column(name, parts, n, {} if name in levels else roles)
        if found is None:
            return None
        if name in levels:
            found = replace(described(found, roles.get(name, ())), levels=levels[name])
        columns.append(found)
    excluded = tuple(
        (line.written, sum(one.excluded[place] for one in counts))
        for place, line in enumerate(spec.where)
    )
    hashes = hash_of_parts([one.hashes for one in counts])
    of_scores = {name: whole[SUM_OF + name].to_numpy() for name in levels}
    whole_frame = replace(
        frame,
        times=often,
        parts=len(counts),
        hashes=hashes,
        score_sums=of_scores,
        stated=spec.missing,
        taken=taken_of_parts([one.taken for one in counts]),
    )
    return whole_frame, tuple(columns), excluded


def _keys(cells: "pl.DataFrame") -> list[str]:
    return [name for name in cells.columns if name != TIMES and not name.startswith(SUM_OF)]


def described(column: SourceColumn, roles: Sequence[Role]) -> SourceColumn:
    """Return a column with the roles that its study gives it."""
    return replace(
        column,
        role=", ".join(dict.fromkeys(one.text for one in roles)) or NOT_USED,
        role_kind=", ".join(dict.fromkeys(one.kind for one in roles)) or NOT_USED,
    )


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
    plain = SourceColumn(
        name=name,
        kind=kind.name.lower(),
        role=NOT_USED,
        role_kind=NOT_USED,
        levels=levels,
        missing=missing,
        range=ends,
    )
    return described(plain, given)


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
