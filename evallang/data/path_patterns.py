"""Patterns of paths: `suite/*.csv` and `**/*.csv` to the files that they match.

The rules are those of Python's `glob` with one difference: `**` does not follow links to
folders, which may go in a circle. What is looked at on the way is counted, because a pattern at
the wrong place would walk the whole disk.
"""

import fnmatch
import os
import re
from collections.abc import Iterator
from pathlib import Path

from evallang.limits import ENTRIES, FILES

GLOB = re.compile(r"[*?\[]")
ANY_FOLDERS = "**"


def matching(pattern: str, folder: Path) -> list[str]:
    """Return the paths that a pattern matches, relative to `folder` as it is, sorted.

    Raises `OverLimit` for too many files, or too much to look at, and `ValueError` for a
    pattern that no path can have.
    """
    parts = tuple(part for part in pattern.replace("\\", "/").split("/") if part)
    walk = _Walk(pattern, folder)
    found: set[str] = set()
    for path in walk.find("/" if pattern.startswith("/") else "", parts):
        found.add(path)
        if len(found) > FILES.most:
            raise FILES.exceeded(f"the pattern `{pattern}`")
    return sorted(found)


class _Walk:
    """One search, with the number of files and folders that it has looked at."""

    def __init__(self, pattern: str, folder: Path) -> None:
        self.pattern = pattern
        self.folder = folder
        self.looked = 0

    def find(self, start: str, parts: tuple[str, ...]) -> Iterator[str]:
        """Iterate over the paths below `start` that the parts of a pattern match."""
        left = [(start, parts)]
        while left:
            base, parts = left.pop()
            if not parts:
                yield base
                continue
            part, rest = parts[0], parts[1:]
            if part == ANY_FOLDERS:
                left.append((base, rest or ("*",)))
                inside = (e for e in self._entries(base) if not e.name.startswith("."))
                left += [(base + e.name + "/", parts) for e in inside if _is_own_folder(e)]
            elif not GLOB.search(part):
                place = self.folder / (base + part)
                if rest and place.is_dir():
                    left.append((base + part + "/", rest))
                elif not rest and os.path.lexists(place):
                    yield base + part
            else:
                for entry in self._entries(base):
                    hidden = entry.name.startswith(".") and not part.startswith(".")
                    if hidden or not fnmatch.fnmatch(entry.name, part):
                        continue
                    if not rest:
                        yield base + entry.name
                    elif entry.is_dir():
                        left.append((base + entry.name + "/", rest))

    def _entries(self, base: str) -> Iterator["os.DirEntry[str]"]:
        try:
            with os.scandir(self.folder / base) as inside:
                for entry in inside:
                    self.looked += 1
                    if self.looked > ENTRIES.most:
                        raise ENTRIES.exceeded(f"the pattern `{self.pattern}`")
                    yield entry
        except OSError:  # no folder, or no right to look: nothing in it matches
            return


def _is_own_folder(entry: "os.DirEntry[str]") -> bool:
    return entry.is_dir(follow_symlinks=False)
