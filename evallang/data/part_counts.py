"""Counts of the distinct rows of a table in parts, which add up over its parts.

What is right and wrong, and every metric of labels, depends on how often each combination of
truth and predictions occurs, so that no row has to be kept. A part is counted wherever its file
can be read, and its counts take little memory. Counts are whole numbers, and weighted sums are
added in the order of the rows: neither depends on the number of threads.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from evallang.activity import Activity, report_activity
from evallang.data.column_types import Kind
from evallang.data.dataset import PredictionsSpec, SourceColumn
from evallang.data.files import HELD, parts_of
from evallang.data.findings import Refused
from evallang.data.frame import Frame
from evallang.data.joined_parts import Rankings, RowsAsked
from evallang.data.needed_columns import hashed_columns, label_columns_of
from evallang.data.parts import hashes_of, join_parts, pattern_files
from evallang.data.prediction_files import read_part
from evallang.data.remote import network, network_allowed
from evallang.data.row_filters import select
from evallang.data.source_columns import (
    Role,
    Roles,
    counts_levels,
    named_models,
    roles_of,
    source_columns,
)
from evallang.limits import MEMORY, OverLimit, changed_limits, limits
from evallang.stats.score_counts import (
    Ranks,
    ScoreCounts,
    count_scores,
    merged,
    placement_products,
)

UNLIKE = "the parts differ in their columns or types, or have no rows"
TIMES, PLACE = "\0times", "\0place"  # no column of a file is called so
PROBABLE, MARGINAL = 0.5, 0.0  # thresholds of scores without one

Counted = TypeVar("Counted")
Task = TypeVar("Task")
MapParts = Callable[[Callable[[Task], Counted], Sequence[Task]], Iterable[Counted]]
"""What calls a function for each part, here or elsewhere, and returns the results in order."""


class Counting(Struct, frozen=True):
    """What counts the parts of a table, and what it counts besides labels."""

    mapped: "MapParts[Any, Any]"
    rankings: Rankings | None = None


class PartTask(Struct, frozen=True):
    """One part that is to be counted.

    `most` is how many scores of a model may be distinct, `limited` the limits that were changed,
    which another process does not know.
    """

    path: str
    folder: Path
    spec: PredictionsSpec
    most: int | None
    limited: Mapping[str, int]
    network: bool

    @property
    def labels(self) -> tuple[list[str], list[str]]:
        """The columns of which the combinations are counted: all, and those that may lack."""
        labels, optional = label_columns_of(self.spec.models)
        keys = [*((self.spec.truth,) if self.spec.truth else ()), *labels, *self.spec.subgroups]
        return list(dict.fromkeys(keys)), [n for n in dict.fromkeys(optional) if n not in keys]

    @property
    def thresholds(self) -> dict[str, list[float]]:
        """The columns of scores, with the thresholds at which they are divided."""
        found: dict[str, list[float]] = {}
        for model in self.spec.models:
            if model.score is not None:
                own = [] if model.threshold is None else [float(model.threshold)]
                found.setdefault(model.score, []).extend(own)
        return found

    @property
    def roles(self) -> Roles:
        """The roles of all columns."""
        return roles_of(self.spec, named_models(self.spec.models))


ScoresByTruth = dict[Any, ScoreCounts]
"""The scores of the rows that have each value of the truth, counted as positives."""


class ScoresOfParts:
    """The scores of one column over all parts, added up as the parts come.

    Parts wait until they hold as much as their sum, so that the sum is made few times.
    """

    def __init__(self, most: int | None) -> None:
        self._most = most
        self._parts: dict[Any, list[ScoreCounts]] = {}

    @property
    def bytes(self) -> int:
        """The memory that the counts take."""
        return sum(one.bytes for some in self._parts.values() for one in some)

    def add(self, part: ScoresByTruth) -> None:
        """Add a part; the truth may have two values in all."""
        for truth, counts in part.items():
            some = self._parts.setdefault(truth, [])
            some.append(counts)
            if sum(one.bytes for one in some) > 2 * some[0].bytes:
                some[:] = [merged(some, self._most)]
        if len(self._parts) > 2:
            raise _NeedsRows("the truth has several classes")

    def whole(self, positive: Any) -> ScoreCounts:
        """Return the counts of all parts, seen from one value of the truth."""
        sides = [
            one
            if truth == positive
            else replace(one, negatives=one.positives, positives=one.negatives)
            for truth, some in self._parts.items()
            for one in some
        ]
        return merged(sides, self._most)

    @property
    def distinct(self) -> int | None:
        """How many scores are distinct, None where they were rounded."""
        whole = self.whole(None)
        return None if whole.digits is not None else len(whole.scores)


class ColumnCounts(Struct, frozen=True):
    """What a column of a part holds that is not a key.

    `dtype` is the type of its values, None where there are none. `distinct` are its values where
    levels are counted; of ids whole numbers that rise by rows need not be kept, and `ends` are the
    first and the last.
    """

    column: SourceColumn
    dtype: str | None
    distinct: "pl.Series | None" = None
    ends: tuple[int, int] | None = None


def count_rows(frame: Frame) -> Frame:
    """Return the distinct rows of a frame, sorted, with how often each occurs, and sums of scores.

    The rows of `frame` occur once, or `times`, and its `score_sums` are those of each of them.
    """
    cells, names = frame.cells, frame.columns
    often = pl.len() if frame.times is None else pl.col(TIMES).sum()
    rows = cells if frame.times is None else cells.with_columns(pl.Series(TIMES, frame.times))
    groups = rows.lazy().group_by(names).agg(often.cast(pl.Int64).alias(TIMES))
    found = groups.sort(names, nulls_last=True).collect(engine="streaming")
    distinct = found.select(names)
    sums: dict[str, NDArray[np.float64]] = {}
    if frame.score_sums:
        numbered = distinct.with_row_index(PLACE)
        joined = cells.join(numbered, on=names, how="left", nulls_equal=True, maintain_order="left")
        place = joined[PLACE].to_numpy()
        for name, own in frame.score_sums.items():
            sums[name] = np.bincount(place, own, len(distinct)).astype(np.float64)
    return replace(
        frame,
        cells=distinct,
        rows=range(len(distinct)),
        times=found[TIMES].to_numpy(),
        score_sums=sums,
        _typed={},
    )


class PartCounts(Struct, frozen=True):
    """The counts of one part: the distinct rows of what `where` keeps, and what they leave out.

    `others` are the columns besides these, `columns` all of the file.
    """

    frame: Frame
    columns: tuple[str, ...]
    others: Mapping[str, ColumnCounts]
    where_kinds: tuple[str, ...]
    excluded: tuple[int, ...]
    ranked: Mapping[str, ScoresByTruth]


class _NeedsRows(Exception):
    """Why a part cannot be counted."""


class _ReadPart(Struct, frozen=True):
    """A part as it was read, the rows that `where` keeps, and what each line excluded."""

    frame: Frame
    kept: Frame
    excluded: tuple[int, ...]
    scores: "Mapping[str, NDArray[np.float64]]"


def _read_part(task: PartTask) -> _ReadPart:
    """Read one part; raises `_NeedsRows` where it cannot be counted."""
    spec = task.spec
    with limits(**task.limited), network(task.network):
        try:
            frame = read_part(task.path, spec, task.folder)
        except (Refused, OverLimit) as error:
            raise _NeedsRows("a part cannot be read") from error
    wanted = {*task.labels[0], *task.thresholds, *(line.column for line in spec.where)}
    if not wanted <= set(frame.columns):
        raise _NeedsRows("a column is missing")
    try:
        kept, excluded = select(frame, spec.where, may_be_empty=True)
    except Refused as error:
        raise _NeedsRows("a `where` line cannot be applied") from error
    numbers = [n for _, n in excluded] + [0] * (len(spec.where) - len(excluded))
    scores: dict[str, NDArray[np.float64]] = {}
    for name in task.thresholds:
        values = kept.values(name)
        numeric = kept.kind(name) in (Kind.NUMBER, Kind.BOOLEAN) or not len(values)
        scores[name] = values.cast(pl.Float64).to_numpy() if numeric else np.full(1, np.nan)
        if values.null_count() or not np.isfinite(scores[name]).all():
            raise _NeedsRows("a score is not a finite number")
    return _ReadPart(frame, kept, tuple(numbers), scores)


def count_part(task: PartTask) -> PartCounts | str:
    """Read one part, keep the rows that `where` keeps, and count them; or return why not."""
    try:
        return _counted(task, _read_part(task))
    except _NeedsRows as why:
        return str(why)


def _counted(task: PartTask, read: _ReadPart) -> PartCounts:
    frame, kept, scores = read.frame, read.kept, read.scores
    ranked: dict[str, ScoresByTruth] = {}
    if scores and task.spec.truth is not None:
        truth = kept.cells[task.spec.truth]
        truths = truth.unique().to_list()
        if None in truths or len(truths) > 2:
            raise _NeedsRows("the truth has gaps or several classes")
        members = {value: (truth == value).to_numpy() for value in truths}
        for name, own in scores.items():
            ranked[name] = {
                value: count_scores(own[rows], np.ones(rows.sum(), dtype=bool), task.most)
                for value, rows in members.items()
            }
    required, optional = task.labels
    labels = [*required, *(name for name in optional if name in frame.columns)]
    roles = task.roles
    apart = replace(kept, cells=kept.cells.drop(labels))
    others = {
        column.name: _column(apart, column, task, roles.get(column.name, ()))
        for column in source_columns(apart, roles)
    }
    divided = [pl.Series(n, _divided(scores[n], own)) for n, own in task.thresholds.items()]
    cells = kept.cells.select(labels).with_columns(divided)
    rows = replace(
        kept,
        cells=cells,
        lines=None,
        score_sums=scores,
        hashes=hashes_of(frame, *hashed_columns(task.spec)),
        _typed={},
    )
    return PartCounts(
        frame=count_rows(rows),
        columns=tuple(frame.columns),
        others=others,
        where_kinds=tuple(str(frame.kind(line.column)) for line in task.spec.where),
        excluded=read.excluded,
        ranked=ranked,
    )


def _divided(scores: "NDArray[np.float64]", thresholds: Sequence[float]) -> "NDArray[np.float64]":
    """Replace each score by one on the same side of every threshold.

    Of the ends of probabilities, 0 and 1, each is on its own side too.
    """
    above = math.nextafter(1.0, 2.0)
    edges = np.array(sorted({MARGINAL, PROBABLE, above, *thresholds}))
    lowest = np.append(edges[0] - 1, edges)
    return np.asarray(lowest[np.searchsorted(edges, scores, side="right")])


def sum_products(
    ranks: "Sequence[Ranks]",
    areas: Sequence[float],
    columns: Sequence[str],
    positive: Any,
    task: PartTask,
) -> "tuple[Any, Any] | None":
    """Sum products of placements over the rows of one part; None where it cannot be read."""
    try:
        read = _read_part(task)
    except _NeedsRows:
        return None
    assert task.spec.truth is not None, "areas are of a truth"
    up = (read.kept.cells[task.spec.truth] == positive).to_numpy()
    return placement_products(ranks, areas, [read.scores[name] for name in columns], up)


def _column(
    frame: Frame, described: SourceColumn, task: PartTask, roles: Sequence[Role]
) -> ColumnCounts:
    """Add to a column that is not a key what adds up; ids must rise by rows."""
    name = described.name
    values, kind = frame.values(name), frame.kind(name)
    dtype = None if kind is Kind.EMPTY else str(values.dtype)
    if name in task.thresholds:  # its levels are those that are counted for each class
        return ColumnCounts(described, dtype)
    whole = dtype is not None and values.dtype.is_integer() and values.null_count() == 0
    if whole and (values.diff().drop_nulls() > 0).all():
        return ColumnCounts(described, dtype, ends=(int(values[0]), int(values[-1])))
    if name == task.spec.id and len(values):
        raise _NeedsRows("ids do not rise")
    counted = counts_levels(kind, name, roles)
    return ColumnCounts(described, dtype, values.unique().drop_nulls() if counted else None)


# --- all parts together ------------------------------------------------------------------------


class CountedParts(Struct, frozen=True):
    """The distinct rows of a table in parts, and the scores of its models, counted for each class.

    `columns` are all columns of the table, `excluded` what each `where` line excluded, and `tasks`
    count the parts, for whoever has to read them again.
    """

    frame: Frame
    excluded: tuple[tuple[str, int], ...]
    columns: tuple[SourceColumn, ...]
    scores: Mapping[str, ScoresOfParts]
    tasks: tuple[PartTask, ...]


def count_parts(
    spec: PredictionsSpec, folder: Path, counting: Counting
) -> CountedParts | RowsAsked:
    """Count the rows of a table in parts; the reason where its rows are needed.

    Then all parts are read as one table, which reports what is wrong with the places of the rows.
    """
    (location,) = spec.paths
    most = None if counting.rankings is None else counting.rankings.most
    limited, allowed = changed_limits(), network_allowed()
    counts: list[PartCounts] = []
    scores: dict[str, ScoresOfParts] = {}
    held: float = 0
    try:
        paths = [path for _, path in pattern_files(location, folder)]
        tasks = tuple(
            PartTask(path, folder.absolute(), spec, most, limited, allowed) for path in paths
        )
        with parts_of(location, paths, folder):
            for task, counted in zip(tasks, counting.mapped(count_part, tasks), strict=True):
                elsewhere = isinstance(counted, str) and counting.mapped is not map
                made = count_part(task) if elsewhere else counted  # another machine lacks the file
                if isinstance(made, str):
                    raise _NeedsRows(f"{made} (`{task.path}`)")
                for name, own in made.ranked.items():
                    scores.setdefault(name, ScoresOfParts(most)).add(own)
                counts.append(replace(made, ranked={}))
                held += made.frame.cells.estimated_size()
                if HELD * (held + sum(one.bytes for one in scores.values())) > MEMORY.most:
                    raise _NeedsRows("nearly every row is another combination of values")
                report_activity(Activity("reading", spec.name, share=len(counts) / len(tasks)))
        return _add_up(tasks, counts, scores)
    except (_NeedsRows, Refused, OverLimit) as why:
        return RowsAsked(str(why) if isinstance(why, _NeedsRows) else UNLIKE)


def _add_up(
    tasks: tuple[PartTask, ...],
    counts: Sequence[PartCounts],
    scores: Mapping[str, ScoresOfParts],
) -> CountedParts:
    """Add up the counts of all parts; raises `_NeedsRows` and `Refused`."""
    first, spec = counts[0], tasks[0].spec
    frames = [one.frame for one in counts]
    n = sum(frame.n for frame in frames)
    alike = all(
        set(one.columns) == set(first.columns)
        and one.frame.untyped == first.frame.untyped
        and (one.where_kinds == first.where_kinds or not spec.where)
        for one in counts
    )
    if n == 0 or not alike:
        raise _NeedsRows(UNLIKE)
    joined = join_parts(spec.paths[0], frames, [frame.hashes or ("", "") for frame in frames])
    sums = [frame.score_sums or {} for frame in frames]
    joined = replace(
        joined,
        pieces=(),
        times=np.concatenate([frame.times for frame in frames]),
        score_sums={name: np.concatenate([one[name] for one in sums]) for name in sums[0]},
    )
    frame = count_rows(joined)
    assert frame.times is not None, "it is counted"
    roles = tasks[0].roles
    of_keys = {column.name: column for column in source_columns(frame, roles)}
    columns: list[SourceColumn] = []
    for name in first.columns:
        own = scores.get(name)
        if name in of_keys and name not in sums[0]:
            missing = int(frame.times[frame.values(name).is_null().to_numpy()].sum())
            columns.append(replace(of_keys[name], missing=missing))
            continue
        parts = [one.others[name] for one in counts]
        found = _joined_column(name, parts, n, () if name in sums[0] else roles.get(name, ()))
        columns.append(found if own is None else replace(found, levels=own.distinct))
    excluded = tuple(
        (line.written, sum(one.excluded[place] for one in counts))
        for place, line in enumerate(spec.where)
    )
    return CountedParts(frame, excluded, tuple(columns), scores, tasks)


def _joined_column(
    name: str, parts: Sequence[ColumnCounts], n: int, roles: Sequence[Role]
) -> SourceColumn:
    """Join what the parts say of a column.

    Parts in which it is empty have no say in what it holds.
    """
    full = [part for part in parts if part.dtype is not None]
    first = (full or parts)[0].column
    dates = {part.dtype for part in full} if first.kind == Kind.DATE.name.lower() else ()
    if len({part.column.kind for part in full}) > 1 or len(dates) > 1:
        raise _NeedsRows(UNLIKE)
    ranges = [part.column.range for part in full if part.column.range is not None]
    ends = None
    if ranges:
        low, high = min(one[0] for one in ranges), max(one[1] for one in ranges)
        numbers = any(isinstance(one[0], float) for one in ranges)
        ends = (float(low), float(high)) if numbers else (low, high)
    levels = None
    if counts_levels(Kind[first.kind.upper()], name, roles):
        levels = _levels(full, n)
    elif any(role.noun == "id" for role in roles):
        _levels(full, n)
    missing = sum(part.column.missing for part in parts)
    return replace(first, levels=levels, missing=missing, range=ends)


def _levels(parts: Sequence[ColumnCounts], n: int) -> int:
    """Count the distinct values of all parts.

    Numbers that rise by rows, from part to part too, are all distinct.
    """
    known = [part.ends for part in parts if part.ends is not None]
    if len(known) == len(parts):
        if all(a[1] < b[0] for a, b in pairwise(known)):
            return n
        raise _NeedsRows("ids do not rise from part to part")
    distinct = [part.distinct for part in parts if part.distinct is not None]
    if len(distinct) < len(parts):
        raise _NeedsRows(UNLIKE)
    same = {str(values.dtype) for values in distinct}
    cast = distinct if len(same) == 1 else [values.cast(pl.Float64) for values in distinct]
    return int(pl.concat([values.alias("") for values in cast]).n_unique())
