"""A data frame given in Python, as columns that clauses can be applied to like those of a file."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl

from evallang.data.column_types import plain_types
from evallang.data.frame import Frame, frame_of


def is_frame(given: Any) -> bool:
    """Return whether something is a data frame of polars or pandas, or a dictionary of arrays.

    Neither package is imported for it.
    """
    return (
        isinstance(given, pl.DataFrame)
        or (_package(given) == "pandas" and given.ndim == 2)
        or (isinstance(given, Mapping) and bool(given))
    )


def read_frame(given: Any, source: str | None = None) -> Frame:
    """Read a polars or pandas data frame or a dictionary of arrays, without an index.

    NaN is missing in all of them. `source` is what messages and results call it. Raises
    `ValueError` for arrays of several lengths or dimensions.
    """
    package, cells = _package(given), given
    if not isinstance(given, pl.DataFrame):
        names = given.columns if package == "pandas" else given
        columns = [_column(str(name), given[name]) for name in names]
        lengths = {len(one): one.name for one in reversed(columns)}
        if len(lengths) > 1:
            words = ", ".join(f"{name!r} has {n:,}" for n, name in reversed(lengths.items()))
            raise ValueError(f"the arrays differ in length: {words}")
        cells = pl.DataFrame(columns)
    what = "arrays" if isinstance(given, Mapping) else f"a data frame of {package}"
    described = f"{what} given in Python"
    notes = () if source is None else (f"{source}: {described}",)
    return frame_of(source or described, plain_types(cells), untyped=False, notes=notes)


def _package(given: Any) -> str:
    return type(given).__module__.partition(".")[0]


def _column(name: str, values: Any) -> "pl.Series":
    """Return a column; numbers at once, everything else value by value."""
    array = values.to_numpy() if hasattr(values, "to_numpy") else values
    if getattr(array, "ndim", 1) != 1:
        raise ValueError(f"the array {name!r} has {array.ndim} dimensions, and a column has one")
    if isinstance(array, np.ndarray) and array.dtype.kind in "biuf":
        return pl.Series(name, array)
    missing = values.isna().to_numpy() if hasattr(values, "isna") else [False] * len(array)
    plain = [None if gone else _plain(v) for v, gone in zip(array, missing, strict=True)]
    return pl.Series(name, plain, strict=False)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
