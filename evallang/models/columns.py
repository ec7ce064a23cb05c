"""Which columns go where: the branches of `columns(...)`, and the matrix that models see.

A column's position in that matrix: numeric columns first, then the others, each in the
order of its block.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from evallang.models.model import ColumnsSpec


class ColumnLike(Protocol):
    """One feature: its name, its block, and its position in the block."""

    @property
    def name(self) -> str:
        """The column's name in the data."""

    @property
    def numeric(self) -> bool:
        """Whether it is in the numeric block."""

    @property
    def index(self) -> int:
        """Its position in its block."""


def design_matrix(numeric: "NDArray[Any]", objects: "NDArray[np.object_]") -> "NDArray[Any]":
    """Return the matrix that models see, rows by columns.

    The numeric block itself where there are no other columns, else one array of objects:
    floats (missing = NaN) first, then text (missing = `np.nan`). Shapes (n, p) and (n, q)
    give (n, p + q).
    """
    if objects.shape[1] == 0:
        return numeric
    if numeric.shape[1] == 0:
        return objects
    matrix = np.empty((len(numeric), numeric.shape[1] + objects.shape[1]), dtype=object)
    matrix[:, : numeric.shape[1]] = numeric
    matrix[:, numeric.shape[1] :] = objects
    return matrix


def position(column: ColumnLike, columns: Sequence[ColumnLike]) -> int:
    """Return a column's place in the design matrix."""
    return column.index if column.numeric else column.index + sum(c.numeric for c in columns)


def branch_columns(
    spec: ColumnsSpec, columns: Sequence[ColumnLike]
) -> tuple[tuple[ColumnLike, ...], ...]:
    """Return the columns of each branch.

    Columns that a branch names are not part of `numeric` and `categorical`; `rest` takes
    what no other branch takes.
    """
    named = {name for b in spec.branches if isinstance(b.key, tuple) for name in b.key}
    by_name = {column.name: column for column in columns}
    words = {b.key for b in spec.branches if isinstance(b.key, str)}

    def taken(column: ColumnLike) -> bool:
        word = "numeric" if column.numeric else "categorical"
        return column.name in named or word in words

    def chosen(key: str | tuple[str, ...]) -> tuple[ColumnLike, ...]:
        if isinstance(key, tuple):
            return tuple(by_name[name] for name in key if name in by_name)
        if key == "rest":
            return tuple(c for c in columns if not taken(c))
        return tuple(c for c in columns if c.name not in named and c.numeric == (key == "numeric"))

    return tuple(chosen(branch.key) for branch in spec.branches)


def dropped_columns(spec: ColumnsSpec, columns: Sequence[ColumnLike]) -> tuple[str, ...]:
    """Return the columns that no branch takes, in the order of the data."""
    kept = {column.name for branch in branch_columns(spec, columns) for column in branch}
    return tuple(column.name for column in columns if column.name not in kept)


def unknown_columns(spec: ColumnsSpec, columns: Sequence[ColumnLike]) -> tuple[str, ...]:
    """Return the columns that branches name and the data have not."""
    known = {column.name for column in columns}
    named = [name for b in spec.branches if isinstance(b.key, tuple) for name in b.key]
    return tuple(name for name in named if name not in known)
