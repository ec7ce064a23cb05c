"""`protocol cv(folds=10)`: options of a protocol that stand in brackets."""

from collections.abc import Sequence

from evallang.diagnostics import Edit, Fix, diagnose
from evallang.source import Span
from evallang.syntax import codes
from evallang.syntax.lalr import run
from evallang.syntax.quotes import Reread
from evallang.syntax.scanner import Token


def bracketed_options(path: str, start: str, tokens: Sequence[Token], at: int) -> Reread | None:
    """Read `protocol cv(folds=10)` as `protocol cv folds=10`."""
    inside = tokens[0].text == "protocol" and 1 < at < len(tokens) and tokens[at].kind == "LPAR"
    if not inside or tokens[-1].kind != "RPAR" or len(tokens) - at < 2:
        return None
    between = [t for t in tokens[at + 1 : -1] if t.kind != "COMMA"]
    again = run(path, start, [*tokens[:at], *between])
    if again.stuck_at is not None:
        return None
    opening, closing = tokens[at], tokens[-1]
    edits = []
    for before, sign, after in zip(tokens[at - 1 :], tokens[at:], tokens[at + 1 :], strict=False):
        if sign.kind in ("COMMA", "LPAR"):
            apart = before.end < sign.start or sign.end < after.start
            edits.append(Edit(Span(path, sign.start, sign.end), "" if apart else " "))
    edits.append(Edit(Span(path, closing.start, closing.end), ""))
    found = diagnose(
        codes.SUPERFLUOUS,
        "the options of a protocol stand behind it without brackets",
        Span(path, opening.start, closing.end),
        help="write them as in `cv folds=10`",
        fixes=[Fix("remove the brackets", tuple(edits))],
    )
    return again.node, (found, *again.diagnostics)
