"""One number for everything in a table that can change a result.

SHA-256 over a canonical form of the values: the same on every machine, and the same for
one content in two file formats where its types agree. Names of data sets, units, places of
rows in the source and notes do not enter.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from evallang.registry import lazy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = lazy("numpy")

VERSION = "evallang/data/1"  # of the canonical form; in the hash, so that a change is seen


class DataHash:
    """Collects named parts of a data set; two sets of parts never run into each other."""

    def __init__(self) -> None:
        self._digest = hashlib.sha256()
        self.text("version", VERSION)

    def text(self, name: str, value: object) -> None:
        """Enter plain data as canonical JSON."""
        plain = json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
        self._enter(name, "json", plain.encode("ascii"))

    def numbers(self, name: str, array: "NDArray[Any] | None") -> None:
        """Enter an array of numbers: little-endian, row by row, one NaN for all."""
        if array is None:
            self.text(name, None)
            return
        kind = array.dtype.newbyteorder("<")
        fixed = np.ascontiguousarray(array, dtype=kind)
        if fixed.dtype.kind == "f" and np.isnan(fixed).any():
            fixed = np.where(np.isnan(fixed), np.array(np.nan, dtype=kind), fixed)
        self._enter(name, f"{kind.str}{list(array.shape)}", fixed.tobytes())

    def texts(self, name: str, values: "Iterable[Any] | None") -> None:
        """Enter a column of text; anything that is no text is missing.

        Hashed as the distinct texts in the order of their first rows, and each row's number.
        """
        if values is None:
            self.text(name, None)
            return
        numbers: dict[str | None, int] = {}
        codes = [
            numbers.setdefault(value if isinstance(value, str) else None, len(numbers))
            for value in values
        ]
        self.text(f"{name}.levels", list(numbers))
        self.numbers(f"{name}.codes", np.array(codes, dtype=np.int64))

    def columns(self, name: str, columns: Mapping[str, Sequence[str]]) -> None:
        """Enter several named columns of text, in the order of their names."""
        self.text(name, sorted(columns))
        for column in sorted(columns):
            self.texts(f"{name}.{column}", columns[column])

    def hexdigest(self) -> str:
        """Give the hash so far, 64 hexadecimal digits."""
        return self._digest.hexdigest()

    def _enter(self, name: str, kind: str, content: bytes) -> None:
        head = json.dumps([name, kind, len(content)], ensure_ascii=True)
        self._digest.update(head.encode("ascii") + b"\n" + content + b"\n")
