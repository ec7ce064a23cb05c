"""Features: which columns models see, as one block of numbers and one of text."""

from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct
from numpy.typing import NDArray

from evallang.data.column_roles import missing_line, warn_of_words
from evallang.data.column_types import Kind
from evallang.data.dataset import Column, DataSpec
from evallang.data.findings import (
    Findings,
    Refused,
    counted,
    listed,
    quoted,
    refuse_each,
    unknown_column,
    written,
)
from evallang.data.frame import Frame, as_objects
from evallang.data.odd_values import variants_in, warn_of_numbers, warn_of_variants
from evallang.diagnostics import codes

MOST_ODD_WORDS = 3  # distinct words among numbers, however many rows have them
LEAST_ODD_ROWS = 0.25  # share of the rows up to which there may be more of them
LEAST_NUMBERS = 0.5  # share of numbers from which a text column looks meant as numbers


class Features(Struct, frozen=True):
    """The feature columns in their order and the two blocks of their values."""

    columns: tuple[Column, ...]
    numeric: "NDArray[np.float64]"
    objects: "NDArray[np.object_]"


def read_features(frame: Frame, spec: DataSpec, target: str, findings: Findings) -> Features:
    """Read the features into their blocks.

    Numbers and Booleans (0 and 1) are numeric, float64, or float32 if all numeric columns
    of the source are; text, dates, and every column listed as categorical, go to the object
    block. A column without any value is numeric and missing throughout.
    """
    names = _feature_names(frame, spec, target)
    faults = [_unusable(frame, name) for name in names if frame.kind(name) is Kind.OTHER]
    columns: list[Column] = []
    numbers: list[pl.Series] = []
    texts: list[NDArray[Any]] = []
    for name in names:
        kind = frame.kind(name)
        if kind is Kind.OTHER:
            continue
        if kind in (Kind.TEXT, Kind.DATE) or name in spec.categorical:
            marks = _warn_of_odd_words(frame, name, spec, findings)
            warn_of_words(frame, name, "features", findings)
            if not marks:
                warn_of_variants(name, variants_in(frame, name), "features", findings)
            columns.append(Column(name, numeric=False, index=len(texts), marks=marks))
            texts.append(as_objects(frame.texts(name)))
        else:
            warn_of_numbers(frame, name, "features", findings)
            columns.append(Column(name, numeric=True, index=len(numbers)))
            numbers.append(frame.values(name))
    block, infinite = _numeric_block(numbers, frame.n)
    faults += [_infinite(frame, numbers[place]) for place in infinite]
    refuse_each(faults)
    return Features(tuple(columns), block, _text_block(texts, frame.n))


def _feature_names(frame: Frame, spec: DataSpec, target: str) -> list[str]:
    roles = {
        spec.id: "the id",
        spec.group: "the group",
        spec.weight: "the weight",
        spec.split: "the split",
        target: "the target",
    }
    named = dict.fromkeys((*(spec.features or ()), *(spec.features_except or ())))
    faults = [
        unknown_column(codes.unknown_column, name, frame.columns, frame.source, word)
        for word, some in (("features", named), ("categorical", spec.categorical))
        for name in some
        if name not in frame.columns
    ]
    for name in spec.features or ():
        if name in roles:
            message = f"`{name}` is {roles[name]} and cannot be a feature"
            fix = f"remove `{name}` from the features"
            faults.append(Refused(codes.column_in_two_roles, message, "features", help=fix))
    refuse_each(faults)
    chosen = spec.features if spec.features is not None else frame.columns
    left_out = {*roles, *(spec.features_except or ())}
    if spec.features is None:
        left_out.add(spec.time)
    names = [name for name in dict.fromkeys(chosen) if name not in left_out]
    for name in spec.categorical:
        if name not in names:
            why = roles.get(name, "not among the features")
            message = f"`{name}` is listed as categorical, but it is {why}"
            fix = f"write `{name}` among the features too, or remove it here"
            fix = f"remove `{name}` here" if name in roles else fix
            faults.append(
                Refused(codes.categorical_is_no_feature, message, "categorical", help=fix)
            )
    refuse_each(faults)
    if not names:
        raise Refused(
            codes.no_features,
            f"`{frame.source}` has no column for models to learn from among "
            f"{quoted(frame.columns)}",
            "features",
            help="keep a column besides target, `id`, `group` and `weight`",
        )
    return names


def _unusable(frame: Frame, name: str) -> Refused:
    return Refused(
        codes.unusable_feature_type,
        f"`{name}` contains {frame.content(name)}, which a model cannot use",
        "features",
        help=f"write `features all except {written(name)}`, or list the features",
    )


def _infinite(frame: Frame, values: "pl.Series") -> Refused:
    infinite = values.cast(pl.Float64).is_infinite().fill_null(False).arg_true().to_list()
    return Refused(
        codes.infinite_value,
        f"`{values.name}` is infinite in {frame.places(infinite)}",
        "features",
        help='write `missing "inf", "-inf"` if it marks an unknown value',
    )


def _warn_of_odd_words(
    frame: Frame, name: str, spec: DataSpec, findings: Findings
) -> tuple[str, ...]:
    """Report the few words that make a column of numbers one of text, and return them."""
    if name in spec.categorical or not frame.untyped or frame.kind(name) is not Kind.TEXT:
        return ()
    cells = frame.texts(name).drop_nulls()
    odd = cells.filter(cells.cast(pl.Float64, strict=False).is_null())
    words = odd.unique().sort().to_list()
    few = len(words) <= MOST_ODD_WORDS
    if len(odd) > (1 - LEAST_NUMBERS if few else LEAST_ODD_ROWS) * len(cells):
        return ()
    marks = listed((f'"{word}"' for word in words), MOST_ODD_WORDS)
    known = any(character.isdigit() for word in words for character in word)
    unknown = f"`{missing_line(frame, words)}`"
    findings.add(
        codes.numbers_mixed_with_text,
        f"`{name}` is read as text because of {marks} in {counted(len(odd), 'row')} of "
        f"{len(cells):,}; all others are numbers",
        "missing",
        "features",
        help=f"write plain numbers in the file, or {unknown} if these values are not known"
        if known
        else f"write {unknown}, or `categorical {written(name)}` if its values are names",
    )
    return tuple(words)


def _numeric_block(columns: "list[pl.Series]", n: int) -> "tuple[NDArray[np.float64], list[int]]":
    """Return the block of all numeric columns, (n, columns), and which hold infinite values."""
    single = bool(columns) and all(series.dtype == pl.Float32 for series in columns)
    if not columns:
        return np.empty((n, 0)), []
    numbers = pl.DataFrame(columns).select(pl.all().cast(pl.Float64).fill_null(float("nan")))
    block: NDArray[Any] = np.ascontiguousarray(
        numbers.to_numpy(), dtype=np.float32 if single else np.float64
    )
    return block, np.flatnonzero(np.isinf(block).any(axis=0)).tolist()


def _text_block(columns: "list[NDArray[Any]]", n: int) -> "NDArray[np.object_]":
    block = np.empty((n, len(columns)), dtype=object)
    for place, column in enumerate(columns):
        block[:, place] = column
    return block
