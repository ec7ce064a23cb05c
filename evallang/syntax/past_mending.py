"""What is said of a line that no guess mends: the word in the way, and the form of the whole."""

import re
from collections.abc import Sequence

from evallang.diagnostics import Diagnostic, Edit, Fix, diagnose
from evallang.source import Span
from evallang.syntax import codes
from evallang.syntax.lalr import END, Run, expected, run
from evallang.syntax.language import RESERVED, STATEMENTS, clause, declares, takes_one_value
from evallang.syntax.scanner import Token
from evallang.syntax.unexpected_characters import column_in_quotes

_KINDS = {
    "NAME": "a name",
    "NUMBER": "a number",
    "TEXT": "text in quotes",
    "OPERATOR": "a comparison",
    END: "the end",
}
_LEVELS = ("at", "alpha", "level", "confidence")
_OF_CONDITIONS = {
    "not": "a negation is written `!=`, a line for each value, or `is not missing`",
    "and": "write one `where` line for each condition",
    "or": "one of several values is written `where COLUMN in [a, b]`",
    "between": "write one `where` line for each bound: `where age >= 18`, `where age <= 65`",
}


def nameless(path: str, tokens: Sequence[Token]) -> Diagnostic | None:
    """Blame the lack of a name in `data from "d.csv"`."""
    if not declares(tokens[0].text) or [t.text for t in tokens[1:2]] != ["from"]:
        return None
    if len(tokens) > 2 and tokens[2].text == "from":
        return None
    head, word = tokens[:2]
    return diagnose(
        codes.UNEXPECTED_TEXT,
        "a name is missing before `from`",
        Span(path, word.start, word.end),
        help=f"the form is `{STATEMENTS[head.text].form}`",
    )


def reserved_word(path: str, start: str, tokens: Sequence[Token], at: int) -> Diagnostic | None:
    """Blame a word of the language if the line is right with a name in its place."""
    for index in (at - 1, at):
        if not 0 < index < len(tokens) or tokens[index].text not in RESERVED:
            continue
        word = tokens[index]
        renamed = Token("NAME", "\x00", word.start, word.end)
        if run(path, start, [*tokens[:index], renamed, *tokens[index + 1 :]]).stuck_at is None:
            way_out = "choose another name; a column so called is put in quotes"
            if tokens[0].text == "features" and word.text == "all":
                way_out = "without this clause all columns are features; `features all except A` "
                way_out += "leaves some out"
            return diagnose(
                codes.RESERVED_WORD,
                f"`{word.text}` is a word of the language and names nothing else",
                Span(path, word.start, word.end),
                help=way_out,
            )
    return None


def clause_beside(path: str, start: str, tokens: Sequence[Token], at: int) -> Diagnostic | None:
    """Blame a clause that stands on the line of its statement: `study "T" seed 3`."""
    if start != "statement" or not 0 < at < len(tokens):
        return None
    head, token = tokens[0].text, tokens[at]
    if head not in STATEMENTS or token.text not in STATEMENTS[head].clauses:
        return None
    if any(run(path, *part).stuck_at is not None for part in _parted(tokens, at)):
        return None
    return diagnose(
        codes.UNEXPECTED_TEXT,
        f"`{token.text}` is a clause of `{head}` and stands on an indented line below it",
        Span(path, token.start, token.end),
        fixes=[Fix("begin a line", (Edit(Span(path, tokens[at - 1].end, token.start), "\n  "),))],
    )


def _parted(tokens: Sequence[Token], at: int) -> tuple[tuple[str, Sequence[Token]], ...]:
    return (("statement", tokens[:at]), ("clause", tokens[at:]))


def number_alone(path: str, tokens: Sequence[Token], at: int) -> Diagnostic | None:
    """Blame the number in `protocol cv 10`, `10 fold cv` and `cv(10)`."""
    if tokens[0].text != "protocol" or at >= len(tokens):
        return None
    token = tokens[at + 1] if tokens[at].kind == "LPAR" else tokens[at]
    if token.kind != "NUMBER":
        return None
    return diagnose(
        codes.UNEXPECTED_TEXT,
        f"{shown(token)} stands without the name of its option",
        Span(path, token.start, token.end),
        help="write it as in `cv folds=10` or `repeated holdout times=50 test=1/3`",
    )


def level_of_a_test(path: str, tokens: Sequence[Token], at: int) -> Diagnostic | None:
    """Blame the level in `compare a, b with mcnemar at 95%`."""
    at += at < len(tokens) and tokens[at].text in _LEVELS
    if tokens[0].text != "compare" or at >= len(tokens):
        return None
    before, token = tokens[at - 1 : at + 1]
    if token.kind != "NUMBER" or before.text not in _LEVELS:
        return None
    return diagnose(
        codes.UNEXPECTED_TEXT,
        f"a comparison takes no level, and here is `{before.text} {token.text}`",
        Span(path, before.start, token.end),
        help="the level of all tests is said once, as in `alpha 0.05` below `study`; `at` belongs "
        "to `require`",
    )


def given_up(path: str, start: str, tokens: Sequence[Token], stuck: Run) -> Diagnostic:
    """Say what stands in the way of a line that nobody understands."""
    at = stuck.stuck_at or 0
    fits = expected(stuck.stack)
    before = tokens[at - 1]
    if at == len(tokens):
        return _incomplete(path, start, tokens, fits)
    token = tokens[at]
    span = Span(path, token.start, token.end)
    if ".." in (before.text, token.text) and "NAME" in (before.kind, token.kind):
        name = before if before.kind == "NAME" else token
        return diagnose(
            codes.RANGE_OF_NAMES,
            f"a range takes numbers, not `{name.text}`",
            Span(path, name.start, name.end),
            help="write the number itself",
        )
    message = f"{shown(token)} does not fit here"
    way_out = _habit(tokens, at) or _way_out(start, tokens, fits)
    return diagnose(codes.UNEXPECTED_TEXT, message, span, help=way_out)


