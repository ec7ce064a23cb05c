"""Lines that were parsed before, so that an edit costs the lines that it changes."""

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from evallang.source import Span
from evallang.syntax.line_parser import Reading
from evallang.syntax.repair import read_line
from evallang.syntax.scanner import Token

Key = tuple[str, str, tuple[tuple[str, str, int, int], ...]]


class ParsedLines:
    """Parses lines as `read_line` does, and takes those of the last check from there.

    `begin` starts a check and drops the lines that the last one did not meet.
    """

    def __init__(self) -> None:
        self._before: dict[Key, tuple[int, Reading]] = {}
        self._now: dict[Key, tuple[int, Reading]] = {}

    def begin(self) -> None:
        """Start the check of an edited text."""
        self._before, self._now = self._now, {}

    def __call__(self, path: str, start: str, tokens: Sequence[Token]) -> Reading:
        """Parse a line of a file as a `statement` or a `clause`."""
        first = tokens[0].start
        key = (path, start, tuple((t.kind, t.text, t.start - first, t.end - first) for t in tokens))
        found = self._now.get(key) or self._before.get(key)
        if found is None:
            reading = read_line(path, start, tokens)
        else:
            place, reading = found
            reading = reading if place == first else moved(reading, first - place)
        self._now[key] = first, reading
        return reading


def moved(value: Any, by: int) -> Any:
    """Copy what was parsed, with every place in it moved by a number of characters."""
    kind = type(value)
    if kind is Span:
        return Span(value.path, value.start + by, value.end + by)
    if kind is tuple:
        return tuple(moved(item, by) for item in value) if value else value
    if isinstance(value, Struct):
        return kind(**{name: moved(getattr(value, name), by) for name in kind.__struct_fields__})
    return value
