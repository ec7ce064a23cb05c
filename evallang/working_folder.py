"""The current folder of the process, which others may neither choose nor move."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def working_folder_restored() -> Iterator[None]:
    """Return to the current folder afterwards, wherever foreign code went meanwhile."""
    try:
        before = os.open(".", os.O_RDONLY)
    except OSError:  # it was removed, or may not be read: there is nothing to return to
        yield
        return
    try:
        yield
    finally:
        os.fchdir(before)
        os.close(before)


@contextmanager
def away_from_working_folder() -> Iterator[None]:
    """Stay in a folder of this package meanwhile, for a library that reads settings where it is."""
    with working_folder_restored():
        os.chdir(Path(__file__).parent)
        yield


@contextmanager
def safe_path(*, live: bool = False) -> Iterator[None]:
    """Keep the current folder off the path for modules, here and in workers.

    A notebook and an interactive session have it first on the path, as an empty entry. With
    `live` objects it comes last instead, for their classes may be of a module there. The path
    is restored afterwards, without the folders of own code.
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
