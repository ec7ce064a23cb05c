"""A source file and the spans of its text.

Offsets, lines and columns count code points; lines and columns start at 1. Lines end at
`\\n` only (U+2028, U+0085 and form feed are ordinary characters), so that a line number
means the same in every editor.
"""

from bisect import bisect_right
from functools import cached_property

from msgspec import Struct


class Span(Struct, frozen=True):
    """A range of one file: code points from `start` (included) to `end` (excluded)."""

    path: str
    start: int
    end: int

    def to(self, other: "Span") -> "Span":
        """Return the span from the start of this one to the end of the other."""
        return Span(self.path, self.start, max(self.end, other.end))


class Position(Struct, frozen=True):
    """A place in a file; `line` and `column` from 1, `offset` from 0, in code points."""

    line: int
    column: int
    offset: int


class SourceFile(Struct, frozen=True, dict=True):
    """The text of one file and its path in messages."""

    path: str
    text: str

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """The offsets at which lines begin; a byte order mark comes before the first."""
        starts = [1 if self.text.startswith("\ufeff") else 0]
        starts.extend(i + 1 for i, character in enumerate(self.text) if character == "\n")
        return tuple(starts)

    @cached_property
    def sha256(self) -> str:
        """The SHA-256 of the text in UTF-8."""
        from hashlib import sha256  # loads a large library, which a check does not need

        return sha256(self.text.encode("utf-8", "surrogatepass")).hexdigest()

    def position(self, offset: int) -> Position:
        """Return the position of an offset; an offset past the end gives the last position."""
        offset = min(max(offset, self.line_starts[0]), len(self.text))
        line = bisect_right(self.line_starts, offset)
        return Position(line, offset - self.line_starts[line - 1] + 1, offset)

    def line(self, number: int) -> str:
        """Return the text of a line (counted from 1) without its line break."""
        start = self.line_starts[number - 1]
        end = self.line_starts[number] - 1 if number < len(self.line_starts) else len(self.text)
        return self.text[start:end].removesuffix("\r")

    def whole_line(self, offset: int) -> Span:
        """Return the span of the line that contains an offset, without its line break."""
        number = self.position(offset).line
        start = self.line_starts[number - 1]
        return Span(self.path, start, start + len(self.line(number)))
