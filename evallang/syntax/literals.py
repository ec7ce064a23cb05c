"""Literals of numbers and of texts: which can be computed with, and what they stand for."""

import json
import math
import re
import sys

MOST_DIGITS = 400  # characters of a number; the largest float has 309 digits
LEAST = math.ulp(0.0)


def unheld(literal: str) -> str | None:
    """Return why a number literal cannot be computed with, None where it can."""
    if len(literal) > MOST_DIGITS:
        return f"has more than {MOST_DIGITS} characters, more than any number needs"
    parts = [float(part) for part in literal.removesuffix("%").split("/")]
    if len(parts) == 2 and parts[1] == 0:
        return "divides by zero"
    if any(math.isinf(part) for part in parts):
        return f"is larger than any number that is computed with, about {sys.float_info.max:.1e}"
    digits = re.split("[eE]", literal)[0]
    if parts[0] == 0 and re.search("[1-9]", digits):
        return f"is nearer to zero than any number that is computed with, about {LEAST:.1e}"
    return None


def unescaped(literal: str) -> str:
    """Return the text that a literal in double quotes stands for."""
    if "\\" not in literal:
        return literal[1:-1]
    value: str = json.loads(literal, strict=False)
    return value


def quoted(text: str) -> str:
    """Write a text as a literal in double quotes."""
    return json.dumps(text, ensure_ascii=False)
