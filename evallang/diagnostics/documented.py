"""Codes whose reason and examples are the docstring of the function that finds them."""

import inspect
import re
import textwrap
from collections.abc import Callable
from typing import Any

from evallang.diagnostics import Changes, Code, Phase, Severity, declare
from evallang.late_pattern import late_pattern

SECTIONS = late_pattern(
    r"(?P<summary>.*?)\n\n(?P<reason>.*?)\n\n"
    r"Objects to:\n\n(?P<wrong>.*?)\n\nAccepts:\n\n(?P<right>.*)",
    re.DOTALL,
)


def declare_documented(
    code: str,
    function: Callable[..., Any],
    *,
    source: str,
    severity: Severity = Severity.WARNING,
    phase: Phase | None = None,
    changes: Changes = Changes.READING,
) -> Code:
    """Declare a code that is named after a function and explained by its docstring.

    Raises `ValueError` when the docstring lacks a reason or one of the two examples.
    """
    found = SECTIONS.fullmatch((inspect.getdoc(function) or "").strip())
    if found is None:
        raise ValueError(f"rule {function.__name__} needs a reason and two studies")
    return declare(
        code,
        function.__name__,
        " ".join(found["summary"].split()),
        severity=severity,
        phase=phase,
        reason=" ".join(found["reason"].split()),
        wrong=textwrap.dedent(found["wrong"].strip("\n")),
        right=textwrap.dedent(found["right"].strip("\n")),
        source=source,
        changes=changes,
    )
