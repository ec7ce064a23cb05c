"""The current folder of the process, protected from other code."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def working_folder_restored() -> Iterator[None]:
    """Restore the current folder afterwards, in case other code changes it."""
    try:
        before = os.open(".", os.O_RDONLY)
    except OSError:  # removed or unreadable: the folder cannot be restored
        yield
        return
    try:
        yield
    finally:
        with suppress(OSError):  # other code may have closed what it did not open
            os.fchdir(before)
            os.close(before)


@contextmanager
def safe_path(*, live: bool = False) -> Iterator[None]:
    """Remove the current folder from the module search path, here and in workers.

    In a notebook or an interactive session it is the first entry, an empty one. With `live`
    objects it becomes the last entry, because their classes may come from a module there. The
    path is restored afterwards, without the folders of own code.
    """
    before = list(sys.path)
    if "" in before:
        sys.path[:] = [entry for entry in before if entry]
        if live:
            sys.path.append(str(Path.cwd()))
    try:
        yield
    finally:
        if sys.path != before:
            sys.path[:] = before
