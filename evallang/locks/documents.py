"""Differences between two documents of results, each with its place."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from evallang.effect import Effect

NAMES = ("data", "protocol", "model", "metric", "models", "test", "name", "index")
"""Fields by which a record of a list is named, in this order."""
DECIDED = frozenset({"reject", "met", "performed", "reason", "p", "p_adjusted"})
"""Fields that state a decision."""
WORDS = frozenset({"title", "authors", "question", "about", "label", "notes", "summary", "cite"})
"""Fields that hold words for readers."""
LIMIT = 50
"""Differences that are collected; one altered file may have thousands."""


class Difference(Struct, frozen=True):
    """A place of a document with another value."""

    place: str
    before: Any
    after: Any
    effect: Effect


def differences(before: Any, after: Any, leave_out: Sequence[str] = ()) -> tuple[Difference, ...]:
    """Compare two documents; `leave_out` are fields of the outermost level."""
    old = {key: value for key, value in before.items() if key not in leave_out}
    new = {key: value for key, value in after.items() if key not in leave_out}
    found = []
    for difference in _compare(old, new, "", Effect.NUMBERS):
        found.append(difference)
        if len(found) == LIMIT:
            break
    return tuple(found)


def _compare(before: Any, after: Any, place: str, effect: Effect) -> Iterator[Difference]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in dict.fromkeys((*before, *after)):
            inner = f"{place}.{key}" if place else str(key)
            yield from _compare(before.get(key), after.get(key), inner, _effect(key, effect))
    elif isinstance(before, list | tuple) and isinstance(after, list | tuple):
        for i in range(max(len(before), len(after))):
            old = before[i] if i < len(before) else None
            new = after[i] if i < len(after) else None
            yield from _compare(old, new, f"{place}[{_name(old or new, i)}]", effect)
    elif not _equal(before, after):
        yield Difference(place, before, after, effect)


def _effect(key: str, inherited: Effect) -> Effect:
    if key in DECIDED:
        return Effect.CLAIMS
    return Effect.WORDS if key in WORDS else inherited


def _name(record: Any, number: int) -> str:
    """Return the name of a record of a list by its fields, else by its number."""
    if not isinstance(record, Mapping):
        return str(number)
    parts = [record[name] for name in NAMES if isinstance(record.get(name), str | list)]
    texts = [" vs ".join(map(str, p)) if isinstance(p, list) else str(p) for p in parts]
    return ", ".join(texts) or str(number)


def _equal(before: Any, after: Any) -> bool:
    if isinstance(before, float) and isinstance(after, float):
        return before == after or (math.isnan(before) and math.isnan(after))
    return type(before) is type(after) and bool(before == after)
