"""Changes of a study as lines for the terminal, and as records for programs."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evallang.effect import Effect
from evallang.locks.changes import Change
from evallang.locks.setting import Plain
from evallang.source import SourceFile

HASH, SHORT = re.compile("[0-9a-f]{32,64}"), 12
LONGEST = 60
"""Letters of a value that are shown."""


def change_lines(
    found: Sequence[Change], sources: Mapping[str, SourceFile] | None = None
) -> Iterator[str]:
    """Iterate over the lines that name changes, grouped by effect, the gravest first."""
    for effect in reversed(Effect):
        of_effect = [change for change in found if change.effect is effect]
        if of_effect:
            yield f"{effect}:"
            for change in of_effect:
                yield f"  {_line(change, sources or {})}"


def _line(change: Change, sources: Mapping[str, SourceFile]) -> str:
    where = place_of(change, sources)
    head = f"{where}: " if where else ""
    if change.now_stated is not None:
        how = "is now written" if change.now_stated else "is now left to its default"
        return f"{head}{change.place}: {shown(change.after)} {how}"
    if change.whole:
        return f"{head}{change.statement}: {'added' if change.before is None else 'removed'}"
    if change.before is None:
        return f"{head}{change.place}: added, {shown(change.after)}"
    if change.after is None:
        return f"{head}{change.place}: removed, was {shown(change.before)}"
    default = " (a default, not written in the study)" if change.by_default else ""
    return f"{head}{change.place}: {shown(change.before)} -> {shown(change.after)}{default}"


def place_of(change: Change, sources: Mapping[str, SourceFile]) -> str:
    """Return file and line of the statement of a change, empty where no statement holds it."""
    if change.span is None or change.span.path not in sources:
        return ""
    line = sources[change.span.path].position(change.span.start).line
    return f"{change.span.path}:{line}"


def shown(value: Plain) -> str:
    """Return a value for readers, shortened."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        text = ", ".join(shown(item) for item in value)
        text = f"[{text}]"
    else:
        text = "none" if value is None else f"{value}"
    if HASH.fullmatch(text):
        return text[:SHORT]
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def change_records(
    found: Sequence[Change], sources: Mapping[str, SourceFile] | None = None
) -> list[dict[str, Any]]:
    """Return changes as JSON has them."""
    return [
        {
            "setting": change.statement if change.whole else change.place,
            "place": place_of(change, sources or {}) or None,
            "before": None if change.whole else change.before,
            "after": None if change.whole else change.after,
            "effect": change.effect.name.lower(),
            "now_stated": change.now_stated,
            "statement": _whole_statement(change),
            "by_default": change.by_default,
        }
        for change in found
    ]


def _whole_statement(change: Change) -> str | None:
    """Return what became of a whole statement, None where one of its settings changed."""
    if not change.whole:
        return None
    return "added" if change.before is None else "removed"


def change_markdown(
    found: Sequence[Change], sources: Mapping[str, SourceFile] | None = None
) -> Iterator[str]:
    """Iterate over the lines of a Markdown table of changes."""
    yield "| effect | setting | before | after | place |"
    yield "|---|---|---|---|---|"
    for change in found:
        cells = (
            str(change.effect),
            change.statement if change.whole else change.place,
            _whole_statement(change) or shown(change.before),
            "" if change.whole else shown(change.after),
            place_of(change, sources or {}),
        )
        yield "| " + " | ".join(markdown_cell(cell) for cell in cells) + " |"


def markdown_cell(text: str) -> str:
    """Escape what Markdown or HTML would read as its own."""
    plain = " ".join(text.split())
    return "".join(f"&#{ord(c)};" if c in "|<>&`*_[]\\" else c for c in plain)
