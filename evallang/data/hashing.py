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


AT_ONCE = 1 << 18  # ids spelled as texts at the same time
PLAIN = r"^[ !#-\[\]-~]*$"  # ASCII without quote, backslash and signs that JSON escapes
FIRST_PLAIN, LAST_PLAIN = ord(" "), ord("~")  # of ASCII; JSON writes others as escapes


def _as_json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":")).encode()


def _texts_as_json(texts: list[Any]) -> bytes:
    """Return a list of texts as `_as_json` does, faster where none needs an escape."""
    try:
        joined = '","'.join(texts)
    except TypeError:  # one of them is missing
        return _as_json(texts)
    marks = 2 * (len(texts) - 1)
    if not joined.isascii() or "\\" in joined or joined.count('"') > marks:
        return _as_json(texts)
    content = joined.encode("ascii")
    codes = np.frombuffer(content, dtype=np.uint8)  # looked at 40 times faster than by isprintable
    if not len(codes) or codes.min() < FIRST_PLAIN or codes.max() > LAST_PLAIN:
        return _as_json(texts)
    return b'["' + content + b'"]'


def _text(column: "pl.Series") -> "pl.Series":
    import polars as pl  # a check needs none

    return column if column.dtype == pl.String else column.cast(pl.String)


def spelled_ids(column: "pl.Series") -> tuple[Any, ...]:
    """Return whole numbers or texts as texts."""
    return tuple(_text(column).to_list())


def _is_plain(column: "pl.Series") -> bool:
    """Return whether all are there, and JSON writes each as it is between quotes."""
    if column.null_count() or column.dtype.is_integer():
        return column.null_count() == 0
    return bool(column.str.contains(PLAIN).all())


def _length(column: "pl.Series") -> int:
    """Return how many bytes plain values take as texts."""
    if not column.dtype.is_integer() or column.min() < 0:  # type: ignore[operator]  # of integers
        return int(_text(column).str.len_bytes().to_numpy().sum(dtype=np.int64))
    length, power, highest = len(column), 10, int(column.max())  # type: ignore[arg-type]  # the same
    while power <= highest:
        length += int((column >= power).sum())
        power *= 10
    return length


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
        if array is None or array.dtype.kind != "i":
            self.numbers(name, array)
            return
        self._begin(name, f"<i8{list(array.shape)}", 8 * array.size)
        for start in range(0, len(array), AT_ONCE):
            self._digest.update(array[start : start + AT_ONCE].astype("<i8").data)
        self._digest.update(b"\n")

    def texts(self, name: str, values: "Iterable[Any] | None", *, distinct: bool = False) -> None:
        """Add a column of text; a value that is not a text is missing.

        Hashed as the distinct texts in the order of their first rows, and each row's number.
        `distinct` promises texts that differ in every row, so that none is looked for.
        """
        if values is None:
            self.text(name, None)
            return
        if distinct:
            levels = list(values)
            codes = np.arange(len(levels), dtype=np.int64)
        else:
            import polars as pl

            texts = [value if isinstance(value, str) else None for value in values]
            column = pl.Series(texts, dtype=pl.String)
            first = column.unique(maintain_order=True)
            order = pl.Series(range(len(first)), dtype=pl.Int64)
            placed = column.replace_strict(first, order, return_dtype=pl.Int64)
            codes = np.asarray(placed.to_numpy(), dtype=np.int64)
            levels = first.to_list()
        self.levels(name, levels, codes)

    def levels(
        self, name: str, levels: "Sequence[Any] | None", codes: "NDArray[np.int64] | None"
    ) -> None:
        """Add a column of text as `texts` does, given its distinct texts and each row's index."""
        if levels is None or codes is None:
            self.text(name, None)
            return
        self._enter(f"{name}.levels", "json", _texts_as_json(list(levels)))
        self.numbers(f"{name}.codes", codes)

    def ids(self, name: str, column: "pl.Series | None", *, distinct: bool) -> None:
        """Add ids as `texts` adds their spelling, in parts: all of them as texts take memory."""
        parts = None
        if column is not None and distinct and len(column):
            parts = [column[start : start + AT_ONCE] for start in range(0, len(column), AT_ONCE)]
        if column is None or parts is None or not all(map(_is_plain, parts)):
            self.texts(name, None if column is None else spelled_ids(column), distinct=distinct)
            return
        lengths = sum(map(_length, parts))
        self._begin(f"{name}.levels", "json", lengths + 3 * len(column) + 1)
        for number, part in enumerate(parts):
            content = _text(part).str.join('","').item().encode("ascii")
            self._digest.update((b',"' if number else b'["') + content + b'"')
        self._digest.update(b"]\n")
        self._begin(f"{name}.codes", f"<i8[{len(column)}]", 8 * len(column))
        for start in range(0, len(column), AT_ONCE):
            codes = np.arange(start, min(start + AT_ONCE, len(column)), dtype="<i8")
            self._digest.update(codes.data)
        self._digest.update(b"\n")

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
        self._begin(name, kind, view.nbytes)
        self._digest.update(view)
        self._digest.update(b"\n")

    def _begin(self, name: str, kind: str, size: int) -> None:
        head = json.dumps([name, kind, size], ensure_ascii=True)
        self._digest.update(head.encode("ascii") + b"\n")
