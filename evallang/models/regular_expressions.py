"""Regular expressions in parameters: those that may take exponential or cubic time are refused.

Python's matcher tries again and again. A part that is repeated, and itself repeats or chooses, can
match one text in exponentially many ways, and the matcher tries them all before it gives up:
`(a+)+$` on thirty letters takes minutes. Two repeats that can match the same characters one after
the other share them in as many ways as there are characters, from each of which a search starts:
`\\w*\\w*:` on 3,000 letters takes 45 seconds. Without such parts the time grows at most with the
square of a text's length. Both rules are sound and not complete: some harmless expressions are
refused too; possessive repeats (`++`) and atomic groups (`(?>...)`) are never tried again, and are
accepted. The parts are read from the text, as Python offers no tree of them.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from math import inf

from msgspec import Struct

MANY = 4  # lengths from which on a bounded repeat counts as one without end
MOST_PATHS = 200  # ways through choices and options; more are refused unread
LATIN = 0x180
ALPHABET = frozenset(map(chr, (*range(LATIN), 0x3B1, 0x416, 0x5D0, 0x661, 0x4E2D, 0x2003, 0x2028)))
"""Characters that represent all: ASCII, Latin and one of each kind of others."""
TOKEN = re.compile(
    r"(?P<comment>\(\?#[^)]*\)|\(\?[a-zA-Z]+\))"  # or flags
    r"|(?P<condition>\(\?\()|(?P<earlier>\(\?P=\w+\)|\\[0-9]{1,3})|(?P<once>\(\?>)"
    r"|(?P<look>\(\?<?[=!])|(?P<group>\((?:\?(?:P<\w+>|[a-zA-Z-]*:))?)"
    r"|(?P<anchor>[$^]|\\[ABbZz])"
    r"|(?P<repeat>(?:[*+?]|\{(?!\})[0-9]*(?:,[0-9]*)?\})[+?]?)"
    r"|(?P<character>\[\^?\]?(?:[^]\\]|\\.)*\]"
    r"|\\(?:x..|u.{4}|U.{8}|N\{[^}]*\}|.)|.)",
    re.DOTALL,
)
BOUNDS = {"*": (0, inf), "+": (1, inf), "?": (0, 1)}
NESTED = (
    "repeats a part that itself repeats or has alternatives, which can take exponential time; "
    "write the inner repeat as `++`, or without the outer one"
)
ADJACENT = (
    "repeats parts one after the other that match the same characters, which can take cubic time; "
    "write the first repeat as `++`, or a character between them that neither matches"
)


class _Refused(Exception):
    """An expression is refused without looking at more of it."""


class _Part(Struct, frozen=True):
    """One character, or the ways through a group, and how often they are repeated.

    Without a way of its own it is one of its `characters`. What is matched `once` is never tried
    again; where it is only to `look`, its text remains.
    """

    ways: tuple[tuple["_Part", ...], ...] = ()
    characters: frozenset[str] = ALPHABET
    least: float = 1
    most: float = 1
    once: bool = False
    look: bool = False


class _Atom(Struct, frozen=True):
    """A part of a path: the characters that it matches, and whether it repeats without end."""

    characters: frozenset[str]
    repeats: bool = False


def objection(pattern: str) -> str | None:
    """Return why a regular expression is refused, None when it is not; read after its name."""
    try:
        re.compile(pattern)
        tokens = [*TOKEN.finditer(pattern)]
        heads = (re.match(r"\(\?([a-zA-Z]+)[:)-]", token.group()) for token in tokens)
        flags = "".join(head[1] for head in heads if head)
        if "x" in flags:
            return "has the flag `x`, which lets it contain white space; write it without both"
        ways = _ways_of_group(iter(tokens), ascii_only="a" in flags)
        if any(_nested(way, inside=False) for way in ways):
            return NESTED
        return ADJACENT if _adjacent(ways, fold="i" in flags) else None
    except (re.error, OverflowError, RecursionError) as error:
        return f"is not a regular expression: {error}"
    except _Refused:
        return ADJACENT


def _ways_of_group(
    tokens: Iterator[re.Match[str]], *, ascii_only: bool
) -> tuple[tuple[_Part, ...], ...]:
    """Read the ways through a group, up to its end; the whole is sound, as `re` has compiled it."""
    ways: list[list[_Part]] = [[]]
    listed = True  # `re` makes one set of single characters and sets, if none is negated
    for token in tokens:
        text, kind, way = token.group(), token.lastgroup, ways[-1]
        if text == ")":
            break
        if text == "|":
            ways.append([])
        elif kind == "condition":
            raise _Refused
        elif kind == "repeat":
            least, _, most = text.rstrip("+?").strip("{}").partition(",")
            bounds = BOUNDS.get(text[0])
            if bounds is None:
                bounds = int(least or 0), int(most) if most else inf if "," in text else int(least)
            once = len(text) > 1 and text.endswith("+")
            way.append(_Part(((way.pop(),),), least=bounds[0], most=bounds[1], once=once))
        elif kind in ("group", "once", "look"):
            inner = _ways_of_group(tokens, ascii_only=ascii_only)
            way.append(_Part(inner, once=kind == "once", look=kind == "look"))
        elif kind == "earlier":  # the text of a group, or a character by its number
            way.append(_Part())
        elif kind == "character":
            listed = listed and not text.startswith((".", "[^"))
            way.append(_Part(characters=_characters(text, ascii_only)))
    if listed and len(ways) > 1 and all(len(way) == 1 and not way[0].ways for way in ways):
        every = frozenset[str]().union(*(way[0].characters for way in ways))
        return ((_Part(characters=every),),)
    return tuple(map(tuple, ways))


@cache
def _characters(text: str, ascii_only: bool) -> frozenset[str]:
    """Return what of the alphabet a character or set matches; all of it where that is not known."""
    if text == "." or re.search(r"\\[uUN]|[^\x00-\u017f]", text):
        return ALPHABET
    flags = [0, re.ASCII] if ascii_only else [0]
    forms = [re.compile(re.escape(text) if len(text) == 1 else text, flag) for flag in flags]
    return frozenset(c for c in ALPHABET if any(form.fullmatch(c) for form in forms))


def _nested(way: Sequence[_Part], *, inside: bool) -> bool:
    """Return whether a repeated part holds another repeat or a choice."""
    for part in way:
        within = not part.once and (inside or part.most > 1)
        repeated = not part.once and inside and part.least != part.most
        if repeated or (within and len(part.ways) > 1):
            return True
        if any(_nested(one, inside=within) for one in part.ways):
            return True
    return False


def _adjacent(ways: Sequence[Sequence[_Part]], *, fold: bool) -> bool:
    """Return whether two repeats on one path can share the characters between their ends.

    `fold` is whether capital letters match small ones.
    """
    return any(_share(path, fold=fold) for way in ways for path in _paths(way))


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


def _paths(way: Sequence[_Part]) -> list[tuple[_Atom, ...]]:
    """List the paths through parts one after the other, each as its parts in order."""
    found: list[tuple[_Atom, ...]] = [()]
    for part in way:
        through = _paths_of(part)
        found = [(*path, *more) for path in found for more in through]
        if len(found) > MOST_PATHS:
            raise _Refused
    return found


def _paths_of(part: _Part) -> list[tuple[_Atom, ...]]:
    if not part.ways:
        return [(_Atom(part.characters),)]
    if part.once or part.look:
        if _adjacent(part.ways, fold=True):
            raise _Refused
        return [(_Atom(ALPHABET),)] if part.once else [()]
    paths = [path for way in part.ways for path in _paths(way)]
    if part.most - part.least >= MANY:
        every = frozenset[str]().union(*(a.characters for path in paths for a in path))
        paths = [(_Atom(every, repeats=True),)]
    return [*([()] if part.least == 0 else []), *(paths if part.most else [])]
