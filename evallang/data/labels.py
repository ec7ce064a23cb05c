"""Labels: their order, their spelling, when two are the same, and their codes."""

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from evallang.data.dataset import Label

if TYPE_CHECKING:
    import polars as pl


class Classes(Struct, frozen=True):
    """The distinct labels of a column in their order, and each row's place among them."""

    texts: tuple[str, ...]
    values: tuple[Label, ...]
    codes: "NDArray[Any]"


EXACT = 2.0**53
"""Whole numbers up to here have a float64 of their own."""


def label_text(value: object) -> str:
    """Format a label: `true`, `false`, or as Python does."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):  # lists and objects
        return value.decode("utf-8", "replace")
    return repr(value) if isinstance(value, float) else str(value)


def as_number(label: object) -> float | None:
    """Read a label as a finite number, or None where it is not one; true and false are 1 and 0."""
    if isinstance(label, str) and not label.isascii():
        return None
    try:
        number = float(label) if isinstance(label, bool | int | float | str) else math.nan
    except (ValueError, OverflowError):
        return None
    if isinstance(label, str) and "_" in label:  # Python's 1_000 is not a number in a file
        return None
    return number if math.isfinite(number) else None


def same_label(written: Label, value: Label) -> bool:
    """Return whether a label written in a study is a label of the data, as text or as number.

    True and false may be written in any case, as they may in a file.
    """
    text = label_text(written).strip()
    if text == label_text(value) or (isinstance(value, bool) and text.lower() == label_text(value)):
        return True
    number = as_number(written)
    return number is not None and number == as_number(value)


def find_label(written: Label, values: Sequence[Label]) -> int | None:
    """Return the place of a label written in a study; equal spelling comes before equal number."""
    text = label_text(written).strip()
    for place, value in enumerate(values):
        if label_text(value) == text:
            return place
    for place, value in enumerate(values):
        if same_label(written, value):
            return place
    return None


def sort_labels(labels: Iterable[Label]) -> list[Label]:
    """Sort labels: as numbers where all are, else by code point."""
    items = list(labels)
    numbers = [as_number(item) for item in items]
    if all(number is not None for number in numbers):
        keyed = sorted(zip(numbers, map(label_text, items), items, strict=True), key=_place)
        return [item for _, _, item in keyed]
    return sorted(items, key=label_text)


def classes_of(series: "pl.Series") -> Classes:
    """Return the labels of a typed column without missing values, and each row's code.

    Labels keep their type (bool, int, float, str). Numbers that are not whole are labels as
    text, since scikit-learn takes such floats for a regression target.
    """
    distinct = series.unique()
    raw = distinct.to_list()
    if series.dtype.is_float() and not all(float(value).is_integer() for value in raw):
        named: list[Label] = [label_text(value) for value in raw]
    else:
        named = raw
    order = {label_text(label): code for code, label in enumerate(sort_labels(named))}
    codes = [order[label_text(label)] for label in named]
    return Classes(tuple(order), tuple(sort_labels(named)), _coded(series, distinct, codes))


def short_codes(codes: "NDArray[Any]", classes: int) -> "NDArray[Any]":
    """Return codes of classes in few bytes: those of a pair of labels and the truth fit too."""
    types = (np.int8, np.int16, np.int32, np.int64)
    fits = next(kind for kind in types if (classes + 1) ** 3 <= np.iinfo(kind).max)
    return codes.astype(fits, copy=False)


def _coded(series: "pl.Series", distinct: "pl.Series", codes: Sequence[int]) -> "NDArray[Any]":
    """Return the code of each value of a column without missing ones, in few bytes."""
    import polars as pl  # a check needs none

    short = pl.Series(short_codes(np.array(codes, dtype=np.int64), len(codes)))
    return series.replace_strict(distinct, short, return_dtype=short.dtype).to_numpy()


def numbered(series: "pl.Series") -> "tuple[pl.Series, NDArray[np.int64]]":
    """Return the distinct values in the order of their first rows, and each row's index among them.

    No value is missing.
    """
    distinct = series.unique(maintain_order=True)
    codes = _coded(series, distinct, range(len(distinct)))
    return distinct, codes.astype(np.int64, copy=False)


def group_codes(texts: Sequence[str]) -> "NDArray[np.int64]":
    """Number groups from 0 in the order of their first rows."""
    return level_codes(texts, tuple(dict.fromkeys(texts)))


def sorted_levels(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the distinct texts in the order of labels."""
    return tuple(map(str, sort_labels(set(texts))))


def level_codes(texts: Iterable[str], levels: Sequence[str]) -> "NDArray[np.int64]":
    """Return the place of each text among the levels (n,)."""
    places = {level: code for code, level in enumerate(levels)}
    return np.fromiter(map(places.__getitem__, texts), np.int64)


def _place(keyed: tuple[float | None, str, Label]) -> tuple[float, str]:
    number, text, _ = keyed
    return (number if number is not None else math.inf, text)
