"""`compare a, b, with mcnemar`: a comma before a word that joins the parts of a line."""

from collections.abc import Sequence

from evallang.diagnostics import Edit, Fix, diagnose
from evallang.source import Span
from evallang.syntax import codes
from evallang.syntax.lalr import run
from evallang.syntax.language import CONNECTIVES
from evallang.syntax.quotes import Reread
from evallang.syntax.scanner import Token


def comma_before_a_word(path: str, start: str, tokens: Sequence[Token], at: int) -> Reread | None:
    """Read `compare a, b, with mcnemar` without its last comma."""
    for index in (at - 1, at - 2):
        if index < 1 or index + 1 >= len(tokens) or tokens[index].kind != "COMMA":
            continue
        if tokens[index + 1].text not in CONNECTIVES:
            continue
        again = run(path, start, [*tokens[:index], *tokens[index + 1 :]])
        if again.stuck_at is None:
            edit = Edit(Span(path, tokens[index - 1].end, tokens[index].end), "")
            found = diagnose(
                codes.SUPERFLUOUS,
                "`,` is too much here",
                Span(path, tokens[index].start, tokens[index].end),
                fixes=[Fix("remove `,`", (edit,))],
            )
            return again.node, (found, *again.diagnostics)
    return None
