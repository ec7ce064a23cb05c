"""Packages that cannot be imported for a while: what scikit-learn would import for nothing.

It imports pandas and rich at its start where they are installed, and pandas again to compare a
value with its `NA`. It is given arrays, in which there is none, and shows no progress.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

EXTRAS = ("pandas", "rich")


class _Refusal:
    """A finder of modules that finds none of some packages, for the thread that made it."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names, self._thread = names, threading.get_ident()

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Refuse a package; leave all others to the usual finders."""
        if name in self._names and threading.get_ident() == self._thread:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


@contextmanager
def hidden(names: tuple[str, ...]) -> Iterator[None]:
    """Hide packages from imports of this thread; those that are imported already stay."""
    refusal = _Refusal(names)
    sys.meta_path.insert(0, refusal)
    try:
        yield
    finally:
        sys.meta_path.remove(refusal)
