"""Parse how a line is written: the texts of `written` in the table of the language."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple, Union

_PIECE = re.compile(r"\{(?P<name>\w+)(?::(?P<how>[^}]*))?\}|(?P<open>\[)|(?P<close>\])|[^][{}]+")


class Field(NamedTuple):
    """A field of the node; `how` tells how a list is joined, or which value is meant."""

    name: str
    how: str

    @property
    def holds(self) -> str | bool | None:
        """The value that the field has wherever this text is meant, None where any."""
        if self.how == "flag":
            return True
        return self.how.removeprefix("is ") if self.how.startswith("is ") else None


Piece = Union[str, Field, "Optional"]


class Optional(NamedTuple):
    """What is written only when its fields have values."""

    pieces: tuple[Piece, ...]


@cache
def pieces(text: str) -> tuple[Piece, ...]:
    """Parse one text of the table."""
    found: list[list[Piece]] = [[]]
    for match in _PIECE.finditer(text):
        if match["open"]:
            found.append([])
        elif match["close"]:
            inner = found.pop()
            found[-1].append(Optional(tuple(inner)))
        else:
            field = Field(match["name"], match["how"] or "") if match["name"] else match.group()
            found[-1].append(field)
    (whole,) = found
    return tuple(whole)


def fields(text: str) -> Iterator[Field]:
    """Iterate over the fields of a text in order."""
    yield from _fields(pieces(text))


def _fields(given: tuple[Piece, ...]) -> Iterator[Field]:
    for piece in given:
        if isinstance(piece, Optional):
            yield from _fields(piece.pieces)
        elif isinstance(piece, Field):
            yield piece
