"""A canonical study file as rows of settings, and option values as text."""

from collections.abc import Mapping
from typing import Any


def statements(text: str) -> list[tuple[str, str, str]]:
    """Read a canonical study file into (keyword of the statement, clause, value).

    Lines that continue a pipeline or a bracket belong to the value before them.
    """
    found: list[tuple[str, str, str]] = []
    keyword, depth = "", 0
    for line in text.split("\n"):
        line = _without_comment(line)
        words = line.strip()
        if not words:
            continue
        continued = depth > 0 or words.startswith(("|", ")", "]"))
        depth += sum(words.count(c) for c in "([{") - sum(words.count(c) for c in ")]}")
        if continued and found:
            last = found[-1]
            found[-1] = (last[0], last[1], _joined(last[2], words))
            continue
        clause, _, value = words.partition(" ")
        if not line.startswith((" ", "\t")):
            keyword = clause
        found.append((keyword, clause, value.strip()))
    return [item for item in found if item[0] != "evallang"]


def _joined(value: str, words: str) -> str:
    """Join a line that was broken inside brackets, without the comma that ended it."""
    if words[0] in ")]}":
        value = value.rstrip(", ")
    gap = "" if value.endswith(("(", "[", "{")) or words[0] in ")]}" else " "
    return f"{value}{gap}{words}".strip()


def _without_comment(line: str) -> str:
    """Cut a comment, where the sign does not stand inside a text."""
    inside = False
    for i, character in enumerate(line):
        if character == '"' and (i == 0 or line[i - 1] != "\\"):
            inside = not inside
        elif character == "#" and not inside:
            return line[:i].rstrip()
    return line.rstrip()


def value_words(value: Any) -> str:
    """Write an option's value: "none", "true", "a, b"."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple | list):
        return ", ".join(value_words(item) for item in value)
    if isinstance(value, Mapping):
        return ", ".join(f"{key}={value_words(item)}" for key, item in value.items())
    return str(value)
