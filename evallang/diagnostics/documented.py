"""Codes whose reason and examples are the docstring of the function that finds them."""

import inspect
from collections.abc import Callable
from typing import Any

from evallang.diagnostics import Changes, Code, Phase, Severity, Words, declare


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
    text = (inspect.getdoc(function) or "").strip()
    said, _, studies = text.partition("\n\nObjects to:\n\n")
    summary, _, because = said.partition("\n\n")
    wrong, _, right = studies.partition("\n\nAccepts:\n\n")
    if not (because and wrong and right):
        raise ValueError(f"rule {function.__name__} needs a reason and two studies")
    return declare(
        code,
        function.__name__,
        Words(
            " ".join(summary.split()),
            " ".join(because.split()),
            _study(wrong),
            _study(right),
            source,
        ),
        severity=severity,
        phase=phase,
        changes=changes,
    )


def _study(indented: str) -> str:
    """Return the lines of a study, which a docstring indents by four blanks."""
    return "\n".join(line[4:] for line in indented.strip("\n").split("\n"))
