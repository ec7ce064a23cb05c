"""Names of files that hold a part of a table: `preds/{part}.parquet`.

What lies in place of the braces, without `/`, is the name of the part. `{{` and `}}` are literal
braces.
"""

import re
from collections.abc import Sequence

from msgspec import Struct

from evallang.data.labels import sort_labels

PART = "part"
FURTHER = ("model", "dataset", "repeat", "fold", "seed")
"""Words that the names of files may carry in a later version."""
_PIECE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")


def sheet_of(location: str) -> tuple[str, str | None]:
    """Return a path without the sheet that it names, and the sheet: `book.xlsx#Test set`."""
    file, mark, sheet = location.rpartition("#")
    return (file, sheet) if mark and file.lower().endswith(".xlsx") else (location, None)


class PathPattern(Struct, frozen=True):
    """A path with braces.

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
