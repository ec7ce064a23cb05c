"""Patterns of paths: `suite/*.csv` and `preds/{part}.csv` to the files that they match.

The rules of stars are those of Python's `glob` with one difference: `**` does not follow links to
folders, which may go in a circle. What is looked at on the way is counted, because a pattern at
the wrong place would walk the whole disk.
"""

import fnmatch
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from evallang.data.labels import sort_labels
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
                inside = (e for e in self._entries(base) if e.is_dir(follow_symlinks=False))
                own = [e.name for e in inside if not e.name.startswith(".")]
                left += [(f"{base}{name}/", parts) for name in own]
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


PART = "part"
FURTHER = ("model", "dataset", "repeat", "fold", "seed")
"""Words that the names of files may carry in a later version."""
_PIECE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


def sheet_of(location: str) -> tuple[str, str | None]:
    """Return a path without the sheet that it names, and the sheet: `book.xlsx#Test set`."""
    file, mark, sheet = location.rpartition("#")
    return (file, sheet) if mark and file.lower().endswith(".xlsx") else (location, None)


class PathPattern(Struct, frozen=True):
    """A path with braces: `preds/{part}.parquet`, a file for each part of a table.

    The name of a part is that of its file in place of the braces, without `/`; `{{` and `}}` are
    literal braces.

    `texts` are the literal texts around its words, one more than there are words. `stray` is a
    brace without its partner, None where there is none.
    """

    words: tuple[str, ...]
    texts: tuple[str, ...]
    stray: str | None = None

    @property
    def plain(self) -> str:
        """The path with literal braces, of a path without words."""
        return "".join(self.texts)

    @property
    def glob(self) -> str:
        """The pattern of `path_patterns` that finds all files, and perhaps others."""
        return "*".join(re.sub(r"([*?\[])", r"[\1]", text) for text in self.texts)

    def parts_of(self, paths: Sequence[str]) -> list[tuple[str, str]]:
        """Return the parts with their paths: in the order of their numbers, else by code point."""
        escaped = [re.escape(text) for text in self.texts]
        expression = re.compile("([^/]+)".join(escaped))
        found: dict[str, str] = {}
        for path in paths:
            match = expression.fullmatch(path)
            if match is not None:
                found[match[1]] = path
        return [(str(name), found[str(name)]) for name in sort_labels(found)]


def path_pattern(location: str) -> PathPattern:
    """Read the braces of a path."""
    words: list[str] = []
    texts = [""]
    stray = None
    end = 0
    for piece in _PIECE.finditer(location):
        texts[-1] += location[end : piece.start()]
        end = piece.end()
        if piece[0] in ("{{", "}}"):
            texts[-1] += piece[0][0]
        elif piece[1] is not None:
            words.append(piece[1].strip())
            texts.append("")
        else:
            stray = stray or piece[0]
            texts[-1] += piece[0]
    texts[-1] += location[end:]
    return PathPattern(tuple(words), tuple(texts), stray)


def has_parts(location: str) -> bool:
    """Return whether a path stands for files that hold a part each."""
    return PART in path_pattern(location).words
