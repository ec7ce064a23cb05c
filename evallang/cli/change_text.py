"""Changes of a study as lines for the terminal, and as records for programs."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evallang.effect import Effect
from evallang.locks.changes import Change
from evallang.locks.settings import Plain
from evallang.reporting.formats.markdown_signs import escape_signs
from evallang.source import SourceFile

HASH, SHORT = re.compile("[0-9a-f]{16}|[0-9a-f]{32,64}"), 12
Sources = Mapping[str, SourceFile]
LONGEST = 60
"""Letters of a value that are shown."""


def change_lines(
    found: Sequence[Change], sources: Sources | None = None, former: Sources | None = None
) -> Iterator[str]:
    """Iterate over the lines that name changes, grouped by effect, the gravest first.

    `sources` are the files of the later study, `former` those of the earlier one.
    """
    for effect in reversed(Effect):
        of_effect = [change for change in found if change.effect is effect]
        if of_effect:
            yield f"{effect}:"
            for change in of_effect:
                yield f"  {_line(change, sources, former)}"


def _line(change: Change, sources: Sources | None, former: Sources | None) -> str:
    where = place_of(change, sources, former)
    head = f"{where}: " if where else ""
    if change.now_stated is not None:
        how = "is now written" if change.now_stated else "is now left to its default"
        return f"{head}{change.place}: {shown(change.after)} {how}"
    if change.whole:
        says = f" ({'; '.join(change.content)})" if change.content else ""
        return f"{head}{change.statement}: {_whole_statement(change)}{says}"
    if change.before is None:
        value = "" if _is_hash(change.after) else f", {shown(change.after)}"
        return f"{head}{change.place}: added{value}"
    if change.after is None:
        value = "" if _is_hash(change.before) else f", was {shown(change.before)}"
        return f"{head}{change.place}: removed{value}"
    default = " (a default, not written in the study)" if change.by_default else ""
    return f"{head}{change.place}: {shown(change.before)} -> {shown(change.after)}{default}"


def place_of(change: Change, sources: Sources | None, former: Sources | None = None) -> str:
    """Return file and line of the statement of a change, empty where no statement holds it.

    What was removed has the line of the earlier study, if that is known.
    """
    gone = change.after is None and change.now_stated is None
    places = [(change.span, sources), (change.former_span, former)]
    for span, files in reversed(places) if gone else places[:1]:
        if span is not None and files is not None and span.path in files:
            return f"{span.path}:{files[span.path].position(span.start).line}"
    return ""


def shown(value: Plain) -> str:
    """Return a value for readers, shortened."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        text = ", ".join(shown(item) for item in value)
        text = f"[{text}]"
    else:
        text = "none" if value is None else f"{value}"
    return text[:SHORT] if _is_hash(value) else shortened(text)


def shortened(text: str) -> str:
    """Return a text of at most `LONGEST` letters."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."


def _is_hash(value: Plain) -> bool:
    return isinstance(value, str) and HASH.fullmatch(value) is not None


def change_records(
    found: Sequence[Change], sources: Sources | None = None, former: Sources | None = None
) -> list[dict[str, Any]]:
    """Return changes as JSON has them."""
    return [
        {
            "setting": change.statement if change.whole else change.place,
            "place": place_of(change, sources, former) or None,
            "before": None if change.whole else change.before,
            "after": None if change.whole else change.after,
            "effect": change.effect.name.lower(),
            "now_stated": change.now_stated,
            "statement": _whole_statement(change),
            "content": list(change.content),
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
    found: Sequence[Change], sources: Sources | None = None, former: Sources | None = None
) -> Iterator[str]:
    """Iterate over the lines of a Markdown table of changes."""
    yield "| effect | setting | before | after | place |"
    yield "|---|---|---|---|---|"
    for change in found:
        cells = (
            str(change.effect),
            change.statement if change.whole else change.place,
            *_values(change),
            place_of(change, sources, former),
        )
        yield "| " + " | ".join(markdown_cell(cell) for cell in cells) + " |"


def _values(change: Change) -> tuple[str, str]:
    """Return the values of a change before and after, for the cells of a table."""
    if not change.whole:
        return shown(change.before), shown(change.after)
    says = "; ".join(change.content)
    return (
        ("", f"added: {says}" if says else "added") if change.before is None else (says, "removed")
    )


OF_CELLS = "|<>&`*_[]\\"


def markdown_cell(text: str) -> str:
    """Escape what Markdown or HTML would read as its own."""
    plain = " ".join(text.split())
    return escape_signs(plain, lambda sign: f"&#{ord(sign)};" if sign in OF_CELLS else sign)
