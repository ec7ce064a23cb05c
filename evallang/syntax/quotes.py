"""Lines whose quotes are missing or too many: what is left of a line once they are right."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from evallang.diagnostics import Diagnostic, Edit, Fix, diagnose
from evallang.source import Span
from evallang.syntax import codes
from evallang.syntax.lalr import run
from evallang.syntax.language import clause
from evallang.syntax.literals import quoted, unescaped
from evallang.syntax.scanner import Token

Reread = tuple[Any, tuple[Diagnostic, ...]]
"""The node of a line that reads well so, and what is said of it."""


def text_without_quotes(path: str, start: str, tokens: Sequence[Token]) -> Reread | None:
    """Read `author Jane Doe` as `author "Jane Doe"`."""
    head, words = tokens[0], tokens[1:]
    takes_text = head.text == "study"
    if start == "clause":
        known = clause(head.text)
        takes_text = known is not None and known.takes == "text"
    if not takes_text or len(words) < 2 or any(word.kind == "TEXT" for word in words):
        return None
    text = words[0].text
    for before, word in pairwise(words):
        text += " " * (word.start > before.end) + word.text
    right = quoted(text)
    place = Span(path, words[0].start, words[-1].end)
    again = run(path, start, [head, Token("TEXT", right, place.start, place.end)])
    fix = Fix("add quotes", (Edit(place, right),))
    message = f"text stands in quotes: `{right}`"
    return again.node, (diagnose(codes.QUOTES_MISSING, message, place, fixes=[fix]),)


def quoted_keys(path: str, start: str, tokens: Sequence[Token], at: int) -> Reread | None:
    """Read `SVC("C"=1)` as `SVC(C=1)`."""
    if at >= len(tokens) or tokens[at].kind != "EQUAL" or tokens[at - 1].kind != "TEXT":
        return None
    plain, found = list(tokens), []
    for place, (key, sign) in enumerate(pairwise(tokens)):
        name = unescaped(key.text) if key.kind == "TEXT" else ""
        if sign.kind != "EQUAL" or not name.isidentifier():
            continue
        plain[place] = Token("NAME", name, key.start, key.end)
        span = Span(path, key.start, key.end)
        message = f"a name stands here without quotes: `{name}`"
        fix = Fix("remove the quotes", (Edit(span, name),))
        found.append(diagnose(codes.QUOTES_SUPERFLUOUS, message, span, fixes=[fix]))
    again = run(path, start, plain)
    return (again.node, (*found, *again.diagnostics)) if again.stuck_at is None else None
