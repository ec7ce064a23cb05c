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
ROLES = ("model", "dataset", "repeat", "seed")  # words that are columns of a file's rows
WORDS = (*ROLES, PART)
_PIECE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


def sheet_of(location: str) -> tuple[str, str | None]:
    """Return a path without the part that it names, and that part.

    It is a sheet, `book.xlsx#Test set`, or what a dotted name leads to, `log.json#results.rows`.
    """
    file, mark, sheet = location.rpartition("#")
    found = mark and file.lower().endswith((".xlsx", ".json"))
    return (file, sheet) if found else (location, None)


class PathPattern(Struct, frozen=True):
    """A path with braces: `preds/{model}_{part}.parquet`, a file for each part of a model's rows.

    A value is what the name of a file has in place of the braces, without `/`; `{{` and `}}` are
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

    def matches(self, paths: Sequence[str]) -> list[tuple[dict[str, str], str]]:
        """Return the files with the value of each word: in order of numbers, else by code point.

        Raises `ValueError` where a name has several readings.
        """
        found: list[tuple[dict[str, str], str]] = []
        for path in paths:
            short, long = (
                re.fullmatch(f"([^/]+{lazy})".join(map(re.escape, self.texts)), path)
                for lazy in ("?", "")
            )
            if short is None or long is None:
                continue
            if short.groups() != long.groups():
                readings = (", ".join(match.groups()) for match in (short, long))
                raise ValueError(f"`{path}` can be read as {' or as '.join(readings)}")
            found.append((dict(zip(self.words, short.groups(), strict=True)), path))
        places = {
            word: {str(v): i for i, v in enumerate(sort_labels({one[word] for one, _ in found}))}
            for word in self.words
        }
        return sorted(found, key=lambda one: [places[word][one[0][word]] for word in self.words])


def in_braces(word: str) -> str:
    """Return the column that holds what the names of files have in place of a word."""
    return f"{{{word}}}"


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
