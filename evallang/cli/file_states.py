"""The states of files on disk, by which `evallang watch` notices that one was written."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec import Struct

from evallang.data.path_patterns import GLOB, matching
from evallang.limits import OverLimit


class FileState(Struct, frozen=True):
    """What changes when a file is written or replaced."""

    size: int
    inode: int
    written: int
    changed: int


States = Mapping[Path, FileState | None]
"""The state of each file, None for a file that does not exist."""


class WatchedFiles:
    """Files and patterns of files whose states are polled."""

    PATTERNS_EVERY = 50  # polls, because a pattern searches folders

    def __init__(self) -> None:
        self._files: frozenset[Path] = frozenset()
        self._patterns: tuple[tuple[str, Path], ...] = ()
        self._matched: frozenset[Path] = frozenset()
        self._polls = 0

    def replace(self, files: Iterable[Path], locations: Iterable[str], folder: Path) -> None:
        """Watch other files: paths, and paths or patterns relative to a folder."""
        found, patterns = set(files), []
        for location in locations:
            if GLOB.search(location):
                patterns.append((location, folder))
            elif "\0" not in location:
                found.add(folder / location)
        self._files, self._patterns = frozenset(found), tuple(patterns)
        self._match()

    def states(self) -> States:
        """Return the current state of each file."""
        self._polls += 1
        if self._patterns and self._polls % self.PATTERNS_EVERY == 0:
            self._match()
        return {path: _state(path) for path in self._files | self._matched}

    def _match(self) -> None:
        found: set[Path] = set()
        for pattern, folder in self._patterns:
            try:
                found.update(folder / path for path in matching(pattern, folder))
            except (OverLimit, ValueError):  # the check of the data reports it
                continue
        self._matched = frozenset(found)


def _state(path: Path) -> FileState | None:
    try:
        found = os.stat(path)  # noqa: PTH116 - half the time of `Path.stat`, at every poll
    except (OSError, ValueError):
        return None
    return FileState(found.st_size, found.st_ino, found.st_mtime_ns, found.st_ctime_ns)
