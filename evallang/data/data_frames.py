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
    package = _package(given)
    cells = given
    if package == "pandas":
        cells = pl.DataFrame([_series(str(name), given[name]) for name in given.columns])
    elif isinstance(given, Mapping):
        cells = _from_arrays(given)
    cells = plain_types(cells)
    what = "arrays" if isinstance(given, Mapping) else f"a data frame of {package}"
    described = f"{what} given in Python"
    notes = () if source is None else (f"{source}: {described}",)
    return frame_of(source or described, cells, untyped=False, notes=notes)


def _from_arrays(given: Mapping[Any, Any]) -> "pl.DataFrame":
    lengths: dict[int, str] = {}
    columns = []
    for name, values in given.items():
        array = values.to_numpy() if hasattr(values, "to_numpy") else values
        if getattr(array, "ndim", 1) != 1:
            raise ValueError(
                f"the array {name!r} has {array.ndim} dimensions, and a column has one"
            )
        plain = (
            array
            if getattr(array, "dtype", None) is not None and array.dtype.kind in "biuf"
            else ([_plain(value) for value in array])
        )
        columns.append(pl.Series(str(name), plain, strict=False))
        lengths.setdefault(len(columns[-1]), str(name))
    if len(lengths) > 1:
        words = ", ".join(f"{name!r} has {n:,}" for n, name in lengths.items())
        raise ValueError(f"the arrays differ in length: {words}")
    return pl.DataFrame(columns)


def _package(given: Any) -> str:
    return type(given).__module__.partition(".")[0]


def _series(name: str, column: Any) -> "pl.Series":
    """Return a column of pandas; numbers at once, everything else value by value."""
    values = column.to_numpy()
    if values.dtype.kind in "biuf":
        return pl.Series(name, values)
    missing = column.isna().to_numpy()
    plain = [None if gone else _plain(v) for v, gone in zip(values, missing, strict=True)]
    return pl.Series(name, plain, strict=False)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
