"""The reading of a logical line, which is repaired where it does not parse."""

from collections.abc import Sequence

from evallang.syntax.line_parser import Reading, run
from evallang.syntax.scanner import Token


def read_line(path: str, start: str, tokens: Sequence[Token]) -> Reading:
    """Parse a line as a `statement` or a `clause`, correcting what surely was meant."""
    first = run(path, start, tokens)
    if first.stuck_at is None and not first.diagnostics:
        return Reading(first.node, ())
    from evallang.syntax.repair import repair_line  # as long as the rest; most files need none

    return repair_line(path, start, tokens, first)
