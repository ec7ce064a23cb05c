"""Columns with a role of their own: id, group, weight, split, strata, subgroups."""

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evallang.data.codes import (
    ID_TWICE,
    MISSING_IN_ROLE,
    NO_SUCH_MODEL,
    UNKNOWN_COLUMN,
    UNUSABLE_WEIGHT,
    WORDS_READ_AS_MISSING,
)
from evallang.data.column_types import Kind
from evallang.data.dataset import Label
from evallang.data.findings import Findings, counted, quoted, written
from evallang.data.frame import Frame
from evallang.data.labels import as_number, label_text, numbered
from evallang.data.magnitudes import sizes_are_usable
from evallang.spelling import closest

MOST_WORDS = 20  # distinct ones in a column that names kinds of rows
MISSING_LEVEL = "(missing)"
"""The level of rows in which a subgroup column is missing."""


def column_exists(frame: Frame, column: str | None, keyword: str, findings: Findings) -> bool:
    """Return whether a column is named and exists; report a column that does not exist."""
    if column is None:
        return False
    if column not in frame.columns:
        findings.unknown_column(UNKNOWN_COLUMN, column, frame.nameable, frame.source, keyword)
        return False
    return True


def complete_texts(
    frame: Frame, column: str | None, keyword: str, findings: Findings, *, filtered: bool = True
) -> tuple[str, ...] | None:
    """Return a column as text, one of each row; missing values are a finding.

    `filtered` is whether `where` lines are about this file.
    """
    if column is None or not column_exists(frame, column, keyword, findings):
        return None
    if _has_missing(frame, column, keyword, findings, filtered=filtered):
        return None
    return tuple(frame.texts(column).to_list())


def names_of_models(
    frame: Frame, columns: Sequence[str], findings: Findings
) -> tuple[str, ...] | None:
    """Return the name of each row's model: the values of its columns; missing ones are a finding.

    Columns after the first may be empty, as options are.
    """
    names = complete_texts(frame, columns[0], "model", findings)
    for column in columns[1:]:
        if not column_exists(frame, column, "model", findings) or names is None:
            return None
        more = frame.texts(column).fill_null("").to_list()
        names = tuple(f"{name} {text}".strip() for name, text in zip(names, more, strict=True))
    return names


def has_models(
    frame: Frame,
    columns: Sequence[str],
    wanted: Sequence[str],
    present: Sequence[str],
    findings: Findings,
) -> bool:
    """Return whether a long table has rows of all models that a statement names."""
    lacking = [name for name in wanted if name not in present]
    for name in lacking:
        near = closest(name, present)
        findings.add(
            NO_SUCH_MODEL,
            f"no row of `{frame.source}` has `{name}` in {quoted(columns)}",
            "models",
            help=f"did you mean `{near}`?" if near else f"there are {quoted(present, 12)}",
        )
    return not lacking


def read_groups(
    frame: Frame, column: str | None, findings: Findings
) -> "tuple[tuple[str, ...], NDArray[np.int64]] | None":
    """Return the groups in the order of their first rows, and the index of each row's group.

    Missing values are reported.
    """
    if column is None or not column_exists(frame, column, "group", findings):
        return None
    if _has_missing(frame, column, "group", findings):
        return None
    cells = frame.cells[column]  # a whole number has one spelling
    names, codes = numbered(cells if cells.dtype.is_integer() else frame.texts(column))
    return tuple(names.cast(pl.String).to_list()), codes


def read_ids(
    frame: Frame,
    column: str | None,
    findings: Findings,
    *,
    within: Sequence[str] = (),
    apart: Collection[str] | None = None,
) -> "pl.Series | None":
    """Return the ids of the rows, whole numbers or texts; one that occurs twice is a finding.

    `within` are columns (repeat, data set) inside which an id must be unique. `apart` are the
    columns of predictions that distinguish no rows: truth and models; None of a table, where
    rows of one id may be a group.
    """
    if column is None or not column_exists(frame, column, "id", findings):
        return None
    if _has_missing(frame, column, "id", findings):
        return None
    values = frame.values(column)
    found = values.shrink_dtype() if values.dtype.is_integer() else frame.texts(column)
    cells = pl.DataFrame([frame.cells[name] for name in (column, *within)])
    if cells.n_unique() < cells.height:
        keys = pl.DataFrame([frame.texts(name).alias(name) for name in (column, *within)])
        twice = keys.is_duplicated().arg_true().to_list()
        names = dict.fromkeys(frame.texts(column)[twice].to_list())
        findings.add(
            ID_TWICE,
            f"`{column}` names more than one row of `{frame.source}`: {quoted(names)} "
            f"in {frame.places(twice)}",
            "id",
            help=f"write `group {written(column)}` in place of `id {written(column)}` if its rows "
            "belong together"
            if apart is None
            else _suggest_fix(frame, keys, twice, apart),
        )
        return None
    return found


