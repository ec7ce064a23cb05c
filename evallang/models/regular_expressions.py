"""Regular expressions in parameters: those that may take exponential or cubic time are refused.

Python's matcher tries again and again. A part that is repeated, and itself repeats or chooses, can
match one text in exponentially many ways, and the matcher tries them all before it gives up:
`(a+)+$` on thirty letters takes minutes. Two repeats that can match the same characters one after
the other share them in as many ways as there are characters, from each of which a search starts:
`\\w*\\w*:` on 3,000 letters takes 45 seconds. Without such parts the time grows at most with the
square of a text's length. Both rules are sound and not complete: some harmless expressions are
refused too; possessive repeats (`++`) and atomic groups (`(?>...)`) are never tried again, and are
accepted.
"""

import re
from collections.abc import Iterable, Sequence
from re import _constants as words, _parser as parser
from typing import Any

from msgspec import Struct

MANY = 4  # lengths from which on a bounded repeat counts as one without end
MOST_PATHS = 200  # ways through choices and options; more are refused unread
LATIN = 0x180
ALPHABET = tuple(map(chr, (*range(LATIN), 0x3B1, 0x416, 0x5D0, 0x661, 0x4E2D, 0x2003, 0x2028)))
"""Characters that represent all: ASCII, Latin and one of each kind of others."""
AGAIN = (words.MAX_REPEAT, words.MIN_REPEAT)
ONCE = (words.POSSESSIVE_REPEAT, words.ATOMIC_GROUP)
NESTED = (
    "repeats a part that itself repeats or has alternatives, which can take exponential time; "
    "write the inner repeat as `++`, or without the outer one"
)
ADJACENT = (
    "repeats parts one after the other that match the same characters, which can take cubic time; "
    "write the first repeat as `++`, or a character between them that neither matches"
)


def objection(pattern: str) -> str | None:
    """Return why a regular expression is refused, None when it is not; read after its name."""
    try:
        tree = parser.parse(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        return f"is not a regular expression: {error}"
    if _nested(tree, inside=False):
        return NESTED
    return (
        ADJACENT
        if _adjacent(tree, fold=re.search(r"\(\?[a-zA-Z]*i", pattern) is not None)
        else None
    )


def _nested(tree: Iterable[Any], *, inside: bool) -> bool:
    """Return whether a repeated part holds another repeat or a choice."""
    for word, rest in tree:
        if word in ONCE:  # never tried again once it has matched, and until then as any other
            if _nested(_once(rest), inside=False):
                return True
            continue
        if word in AGAIN:
            least, most, body = rest
            if (inside and least != most) or _nested(body, inside=inside or most > 1):
                return True
        elif word is words.BRANCH:
            if inside or any(_nested(way, inside=False) for way in rest[1]):
                return True
        elif isinstance(rest, tuple) and any(
            _nested(part, inside=inside) for part in rest if isinstance(part, parser.SubPattern)
        ):
            return True
    return False


class _Atom(Struct, frozen=True):
    """A part of a path: the characters that it matches, and whether it repeats without end."""

    characters: frozenset[str]
    repeats: bool = False


class _Refused(Exception):
    """An expression is refused without looking at more of it."""


def _adjacent(tree: Iterable[Any], *, fold: bool) -> bool:
    """Return whether two repeats on one path can share the characters between their ends.

    `fold` is whether capital letters match small ones.
    """
    try:
        return any(_share(path, fold=fold) for path in _paths(tree))
    except _Refused:
        return True


def _once(rest: Any) -> Any:
    """Return the body of a possessive repeat or an atomic group."""
    return rest[2] if isinstance(rest, tuple) else rest


def _share(path: Sequence[_Atom], *, fold: bool) -> bool:
    if fold:
        path = [_Atom(frozenset(map(str.casefold, a.characters)), a.repeats) for a in path]
    for start, first in enumerate(path):
        if not first.repeats:
            continue
        for atom in path[start + 1 :]:
            if atom.repeats and first.characters & atom.characters:
                return True
            if not first.characters & atom.characters:
                break
    return False


def _paths(tree: Iterable[Any]) -> list[tuple[_Atom, ...]]:
    """List the ways through an expression, each as its parts in order."""
    found: list[tuple[_Atom, ...]] = [()]
    for word, rest in tree:
        ways = _ways(word, rest)
        found = [(*path, *way) for path in found for way in ways]
        if len(found) > MOST_PATHS:
            raise _Refused
    return found


def _ways(word: Any, rest: Any) -> list[tuple[_Atom, ...]]:
    if word is words.BRANCH:
        return [path for way in rest[1] for path in _paths(way)]
    if word is words.SUBPATTERN:
        return _paths(rest[-1])
    if word in AGAIN:
        least, most, body = rest
        if most - least >= MANY:
            every = frozenset().union(*(a.characters for path in _paths(body) for a in path))
            return [*([()] if least == 0 else []), (_Atom(every, repeats=True),)]
        once = _paths(body)
        return [*([()] if least == 0 else []), *(once if most else [])]
    if word in (words.ASSERT, words.ASSERT_NOT, *ONCE):
        body = rest[1] if word in (words.ASSERT, words.ASSERT_NOT) else _once(rest)
        if _adjacent(body, fold=True):
            raise _Refused
        return [(_Atom(_EVERY),)] if word in ONCE else [()]
    if word is words.AT:
        return [()]
    if word is words.GROUPREF_EXISTS:
        raise _Refused
    return [(_Atom(_characters(word, rest)),)]


def _characters(word: Any, rest: Any) -> frozenset[str]:
    """Return what of the alphabet a part matches; all of it where that is not known."""
    if word is words.LITERAL:
        return _members(word, rest)
    if word is words.NOT_LITERAL:
        return _EVERY - {chr(rest)}
    if word is words.IN:
        negated = bool(rest) and rest[0][0] is words.NEGATE
        named = frozenset().union(*(_members(*item) for item in rest[int(negated) :]))
        certain = all(word is not words.RANGE or rest[1] < LATIN for word, rest in rest)
        if negated:
            return _EVERY - named if certain and named != _EVERY else _EVERY
        return named
    return _EVERY


def _members(word: Any, rest: Any) -> frozenset[str]:
    if word is words.LITERAL:
        return frozenset({chr(rest)}) if chr(rest) in _EVERY else _EVERY
    if word is words.RANGE:
        known = rest[1] < LATIN
        return frozenset(map(chr, range(rest[0], rest[1] + 1))) if known else _EVERY
    return _CATEGORIES.get(rest, _EVERY)


_EVERY = frozenset(ALPHABET)
_CATEGORIES = {
    category: frozenset(c for c in ALPHABET if re.match(escape, c))
    for category, escape in (
        (words.CATEGORY_DIGIT, r"\d"),
        (words.CATEGORY_NOT_DIGIT, r"\D"),
        (words.CATEGORY_SPACE, r"\s"),
        (words.CATEGORY_NOT_SPACE, r"\S"),
        (words.CATEGORY_WORD, r"\w"),
        (words.CATEGORY_NOT_WORD, r"\W"),
    )
}
