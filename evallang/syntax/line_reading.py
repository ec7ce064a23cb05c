"""The reading of a logical line: its node and what was found."""

from collections.abc import Sequence
from typing import Any

from evallang.diagnostics import Diagnostic
from evallang.frozen_records import frozen
from evallang.syntax.lalr import run
from evallang.syntax.scanner import Token


@frozen
class Reading:
    """What a line was read as: its node, if any, and what was found in it."""

    node: Any
    diagnostics: tuple[Diagnostic, ...]


def read_line(path: str, start: str, tokens: Sequence[Token]) -> Reading:
    """Parse a line as a `statement` or a `clause`, correcting what surely was meant."""
    first = run(path, start, tokens)
    if first.stuck_at is None and not first.diagnostics:
        return Reading(first.node, ())
    from evallang.syntax.repair import repair_line  # as long as the rest; most files need none

    return repair_line(path, start, tokens, first)