def _suggest_fix(
    frame: Frame, keys: "pl.DataFrame", twice: list[int], apart: Collection[str]
) -> str:
    """Return a fix: a column of few words, such as `filter`, that distinguishes rows of one id."""
    for name in sorted(frame.columns, key=lambda column: column != "filter"):
        if name in apart or name in keys.columns or frame.kind(name) is not Kind.TEXT:
            continue
        words = frame.texts(name)
        alone = not keys.with_columns(words.alias(name)).is_duplicated().any()
        if alone and words.n_unique() <= MOST_WORDS:
            word = written(str(words[twice[0]]))
            return (
                f"`{name}` distinguishes these rows: write `where {written(name)} = {word}` to "
                "keep one kind"
            )
    return (
        "give each row an id of its own"
        if keys.width > 1
        else f"write `group {written(keys.columns[0])}` and another `id`, if several rows belong "
        "to each, or name by `repeat` the column that numbers repeats of one row"
    )


def read_weights(
    frame: Frame, column: str | None, findings: Findings
) -> "NDArray[np.float64] | None":
    """Return the weights of the rows: finite, at least zero, not all zero."""
    if column is None or not column_exists(frame, column, "weight", findings):
        return None
    if _has_missing(frame, column, "weight", findings):
        return None
    if frame.kind(column) not in (Kind.NUMBER, Kind.BOOLEAN):
        message = f"`{column}` contains {frame.content(column)}, which cannot be a weight"
        findings.add(UNUSABLE_WEIGHT, message, "weight", help="name a column of numbers")
        return None
    values = np.asarray(frame.values(column).cast(pl.Float64).to_numpy(), dtype=np.float64)
    wrong = np.flatnonzero(~np.isfinite(values) | (values < 0)).tolist()
    if wrong or not values.any():
        below = [row for row in wrong if values[row] < 0]
        where = (
            f"below zero in {frame.places(below)}"
            if below
            else f"infinite in {frame.places(wrong)}"
            if wrong
            else "zero in every row"
        )
        fix = "write finite weights of 0 or more, and some above 0"
        findings.add(UNUSABLE_WEIGHT, f"`{column}` is {where}", "weight", help=fix)
        return None
    return values if sizes_are_usable(frame, values, f"`{column}`", "weight", findings) else None


def read_levels(
    frame: Frame, columns: Sequence[str], keyword: str, findings: Findings
) -> Mapping[str, tuple[str, ...]]:
    """Return columns as text, missing values as a level of their own."""
    return {
        column: tuple(frame.texts(column).fill_null(MISSING_LEVEL).to_list())
        for column in dict.fromkeys(columns)
        if column_exists(frame, column, f"{keyword} {column}", findings)
    }


def warn_of_words(frame: Frame, column: str, keyword: str, findings: Findings) -> None:
    """Report the words of a column of text that are read as missing and may be a category."""
    words = frame.taken.get(column, {}) if frame.stated is None else ()
    if not words or frame.kind(column) is not Kind.TEXT:
        return
    findings.add(
        WORDS_READ_AS_MISSING,
        f"{quoted(words)} in `{column}` {'is' if len(words) == 1 else 'are'} read as missing, in "
        f"{counted(frame.n_missing(column), 'row')} of {frame.n:,}",
        keyword,
        help=f"write `{missing_line(frame)}` if this is meant, or `missing none` if "
        f"{'it is' if len(words) == 1 else 'they are'} a category",
    )


def missing_line(frame: Frame, more: Iterable[Label] = ()) -> str:
    """Return the `missing` clause that names further words besides those that are missing now."""
    now: Iterable[Label] = sorted({word for some in frame.taken.values() for word in some})
    words = [label_text(w) for w in (*(now if frame.stated is None else frame.stated), *more)]
    texts = dict.fromkeys(w if as_number(w) is not None else f'"{w}"' for w in words)
    return f"missing {', '.join(texts)}"


def _has_missing(
    frame: Frame, column: str, keyword: str, findings: Findings, *, filtered: bool = True
) -> bool:
    missing = frame.missing_rows(column)
    if missing:
        whose = f"`{column}`" if filtered else f"`{column}` of `{frame.source}`"
        findings.add(
            MISSING_IN_ROLE,
            f"{whose} is missing in {frame.places(missing)}",
            keyword,
            help=f"write `where {written(column)} is not missing` to keep the others"
            f"{frame.keep_words(column)}"
            if filtered
            else "write it in every row",
        )
    return bool(missing)