def _spelled(tokens: Sequence[Token]) -> str:
    """Return the text of a line as written, from its first token on."""
    text = ""
    for token in tokens:
        text += " " * (token.start - tokens[0].start - len(text)) + token.text
    return text


def _habit(tokens: Sequence[Token], at: int) -> str | None:
    """Say what to write for what is right in other languages."""
    word, before, token = tokens[0].text, tokens[at - 1], tokens[at]
    if token.kind in ("LPAR", "LSQB"):
        column = column_in_quotes(_spelled(tokens), token.start - tokens[0].start)
        if column is not None:
            return f"a column name with special characters is put in quotes: `{column}`"
    if word == "where":
        return _OF_CONDITIONS.get("not" if before.text == "not" else token.text)
    if takes_one_value(word) and clause(token.text) is not None:
        return f"`{token.text}` begins a line of its own"
    if word == "features" and before.text == "not":
        return f"write `features all except {token.text}`"
    if word == "compare" and token.kind == "OPERATOR":
        return "write `vs`; a direction is an option of the test: `mcnemar(alternative=greater)`"
    if word == "require" and at == 2 and token.kind in ("OPERATOR", "EQUAL"):
        other = tokens[at + 1] if len(tokens) > at + 1 else token
        if other.kind == "NAME":
            return f"write `require {before.text} better than {other.text}`, or the other way round"
        return f"write `require METRIC of {before.text} >= NUMBER`"
    if word == "require" and token.text == "worse":
        return "write `not worse than`, or say which one is better"
    after = tokens[at + 1] if len(tokens) > at + 1 else token
    touching = before.end == token.start and token.end == after.start
    if token.kind == "COMMA" and before.kind == after.kind == "NUMBER" and touching:
        grouped = f", thousands are grouped by `_`: `{before.text}_{after.text}`"
        way_out = f"decimals stand behind a point: `{before.text}.{after.text}`"
        return way_out + grouped * (len(after.text) == 3)
    if token.kind == "LPAR" and at == 1 and word in ("compare", "measure", "report"):
        return f"what `{word}` names stands side by side, parted by commas, or in `[ ]`"
    if word == "compare" and "except" in (before.text, token.text):
        return "name the models that are compared: `compare a, b with TEST`"
    if word == "compare" and token.text == "vs":
        return "pairs are joined by commas, as in `a vs b, b vs c`"
    if word in ("compare", "measure", "analyze") and token.kind == "EQUAL":
        if before.text in _LEVELS:
            return "the level is said once for the study: `alpha 0.05` below `study`"
        return "options stand in brackets behind their word, as in `mcnemar(exact)`"
    return None


def _incomplete(path: str, start: str, tokens: Sequence[Token], fits: Sequence[str]) -> Diagnostic:
    last = tokens[-1]
    if last.kind == "COMMA":
        span = Span(path, last.start, last.end)
        if run(path, start, tokens[:-1]).stuck_at is None:
            fix = Fix("remove the comma", (Edit(span, ""),))
            message = "a comma ends the line"
            way_out = "a list goes on over several lines inside brackets only"
            return diagnose(codes.SUPERFLUOUS, message, span, help=way_out, fixes=[fix])
    span = Span(path, last.end, last.end)
    if tokens[0].text == "compare" and start == "statement" and "with" in fits:
        message = "this comparison names no test"
        way_out = "write `with TEST`, as in `compare a, b with mcnemar`"
        return diagnose(codes.MISSING_PART, message, span, help=way_out)
    if "from" in fits and last.kind == "TEXT" and re.search("[./]", last.text):
        gap = Span(path, tokens[-2].end, tokens[-2].end)
        fix = Fix("write `from`", (Edit(gap, " from"),))
        message = f"`from` is missing before {shown(last)}"
        place = Span(path, last.start, last.end)
        return diagnose(codes.MISSING_WORD, message, place, fixes=[fix])
    message = f"the line ends after {shown(last)} before it is complete"
    if last.kind == "VBAR":
        way_out = "a `|` that goes on begins the next line, indented"
        return diagnose(codes.INCOMPLETE_LINE, message, span, help=way_out)
    return diagnose(codes.INCOMPLETE_LINE, message, span, help=_way_out(start, tokens, fits))


def _way_out(start: str, tokens: Sequence[Token], fits: Sequence[str]) -> str | None:
    """Name what fits, where that is little, and the form of the whole."""
    word = tokens[0].text
    known = STATEMENTS.get(word) if start == "statement" else clause(word)
    form = None if known is None else known.form
    silent = {"(", "="} if "OPERATOR" in fits else {"("}
    silent |= {","} if takes_one_value(word) else set()
    worth_telling = sorted(set(fits) - silent, key=_by_weight)
    parts = [_KINDS.get(item, f"`{item}`") for item in worth_telling]
    told = []
    if 0 < len(parts) <= 5:
        told.append(
            "expected " + (" or ".join([", ".join(parts[:-1])] * (len(parts) > 1) + parts[-1:]))
        )
    if form is not None:
        told.append(f"the form is `{form}`")
    return "; ".join(told) or None


def _by_weight(symbol: str) -> tuple[bool, bool, str]:
    return (symbol == END, not symbol.isupper(), symbol)


def shown(token: Token) -> str:
    """Show a token in a sentence."""
    if token.kind == END:
        return "the end"
    text = token.text if len(token.text) <= 40 else token.text[:39] + "…"
    return f"`{text}`"
