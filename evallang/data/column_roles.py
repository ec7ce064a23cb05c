"""Columns with a role of their own: id, group, weight, split, strata, subgroups."""

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evallang.data.column_types import Kind
from evallang.data.dataset import Label
from evallang.data.findings import (
    Findings,
    Refused,
    counted,
    quoted,
    refuse_each,
    unknown_column,
    written,
)
from evallang.data.frame import Frame
from evallang.data.labels import as_number, label_text, numbered
from evallang.data.magnitudes import check_sizes
from evallang.diagnostics import codes
from evallang.spelling import closest

MOST_WORDS = 20  # distinct ones in a column that names kinds of rows
MISSING_LEVEL = "(missing)"
"""The level of rows in which a subgroup column is missing."""


def check_column(frame: Frame, column: str, keyword: str) -> None:
    """Refuse a column that does not exist."""
    if column not in frame.columns:
        raise unknown_column(codes.unknown_column, column, frame.nameable, frame.source, keyword)


def complete_texts(
    frame: Frame, column: str | None, keyword: str, *, filtered: bool = True
) -> tuple[str, ...] | None:
    """Return a column as text, one of each row; missing values are refused. None without a column.

    `filtered` is whether `where` lines are about this file.
    """
    if column is None:
        return None
    _check_complete(frame, column, keyword, filtered=filtered)
    return tuple(frame.texts(column).to_list())


def names_of_models(frame: Frame, columns: Sequence[str]) -> tuple[str, ...]:
    """Return the name of each row's model: the values of its columns; missing ones are refused.

    Columns after the first may be empty, as options are.
    """
    _check_complete(frame, columns[0], "model")
    names = tuple(frame.texts(columns[0]).to_list())
    for column in columns[1:]:
        check_column(frame, column, "model")
        more = frame.texts(column).fill_null("").to_list()
        names = tuple(f"{name} {text}".strip() for name, text in zip(names, more, strict=True))
    return names


def check_models(
    sources: Sequence[str],
    columns: Sequence[str],
    wanted: Iterable[str],
    present: Sequence[str],
) -> None:
    """Refuse the models that a statement names and no row of a long table has."""
    refuse_each(
        Refused(
            codes.no_scores_of_model,
            f"no row of {quoted(sources)} has `{name}` in {quoted(columns)}",
            "models",
            help=f"did you mean `{near}`?"
            if (near := closest(name, present))
            else f"there are {quoted(present, 12)}",
        )
        for name in wanted
        if name not in present
    )


def read_groups(
    frame: Frame, column: str | None
) -> "tuple[tuple[str, ...] | None, NDArray[np.int64] | None]":
    """Return the groups in the order of their first rows, and the index of each row's group."""
    if column is None:
        return None, None
    _check_complete(frame, column, "group")
    cells = frame.cells[column]  # a whole number has one spelling
    names, coded = numbered(cells if cells.dtype.is_integer() else frame.texts(column))
    return tuple(names.cast(pl.String).to_list()), coded


def check_agreement(
    frame: Frame,
    column: str,
    coded: "NDArray[np.int64]",
    names: Sequence[str],
    keyword: str,
    unit: str,
    fix: str,
) -> None:
    """Refuse a column with several values in the rows of one code, which `names` (n,) tell."""
    values = frame.values(column)
    _, first = np.unique(coded, return_index=True)
    rows = (~values.eq_missing(values[first][coded])).arg_true().to_list()
    if rows:
        row, earlier, texts = rows[0], int(first[coded[rows[0]]]), frame.texts(column)
        raise Refused(
            codes.repeats_contradict,
            f"`{column}` of `{names[row]}` is `{texts[earlier]}` in {frame.place(earlier)} and "
            f"`{texts[row]}` in {frame.place(row)}",
            keyword,
            unit,
            help=fix,
        )


def read_ids(
    frame: Frame,
    column: str | None,
    *,
    within: Sequence[str] = (),
    apart: Collection[str] | None = None,
) -> "pl.Series | None":
    """Return the ids of the rows, whole numbers or texts; one that occurs twice is refused.

    `within` are columns (repeat, data set) inside which an id must be unique. `apart` are the
    columns of predictions that distinguish no rows: truth and models; None of a table, where
    rows of one id may be a group.
    """
    if column is None:
        return None
    _check_complete(frame, column, "id")
    values = frame.values(column)
    found = values.shrink_dtype() if values.dtype.is_integer() else frame.texts(column)
    cells = pl.DataFrame([frame.cells[name] for name in (column, *within)])
    if cells.n_unique() < cells.height:
        keys = pl.DataFrame([frame.texts(name).alias(name) for name in (column, *within)])
        twice = keys.is_duplicated().arg_true().to_list()
        names = dict.fromkeys(frame.texts(column)[twice].to_list())
        raise Refused(
            codes.id_occurs_twice,
            f"`{column}` names more than one row of `{frame.source}`: {quoted(names)} "
            f"in {frame.places(twice)}",
            "id",
            help=f"write `group {written(column)}` in place of `id {written(column)}` if its rows "
            "belong together"
            if apart is None
            else _suggest_fix(frame, keys, twice, apart),
        )
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
        "to each; if they repeat one row, name by `repeat` the column that numbers them, or write "
        "`repeat by order`"
    )


def read_weights(frame: Frame, column: str | None) -> "NDArray[np.float64] | None":
    """Return the weights of the rows: finite, at least zero, not all zero."""
    if column is None:
        return None
    _check_complete(frame, column, "weight")
    if frame.kind(column) not in (Kind.NUMBER, Kind.BOOLEAN):
        message = f"`{column}` contains {frame.content(column)}, which cannot be a weight"
        raise Refused(codes.unusable_weight, message, "weight", help="name a column of numbers")
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
        raise Refused(codes.unusable_weight, f"`{column}` is {where}", "weight", help=fix)
    check_sizes(frame, values, f"`{column}`", "weight")
    return values


def read_levels(
    frame: Frame, columns: Sequence[str], keyword: str, findings: Findings
) -> Mapping[str, tuple[str, ...]]:
    """Return columns as text, missing values as a level of their own."""
    levels: dict[str, tuple[str, ...]] = {}
    for column in dict.fromkeys(columns):
        with findings.catching():
            check_column(frame, column, f"{keyword} {column}")
            levels[column] = tuple(frame.texts(column).fill_null(MISSING_LEVEL).to_list())
    return levels


def warn_of_words(frame: Frame, column: str, keyword: str, findings: Findings) -> None:
    """Report the words of a column of text that are read as missing and may be a category."""
    words = frame.taken.get(column, {}) if frame.stated is None else ()
    if not words or frame.kind(column) is not Kind.TEXT:
        return
    findings.add(
        codes.words_read_as_missing,
        f"{quoted(words)} in `{column}` {'is' if len(words) == 1 else 'are'} read as missing, in "
        f"{counted(len(frame.missing_rows(column)), 'row')} of {frame.n:,}",
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


def _check_complete(frame: Frame, column: str, keyword: str, *, filtered: bool = True) -> None:
    """Refuse a column that does not exist or lacks a value."""
    check_column(frame, column, keyword)
    missing = frame.missing_rows(column)
    if missing:
        whose = f"`{column}`" if filtered else f"`{column}` of `{frame.source}`"
        raise Refused(
            codes.missing_value_in_role,
            f"{whose} is missing in {frame.places(missing)}",
            keyword,
            help=f"write `where {written(column)} is not missing` to keep the others"
            f"{frame.keep_words(column)}"
            if filtered
            else "write it in every row",
        )
