"""Which signs of a text have a meaning in Markdown where they are, and need an escape.

Brackets of numbers, an ampersand between words and an underscore within a word stay as they are, so
that intervals and names are readable in the file itself.
"""

import re
from collections.abc import Callable

SPECIAL = frozenset("\\`*_{}[]<>#|~$&!")
_NUMBER = r"[-+−]?[.,]*\d[\d.,]*(?: × 10[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)?|[-−]?∞"
_NUMBERS = rf"\[(?:{_NUMBER})(?:, (?:{_NUMBER}))+\]"
BRACKETS = re.compile(rf"(?:{_NUMBERS}|\[{_NUMBERS}(?:, {_NUMBERS})*\])(?![\[(])")
"""An interval or a matrix, which no reader of Markdown takes for a link."""
HARMLESS = re.compile(r"(?<=[^\W_])_(?=[^\W_])|&(?= )|!(?=[^\[])")


def escape_signs(text: str, escape: Callable[[str], str]) -> str:
    """Escape the signs of a text that Markdown would read as its own."""
    kept = {
        place
        for form in (BRACKETS, HARMLESS)
        for found in form.finditer(text)
        if found.start() or text[found.end() : found.end() + 1] != ":"  # what a link is, at a start
        for place in range(found.start(), found.end())
    }
    return "".join(
        escape(sign) if sign in SPECIAL and place not in kept else sign
        for place, sign in enumerate(text)
    )
