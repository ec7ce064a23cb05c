"""The text of a query: whether it is one SELECT, and whether it orders its rows.

A look at the words only, to say early and clearly what is wrong; what a query may do is
enforced by the databases themselves.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

NOT_WORDS = re.compile(
    r"""
    --[^\n]*                         # a comment to the end of the line
  | /\*.*?(?:\*/|\Z)                 # a comment between marks
  | '(?:[^']|'')*(?:'|\Z)            # a text
  | "(?:[^"]|"")*(?:"|\Z)            # a name in quotes
  | (\$\w*\$).*?(?:\1|\Z)            # a text of PostgreSQL and DuckDB: $tag$ ... $tag$
    """,
    re.VERBOSE | re.DOTALL,
)
WORD_OR_MARK = re.compile(r"\w+|[();]")


def not_one_select(query: str) -> str | None:
    """Tell in words why a query is not exactly one SELECT, None where it is."""
    words = [word for word, _ in _words(query)]
    while words and words[-1] == ";":
        words.pop()
    if not words:
        return "is empty"
    if ";" in words:
        return "holds more than one statement"
    first = next((word for word in words if word != "("), "")
    return None if first in ("select", "with") else f"begins with `{first}`"


def ordered(query: str) -> bool:
    """Tell whether a query itself, not a part of it in parentheses, has an ORDER BY."""
    outer = [word for word, depth in _words(query) if depth == 0]
    return any(pair == ("order", "by") for pair in pairwise(outer))


def _words(query: str) -> Iterator[tuple[str, int]]:
    """Give words and marks in lower case, each with its depth in parentheses."""
    depth = 0
    for match in WORD_OR_MARK.finditer(NOT_WORDS.sub(" ", query)):
        word = match.group().lower()
        depth -= word == ")"
        yield word, depth
        depth += word == "("
