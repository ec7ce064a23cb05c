"""One number for everything in a table that can change a result.

SHA-256 over a canonical form of the values: the same on every machine, and the same for
one content in two file formats where its types agree. Names of data sets, units, places of
rows in the source and notes do not enter.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import polars as pl
    from _typeshed import ReadableBuffer

VERSION = "evallang/data/1"  # of the canonical form; in the hash, so that a change is seen


PLAIN = r"^[ !#-\[\]-~]*$"  # ASCII without quote, backslash and signs that JSON escapes


def _as_json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":")).encode()


def _texts_as_json(column: "pl.Series") -> bytes:
    """Return texts, or whole numbers as texts, as `_as_json` does, faster where none is escaped."""
    import polars as pl  # a check needs none

    texts = column.cast(pl.String)
    plain = column.dtype.is_integer() or texts.str.contains(PLAIN).all()
    if column.is_empty() or column.has_nulls() or not plain:
        return _as_json(texts.to_list())
    joined: str = texts.str.join('","').item()
    return b'["' + joined.encode("ascii") + b'"]'


def spelled_ids(column: "pl.Series") -> tuple[Any, ...]:
    """Return whole numbers or texts as texts."""
    import polars as pl  # a check needs none

    return tuple(column.cast(pl.String).to_list())


class DataHash:
    """Collects named parts of a data set; two sets of parts never run into each other."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()
        self.text("version", VERSION)

    def text(self, name: str, value: object) -> None:
        """Add plain data as canonical JSON."""
        self._enter(name, "json", _as_json(value))

    def numbers(self, name: str, array: "NDArray[Any] | None") -> None:
        """Add an array of numbers: little-endian, row by row, one NaN for all."""
        if array is None:
            self.text(name, None)
            return
        kind = array.dtype.newbyteorder("<")
        fixed = np.ascontiguousarray(array, dtype=kind)
        if fixed.dtype.kind == "f" and np.isnan(fixed).any():
            fixed = np.where(np.isnan(fixed), np.array(np.nan, dtype=kind), fixed)
        self._enter(name, f"{kind.str}{list(array.shape)}", fixed.data)

    def codes(self, name: str, array: "NDArray[Any] | None") -> None:
        """Add numbers, and codes as if each took eight bytes."""
        coded = array is not None and array.dtype.kind == "i"
        self.numbers(name, array.astype("<i8") if array is not None and coded else array)

    def texts(
        self, name: str, values: "Iterable[Any] | pl.Series | None", *, distinct: bool = False
    ) -> None:
        """Add a column of text; a value that is not a text is missing.

        Hashed as the distinct texts in the order of their first rows, and each row's number.
        `distinct` promises texts that differ in every row, so that none is looked for.
        """
        if values is None:
            self.text(name, None)
            return
        import polars as pl  # a check needs none

        if isinstance(values, pl.Series):
            column = values
        else:
            texts = [value if isinstance(value, str) else None for value in values]
            column = pl.Series(texts, dtype=pl.String)
        if distinct:
            self.levels(name, column, np.arange(len(column), dtype=np.int64))
            return
        column = column.cast(pl.String)
        first = column.unique(maintain_order=True)
        order = pl.Series(range(len(first)), dtype=pl.Int64)
        placed = column.replace_strict(first, order, return_dtype=pl.Int64)
        self.levels(name, first, np.asarray(placed.to_numpy(), dtype=np.int64))

    def levels(
        self,
        name: str,
        levels: "Sequence[str] | pl.Series | None",
        codes: "NDArray[np.int64] | None",
    ) -> None:
        """Add a column of text as `texts` does, given its distinct texts and each row's index."""
        if levels is None or codes is None:
            self.text(name, None)
            return
        import polars as pl  # a check needs none

        column = levels if isinstance(levels, pl.Series) else pl.Series(levels, dtype=pl.String)
        self._enter(f"{name}.levels", "json", _texts_as_json(column))
        self.numbers(f"{name}.codes", codes)

    def columns(self, name: str, columns: Mapping[str, Sequence[str]]) -> None:
        """Add several named columns of text, in the order of their names."""
        self.text(name, sorted(columns))
        for column in sorted(columns):
            self.texts(f"{name}.{column}", columns[column])

    def hexdigest(self) -> str:
        """Return the hash so far, 64 hexadecimal digits."""
        return self._digest.hexdigest()

    def _enter(self, name: str, kind: str, content: "ReadableBuffer") -> None:
        view = memoryview(content)
        head = json.dumps([name, kind, view.nbytes], ensure_ascii=True)
        self._digest.update(head.encode("ascii") + b"\n")
        self._digest.update(view)
        self._digest.update(b"\n")
