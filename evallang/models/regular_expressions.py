"""Regular expressions in parameters: those that may take exponential time are refused.

Python's matcher tries again and again. A part that is repeated, and itself repeats or chooses, can
match one text in exponentially many ways, and the matcher tries them all before it gives up:
`(a+)+$` on thirty letters takes minutes. Without such parts the time is polynomial in the
length of a text. The rule is sound and not complete: some harmless expressions are refused too;
possessive repeats (`++`) and atomic groups (`(?>...)`) are never tried again, and are accepted.
"""

import re
from collections.abc import Iterable
from re import _constants as words, _parser as parser
from typing import Any

AGAIN = (words.MAX_REPEAT, words.MIN_REPEAT)
ONCE = (words.POSSESSIVE_REPEAT, words.ATOMIC_GROUP)
NESTED = (
    "repeats a part that itself repeats or chooses, which can take exponential time; "
    "write the inner repeat as `++`, or without the outer one"
)


def objection(pattern: str) -> str | None:
    """Tell why a regular expression is refused, None when it is not; read after its name."""
    try:
        tree = parser.parse(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        return f"is not a regular expression: {error}"
    return NESTED if _nested(tree, inside=False) else None


def _nested(tree: Iterable[Any], *, inside: bool) -> bool:
    """Tell whether a repeated part holds another repeat or a choice."""
    for word, rest in tree:
        if word in ONCE:
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
