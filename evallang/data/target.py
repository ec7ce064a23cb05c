"""The target: which task it makes, its labels in their order, the positive one."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct
from numpy.typing import NDArray

from evallang.data.column_roles import check_column
from evallang.data.column_types import Kind
from evallang.data.dataset import DataSpec, Label, PredictionsSpec, Task, class_counts
from evallang.data.findings import Findings, Refused, quoted, written
from evallang.data.frame import Frame
from evallang.data.labels import classes_of, find_label
from evallang.data.magnitudes import (
    check_decimals,
    check_sizes,
    check_whole_numbers,
)
from evallang.data.odd_values import warn_of_labels, warn_of_numbers
from evallang.diagnostics import codes
from evallang.limits import CLASSES, CLASSES_APART, OverLimit
from evallang.spelling import closest
from evallang.target_scales import SCALES

FINITE = "write finite values, or exclude such rows by `where`"
MOST_INTEGER_CLASSES = 20  # distinct whole numbers that may still be names of classes


class Target(Struct, frozen=True):
    """What is to be predicted; see `Table` for the fields."""

    task: Task
    y: "NDArray[Any]"
    classes: tuple[str, ...]
    class_values: tuple[Label, ...]
    positive: int | None
    notes: tuple[str, ...]


def read_target(
    frame: Frame,
    spec: DataSpec | PredictionsSpec,
    column: str,
    findings: Findings,
    keyword: str = "target",
) -> Target:
    """Read the target (or truth) column.

    Without a `task` clause text and Booleans make a classification; whole numbers do when
    they have at most 20 distinct values and at most half as many as there are rows (two
    values always do); all other numbers make a regression. The choice is a note.
    """
    check_column(frame, column, keyword)
    missing = frame.missing_rows(column)
    if missing:
        raise Refused(
            codes.missing_target,
            f"`{column}` is missing in {len(missing):,} of {frame.n:,} rows: "
            f"{frame.places(missing)}"
            if len(missing) < frame.n
            else f"`{column}` is missing in every row",
            keyword,
            help=f"write `where {written(column)} is not missing` to exclude "
            f"{'it' if len(missing) == 1 else 'them'}{frame.keep_words(column)}"
            if len(missing) < frame.n
            else "name a column with the true labels or numbers",
        )
    if frame.kind(column) in (Kind.DATE, Kind.OTHER):
        message = f"`{column}` contains {frame.content(column)}, which cannot be predicted"
        fix = "name a column of numbers or labels"
        raise Refused(codes.unusable_feature_type, message, keyword, help=fix)
    task, notes = _task(frame, spec, column)
    if task == "classification" and isinstance(spec, DataSpec) and spec.target_scale:
        raise Refused(
            codes.scale_of_labels,
            f"`{column}` holds labels, which have no {spec.target_scale} scale",
            keyword,
            help=f"write `target {written(column)}`, or `task regression` if it is a number",
        )
    if task == "regression":
        return _numbers(frame, spec, column, notes, findings, keyword)
    return _labels(frame, spec, column, notes, findings, keyword)


def _task(
    frame: Frame, spec: DataSpec | PredictionsSpec, column: str
) -> tuple[Task, tuple[str, ...]]:
    if spec.task is not None:
        return spec.task, ()
    values = frame.values(column)
    if frame.kind(column) is not Kind.NUMBER:
        return "classification", (f"task classification: {column} contains {frame.kind(column)}",)
    whole = values.dtype.is_integer() or bool((values.cast(pl.Float64) % 1 == 0).all())
    distinct = values.n_unique()
    few = distinct <= 2 or (distinct <= MOST_INTEGER_CLASSES and 2 * distinct <= frame.n)
    if whole and few:
        reason = f"{column} has {distinct} distinct whole numbers"
        return "classification", (f"task classification: {reason}",)
    reason = f"{column} has {distinct:,} distinct numbers"
    return "regression", (f"task regression: {reason}",)


def _numbers(
    frame: Frame,
    spec: DataSpec | PredictionsSpec,
    column: str,
    notes: tuple[str, ...],
    findings: Findings,
    keyword: str,
) -> Target:
    if frame.kind(column) is not Kind.NUMBER:
        where = frame.first_non_number(column)
        raise Refused(
            codes.target_not_numeric,
            f"`{column}` is the target of a regression and contains {where}",
            keyword,
            "task",
            help="exclude such rows by `where`, or write `task classification` for labels",
        )
    if spec.positive is not None:
        message = f"`positive` is for two classes, and `{column}` is predicted by regression"
        raise Refused(
            codes.positive_needs_two_classes, message, "positive", help="remove `positive`"
        )
    y = np.array(frame.values(column).cast(pl.Float64).to_numpy(), dtype=np.float64)
    infinite = np.flatnonzero(~np.isfinite(y)).tolist()
    if infinite:
        message = f"`{column}` is infinite in {frame.places(infinite)}"
        raise Refused(codes.infinite_value, message, keyword, help=FINITE)
    what = f"`{column}`"
    check_sizes(frame, y, what, keyword)
    check_whole_numbers(frame, column, what, keyword)
    check_decimals(y, what, keyword)
    warn_of_numbers(frame, column, keyword, findings)
    scale = spec.target_scale if isinstance(spec, DataSpec) else None
    if scale is not None:
        _check_scale(frame, column, y, scale, keyword)
        learnt = f"models learn {scale} {column}; predictions and metrics are on its own scale"
        notes = (*notes, learnt)
    return Target("regression", y, (), (), None, notes)


def _check_scale(frame: Frame, column: str, y: "NDArray[Any]", scale: str, keyword: str) -> None:
    """Refuse rows whose target has no value on the scale of the models."""
    known = SCALES[scale]
    outside = np.flatnonzero(y <= known.least if known.above else y < known.least).tolist()
    if outside:
        what = "not above zero" if known.above else "below zero"
        raise Refused(
            codes.target_outside_scale,
            f"`{column}` is {what} in {frame.places(outside)}, and `target {scale}` needs it",
            keyword,
            help="remove the scale, or exclude such rows by `where` if the question allows it",
        )


def _labels(
    frame: Frame,
    spec: DataSpec | PredictionsSpec,
    column: str,
    notes: tuple[str, ...],
    findings: Findings,
    keyword: str,
) -> Target:
    values, cells = frame.values(column), frame.cells[column]
    untyped = frame.untyped and frame.kind(column) is Kind.NUMBER and cells.dtype == pl.String
    if untyped and bool(cells.str.contains(r"^[+-]?0[0-9]").any()):  # 01 would be spelled as 1
        values = frame.texts(column)
    if values.dtype.is_float() and values.is_infinite().any():
        infinite = values.is_infinite().arg_true().to_list()
        message = f"`{column}` is infinite in {frame.places(infinite)}"
        raise Refused(codes.infinite_value, message, keyword, help=FINITE)
    found = classes_of(values)
    limit = CLASSES_APART if isinstance(spec, DataSpec) else CLASSES
    try:
        limit.check(f"`{column}`", len(found.texts))
    except OverLimit as error:
        raise Refused(codes.file_too_large, str(error), keyword, help=error.help) from error
    if len(found.texts) == 1:
        kept = " that `where` keeps" if spec.where else ""
        message = (
            f"every row of `{frame.source}`{kept} has the label `{found.texts[0]}` in `{column}`"
        )
        fix = f"name another {keyword}, or keep rows of more than one class"
        raise Refused(codes.one_class, message, keyword, help=fix)
    counts = class_counts(found.codes, len(found.texts), frame.times)
    by_label = dict(zip(found.texts, counts, strict=True))
    warn_of_labels(frame, column, by_label, keyword, findings)
    positive, stated = positive_label(spec, column, found.texts, found.values)
    return Target(
        "classification", found.codes, found.texts, found.values, positive, (*notes, *stated)
    )


def positive_label(
    spec: DataSpec | PredictionsSpec,
    column: str,
    texts: Sequence[str],
    values: Sequence[Label],
) -> tuple[int | None, tuple[str, ...]]:
    """Return the code of the positive of two classes, and a note where it is a default."""
    if spec.positive is None:
        if len(texts) != 2:
            return None, ()
        return 1, (f"positive {texts[1]}: the last of the two labels",)
    if len(texts) != 2:
        raise Refused(
            codes.positive_needs_two_classes,
            f"`positive` is for two classes, and `{column}` has {len(texts)}: {quoted(texts, 12)}",
            "positive",
            help="spell the labels of one class alike"
            if len({text.casefold() for text in texts}) == 2
            else "remove `positive`, or keep two of the classes by `where`",
        )
    place = find_label(spec.positive, values)
    if place is None:
        near = closest(str(spec.positive), texts)
        raise Refused(
            codes.unknown_positive_label,
            f"`{column}` has no label `{spec.positive}`; its labels are {quoted(texts, 12)}",
            "positive",
            help=f"did you mean `{near}`?" if near else "write one of them",
        )
    return place, ()
