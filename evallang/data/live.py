"""A data frame given in Python, as columns that clauses can be applied to like those of a file."""

from typing import TYPE_CHECKING, Any

from evallang.data.frame import Frame, frame_of
from evallang.registry import lazy

if TYPE_CHECKING:
    import numpy as np
    import polars as pl
else:
    np, pl = lazy("numpy"), lazy("polars")


def is_frame(given: Any) -> bool:
    """Tell whether something is a data frame of polars or pandas, which is not imported."""
    return isinstance(given, pl.DataFrame) or (_package(given) == "pandas" and given.ndim == 2)


def read_frame(given: Any) -> Frame:
    """Take a polars or pandas data frame; the index of the latter is left out.

    NaN is missing in both.
    """
    cells = given
    if _package(given) == "pandas":
        cells = pl.DataFrame([_series(str(name), given[name]) for name in given.columns])
    floats = [name for name, dtype in cells.schema.items() if dtype.is_float()]
    cells = cells.with_columns(pl.col(floats).fill_nan(None)) if floats else cells
    return frame_of(f"a data frame of {_package(given)} given in Python", cells, untyped=False)


def _package(given: Any) -> str:
    return type(given).__module__.partition(".")[0]


def _series(name: str, column: Any) -> "pl.Series":
    """Give a column of pandas; numbers at once, everything else value by value."""
    values = column.to_numpy()
    if values.dtype.kind in "biuf":
        return pl.Series(name, values)
    missing = column.isna().to_numpy()
    plain = [None if gone else _plain(v) for v, gone in zip(values, missing, strict=True)]
    return pl.Series(name, plain, strict=False)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
